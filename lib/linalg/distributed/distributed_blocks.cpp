// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed/distributed_blocks.hpp"

#include "core/algorithms/scan.hpp"
#include "linalg/distributed/owned_first.hpp"

#include <utility>

namespace tessera::linalg {

namespace {

struct OffsetsOfUnknowns {
  OwnedFirst renumber;
  const index_t* local;
  index_t n_rows;
  index_t* offsets;
  KOKKOS_FUNCTION void operator()(index_t number) const {
    const index_t owned_begin = local[renumber.first];
    const index_t n_owned = local[renumber.first + renumber.n_owned] - owned_begin;
    if (number == n_rows) {
      offsets[number] = local[n_rows];
      return;
    }
    const index_t begin = local[renumber.old_number(number)];
    offsets[number] = number < renumber.n_owned                      ? begin - owned_begin
                      : renumber.old_number(number) < renumber.first ? n_owned + begin
                                                                     : begin;
  }
};

/// Copies the blocks of a row, either all or those with owned columns; counts the latter first.
struct CutRow {
  OwnedFirst renumber;
  const offset_t* row_offsets;
  const index_t* columns;
  const offset_t* value_offsets;
  bool only_owned;
  offset_t* positions; ///< counts, or first block of each row
  index_t* new_columns;
  offset_t* new_values;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    offset_t position = new_columns == nullptr ? 0 : positions[r];
    const index_t local = renumber.first + r;
    for (offset_t b = row_offsets[local]; b < row_offsets[local + 1]; ++b) {
      if (only_owned && !renumber.is_owned(columns[b]))
        continue;
      if (new_columns != nullptr) {
        new_columns[position] = renumber(columns[b]);
        new_values[position] = value_offsets[b];
      }
      ++position;
    }
    if (new_columns == nullptr)
      positions[r] = position;
  }
};

template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
cut(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
    const OwnedFirst& renumber, bool only_owned) {
  BlockCrsMatrix<typename ExecutionSpace::memory_space> matrix;
  const index_t n_owned = renumber.n_owned;
  matrix.row_offsets = make_array<decltype(matrix.row_offsets)>(exec, "linalg::owned_rows", n_owned + 1);
  CutRow cut_row{renumber,
                 local.row_offsets.data(),
                 local.columns.data(),
                 local.value_offsets.data(),
                 only_owned,
                 matrix.row_offsets.data(),
                 nullptr,
                 nullptr};
  for_each("tessera::linalg::count_owned_blocks", exec, n_owned, cut_row);
  const std::int64_t n_blocks = counts_to_offsets(exec, matrix.row_offsets, n_owned, "blocks of own rows");
  matrix.columns = make_array<decltype(matrix.columns)>(exec, "linalg::owned_columns", n_blocks);
  matrix.value_offsets = make_array<decltype(matrix.value_offsets)>(exec, "linalg::owned_value_offsets", n_blocks + 1);
  cut_row.new_columns = matrix.columns.data();
  cut_row.new_values = matrix.value_offsets.data();
  for_each("tessera::linalg::cut_owned_blocks", exec, n_owned, cut_row);
  matrix.values = local.values;
  matrix.single_values = local.single_values;
  matrix.block_size = local.block_size;
  matrix.largest_block = local.largest_block;
  return matrix;
}

/// Writes the numbers of blocks of the owned rows at the rows' global indices.
template <class Space> struct CountOfRows {
  BlockCrsMatrix<Space> owned;
  index_t first;
  Array<offset_t*, Space> blocks;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    blocks(first + r) = owned.row_offsets(r + 1) - owned.row_offsets(r);
  }
};

/// Writes the global columns and the numbers of values of the owned blocks at their global positions.
template <class Space> struct PlaceBlocks {
  BlockCrsMatrix<Space> owned;
  index_t n_owned;
  index_t first_owned;
  Array<const index_t*, Space> ghosts;
  offset_t first_block;
  Array<index_t*, Space> columns;
  Array<offset_t*, Space> n_values;
  KOKKOS_FUNCTION index_t size(index_t row) const { return owned.dof_offsets(row + 1) - owned.dof_offsets(row); }
  KOKKOS_FUNCTION void operator()(index_t r) const {
    for (offset_t b = owned.row_offsets(r); b < owned.row_offsets(r + 1); ++b) {
      const index_t column = owned.columns(b);
      columns(first_block + b) = column < n_owned ? first_owned + column : ghosts(column - n_owned);
      n_values(first_block + b) = static_cast<offset_t>(size(r)) * size(column);
    }
  }
};

/// Copies the values of owned blocks, which may be in any order, to their global positions.
template <class Value, class Space> struct PlaceValues {
  Array<const offset_t*, Space> value_offsets;
  Array<const Value*, Space> values;
  offset_t first_block;
  Array<const offset_t*, Space> positions; // of the blocks of all processes
  Array<Value*, Space> all;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    const offset_t first = positions(first_block + b);
    const offset_t n = positions(first_block + b + 1) - first;
    for (offset_t k = 0; k < n; ++k)
      all(first + k) = values(value_offsets(b) + k);
  }
};

} // namespace

