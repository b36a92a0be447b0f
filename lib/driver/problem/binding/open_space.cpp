// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/binding/open_space.hpp"

#include "core/constants.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "io/input/map_reader.hpp"
#include "mesh/facet_sides.hpp"
#include "mesh/radial_extent.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::driver {

namespace {

/// Sums of currents below this fraction of all of them are rounding, or the error of expressions at centroids.
constexpr double current_tolerance = 1e-3;

/// Relative difference of media that count as equal: the permittivity of air is 1.0005 of that of a vacuum.
constexpr double medium_tolerance = 0.01;

/// Fraction of the radius by which the nodes of a refined polygon (polyhedron) may be inside its circle (sphere).
/// `refine`: how often its sides were halved. New nodes are on chords, and from the second refinement on within
/// triangles, whose corners are on a circle whose radius relative to that over the longest chord is at most 2/sqrt(3)
/// (Jung's theorem).
double polygon_depth(const mesh::RadialExtent& extent, int dimension, int refine) {
  const double half_side = std::min(0.5 * extent.angle * std::ldexp(1., refine), 0.25 * pi);
  const double half_chord = std::sin(half_side);
  return 1. - std::sqrt(1. - (dimension == 3 && refine > 1 ? 4. / 3. : 1.) * half_chord * half_chord);
}

/// A boundary that subtends less than twice this angle (rad) at its centre is regarded as straight.
constexpr double least_half_angle = 1e-3;

/// The shape of a boundary about a centre, from the centres of its facets.
struct FacetsAbout {
  double half_angle = 0.;       ///< rad, largest angle between the directions of a facet and of their mean
  bool has_mesh_beyond = false; ///< some facet has its outward side towards the centre
};

template <std::size_t Dim>
FacetsAbout facets_about(const comm::Communicator& world, const std::vector<mesh::FacetSides>& facets, int set,
                         const std::array<double, Dim>& center) {
  const auto direction = [&](const mesh::FacetSides& facet) {
    std::array<double, Dim> way;
    double square = 0.;
    for (std::size_t d = 0; d < Dim; ++d) {
      way[d] = facet.center[d] - center[d];
      square += way[d] * way[d];
    }
    for (double& component : way)
      component /= std::sqrt(square);
    return way;
  };
  FacetsAbout about;
  std::array<double, Dim> mean{};
  double is_beyond = 0.;
  for (const mesh::FacetSides& facet : facets) {
    if (facet.set != set)
      continue;
    const std::array<double, Dim> way = direction(facet);
    double outward = 0.;
    for (std::size_t d = 0; d < Dim; ++d) {
      // the normal measures the facet's size
      mean[d] += std::hypot(facet.normal[0], facet.normal[1], facet.normal[2]) * way[d];
      outward += facet.normal[d] * way[d];
    }
    is_beyond = outward > 0. ? is_beyond : 1.;
  }
  for (double& component : mean)
    component = world.added(component);
  for (const mesh::FacetSides& facet : facets) {
    if (facet.set != set)
      continue;
    const std::array<double, Dim> way = direction(facet);
    double along = 0.;
    double across = 0.; // squared; from differences: accurate for small angles
    for (std::size_t d = 0; d < Dim; ++d)
      along += way[d] * mean[d];
    for (std::size_t d = 0; d < Dim; ++d)
      across += (mean[d] - along * way[d]) * (mean[d] - along * way[d]);
    about.half_angle = std::max(about.half_angle, std::atan2(std::sqrt(across), along));
  }
  about.half_angle = world.largest(about.half_angle);
  about.has_mesh_beyond = world.largest(is_beyond) > 0.;
  return about;
}

/// "nodes between 0.02 and 0.03 m from the centre (0, 0)"
template <std::size_t Dim>
std::string extent_text(const mesh::RadialExtent& extent, const std::array<double, Dim>& center) {
  std::ostringstream text;
  text << "nodes between " << extent.smallest << " and " << extent.largest << " m from the centre (";
  for (std::size_t d = 0; d < Dim; ++d)
    text << (d > 0 ? ", " : "") << center[d];
  text << ")";
  return text.str();
}

bool is_shell_of_mesh(const io::Shell& shell, const mesh::RadialExtent& extent, int dimension, int refine) {
  const double inside = radius_tolerance + polygon_depth(extent, dimension, refine);
  return extent.smallest >= (1. - inside) * shell.inner_radius &&
         extent.smallest <= (1. + radius_tolerance) * shell.inner_radius &&
         std::fabs(extent.largest - shell.outer_radius) <= radius_tolerance * shell.outer_radius;
}

/// Whether a region surrounds the centre completely, in 2D.
bool is_full_ring(const mesh::RadialExtent& extent) {
  return extent.measure > 0.75 * pi * (extent.largest * extent.largest - extent.smallest * extent.smallest);
}
/// Whether a boundary surrounds the centre completely; in axisymmetric problems half a circle.
bool is_full_end(const mesh::RadialExtent& extent, int dimension, io::Symmetry symmetry) {
  const double whole = dimension == 3                           ? 4. * pi * extent.largest * extent.largest
                       : symmetry == io::Symmetry::axisymmetric ? pi * extent.largest
                                                                : 2. * pi * extent.largest;
  return extent.measure > 0.75 * whole;
}

/// Combined extent of the parts of all processes.
mesh::RadialExtent of_all_parts(const comm::Communicator& world, const mesh::RadialExtent& own) {
  mesh::RadialExtent all;
  for (const mesh::RadialExtent& part : world.all_gather(own)) {
    if (part.is_empty)
      continue;
    all.smallest = all.is_empty ? part.smallest : std::min(all.smallest, part.smallest);
    all.largest = std::max(all.largest, part.largest);
    all.angle = std::max(all.angle, part.angle);
    all.measure += part.measure;
    all.is_empty = false;
  }
  return all;
}

template <class ExecutionSpace>
void note_net_current(const ExecutionSpace& exec, const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                      const comm::Communicator& world, const physics::MagneticProblem& problem,
                      const std::string& open_end, std::vector<std::string>& notes) {
  const physics::PlaneCurrent own = physics::source_current(exec, mesh, problem);
  physics::PlaneCurrent current{world.added(own.sum), world.added(own.absolute)};
  for (const physics::Coil& coil : problem.coils)
    for (const double direction : coil.direction) {
      current.sum += direction * coil.turns * coil.current;
      current.absolute += std::fabs(direction * coil.turns * coil.current);
    }
  for (const physics::PointSource& source : problem.medium.point_sources) {
    current.sum += source.strength;
    current.absolute += std::fabs(source.strength);
  }
  if (std::fabs(current.sum) <= current_tolerance * current.absolute)
    return;
  std::ostringstream text;
  text << open_end << " stands for open space, but the currents add up to " << current.sum
       << " A, not to zero: the far field of such a current is none of a multipole, and its energy in all space has no "
          "bound. Energies, flux linkages and inductances then depend on the size of the mesh. Model the return "
          "current, "
          "too.";
  notes.push_back(text.str());
}

/// Whether the field of a material may continue in space with the coefficient `medium`. Always assumed for expressions
/// and tensors.
bool may_go_on(const io::Material& material, bool is_magnetic, double medium) {
  const auto is_medium = [&](double value) { return std::fabs(value - medium) <= medium_tolerance * medium; };
  if (is_magnetic)
    return material.bh_curve.empty() && !material.laminations && is_medium(material.relative_permeability[0]) &&
           is_medium(material.relative_permeability[1]);
  const io::Coefficient& inside = material.coefficient;
  return inside.diagonal.size() != 1 || !inside.diagonal[0].is_constant || is_medium(inside.diagonal[0].value);
}

/// Notes asymptotic conditions whose medium differs from the regions at the boundary, for example if the default was
/// left unchanged in another medium. `facets`: of the asymptotic boundaries, in sets in their order.
template <class Mesh>
void note_media(const io::ProblemOptions& problem, const Mesh& mesh, const std::vector<mesh::FacetSides>& facets,
                const comm::Communicator& world, std::vector<std::string>& notes) {
  const bool is_magnetic = io::has_vector_potential(problem.physics);
  int set = -1;
  for (const io::Boundary& boundary : problem.boundaries) {
    set += boundary.kind == io::BoundaryKind::asymptotic ? 1 : 0;
    if (boundary.kind != io::BoundaryKind::asymptotic || !boundary.coefficient.is_constant)
      continue;
    const double medium = is_magnetic ? 1. : boundary.coefficient.value;
    std::vector<int> is_other(mesh.region_names.size(), 0);
    for (const io::Material& material : problem.materials)
      if (const int region = find_name(mesh.region_names, material.region.name); region >= 0)
        is_other[static_cast<std::size_t>(region)] = may_go_on(material, is_magnetic, medium) ? 0 : 1;
    if (std::find(is_other.begin(), is_other.end(), 1) == is_other.end())
      continue;
    std::vector<int> is_adjacent(mesh.region_names.size(), 0);
    for (const mesh::FacetSides& facet : facets)
      for (const int region : facet.region)
        if (region >= 0 && facet.set == set)
          is_adjacent[static_cast<std::size_t>(region)] = 1;
    std::string others;
    for (std::size_t r = 0; r < is_other.size(); ++r)
      if (world.largest(is_adjacent[r]) == 1 && is_other[r] == 1)
        others += (others.empty() ? "'" : ", '") + mesh.region_names[r] + "'";
    if (others.empty())
      continue;
    const std::string name = is_magnetic ? "relative_permeability" : io::traits_of(problem.physics).coefficient;
    notes.push_back(boundary.group.where.text() + ": the space outside has the " + name + " " +
                    io::number_text(medium) + ", but the medium next to the boundary has another one (" + others + ')' +
                    (is_magnetic ? "." : "; if the medium inside continues there, give its " + name + "."));
  }
}

/// Returns the first shell that surrounds everything in 2D, or an empty text.
template <class ExecutionSpace, int Dim>
std::string check_shells(const ExecutionSpace& exec, const io::Case& input,
                         const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                         const comm::Communicator& world, io::InputErrors& errors) {
  std::string open_end;
  for (const io::Material& material : input.problem.materials) {
    if (!material.shell)
      continue;
    const io::Shell& shell = *material.shell;
    std::array<double, Dim> center;
    std::copy_n(shell.center.begin(), Dim, center.begin());
    const mesh::RadialExtent extent = of_all_parts(
        world, mesh::region_extent<ExecutionSpace, Dim>(
                   exec, mesh, static_cast<group_t>(find_name(mesh.region_names, material.region.name)), center));
    if (extent.is_empty)
      continue;
    if (!is_shell_of_mesh(shell, extent, Dim, input.mesh.refinements())) {
      std::ostringstream text;
      text << "the shell reaches from inner_radius " << shell.inner_radius << " to outer_radius " << shell.outer_radius
           << " m, but the region '" << material.region.name << "' has " << extent_text(extent, center)
           << ". Radii and centre are in metres, after mesh.scale, and must fit to 1 %.";
      io::Location where = material.region.where;
      where.path += ".shell";
      errors.add(where, text.str());
    }
    if (Dim == 2 && is_full_ring(extent) && open_end.empty())
      open_end = "The shell '" + material.region.name + "'";
  }
  return open_end;
}

/// Adds an error if a boundary is not a circle or sphere about the centre with the mesh inside. The radii of its nodes
/// may differ by 1 % and by the sagitta of the polygon's sides, but by much less than those of a straight side or plane
/// face that subtends the same angle at the centre: from a distance any of these would pass as round.
template <std::size_t Dim>
void check_facets(const comm::Communicator& world, const io::MeshOptions& options, const io::Boundary& boundary,
                  const std::array<double, Dim>& center, const mesh::RadialExtent& extent,
                  const std::vector<mesh::FacetSides>& facets, int set, io::InputErrors& errors) {
  const FacetsAbout about = facets_about(world, facets, set, center);
  const double half_angle = std::min(about.half_angle + 0.5 * extent.angle, 0.5 * pi);
  const double half_sine = std::sin(0.5 * half_angle);
  const double straight = 2. * half_sine * half_sine; // 1 - cos(half_angle)
  const double depth = polygon_depth(extent, static_cast<int>(Dim), options.refinements());
  const double allowed = std::min(radius_tolerance, 0.1 * straight) + std::min(depth, 0.5 * straight);
  const std::string shape = Dim == 2 ? "circle" : "sphere";
  const std::string start = "an asymptotic condition holds on a " + shape + " about its centre, but '" +
                            boundary.group.name + "' has " + extent_text(extent, center) + ". ";
  const std::string end = "The centre is in metres, after mesh.scale";
  if (extent.smallest < (1. - radius_tolerance - std::min(depth, 0.5 * straight)) * extent.largest)
    errors.add(boundary.group.where, start + end + "; the radii may differ by 1 %.");
  else if (half_angle < least_half_angle || extent.smallest < (1. - allowed) * extent.largest)
    errors.add(boundary.group.where, start + "From so far away everything is round: for the part of a " + shape +
                                         " that it would be its radii differ too much. " + end +
                                         ", and is that of the " + shape + ", of which " +
                                         (Dim == 2 ? "a straight side" : "a plane face") + " has none.");
  else if (about.has_mesh_beyond)
    errors.add(boundary.group.where, "an asymptotic condition represents all space outside of a " + shape +
                                         " about its centre, but the mesh lies outside of '" + boundary.group.name +
                                         "', seen from there.");
}

} // namespace

