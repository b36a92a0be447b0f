// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_TRAFFIC_HPP
#define TESSERA_ASSEMBLY_TRAFFIC_HPP

/// \file
/// Minimum bytes of the arrays that assembly kernels read and write: each counted once.

#include "assembly/element_loop.hpp"
#include "linalg/crs_matrix.hpp"

namespace tessera::assembly {

/// Connectivity, vertex coordinates, dof map and regions: what evaluating every element once must read.
template <class Loop> double element_bytes(const Loop& loop) {
  using Form = typename Loop::form_type;
  const double n_elements = loop.n_elements();
  const double n_vertices = static_cast<double>(loop.form.coordinates.extent(0));
  return n_elements * (Loop::n_nodes * sizeof(index_t) + sizeof(group_t)) +
         n_vertices * Form::dimension * sizeof(double) + static_cast<double>(loop.node_dof.extent(0)) * sizeof(index_t);
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
