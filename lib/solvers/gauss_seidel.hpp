// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_GAUSS_SEIDEL_HPP
#define TESSERA_SOLVERS_GAUSS_SEIDEL_HPP

/// \file
/// Symmetric Gauss-Seidel as a preconditioner.

#include "core/kokkos_ext/kernels_gauss_seidel.hpp"
#include "linalg/crs_matrix.hpp"
#include "solvers/preconditioner.hpp"

#include <memory>

namespace tessera::solvers {

/// M = (D + L) D^-1 (D + L^T) with the rows in the order of a colouring, by Kokkos Kernels: one forward and one
/// backward sweep. For assembled matrices only, whose entries must not change while it is used. Not reproducible: the
/// colouring, and with it the number of iterations, may differ a little from run to run
/// (core/kokkos_ext/kernels_gauss_seidel.hpp).
template <class ExecutionSpace> class SymmetricGaussSeidel final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;

  /// Throws an Error of kind numerical that names the first unknown whose diagonal entry is not positive and finite.
  SymmetricGaussSeidel(const ExecutionSpace& exec, const linalg::CrsOperator<ExecutionSpace>& a);

  std::string name() const override { return "symmetric-gauss-seidel"; }
  bool is_symmetric() const override { return true; }
  /// Waits for `exec`.
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  linalg::Traffic traffic() const override { return traffic_; }

private:
  std::shared_ptr<KernelsGaussSeidel<ExecutionSpace>> kernels_;
  linalg::Traffic traffic_;
};

} // namespace tessera::solvers

#endif
