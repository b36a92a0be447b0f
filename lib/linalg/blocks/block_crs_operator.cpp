// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/blocks/block_crs_operator.hpp"

#include "core/algorithms/scan.hpp"
#include "linalg/blocks/block_products.hpp"

namespace tessera::linalg {

namespace {

/// Sets the block row of each unknown.
struct NameBlockRows {
  BlockRows p;
  index_t* block_rows;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    for (index_t i = p.begin(r); i < p.begin(r) + p.size(r); ++i)
      block_rows[i] = r;
  }
};

struct WriteProduct {
  double* y;
  KOKKOS_FUNCTION void operator()(index_t i, double sum) const { y[i] = sum; }
};

struct ExtractBlockDiagonal {
  BlockRows p;
  double* d;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    const std::int64_t b = p.find(r, r);
    const index_t n = p.size(r);
    for (index_t i = 0; i < n; ++i)
      d[p.begin(r) + i] = b < 0 ? 0. : p.value(p.value_offsets[b] + static_cast<std::int64_t>(i) * (n + 1));
  }
};

/// Counts the entries of each unknown's row; then writes them to the scanned positions.
struct ExpandBlockRow {
  BlockRows p;
  offset_t* offsets;
  index_t* columns; // null: count only
  double* values;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    index_t n_entries = 0;
    for (offset_t b = p.row_offsets[r]; b < p.row_offsets[r + 1]; ++b) {
      const index_t width = p.size(p.columns[b]);
      if (columns != nullptr)
        for (index_t i = 0; i < p.size(r); ++i)
          for (index_t j = 0; j < width; ++j) {
            const offset_t position = offsets[p.begin(r) + i] + n_entries + j;
            columns[position] = p.begin(p.columns[b]) + j;
            values[position] = p.value(p.value_offsets[b] + static_cast<std::int64_t>(j) * p.size(r) + i);
          }
      n_entries += width;
    }
    if (columns == nullptr)
      for (index_t i = 0; i < p.size(r); ++i)
        offsets[p.begin(r) + i] = n_entries;
  }
};

} // namespace

template <class ExecutionSpace>
BlockCrsOperator<ExecutionSpace>::BlockCrsOperator(const ExecutionSpace& exec, matrix_type matrix, Symmetry symmetry)
    : matrix_(std::move(matrix)), symmetry_(symmetry) {
  if (is_host_space<ExecutionSpace> || matrix_.block_size > 0)
    return;
  block_rows_ = make_array<decltype(block_rows_)>(exec, "linalg::block_rows", matrix_.n_unknowns);
  for_each("tessera::linalg::name_block_rows", exec, matrix_.n_block_rows(),
           NameBlockRows{block_rows_of(matrix_, nullptr), block_rows_.data()});
}

// Traffic of a product with n unknowns, N block rows, k blocks and m values: values 8 m (4 m in single precision),
// columns and value offsets of the blocks, offsets of the block rows and of their unknowns, x and y 8 n each, and, on
// devices if sizes differ, the block row of each unknown 4 n.
template <class ExecutionSpace> Traffic BlockCrsOperator<ExecutionSpace>::traffic() const {
  const auto n = static_cast<double>(matrix_.n_unknowns);
  const auto n_rows = static_cast<double>(matrix_.n_block_rows());
  const auto n_blocks = static_cast<double>(matrix_.n_blocks());
  const auto m = static_cast<double>(matrix_.n_values());
  return {m * matrix_.value_bytes() + n_blocks * (sizeof(index_t) + sizeof(offset_t)) +
              (n_rows + 1.) * (sizeof(offset_t) + (matrix_.block_size > 0 ? 0. : sizeof(index_t))) +
              2. * n * sizeof(double) + static_cast<double>(block_rows_.extent(0)) * sizeof(index_t),
          2. * m};
}

// The sum (x, y) of apply_dot() stays a separate loop: it reads 16 bytes per unknown, compared with hundreds for a row.
template <class ExecutionSpace>
void BlockCrsOperator<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                             const vector_type& y) const {
  TESSERA_ASSERT(static_cast<index_t>(x.extent(0)) >= size() && static_cast<index_t>(y.extent(0)) == size());
  for_each_row_of_product("tessera::linalg::block_crs_apply", exec, *this, x, WriteProduct{y.data()});
}

template <class ExecutionSpace>
void BlockCrsOperator<ExecutionSpace>::diagonal(const ExecutionSpace& exec, const vector_type& d) const {
  for_each("tessera::linalg::block_crs_diagonal", exec, matrix_.n_block_rows(),
           ExtractBlockDiagonal{block_rows_of(matrix_, nullptr), d.data()});
}

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
expand_blocks(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  CrsMatrix<typename ExecutionSpace::memory_space> expanded;
  expanded.offsets = make_array<decltype(expanded.offsets)>(exec, "linalg::expanded_offsets", matrix.n_unknowns + 1);
  ExpandBlockRow expand{block_rows_of(matrix, nullptr), expanded.offsets.data(), nullptr, nullptr};
  for_each("tessera::linalg::count_block_entries", exec, matrix.n_block_rows(), expand);
  const std::int64_t n_entries =
      counts_to_offsets(exec, expanded.offsets, matrix.n_unknowns, "entries of a matrix of blocks");
  expanded.columns = make_array<decltype(expanded.columns)>(exec, "linalg::expanded_columns", n_entries);
  expanded.values = make_array<decltype(expanded.values)>(exec, "linalg::expanded_values", n_entries);
  expand.columns = expanded.columns.data();
  expand.values = expanded.values.data();
  if (n_entries > 0)
    for_each("tessera::linalg::expand_blocks", exec, matrix.n_block_rows(), expand);
  return expanded;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class BlockCrsOperator<Space>;                                                                              \
  template CrsMatrix<typename Space::memory_space> expand_blocks(const Space&,                                         \
                                                                 const BlockCrsMatrix<typename Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
