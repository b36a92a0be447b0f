// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_TRAFFIC_HPP
#define TESSERA_ASSEMBLY_TRAFFIC_HPP

/// \file
/// Minimum traffic of assembly kernels: the bytes of the arrays that they read and write, each counted once.

#include "assembly/element_loop.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::assembly {

/// Connectivity, vertex coordinates, dof map and regions: the data that must be read to evaluate every element once.
/// The vertices of an element are among its nodes, or are derived from them.
template <class Loop> double element_bytes(const Loop& loop) {
  double bytes = loop.n_elements() * (Loop::n_nodes * static_cast<double>(sizeof(index_t)) + sizeof(group_t)) +
                 static_cast<double>(loop.node_dof.extent(0)) * sizeof(index_t);
  if constexpr (Loop::Traits::has_coordinates)
    bytes += static_cast<double>(loop.form.coordinates.size()) * sizeof(double);
  return bytes;
}

template <class Loop> double incidence_bytes(const Loop& loop) {
  return static_cast<double>(loop.n_elements()) * Loop::n_nodes * sizeof(offset_t);
}

template <class Space> double pattern_bytes(const linalg::CrsMatrix<Space>& matrix) {
  return (matrix.n_rows() + 1.) * sizeof(offset_t) + static_cast<double>(matrix.n_entries()) * sizeof(index_t);
}

template <class Space> double value_bytes(const linalg::CrsMatrix<Space>& matrix) {
  return static_cast<double>(matrix.n_entries()) * sizeof(double) +
         matrix.n_rows() * static_cast<double>(sizeof(double));
}

} // namespace tessera::assembly

#endif
