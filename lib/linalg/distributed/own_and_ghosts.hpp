// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_OWN_AND_GHOSTS_HPP
#define TESSERA_LINALG_DISTRIBUTED_OWN_AND_GHOSTS_HPP

/// \file
/// Local entries of distributed vectors, owned and ghosts, and their indices.

#include "comm/halo.hpp"
#include "linalg/crs/crs_matrix.hpp"

#include <memory>
#include <vector>

namespace tessera::linalg {

/// The local entries of distributed vectors: the owned ones, [first, first + n_own) of the global range, followed by
/// the ghosts, entries of other processes that occur as columns of local rows. A single process owns all entries and
/// has no ghosts.
template <class ExecutionSpace> struct OwnAndGhosts {
  index_t first = 0;
  index_t n_own = 0;
  Array<index_t*, ExecutionSpace> ghosts; ///< global indices, ascending
  std::shared_ptr<const comm::Halo<ExecutionSpace>> halo;

  index_t n_ghosts() const { return static_cast<index_t>(ghosts.extent(0)); }
  index_t size() const { return n_own + n_ghosts(); }
  /// Receives the ghost entries of a vector, whose owned entries are set, from their owners. Collective.
  template <class T> void update(const ExecutionSpace& exec, const Array<T*, ExecutionSpace>& values) const {
    if (halo)
      halo->update(exec, values);
  }
};

/// All `n` entries, owned by a single process.
template <class ExecutionSpace> OwnAndGhosts<ExecutionSpace> all_own(index_t n) { return {0, n, {}, nullptr}; }

/// Distribution of vector entries over processes: r owns [offsets[r], offsets[r + 1]). Without offsets one process has
/// all.
template <class ExecutionSpace> struct Shares {
  comm::Group<ExecutionSpace> group;
  std::vector<std::int64_t> offsets;
};

/// Process r owns the entries [offsets[r], offsets[r + 1]). Collective.
template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> make_own_and_ghosts(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                                 const std::vector<std::int64_t>& offsets,
                                                 const std::vector<std::int64_t>& ghosts);

/// The same with ghosts in the device's memory, ascending.
template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> make_own_and_ghosts(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                                 const std::vector<std::int64_t>& offsets,
                                                 const Array<index_t*, ExecutionSpace>& ghosts);

/// Global indices of the ghosts. Waits.
template <class ExecutionSpace>
std::vector<std::int64_t> ghosts_on_host(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns);

/// Change of local indices after ghosts were added.
template <class ExecutionSpace> struct GhostsMoved {
  index_t n_own = 0;
  Array<const index_t*, ExecutionSpace> place; ///< new index of each previous ghost among the ghosts
  KOKKOS_FUNCTION index_t operator()(index_t i) const { return i < n_own ? i : n_own + place(i - n_own); }
};

/// Adds ghosts, ascending, some of which may exist already. Collective.
template <class ExecutionSpace>
GhostsMoved<ExecutionSpace> add_ghosts(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                                       const std::vector<std::int64_t>& more, OwnAndGhosts<ExecutionSpace>& columns);

/// Replaces global indices by local ones (owned first, then ghosts); indices that are neither owned nor ghosts become
/// size().
template <class ExecutionSpace>
void number_own_first(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns,
                      const Array<index_t*, ExecutionSpace>& numbers);

/// Finds the ghosts among the columns of rows, which are global indices, and replaces these by local ones: a row's
/// entries keep their order. The global size, which stands for no column, becomes size(). Collective.
template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> number_own_first(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                              const std::vector<std::int64_t>& offsets,
                                              CrsMatrix<typename ExecutionSpace::memory_space>& rows);

/// The rows with global column indices. Shares offsets and values.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_numbers_of_all(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& rows);

} // namespace tessera::linalg

#endif
