// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/paths/surfaces.hpp"

#include "core/kokkos_ext/runtime.hpp"
#include "driver/evaluation/paths/path_quantities.hpp"
#include "driver/evaluation/paths/shell_notes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace tessera::driver {

namespace {

/// How the flux through a facet is determined.
enum class FluxRule {
  total,   ///< by the total of a group with a condition, of which it is a part
  natural, ///< no condition: no flux
  field    ///< by the field on its sides
};

struct SurfaceFacet {
  mesh::FacetSides sides;
  FluxRule rule;
  bool is_owned = true; ///< with parts of the mesh: whether the process owns its first element

  /// Whether the direction of positive flux must be determined.
  bool needs_direction() const { return rule == FluxRule::field && sides.element[1] >= 0; }
};

/// The conditions of a problem as far as they determine fluxes.
struct Conditions {
  std::vector<bool> has_total;    ///< [boundary]: the inflow through all of it is known
  std::vector<bool> is_permeable; ///< [boundary]: has a condition that admits a flux
  /// [region]: how little information the region has about the flux through its surface. 2: a conductor, whose solution
  /// is fixed or floats as a whole, so that the flux ends there; 1: a shell, whose coefficient varies within elements;
  /// 0: others.
  std::vector<int> rank;
  /// [region]: a conductor with a source, or with a facet of a group with a condition: its total is not the outflow
  /// into other regions.
  std::vector<bool> is_mixed;
};

/// Facets of the surfaces, and the directions of positive flux.
struct OrientedSurfaces {
  Conditions conditions;
  /// Ascending by surface, without duplicates; with parts of the mesh a facet between two parts is in both, of which
  /// each uses its owned side.
  std::vector<SurfaceFacet> facets;
  /// [surface]: the regions that positive flux leaves and enters, -1: none, or several.
  std::vector<std::array<int, 2>> regions;
};

Conditions conditions_of(const ProblemBinding& binding, const ProblemSummary& summary,
                         const io::ProblemOptions& options) {
  const std::size_t n_regions = summary.region_names.size();
  Conditions conditions{std::vector<bool>(summary.boundary_names.size(), false),
                        {},
                        std::vector<int>(n_regions, 0),
                        std::vector<bool>(n_regions, false)};
  conditions.is_permeable = conditions.has_total;
  if (binding.magnetic) // the vector potential determines all fluxes
    return conditions;
  for (std::size_t region = 0; region < conditions.rank.size(); ++region)
    conditions.rank[region] = io::shell_of(options, summary.region_names[region]) != nullptr ? 1 : 0;
  for (const fe::Constraint& constraint : binding.constraints)
    if (constraint.is_region)
      conditions.rank[constraint.group] = 2;
    else
      conditions.has_total[constraint.group] = true;
  for (const physics::NaturalData& natural : binding.problem.natural)
    conditions.has_total[natural.group] = true;
  const bool has_lumped_sources = !binding.problem.point_sources.empty() || !binding.problem.line_sources.empty();
  for (std::size_t region = 0; region < n_regions; ++region)
    conditions.is_mixed[region] = has_lumped_sources || binding.problem.regions[region].has_source();
  conditions.is_permeable = conditions.has_total;
  for (const fe::PeriodicPair& pair : binding.periodic)
    for (const group_t group : {pair.group, pair.partner})
      conditions.is_permeable[group] = true;
  return conditions;
}

std::string region_list(const std::set<int>& regions, const std::vector<std::string>& names) {
  std::vector<std::string> list;
  for (const int region : regions)
    list.push_back("'" + names[static_cast<std::size_t>(region)] + "'");
  return io::joined(list);
}

/// The regions on the sides of a surface's facets, that of the first element first; {-1, -1} for a facet that needs no
/// direction.
using RegionPairs = std::set<std::array<int, 2>>;

/// Combines the pairs of all processes. Collective.
RegionPairs of_all_processes(const comm::Communicator& world, const RegionPairs& own) {
  const std::vector<std::array<int, 2>> all =
      world.gather_lists(std::vector<std::array<int, 2>>(own.begin(), own.end()));
  return {all.begin(), all.end()};
}

/// The region that flux leaves through all interfaces of a surface; -1: there are none, or a point defines the
/// direction. Throws if it is ambiguous.
int region_left(const RegionPairs& pairs, int given, const io::SurfaceInput& surface,
                const std::vector<std::string>& names) {
  if (surface.away_from)
    return -1;
  const std::string where = surface.where.text();
  std::set<int> common; // regions on one side of every interface
  std::set<int> all;
  bool is_first = true;
  for (const std::array<int, 2>& region : pairs) {
    if (region[0] < 0)
      continue;
    TESSERA_REQUIRE(region[0] != region[1],
                    where << ": it lies within region '" << names[static_cast<std::size_t>(region[0])]
                          << "', so that no region determines the sign of its flux. Give a point that positive flux "
                             "leads away from: away_from.");
    const std::set<int> own{region[0], region[1]};
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

/// Refuses a direction that has no effect.
void check_direction(const RegionPairs& pairs, const io::SurfaceInput& surface) {
  const bool has_from = !surface.from.name.empty();
  if (!has_from && !surface.away_from)
    return;
  io::Location where = has_from ? surface.from.where : surface.where;
  if (!has_from)
    where.path += ".away_from";
  TESSERA_REQUIRE(
      std::any_of(pairs.begin(), pairs.end(), [](const std::array<int, 2>& regions) { return regions[0] >= 0; }),
      where.text() << ": is for interfaces, but '" << surface.name
                   << "' has none: the flux through boundaries of the mesh, and of groups with a condition, "
                      "counts into the domain. Leave it out.");
}

template <class ExecutionSpace>
OrientedSurfaces orient_surfaces(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                                 const io::Case& input) {
  using Facet = std::pair<index_t, int>; // first element and its face
  const auto key_of = [](const mesh::FacetSides& sides) { return Facet{sides.element[0], sides.face[0]}; };
  const std::vector<io::SurfaceInput>& surfaces = input.output.surfaces;
  OrientedSurfaces result;
  if (surfaces.empty())
    return result;
  const std::vector<BoundSurface>& bound = problem.binding.surfaces;
  const std::vector<std::string>& names = problem.summary.region_names;
  result.conditions = conditions_of(problem.binding, problem.summary, input.problem);
  const Conditions& conditions = result.conditions;
  std::vector<int> set_of_group(problem.summary.boundary_names.size(), -1);
  int n_sets = 0;
  const auto ask = [&](std::size_t group) {
    if (set_of_group[group] < 0)
      set_of_group[group] = n_sets++;
  };
  for (const BoundSurface& surface : bound)
    for (const int group : surface.boundaries)
      ask(static_cast<std::size_t>(group));
  for (std::size_t group = 0; group < set_of_group.size(); ++group)
    if (conditions.is_permeable[group])
      ask(group);
  std::vector<std::vector<mesh::FacetSides>> facets_of_set(static_cast<std::size_t>(n_sets));
  for (const mesh::FacetSides& facet : problem.facet_sides(exec, set_of_group, n_sets))
    facets_of_set[static_cast<std::size_t>(facet.set)].push_back(facet);
  std::set<Facet> permeable; // facets may be in several groups
  for (std::size_t group = 0; group < set_of_group.size(); ++group)
    if (conditions.is_permeable[group])
      for (const mesh::FacetSides& facet : facets_of_set[static_cast<std::size_t>(set_of_group[group])])
        permeable.insert(key_of(facet));
  for (std::size_t group = 0; group < set_of_group.size(); ++group)
    if (conditions.is_permeable[group])
      for (const mesh::FacetSides& facet : facets_of_set[static_cast<std::size_t>(set_of_group[group])])
        for (const int region : facet.region)
          if (region >= 0)
            result.conditions.is_mixed[static_cast<std::size_t>(region)] = true;

  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    std::vector<SurfaceFacet> facets;
    std::set<Facet> known;
    for (const bool with_total : {true, false})
      for (const int group : bound[s].boundaries) {
        if (conditions.has_total[static_cast<std::size_t>(group)] != with_total)
          continue;
        const int set = set_of_group[static_cast<std::size_t>(group)];
        for (mesh::FacetSides facet : facets_of_set[static_cast<std::size_t>(set)]) {
          if (!known.insert(key_of(facet)).second)
            continue;
          facet.set = static_cast<int>(s);
          const bool is_insulated =
              facet.element[1] < 0 && !problem.binding.magnetic && permeable.count(key_of(facet)) == 0;
          facets.push_back({facet, with_total ? FluxRule::total : is_insulated ? FluxRule::natural : FluxRule::field});
        }
      }
    std::vector<index_t> elements;
    for (const SurfaceFacet& facet : facets)
      elements.push_back(facet.sides.element[0]);
    const std::vector<index_t> positions = problem.owned_positions(exec, elements);
    for (std::size_t f = 0; f < facets.size(); ++f)
      facets[f].is_owned = positions[f] >= 0;
    RegionPairs own;
    for (const SurfaceFacet& facet : facets)
      own.insert(facet.needs_direction() ? std::array<int, 2>{facet.sides.region[0], facet.sides.region[1]}
                                         : std::array<int, 2>{-1, -1});
    const RegionPairs pairs = of_all_processes(*problem.world, own);
    TESSERA_REQUIRE(!pairs.empty(), surfaces[s].where.text() << ": its groups have no facets in the mesh.");
    check_direction(pairs, surfaces[s]);
    const int from = region_left(pairs, bound[s].from, surfaces[s], names);
    std::set<int> entered; // -1: facets of another kind
    for (const std::array<int, 2>& regions : pairs)
      entered.insert(regions[0] == from ? regions[1] : regions[0]);
    result.regions.push_back({from, entered.size() == 1 ? *entered.begin() : -1});
    result.facets.insert(result.facets.end(), facets.begin(), facets.end());
  }
  return result;
}

/// Sign of the flux out of the first element of a facet: 1 if that counts as positive, else -1.
double sign_of(const mesh::FacetSides& facet, const OrientedSurfaces& oriented, const io::SurfaceInput& surface,
               int dimension) {
  if (facet.element[1] < 0)
    return -1.; // into the mesh
  if (surface.away_from) {
    double away = 0.;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      away += facet.normal[d] * (facet.center[d] - (*surface.away_from)[d]);
    return away >= 0. ? 1. : -1.;
  }
  return facet.region[0] == oriented.regions[static_cast<std::size_t>(facet.set)][0] ? 1. : -1.;
}

/// Notes how many facets of a surface are in shells. With parts of the mesh collective; a facet between two parts is
/// counted by the owner of its first element.
template <class ExecutionSpace>
void note_shells_across(const Fields<ExecutionSpace>& problem, const std::vector<SurfaceFacet>& facets, int s,
                        const io::Case& input, std::vector<std::string>& notes) {
  PartsInShells parts(input.problem, problem.summary.region_names);
  double n = 0.;
  for (const SurfaceFacet& one : facets) {
    const mesh::FacetSides& facet = one.sides;
    if (facet.set != s || !one.is_owned)
      continue;
    ++n;
    const std::array<double, 3> center{facet.center[0], facet.center[1], facet.center[2]};
    if (!parts.add(facet.region[0], center, 1.))
      parts.add(facet.region[1], center, 1.);
  }
  n = problem.world->added(n);
  std::map<std::string, double> sizes;
  for (const io::Material& material : input.problem.materials)
    if (material.shell) {
      const auto own = parts.sizes().find(material.region.name);
      sizes[material.region.name] = problem.world->added(own == parts.sizes().end() ? 0. : own->second);
    }
  for (const auto& [shell, n_inside] : sizes)
    if (n_inside > 0.)
      notes.push_back(surface_note(input.output.surfaces[static_cast<std::size_t>(s)].name,
                                   std::to_string(static_cast<std::int64_t>(n_inside)) + " of " +
                                       std::to_string(static_cast<std::int64_t>(n)) + " facets",
                                   shell));
}

/// The sides of a facet with their weights in its flux and fields: the mean of sides with the same rank, or the side
/// with more information.
void add_sides(const SurfaceFacet& facet, double sign, const std::vector<int>& ranks,
               std::vector<physics::SurfaceSide>& sides) {
  const mesh::FacetSides& of = facet.sides;
  const bool is_interface = of.element[1] >= 0;
  double part[2] = {1., 0.};
  if (is_interface) {
    const int rank[2] = {ranks[static_cast<std::size_t>(of.region[0])], ranks[static_cast<std::size_t>(of.region[1])]};
    part[0] = rank[0] == rank[1] ? 0.5 : (rank[0] < rank[1] ? 1. : 0.);
    part[1] = 1. - part[0];
  }
  for (int k = 0; k < (is_interface ? 2 : 1); ++k)
    sides.push_back({of.set, of.element[k], of.face[k], k == 0 ? 1. : 0.,
                     facet.rule == FluxRule::field ? (k == 0 ? sign : -sign) * part[k] : 0., part[k]});
}

/// Inflow into the domain through boundaries with a total, by group; zero for others. `totals`: of constraints.
template <class ExecutionSpace>
std::vector<double> inflows(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                            const Solution<ExecutionSpace>& solution, const std::vector<double>& totals) {
  const ProblemBinding& binding = problem.binding;
  std::vector<double> flows(problem.summary.boundary_names.size(), 0.);
  if (binding.magnetic)
    return flows;
  for (std::size_t c = 0; c < totals.size(); ++c)
    if (!binding.constraints[c].is_region)
      flows[binding.constraints[c].group] = totals[c];
  const std::vector<physics::NaturalTotals> natural = problem.natural_totals(exec, solution.nodal);
  for (std::size_t i = 0; i < natural.size(); ++i)
    flows[binding.problem.natural[i].group] = natural[i].inflow;
  return flows;
}

/// If a surface contains all facets between a conductor and other regions, their flux is set to the conductor's total,
/// which is as accurate as the energy; the facets then contribute no flux by themselves. Returns what to add to the
/// flux of each surface. With parts of the mesh collective.
template <class ExecutionSpace>
std::vector<double> flux_of_conductors(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                                       const io::Case& input, const std::vector<double>& totals,
                                       OrientedSurfaces& oriented, std::vector<std::string>& notes) {
  const std::vector<io::SurfaceInput>& surfaces = input.output.surfaces;
  const std::vector<int>& rank = oriented.conditions.rank;
  const comm::Communicator& world = *problem.world;
  std::vector<double> flux(surfaces.size(), 0.);
  for (std::size_t c = 0; c < totals.size(); ++c) {
    const fe::Constraint& constraint = problem.binding.constraints[c];
    if (!constraint.is_region)
      continue;
    const int region = constraint.group;
    const bool is_mixed = world.largest(oriented.conditions.is_mixed[static_cast<std::size_t>(region)] ? 1 : 0) == 1;
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
      std::vector<SurfaceFacet*> along; // facets with the conductor on one side
      double n = 0., n_out = 0.;
      for (SurfaceFacet& facet : oriented.facets) {
        const int* const sides = facet.sides.region;
        if (facet.sides.set != static_cast<int>(s) || !facet.needs_direction() ||
            (sides[0] == region) == (sides[1] == region) ||
            rank[static_cast<std::size_t>(sides[0])] == rank[static_cast<std::size_t>(sides[1])])
          continue;
        along.push_back(&facet);
        if (!facet.is_owned)
          continue;
        const double sign = sign_of(facet.sides, oriented, surfaces[s], problem.summary.dimension);
        n += 1.;
        n_out += (sides[0] == region) == (sign > 0.) ? 1. : 0.;
      }
      n = world.added(n);
      n_out = world.added(n_out);
      if (n == 0.)
        continue;
      const bool is_whole = !is_mixed && (n_out == 0. || n_out == n) &&
                            n == static_cast<double>(problem.n_facets_around(exec, constraint.group));
      if (!is_whole) {
        const std::string& name = problem.binding.constraint_names[c];
        const std::string total = std::string(io::traits_of(input.problem).total.name) + "." + name;
        notes.push_back("surface '" + surfaces[s].name + "': along the conductor '" + name +
                        "' its flux is that of the adjacent field" +
                        (is_mixed
                             ? ", for that has a source, or facets of a group with a condition, or there are point "
                               "or line sources: " +
                                   total + " is not all that flows out of it."
                             : ", less accurate than " + total + ", which is that of the whole surface."));
        continue;
      }
      flux[s] += n_out > 0. ? totals[c] : -totals[c];
      for (SurfaceFacet* facet : along)
        facet->rule = FluxRule::total;
    }
  }
  return flux;
}

} // namespace

