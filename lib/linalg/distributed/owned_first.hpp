// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_OWNED_FIRST_HPP
#define TESSERA_LINALG_DISTRIBUTED_OWNED_FIRST_HPP

#include "core/parallel.hpp"

namespace tessera::linalg {

/// Renumbers the local items of a process, unknowns or block rows: the owned ones, previously [first, first + n_owned),
/// come first, then the ghosts in their order.
struct OwnedFirst {
  index_t first;
  index_t n_owned;
  KOKKOS_FUNCTION bool is_owned(index_t i) const { return i >= first && i < first + n_owned; }
  KOKKOS_FUNCTION index_t operator()(index_t i) const { return is_owned(i) ? i - first : i < first ? n_owned + i : i; }
  /// The previous number of item i.
  KOKKOS_FUNCTION index_t old_number(index_t i) const {
    return i < n_owned ? first + i : i < n_owned + first ? i - n_owned : i;
  }
};

/// Renumbers columns, several per thread so that more loads are in flight.
struct RenumberColumns {
  static constexpr int by_thread = 4;
  OwnedFirst owned;
  std::int64_t n;
  std::int64_t n_threads;
  const index_t* from;
  index_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int u = 0; u < by_thread; ++u) {
      const std::int64_t k = i + u * n_threads;
      if (k < n)
        to[k] = owned(from[k]);
    }
  }
};

/// Renumbers n columns; `to` may be `from`.
template <class ExecutionSpace>
void renumber_columns(const ExecutionSpace& exec, const OwnedFirst& owned, std::int64_t n, const index_t* from,
                      index_t* to) {
  const std::int64_t n_threads = (n + RenumberColumns::by_thread - 1) / RenumberColumns::by_thread;
  for_each<std::int64_t>("tessera::linalg::owned_columns", exec, n_threads,
                         RenumberColumns{owned, n, n_threads, from, to});
}

} // namespace tessera::linalg

#endif
