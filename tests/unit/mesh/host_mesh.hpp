// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_MESH_HOST_MESH_HPP
#define TESSERA_TESTS_UNIT_MESH_HOST_MESH_HPP

/// \file
/// A mesh on the host, for plain loops.

#include "mesh/mesh.hpp"
#include "mesh/simplex.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace tessera::test {

template <int Dim> using HostMesh = mesh::Mesh<Dim, HostMemory>;

template <class ExecutionSpace, int Dim>
HostMesh<Dim> on_host(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  return mesh::copy_mesh<HostMemory>(exec, mesh);
}

template <int Dim> double measure(const HostMesh<Dim>& mesh, index_t element) {
  double p[Dim + 1][Dim];
  for (int a = 0; a <= Dim; ++a)
    for (int d = 0; d < Dim; ++d)
      p[a][d] = mesh.coordinates(mesh.elements(element, a), d);
  return mesh::signed_measure(p);
}

template <int Dim> double smallest_measure(const HostMesh<Dim>& mesh) {
  double smallest = measure(mesh, 0);
  for (index_t e = 1; e < mesh.n_elements(); ++e)
    smallest = std::min(smallest, measure(mesh, e));
  return smallest;
}

template <int Dim> double total_measure(const HostMesh<Dim>& mesh) {
  double total = 0.;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    total += measure(mesh, e);
  return total;
}

/// Sorted nodes of an element or facet.
template <class Table, std::size_t Size> std::array<index_t, Size> sorted_nodes(const Table& table, index_t i) {
  std::array<index_t, Size> nodes;
  for (std::size_t a = 0; a < Size; ++a)
    nodes[a] = table(i, a);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

} // namespace tessera::test

#endif
