// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/row_exchange.hpp"

#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "core/tagged_loop.hpp"
#include "core/upload.hpp"
#include "linalg/crs_pieces.hpp"
#include "linalg/crs_product.hpp"
#include "linalg/own_first.hpp"

#include <algorithm>

namespace tessera::linalg {

namespace {

using comm::Message;
using Offsets = std::vector<std::int64_t>;

/// Rows that others sent, ascending.
template <class Space> struct ReceivedRows {
  CrsMatrix<Space> rows;
  std::vector<std::int64_t> numbers; // among all
};

std::size_t owner_of(const Offsets& offsets, std::int64_t i) {
  return static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), i) - offsets.begin() - 1);
}

/// Where the items of each process stand in a buffer that has them one process after the other.
std::vector<Message> messages(const Offsets& counts, std::size_t item_size) {
  std::vector<Message> result;
  std::size_t place = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const std::size_t size = static_cast<std::size_t>(counts[r]) * item_size;
    if (size > 0)
      result.push_back({static_cast<int>(r), place, size});
    place += size;
  }
  return result;
}

/// Sends rows_for[r], numbers among all of own rows, to process r, which gets them in that order.
template <class ExecutionSpace>
ReceivedRows<typename ExecutionSpace::memory_space>
exchange_rows(const ExecutionSpace& exec, const comm::Communicator& world, index_t first_own,
              const CrsMatrix<typename ExecutionSpace::memory_space>& own, const std::vector<Offsets>& rows_for,
              RowParts parts = RowParts::columns_and_values) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<index_t> list;
  for (const Offsets& rows : rows_for)
    for (const std::int64_t row : rows)
      list.push_back(static_cast<index_t>(row) - first_own);
  const auto rows = uploaded(exec, "linalg::sent_rows", list);
  const auto selected = select_rows(exec, own, rows);
  const auto offsets = to_host(exec, selected.offsets);
  const auto columns = to_host(exec, selected.columns);
  const auto values = to_host(exec, selected.values);

  const std::size_t n = rows_for.size();
  std::vector<Offsets> told(n); // number and size of each row
  Offsets n_sent(n);
  std::size_t k = 0;
  for (std::size_t r = 0; r < n; ++r)
    for (const std::int64_t row : rows_for[r]) {
      const auto size = static_cast<std::int64_t>(offsets(k + 1) - offsets(k));
      told[r].push_back(row);
      told[r].push_back(size);
      n_sent[r] += size;
      ++k;
    }
  ReceivedRows<Space> received;
  std::vector<offset_t> places{0};
  Offsets n_received(n);
  const std::vector<Offsets> heard = world.exchange_lists(told);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < heard[r].size(); i += 2) {
      received.numbers.push_back(heard[r][i]);
      n_received[r] += heard[r][i + 1];
      places.push_back(checked_offset(places.back() + heard[r][i + 1], "entries of received rows"));
    }
  const auto exchanged = [&](const auto* from, auto to) { // `to`: a vector
    constexpr std::size_t size = sizeof(*from);
    to.resize(static_cast<std::size_t>(places.back()));
    world.exchange(reinterpret_cast<const char*>(from), messages(n_sent, size), reinterpret_cast<char*>(to.data()),
                   messages(n_received, size));
    return to;
  };
  received.rows.offsets = uploaded(exec, "linalg::received_offsets", places);
  if (parts != RowParts::values)
    received.rows.columns =
        uploaded(exec, "linalg::received_columns", exchanged(columns.data(), std::vector<index_t>()));
  if (parts != RowParts::columns)
    received.rows.values = uploaded(exec, "linalg::received_values", exchanged(values.data(), std::vector<double>()));
  return received;
}

/// Own rows with received ones, ascending.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_received(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& own,
              const ReceivedRows<typename ExecutionSpace::memory_space>& received, index_t n_below) {
  return stacked_rows(exec, std::vector<CrsMatrix<typename ExecutionSpace::memory_space>>{
                                cut_rows(exec, received.rows, 0, n_below), own,
                                cut_rows(exec, received.rows, n_below, received.rows.n_rows())});
}

