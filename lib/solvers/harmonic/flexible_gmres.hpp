// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_FLEXIBLE_GMRES_HPP
#define TESSERA_SOLVERS_HARMONIC_FLEXIBLE_GMRES_HPP

#include "solvers/harmonic/cocg.hpp"

namespace tessera::solvers {

/// Continues from x in the selected columns by restarted flexible GMRES (Y. Saad, SIAM J. Sci. Comput. 14, 1993), which
/// cannot break down: each restart reduces the residual or ends the column as stagnated. Adds to the results'
/// iterations and sets their status and residual. Stores 2 CocgOptions::gmres_restart vectors and waits for every
/// product: for the few systems that COCG does not solve.
template <class ExecutionSpace, int N>
void flexible_gmres(const ExecutionSpace& exec, const ShiftedOperator<ExecutionSpace, N>& a,
                    const ShiftedPreconditioner<ExecutionSpace, N>& m, const ConstComplexColumns<N, ExecutionSpace>& b,
                    const ComplexColumns<N, ExecutionSpace>& x, const CocgOptions& options, std::array<bool, N> columns,
                    std::array<CocgResult, N>& results);

} // namespace tessera::solvers

#endif
