// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_GRID_INDICES_HPP
#define TESSERA_MESH_PARTS_GRID_INDICES_HPP

/// \file
/// Nodes and cells of a structured box, by their indices along the axes.

#include "core/parallel.hpp"
#include "mesh/morton_curve.hpp"

#include <cstdint>

namespace tessera::mesh {

/// Indices along the axes: of a node, or of a cell, which has those of its lowest corner.
template <int Dim> struct GridIndex { index_t i[Dim]; };

/// Half-open ranges of indices along each axis.
template <int Dim> struct BoxBlock {
  index_t lower[Dim];
  index_t end[Dim];

  KOKKOS_FUNCTION bool has(const GridIndex<Dim>& p) const {
    bool is_inside = true;
    for (int d = 0; d < Dim; ++d)
      is_inside = is_inside && p.i[d] >= lower[d] && p.i[d] < end[d];
    return is_inside;
  }
};

/// A block that is listed row by row, the first axis fastest, with the position of its first place in the list.
template <int Dim> struct BoxSlab {
  BoxBlock<Dim> block;
  index_t first;
};

/// A list of places: those of consecutive slabs.
template <int Dim, class Space> struct GridIndices {
  Array<const BoxSlab<Dim>*, Space> slabs; // none is empty

  KOKKOS_FUNCTION GridIndex<Dim> operator()(index_t number) const {
    index_t slab = 0;
    auto end = static_cast<index_t>(slabs.extent(0));
    while (end - slab > 1) {
      const index_t middle = slab + (end - slab) / 2;
      if (slabs(middle).first > number)
        end = middle;
      else
        slab = middle;
    }
    const BoxSlab<Dim>& found = slabs(slab);
    index_t rest = number - found.first;
    GridIndex<Dim> p;
    for (int d = 0; d < Dim - 1; ++d) {
      const index_t width = found.block.end[d] - found.block.lower[d];
      p.i[d] = found.block.lower[d] + rest % width;
      rest /= width;
    }
    p.i[Dim - 1] = found.block.lower[Dim - 1] + rest;
    return p;
  }
};

/// Nodes and cells of the box by their indices. They are numbered row by row, x fastest; index_t must be able to count
/// the nodes.
template <int Dim, class Space> struct BoxGrid {
  index_t cells[Dim];
  Array<const double*, Space> planes[Dim];      // coordinates, [cells + 1]
  Array<const std::uint64_t*, Space> code[Dim]; // contribution of an index to the node's position on the curve
  MortonCurve<Dim> curve;

  KOKKOS_FUNCTION GridIndex<Dim> node(index_t number) const {
    GridIndex<Dim> p;
    for (int d = 0; d < Dim; ++d) {
      p.i[d] = number % (cells[d] + 1);
      number /= cells[d] + 1;
    }
    return p;
  }
  KOKKOS_FUNCTION index_t number(const GridIndex<Dim>& p) const {
    index_t number = 0;
    for (int d = Dim - 1; d >= 0; --d)
      number = number * (cells[d] + 1) + p.i[d];
    return number;
  }
  KOKKOS_FUNCTION GridIndex<Dim> cell(index_t number) const {
    GridIndex<Dim> p;
    for (int d = 0; d < Dim; ++d) {
      p.i[d] = number % cells[d];
      number /= cells[d];
    }
    return p;
  }
  KOKKOS_FUNCTION index_t cell_number(const GridIndex<Dim>& p) const {
    index_t number = 0;
    for (int d = Dim - 1; d >= 0; --d)
      number = number * cells[d] + p.i[d];
    return number;
  }
  KOKKOS_FUNCTION static GridIndex<Dim> corner(GridIndex<Dim> p, int mask) {
    for (int d = 0; d < Dim; ++d)
      p.i[d] += mask >> d & 1;
    return p;
  }
  KOKKOS_FUNCTION std::uint64_t key(const GridIndex<Dim>& p) const {
    std::uint64_t key = 0;
    for (int d = 0; d < Dim; ++d)
      key |= code[d](p.i[d]);
    return key;
  }
};

} // namespace tessera::mesh

#endif
