// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_VECTOR_KERNELS_HPP
#define TESSERA_LINALG_VECTOR_KERNELS_HPP

/// \file
/// Separate vector operations; solvers have fused ones.

#include "linalg/linear_operator.hpp"

namespace tessera::linalg {

/// Terms of (x, y), for sums that do more than dot().
struct Products {
  const double* x;
  const double* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { term[0] = x[i] * y[i]; }
};

/// *xy = (x, y) in a fixed order, over the unknowns of all devices; `xy` is in the space's memory and the workspace is
/// for one sum over x. Does not wait.
template <class ExecutionSpace>
void dot(const ExecutionSpace& exec, const ConstVector<ExecutionSpace>& x, const ConstVector<ExecutionSpace>& y,
         const ReduceWorkspace<ExecutionSpace>& workspace, double* xy,
         const GlobalSums<ExecutionSpace>& sums = GlobalSums<ExecutionSpace>::local());

/// Squares between these limits neither overflow nor lose digits, with margins for tolerances and coefficients.
constexpr double smallest_square = 1e-200;
constexpr double largest_square = 1e200;

/// Power of two near the largest entry of x on all devices, by which to divide x so that squares of its entries can be
/// formed; 1 if there is none (x is zero or contains infinity). Waits.
template <class ExecutionSpace>
double unit_of(const ExecutionSpace& exec, const ConstVector<ExecutionSpace>& x,
               const GlobalSums<ExecutionSpace>& sums = GlobalSums<ExecutionSpace>::local());

} // namespace tessera::linalg

#endif
