// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed_blocks.hpp"

#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "linalg/block_spmv_kernels.hpp"

namespace tessera::linalg {

namespace {

/// New number of a local block row: own ones first.
struct Renumber {
  index_t first;
  index_t n_own;
  KOKKOS_FUNCTION bool is_own(index_t r) const { return r >= first && r < first + n_own; }
  KOKKOS_FUNCTION index_t operator()(index_t r) const { return is_own(r) ? r - first : r < first ? n_own + r : r; }
  /// The local row of a new number.
  KOKKOS_FUNCTION index_t local(index_t number) const {
    return number < n_own ? first + number : number < n_own + first ? number - n_own : number;
  }
};

struct OffsetsOfUnknowns {
  Renumber renumber;
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
    const index_t begin = local[renumber.local(number)];
    offsets[number] = number < renumber.n_own                   ? begin - own_begin
                      : renumber.local(number) < renumber.first ? n_own + begin
                                                                : begin;
  }
};

/// Copies the blocks of a row, all of them or those with own columns; counts the latter first.
struct CutRow {
  Renumber renumber;
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

struct MarkOuter {
  BlockRows p;
  index_t n_own; // block rows
  index_t* has_ghosts;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    has_ghosts[r] = 0;
    for (offset_t b = p.row_offsets[r]; b < p.row_offsets[r + 1]; ++b)
      if (p.columns[b] >= n_own)
        has_ghosts[r] = 1;
  }
};

/// Counts what is listed of each block row with ghosts: itself, or its unknowns; then lists it.
struct ListOuter {
  BlockRows p;
  const index_t* has_ghosts;
  bool by_unknown;
  index_t* places;
  index_t* list; // null: counts
  KOKKOS_FUNCTION void operator()(index_t r) const {
    const index_t n = has_ghosts[r] == 0 ? 0 : by_unknown ? p.size(r) : 1;
    if (list == nullptr)
      places[r] = n;
    else
      for (index_t i = 0; i < n; ++i)
        list[places[r] + i] = by_unknown ? p.begin(r) + i : r;
  }
};

struct Write {
  double* y;
  KOKKOS_FUNCTION void operator()(index_t i, double sum) const { y[i] = sum; }
};

/// Block rows without ghosts, one by a thread; or those of a list.
struct ApplyRows {
  BlockRow<> row;
  const index_t* has_ghosts;
  const index_t* list;
  double* y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    if (list != nullptr)
      row(list[i], Write{y});
    else if (has_ghosts[i] == 0)
      row(i, Write{y});
  }
};

/// The same with a thread for each unknown.
struct ApplyUnknowns {
  UnknownRow<> row;
  const index_t* block_rows; // where sizes differ
  const index_t* has_ghosts;
  const index_t* list;
  double* y;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    const index_t i = list != nullptr ? list[k] : k;
    const index_t r = row.p.block_size > 0 ? i / row.p.block_size : block_rows[i];
    if (list != nullptr || has_ghosts[r] == 0)
      y[i] = row(r, i - row.p.begin(r));
  }
};

template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
cut(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
    const Renumber& renumber, bool only_own) {
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
  matrix.block_size = local.block_size;
  matrix.largest_block = local.largest_block;
  return matrix;
}

} // namespace

template <class ExecutionSpace>
OwnBlockRows<typename ExecutionSpace::memory_space>
cut_own_rows(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
             index_t first, index_t n_own) {
  const Renumber renumber{first, n_own};
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
    : rows_(exec, rows, symmetry), halo_(halo), sums_(sums),
      has_ghosts_(make_array<decltype(has_ghosts_)>(exec, "linalg::has_ghosts", rows.n_block_rows())),
      x_(make_array<vector_type>(exec, "linalg::own_and_ghosts", rows.n_unknowns + halo.n_ghosts())) {
  const index_t n_rows = rows.n_block_rows();
  const BlockRows p = block_rows_of(rows, nullptr);
  for_each("tessera::linalg::mark_outer_rows", exec, n_rows, MarkOuter{p, n_rows, has_ghosts_.data()});
  const auto places = make_array<Array<index_t*, ExecutionSpace>>(exec, "linalg::places_of_outer", n_rows + 1);
  ListOuter list{p, has_ghosts_.data(), !is_host_space<ExecutionSpace>, places.data(), nullptr};
  for_each("tessera::linalg::count_outer_rows", exec, n_rows, list);
  const std::int64_t n_outer = counts_to_offsets(exec, places, n_rows, "unknowns with ghosts");
  outer_ = make_array<decltype(outer_)>(exec, "linalg::outer", n_outer);
  list.list = outer_.data();
  if (n_outer > 0)
    for_each("tessera::linalg::list_outer_rows", exec, n_rows, list);
  keep_alive(exec, places);
}

template <class ExecutionSpace>
void DistributedBlocks<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                              const vector_type& y) const {
  halo_.begin(exec, x.data(), x_.data() + size());
  const auto multiply = [&](const char* label, const double* from, const index_t* list, std::int64_t n) {
    const BlockRows rows = block_rows_of(rows_.matrix(), from);
    if constexpr (is_host_space<ExecutionSpace>)
      for_each(label, exec, n, ApplyRows{{rows}, has_ghosts_.data(), list, y.data()});
    else
      for_each(label, exec, n, ApplyUnknowns{{rows}, rows_.block_rows().data(), has_ghosts_.data(), list, y.data()});
  };
  multiply("tessera::linalg::inner_blocks_apply", x.data(), nullptr,
           is_host_space<ExecutionSpace> ? rows_.matrix().n_block_rows() : size());
  if (size() > 0)
    Kokkos::deep_copy(exec, Kokkos::subview(x_, std::make_pair(index_t(0), size())), x);
  halo_.finish(exec);
  if (outer_.extent(0) > 0)
    multiply("tessera::linalg::outer_blocks_apply", x_.data(), outer_.data(),
             static_cast<std::int64_t>(outer_.extent(0)));
}

template <class ExecutionSpace> Traffic DistributedBlocks<ExecutionSpace>::traffic() const {
  Traffic traffic = rows_.traffic();
  traffic.bytes += 2. * static_cast<double>(x_.extent(0)) * sizeof(double);
  return traffic;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template OwnBlockRows<typename Space::memory_space> cut_own_rows(                                                    \
      const Space&, const BlockCrsMatrix<typename Space::memory_space>&, index_t, index_t);                            \
  template class DistributedBlocks<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
