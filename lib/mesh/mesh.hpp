// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_MESH_HPP
#define TESSERA_MESH_MESH_HPP

/// \file
/// Simplicial mesh in a memory space.

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "mesh/curved_facets.hpp"

#include <string>
#include <vector>

namespace tessera::mesh {

/// Triangles (Dim = 2) or tetrahedra (Dim = 3) with straight edges, whose nodes lie on curved boundaries. Every array
/// is row-major; elements are positively oriented (positive signed measure). Indices are 0-based.
template <int Dim, class MemorySpace> struct Mesh {
  static_assert(Dim == 2 || Dim == 3, "triangles or tetrahedra");
  using memory_space = MemorySpace;
  static constexpr int dimension = Dim;
  static constexpr int nodes_per_element = Dim + 1;
  static constexpr int nodes_per_facet = Dim;

  /// Coordinates in metres, [n_nodes][Dim]. In axisymmetric problems x is the radius and y the axis.
  Array<double* [Dim], memory_space> coordinates;
  /// Nodes of each element, [n_elements][Dim + 1].
  Array<index_t * [Dim + 1], memory_space> elements;
  /// Region (physical group of dimension Dim) of each element, [n_elements]; an index into region_names.
  Array<group_t*, memory_space> regions;
  /// Nodes of each boundary or interface facet that lies in a physical group, [n_facets][Dim]. A facet in two groups is
  /// listed twice. Any orientation.
  Array<index_t* [Dim], memory_space> facets;
  /// Group of each facet, [n_facets]; an index into boundary_names.
  Array<group_t*, memory_space> facet_groups;

  /// Original number of each node and element ([n_nodes], [n_elements], 0-based position in the input), used to write
  /// results in the user's numbering; empty if the numbering is that of the input.
  Array<index_t*, memory_space> original_node;
  Array<index_t*, memory_space> original_element;

  /// Parents in nested meshes, from this mesh to the coarsest: the parents of each node in the next coarser mesh,
  /// [n_nodes][2]: twice the same node if that mesh has it, else the ends of the edge of which it is the midpoint.
  /// Empty without coarser meshes.
  std::vector<Array<index_t* [2], memory_space>> node_parents;

  /// The shape of curved boundaries and interfaces, if known: refinement and nodes of order 2 follow it.
  CurvedFacets<Dim, memory_space> curved;

  std::vector<std::string> region_names;
  std::vector<std::string> boundary_names;

  index_t n_nodes() const { return static_cast<index_t>(coordinates.extent(0)); }
  index_t n_elements() const { return static_cast<index_t>(elements.extent(0)); }
  index_t n_facets() const { return static_cast<index_t>(facets.extent(0)); }
};

namespace detail {
template <class ExecutionSpace, class To, class From> To copy_array(const ExecutionSpace& exec, const From& from) {
  const To to = allocate_array<To>(exec, "tessera::mesh::copy", from.layout());
  copy(exec, to, from);
  return to;
}
} // namespace detail

/// Copy of a mesh in the memory space `ToSpace`; transfers run on `exec`, which must have access to both, and are
/// complete on return.
template <class ToSpace, class ExecutionSpace, int Dim, class FromSpace>
Mesh<Dim, ToSpace> copy_mesh(const ExecutionSpace& exec, const Mesh<Dim, FromSpace>& from) {
  Mesh<Dim, ToSpace> to;
  to.coordinates = detail::copy_array<ExecutionSpace, decltype(to.coordinates)>(exec, from.coordinates);
  to.elements = detail::copy_array<ExecutionSpace, decltype(to.elements)>(exec, from.elements);
  to.regions = detail::copy_array<ExecutionSpace, decltype(to.regions)>(exec, from.regions);
  to.facets = detail::copy_array<ExecutionSpace, decltype(to.facets)>(exec, from.facets);
  to.facet_groups = detail::copy_array<ExecutionSpace, decltype(to.facet_groups)>(exec, from.facet_groups);
  to.original_node = detail::copy_array<ExecutionSpace, decltype(to.original_node)>(exec, from.original_node);
  to.original_element = detail::copy_array<ExecutionSpace, decltype(to.original_element)>(exec, from.original_element);
  for (const auto& parents : from.node_parents)
    to.node_parents.push_back(detail::copy_array<ExecutionSpace, Array<index_t* [2], ToSpace>>(exec, parents));
  to.curved.degree = from.curved.degree;
  to.curved.points = detail::copy_array<ExecutionSpace, decltype(to.curved.points)>(exec, from.curved.points);
  to.curved.nodes = detail::copy_array<ExecutionSpace, decltype(to.curved.nodes)>(exec, from.curved.nodes);
  to.curved.patch = detail::copy_array<ExecutionSpace, decltype(to.curved.patch)>(exec, from.curved.patch);
  to.curved.position = detail::copy_array<ExecutionSpace, decltype(to.curved.position)>(exec, from.curved.position);
  to.region_names = from.region_names;
  to.boundary_names = from.boundary_names;
  exec.fence();
  return to;
}

} // namespace tessera::mesh

#endif
