// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/surfaces.hpp"

#include "core/kokkos_ext/runtime.hpp"
#include "driver/evaluation/quantity_list.hpp"
#include "driver/evaluation/shell_notes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

namespace tessera::driver {

namespace {

/// Facets of the surfaces, and which way their flux counts.
struct OrientedSurfaces {
  std::vector<mesh::FacetSides> facets; ///< ascending by surface
  /// [surface]: the regions that positive flux leaves and enters, -1: none, or several.
  std::vector<std::array<int, 2>> regions;
  std::vector<bool> has_interfaces;
};

std::string region_list(const std::set<int>& regions, const std::vector<std::string>& names) {
  std::vector<std::string> list;
  for (const int region : regions)
    list.push_back("'" + names[static_cast<std::size_t>(region)] + "'");
  return io::joined(list);
}

/// The region that flux leaves through all interfaces of a surface; -1: a point tells the direction. Throws where it is
/// not clear.
int region_left(const std::vector<mesh::FacetSides>& facets, int s, int given, const io::SurfaceInput& surface,
                const std::vector<std::string>& names) {
  if (surface.away_from)
    return -1;
  const std::string where = surface.where.text();
  std::set<int> common; // regions at one side of every interface
  std::set<int> all;
  bool is_first = true;
  for (const mesh::FacetSides& facet : facets) {
    if (facet.set != s || facet.element[1] < 0)
      continue;
    TESSERA_REQUIRE(facet.region[0] != facet.region[1],
                    where << ": it lies within region '" << names[static_cast<std::size_t>(facet.region[0])]
                          << "', so that no region tells which way its flux counts. Give a point that positive flux "
                             "leads away from: away_from.");
    const std::set<int> own{facet.region[0], facet.region[1]};
    all.insert(own.begin(), own.end());
    std::set<int> both;
    std::set_intersection(common.begin(), common.end(), own.begin(), own.end(), std::inserter(both, both.begin()));
    common = is_first ? own : both;
    is_first = false;
  }
  if (is_first)
    return -1;
  TESSERA_REQUIRE(!common.empty(), where << ": no region lies along the whole surface, whose sides are "
                                         << region_list(all, names)
                                         << ". Divide it into several, or give a point that positive flux leads away "
                                            "from: away_from.");
  if (given < 0)
    return *common.begin();
  TESSERA_REQUIRE(common.count(given) > 0, surface.from.where.text()
                                               << ": region '" << names[static_cast<std::size_t>(given)]
                                               << "' does not lie along the whole surface. Those that do: "
                                               << region_list(common, names) << '.');
  return given;
}

template <class ExecutionSpace>
OrientedSurfaces orient_surfaces(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                 const io::Case& input) {
  const std::vector<io::SurfaceInput>& surfaces = input.output.surfaces;
  const std::vector<BoundSurface>& bound = problem.binding.surfaces;
  const std::vector<std::string>& names = problem.summary.region_names;
  const auto n = static_cast<int>(surfaces.size());
  OrientedSurfaces result;
  for (int s = 0; s < n; ++s) { // one after the other: they may share groups
    const BoundSurface& groups = bound[static_cast<std::size_t>(s)];
    const io::SurfaceInput& surface = surfaces[static_cast<std::size_t>(s)];
    std::vector<int> set_of_group(problem.summary.boundary_names.size(), -1);
    for (const int group : groups.boundaries)
      set_of_group[static_cast<std::size_t>(group)] = 0;
    std::vector<mesh::FacetSides> facets = problem.facet_sides(exec, set_of_group, 1);
    TESSERA_REQUIRE(!facets.empty(), surface.where.text() << ": its groups have no facets in the mesh.");
    for (mesh::FacetSides& facet : facets)
      facet.set = s;
    const int from = region_left(facets, s, groups.from, surface, names);
    std::set<int> entered;
    bool has_interfaces = false;
    for (const mesh::FacetSides& facet : facets) {
      has_interfaces = has_interfaces || facet.element[1] >= 0;
      if (facet.element[1] >= 0)
        entered.insert(facet.region[facet.region[0] == from ? 1 : 0]);
    }
    result.regions.push_back({from, from >= 0 && entered.size() == 1 ? *entered.begin() : -1});
    result.has_interfaces.push_back(has_interfaces);
    result.facets.insert(result.facets.end(), facets.begin(), facets.end());
  }
  return result;
}

/// Factor of the flux out of the first element of a facet: 1 where that counts as positive, else -1.
double sign_of(const mesh::FacetSides& facet, const OrientedSurfaces& oriented, const io::SurfaceInput& surface) {
  if (facet.element[1] < 0)
    return -1.; // into the mesh
  if (surface.away_from) {
    double away = 0.;
    for (std::size_t d = 0; d < 3; ++d)
      away += facet.normal[d] * (facet.center[d] - (*surface.away_from)[d]);
    return away >= 0. ? 1. : -1.;
  }
  return facet.region[0] == oriented.regions[static_cast<std::size_t>(facet.set)][0] ? 1. : -1.;
}

/// By region, how little it tells of the flux through its surface: 2 a conductor, whose solution is fixed or floats as
/// a whole, so that the flux ends there; 1 a shell, whose coefficient varies within elements; 0 others.
std::vector<int> flux_ranks(const ProblemBinding& binding, const io::ProblemOptions& options,
                            const std::vector<std::string>& names) {
  std::vector<int> ranks;
  for (const std::string& name : names)
    ranks.push_back(io::shell_of(options, name) != nullptr ? 1 : 0);
  for (const fe::Constraint& constraint : binding.constraints)
    if (constraint.is_region)
      ranks[static_cast<std::size_t>(constraint.group)] = 2;
  return ranks;
}

/// Tells how many facets of a surface lie in shells.
void note_shells_across(const std::vector<mesh::FacetSides>& facets, int s, const std::vector<std::string>& regions,
                        const io::Case& input, std::vector<std::string>& notes) {
  PartsInShells parts(input.problem, regions);
  int n = 0;
  for (const mesh::FacetSides& facet : facets) {
    if (facet.set != s)
      continue;
    ++n;
    const std::array<double, 3> center{facet.center[0], facet.center[1], facet.center[2]};
    if (!parts.add(facet.region[0], center, 1.))
      parts.add(facet.region[1], center, 1.);
  }
  for (const auto& [shell, n_inside] : parts.sizes())
    notes.push_back(surface_note(input, input.output.surfaces[static_cast<std::size_t>(s)].name,
                                 std::to_string(static_cast<int>(n_inside)) + " of " + std::to_string(n) + " facets",
                                 shell));
}

/// What flows into the domain through boundaries with a condition, by group; NaN: those without.
template <class ExecutionSpace>
std::vector<double> inflows(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                            const Solution<ExecutionSpace>& solution) {
  const ProblemBinding& binding = problem.binding;
  const std::vector<std::string>& names = problem.summary.boundary_names;
  std::vector<double> flows(names.size(), std::nan(""));
  const auto set = [&](const std::string& name, double flow) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end())
      flows[static_cast<std::size_t>(found - names.begin())] = flow;
  };
  const std::vector<double> totals = problem.totals(exec, solution.nodal);
  for (std::size_t c = 0; c < binding.conductors.size(); ++c)
    set(binding.conductors[c].name, totals[c]);
  const std::vector<physics::NaturalTotals> natural = problem.natural_totals(exec, solution.nodal);
  for (std::size_t i = 0; i < natural.size(); ++i)
    set(binding.problem.natural[i].name, natural[i].inflow);
  return flows;
}

} // namespace

