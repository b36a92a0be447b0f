// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_RANDOM_MESH_HPP
#define TESSERA_TESTS_SUPPORT_RANDOM_MESH_HPP

/// \file
/// Boxes with moved nodes and random numbering.

#include "mesh/box.hpp"
#include "mesh/ordering.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::test {

/// An array with these values in the memory of the execution space.
template <class T, class ExecutionSpace>
Array<T*, ExecutionSpace> array_of(const ExecutionSpace& exec, const std::vector<T>& values) {
  auto array = make_array<Array<T*, ExecutionSpace>>(exec, "test::array", values.size());
  Kokkos::deep_copy(
      exec, array,
      Kokkos::View<const T*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          values.data(), values.size()));
  exec.fence();
  return array;
}

inline std::vector<index_t> random_permutation(index_t n, unsigned seed) {
  std::vector<index_t> permutation(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 0);
  // Not std::shuffle, whose result the standard does not specify.
  std::mt19937 random(seed);
  for (std::size_t i = permutation.size(); i > 1; --i)
    std::swap(permutation[i - 1], permutation[random() % i]);
  return permutation;
}

/// The unit box with `cells` cells per direction.
template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space> unit_box(const ExecutionSpace& exec,
                                                                const std::array<index_t, Dim>& cells) {
  std::array<double, Dim> lower;
  std::array<double, Dim> upper;
  lower.fill(0.);
  upper.fill(1.);
  return mesh::make_box<Dim>(exec, cells, lower, upper);
}

/// The same with interior nodes moved by up to 0.15 cells (elements keep positive measure) and random numbering of
/// nodes and elements. original_node and original_element contain the numbers in the box.
template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
random_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, unsigned seed) {
  auto box = unit_box<Dim>(exec, cells);
  const auto coordinates = to_host(exec, box.coordinates);
  std::mt19937 random(seed);
  for (index_t node = 0; node < box.n_nodes(); ++node) {
    bool is_inner = true;
    for (int d = 0; d < Dim; ++d)
      is_inner = is_inner && coordinates(node, d) > 0. && coordinates(node, d) < 1.;
    for (int d = 0; d < Dim; ++d) {
      const double uniform = static_cast<double>(random()) / 4294967296.;
      if (is_inner)
        coordinates(node, d) += 0.15 * (2. * uniform - 1.) / cells[d];
    }
  }
  Kokkos::deep_copy(exec, box.coordinates, coordinates);
  exec.fence();
  return mesh::permute_mesh(exec, box, array_of(exec, random_permutation(box.n_nodes(), seed + 1)),
                            array_of(exec, random_permutation(box.n_elements(), seed + 2)));
}

/// Assigns the elements of a unit box to the regions "left" and "right" by their side of x = 1/2.
template <int Dim, class ExecutionSpace>
void divide_in_halves(const ExecutionSpace& exec, mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& box) {
  box.region_names = {"left", "right"};
  const auto x = to_host(exec, box.coordinates);
  const auto elements = to_host(exec, box.elements);
  const auto regions = to_host(exec, box.regions);
  for (index_t e = 0; e < box.n_elements(); ++e) {
    double sum = 0.;
    for (int a = 0; a <= Dim; ++a)
      sum += x(elements(e, a), 0);
    regions(e) = static_cast<group_t>(sum > 0.5 * (Dim + 1) ? 1 : 0);
  }
  Kokkos::deep_copy(exec, box.regions, regions);
  exec.fence(); // the host array is destroyed
}

/// The nodes of all elements in one flat array.
template <class ExecutionSpace, int Dim>
Array<const index_t*, ExecutionSpace> flat_nodes(const ExecutionSpace&,
                                                 const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  return Array<const index_t*, ExecutionSpace>(mesh.elements.data(), mesh.elements.size());
}

} // namespace tessera::test

#endif
