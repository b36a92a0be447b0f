// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_BLOCK_JACOBI_HPP
#define TESSERA_SOLVERS_BLOCK_BLOCK_JACOBI_HPP

#include "linalg/blocks/block_crs_operator.hpp"
#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

/// M = the diagonal blocks of A, whose inverses are stored. Symmetric if A is.
template <class ExecutionSpace> class BlockJacobi final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;

  /// Inverts the blocks on the device. Throws an Error of kind numerical that states the first block row whose block is
  /// singular.
  BlockJacobi(const ExecutionSpace& exec, const linalg::BlockCrsOperator<ExecutionSpace>& a);

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override {
    inverse_.apply(exec, r, z);
  }
  linalg::Traffic traffic() const override { return inverse_.traffic(); }

private:
  linalg::BlockCrsOperator<ExecutionSpace> inverse_;
};

} // namespace tessera::solvers

#endif
