// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_EXTERNAL_PETSC_SOLVER_HPP
#define TESSERA_SOLVERS_EXTERNAL_PETSC_SOLVER_HPP

/// \file
/// Solves systems by PETSc.

#include "comm/layout.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "solvers/external/petsc.hpp"
#include "solvers/krylov/pcg.hpp"

#include <memory>
#include <string>

namespace tessera::solvers {

/// Passes an assembled matrix to PETSc, through host memory, and solves with it. Tolerances and the number of
/// iterations are PETSc's defaults, which its options override; convergence is tested for ||b - A x||, as in our
/// solvers, unless its method or the options use another norm. Collective.
template <class ExecutionSpace> class PetscSolver : protected KrylovSolver<ExecutionSpace> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;
  using matrix_type = linalg::CrsMatrix<typename ExecutionSpace::memory_space>;

  /// `options` as on PETSc's command line; `location` is their place in the input, for errors.
  PetscSolver(std::string options, std::string location);

  /// Copies the owned rows, whose columns are numbered by `columns`, and sets PETSc up; call again for new values of
  /// the same pattern. `n_all`: number of rows of all processes. Throws an error of kind input for an option that PETSc
  /// rejects or does not use.
  void set_up(const ExecutionSpace& exec, const operator_type& a, const matrix_type& rows,
              const comm::Layout<ExecutionSpace>& columns, std::int64_t n_all, const SolverOptions& options);

  /// Like Pcg::solve(), with the matrix of set_up(). The status is that of PETSc; a converged solution whose true
  /// residual is too large is inaccurate.
  PcgResult solve(const ExecutionSpace& exec, const SolverOptions& options, const operator_type& a,
                  const const_vector_type& b, const vector_type& x);

private:
  std::string petsc_options_;
  std::string location_;
  std::unique_ptr<PetscEngine> engine_;
  bool constants_in_null_space_ = false;
};

} // namespace tessera::solvers

#endif
