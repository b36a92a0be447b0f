// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed_blocks.hpp"

#include "core/scan.hpp"
#include "linalg/own_first.hpp"

namespace tessera::linalg {

namespace {

struct OffsetsOfUnknowns {
  OwnFirst renumber;
  const index_t* local;
  index_t n_rows;
  index_t* offsets;
  KOKKOS_FUNCTION void operator()(index_t number) const {
    const index_t own_begin = local[renumber.first];
    const index_t n_own = local[renumber.first + renumber.n_own] - own_begin;
    if (number == n_rows) {
      offsets[number] = local[n_rows];
      return;
    }
    const index_t begin = local[renumber.old_number(number)];
    offsets[number] = number < renumber.n_own                        ? begin - own_begin
                      : renumber.old_number(number) < renumber.first ? n_own + begin
                                                                     : begin;
  }
};

/// Copies the blocks of a row, all of them or those with own columns; counts the latter first.
struct CutRow {
  OwnFirst renumber;
  const offset_t* row_offsets;
  const index_t* columns;
  const offset_t* value_offsets;
  bool only_own;
  offset_t* places; ///< counts, or where the blocks of a row begin
  index_t* new_columns;
  offset_t* new_values;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    offset_t place = new_columns == nullptr ? 0 : places[r];
    const index_t local = renumber.first + r;
    for (offset_t b = row_offsets[local]; b < row_offsets[local + 1]; ++b) {
      if (only_own && !renumber.is_own(columns[b]))
        continue;
      if (new_columns != nullptr) {
        new_columns[place] = renumber(columns[b]);
        new_values[place] = value_offsets[b];
      }
      ++place;
    }
    if (new_columns == nullptr)
      places[r] = place;
  }
};

template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
cut(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
    const OwnFirst& renumber, bool only_own) {
  BlockCrsMatrix<typename ExecutionSpace::memory_space> matrix;
  const index_t n_own = renumber.n_own;
  matrix.row_offsets = make_array<decltype(matrix.row_offsets)>(exec, "linalg::own_rows", n_own + 1);
  CutRow cut_row{renumber,
                 local.row_offsets.data(),
                 local.columns.data(),
                 local.value_offsets.data(),
                 only_own,
                 matrix.row_offsets.data(),
                 nullptr,
                 nullptr};
  for_each("tessera::linalg::count_own_blocks", exec, n_own, cut_row);
  const std::int64_t n_blocks = counts_to_offsets(exec, matrix.row_offsets, n_own, "blocks of own rows");
  matrix.columns = make_array<decltype(matrix.columns)>(exec, "linalg::own_columns", n_blocks);
  matrix.value_offsets = make_array<decltype(matrix.value_offsets)>(exec, "linalg::own_value_offsets", n_blocks + 1);
  cut_row.new_columns = matrix.columns.data();
  cut_row.new_values = matrix.value_offsets.data();
  for_each("tessera::linalg::cut_own_blocks", exec, n_own, cut_row);
  matrix.values = local.values;
  matrix.single_values = local.single_values;
  matrix.block_size = local.block_size;
  matrix.largest_block = local.largest_block;
  return matrix;
}

} // namespace

template <class ExecutionSpace>
OwnBlockRows<typename ExecutionSpace::memory_space>
cut_own_rows(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
             index_t first, index_t n_own) {
  const OwnFirst renumber{first, n_own};
  OwnBlockRows<typename ExecutionSpace::memory_space> own{cut(exec, local, renumber, false),
                                                          cut(exec, local, renumber, true)};
  const index_t n_rows = local.n_block_rows();
  const auto offsets = make_array<Array<index_t*, ExecutionSpace>>(exec, "linalg::own_unknowns", n_rows + 1);
  for_each("tessera::linalg::own_unknowns", exec, n_rows + 1,
           OffsetsOfUnknowns{renumber, local.dof_offsets.data(), n_rows, offsets.data()});
  own.rows.dof_offsets = offsets;
  own.square.dof_offsets = offsets;
  own.rows.n_unknowns = own.square.n_unknowns = read_entry(exec, offsets, n_own);
  return own;
}

template <class ExecutionSpace>
DistributedBlocks<ExecutionSpace>::DistributedBlocks(const ExecutionSpace& exec, const matrix_type& rows,
                                                     Symmetry symmetry, const comm::Halo<ExecutionSpace>& halo,
                                                     const DistributedSums<ExecutionSpace>& sums)
    : rows_(exec, rows, symmetry), halo_(halo), sums_(sums) {}

template <class ExecutionSpace>
void DistributedBlocks<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                              const vector_type& y) const {
  rows_.apply(exec, halo_.with_ghosts(exec, x, x_), y);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template OwnBlockRows<typename Space::memory_space> cut_own_rows(                                                    \
      const Space&, const BlockCrsMatrix<typename Space::memory_space>&, index_t, index_t);                            \
  template class DistributedBlocks<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
