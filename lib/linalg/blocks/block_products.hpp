// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCKS_BLOCK_PRODUCTS_HPP
#define TESSERA_LINALG_BLOCKS_BLOCK_PRODUCTS_HPP

/// \file
/// Loops over the rows of a product with a block matrix, for fused operations on the result.

#include "core/kokkos_ext/spaces.hpp"
#include "linalg/blocks/block_crs_operator.hpp"
#include "linalg/blocks/block_spmv_kernels.hpp"

namespace tessera::linalg {

namespace detail {

/// One thread per block row.
template <class Value, class Write> struct WriteBlockRow {
  BlockRow<Value> row;
  Write write;
  KOKKOS_FUNCTION void operator()(index_t r) const { row(r, write); }
};

/// One thread per unknown.
template <class Value, class Write> struct WriteUnknown {
  UnknownRow<Value> row;
  const index_t* block_rows; // if sizes differ
  Write write;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t r = row.p.block_size > 0 ? i / row.p.block_size : block_rows[i];
    write(i, row(r, i - row.p.begin(r)));
  }
};

} // namespace detail

/// Calls `write(i, sum)` for each unknown i, where sum is row i of A x. It may change data of unknown i, but not x.
/// Does not wait.
template <class ExecutionSpace, class Write>
void for_each_row_of_product(const char* label, const ExecutionSpace& exec, const BlockCrsOperator<ExecutionSpace>& a,
                             const ConstVector<ExecutionSpace>& x, const Write& write) {
  const auto& matrix = a.matrix();
  const BlockRows rows = block_rows_of(matrix, x.data());
  with_value_type(matrix, [&](auto value) {
    using Value = decltype(value);
    if constexpr (is_host_space<ExecutionSpace>)
      for_each(label, exec, matrix.n_block_rows(), detail::WriteBlockRow<Value, Write>{{rows}, write});
    else
      for_each(label, exec, matrix.n_unknowns,
               detail::WriteUnknown<Value, Write>{{rows}, a.block_rows().data(), write});
  });
}

} // namespace tessera::linalg

#endif
