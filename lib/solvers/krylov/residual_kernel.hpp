// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_RESIDUAL_KERNEL_HPP
#define TESSERA_SOLVERS_KRYLOV_RESIDUAL_KERNEL_HPP

/// \file
/// The loop that recomputes a residual; private to the solvers.

#include "core/types.hpp"

#include <cstdint>

namespace tessera::solvers::detail {

/// r = b - q and the term of (r, r).
struct NewResidual {
  const double* b;
  const double* q;
  double* r;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double ri = b[i] - q[i];
    r[i] = ri;
    term[0] = ri * ri;
  }
};

} // namespace tessera::solvers::detail

#endif