template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
gathered_blocks(const ExecutionSpace& exec, const comm::Shares<ExecutionSpace>& shares,
                const comm::Layout<ExecutionSpace>& columns,
                const BlockCrsMatrix<typename ExecutionSpace::memory_space>& owned,
                const Array<index_t*, ExecutionSpace>& dof_offsets) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& group = shares.group;
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const auto n = static_cast<index_t>(shares.offsets.back());
  const auto gather = [&](auto values, std::int64_t n_owned) { // each process's values are already at their positions
    group.all_gather_parts(exec, values.data(), group.world->offsets_of(n_owned),
                           sizeof(typename decltype(values)::value_type));
  };
  const auto first_of = [&](std::int64_t n_owned) { return group.world->offsets_of(n_owned)[rank]; };
  BlockCrsMatrix<Space> all;
  all.dof_offsets = dof_offsets;
  all.n_unknowns = read_entry(exec, dof_offsets, n);
  all.block_size = owned.block_size;
  all.largest_block = owned.largest_block;
  all.row_offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::rows_of_all", n + 1);
  for_each("tessera::linalg::count_of_rows", exec, columns.n_owned,
           CountOfRows<Space>{owned, columns.first, all.row_offsets});
  gather(all.row_offsets, columns.n_owned);
  const std::int64_t n_blocks = counts_to_offsets(exec, all.row_offsets, n, "blocks of all rows");
  const auto n_owned_blocks = static_cast<std::int64_t>(owned.n_blocks());
  all.columns = make_array<Array<index_t*, Space>>(exec, "linalg::columns_of_all", n_blocks);
  all.value_offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::value_offsets_of_all", n_blocks + 1);
  const std::int64_t first_block = first_of(n_owned_blocks);
  for_each("tessera::linalg::place_blocks", exec, columns.n_owned,
           PlaceBlocks<Space>{owned, columns.n_owned, columns.first, columns.ghosts, static_cast<offset_t>(first_block),
                              all.columns, all.value_offsets});
  gather(all.columns, n_owned_blocks);
  gather(all.value_offsets, n_owned_blocks);
  const std::int64_t n_values = counts_to_offsets(exec, all.value_offsets, n_blocks, "entries of all rows");
  const std::int64_t n_owned_values = read_entry(exec, all.value_offsets, first_block + n_owned_blocks) -
                                      read_entry(exec, all.value_offsets, first_block);
  const auto gather_values = [&](const auto& from, auto& to) {
    using Value = typename std::decay_t<decltype(to)>::value_type;
    to = make_array<Array<Value*, Space>>(exec, "linalg::values_of_all", n_values);
    for_each<std::int64_t>("tessera::linalg::place_values", exec, n_owned_blocks,
                           PlaceValues<Value, Space>{owned.value_offsets, from, static_cast<offset_t>(first_block),
                                                     all.value_offsets, to});
    gather(to, n_owned_values);
  };
  if (owned.is_single())
    gather_values(owned.single_values, all.single_values);
  else
    gather_values(owned.values, all.values);
  return all;
}

template <class ExecutionSpace>
OwnedBlockRows<typename ExecutionSpace::memory_space>
cut_owned_rows(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
               index_t first, index_t n_owned) {
  const OwnedFirst renumber{first, n_owned};
  OwnedBlockRows<typename ExecutionSpace::memory_space> owned{cut(exec, local, renumber, false),
                                                              cut(exec, local, renumber, true)};
  const index_t n_rows = local.n_block_rows();
  const auto offsets = make_array<Array<index_t*, ExecutionSpace>>(exec, "linalg::owned_unknowns", n_rows + 1);
  for_each("tessera::linalg::owned_unknowns", exec, n_rows + 1,
           OffsetsOfUnknowns{renumber, local.dof_offsets.data(), n_rows, offsets.data()});
  owned.rows.dof_offsets = offsets;
  owned.square.dof_offsets = offsets;
  owned.rows.n_unknowns = owned.square.n_unknowns = read_entry(exec, offsets, n_owned);
  return owned;
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
  template OwnedBlockRows<typename Space::memory_space> cut_owned_rows(                                                \
      const Space&, const BlockCrsMatrix<typename Space::memory_space>&, index_t, index_t);                            \
  template BlockCrsMatrix<typename Space::memory_space> gathered_blocks(                                               \
      const Space&, const comm::Shares<Space>&, const comm::Layout<Space>&,                                            \
      const BlockCrsMatrix<typename Space::memory_space>&, const Array<index_t*, Space>&);                             \
  template class DistributedBlocks<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
