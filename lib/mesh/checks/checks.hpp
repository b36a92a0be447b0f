// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CHECKS_CHECKS_HPP
#define TESSERA_MESH_CHECKS_CHECKS_HPP

/// \file
/// Checks meshes for defects on the device (hanging nodes: mesh/checks/hanging_nodes.hpp).

#include "mesh/surface.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::mesh {

/// Nodes, elements or facets that fail a check.
struct Finding {
  index_t count = 0;
  /// The first ten, ascending: original indices of nodes and elements, positions of facets.
  std::vector<index_t> first;
  /// For crowded and folded facets and overlapped nodes, the same as text: "elements 3, 17 at (0.5, 1)".
  std::vector<std::string> places;
  bool any() const { return count > 0; }
};

/// All findings of check_mesh().
struct MeshReport {
  Finding elements_out_of_range; ///< a node number outside [0, n_nodes)
  Finding facets_out_of_range;
  Finding non_finite_nodes;    ///< a coordinate that is infinite or NaN
  Finding inverted_elements;   ///< negative measure
  Finding degenerate_elements; ///< |measure| < 1e-12 longest edge^Dim
  Finding duplicate_elements;  ///< with the nodes of an element with a smaller index
  Finding stray_facets;        ///< not a face of any element
  // The following are only checked if none of the above was found.
  Finding crowded_facets;   ///< facets of three or more elements; `first` are their elements with the smallest index
  Finding folded_facets;    ///< facets with both elements on the same side; likewise
  Finding overlapped_nodes; ///< around which elements overlap without a folded facet
  Finding orphan_nodes;     ///< in no element
  Finding coincident_nodes; ///< with the coordinates, up to rounding, of a node with a smaller index

  /// Any finding except orphan and coincident nodes, which do not prevent a solution (slits have coincident nodes).
  bool has_errors() const;
  /// One sentence for each kind of error, or for each kind of warning; empty if there is none.
  std::string errors() const;
  std::string warnings() const;
};

/// Checks a mesh. If a node index is out of range, checks that would use it are skipped. `marks`, if given, receives
/// the facets that bound the mesh or a region; it stays empty if there are errors.
template <class ExecutionSpace, int Dim>
MeshReport check_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      FacetMarks<typename ExecutionSpace::memory_space>* marks = nullptr);

/// Elements without positive measure: their number, and the centroid of the first.
template <int Dim> struct InvertedElements {
  index_t count = 0;
  std::array<double, Dim> place{};
};
/// Finds them.
template <class ExecutionSpace, int Dim>
InvertedElements<Dim> find_inverted(const ExecutionSpace& exec,
                                    const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Drops nodes that are in no element; the others keep their order and their original numbers. Facets must not contain
/// such nodes (MeshReport::stray_facets). Returns the mesh itself if there are none.
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
drop_orphan_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::mesh

#endif