physics::Expression asymptotic_coefficient(const io::Boundary& boundary, const io::ProblemOptions& problem,
                                           int dimension) {
  const auto text = [](double value) { return "(" + io::number_text(value) + ")"; };
  const auto square = [&](const char* coordinate, double center) {
    return "(" + std::string(coordinate) + " - " + text(center) + ")^2";
  };
  std::string distance = square("x", boundary.center[0]) + " + " + square("y", boundary.center[1]);
  if (dimension == 3)
    distance += " + " + square("z", boundary.center[2]);
  const bool is_magnetic = io::has_vector_potential(problem.physics);
  const bool is_space = dimension == 3 || problem.symmetry == io::Symmetry::axisymmetric;
  const double power = boundary.order + (is_space && !is_magnetic ? 1. : 0.);
  const double factor = is_magnetic                             ? 1. / physics::vacuum_permeability
                        : io::has_permittivity(problem.physics) ? physics::vacuum_permittivity
                                                                : 1.;
  const std::string medium = is_magnetic ? "1" : "(" + boundary.coefficient.text + ")";
  return parse_around(boundary.coefficient, text(power * factor) + "*" + medium + "/sqrt(" + distance + ")");
}

void set_shell(const io::Shell& shell, const io::Scalar& medium, int dimension, io::Symmetry symmetry,
               physics::RegionData& region) {
  const auto text = [](double value) { return "(" + io::number_text(value) + ")"; };
  const auto n = static_cast<std::size_t>(dimension);
  const char* const names[] = {"x", "y", "z"};
  std::vector<std::string> from_center;
  for (std::size_t d = 0; d < n; ++d)
    from_center.push_back(std::string("(") + names[d] + " - " + text(shell.center[d]) + ")");
  std::string R = "hypot(" + from_center[0] + ", " + from_center[1] + ")";
  if (n == 3)
    R = "hypot(" + R + ", " + from_center[2] + ")";
  const std::string left =
      "max(" + text(shell.outer_radius) + " - " + R + ", " + text(1e-12 * shell.outer_radius) + ")";
  std::string along = left + "/" + R;
  std::string across = R + "/" + left;
  if (n == 3 || symmetry == io::Symmetry::axisymmetric) {
    const std::string scale = text(shell.inner_radius * (shell.outer_radius - shell.inner_radius));
    along = scale + "/" + R + "^2";
    across = scale + "/" + left + "^2";
  }
  const std::string share = "(" + along + " - " + across + ")/" + R + "^2";
  const auto entry = [&](const std::string& start, const std::string& product) {
    return parse_around(medium, "(" + medium.text + ")*(" + start + share + "*" + product + ")");
  };
  region.coefficient.clear();
  region.off_diagonal.clear();
  for (std::size_t i = 0; i < n; ++i) {
    region.coefficient.push_back(entry(across + " + ", from_center[i] + "^2"));
    for (std::size_t j = i + 1; j < n; ++j)
      region.off_diagonal.push_back(entry("", from_center[i] + "*" + from_center[j]));
  }
}

