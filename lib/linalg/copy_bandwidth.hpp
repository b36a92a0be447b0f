// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_COPY_BANDWIDTH_HPP
#define TESSERA_LINALG_COPY_BANDWIDTH_HPP

/// \file
/// Copy bandwidth: the upper bound with which measured kernels are compared.

#include "core/parallel.hpp"

namespace tessera::linalg {

/// Bytes per second of y = x on arrays of doubles: each byte read and each byte written counts once, as in the traffic
/// models. The median of `n_runs` after one warm-up run. `total_bytes` (both arrays together) should be several times
/// the largest cache; the arrays are freed on return.
template <class ExecutionSpace>
double copy_bandwidth(const ExecutionSpace& exec, int n_runs, double total_bytes = 1073741824.);

} // namespace tessera::linalg

#endif
