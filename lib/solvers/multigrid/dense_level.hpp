// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_DENSE_LEVEL_HPP
#define TESSERA_SOLVERS_MULTIGRID_DENSE_LEVEL_HPP

/// \file
/// Dense inverse of the coarsest level.

#include "core/kokkos_ext/lanes.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::solvers {

/// The inverse, column by column. Throws an Error of kind numerical if the matrix is singular. Waits.
template <class ExecutionSpace>
Array<double*, ExecutionSpace> dense_inverse(const ExecutionSpace& exec,
                                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a);

namespace detail {

constexpr int dense_lanes = 32; // per row

/// A row of a dense matrix, stored row by row, times a vector: term j is added to partial sum j mod dense_lanes, and a
/// binary tree adds the partial sums.
template <class Value, class Entry, class Space> struct DenseRow {
  Array<const Value*, Space> matrix;
  Array<const Entry*, Space> x;
  index_t n;
  Array<Entry*, Space> y;
  KOKKOS_FUNCTION Entry part(index_t i, int lane) const {
    Entry sum{};
    for (index_t j = lane; j < n; j += dense_lanes)
      sum += matrix(static_cast<std::int64_t>(i) * n + j) * x(j);
    return sum;
  }
  KOKKOS_FUNCTION void operator()(index_t i) const { // by one thread
    Entry sum[dense_lanes];
    for (int lane = 0; lane < dense_lanes; ++lane)
      sum[lane] = part(i, lane);
    y(i) = sum_of_parts(sum);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const Entry sum = sum_of_lanes<dense_lanes>(exists ? part(static_cast<index_t>(item), lane) : Entry{});
    if (exists && lane == 0)
      y(item) = sum;
  }
};

} // namespace detail

/// y = A x with a dense square matrix, stored row by row, whose size is that of x. Does not wait.
template <class ExecutionSpace, class Value, class Entry>
void multiply_dense(const ExecutionSpace& exec, const Array<Value*, ExecutionSpace>& a,
                    const Array<Entry*, ExecutionSpace>& x, const Array<Entry*, ExecutionSpace>& y) {
  using Space = typename ExecutionSpace::memory_space;
  const char* label = "tessera::solvers::coarsest_level";
  const auto n = static_cast<index_t>(x.extent(0));
  const detail::DenseRow<Value, Entry, Space> rows{a, x, n, y};
  if constexpr (has_lanes<ExecutionSpace>)
    for_each_lane<detail::dense_lanes>(label, exec, n, rows);
  else
    for_each(label, exec, n, rows);
}

} // namespace tessera::solvers

#endif