template <class ExecutionSpace, int Dim>
std::vector<std::string> check_open_space(const ExecutionSpace& exec, const io::Case& input,
                                          const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                          const comm::Communicator& world, const ProblemBinding& binding,
                                          std::vector<std::string>& notes) {
  const io::ProblemOptions& problem = input.problem;
  const bool is_plane = Dim == 2 && problem.symmetry == io::Symmetry::planar;
  io::InputErrors errors;
  std::vector<std::string> multipole_ends;
  // a shell that surrounds everything
  std::string open_end = check_shells<ExecutionSpace, Dim>(exec, input, mesh, world, errors);
  std::vector<int> set_of_group(mesh.boundary_names.size(), -1);
  int n_sets = 0;
  for (const io::Boundary& boundary : problem.boundaries)
    if (boundary.kind == io::BoundaryKind::asymptotic)
      set_of_group[static_cast<std::size_t>(find_name(mesh.boundary_names, boundary.group.name))] = n_sets++;
  std::vector<mesh::FacetSides> facets;
  if (n_sets > 0)
    facets = mesh::find_facet_sides<ExecutionSpace, Dim>(exec, mesh, set_of_group, n_sets);
  int set = -1;
  for (const io::Boundary& boundary : problem.boundaries) {
    if (boundary.kind != io::BoundaryKind::asymptotic)
      continue;
    ++set;
    std::array<double, Dim> center;
    std::copy_n(boundary.center.begin(), Dim, center.begin());
    const mesh::RadialExtent extent = of_all_parts(
        world, mesh::boundary_extent<ExecutionSpace, Dim>(
                   exec, mesh, static_cast<group_t>(find_name(mesh.boundary_names, boundary.group.name)), center));
    if (extent.is_empty)
      continue;
    check_facets(world, input.mesh, boundary, center, extent, facets, set, errors);
    if (!is_full_end(extent, Dim, problem.symmetry))
      continue;
    if (!binding.magnetic && (is_plane || boundary.order > 0))
      multipole_ends.push_back(boundary.group.name);
    if (is_plane && open_end.empty())
      open_end = "The boundary '" + boundary.group.name + "' with its asymptotic condition";
  }
  errors.throw_if_any();
  note_media(problem, mesh, facets, world, notes);
  if constexpr (Dim == 2)
    if (!open_end.empty() && is_plane && binding.magnetic)
      note_net_current(exec, mesh, world, *binding.magnetic, open_end, notes);
  return multipole_ends;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template std::vector<std::string> check_open_space<SPACE, DIM>(                                                      \
      const SPACE&, const io::Case&, const mesh::Mesh<DIM, typename SPACE::memory_space>&, const comm::Communicator&,  \
      const ProblemBinding&, std::vector<std::string>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
