// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_TEAM_POLICY_HPP
#define TESSERA_LINALG_PATTERN_TEAM_POLICY_HPP

/// \file
/// Ranges of rows, on which the bodies of loops over rows work: one row by one host thread, or the rows of a team. A
/// team takes consecutive rows, one per thread, so that the contiguous data of these rows (pairs, columns, values) are
/// read and written by neighbouring threads through the team's scratch memory. Accesses of single threads would each
/// touch a separate cache line.

#include "core/kokkos_ext/host/concurrency.hpp"
#include "core/parallel.hpp"

#include <vector>

namespace tessera::linalg {

/// Maximum scratch memory of a team; teams whose rows need more work without it. Every device has 48 KiB.
constexpr std::size_t max_team_scratch = 47 * 1024;

/// One row of a single thread, with the interface of TeamRows: without scratch memory, arrays are accessed in place.
struct SingleRow {
  static constexpr bool in_team = false;
  static constexpr int rank = 0;
  static constexpr int size = 1;
  index_t first;
  index_t end;

  template <class T> KOKKOS_FUNCTION static T* scratch(int) { return nullptr; }
  template <class T> KOKKOS_FUNCTION static T* output(T* target, int) { return target; }
  template <class T> KOKKOS_FUNCTION static const T* input(const T* source, int, int) { return source; }
  template <class T> KOKKOS_FUNCTION static void write(T*, const T*, int) {}
  KOKKOS_FUNCTION static void barrier() {}
  template <class T> KOKKOS_FUNCTION static void fill(T* to, T value, int n) {
    for (int i = 0; i < n; ++i)
      to[i] = value;
  }
};

/// The rows of one team and their memory.
template <class Team, int Rows> struct TeamRows {
  static constexpr bool in_team = true;
  const Team& team;
  index_t first;
  index_t end;
  int rank;
  int size;

  KOKKOS_FUNCTION TeamRows(const Team& team_in, index_t n_rows)
      : team(team_in), first(static_cast<index_t>(team_in.league_rank()) * Rows),
        end(n_rows - first > Rows ? first + Rows : n_rows), rank(team_in.team_rank()), size(team_in.team_size()) {}

  template <class T> KOKKOS_FUNCTION T* scratch(int n) const {
    return static_cast<T*>(team.team_shmem().get_shmem_aligned(sizeof(T) * n, alignof(T) > 8 ? alignof(T) : 8));
  }
  KOKKOS_FUNCTION void barrier() const { team.team_barrier(); }

  /// Scratch memory for up to `capacity` items, in which to make the items of `target`; then call write().
  template <class T> KOKKOS_FUNCTION T* output(T*, int capacity) const { return scratch<T>(capacity); }
  /// Copies n items from `source` to scratch memory for up to `capacity`; available after the next barrier.
  template <class T> KOKKOS_FUNCTION const T* input(const T* source, int n, int capacity) const {
    T* const items = scratch<T>(capacity);
    copy(items, source, n);
    return items;
  }
  /// Writes n items of an output() to their target, after a barrier.
  template <class T> KOKKOS_FUNCTION void write(T* target, const T* items, int n) const { copy(target, items, n); }

  template <class Load, class Store> KOKKOS_FUNCTION void batched(int n, const Load& load, const Store& store) const {
    load_in_batches(rank, size, n, load, store);
  }

  /// to[i] = from[i].
  template <class T, class U> KOKKOS_FUNCTION void copy(T* to, const U* from, int n) const {
    batched(
        n, [&](int i) -> T { return from[i]; }, [&](int i, T item) { to[i] = item; });
  }
  template <class T> KOKKOS_FUNCTION void fill(T* to, T value, int n) const {
    for (int i = rank; i < n; i += size)
      to[i] = value;
  }
};

namespace detail {
template <class Body> struct SingleRows {
  Body body;
  KOKKOS_FUNCTION void operator()(index_t row) const { body(SingleRow{row, row + 1}); }
};

template <int Rows, class Body, class ExecutionSpace> struct RowTeams {
  Body body;
  index_t n_rows;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const { body(TeamRows<Team, Rows>(team, n_rows)); }
};

/// The largest number of entries in the rows of one team.
template <int Rows, class Space> struct LargestTeamRows {
  Array<const offset_t*, Space> offsets;
  index_t n_rows;
  KOKKOS_FUNCTION void operator()(index_t block, int& largest) const {
    const index_t first = block * Rows;
    const index_t end = n_rows - first > Rows ? first + Rows : n_rows;
    const offset_t n = offsets(end) - offsets(first);
    const int bounded = n < (offset_t(1) << 30) ? static_cast<int>(n) : 1 << 30;
    if (bounded > largest)
      largest = bounded;
  }
};
} // namespace detail

/// Calls `body(TeamRows)` for every `Rows` consecutive rows of [0, n_rows).
template <int Rows, class ExecutionSpace, class Body>
void for_each_team_rows(const char* label, const ExecutionSpace& exec, index_t n_rows, std::size_t scratch_bytes,
                        const Body& body) {
  if (n_rows <= 0)
    return;
  // On a host, which uses this in tests only, a team has two threads if there are several.
  const int team_size = !is_host_space<ExecutionSpace> ? Rows : concurrency(exec) > 1 ? 2 : 1;
  launch_teams(label,
               Kokkos::TeamPolicy<ExecutionSpace>(exec, (n_rows - 1) / Rows + 1, team_size)
                   .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes)),
               detail::RowTeams<Rows, Body, ExecutionSpace>{body, n_rows});
}

/// Scratch sizes of the successive launches of a loop over teams, ascending: the maximum for all teams, or first a size
/// that suffices for most of them if a few need much more (vertices of order 2), since scratch memory limits how many
/// teams run at a time.
inline std::vector<int> scratch_of_launches(std::int64_t largest, double mean) {
  const auto most = static_cast<std::int64_t>(1.15 * mean);
  if (largest > 1.3 * static_cast<double>(most))
    return {static_cast<int>(most), static_cast<int>(largest)};
  return {static_cast<int>(largest)};
}

/// Largest number of entries in one team's rows, from the rows' offsets (waits).
template <int Rows, class ExecutionSpace, class Offsets>
int largest_team_rows(const ExecutionSpace& exec, index_t n_rows, const Offsets& offsets) {
  int largest = 0;
  if (n_rows > 0)
    Kokkos::parallel_reduce(
        "tessera::linalg::largest_team_rows",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, (n_rows - 1) / Rows + 1),
        detail::LargestTeamRows<Rows, typename ExecutionSpace::memory_space>{offsets, n_rows},
        Kokkos::Max<int>(largest));
  exec.fence();
  return largest;
}

/// Reduces the number of items of a team in scratch memory by a quarter until they fit; larger teams then work without.
template <class Body> void fit_team_scratch(Body& body, int& max_entries, int& max_pairs) {
  while (body.scratch_bytes() > max_team_scratch && max_entries + max_pairs > 0) {
    max_entries -= (max_entries + 3) / 4;
    max_pairs -= (max_pairs + 3) / 4;
  }
}

/// Calls `body(range)` for all rows in [0, n_rows): by teams of `Rows` rows, or, if that is 1, by single threads.
template <int Rows, class ExecutionSpace, class Body>
void for_each_row(const char* label, const ExecutionSpace& exec, index_t n_rows, Body body) {
  if constexpr (Rows == 1) {
    for_each(label, exec, n_rows, detail::SingleRows<Body>{body});
  } else {
    body.fit_scratch();
    for_each_team_rows<Rows>(label, exec, n_rows, body.scratch_bytes(), body);
  }
}

} // namespace tessera::linalg

#endif