template <class ExecutionSpace>
void check_surfaces(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input) {
  orient_surfaces(exec, problem, input);
}

template <class ExecutionSpace>
void add_surfaces(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, const std::vector<double>& totals, Results& results) {
  using io::PathQuantity;
  const std::vector<io::SurfaceInput>& surfaces = input.output.surfaces;
  const io::Physics physics = input.problem.physics;
  const bool is_magnetic = io::has_vector_potential(physics);
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  OrientedSurfaces oriented = orient_surfaces(exec, problem, input);
  const std::vector<double> of_conductors =
      is_magnetic ? std::vector<double>(surfaces.size(), 0.)
                  : flux_of_conductors(exec, problem, input, totals, oriented, results.notes);
  std::vector<physics::SurfaceSide> sides;
  for (const SurfaceFacet& facet : oriented.facets)
    add_sides(
        facet,
        sign_of(facet.sides, oriented, surfaces[static_cast<std::size_t>(facet.sides.set)], problem.summary.dimension),
        oriented.conditions.rank, sides);
  const bool recovered = input.discretization.order.number == 1;
  const std::vector<physics::SurfaceValues> values =
      problem.surface_values(exec, solution.nodal, sides, static_cast<int>(surfaces.size()), recovered);
  const std::vector<double> flows = inflows(exec, problem, solution, totals);
  std::vector<std::string> names;
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    note_shells_across(problem, oriented.facets, static_cast<int>(s), input, results.notes);
    PathAdder add(results, traits, surfaces[s].name, problem.summary.dimension, io::is_of_surfaces);
    add(PathQuantity::area, values[s].area);
    double flux = of_conductors[s]; // totals are as accurate as the energy, and equal to those of output.quantities
    for (const int group : problem.binding.surfaces[s].boundaries)
      flux += flows[static_cast<std::size_t>(group)];
    flux += (is_magnetic ? traits.gradient_sign : traits.flux_sign) * values[s].flux;
    io::Place direction;
    if (oriented.regions[s][0] >= 0 && oriented.regions[s][1] >= 0) {
      const std::vector<std::string>& regions = problem.summary.region_names;
      direction.from = regions[static_cast<std::size_t>(oriented.regions[s][0])];
      direction.towards = regions[static_cast<std::size_t>(oriented.regions[s][1])];
    }
    add(PathQuantity::flux, flux, direction);
    const auto mean = [&](double integral) { return values[s].area > 0. ? integral / values[s].area : 0.; };
    add.average_and_extremes({mean(values[s].integral), values[s].solution},
                             {mean(values[s].field_integral), values[s].field_length},
                             {mean(values[s].flux_integral), values[s].flux_length});
    names.push_back(surfaces[s].name);
  }
  add_path_table(results, physics, "surfaces", "surface", names, io::is_of_surfaces);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void check_surfaces<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&);                            \
  template void add_surfaces<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&, const Solution<SPACE>&,       \
                                    const std::vector<double>&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
