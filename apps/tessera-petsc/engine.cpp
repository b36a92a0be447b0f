// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// The only file that includes PETSc.

#include "solvers/external/petsc_engine.hpp"

#include <petscksp.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

namespace {

using tessera::solvers::PetscEnd;
using tessera::solvers::PetscEngine;
using tessera::solvers::PetscOutcome;
using tessera::solvers::PetscRows;
using tessera::solvers::PetscTolerances;

/// Returns the error code of `call` from the enclosing function if it is an error.
#define TESSERA_PETSC(call)                                                                                            \
  do {                                                                                                                 \
    const PetscErrorCode tessera_code_ = (call);                                                                       \
    if (tessera_code_ != 0)                                                                                            \
      return tessera_code_;                                                                                            \
  } while (false)

/// Stores the first message of an error instead of printing its trace.
PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                            const char* message, void* kept) {
  auto& text = *static_cast<std::string*>(kept);
  if (type == PETSC_ERROR_INITIAL && text.empty()) {
    const char* general = nullptr;
    PetscErrorMessage(code, &general, nullptr);
    text = message != nullptr && *message != '\0' ? message : (general != nullptr ? general : "unknown error");
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(text.find_last_not_of(" .") + 1);
  }
  return code;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

class Engine final : public PetscEngine {
public:
  ~Engine() override {
    PetscBool is_finalized = PETSC_FALSE;
    PetscFinalized(&is_finalized);
    if (is_finalized == PETSC_TRUE || is_broken_)
      return; // objects are not safe to free after an error
    KSPDestroy(&ksp_);
    MatDestroy(&matrix_);
    VecDestroy(&b_);
    VecDestroy(&x_);
    PetscOptionsDestroy(&options_);
  }

  PetscEnd set_rows(const PetscRows& rows, bool is_symmetric, bool constants_in_null_space) override {
    if (rows.offsets[rows.n_rows] > std::numeric_limits<PetscInt>::max() ||
        rows.n_all > std::numeric_limits<PetscInt>::max())
      return {PetscEnd::How::no_memory, "the matrix has more entries in a process than this PETSc can number"};
    return call([&] { return take_rows(rows, is_symmetric, constants_in_null_space); });
  }

  PetscEnd set_up(const std::string& options, const PetscTolerances& tolerances) override {
    PetscEnd end = call([&] { return apply(options, tolerances); });
    if (end.how == PetscEnd::How::failed)
      end.how = PetscEnd::How::refused;
    if (end.how != PetscEnd::How::done)
      return end;
    std::vector<std::string> left;
    end = call([&] { return unused(left); });
    std::string names;
    for (const std::string& name : left)
      if (!ends_with(name, "view") && !ends_with(name, "reason") && !ends_with(name, "monitor"))
        names += (names.empty() ? "" : ", ") + name;
    if (!names.empty())
      return {PetscEnd::How::refused, "nothing uses " + names};
    return end;
  }

  PetscEnd solve(const PetscTolerances& tolerances, const double* b, double* x,
                 const std::function<void(int, double)>& monitor, PetscOutcome& outcome) override {
    monitor_ = &monitor;
    const PetscEnd end = call([&] { return run(tolerances, b, x, outcome); });
    monitor_ = nullptr;
    return end;
  }

private:
  /// Runs `work` with the options of the input pushed as PETSc's option database, so that nested solvers find them,
  /// too; options in the environment (PETSC_OPTIONS) do not apply.
  template <class Work> PetscEnd call(const Work& work) {
    std::string message;
    PetscPushErrorHandler(keep_message, &message);
    PetscErrorCode code = 0;
    if (options_ == nullptr)
      code = PetscOptionsCreate(&options_);
    if (code == 0) {
      PetscOptionsPush(options_);
      code = work();
      PetscOptionsPop();
    }
    PetscPopErrorHandler();
    if (code == 0)
      return {};
    is_broken_ = true;
    return {code == PETSC_ERR_MEM ? PetscEnd::How::no_memory : PetscEnd::How::failed, message};
  }

  PetscErrorCode take_rows(const PetscRows& rows, bool is_symmetric, bool constants_in_null_space) {
    const auto n = static_cast<PetscInt>(rows.n_rows);
    const auto first = static_cast<PetscInt>(rows.first);
    if (matrix_ == nullptr) {
      std::vector<PetscInt> n_owned(rows.n_rows, 0); // entries of a row in owned columns, and in the others
      std::vector<PetscInt> n_others(rows.n_rows, 0);
      for (PetscInt i = 0; i < n; ++i)
        for (auto k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k)
          ++(rows.columns[k] >= first && rows.columns[k] < first + n ? n_owned : n_others)[i];
      TESSERA_PETSC(MatCreate(PETSC_COMM_WORLD, &matrix_));
      TESSERA_PETSC(MatSetSizes(matrix_, n, n, static_cast<PetscInt>(rows.n_all), static_cast<PetscInt>(rows.n_all)));
      TESSERA_PETSC(MatSetType(matrix_, MATAIJ));
      TESSERA_PETSC(MatSeqAIJSetPreallocation(matrix_, 0, n_owned.data()));
      TESSERA_PETSC(MatMPIAIJSetPreallocation(matrix_, 0, n_owned.data(), 0, n_others.data()));
      TESSERA_PETSC(MatCreateVecs(matrix_, &x_, &b_));
    }
    std::vector<PetscInt> columns;
    for (PetscInt i = 0; i < n; ++i) {
      const auto begin = rows.offsets[i];
      columns.assign(rows.columns + begin, rows.columns + rows.offsets[i + 1]);
      const PetscInt row = first + i;
      TESSERA_PETSC(MatSetValues(matrix_, 1, &row, static_cast<PetscInt>(columns.size()), columns.data(),
                                 rows.values + begin, INSERT_VALUES));
    }
    TESSERA_PETSC(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    TESSERA_PETSC(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
    if (is_symmetric) {
      TESSERA_PETSC(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
      TESSERA_PETSC(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    }
    if (constants_in_null_space) {
      MatNullSpace constants = nullptr;
      TESSERA_PETSC(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants));
      TESSERA_PETSC(MatSetNullSpace(matrix_, constants));
      TESSERA_PETSC(MatNullSpaceDestroy(&constants));
    }
    is_symmetric_ = is_symmetric;
    return 0;
  }

  /// Creates Krylov method and preconditioner. Both are created anew for new values, because PETSc's multigrid would
  /// otherwise keep interpolations that need not suit them.
  PetscErrorCode apply(const std::string& options, const PetscTolerances& tolerances) {
    if (ksp_ == nullptr)
      TESSERA_PETSC(PetscOptionsInsertString(options_, options.c_str()));
    TESSERA_PETSC(KSPDestroy(&ksp_));
    TESSERA_PETSC(KSPCreate(PETSC_COMM_WORLD, &ksp_));
    if (is_symmetric_)
      TESSERA_PETSC(KSPSetType(ksp_, KSPCG));
    TESSERA_PETSC(KSPSetOperators(ksp_, matrix_, matrix_));
    TESSERA_PETSC(set_tolerances(tolerances));
    TESSERA_PETSC(KSPMonitorSet(ksp_, on_iteration, this, nullptr));
    TESSERA_PETSC(KSPSetFromOptions(ksp_));
    TESSERA_PETSC(choose_norm());
    TESSERA_PETSC(KSPSetUp(ksp_));
    PC pc = nullptr;
    TESSERA_PETSC(KSPGetPC(ksp_, &pc));
    PCFailedReason failed = PC_NOERROR;
    TESSERA_PETSC(PCGetFailedReason(pc, &failed));
    if (failed == PC_NOERROR) // otherwise the solve reports it
      TESSERA_PETSC(KSPSetUpOnBlocks(ksp_));
    return 0;
  }

  /// Sets the tolerances of the input, unless the options set them.
  PetscErrorCode set_tolerances(const PetscTolerances& tolerances) {
    PetscBool has_relative = PETSC_FALSE;
    PetscBool has_absolute = PETSC_FALSE;
    PetscBool has_number = PETSC_FALSE;
    TESSERA_PETSC(PetscOptionsHasName(options_, nullptr, "-ksp_rtol", &has_relative));
    TESSERA_PETSC(PetscOptionsHasName(options_, nullptr, "-ksp_atol", &has_absolute));
    TESSERA_PETSC(PetscOptionsHasName(options_, nullptr, "-ksp_max_it", &has_number));
    constexpr PetscReal keep = PETSC_DEFAULT;
    return KSPSetTolerances(ksp_, has_relative ? keep : tolerances.relative, has_absolute ? keep : tolerances.absolute,
                            PETSC_DEFAULT, has_number ? PETSC_DEFAULT : tolerances.max_iterations);
  }

  /// Selects the norm of the true residual, ||b - A x||, which our solvers use, if the method supports it and the
  /// options name no norm. Support is tested with a system of one row.
  PetscErrorCode choose_norm() {
    PetscBool is_named = PETSC_FALSE;
    TESSERA_PETSC(PetscOptionsHasName(options_, nullptr, "-ksp_norm_type", &is_named));
    if (is_named)
      return 0;
    KSPType type = nullptr;
    TESSERA_PETSC(KSPGetType(ksp_, &type));
    KSP probe = nullptr;
    PC pc = nullptr;
    Mat one = nullptr;
    TESSERA_PETSC(MatCreateConstantDiagonal(PETSC_COMM_SELF, 1, 1, 1, 1, 1., &one));
    TESSERA_PETSC(KSPCreate(PETSC_COMM_SELF, &probe));
    TESSERA_PETSC(KSPSetType(probe, type));
    TESSERA_PETSC(KSPGetPC(probe, &pc));
    TESSERA_PETSC(PCSetType(pc, PCNONE));
    TESSERA_PETSC(KSPSetOperators(probe, one, one));
    TESSERA_PETSC(KSPSetNormType(probe, KSP_NORM_UNPRECONDITIONED));
    PCSide side = PC_SIDE_DEFAULT;
    PetscBool has_side = PETSC_FALSE;
    TESSERA_PETSC(PetscOptionsGetEnum(options_, nullptr, "-ksp_pc_side", PCSides, reinterpret_cast<PetscEnum*>(&side),
                                      &has_side));
    if (has_side)
      TESSERA_PETSC(KSPSetPCSide(probe, side));
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
    const bool can = KSPSetUp(probe) == 0;
    PetscPopErrorHandler();
    TESSERA_PETSC(KSPDestroy(&probe));
    TESSERA_PETSC(MatDestroy(&one));
    return can ? KSPSetNormType(ksp_, KSP_NORM_UNPRECONDITIONED) : 0;
  }

  PetscErrorCode unused(std::vector<std::string>& left) {
    PetscInt n = 0;
    char** names = nullptr;
    char** values = nullptr;
    TESSERA_PETSC(PetscOptionsLeftGet(options_, &n, &names, &values));
    for (PetscInt i = 0; i < n; ++i)
      left.push_back(std::string("-") + names[i]);
    return PetscOptionsLeftRestore(options_, &n, &names, &values);
  }

  static PetscErrorCode on_iteration(KSP, PetscInt iterations, PetscReal residual, void* engine) {
    const auto* monitor = static_cast<const Engine*>(engine)->monitor_;
    if (monitor != nullptr && *monitor)
      (*monitor)(static_cast<int>(iterations), residual);
    return 0;
  }

  PetscErrorCode run(const PetscTolerances& tolerances, const double* b, double* x, PetscOutcome& outcome) {
    TESSERA_PETSC(set_tolerances(tolerances));
    TESSERA_PETSC(VecPlaceArray(b_, b));
    TESSERA_PETSC(VecPlaceArray(x_, x));
    PetscReal guess = 0.;
    TESSERA_PETSC(VecNorm(x_, NORM_INFINITY, &guess));
    TESSERA_PETSC(KSPSetInitialGuessNonzero(ksp_, guess > 0. ? PETSC_TRUE : PETSC_FALSE));
    TESSERA_PETSC(KSPSolve(ksp_, b_, x_));
    TESSERA_PETSC(VecResetArray(x_));
    TESSERA_PETSC(VecResetArray(b_));
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    const char* name = nullptr;
    PetscInt iterations = 0;
    KSPNormType norm = KSP_NORM_NONE;
    PetscReal residual = 0.;
    PetscBool is_direct = PETSC_FALSE; // without iterations PETSc may leave the norm at 0, whatever its type
    TESSERA_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp_), KSPPREONLY, &is_direct));
    TESSERA_PETSC(KSPGetConvergedReason(ksp_, &reason));
    TESSERA_PETSC(KSPGetConvergedReasonString(ksp_, &name));
    TESSERA_PETSC(KSPGetIterationNumber(ksp_, &iterations));
    TESSERA_PETSC(KSPGetNormType(ksp_, &norm));
    TESSERA_PETSC(KSPGetResidualNorm(ksp_, &residual));
    TESSERA_PETSC(KSPGetTolerances(ksp_, &outcome.relative, &outcome.absolute, nullptr, nullptr));
    outcome.kind = reason > 0                   ? PetscOutcome::Kind::converged
                   : reason == KSP_DIVERGED_ITS ? PetscOutcome::Kind::max_iterations
                                                : PetscOutcome::Kind::breakdown;
    outcome.reason = name == nullptr ? "?" : name;
    outcome.iterations = static_cast<int>(iterations);
    outcome.judges_residual = norm == KSP_NORM_UNPRECONDITIONED && is_direct == PETSC_FALSE;
    outcome.residual = residual;
    outcome.left.clear();
    return unused(outcome.left);
  }

  PetscOptions options_ = nullptr;
  Mat matrix_ = nullptr;
  KSP ksp_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
  bool is_symmetric_ = false;
  bool is_broken_ = false;
  const std::function<void(int, double)>* monitor_ = nullptr;
};

} // namespace

extern "C" {

PetscEngine* tessera_petsc_make() {
  PetscBool is_initialized = PETSC_FALSE;
  PetscInitialized(&is_initialized);
  if (is_initialized != PETSC_TRUE) {
    PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"); // Tessera installs its handlers
    PetscOptionsSetValue(nullptr, "-skip_petscrc", "true");
    PetscOptionsSetValue(nullptr, "-options_left", "false"); // do not report unused options of the environment
    if (PetscInitializeNoArguments() != 0)
      return nullptr;
  }
  return new (std::nothrow) Engine;
}

void tessera_petsc_finalize() {
  PetscBool is_initialized = PETSC_FALSE;
  PetscInitialized(&is_initialized);
  if (is_initialized == PETSC_TRUE)
    PetscFinalize();
}
}
