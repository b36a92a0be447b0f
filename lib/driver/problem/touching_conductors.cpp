// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/touching_conductors.hpp"

#include "driver/evaluation/quantity_list.hpp"
#include "driver/mesh/box_groups.hpp"
#include "driver/problem/input_values.hpp"

#include <set>
#include <sstream>

namespace tessera::driver {

namespace {

constexpr int nothing = -1;

class TouchCheck {
public:
  TouchCheck(const io::Case& input, const ProblemBinding& binding)
      : binding_(binding), noun_(io::traits_of(input.problem.physics).matrix.noun) {
    const std::vector<std::string> members = io::matrix_conductors(input.problem, input.output);
    for (const Conductor& conductor : binding.conductors)
      is_member_.push_back(find_name(members, conductor.name) >= 0);
  }

  /// Throws if both constraints may not meet.
  void check(int first, int second, const std::string& place) const {
    if (first == second || !(is_member_[index(first)] || is_member_[index(second)]))
      return;
    const Conductor& one = binding_.conductors[index(first)];
    const Conductor& other = binding_.conductors[index(second)];
    TESSERA_REQUIRE(false, one.where.text()
                               << ": the conductors '" << one.name << "' and '" << other.name << "' ("
                               << other.where.text() << ") touch" << place << ": between them there is no " << noun_
                               << ". Leave a gap between their "
                                  "groups in the mesh, or make them one group.");
  }

  /// The boundaries of a box meet unless they are opposite, and all meet the region.
  void check_box(const io::JoinedGroups& groups) const {
    const auto axes = [&](std::size_t c) { // along which the sides of a constraint lie
      std::set<std::size_t> found;
      for (std::size_t side = 0; side < groups.boundaries.number.size(); ++side)
        if (binding_.constraints[c].is_region || groups.boundaries.number[side] == binding_.constraints[c].group)
          found.insert(side / 2);
      return found;
    };
    for (std::size_t c = 0; c < binding_.constraints.size(); ++c)
      for (std::size_t d = 0; d < c; ++d)
        if (axes(c).size() > 1 || axes(c) != axes(d))
          check(static_cast<int>(d), static_cast<int>(c), "");
  }

  void check_mesh(const io::ImportedMesh& mesh) const {
    const auto n = static_cast<std::size_t>(mesh.dimension);
    std::vector<int> owner(mesh.n_nodes(), nothing);
    const std::vector<int> of_boundary = constraint_of(mesh.boundary_names.size(), false);
    const std::vector<int> of_region = constraint_of(mesh.region_names.size(), true);
    const auto mark = [&](const std::vector<index_t>& nodes, std::size_t i, std::size_t n_nodes, int constraint) {
      for (std::size_t k = 0; constraint != nothing && k < n_nodes; ++k) {
        const auto node = static_cast<std::size_t>(nodes[i * n_nodes + k]);
        if (owner[node] != nothing)
          check(owner[node], constraint, point_text(mesh, node));
        owner[node] = constraint;
      }
    };
    for (std::size_t f = 0; f < mesh.n_facets(); ++f)
      mark(mesh.facets, f, n, of_boundary[mesh.facet_groups[f]]);
    for (std::size_t e = 0; e < mesh.n_elements(); ++e)
      mark(mesh.elements, e, n + 1, of_region[mesh.regions[e]]);
  }

private:
  static std::size_t index(int constraint) { return static_cast<std::size_t>(constraint); }

  /// Number of the constraint on each group, or `nothing`.
  std::vector<int> constraint_of(std::size_t n_groups, bool is_region) const {
    std::vector<int> numbers(n_groups, nothing);
    for (std::size_t c = 0; c < binding_.constraints.size(); ++c)
      if (binding_.constraints[c].is_region == is_region && !binding_.constraints[c].is_axis)
        numbers[binding_.constraints[c].group] = static_cast<int>(c);
    return numbers;
  }

  static std::string point_text(const io::ImportedMesh& mesh, std::size_t node) {
    std::ostringstream text;
    const auto n = static_cast<std::size_t>(mesh.dimension);
    for (std::size_t d = 0; d < n; ++d)
      text << (d == 0 ? " at (" : ", ") << mesh.coordinates[node * n + d];
    text << ") m";
    return text.str();
  }

  const ProblemBinding& binding_;
  std::string noun_;
  std::vector<bool> is_member_;
};

} // namespace

void check_touching_conductors(const io::Case& input, const io::ImportedMesh& imported, const ProblemBinding& binding) {
  if (!wants(input, io::Quantity::capacitance_matrix))
    return;
  const TouchCheck check(input, binding);
  if (input.mesh.source == io::MeshSource::box)
    check.check_box(box_groups(input.mesh));
  else
    check.check_mesh(imported);
}

} // namespace tessera::driver