template <class Space> struct CutColumns {
  CrsMatrix<Space> from;
  index_t first;
  index_t end;
  CrsMatrix<Space> to;

  struct Count {};
  struct Fill {};
  struct CountOutside {};

  KOKKOS_FUNCTION bool is_inside(offset_t k) const { return from.columns(k) >= first && from.columns(k) < end; }
  KOKKOS_FUNCTION offset_t n_inside(index_t i) const {
    offset_t n = 0;
    for (offset_t k = from.offsets(i); k < from.offsets(i + 1); ++k)
      n += is_inside(k) ? 1 : 0;
    return n;
  }
  KOKKOS_FUNCTION void operator()(Count, index_t i) const { to.offsets(i) = n_inside(i); }
  KOKKOS_FUNCTION void operator()(CountOutside, index_t i) const { // rows with others
    to.offsets(i) = n_inside(i) < from.offsets(i + 1) - from.offsets(i) ? 1 : 0;
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const {
    offset_t place = to.offsets(i);
    for (offset_t k = from.offsets(i); k < from.offsets(i + 1); ++k)
      if (is_inside(k)) {
        to.columns(place) = from.columns(k) - first;
        to.values(place++) = from.values(k);
      }
  }
};

template <class Space> struct ListRows {
  Array<const offset_t*, Space> place;
  Array<index_t*, Space> list;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    if (place(i + 1) > place(i))
      list(place(i)) = i;
  }
};

/// The own rows, as numbers among all, in which each other process has a column.
template <class ExecutionSpace>
std::vector<Offsets> rows_by_owner_of_column(const ExecutionSpace& exec, std::size_t rank, index_t first_row,
                                             const Offsets& column_offsets,
                                             const CrsMatrix<typename ExecutionSpace::memory_space>& own) {
  using Space = typename ExecutionSpace::memory_space;
  using Worker = CutColumns<Space>;
  const index_t n = own.n_rows();
  Worker worker{own, static_cast<index_t>(column_offsets[rank]), static_cast<index_t>(column_offsets[rank + 1]), {}};
  worker.to.offsets = make_array<decltype(worker.to.offsets)>(exec, "linalg::shared_rows", n + 1);
  for_each_tagged<typename Worker::CountOutside>("tessera::linalg::count_shared_rows", exec, n, worker);
  const std::int64_t n_shared = counts_to_offsets(exec, worker.to.offsets, n, "shared rows");
  const auto list = make_array<Array<index_t*, Space>>(exec, "linalg::shared_rows", n_shared);
  for_each("tessera::linalg::list_shared_rows", exec, n, ListRows<Space>{worker.to.offsets, list});
  const auto shared = select_rows(exec, own, list);
  const auto rows = to_host(exec, list);
  const auto offsets = to_host(exec, shared.offsets);
  const auto columns = to_host(exec, shared.columns);
  std::vector<Offsets> result(column_offsets.size() - 1);
  for (std::size_t i = 0; i < rows.extent(0); ++i)
    for (offset_t k = offsets(i); k < offsets(i + 1); ++k) {
      Offsets& of_owner = result[owner_of(column_offsets, columns(k))];
      const std::int64_t row = first_row + rows(i);
      if (&of_owner != &result[rank] && (of_owner.empty() || of_owner.back() != row))
        of_owner.push_back(row);
    }
  return result;
}

} // namespace

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
rows_of_ghosts(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
               const std::vector<std::int64_t>& ghosts, const CrsMatrix<typename ExecutionSpace::memory_space>& own,
               RowParts parts) {
  const comm::Communicator& world = *shares.group.world;
  std::vector<Offsets> wanted(shares.offsets.size() - 1);
  for (const std::int64_t ghost : ghosts)
    wanted[owner_of(shares.offsets, ghost)].push_back(ghost);
  const auto first = static_cast<index_t>(shares.offsets[static_cast<std::size_t>(world.rank())]);
  return exchange_rows(exec, world, first, own, world.exchange_lists(wanted), parts).rows;
}

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_ghost_rows(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                const std::vector<std::int64_t>& offsets, const OwnAndGhosts<ExecutionSpace>& ghosts,
                const CrsMatrix<typename ExecutionSpace::memory_space>& own) {
  using Matrix = CrsMatrix<typename ExecutionSpace::memory_space>;
  if (group.is_alone())
    return own;
  const Shares<ExecutionSpace> shares{group, offsets};
  return stacked_rows(exec, std::vector<Matrix>{own, rows_of_ghosts(exec, shares, ghosts.ghosts, own)});
}

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
gathered_rows(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
              const std::vector<std::int64_t>& offsets, const CrsMatrix<typename ExecutionSpace::memory_space>& own) {
  if (group.is_alone())
    return own;
  const auto rank = static_cast<std::size_t>(group.world->rank());
  std::vector<Offsets> rows_for(offsets.size() - 1);
  for (std::size_t r = 0; r < rows_for.size(); ++r)
    for (std::int64_t row = offsets[rank]; r != rank && row < offsets[rank + 1]; ++row)
      rows_for[r].push_back(row);
  const auto first = static_cast<index_t>(offsets[rank]);
  return with_received(exec, own, exchange_rows(exec, *group.world, first, own, rows_for), first);
}

