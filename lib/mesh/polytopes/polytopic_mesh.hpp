// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_POLYTOPES_POLYTOPIC_MESH_HPP
#define TESSERA_MESH_POLYTOPES_POLYTOPIC_MESH_HPP

/// \file
/// Meshes of polygons or polyhedra, each a union of simplices of a mesh (Dong, Georgoulis, Kappas, GPU-accelerated
/// discontinuous Galerkin methods on polytopic meshes, section 2.2).

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Faces of a polytopic mesh: the facets of simplices between two elements or on the boundary. All faces shared by two
/// elements form their interface. A boundary facet is listed once, with its group.
template <int Dim, class MemorySpace> struct Faces {
  static constexpr group_t no_group = 0xffff;

  /// Nodes of each face, [n_faces][Dim]: interior faces first, sorted by interface, then boundary faces, sorted by
  /// element; by simplex and local facet within. Nodes are ordered so that the normal, (t_y, -t_x) of the edge t in 2D
  /// and (n1 - n0) x (n2 - n0) in 3D, points out of the first element.
  Array<index_t* [Dim], MemorySpace> nodes;
  /// Simplex on each side, [n_faces][2]: of the first element, then of the second, -1 on the boundary.
  Array<index_t* [2], MemorySpace> simplices;
  /// Group of each boundary face, [n_faces - n_interior]; no_group if it has none.
  Array<group_t*, MemorySpace> groups;
  index_t n_interior = 0;

  /// The elements of each interface, first < second, [n_interfaces][2], sorted by (first, second).
  Array<index_t* [2], MemorySpace> interface_elements;
  /// Interior faces of interface i: [interface_faces(i), interface_faces(i + 1)), [n_interfaces + 1].
  Array<index_t*, MemorySpace> interface_faces;
  /// Interfaces of element e, by ascending number of the neighbour: entries [neighbour_offsets(e), (e + 1)) of
  /// `neighbour_interfaces`; [n_elements + 1] and [2 n_interfaces].
  Array<index_t*, MemorySpace> neighbour_offsets;
  Array<index_t*, MemorySpace> neighbour_interfaces;
  /// Boundary faces of element e: n_interior + [boundary_offsets(e), boundary_offsets(e + 1)), [n_elements + 1].
  Array<index_t*, MemorySpace> boundary_offsets;

  index_t n_faces() const { return static_cast<index_t>(nodes.extent(0)); }
  index_t n_interfaces() const { return static_cast<index_t>(interface_elements.extent(0)); }
};

/// Polygons (Dim = 2) or polyhedra (Dim = 3). Every element is connected through facets of its simplices, is in one
/// region, and may have holes. Elements are numbered by their first simplex, in the order of the mesh or, in a
/// process's part of one, of their owner.
template <int Dim, class MemorySpace> struct PolytopicMesh {
  using memory_space = MemorySpace;
  static constexpr int dimension = Dim;

  Mesh<Dim, MemorySpace> simplices; ///< also contain the names of regions and boundaries
  /// Element of each simplex, [n_simplices].
  Array<index_t*, MemorySpace> element_of;
  /// Simplices of element e, ascending: entries [simplex_offsets(e), simplex_offsets(e + 1)) of `element_simplices`;
  /// [n_elements + 1] and [n_simplices].
  Array<index_t*, MemorySpace> simplex_offsets;
  Array<index_t*, MemorySpace> element_simplices;
  Array<group_t*, MemorySpace> regions;       ///< [n_elements]
  Array<double* [2][Dim], MemorySpace> boxes; ///< bounding box of each element, [n_elements][lower, upper][Dim], metres
  Faces<Dim, MemorySpace> faces;

  index_t n_elements() const { return static_cast<index_t>(regions.extent(0)); }
};

} // namespace tessera::mesh

#endif
