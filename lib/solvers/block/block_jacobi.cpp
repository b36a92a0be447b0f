// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/block/block_jacobi.hpp"

#include "solvers/block/diagonal_blocks.hpp"

namespace tessera::solvers {

template <class ExecutionSpace>
BlockJacobi<ExecutionSpace>::BlockJacobi(const ExecutionSpace& exec, const linalg::BlockCrsOperator<ExecutionSpace>& a)
    : Preconditioner<ExecutionSpace>(a.size(), "block-jacobi", a.is_symmetric()),
      inverse_(exec, invert_diagonal_blocks(exec, a.matrix(), "block-jacobi"),
               a.is_symmetric() ? linalg::Symmetry::symmetric : linalg::Symmetry::general) {}

#define TESSERA_INSTANTIATE(Space) template class BlockJacobi<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
