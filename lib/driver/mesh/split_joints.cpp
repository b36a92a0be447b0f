// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/split_joints.hpp"

#include "core/error.hpp"
#include "driver/mesh/sorted_vertices.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace tessera::driver {

namespace {

class Splitter {
public:
  Splitter(const io::ImportedMesh& mesh, const std::vector<group_t>& groups)
      : mesh_(mesh), result_(mesh), n_(static_cast<std::size_t>(mesh.dimension)), is_at_joint_(mesh.n_nodes(), false) {
    std::vector<bool> is_joint(mesh.boundary_names.size(), false);
    for (const group_t group : groups)
      is_joint[group] = true;
    for (std::size_t f = 0; f < mesh.n_facets(); ++f)
      if (is_joint[mesh.facet_groups[f]])
        cuts_[sorted_vertices(mesh.facets, f * n_, n_, n_)] = {};
    for (const auto& [vertices, sides] : cuts_)
      for (std::size_t a = 0; a < n_; ++a)
        is_at_joint_[static_cast<std::size_t>(vertices[3 - n_ + a])] = true;
  }

  io::ImportedMesh split() {
    find_elements();
    join_elements();
    number_nodes();
    result_.facets.clear();
    result_.facet_groups.clear();
    for (std::size_t f = 0; f < mesh_.n_facets(); ++f)
      for_each_side(mesh_.facets, f * n_, [&](const std::vector<index_t>& nodes) {
        result_.facets.insert(result_.facets.end(), nodes.begin(), nodes.end());
        result_.facet_groups.push_back(mesh_.facet_groups[f]);
      });
    const std::size_t n_values = mesh_.n_curved_points() * n_;
    result_.curved_facets.clear();
    result_.curved_points.clear();
    for (std::size_t c = 0; c < mesh_.n_curved(); ++c)
      for_each_side(mesh_.curved_facets, c * n_, [&](const std::vector<index_t>& nodes) {
        result_.curved_facets.insert(result_.curved_facets.end(), nodes.begin(), nodes.end());
        const auto first = mesh_.curved_points.begin() + static_cast<std::ptrdiff_t>(c * n_values);
        result_.curved_points.insert(result_.curved_points.end(), first, first + static_cast<std::ptrdiff_t>(n_values));
      });
    return std::move(result_);
  }

private:
  /// Lists the elements at nodes of joints, and gives each of their corners there a number.
  void find_elements() {
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e)
      for (std::size_t a = 0; a <= n_; ++a)
        if (is_at_joint_[static_cast<std::size_t>(mesh_.elements[e * (n_ + 1) + a])]) {
          first_corner_[e] = corners_.size();
          for (std::size_t b = 0; b <= n_; ++b)
            corners_.push_back(corners_.size());
          break;
        }
  }

  std::size_t root(std::size_t corner) {
    while (corners_[corner] != corner)
      corner = corners_[corner] = corners_[corners_[corner]];
    return corner;
  }

  /// Joins the corners of neighbours at their common nodes, but not across joints.
  void join_elements() {
    std::map<SortedVertices, std::pair<std::size_t, std::size_t>> facets; // of one element: first corner, apex
    for (const auto& [e, first] : first_corner_)
      for (std::size_t apex = 0; apex <= n_; ++apex) {
        const SortedVertices vertices = sorted_vertices(mesh_.elements, e * (n_ + 1), n_ + 1, apex);
        if (const auto cut = cuts_.find(vertices); cut != cuts_.end()) {
          cut->second.push_back(e);
          continue;
        }
        const auto [found, is_new] = facets.insert({vertices, {e, first}});
        if (is_new)
          continue;
        const auto [other, other_first] = found->second;
        for (std::size_t a = 0; a <= n_; ++a)
          for (std::size_t b = 0; b <= n_; ++b)
            if (a != apex && mesh_.elements[e * (n_ + 1) + a] == mesh_.elements[other * (n_ + 1) + b]) {
              const std::size_t x = root(first + a);
              const std::size_t y = root(other_first + b);
              corners_[std::max(x, y)] = std::min(x, y); // the root is the corner of the first element
            }
        facets.erase(found); // a facet has two elements
      }
  }

