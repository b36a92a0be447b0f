// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_EQUIVALENCE_MESHES_HPP
#define TESSERA_TESTS_EQUIVALENCE_MESHES_HPP

/// \file
/// Meshes with the groups of setups.hpp and random numbering.

#include "setups.hpp"
#include "support/random_mesh.hpp"

#include <cmath>

namespace tessera::test {

/// Region of a cell of the box: two bodies inside, one layer of cells between them, so that the elements of that layer
/// touch both.
template <int Dim> group_t region_of_cell(const std::array<index_t, Dim>& cells, const std::array<index_t, Dim>& cell) {
  for (int d = 1; d < Dim; ++d)
    if (cell[d] == 0 || cell[d] == cells[d] - 1)
      return domain;
  const index_t middle = cells[0] / 2;
  if (cell[0] == middle - 1 || cell[0] == middle - 2)
    return first_body;
  return cell[0] == middle + 1 ? second_body : domain;
}

/// A box with moved nodes and random numbering, with two bodies inside; it needs at least 7 cells in its first
/// direction.
template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
box_with_bodies(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, unsigned seed) {
  auto mesh = random_box<Dim>(exec, cells, seed);
  const auto number_in_box = to_host(exec, mesh.original_element);
  std::vector<group_t> regions(mesh.n_elements());
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    index_t rest = number_in_box(e) / (Dim == 2 ? 2 : 6);
    std::array<index_t, Dim> cell;
    for (int d = 0; d < Dim; ++d) {
      cell[d] = rest % cells[d];
      rest /= cells[d];
    }
    regions[e] = region_of_cell<Dim>(cells, cell);
  }
  mesh.regions = array_of(exec, regions);
  mesh.region_names = {"domain", "first", "second"};
  return mesh;
}

namespace detail {
template <int N, class T, class ExecutionSpace>
Array<T* [N], ExecutionSpace> table_of(const ExecutionSpace& exec, const std::vector<std::array<T, N>>& rows) {
  auto table = make_array<Array<T* [N], ExecutionSpace>>(exec, "test::table", rows.size());
  const Kokkos::View<const T* [N], Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      host(rows.data()->data(), rows.size());
  Kokkos::deep_copy(exec, table, host);
  exec.fence();
  return table;
}
} // namespace detail

/// `n` triangles around one node, or tetrahedra around one edge: the rows in the middle have entries from every
/// element. The outer facets of the first 3 n / 20 elements make the left, right and bottom sides, the others the top.
template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space> fan(const ExecutionSpace& exec, index_t n, unsigned seed) {
  static_assert(Dim == 2 || Dim == 3, "triangles or tetrahedra");
  constexpr index_t n_hubs = Dim - 1;
  std::mt19937 random(seed);
  std::vector<std::array<double, Dim>> coordinates;
  for (index_t h = 0; h < n_hubs; ++h) {
    std::array<double, Dim> hub{2., 0.3};
    hub[Dim - 1] += Dim == 3 ? 0.6 * h : 0.;
    coordinates.push_back(hub);
  }
  const double pi = 3.14159265358979323846;
  for (index_t i = 0; i < n; ++i) {
    const double radius = 1. + 0.1 * static_cast<double>(random()) / 4294967296.;
    std::array<double, Dim> rim{2. + radius * std::cos(2. * pi * i / n), 0.3 + radius * std::sin(2. * pi * i / n)};
    if (Dim == 3)
      rim[Dim - 1] = 0.3;
    coordinates.push_back(rim);
  }
  std::vector<std::array<index_t, Dim + 1>> elements;
  std::vector<std::array<index_t, Dim>> facets;
  std::vector<group_t> regions;
  std::vector<group_t> groups;
  for (index_t i = 0; i < n; ++i) {
    const index_t a = n_hubs + i;
    const index_t b = n_hubs + (i + 1) % n;
    std::array<index_t, Dim + 1> element;
    // Positive in 2D: hub, a, b anticlockwise; in 3D the second hub lies above that triangle.
    element[0] = 0;
    element[1] = a;
    element[2] = b;
    if (Dim == 3)
      element[Dim] = 1;
    elements.push_back(element);
    const index_t part = 20 * i / n;
    const group_t group = part == 0 ? left : (part == 1 ? right : (part == 2 ? bottom : top));
    for (index_t h = 0; h < n_hubs; ++h) {
      std::array<index_t, Dim> facet;
      facet[0] = a;
      facet[1] = b;
      if (Dim == 3)
        facet[Dim - 1] = h;
      facets.push_back(facet);
      groups.push_back(group);
    }
    regions.push_back(part == 9 ? first_body : (part == 11 ? second_body : domain));
  }
  mesh::Mesh<Dim, typename ExecutionSpace::memory_space> mesh;
  mesh.coordinates = detail::table_of<Dim>(exec, coordinates);
  mesh.elements = detail::table_of<Dim + 1>(exec, elements);
  mesh.facets = detail::table_of<Dim>(exec, facets);
  mesh.regions = array_of(exec, regions);
  mesh.facet_groups = array_of(exec, groups);
  mesh.region_names = {"domain", "first", "second"};
  mesh.boundary_names = {"left", "right", "bottom", "top"};
  if (Dim == 3)
    mesh.boundary_names.insert(mesh.boundary_names.end(), {"back", "front"});
  return mesh::permute_mesh(exec, mesh, array_of(exec, random_permutation(mesh.n_nodes(), seed + 1)),
                            array_of(exec, random_permutation(mesh.n_elements(), seed + 2)));
}

} // namespace tessera::test

#endif
