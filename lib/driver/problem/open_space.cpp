// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/open_space.hpp"

#include "io/map_reader.hpp"
#include "mesh/radial_extent.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::driver {

namespace {

constexpr double pi = 3.14159265358979323846;

/// Sums of currents below this share of all of them are rounding, or the error of expressions at centroids.
constexpr double current_tolerance = 1e-3;

/// Share of the radius by which the nodes of a refined polygon may lie inside of its circle. `refine`: how often its
/// sides were halved.
double polygon_depth(const mesh::RadialExtent& extent, int refine) {
  const double half_side = 0.5 * extent.angle * std::ldexp(1., refine);
  return 1. - std::cos(std::min(half_side, 0.25 * pi));
}

/// "nodes between 0.02 and 0.03 m from the centre (0, 0)"
std::string extent_text(const mesh::RadialExtent& extent, const std::array<double, 2>& center) {
  std::ostringstream text;
  text << "nodes between " << extent.smallest << " and " << extent.largest << " m from the centre (" << center[0]
       << ", " << center[1] << ")";
  return text.str();
}

bool is_shell_of_mesh(const io::Shell& shell, const mesh::RadialExtent& extent, int refine) {
  const double inside = radius_tolerance + polygon_depth(extent, refine);
  return extent.smallest >= (1. - inside) * shell.inner_radius &&
         extent.smallest <= (1. + radius_tolerance) * shell.inner_radius &&
         std::fabs(extent.largest - shell.outer_radius) <= radius_tolerance * shell.outer_radius;
}

/// What is full: all around the centre.
bool is_full_ring(const mesh::RadialExtent& extent) {
  return extent.measure > 0.75 * pi * (extent.largest * extent.largest - extent.smallest * extent.smallest);
}
bool is_full_circle(const mesh::RadialExtent& extent) { return extent.measure > 0.75 * 2. * pi * extent.largest; }

template <class ExecutionSpace>
void note_net_current(const ExecutionSpace& exec, const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                      const physics::MagneticProblem& problem, const std::string& open_end,
                      std::vector<std::string>& notes) {
  physics::PlaneCurrent current = physics::source_current(exec, mesh, problem);
  for (const physics::Coil& coil : problem.coils)
    for (const double direction : coil.direction) {
      current.sum += direction * coil.turns * coil.current;
      current.absolute += std::fabs(direction * coil.turns * coil.current);
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

} // namespace

template <class ExecutionSpace>
void check_open_space(const ExecutionSpace& exec, const io::Case& input,
                      const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh, const ProblemBinding& binding,
                      std::vector<std::string>& notes) {
  const io::ProblemOptions& problem = input.problem;
  io::InputErrors errors;
  std::string open_end; // the first one that surrounds everything
  const auto number_of = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<group_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  for (const io::Material& material : problem.materials) {
    if (!material.shell)
      continue;
    const io::Shell& shell = *material.shell;
    const mesh::RadialExtent extent =
        mesh::region_extent(exec, mesh, number_of(mesh.region_names, material.region.name), shell.center);
    if (extent.is_empty)
      continue;
    if (!is_shell_of_mesh(shell, extent, input.mesh.refine)) {
      std::ostringstream text;
      text << "the shell reaches from inner_radius " << shell.inner_radius << " to outer_radius " << shell.outer_radius
           << " m, but the region '" << material.region.name << "' has " << extent_text(extent, shell.center)
           << ". Radii and centre are in metres, after mesh.scale, and must fit to 1 %.";
      io::Location where = material.region.where;
      where.path += ".shell";
      errors.add(where, text.str());
    }
    if (is_full_ring(extent) && open_end.empty())
      open_end = "The shell '" + material.region.name + "'";
  }
  for (const io::Boundary& boundary : problem.boundaries) {
    if (boundary.kind != io::BoundaryKind::asymptotic)
      continue;
    const mesh::RadialExtent extent =
        mesh::boundary_extent(exec, mesh, number_of(mesh.boundary_names, boundary.group.name), boundary.center);
    if (extent.is_empty)
      continue;
    if (extent.smallest < (1. - radius_tolerance - polygon_depth(extent, input.mesh.refine)) * extent.largest)
      errors.add(boundary.group.where, "an asymptotic condition holds on a circle about its centre, but '" +
                                           boundary.group.name + "' has " + extent_text(extent, boundary.center) +
                                           ". The centre is in metres, after mesh.scale; the radii may differ by 1 %.");
    if (is_full_circle(extent) && open_end.empty())
      open_end = "The boundary '" + boundary.group.name + "' with its asymptotic condition";
  }
  errors.throw_if_any();
  if (!open_end.empty() && problem.symmetry == io::Symmetry::planar && binding.magnetic)
    note_net_current(exec, mesh, *binding.magnetic, open_end, notes);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void check_open_space<SPACE>(const SPACE&, const io::Case&,                                                 \
                                        const mesh::Mesh<2, typename SPACE::memory_space>&, const ProblemBinding&,     \
                                        std::vector<std::string>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