template <class ExecutionSpace>
void check_surfaces(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input) {
  orient_surfaces(exec, problem, input);
}

template <class ExecutionSpace>
void add_surfaces(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, Results& results) {
  using io::PathQuantity;
  const std::vector<io::SurfaceInput>& surfaces = input.output.surfaces;
  const io::Physics physics = input.problem.physics;
  const bool is_magnetic = physics == io::Physics::magnetostatics;
  const io::PhysicsTraits& traits = io::traits_of(physics);
  const OrientedSurfaces oriented = orient_surfaces(exec, problem, input);
  const std::vector<int> ranks = flux_ranks(problem.binding, input.problem, problem.summary.region_names);
  std::vector<physics::SurfaceSide> sides;
  for (const mesh::FacetSides& facet : oriented.facets) {
    const bool is_interface = facet.element[1] >= 0;
    const double sign = sign_of(facet, oriented, surfaces[static_cast<std::size_t>(facet.set)]);
    double share[2] = {1., 0.};
    if (is_interface) { // the mean of sides that tell as much
      const int rank[2] = {ranks[static_cast<std::size_t>(facet.region[0])],
                           ranks[static_cast<std::size_t>(facet.region[1])]};
      share[0] = rank[0] == rank[1] ? 0.5 : (rank[0] < rank[1] ? 1. : 0.);
      share[1] = 1. - share[0];
    }
    for (int k = 0; k < (is_interface ? 2 : 1); ++k)
      sides.push_back(
          {facet.set, facet.element[k], facet.face[k], k == 0 ? 1. : 0., (k == 0 ? sign : -sign) * share[k]});
  }
  // The flux density of a vector potential has one normal component at both sides as it is.
  const bool recovered = input.discretization.order.number == 1 && !is_magnetic;
  const std::vector<physics::SurfaceIntegral> integrals =
      problem.surface_integrals(exec, solution.nodal, sides, static_cast<int>(surfaces.size()), recovered);
  const std::vector<double> flows = is_magnetic
                                        ? std::vector<double>(problem.summary.boundary_names.size(), std::nan(""))
                                        : inflows(exec, problem, solution);
  std::vector<std::string> names;
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    note_shells_across(oriented.facets, static_cast<int>(s), problem.summary.region_names, input, results.notes);
    const auto add = [&](PathQuantity quantity, double value) {
      const std::string name = io::name_of(quantity, physics);
      if (!name.empty())
        add_quantity(results, name + "." + surfaces[s].name, value, io::unit_of(quantity, physics));
    };
    add(PathQuantity::area, integrals[s].area);
    double flux = (is_magnetic ? traits.gradient_sign : traits.flux_sign) * integrals[s].flux;
    bool has_condition = false;
    double inflow = 0.;
    for (const int group : problem.binding.surfaces[s].boundaries)
      if (const double flow = flows[static_cast<std::size_t>(group)]; !std::isnan(flow)) {
        has_condition = true;
        inflow += flow;
      }
    if (has_condition) // as accurate as the energy, and that of output.quantities
      flux = inflow;
    else if (!oriented.has_interfaces[s] && !is_magnetic) // the natural condition
      flux = 0.;
    add(PathQuantity::flux, flux);
    if (!has_condition && oriented.regions[s][0] >= 0 && oriented.regions[s][1] >= 0) {
      const std::vector<std::string>& regions = problem.summary.region_names;
      results.quantities.back().from = regions[static_cast<std::size_t>(oriented.regions[s][0])];
      results.quantities.back().towards = regions[static_cast<std::size_t>(oriented.regions[s][1])];
    }
    add(PathQuantity::average, integrals[s].area > 0. ? integrals[s].value / integrals[s].area : 0.);
    names.push_back(surfaces[s].name);
  }
  std::vector<std::string> heads;
  for (const PathQuantity quantity : io::path_quantities)
    if (io::is_of_surfaces(quantity) && !io::name_of(quantity, physics).empty())
      heads.push_back(io::name_of(quantity, physics));
  add_table(results, "surfaces", "surface", names, heads);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void check_surfaces<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&);                           \
  template void add_surfaces<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&, const Solution<SPACE>&,      \
                                    Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
