// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PEAK_RATE_HPP
#define TESSERA_LINALG_PEAK_RATE_HPP

/// \file
/// Arithmetic peak: the upper bound of kernels that are not limited by memory.

#include "core/parallel.hpp"
#include "core/precision.hpp"

namespace tessera::linalg {

/// Floating-point operations per second of independent fused multiply-adds, which count two each, on all threads. The
/// best of `n_runs` after one warm-up run.
template <class ExecutionSpace>
double peak_rate(const ExecutionSpace& exec, int n_runs = 9, Precision precision = Precision::double_precision);

} // namespace tessera::linalg

#endif
