// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed/row_exchange.hpp"

#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "core/transfer/rows_on_host.hpp"
#include "core/transfer/upload.hpp"
#include "linalg/crs/crs_pieces.hpp"
#include "linalg/distributed/owned_first.hpp"
#include "linalg/pattern/find_column.hpp"
#include "linalg/products/crs_product.hpp"

#include <algorithm>
#include <utility>

namespace tessera::linalg {

namespace {

using comm::Neighbour;
using Offsets = std::vector<std::int64_t>;

template <class Space> struct SizesOfRows {
  Array<const offset_t*, Space> offsets;
  Array<offset_t*, Space> sizes;
  std::int64_t first; // position of the first size
  KOKKOS_FUNCTION void operator()(index_t i) const { sizes(first + i) = offsets(i + 1) - offsets(i); }
};

/// The messages of the rows' entries, from the messages of the rows. Waits if there are several neighbours.
template <class ExecutionSpace>
std::vector<Neighbour> messages_of_entries(const ExecutionSpace& exec, const std::vector<Neighbour>& of_rows,
                                           const Array<offset_t*, ExecutionSpace>& sent, std::int64_t n_sent,
                                           const Array<offset_t*, ExecutionSpace>& received, std::int64_t n_received) {
  std::vector<Neighbour> result;
  if (of_rows.size() == 1)
    return {{of_rows.front().process, 0, n_sent, 0, n_received}};
  std::vector<index_t> begins[2];
  for (const Neighbour& neighbour : of_rows) {
    begins[0].push_back(static_cast<index_t>(neighbour.first_sent));
    begins[1].push_back(static_cast<index_t>(neighbour.first_received));
  }
  const auto entries_at = [&](const Array<offset_t*, ExecutionSpace>& offsets, const std::vector<index_t>& rows,
                              std::int64_t end) {
    const auto on_host = rows_on_host(exec, offsets, rows);
    Offsets entries(on_host.data(), on_host.data() + on_host.extent(0));
    entries.push_back(end);
    return entries;
  };
  const Offsets first_sent = entries_at(sent, begins[0], n_sent);
  const Offsets first_received = entries_at(received, begins[1], n_received);
  for (std::size_t i = 0; i < of_rows.size(); ++i)
    result.push_back({of_rows[i].process, first_sent[i], first_sent[i + 1] - first_sent[i], first_received[i],
                      first_received[i + 1] - first_received[i]});
  return result;
}

/// Rows of ghosts, and arrays that messages may still read.
template <class Space> struct ReceivedRows {
  CrsMatrix<Space> rows;
  CrsMatrix<Space> sent;
  Array<offset_t*, Space> sizes;
};

/// Traffic: the rows are sent, read and written, with three messages per neighbour.
template <class ExecutionSpace>
ReceivedRows<typename ExecutionSpace::memory_space>
exchange_rows(const ExecutionSpace& exec, const comm::Halo<ExecutionSpace>& halo,
              const CrsMatrix<typename ExecutionSpace::memory_space>& owned, RowParts parts) {
  using Space = typename ExecutionSpace::memory_space;
  ReceivedRows<Space> result;
  result.sent = select_rows(exec, owned, halo.positions());
  result.sizes = make_array<Array<offset_t*, Space>>(exec, "linalg::sizes_of_rows", halo.n_sent());
  for_each("tessera::linalg::sizes_of_rows", exec, halo.n_sent(),
           SizesOfRows<Space>{result.sent.offsets, result.sizes, 0});
  CrsMatrix<Space>& rows = result.rows;
  rows.offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::offsets_of_rows", halo.n_ghosts() + 1);
  comm::Transport<ExecutionSpace>& transport = halo.transport();
  transport.exchange(exec, result.sizes.data(), rows.offsets.data(), halo.neighbours(), sizeof(offset_t));
  const std::int64_t n = counts_to_offsets(exec, rows.offsets, halo.n_ghosts(), "entries of received rows");
  const auto n_sent = static_cast<std::int64_t>(std::max(result.sent.columns.extent(0), result.sent.values.extent(0)));
  const std::vector<Neighbour> messages =
      messages_of_entries<ExecutionSpace>(exec, halo.neighbours(), result.sent.offsets, n_sent, rows.offsets, n);
  if (parts != RowParts::values) {
    rows.columns = make_array<Array<index_t*, Space>>(exec, "linalg::columns_of_rows", n);
    transport.exchange(exec, result.sent.columns.data(), rows.columns.data(), messages, sizeof(index_t));
  }
  if (parts != RowParts::columns) {
    rows.values = make_array<Array<double*, Space>>(exec, "linalg::values_of_rows", n);
    transport.exchange(exec, result.sent.values.data(), rows.values.data(), messages, sizeof(double));
  }
  return result;
}

/// Restricts rows to the columns [first, end): the rows received from lower processes, then the owned ones, then those
/// received from higher processes.
template <class Space> struct CutColumns {
  CrsMatrix<Space> owned;
  CrsMatrix<Space> received;
  index_t n_owned; // rows
  index_t n_below; // number received from lower processes
  index_t first;
  index_t end;
  CrsMatrix<Space> to;

  struct Count {};
  struct Fill {};

  KOKKOS_FUNCTION bool is_inside(index_t column) const { return column >= first && column < end; }
  /// Calls take(column, value) for each remaining entry.
  template <class Take> KOKKOS_FUNCTION void for_each_inside(index_t i, const Take& take) const {
    const bool is_owned = i >= n_below && i < n_below + n_owned;
    const CrsMatrix<Space>& from = is_owned ? owned : received;
    const index_t row = is_owned ? i - n_below : i < n_below ? i : i - n_owned;
    for (offset_t k = from.offsets(row); k < from.offsets(row + 1); ++k)
      if (is_inside(from.columns(k)))
        take(from.columns(k) - first, from.values(k));
  }
  KOKKOS_FUNCTION void operator()(Count, index_t i) const {
    offset_t n = 0;
    for_each_inside(i, [&](index_t, double) { ++n; });
    to.offsets(i) = n;
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const {
    offset_t position = to.offsets(i);
    for_each_inside(i, [&](index_t column, double value) {
      to.columns(position) = column;
      to.values(position++) = value;
    });
  }
};

/// The owned rows with columns of other processes, and the processes that own these columns.
template <class Space> struct SharedRows {
  CrsMatrix<Space> owned;
  index_t first = 0; // owned columns
  index_t end = 0;
  Array<const std::int64_t*, Space> owners; // first column of each process
  Array<index_t*, Space> is_shared;         // [n_rows + 1], 0 or 1; after a scan the number of shared rows before each
  Array<index_t*, Space> rows;              // the shared rows
  Array<index_t*, Space> is_for;            // [processes][rows], 0 or 1; after a scan the number before each
  Array<index_t*, Space> sent;              // process by process

  struct Find {};
  struct FindOwners {};
  struct ListSent {};

  KOKKOS_FUNCTION index_t n_shared() const { return static_cast<index_t>(rows.extent(0)); }
  KOKKOS_FUNCTION bool is_inside(index_t column) const { return column >= first && column < end; }
  KOKKOS_FUNCTION void operator()(Find, index_t i) const {
    index_t found = 0;
    for (offset_t k = owned.offsets(i); k < owned.offsets(i + 1); ++k)
      found = is_inside(owned.columns(k)) ? found : 1;
    is_shared(i) = found;
  }
  KOKKOS_FUNCTION void operator()(FindOwners, index_t s) const {
    const auto n_processes = static_cast<index_t>(owners.extent(0)) - 1;
    for (offset_t k = owned.offsets(rows(s)); k < owned.offsets(rows(s) + 1); ++k) {
      const index_t column = owned.columns(k);
      if (is_inside(column))
        continue;
      index_t owner = 0;
      while (owner + 1 < n_processes && owners(owner + 1) <= column)
        ++owner;
      is_for(static_cast<std::int64_t>(owner) * n_shared() + s) = 1;
    }
  }
  KOKKOS_FUNCTION void operator()(ListSent, index_t i) const {
    if (is_for(i + 1) > is_for(i))
      sent(is_for(i)) = rows(i % n_shared());
  }
};

/// The halo by which owned rows with columns of other processes are sent there, both indices and rows.
template <class ExecutionSpace>
std::shared_ptr<const comm::Halo<ExecutionSpace>>
halo_to_owners(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
               const Offsets& column_offsets, const CrsMatrix<typename ExecutionSpace::memory_space>& owned) {
  using Space = typename ExecutionSpace::memory_space;
  using Numbers = Array<index_t*, Space>;
  using Worker = SharedRows<Space>;
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const std::size_t n_processes = column_offsets.size() - 1;
  const index_t n = owned.n_rows();
  Worker work;
  work.owned = owned;
  work.first = static_cast<index_t>(column_offsets[rank]);
  work.end = static_cast<index_t>(column_offsets[rank + 1]);
  work.owners = uploaded(exec, "linalg::owners_of_columns", column_offsets);
  work.is_shared = make_array<Numbers>(exec, "linalg::is_shared", n + 1);
  for_each_tagged<typename Worker::Find>("tessera::linalg::find_shared_rows", exec, n, work);
  const std::int64_t n_shared = counts_to_offsets(exec, work.is_shared, n, "shared rows");
  work.rows = list_marked(exec, "linalg::shared_rows", work.is_shared, n, n_shared);
  const index_t n_pairs =
      checked_index(n_shared * static_cast<std::int64_t>(n_processes), "rows at borders and processes");
  work.is_for = make_filled<Numbers>(exec, "linalg::owners_of_rows", n_pairs + 1, 0);
  for_each_tagged<typename Worker::FindOwners>("tessera::linalg::find_owners_of_rows", exec, n_shared, work);
  const std::int64_t n_sent = counts_to_offsets(exec, work.is_for, n_pairs, "rows for other processes");
  work.sent = make_array<Numbers>(exec, "linalg::sent_rows", n_sent);
  for_each_tagged<typename Worker::ListSent>("tessera::linalg::list_sent_rows", exec, n_pairs, work);
  std::vector<index_t> begins;
  for (std::size_t r = 0; r <= n_processes; ++r)
    begins.push_back(static_cast<index_t>(n_shared * static_cast<std::int64_t>(r)));
  const auto firsts = rows_on_host(exec, work.is_for, begins); // waits: the work arrays may be freed
  Offsets n_for;
  for (std::size_t r = 0; r < n_processes; ++r)
    n_for.push_back(firsts(r + 1) - firsts(r));
  return std::make_shared<const comm::Halo<ExecutionSpace>>(exec, *group.world, *group.transport, n, work.sent, n_for);
}

struct AddNumber {
  index_t number;
  const index_t* from;
  index_t* to;
  KOKKOS_FUNCTION void operator()(index_t i) const { to[i] = from[i] + number; }
};

} // namespace

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
rows_of_ghosts(const ExecutionSpace& exec, const comm::Halo<ExecutionSpace>& halo,
               const CrsMatrix<typename ExecutionSpace::memory_space>& owned, RowParts parts) {
  const auto received = exchange_rows(exec, halo, owned, parts);
  keep_alive(exec, received);
  return received.rows;
}

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_global_columns(const ExecutionSpace& exec, const comm::Layout<ExecutionSpace>& columns,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& rows) {
  auto result = rows;
  result.columns = comm::to_global_indices(exec, columns, rows.columns);
  return result;
}

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_ghost_rows(const ExecutionSpace& exec, const comm::Layout<ExecutionSpace>& ghosts,
                const CrsMatrix<typename ExecutionSpace::memory_space>& owned) {
  using Matrix = CrsMatrix<typename ExecutionSpace::memory_space>;
  if (!ghosts.is_distributed())
    return owned;
  const auto received = exchange_rows(exec, *ghosts.halo, owned, RowParts::columns_and_values);
  return stacked_rows(exec, std::vector<Matrix>{owned, received.rows}); // waits
}

// Traffic: the rows of all processes, once.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
gathered_rows(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
              const std::vector<std::int64_t>& offsets, const CrsMatrix<typename ExecutionSpace::memory_space>& owned) {
  using Space = typename ExecutionSpace::memory_space;
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const Offsets entries = group.world->offsets_of(owned.n_entries());
  const std::int64_t n_entries = checked_offset(entries.back(), "entries of all rows");
  CrsMatrix<Space> all;
  all.offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::offsets_of_rows", offsets.back() + 1);
  all.columns = make_array<Array<index_t*, Space>>(exec, "linalg::columns_of_rows", n_entries);
  all.values = make_array<Array<double*, Space>>(exec, "linalg::values_of_rows", n_entries);
  for_each("tessera::linalg::sizes_of_rows", exec, owned.n_rows(),
           SizesOfRows<Space>{owned.offsets, all.offsets, offsets[rank]});
  if (owned.n_entries() > 0) {
    const auto position = std::make_pair(entries[rank], entries[rank + 1]);
    copy(exec, Kokkos::subview(all.columns, position), owned.columns);
    copy(exec, Kokkos::subview(all.values, position), owned.values);
  }
  group.all_gather_parts(exec, all.offsets.data(), offsets, sizeof(offset_t));
  group.all_gather_parts(exec, all.columns.data(), entries, sizeof(index_t));
  group.all_gather_parts(exec, all.values.data(), entries, sizeof(double));
  counts_to_offsets(exec, all.offsets, offsets.back(), "entries of all rows"); // waits
  return all;
}

// Rows are sent to the processes that own their columns, together with the rows' global indices, which become the
// columns of the transpose. The rows that a process receives are the ghosts of its transpose.
template <class ExecutionSpace>
DistributedMatrix<ExecutionSpace>
transposed(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
           const std::vector<std::int64_t>& row_offsets, const std::vector<std::int64_t>& column_offsets,
           const CrsMatrix<typename ExecutionSpace::memory_space>& owned) {
  using Space = typename ExecutionSpace::memory_space;
  using Worker = CutColumns<Space>;
  if (!group.is_distributed()) // no rows to send, and no columns to cut
    return {transposed(exec, owned, static_cast<index_t>(column_offsets.back())),
            comm::Layout<ExecutionSpace>::local(owned.n_rows())};
  const auto rank = static_cast<std::size_t>(group.world->rank());
  DistributedMatrix<ExecutionSpace> result;
  result.columns.first = static_cast<index_t>(row_offsets[rank]);
  result.columns.n_owned = owned.n_rows();
  result.columns.halo = halo_to_owners(exec, group, column_offsets, owned);
  const comm::Halo<ExecutionSpace>& halo = *result.columns.halo;
  const auto numbers = make_array<Array<index_t*, Space>>(exec, "linalg::sent_numbers", halo.n_sent());
  for_each("tessera::linalg::sent_numbers", exec, halo.n_sent(),
           AddNumber{result.columns.first, halo.positions().data(), numbers.data()});
  result.columns.ghosts = make_array<Array<index_t*, Space>>(exec, "linalg::ghosts", halo.n_ghosts());
  halo.transport().exchange(exec, numbers.data(), result.columns.ghosts.data(), halo.neighbours(), sizeof(index_t));
  const auto received = exchange_rows(exec, halo, owned, RowParts::columns_and_values);
  index_t n_below = 0;
  for (const Neighbour& neighbour : halo.neighbours())
    if (neighbour.process < group.world->rank())
      n_below += static_cast<index_t>(neighbour.n_received);
  Worker cut{owned,
             received.rows,
             owned.n_rows(),
             n_below,
             static_cast<index_t>(column_offsets[rank]),
             static_cast<index_t>(column_offsets[rank + 1]),
             {}};
  const index_t n = result.columns.size();
  cut.to.offsets = make_array<decltype(cut.to.offsets)>(exec, "linalg::offsets_of_rows", n + 1);
  for_each_tagged<typename Worker::Count>("tessera::linalg::count_inside", exec, n, cut);
  const std::int64_t n_entries = counts_to_offsets(exec, cut.to.offsets, n, "entries of a transpose");
  cut.to.columns = make_array<decltype(cut.to.columns)>(exec, "linalg::columns_of_rows", n_entries);
  cut.to.values = make_array<decltype(cut.to.values)>(exec, "linalg::values_of_rows", n_entries);
  for_each_tagged<typename Worker::Fill>("tessera::linalg::fill_inside", exec, n, cut);
  result.rows = transposed(exec, cut.to, cut.end - cut.first);
  renumber_columns(exec, {n_below, owned.n_rows()}, result.rows.n_entries(), result.rows.columns.data(),
                   result.rows.columns.data());
  keep_alive(exec, cut, received, numbers);
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template CrsMatrix<Space::memory_space> rows_of_ghosts(const Space&, const comm::Halo<Space>&,                       \
                                                         const CrsMatrix<Space::memory_space>&, RowParts);             \
  template CrsMatrix<Space::memory_space> with_global_columns(const Space&, const comm::Layout<Space>&,                \
                                                              const CrsMatrix<Space::memory_space>&);                  \
  template CrsMatrix<Space::memory_space> with_ghost_rows(const Space&, const comm::Layout<Space>&,                    \
                                                          const CrsMatrix<Space::memory_space>&);                      \
  template CrsMatrix<Space::memory_space> gathered_rows(const Space&, const comm::ProcessGroup<Space>&,                \
                                                        const std::vector<std::int64_t>&,                              \
                                                        const CrsMatrix<Space::memory_space>&);                        \
  template DistributedMatrix<Space> transposed(const Space&, const comm::ProcessGroup<Space>&,                         \
                                               const std::vector<std::int64_t>&, const std::vector<std::int64_t>&,     \
                                               const CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
