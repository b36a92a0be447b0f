// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_LINEAR_SOLVER_HPP
#define TESSERA_DRIVER_SOLUTION_LINEAR_SOLVER_HPP

/// \file
/// Solvers of linear systems, and their options, as chosen by the input.

#include "assembly/assembler.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/levels.hpp"
#include "driver/solution/coarser_rows.hpp"
#include "driver/solution/distribution.hpp"
#include "driver/solution/matrix_free_levels.hpp"
#include "io/input/case.hpp"
#include "linalg/distributed/row_exchange.hpp"
#include "solvers/external/petsc_solver.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/column_counts.hpp"
#include "solvers/krylov/ebe_pcg.hpp"
#include "solvers/krylov/pcg_columns.hpp"
#include "solvers/krylov/richardson.hpp"
#include "solvers/multigrid/matrix_free_multigrid.hpp"
#include "solvers/multigrid/tied_pairs.hpp"
#include "solvers/newton.hpp"

#include <memory>
#include <optional>

namespace tessera::driver {

/// Sets the input's options that apply to any Krylov method.
inline void set_options(const io::SolverInput& input, solvers::SolverOptions& options) {
  options.relative_tolerance = input.relative_tolerance;
  options.absolute_tolerance = input.absolute_tolerance;
  options.max_iterations = input.max_iterations;
}

/// Options of conjugate gradients from the input.
inline solvers::PcgOptions pcg_options(const io::SolverInput& options) {
  solvers::PcgOptions pcg;
  set_options(options, pcg);
  return pcg;
}

/// Newton's options of the input.
inline solvers::NewtonOptions newton_options(const io::SolverInput& options) {
  solvers::NewtonOptions newton;
  newton.relative_tolerance = options.nonlinear.relative_tolerance;
  newton.max_iterations = options.nonlinear.max_iterations;
  newton.line_search = options.nonlinear.line_search;
  newton.linear_tolerance = options.relative_tolerance;
  return newton;
}

/// The preconditioner chosen by the input, for an assembled system.
template <class ExecutionSpace>
std::unique_ptr<solvers::Preconditioner<ExecutionSpace>>
make_preconditioner(const ExecutionSpace& exec, const io::SolverInput& options, const Levels<ExecutionSpace>& problem,
                    const assembly::Assembler<ExecutionSpace>& assembler,
                    const Distribution<ExecutionSpace>& distribution) {
  const io::Preconditioner kind = options.preconditioner;
  const auto* matrix = distribution.owned_rows(assembler);
  if (kind == io::Preconditioner::multigrid && matrix == nullptr)
    return make_matrix_free_multigrid(exec, options, problem, assembler, distribution.unknowns());
  switch (kind) {
  case io::Preconditioner::none:
    return std::make_unique<solvers::Identity<ExecutionSpace>>(assembler.system().size());
  case io::Preconditioner::multigrid: {
    const auto& unknowns = distribution.unknowns();
    solvers::GivenLevels<ExecutionSpace> given;
    solvers::SecondLevel<ExecutionSpace> second;
    solvers::MultigridOptions multigrid = options.multigrid;
    const std::int64_t n = unknowns.offsets().back();
    const bool is_whole = !unknowns.is_distributed() || n <= solvers::replicated_size(multigrid);
    if (!problem.binding.joints.empty() && is_whole && multigrid.type != solvers::MultigridType::geometric) {
      const auto rows = linalg::with_global_columns(exec, unknowns.layout(), *matrix);
      const auto whole =
          unknowns.is_distributed() ? linalg::gathered_rows(exec, unknowns.group(), unknowns.offsets(), rows) : rows;
      auto merged = solvers::merge_tied_pairs(exec, whole);
      keep_alive(exec, rows, whole);
      if (merged.n_coarse < n) { // good conductors, which coarser meshes leave doubled
        multigrid.type = solvers::MultigridType::algebraic;
        given = std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>{std::move(merged)};
      }
    }
    if (multigrid.type != solvers::MultigridType::algebraic) {
      fe::CoarserUnknowns<ExecutionSpace> coarser;
      if (unknowns.is_distributed())
        given = problem.nested_unknowns(exec, unknowns.shares());
      else
        given = problem.prolongations(exec, nullptr, options.multigrid.coarsest_size, &coarser);
      second = second_level(exec, problem, coarser, unknowns.shares());
    }
    multigrid.keeps_products = !problem.is_linear();
    const solvers::FinestRows<ExecutionSpace> finest{*matrix, unknowns.offsets(), unknowns.layout()};
    return std::make_unique<solvers::Multigrid<ExecutionSpace>>(exec, unknowns.group(), unknowns.sums(), finest,
                                                                std::move(given), multigrid, second);
  }
  case io::Preconditioner::automatic: // The plan has replaced it.
  case io::Preconditioner::jacobi:
    break;
  case io::Preconditioner::block_jacobi: // The reader accepts these for dg only.
  case io::Preconditioner::block_gauss_seidel:
    TESSERA_REQUIRE(false, "solver.preconditioner: " << io::name_of(kind) << " needs a block matrix, which cg lacks.");
  }
  return std::make_unique<solvers::Jacobi<ExecutionSpace>>(exec, assembler.system());
}

/// The preconditioner from `make` or, if that fails for numerical reasons and the plan allows it, Jacobi; `fallback` is
/// the reason. All processes take the same one: the failure of one alone ends the run. Collective.
template <class ExecutionSpace, class Make>
std::unique_ptr<solvers::Preconditioner<ExecutionSpace>>
or_jacobi(const ExecutionSpace& exec, const Plan& plan, const assembly::Assembler<ExecutionSpace>& assembler,
          const comm::Communicator& world, std::string& fallback, const Make& make) {
  if (fallback.empty()) {
    std::unique_ptr<solvers::Preconditioner<ExecutionSpace>> made;
    std::optional<Error> failure;
    try {
      made = make();
    } catch (const Error& error) {
      if (!plan.may_fall_back() || error.kind() != ErrorKind::numerical)
        throw;
      failure = error;
    }
    world.require_shared(failure);
    if (!failure)
      return made;
    fallback = failure->what();
  }
  return std::make_unique<solvers::Jacobi<ExecutionSpace>>(exec, assembler.system());
}

/// The levels of a preconditioner, if it is multigrid.
template <class ExecutionSpace>
std::vector<solvers::LevelSummary> levels_of(const solvers::Preconditioner<ExecutionSpace>* preconditioner) {
  if (const auto* multigrid = dynamic_cast<const solvers::Multigrid<ExecutionSpace>*>(preconditioner))
    return multigrid->levels();
  if (const auto* multigrid = dynamic_cast<const solvers::MatrixFreeMultigrid<ExecutionSpace>*>(preconditioner))
    return multigrid->levels();
  return {};
}

/// The method of the input with what it keeps from solve to solve: a preconditioner, or PETSc. All that is given must
/// stay.
template <class ExecutionSpace> class LinearSolver {
public:
  using Assembler = assembly::Assembler<ExecutionSpace>;

  LinearSolver(const Levels<ExecutionSpace>& problem, const Plan& plan, const Assembler& assembler,
               const Distribution<ExecutionSpace>& distribution)
      : problem_(problem), plan_(plan), assembler_(assembler), distribution_(distribution) {}

  /// Whether it is set up for the current matrix.
  bool is_current() const { return is_current_; }
  /// Call this when the matrix changes.
  void matrix_changed() { is_current_ = false; }

  /// Sets up for the current matrix; repeatable for new values. Collective.
  void set_up(const ExecutionSpace& exec, const solvers::PcgOptions& options) {
    is_current_ = true;
    if (plan_.solver.method == io::SolverMethod::petsc)
      return set_up_petsc(exec, options);
    const auto& world = *distribution_.unknowns().group().world;
    preconditioner_ = or_jacobi(exec, plan_, assembler_, world, fallback_, [&] {
      if (auto* multigrid = dynamic_cast<solvers::Multigrid<ExecutionSpace>*>(preconditioner_.get()))
        multigrid->renew(exec, *distribution_.owned_rows(assembler_));
      else if (auto* without = dynamic_cast<solvers::MatrixFreeMultigrid<ExecutionSpace>*>(preconditioner_.get()))
        without->renew(exec);
      else
        preconditioner_ = make_preconditioner(exec, plan_.solver, problem_, assembler_, distribution_);
      return std::move(preconditioner_);
    });
  }

  /// Solves the assembled system with the right-hand side `b`; `x` is the initial guess on entry. Collective.
  solvers::PcgResult solve(const ExecutionSpace& exec, const solvers::PcgOptions& options,
                           const linalg::ConstVector<ExecutionSpace>& b,
                           const linalg::Vector<ExecutionSpace>& x) const {
    switch (plan_.solver.method) {
    case io::SolverMethod::pcg:
      return solvers::Pcg<ExecutionSpace>(options).solve(exec, assembler_.system(), *preconditioner_, b, x);
    case io::SolverMethod::bicgstab: {
      solvers::PcgResult result;
      static_cast<solvers::SolverResult&>(result) =
          solvers::BiCgStab<ExecutionSpace>(options).solve(exec, assembler_.system(), *preconditioner_, b, x);
      return result;
    }
    case io::SolverMethod::petsc:
      return petsc_->solve(exec, options, assembler_.system(), b, x);
    case io::SolverMethod::multigrid: {
      solvers::PcgResult result;
      static_cast<solvers::SolverResult&>(result) = solvers::Richardson<ExecutionSpace>("multigrid", options)
                                                        .solve(exec, assembler_.system(), *preconditioner_, b, x);
      return result;
    }
    default:
      break;
    }
    const auto& jacobi =
        dynamic_cast<const solvers::Jacobi<ExecutionSpace>&>(*preconditioner_); // the reader has checked this
    return solvers::EbePcg<ExecutionSpace>(options).solve(exec, *assembler_.elements(), jacobi, b, x);
  }

  /// Whether PcgColumns may take the place of solve().
  bool takes_columns() const {
    return plan_.solver.method == io::SolverMethod::pcg && !distribution_.unknowns().is_distributed() &&
           solvers::PcgColumns<ExecutionSpace, solvers::few_columns>::suits(system(), preconditioner());
  }
  const linalg::LinearOperator<ExecutionSpace>& system() const { return assembler_.system(); }
  /// Valid after set_up(), if the method has one.
  const solvers::Preconditioner<ExecutionSpace>& preconditioner() const { return *preconditioner_; }

  /// The levels of multigrid, if it is the preconditioner.
  std::vector<solvers::LevelSummary> levels() const { return levels_of<ExecutionSpace>(preconditioner_.get()); }
  /// See SolverOutcome.
  const std::string& fallback() const { return fallback_; }

private:
  void set_up_petsc(const ExecutionSpace& exec, const solvers::PcgOptions& options) {
    const auto* matrix = distribution_.owned_rows(assembler_);
    TESSERA_REQUIRE(matrix != nullptr, "solver.method: petsc needs an assembled matrix, but strategy '"
                                           << io::name_of(plan_.strategy) << "' has none.");
    if (!petsc_)
      petsc_ =
          std::make_unique<solvers::PetscSolver<ExecutionSpace>>(plan_.solver.petsc, plan_.solver.petsc_where.text());
    const auto& unknowns = distribution_.unknowns();
    petsc_->set_up(exec, assembler_.system(), *matrix, unknowns.layout(), unknowns.offsets().back(), options);
  }

  const Levels<ExecutionSpace>& problem_;
  const Plan& plan_;
  const Assembler& assembler_;
  const Distribution<ExecutionSpace>& distribution_;
  std::unique_ptr<solvers::Preconditioner<ExecutionSpace>> preconditioner_; // multigrid keeps its levels
  std::unique_ptr<solvers::PetscSolver<ExecutionSpace>> petsc_;
  std::string fallback_;
  bool is_current_ = false;
};

} // namespace tessera::driver

#endif
