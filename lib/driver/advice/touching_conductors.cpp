// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/place_text.hpp"
#include "driver/advice/checks.hpp"
#include "driver/mesh/box_groups.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "driver/problem/binding/problem_binding.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

constexpr int nothing = -1;

class TouchCheck {
public:
  /// Adds a note on each pair with a floating conductor.
  TouchCheck(const io::Case& input, const ProblemBinding& binding, Notes& notes)
      : binding_(binding), traits_(io::traits_of(input.problem)), notes_(notes) {
    std::vector<std::string> members;
    if (wants(input, io::Quantity::capacitance_matrix))
      members = io::matrix_conductors(input.problem, input.output);
    for (const Conductor& conductor : binding.conductors)
      is_member_.push_back(find_name(members, conductor.name) >= 0);
  }

  /// Throws if the two constraints must not meet, and notes if one of them floats.
  void check(int first, int second, const std::string& place) {
    if (first == second)
      return;
    if (!is_member_[index(first)] && !is_member_[index(second)])
      return note(std::min(first, second), std::max(first, second), place);
    const Conductor& one = binding_.conductors[index(first)];
    const Conductor& other = binding_.conductors[index(second)];
    TESSERA_REQUIRE(false, one.where.text() << ": the conductors '" << one.name << "' and '" << other.name << "' ("
                                            << other.where.text() << ") touch" << place << ": between them there is no "
                                            << traits_.matrix.noun
                                            << ". Leave a gap between their "
                                               "groups in the mesh, or make them one group.");
  }

  /// The boundaries of a box meet unless they are opposite, and all meet the region.
  void check_box(const io::JoinedGroups& groups) {
    const auto axes = [&](std::size_t c) { // normal to the sides of a constraint
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

  void check_mesh(const io::ImportedMesh& mesh) {
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
  bool floats(int constraint) const { return binding_.constraints[index(constraint)].is_tied; }

  void note(int first, int second, const std::string& place) {
    if (!(floats(first) || floats(second)) || !noted_.emplace(first, second).second)
      return;
    const Conductor& one = binding_.conductors[index(floats(first) ? first : second)];
    const Conductor& other = binding_.conductors[index(floats(first) ? second : first)];
    std::ostringstream text;
    text << one.where.text() << ": '" << one.name << "' has an unknown " << traits_.solution.name << " and touches '"
         << other.name << "' (" << other.where.text() << ")" << place
         << ". What flows from one to the other there has no bound, so that this " << traits_.solution.name;
    if (std::string(traits_.total.name).empty()) // at frequencies
      text << " depends";
    else
      text << " and the " << traits_.total.name << " of '" << other.name << "' depend";
    text << " on the mesh. If they are joined, make them one group; else leave a gap.";
    notes_.push_back(text.str());
  }

  /// Index of the constraint on each group, or `nothing`.
  std::vector<int> constraint_of(std::size_t n_groups, bool is_region) const {
    std::vector<int> numbers(n_groups, nothing);
    for (std::size_t c = 0; c < binding_.constraints.size(); ++c)
      if (binding_.constraints[c].is_region == is_region && !binding_.constraints[c].is_axis)
        numbers[binding_.constraints[c].group] = static_cast<int>(c);
    return numbers;
  }

  static std::string point_text(const io::ImportedMesh& mesh, std::size_t node) {
    return " at " + place_text(&mesh.coordinates[node * static_cast<std::size_t>(mesh.dimension)], mesh.dimension) +
           " m";
  }

  const ProblemBinding& binding_;
  const io::PhysicsTraits& traits_;
  std::set<std::pair<int, int>> noted_;
  Notes& notes_;
  std::vector<bool> is_member_;
};

} // namespace

void check_touching_conductors(const Facts& facts, Notes& notes) {
  const io::Case& input = facts.input;
  const ProblemBinding& binding = *facts.binding;
  const bool any_floats = std::any_of(binding.constraints.begin(), binding.constraints.end(),
                                      [](const fe::Constraint& constraint) { return constraint.is_tied; });
  if (!any_floats && !wants(input, io::Quantity::capacitance_matrix))
    return;
  TouchCheck check(input, binding, notes);
  if (input.mesh.source == io::MeshSource::box)
    check.check_box(box_groups(input.mesh));
  else
    check.check_mesh(*facts.mesh);
}

} // namespace tessera::driver
