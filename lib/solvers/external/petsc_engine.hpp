// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_EXTERNAL_PETSC_ENGINE_HPP
#define TESSERA_SOLVERS_EXTERNAL_PETSC_ENGINE_HPP

/// \file
/// The interface between Tessera and PETSc: host data only, without headers of either. The module apps/tessera-petsc
/// implements it; exceptions do not cross the module's boundary.

#include "core/index.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::solvers {

/// Rows [first, first + n_rows) of a square matrix whose rows are distributed in the order of ranks.
struct PetscRows {
  std::int64_t first = 0;
  std::int64_t n_rows = 0;
  std::int64_t n_all = 0;
  const offset_t* offsets = nullptr; ///< [n_rows + 1]
  const index_t* columns = nullptr;  ///< global indices
  const double* values = nullptr;
};

/// Values used unless PETSc's options override them.
struct PetscTolerances {
  double relative = 0.;
  double absolute = 0.;
  int max_iterations = 0;
};

/// Outcome of a call.
struct PetscEnd {
  enum class How {
    done,
    refused, ///< PETSc rejects an option, or does not know it
    failed,  ///< any other error
    no_memory
  };
  How how = How::done;
  std::string message; ///< from PETSc, unless done
};

/// Outcome of a solve.
struct PetscOutcome {
  enum class Kind { converged, max_iterations, breakdown };
  Kind kind = Kind::breakdown;
  std::string reason; ///< "DIVERGED_ITS"
  int iterations = 0;
  double residual = 0.;         ///< the norm that PETSc tested
  bool judges_residual = false; ///< whether that norm is ||b - A x||_2
  double relative = 0.;         ///< tolerances after the options
  double absolute = 0.;
  std::vector<std::string> left; ///< unused options, "-ksp_tpye"
};

/// A matrix in PETSc with its Krylov method and preconditioner. All functions are collective.
class PetscEngine {
public:
  virtual ~PetscEngine() = default;
  /// Copies the rows: the first call sets the pattern, later ones new values of the same pattern.
  virtual PetscEnd set_rows(const PetscRows& rows, bool is_symmetric, bool constants_in_null_space) = 0;
  /// Makes the preconditioner with the given options. Refuses options that are unused afterwards, except those used
  /// only in a solve: names that end like "view", "reason" and "monitor".
  virtual PetscEnd set_up(const std::string& options, const PetscTolerances& tolerances) = 0;
  /// `x` holds the initial guess and then the solution.
  virtual PetscEnd solve(const PetscTolerances& tolerances, const double* b, double* x,
                         const std::function<void(int iterations, double residual)>& monitor,
                         PetscOutcome& outcome) = 0;
};

/// Names of the module's functions. The first engine initialises PETSc, and MPI if that has not been initialised.
constexpr const char* petsc_make_name = "tessera_petsc_make";
constexpr const char* petsc_finalize_name = "tessera_petsc_finalize";
using PetscMake = PetscEngine* (*)();
using PetscFinalizeCall = void (*)();

} // namespace tessera::solvers

#endif
