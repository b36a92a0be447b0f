// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCKS_BLOCK_SPMV_KERNELS_HPP
#define TESSERA_LINALG_BLOCKS_BLOCK_SPMV_KERNELS_HPP

/// \file
/// Product of one block row with a vector, with the same order of summation on every backend.

#include "core/kokkos_ext/compiler.hpp"
#include "linalg/blocks/block_crs_matrix.hpp"

#include <type_traits>

namespace tessera::linalg {

/// A block matrix and a vector, as raw pointers.
struct BlockRows {
  const index_t* dof_offsets;
  const offset_t* row_offsets;
  const index_t* columns;
  const offset_t* value_offsets;
  const double* values;
  const float* single_values; ///< null: use `values`
  const double* x;
  index_t block_size; ///< 0 if it differs

  KOKKOS_FUNCTION index_t begin(index_t r) const { return block_size > 0 ? r * block_size : dof_offsets[r]; }
  KOKKOS_FUNCTION index_t size(index_t r) const {
    return block_size > 0 ? block_size : dof_offsets[r + 1] - dof_offsets[r];
  }
  KOKKOS_FUNCTION double value(std::int64_t position) const {
    return single_values == nullptr ? values[position] : single_values[position];
  }
  /// The values as a known type, for kernels in which loops for both types would cost registers.
  template <class Value> KOKKOS_FUNCTION const Value* values_as() const {
    if constexpr (std::is_same_v<Value, float>)
      return single_values;
    else
      return values;
  }
  /// The block of row r and column c; negative if it does not exist.
  KOKKOS_FUNCTION std::int64_t find(index_t r, index_t c) const {
    for (offset_t b = row_offsets[r]; b < row_offsets[r + 1]; ++b)
      if (columns[b] == c)
        return static_cast<std::int64_t>(b);
    return -1;
  }
};

template <class Matrix> BlockRows block_rows_of(const Matrix& a, const double* x) {
  return {a.dof_offsets.data(),
          a.row_offsets.data(),
          a.columns.data(),
          a.value_offsets.data(),
          a.values.data(),
          a.is_single() ? a.single_values.data() : nullptr,
          x,
          a.block_size};
}

/// Calls `call(Value())` with the type of the matrix's values.
template <class Matrix, class Call> void with_value_type(const Matrix& a, const Call& call) {
  if (a.is_single())
    call(float());
  else
    call(double());
}

/// Selects every block of a row.
struct AllBlocks {
  KOKKOS_FUNCTION bool operator()(index_t) const { return true; }
};

/// The product with the row of one unknown, summed block by block and column by column. Neighbouring threads take
/// neighbouring unknowns, whose blocks are the same: they read neighbouring values and one entry of x.
template <class Value, class Select = AllBlocks> struct UnknownRow {
  BlockRows p;
  Select select{}; ///< select(c): whether to include the block of column c

  /// Row i of the product, where i is an unknown of block row r.
  KOKKOS_FUNCTION double operator()(index_t r, index_t i) const {
    constexpr int batch = 4; // loads in flight
    const Value* const values = p.template values_as<Value>();
    double sum = 0.;
    const index_t n = p.size(r);
    const offset_t end = p.row_offsets[r + 1];
    offset_t b = p.row_offsets[r];
    Block next = b < end ? read(b) : Block{};
    while (b < end) {
      const Block block = next;
      if (++b < end)
        next = read(b); // waits for its column while the values of this block arrive
      if (!select(block.column))
        continue;
      const index_t width = p.size(block.column);
      const double* x = p.x + p.begin(block.column);
      const Value* a = values + block.values + i;
      index_t j = 0;
      for (; j + batch <= width; j += batch) {
        double product[batch];
        TESSERA_UNROLL
        for (int k = 0; k < batch; ++k)
          product[k] = a[(j + k) * n] * x[j + k];
        TESSERA_UNROLL
        for (int k = 0; k < batch; ++k)
          sum += product[k];
      }
      for (; j < width; ++j)
        sum += a[j * n] * x[j];
    }
    return sum;
  }

private:
  struct Block {
    index_t column;
    offset_t values;
  };
  KOKKOS_FUNCTION Block read(offset_t b) const { return {p.columns[b], p.value_offsets[b]}; }
};

/// The same sums for all unknowns of a block row by one thread, which reads the values in storage order.
template <class Value, class Select = AllBlocks> struct BlockRow {
  BlockRows p;
  Select select{};

  /// Calls `write(i, sum)` for each unknown i of block row r.
  template <class Write> KOKKOS_FUNCTION void operator()(index_t r, const Write& write) const {
    constexpr index_t rows_at_once = 64;
    const Value* const values = p.template values_as<Value>();
    double sum[rows_at_once];
    const index_t n = p.size(r);
    for (index_t first = 0; first < n; first += rows_at_once) {
      const index_t n_rows = n - first < rows_at_once ? n - first : rows_at_once;
      for (index_t i = 0; i < n_rows; ++i)
        sum[i] = 0.;
      for (offset_t b = p.row_offsets[r]; b < p.row_offsets[r + 1]; ++b) {
        const index_t c = p.columns[b];
        if (!select(c))
          continue;
        const index_t width = p.size(c);
        const double* x = p.x + p.begin(c);
        const Value* a = values + p.value_offsets[b] + first;
        for (index_t j = 0; j < width; ++j, a += n) {
          TESSERA_INDEPENDENT_ITERATIONS
          for (index_t i = 0; i < n_rows; ++i)
            sum[i] += a[i] * x[j];
        }
      }
      for (index_t i = 0; i < n_rows; ++i)
        write(p.begin(r) + first + i, sum[i]);
    }
  }
};

} // namespace tessera::linalg

#endif
