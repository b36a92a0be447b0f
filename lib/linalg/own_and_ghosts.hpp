// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_OWN_AND_GHOSTS_HPP
#define TESSERA_LINALG_OWN_AND_GHOSTS_HPP

/// \file
/// Entries of distributed vectors that a process has, and their numbers.

#include "comm/halo.hpp"
#include "linalg/crs_matrix.hpp"

#include <memory>
#include <vector>

namespace tessera::linalg {

/// The entries of vectors that a process has: its own, [first, first + n_own) of all, and behind them its ghosts, those
/// of other processes that some rows of it have as columns. One process alone has all and no ghosts.
template <class ExecutionSpace> struct OwnAndGhosts {
  index_t first = 0;
  index_t n_own = 0;
  Array<index_t*, ExecutionSpace> ghosts; ///< numbers among all, ascending
  std::shared_ptr<const comm::Halo<ExecutionSpace>> halo;

  index_t n_ghosts() const { return static_cast<index_t>(ghosts.extent(0)); }
  index_t size() const { return n_own + n_ghosts(); }
  /// Gets the ghosts of a vector, whose own entries are there, from their owners. Collective.
  template <class T> void update(const ExecutionSpace& exec, const Array<T*, ExecutionSpace>& values) const {
    if (halo)
      halo->update(exec, values);
  }
};

/// All `n` entries, by one process alone.
template <class ExecutionSpace> OwnAndGhosts<ExecutionSpace> all_own(index_t n) { return {0, n, {}, nullptr}; }

/// The processes that share the entries of vectors: r has [offsets[r], offsets[r + 1]) of its own. Without offsets one
/// process has all.
template <class ExecutionSpace> struct Shares {
  comm::Group<ExecutionSpace> group;
  std::vector<std::int64_t> offsets;
};

/// Process r has the entries [offsets[r], offsets[r + 1]) of its own. Collective.
template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> make_own_and_ghosts(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                                 const std::vector<std::int64_t>& offsets,
                                                 const std::vector<std::int64_t>& ghosts);

/// The same by ghosts in the device's memory, ascending.
template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> make_own_and_ghosts(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                                 const std::vector<std::int64_t>& offsets,
                                                 const Array<index_t*, ExecutionSpace>& ghosts);

/// The numbers of the ghosts. Waits.
template <class ExecutionSpace>
std::vector<std::int64_t> ghosts_on_host(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns);

/// Own numbers that changed, because ghosts were added.
template <class ExecutionSpace> struct GhostsMoved {
  index_t n_own = 0;
  Array<const index_t*, ExecutionSpace> place; ///< of each ghost of before among those of now
  KOKKOS_FUNCTION index_t operator()(index_t i) const { return i < n_own ? i : n_own + place(i - n_own); }
};

/// Adds ghosts, ascending, of which some may be there. Collective.
template <class ExecutionSpace>
GhostsMoved<ExecutionSpace> add_ghosts(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                                       const std::vector<std::int64_t>& more, OwnAndGhosts<ExecutionSpace>& columns);

/// Replaces numbers among all by the process's own ones; those that are neither own nor ghosts by size().
template <class ExecutionSpace>
void number_own_first(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns,
                      const Array<index_t*, ExecutionSpace>& numbers);

/// Finds the ghosts among the columns of rows, which are numbers among all, and replaces these by the process's own
/// numbers: a row's entries keep their order. The number of all, which stands for none, becomes size(). Collective.
template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> number_own_first(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                              const std::vector<std::int64_t>& offsets,
                                              CrsMatrix<typename ExecutionSpace::memory_space>& rows);

/// The rows with columns that are numbers among all again. Shares offsets and values.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_numbers_of_all(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& rows);

} // namespace tessera::linalg

#endif
