// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/incidence.hpp"

#include "core/algorithms/register_sort.hpp"
#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/bits.hpp"
#include "core/tagged_loop.hpp"

#include <limits>

namespace tessera::graph {

namespace {

/// Rows with more pairs than this are sorted together by a device-wide sort, not individually by one thread each.
constexpr int long_row = 64;
/// Positions that fit the one-byte table; later pairs of a row get theirs from a second counter.
constexpr int n_ranked = 255;

template <class ExecutionSpace> struct IncidenceBuilder {
  Array<const index_t*, ExecutionSpace> element_nodes;
  Array<const index_t*, ExecutionSpace> node_rows;
  bool has_rows;
  index_t n_rows;
  Array<offset_t*, ExecutionSpace> offsets; // counts until the scan
  Array<std::uint8_t*, ExecutionSpace> ranks;
  Array<offset_t*, ExecutionSpace> pairs;
  Array<offset_t*, ExecutionSpace> n_late;  // [n_rows] only if some row has more than n_ranked pairs
  Array<offset_t*, ExecutionSpace> longest; // [1], of the rows longer than long_row

  struct Count {};
  struct Place {};
  struct Sort {};

  KOKKOS_FUNCTION index_t row_of(std::int64_t pair) const {
    const index_t node = element_nodes(pair);
    return has_rows ? node_rows(node) : node;
  }
  KOKKOS_FUNCTION bool is_kept(index_t row) const { return row >= 0 && row < n_rows; }

  // Storing the rank of a pair in its row here saves a second atomic operation in Place.
  KOKKOS_FUNCTION void operator()(Count, std::int64_t pair) const {
    const index_t row = row_of(pair);
    if (is_kept(row)) {
      const offset_t rank = fetch_add<ExecutionSpace>(&offsets(row), offset_t(1));
      ranks(pair) = static_cast<std::uint8_t>(rank < n_ranked ? rank : n_ranked);
      if (rank >= long_row)
        Kokkos::atomic_fetch_max(&longest(0), rank + 1);
    }
  }

  KOKKOS_FUNCTION void operator()(Place, std::int64_t pair) const {
    const index_t row = row_of(pair);
    if (is_kept(row)) {
      offset_t rank = ranks(pair);
      if (rank == n_ranked)
        rank += fetch_add<ExecutionSpace>(&n_late(row), offset_t(1));
      pairs(offsets(row) + rank) = static_cast<offset_t>(pair);
    }
  }

  KOKKOS_FUNCTION void operator()(Sort, index_t row) const {
    const offset_t begin = offsets(row);
    const offset_t end = offsets(row + 1);
    if (end - begin > long_row)
      return;
    if constexpr (!uses_host_forms<typename ExecutionSpace::memory_space>) {
      if (end - begin <= 8)
        return sort_short_row<8>(begin, static_cast<int>(end - begin));
      if (end - begin <= 32)
        return sort_short_row<32>(begin, static_cast<int>(end - begin));
    }
    // Insertion sort: rows are short and nearly sorted.
    for (offset_t i = begin + 1; i < end; ++i) {
      const offset_t pair = pairs(i);
      offset_t j = i;
      for (; j > begin && pairs(j - 1) > pair; --j)
        pairs(j) = pairs(j - 1);
      pairs(j) = pair;
    }
  }

  template <int Size> KOKKOS_FUNCTION void sort_short_row(offset_t begin, int n) const {
    constexpr offset_t none = std::numeric_limits<offset_t>::max();
    offset_t own[Size];
    TESSERA_UNROLL
    for (int i = 0; i < Size; ++i)
      own[i] = i < n ? pairs(begin + i) : none;
    sort_in_registers(own);
    TESSERA_UNROLL
    for (int i = 0; i < Size; ++i)
      if (i < n)
        pairs(begin + i) = own[i];
  }
};

/// Sorts rows of more than `long_row` pairs: all of them by one sort with keys (index among the long rows, pair).
template <class ExecutionSpace> struct LongRowSorter {
  Array<offset_t*, ExecutionSpace> offsets;
  Array<offset_t*, ExecutionSpace> pairs;
  Array<offset_t*, ExecutionSpace> key_offsets; // [n_rows + 1], pairs of long rows before each row
  Array<std::uint64_t*, ExecutionSpace> keys;
  int pair_bits;

  struct Count {};
  struct Pack {};
  struct Unpack {};

  KOKKOS_FUNCTION bool is_long(index_t row) const { return offsets(row + 1) - offsets(row) > long_row; }
  KOKKOS_FUNCTION void operator()(Count, index_t row) const {
    key_offsets(row) = is_long(row) ? offsets(row + 1) - offsets(row) : 0;
  }
  KOKKOS_FUNCTION void operator()(Pack, index_t row) const {
    if (is_long(row))
      for (offset_t k = 0; k < offsets(row + 1) - offsets(row); ++k)
        keys(key_offsets(row) + k) =
            (static_cast<std::uint64_t>(row) << pair_bits) | static_cast<std::uint64_t>(pairs(offsets(row) + k));
  }
  KOKKOS_FUNCTION void operator()(Unpack, index_t row) const {
    if (is_long(row))
      for (offset_t k = 0; k < offsets(row + 1) - offsets(row); ++k)
        pairs(offsets(row) + k) =
            static_cast<offset_t>(keys(key_offsets(row) + k) & ((std::uint64_t(1) << pair_bits) - 1));
  }
};

template <class ExecutionSpace>
void sort_long_rows(const ExecutionSpace& exec, const Array<offset_t*, ExecutionSpace>& offsets,
                    const Array<offset_t*, ExecutionSpace>& pairs, std::int64_t n_pairs, index_t n_rows) {
  using Sorter = LongRowSorter<ExecutionSpace>;
  Sorter sorter;
  sorter.offsets = offsets;
  sorter.pairs = pairs;
  sorter.pair_bits = bits_for(n_pairs);
  TESSERA_REQUIRE_KIND(sorter.pair_bits + bits_for(n_rows) <= 64, ErrorKind::resource,
                       "The numbers of a row and of an element node do not fit 64 bits together.");
  sorter.key_offsets = make_array<Array<offset_t*, ExecutionSpace>>(exec, "graph::long_row_offsets", n_rows + 1);
  for_each_tagged<typename Sorter::Count>("tessera::graph::long_rows_count", exec, n_rows, sorter);
  const std::int64_t n_keys = counts_to_offsets(exec, sorter.key_offsets, n_rows, "pairs of long rows");
  sorter.keys = make_array<Array<std::uint64_t*, ExecutionSpace>>(exec, "graph::long_row_keys", n_keys);
  for_each_tagged<typename Sorter::Pack>("tessera::graph::long_rows_pack", exec, n_rows, sorter);
  sort_keys(exec, sorter.keys, n_keys, sorter.pair_bits + bits_for(n_rows));
  for_each_tagged<typename Sorter::Unpack>("tessera::graph::long_rows_unpack", exec, n_rows, sorter);
  keep_alive(exec, sorter);
}

} // namespace

// Traffic: the connectivity twice, ranks written and read, pairs written, read and (where unsorted) rewritten.
template <class ExecutionSpace>
Incidence<typename ExecutionSpace::memory_space>
build_incidence(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                int nodes_per_element, const Array<const index_t*, ExecutionSpace>& node_rows, index_t n_rows) {
  using Builder = IncidenceBuilder<ExecutionSpace>;
  const std::int64_t n_pairs = static_cast<std::int64_t>(element_nodes.extent(0));
  TESSERA_REQUIRE(nodes_per_element > 0 && n_pairs % nodes_per_element == 0 && n_rows >= 0,
                  "The number of element nodes (" << n_pairs << ") is no multiple of the nodes per element ("
                                                  << nodes_per_element << ").");
  checked_offset(n_pairs, "element-node pairs");

  Builder builder;
  builder.element_nodes = element_nodes;
  builder.node_rows = node_rows;
  builder.has_rows = node_rows.extent(0) > 0;
  builder.n_rows = n_rows;
  builder.offsets = make_filled<Array<offset_t*, ExecutionSpace>>(exec, "graph::row_offsets", n_rows + 1, 0);
  builder.ranks = make_array<Array<std::uint8_t*, ExecutionSpace>>(exec, "graph::pair_ranks", n_pairs);
  builder.longest = make_filled<Array<offset_t*, ExecutionSpace>>(exec, "graph::longest_row", 1, 0);
  for_each_tagged<typename Builder::Count, std::int64_t>("tessera::graph::count_pairs", exec, n_pairs, builder);
  const offset_t longest = read_entry(exec, builder.longest, 0);
  if (longest > n_ranked)
    builder.n_late = make_filled<Array<offset_t*, ExecutionSpace>>(exec, "graph::late_pairs", n_rows, 0);
  const std::int64_t n_kept = counts_to_offsets(exec, builder.offsets, n_rows, "element-node pairs");
  builder.pairs = make_array<Array<offset_t*, ExecutionSpace>>(exec, "graph::pairs", n_kept);
  for_each_tagged<typename Builder::Place, std::int64_t>("tessera::graph::place_pairs", exec, n_pairs, builder);
  for_each_tagged<typename Builder::Sort>("tessera::graph::sort_pairs", exec, n_rows, builder);
  if (longest > long_row)
    sort_long_rows(exec, builder.offsets, builder.pairs, n_pairs, n_rows);
  keep_alive(exec, builder);
  return {builder.offsets, builder.pairs};
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Incidence<Space::memory_space> build_incidence<Space>(const Space&, const Array<const index_t*, Space>&,    \
                                                                 int, const Array<const index_t*, Space>&, index_t);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::graph
