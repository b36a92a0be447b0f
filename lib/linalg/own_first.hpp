// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_OWN_FIRST_HPP
#define TESSERA_LINALG_OWN_FIRST_HPP

#include "core/parallel.hpp"

namespace tessera::linalg {

/// Numbers anew what a process has, unknowns or block rows: its own ones, [first, first + n_own) before, come first,
/// then the ghosts in their order.
struct OwnFirst {
  index_t first;
  index_t n_own;
  KOKKOS_FUNCTION bool is_own(index_t i) const { return i >= first && i < first + n_own; }
  KOKKOS_FUNCTION index_t operator()(index_t i) const { return is_own(i) ? i - first : i < first ? n_own + i : i; }
  /// What has this new number.
  KOKKOS_FUNCTION index_t old_number(index_t i) const {
    return i < n_own ? first + i : i < n_own + first ? i - n_own : i;
  }
};

/// Numbers columns so.
struct RenumberColumns {
  OwnFirst own;
  const index_t* from;
  index_t* to; ///< may be the same
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to[k] = own(from[k]); }
};

} // namespace tessera::linalg

#endif