  void number_nodes() {
    std::map<std::size_t, index_t> node_of_root;
    std::vector<bool> is_taken(mesh_.n_nodes(), false);
    for (const auto& [e, first] : first_corner_)
      for (std::size_t a = 0; a <= n_; ++a) {
        const index_t node = mesh_.elements[e * (n_ + 1) + a];
        const auto n = static_cast<std::size_t>(node);
        if (!is_at_joint_[n])
          continue;
        const auto [found, is_new] = node_of_root.insert({root(first + a), node});
        if (is_new && is_taken[n]) {
          found->second = checked_index(static_cast<std::int64_t>(result_.n_nodes()), "nodes with those of joints");
          for (std::size_t d = 0; d < n_; ++d)
            result_.coordinates.push_back(mesh_.coordinates[n * n_ + d]);
          if (!mesh_.original_node.empty())
            result_.original_node.push_back(found->second);
        }
        is_taken[n] = true;
        result_.elements[e * (n_ + 1) + a] = found->second;
      }
  }

  /// Calls `visit` with the new nodes of a facet: once, or for both sides of a joint.
  template <class Visit> void for_each_side(const std::vector<index_t>& nodes, std::size_t first, const Visit& visit) {
    std::vector<index_t> on_side(nodes.begin() + static_cast<std::ptrdiff_t>(first),
                                 nodes.begin() + static_cast<std::ptrdiff_t>(first + n_));
    const bool touches = std::any_of(on_side.begin(), on_side.end(),
                                     [&](index_t node) { return is_at_joint_[static_cast<std::size_t>(node)]; });
    if (!touches)
      return visit(on_side);
    const SortedVertices vertices = sorted_vertices(nodes, first, n_, n_);
    std::vector<std::size_t> elements;
    if (const auto cut = cuts_.find(vertices); cut != cuts_.end())
      elements = cut->second;
    else if (const auto inner = neighbour(vertices); inner < mesh_.n_elements())
      elements = {inner};
    if (elements.empty())
      return visit(on_side); // of no element
    std::vector<index_t> earlier;
    for (const std::size_t e : elements) {
      for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t a = 0; a <= n_; ++a)
          if (mesh_.elements[e * (n_ + 1) + a] == nodes[first + k])
            on_side[k] = result_.elements[e * (n_ + 1) + a];
      if (on_side != earlier) // at an end of a joint both sides may have the same nodes
        visit(on_side);
      earlier = on_side;
    }
  }

  /// An element with a facet that is no joint; both of them have the same nodes.
  std::size_t neighbour(const SortedVertices& vertices) {
    if (of_facet_.empty())
      for (const auto& [e, first] : first_corner_)
        for (std::size_t apex = 0; apex <= n_; ++apex)
          of_facet_.insert({sorted_vertices(mesh_.elements, e * (n_ + 1), n_ + 1, apex), e});
    const auto found = of_facet_.find(vertices);
    return found == of_facet_.end() ? mesh_.n_elements() : found->second;
  }

  const io::ImportedMesh& mesh_;
  io::ImportedMesh result_;
  std::size_t n_;
  std::vector<bool> is_at_joint_;                           // of nodes
  std::map<SortedVertices, std::vector<std::size_t>> cuts_; // facets of joints and their elements
  std::map<std::size_t, std::size_t> first_corner_;         // of elements at nodes of joints
  std::vector<std::size_t> corners_;                        // a forest: corners with the same node have the same root
  std::map<SortedVertices, std::size_t> of_facet_;
};

} // namespace

io::ImportedMesh split_joints(const io::ImportedMesh& mesh, const std::vector<group_t>& groups) {
  return Splitter(mesh, groups).split();
}

} // namespace tessera::driver
