// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_OWN_FIRST_HPP
#define TESSERA_LINALG_DISTRIBUTED_OWN_FIRST_HPP

#include "core/parallel.hpp"

namespace tessera::linalg {

/// Renumbers the local items of a process, unknowns or block rows: the owned ones, previously [first, first + n_own),
/// come first, then the ghosts in their order.
struct OwnFirst {
  index_t first;
  index_t n_own;
  KOKKOS_FUNCTION bool is_own(index_t i) const { return i >= first && i < first + n_own; }
  KOKKOS_FUNCTION index_t operator()(index_t i) const { return is_own(i) ? i - first : i < first ? n_own + i : i; }
  /// The previous number of item i.
  KOKKOS_FUNCTION index_t old_number(index_t i) const {
    return i < n_own ? first + i : i < n_own + first ? i - n_own : i;
  }
};

/// Renumbers columns, several per thread so that more loads are in flight.
struct RenumberColumns {
  static constexpr int by_thread = 4;
  OwnFirst own;
  std::int64_t n;
  std::int64_t n_threads;
  const index_t* from;
  index_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int u = 0; u < by_thread; ++u) {
      const std::int64_t k = i + u * n_threads;
      if (k < n)
        to[k] = own(from[k]);
    }
  }
};

/// Renumbers n columns; `to` may be `from`.
template <class ExecutionSpace>
void renumber_columns(const ExecutionSpace& exec, const OwnFirst& own, std::int64_t n, const index_t* from,
                      index_t* to) {
  const std::int64_t n_threads = (n + RenumberColumns::by_thread - 1) / RenumberColumns::by_thread;
  for_each<std::int64_t>("tessera::linalg::own_columns", exec, n_threads, RenumberColumns{own, n, n_threads, from, to});
}

} // namespace tessera::linalg

#endif