template <class ExecutionSpace>
DistributedMatrix<ExecutionSpace> transposed(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                             const std::vector<std::int64_t>& row_offsets,
                                             const std::vector<std::int64_t>& column_offsets,
                                             const CrsMatrix<typename ExecutionSpace::memory_space>& own) {
  using Space = typename ExecutionSpace::memory_space;
  using Worker = CutColumns<Space>;
  if (group.is_alone())
    return {transposed(exec, own, static_cast<index_t>(column_offsets.back())), all_own<ExecutionSpace>(own.n_rows())};
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const auto first = static_cast<index_t>(row_offsets[rank]);
  const auto received =
      exchange_rows(exec, *group.world, first, own, rows_by_owner_of_column(exec, rank, first, column_offsets, own));
  const auto n_below = static_cast<index_t>(std::lower_bound(received.numbers.begin(), received.numbers.end(), first) -
                                            received.numbers.begin());
  Worker cut{with_received(exec, own, received, n_below),
             static_cast<index_t>(column_offsets[rank]),
             static_cast<index_t>(column_offsets[rank + 1]),
             {}};
  const index_t n = cut.from.n_rows();
  cut.to.offsets = make_array<decltype(cut.to.offsets)>(exec, "linalg::offsets_of_rows", n + 1);
  for_each_tagged<typename Worker::Count>("tessera::linalg::count_inside", exec, n, cut);
  const std::int64_t n_entries = counts_to_offsets(exec, cut.to.offsets, n, "entries of a transpose");
  cut.to.columns = make_array<decltype(cut.to.columns)>(exec, "linalg::columns_of_rows", n_entries);
  cut.to.values = make_array<decltype(cut.to.values)>(exec, "linalg::values_of_rows", n_entries);
  for_each_tagged<typename Worker::Fill>("tessera::linalg::fill_inside", exec, n, cut);
  DistributedMatrix<ExecutionSpace> result;
  result.rows = transposed(exec, cut.to, cut.end - cut.first);
  for_each<std::int64_t>(
      "tessera::linalg::own_first", exec, result.rows.n_entries(),
      RenumberColumns{{n_below, own.n_rows()}, result.rows.columns.data(), result.rows.columns.data()});
  result.columns = make_own_and_ghosts(exec, group, row_offsets, received.numbers);
  keep_alive(exec, cut);
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template CrsMatrix<Space::memory_space> rows_of_ghosts(const Space&, const Shares<Space>&,                           \
                                                         const std::vector<std::int64_t>&,                             \
                                                         const CrsMatrix<Space::memory_space>&, RowParts);             \
  template CrsMatrix<Space::memory_space> with_ghost_rows(                                                             \
      const Space&, const comm::Group<Space>&, const std::vector<std::int64_t>&, const OwnAndGhosts<Space>&,           \
      const CrsMatrix<Space::memory_space>&);                                                                          \
  template CrsMatrix<Space::memory_space> gathered_rows(const Space&, const comm::Group<Space>&,                       \
                                                        const std::vector<std::int64_t>&,                              \
                                                        const CrsMatrix<Space::memory_space>&);                        \
  template DistributedMatrix<Space> transposed(const Space&, const comm::Group<Space>&,                                \
                                               const std::vector<std::int64_t>&, const std::vector<std::int64_t>&,     \
                                               const CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
