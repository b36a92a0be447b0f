// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/reproducible.hpp"

namespace tessera::driver {

void check_reproducible(const io::Case& input, assembly::Strategy strategy) {
  if (!input.execution.reproducible)
    return;
  TESSERA_REQUIRE(assembly::is_deterministic(strategy),
                  "execution.reproducible: strategy '" << io::name_of(strategy)
                                                       << "' adds in an order that changes from run to run. Use "
                                                       << assembly::strategy_names(assembly::is_deterministic) << '.');
  TESSERA_REQUIRE(!assembly::uses_coloring(strategy) || input.assembly.coloring != io::Coloring::kokkos_kernels,
                  "execution.reproducible: the colours of kokkos-kernels may change from run to run. Use node-claims, "
                  "ccm, fcm or ofcm.");
  TESSERA_REQUIRE(input.solver.preconditioner != io::Preconditioner::symmetric_gauss_seidel,
                  "execution.reproducible: the order of rows in symmetric-gauss-seidel may change from run to run. Use "
                  "jacobi or none.");
}

} // namespace tessera::driver
