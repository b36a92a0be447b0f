// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_JACOBI_HPP
#define TESSERA_SOLVERS_JACOBI_HPP

/// \file
/// Diagonal preconditioner.

#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

/// M = diag(A).
template <class ExecutionSpace> class Jacobi final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;
  using typename Preconditioner<ExecutionSpace>::Pointwise;

  /// Uses the operator's diagonal. Throws an Error of kind numerical that states the first unknown whose diagonal entry
  /// is zero, negative or not finite.
  Jacobi(const ExecutionSpace& exec, const linalg::LinearOperator<ExecutionSpace>& a);

  std::string name() const override { return "jacobi"; }
  bool is_symmetric() const override { return true; }
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  Pointwise pointwise() const override { return {true, scale_}; }

private:
  vector_type scale_; // 1 / diag(A)
};

} // namespace tessera::solvers

#endif
