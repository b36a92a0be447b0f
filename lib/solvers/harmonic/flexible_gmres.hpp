// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_FLEXIBLE_GMRES_HPP
#define TESSERA_SOLVERS_HARMONIC_FLEXIBLE_GMRES_HPP

#include "solvers/harmonic/cocg.hpp"
#include "solvers/results.hpp"

#include <functional>

namespace tessera::solvers {

/// y = A x for N complex columns.
template <class ExecutionSpace, int N>
using ComplexMap =
    std::function<void(const ConstComplexColumns<N, ExecutionSpace>& x, const ComplexColumns<N, ExecutionSpace>& y)>;

/// Continues from x in the selected columns by restarted flexible GMRES (Y. Saad, SIAM J. Sci. Comput. 14, 1993), which
/// cannot break down: each restart reduces the residual or ends the column as stagnated. Adds to the results'
/// iterations and sets their status and residual. Stores 2 CocgOptions::gmres_restart vectors and waits for every
/// product: for the few systems that COCG does not solve.
template <class ExecutionSpace, int N>
void flexible_gmres(const ExecutionSpace& exec, const ShiftedOperator<ExecutionSpace, N>& a,
                    const ShiftedPreconditioner<ExecutionSpace, N>& m, const ConstComplexColumns<N, ExecutionSpace>& b,
                    const ComplexColumns<N, ExecutionSpace>& x, const CocgOptions& options, std::array<bool, N> columns,
                    std::array<CocgResult, N>& results);

struct RealGmresOptions {
  double threshold = 0.; ///< for ||b - A x||_2
  int max_iterations = 1000;
  int restart = 60; ///< stored directions
};

/// Solves A x = b for one complex vector likewise, but with the real inner product Re(u^H v): for a map A that is
/// linear for real factors only, the Jacobian matrix of Newton's method. Starts from x = 0. `sums`: over the unknowns
/// of all processes. Complete on return.
template <class ExecutionSpace>
SolverResult real_gmres(const ExecutionSpace& exec, const ComplexMap<ExecutionSpace, 1>& a,
                        const ShiftedPreconditioner<ExecutionSpace, 1>& m,
                        const ConstComplexColumns<1, ExecutionSpace>& b, const ComplexColumns<1, ExecutionSpace>& x,
                        const RealGmresOptions& options,
                        const linalg::GlobalSums<ExecutionSpace>& sums = linalg::GlobalSums<ExecutionSpace>::local());

} // namespace tessera::solvers

#endif
