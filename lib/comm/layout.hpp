// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_LAYOUT_HPP
#define TESSERA_COMM_LAYOUT_HPP

/// \file
/// Layout of distributed vectors: their local entries, owned and ghosts, and the indices of these. One process has a
/// layout without ghosts, so that the same code serves one process and several.

#include "comm/halo.hpp"

#include <initializer_list>
#include <memory>
#include <vector>

namespace tessera::comm {

/// The local entries of distributed vectors: the owned ones, [first, first + n_owned) of the global range, followed by
/// the ghosts, entries of other processes that occur as columns of local rows.
template <class ExecutionSpace> struct Layout {
  index_t first = 0;
  index_t n_owned = 0;
  Array<index_t*, ExecutionSpace> ghosts; ///< global indices, ascending
  std::shared_ptr<const Halo<ExecutionSpace>> halo;

  /// The layout of one process: it owns all `n` entries.
  static Layout local(index_t n) { return {0, n, {}, nullptr}; }

  index_t n_ghosts() const { return static_cast<index_t>(ghosts.extent(0)); }
  index_t size() const { return n_owned + n_ghosts(); }
  /// Whether several processes share the entries, though this one may have no ghosts. For algorithms that cost more
  /// with several processes; exchanges need no test.
  bool is_distributed() const { return halo != nullptr; }
  /// Receives the ghost entries of a vector, whose owned entries are set, from their owners. Does nothing in one
  /// process. Collective.
  template <class T> void update(const ExecutionSpace& exec, const Array<T*, ExecutionSpace>& values) const {
    if (halo)
      halo->update(exec, values);
  }
  /// Receives the ghost entries alone. Does nothing in one process. Collective.
  void receive(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& owned,
               const Array<double*, ExecutionSpace>& ghost_values) const {
    if (halo)
      halo->receive(exec, owned, ghost_values);
  }
};

/// Distribution of vector entries over processes: r owns [offsets[r], offsets[r + 1]).
template <class ExecutionSpace> struct Shares {
  ProcessGroup<ExecutionSpace> group;
  std::vector<std::int64_t> offsets;
};

/// Process r owns the entries [offsets[r], offsets[r + 1]). `ghosts`: ascending. Collective.
template <class ExecutionSpace>
Layout<ExecutionSpace> make_layout(const ExecutionSpace& exec, const ProcessGroup<ExecutionSpace>& group,
                                   const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& ghosts);

/// The same with ghosts in the device's memory.
template <class ExecutionSpace>
Layout<ExecutionSpace> make_layout(const ExecutionSpace& exec, const ProcessGroup<ExecutionSpace>& group,
                                   const std::vector<std::int64_t>& offsets,
                                   const Array<index_t*, ExecutionSpace>& ghosts);

/// Global indices of the ghosts. Waits.
template <class ExecutionSpace>
std::vector<std::int64_t> ghosts_on_host(const ExecutionSpace& exec, const Layout<ExecutionSpace>& layout);

/// Change of local indices after ghosts were added.
template <class ExecutionSpace> struct GhostsMoved {
  index_t n_owned = 0;
  Array<const index_t*, ExecutionSpace> position; ///< new index of each previous ghost among the ghosts
  KOKKOS_FUNCTION index_t operator()(index_t i) const { return i < n_owned ? i : n_owned + position(i - n_owned); }
};

/// Adds ghosts, ascending, some of which may exist already. Collective.
template <class ExecutionSpace>
GhostsMoved<ExecutionSpace> add_ghosts(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                                       const std::vector<std::int64_t>& more, Layout<ExecutionSpace>& layout);

/// Replaces global indices by local ones (owned first, then ghosts); indices that are neither owned nor ghosts become
/// size(). In one process local indices are the global ones.
template <class ExecutionSpace>
void to_local_indices(const ExecutionSpace& exec, const Layout<ExecutionSpace>& layout,
                      const Array<index_t*, ExecutionSpace>& indices);

/// The global indices of local ones; the same array in one process.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> to_global_indices(const ExecutionSpace& exec, const Layout<ExecutionSpace>& layout,
                                                  const Array<index_t*, ExecutionSpace>& indices);

/// Finds the ghosts among columns of local rows, arrays of global indices, and replaces the arrays by ones of local
/// indices. The global size, which means no column, becomes size(). Process r owns the columns [offsets[r],
/// offsets[r + 1]). Collective.
template <class ExecutionSpace>
Layout<ExecutionSpace> number_owned_first(const ExecutionSpace& exec, const ProcessGroup<ExecutionSpace>& group,
                                          const std::vector<std::int64_t>& offsets,
                                          std::initializer_list<Array<index_t*, ExecutionSpace>*> columns);

} // namespace tessera::comm

#endif
