// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_PRODUCT_PATTERN_HPP
#define TESSERA_LINALG_PATTERN_PRODUCT_PATTERN_HPP

#include "core/kokkos_ext/spaces.hpp"
#include "linalg/pattern/crs_pattern.hpp"

namespace tessera::linalg {

/// The columns of a sparse product C = A B, as a source of columns: those of the rows of B that a row of A refers to
/// (Gustavson, ACM Trans. Math. Software 4, 1978). Accumulators and capacities suit long rows.
template <class MemorySpace> struct ProductColumns {
  using memory_space = MemorySpace;
  static constexpr bool on_host = uses_host_forms<MemorySpace>;
  using accumulator = std::conditional_t<on_host, StackAccumulator<96, false, true>, ScratchAccumulator<72>>;
  static constexpr int rows = on_host ? 1 : 32;

  Array<const offset_t*, MemorySpace> a_offsets;
  Array<const index_t*, MemorySpace> a_columns;
  Array<const offset_t*, MemorySpace> b_offsets;
  Array<const index_t*, MemorySpace> b_columns;

  ProductColumns(const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b)
      : a_offsets(a.offsets), a_columns(a.columns), b_offsets(b.offsets), b_columns(b.columns) {}

  KOKKOS_FUNCTION static void prepare(index_t) {}
  template <class Add> KOKKOS_FUNCTION void for_each_column(index_t row, const Add& add) const {
    for (offset_t i = a_offsets(row); i < a_offsets(row + 1); ++i)
      for (offset_t j = b_offsets(a_columns(i)); j < b_offsets(a_columns(i) + 1); ++j)
        add(b_columns(j));
  }
};

/// Offsets and columns of C = A B, without values. The columns of A index rows of B. Rows may have any length.
template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> product_pattern(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                                       const CrsMatrix<MemorySpace>& b) {
  return make_pattern(exec, ProductColumns<MemorySpace>(a, b), a.n_rows());
}

} // namespace tessera::linalg

#endif
