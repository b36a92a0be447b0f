// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CHECKS_HPP
#define TESSERA_MESH_CHECKS_HPP

/// \file
/// Checks meshes for defects on the device (hanging nodes: mesh/hanging_nodes.hpp).

#include "mesh/surface.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::mesh {

/// Nodes, elements or facets that fail a check.
struct Finding {
  index_t count = 0;
  /// The first ten, ascending: original numbers of nodes and elements, positions of facets.
  std::vector<index_t> first;
  /// For crowded and folded facets and overlapped nodes, the same in words: "elements 3, 17 at (0.5, 1)".
  std::vector<std::string> places;
  bool any() const { return count > 0; }
};

/// All findings of check_mesh().
struct MeshReport {
  Finding elements_out_of_range; ///< a node number outside [0, n_nodes)
  Finding facets_out_of_range;
  Finding non_finite_nodes;    ///< a coordinate that is infinite or not a number
  Finding inverted_elements;   ///< negative measure
  Finding degenerate_elements; ///< |measure| < 1e-12 longest edge^Dim
  Finding duplicate_elements;  ///< the nodes of an element with a smaller number
  Finding stray_facets;        ///< no face of any element
  // The following are checked only if none of the above was found.
  Finding crowded_facets;   ///< facets of three or more elements; `first` are their lowest elements
  Finding folded_facets;    ///< facets with both elements on the same side; likewise
  Finding overlapped_nodes; ///< around which elements overlap without a folded facet
  Finding orphan_nodes;     ///< in no element
  Finding coincident_nodes; ///< the coordinates of a node with a smaller number, but for rounding

  /// Any finding except orphan and coincident nodes, with which a mesh can be solved (slits have coincident nodes).
  bool has_errors() const;
  /// One sentence for each kind of error, or for each kind of warning; empty if there is none.
  std::string errors() const;
  std::string warnings() const;
};

/// Checks a mesh. If a node number is out of range, checks that would use it are skipped. `marks`, if given, receives
/// which facets bound the mesh or a region; it stays empty when there are errors.
template <class ExecutionSpace, int Dim>
MeshReport check_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      FacetMarks<typename ExecutionSpace::memory_space>* marks = nullptr);

/// Elements without positive measure: how many, and the centroid of the first.
template <int Dim> struct InvertedElements {
  index_t count = 0;
  std::array<double, Dim> place{};
};
/// Finds them.
template <class ExecutionSpace, int Dim>
InvertedElements<Dim> find_inverted(const ExecutionSpace& exec,
                                    const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Drops nodes that are in no element; the others keep their order and their original numbers. Facets must not have
/// such nodes (MeshReport::stray_facets). Returns the mesh itself if there are none.
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
drop_orphan_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::mesh

#endif
