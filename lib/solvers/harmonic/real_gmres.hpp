// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_REAL_GMRES_HPP
#define TESSERA_SOLVERS_HARMONIC_REAL_GMRES_HPP

#include "solvers/harmonic/shifted_operator.hpp"
#include "solvers/results.hpp"

#include <functional>

namespace tessera::solvers {

struct RealGmresOptions {
  double threshold = 0.; ///< for ||b - A x||_2
  int max_iterations = 1000;
  int restart = 60; ///< stored directions
};

/// Solves A x = b for one complex vector by restarted flexible GMRES (Y. Saad, SIAM J. Sci. Comput. 14, 1993) with the
/// real inner product Re(u^H v), for a map A that is linear for real factors but not for complex ones: the Jacobian
/// matrix of Newton's method. Starts from x = 0. `apply` computes A x. Waits for every product; complete on return.
template <class ExecutionSpace>
SolverResult real_gmres(const ExecutionSpace& exec,
                        const std::function<void(const ConstComplexColumns<1, ExecutionSpace>& x,
                                                 const ComplexColumns<1, ExecutionSpace>& y)>& apply,
                        const ShiftedPreconditioner<ExecutionSpace, 1>& m,
                        const ConstComplexColumns<1, ExecutionSpace>& b, const ComplexColumns<1, ExecutionSpace>& x,
                        const RealGmresOptions& options);

} // namespace tessera::solvers

#endif
