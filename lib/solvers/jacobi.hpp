// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_JACOBI_HPP
#define TESSERA_SOLVERS_JACOBI_HPP

/// \file
/// Diagonal preconditioner.

#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

/// M = diag(A).
template <class ExecutionSpace> class Jacobi final : public Fused<ExecutionSpace> {
public:
  using typename Fused<ExecutionSpace>::vector_type;
  using typename Fused<ExecutionSpace>::const_vector_type;
  using typename Fused<ExecutionSpace>::Pointwise;

  /// Uses the operator's diagonal. Throws an Error of kind numerical that states the first unknown whose diagonal entry
  /// is zero, negative or not finite.
  Jacobi(const ExecutionSpace& exec, const linalg::LinearOperator<ExecutionSpace>& a);

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  Pointwise pointwise() const override { return {Inverse::pointwise, scale_}; }

private:
  vector_type scale_; // 1 / diag(A)
};

} // namespace tessera::solvers

#endif
