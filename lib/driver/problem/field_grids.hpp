// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_FIELD_GRIDS_HPP
#define TESSERA_DRIVER_PROBLEM_FIELD_GRIDS_HPP

/// \file
/// Input of files of fields: meshes on the host, possibly pieces of processes.

#include "fe/lagrange.hpp"
#include "io/output/field_file.hpp"
#include "mesh/simplex.hpp"

#include <algorithm>
#include <vector>

namespace tessera::driver::detail {

/// Grid of host arrays, which must outlive it, in their numbering.
template <int Dim, int Order, class Elements, class Coordinates, class Numbers>
io::FieldGrid grid_of(const Elements& elements, const Coordinates& coordinates, const Numbers& original_element) {
  io::FieldGrid grid;
  grid.dimension = Dim;
  grid.order = Order;
  grid.n_nodes = static_cast<index_t>(coordinates.extent(0));
  grid.n_vertices = grid.n_nodes;
  grid.n_elements = static_cast<index_t>(elements.size() / fe::Lagrange<Dim, Order>::n_nodes);
  grid.coordinates = coordinates.data();
  grid.element_nodes = elements.data();
  grid.original_element = original_element.extent(0) > 0 ? original_element.data() : nullptr;
  return grid;
}

/// Indices of the `n_nodes` nodes of a part that are the same in all processes (io::node_numbers): for vertices those
/// in the user's mesh, for mid-edge nodes a combination of those of the edge's ends. From host arrays.
template <int Dim, int Order, class Elements, class Numbers>
std::vector<std::int64_t> numbers_in_all_parts(const Elements& elements, const Numbers& number, index_t n_nodes) {
  using Simplex = mesh::Simplex<Dim>;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n_nodes), 0);
  for (std::size_t e = 0; e < elements.extent(0); ++e)
    for (int a = 0; a < fe::Lagrange<Dim, Order>::n_nodes; ++a) {
      std::int64_t& owned = numbers[static_cast<std::size_t>(elements(e, a))];
      if (a <= Dim) {
        owned = number(elements(e, a));
        continue;
      }
      const std::int64_t one = number(elements(e, Simplex::edge_begin(a - Dim - 1)));
      const std::int64_t other = number(elements(e, Simplex::edge_end(a - Dim - 1)));
      owned = (std::min(one, other) + 1) << 31 | std::max(one, other);
    }
  return numbers;
}

/// Sets the piece of a part; the arrays must outlive the grid.
template <class Elements>
void set_piece(const Elements& owned, const std::vector<std::int64_t>& numbers, io::FieldGrid& grid) {
  grid.owned_elements = owned.data();
  grid.n_owned_elements = static_cast<index_t>(owned.extent(0));
  grid.node_numbers = numbers.data();
}

} // namespace tessera::driver::detail

#endif
