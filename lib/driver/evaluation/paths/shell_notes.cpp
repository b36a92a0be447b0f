// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/paths/shell_notes.hpp"

#include "driver/plan/quantity_list.hpp"
#include "driver/problem/binding/open_space.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace {

std::string head(const char* what, const std::string& name, const std::string& part, const std::string& shell) {
  return std::string(what) + " '" + name + "': " + part + " lie in the shell '" + shell +
         "', whose points stand for points of space farther out: ";
}

/// Points of a shell represent points far outside; a probe's table contains the positions in the mesh.
void note_probes(const io::Case& input, const io::Material& material, std::vector<std::string>& notes) {
  const io::Shell& shell = *material.shell;
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const std::string of_those =
      !io::has_vector_potential(input.problem.physics)
          ? std::string("the ") + traits.solution.name + " is that of those, but the " + traits.gradient.name +
                " that in the mesh."
      : io::has_flux_function(input.problem)
          ? "the fields and flux_function are those there, and vector_potential is flux_function over the radius in "
            "the mesh."
          : std::string("the values are of those.");
  for (const io::Probe& probe : input.output.probes) {
    const auto points = probe.positions();
    const auto n_inside = std::count_if(points.begin(), points.end(), [&](const std::array<double, 3>& point) {
      const double radius = radius_in(shell, point);
      return radius > (1. + 1e-9) * shell.inner_radius && radius <= (1. + 1e-9) * shell.outer_radius;
    });
    if (n_inside > 0)
      notes.push_back(head("probe", probe.name,
                           std::to_string(n_inside) + " of " + std::to_string(points.size()) + " points",
                           material.region.name) +
                      of_those);
  }
}

} // namespace

double radius_in(const io::Shell& shell, const std::array<double, 3>& point) {
  return std::hypot(point[0] - shell.center[0], point[1] - shell.center[1], point[2] - shell.center[2]);
}

std::vector<const io::Shell*> shells_by_region(const io::ProblemOptions& problem,
                                               const std::vector<std::string>& regions) {
  std::vector<const io::Shell*> shells;
  shells.reserve(regions.size());
  for (const std::string& region : regions)
    shells.push_back(io::shell_of(problem, region));
  return shells;
}

bool PartsInShells::add(int region, const std::array<double, 3>& point, double size) {
  if (region < 0)
    return false;
  const auto r = static_cast<std::size_t>(region);
  const io::Shell* shell = shells_[r];
  const bool is_inside = shell != nullptr && radius_in(*shell, point) > (1. + radius_tolerance) * shell->inner_radius;
  if (is_inside)
    sizes_[regions_[r]] += size;
  return is_inside;
}

std::string line_note(const io::Case& input, const std::string& line, const std::string& part, const std::string& shell,
                      int dimension) {
  const io::Physics physics = input.problem.physics;
  const std::string along = io::name_of(io::PathQuantity::along, physics);
  std::vector<std::string> of_space;
  std::vector<std::string> of_mesh{"length"};
  if (!along.empty())
    of_space.push_back(along);
  if (dimension == 2)
    of_space.emplace_back("flux");
  of_mesh.emplace_back("averages");
  of_mesh.emplace_back("extremes");
  return head("line", line, part, shell) + (of_space.empty() ? "" : io::joined(of_space) + " as in space; ") +
         io::joined(of_mesh) + " along the line in the mesh.";
}

std::string surface_note(const std::string& surface, const std::string& part, const std::string& shell) {
  return head("surface", surface, part, shell) +
         "flux as in space; area, averages, extremes of the surface in the mesh.";
}

void note_shells(const io::Case& input, std::vector<std::string>& notes) {
  for (const io::Material& material : input.problem.materials) {
    if (!material.shell)
      continue;
    note_probes(input, material, notes);
    if (!wants(input, io::Quantity::regions))
      continue;
    const auto names_of = [&](std::initializer_list<io::RegionQuantity> quantities) {
      std::vector<std::string> names;
      for (const io::RegionQuantity quantity : quantities)
        if (const std::string name = io::name_of(quantity, input.problem.physics); !name.empty())
          names.push_back(name);
      return names;
    };
    const std::vector<std::string> of_space = names_of({io::RegionQuantity::energy, io::RegionQuantity::losses});
    notes.push_back("regions: '" + material.region.name + "' is a shell, which stands for space farther out: " +
                    (of_space.empty() ? "" : io::joined(of_space) + " of that space; ") +
                    io::joined(names_of({io::RegionQuantity::volume, io::RegionQuantity::mean,
                                         io::RegionQuantity::mean_field, io::RegionQuantity::mean_flux})) +
                    " of the region in the mesh.");
  }
}

} // namespace tessera::driver
