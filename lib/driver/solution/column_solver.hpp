// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_COLUMN_SOLVER_HPP
#define TESSERA_DRIVER_SOLUTION_COLUMN_SOLVER_HPP

/// \file
/// Several right-hand sides of one system.

#include "driver/solution/linear_solver.hpp"
#include "driver/solution/refined_solve.hpp"
#include "solvers/krylov/column_counts.hpp"
#include "solvers/krylov/pcg_columns.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace tessera::driver {

/// Solves the assembled system of a linear problem for further right-hand sides: together if the method supports it
/// (solvers/krylov/pcg_columns.hpp), else one by one, with the same bits. Keeps its vectors between calls. With several
/// processes right-hand sides have the owned entries, and all processes get all unknowns.
template <class ExecutionSpace> class ColumnSolver {
public:
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;
  using Assembler = assembly::Assembler<ExecutionSpace>;

  /// Made by ProblemSolver::columns(). The arguments must outlive this object.
  ColumnSolver(const Equations<ExecutionSpace>& problem, const Plan& plan, Assembler& assembler,
               LinearSolver<ExecutionSpace>& solver, const Distribution<ExecutionSpace>& distribution,
               solvers::PcgOptions options)
      : problem_(problem), assembler_(assembler), solver_(solver), distribution_(distribution),
        options_(std::move(options)), columns_(solver.takes_columns() ? plan.columns : 1) {
    options_.look_for_constant_null_space = false; // once is enough
    options_.absolute_tolerance = 0.;              // refers to the size of the input's right-hand side
    if (options_.relative_tolerance == 0.)
      options_.relative_tolerance = solvers::default_tolerance;
  }

  Assembler& assembler() const { return assembler_; }
  /// The entries of a vector of all unknowns that a right-hand side has.
  Vector owned_of_all(const Vector& all) const { return distribution_.unknowns().owned_of_all(all); }

  /// Maximum number of right-hand sides solved together.
  int columns() const { return columns_; }
  /// Solves for at most columns() right-hand sides, from zero.
  void solve(const ExecutionSpace& exec, const std::vector<ConstVector>& rhs) {
    rhs_ = rhs;
    results_.assign(rhs.size(), std::nullopt);
    const int n = solvers::columns_for(static_cast<int>(rhs.size()), columns_);
    if (n != solvers::few_columns)
      few_.reset(); // frees its memory
    if (n != solvers::most_columns)
      most_.reset();
    if (n == solvers::most_columns)
      solve_by(exec, most_);
    else if (n == solvers::few_columns)
      solve_by(exec, few_);
  }
  /// Sets `unknowns` to the solution for the c-th of these; it is solved for now if it was not together with others.
  solvers::PcgResult take(const ExecutionSpace& exec, std::size_t c, const Vector& unknowns) const {
    if (results_[c]) {
      if (most_)
        most_->copy_solution(exec, static_cast<int>(c), unknowns);
      else
        few_->copy_solution(exec, static_cast<int>(c), unknowns);
      return *results_[c];
    }
    fill(exec, unknowns, 0.);
    return gathered(exec, solver_.solve(exec, options_, rhs_[c], owned_of_all(unknowns)), unknowns);
  }

  /// Whether the problem needs refined solutions (solution/refined_solve.hpp): solve_refined() instead of the others.
  bool needs_refinement(const ExecutionSpace& exec) const { return problem_.carried_values(exec).has_contrast(); }
  /// Solves for the current fixed values, with the loads of the problem minus `given`, for all unknowns. `value_of`: of
  /// each boundary.
  solvers::PcgResult solve_refined(const ExecutionSpace& exec, const std::vector<double>& value_of,
                                   const ConstVector& given, const Vector& unknowns) {
    RefinedSolve<ExecutionSpace> refined(problem_, assembler_, solver_, distribution_.unknowns());
    return gathered(exec, refined.solve(exec, options_, {value_of, 0., 0.}, false, unknowns, given), unknowns);
  }

private:
  template <int N> using Columns = solvers::PcgColumns<ExecutionSpace, N>;

  template <int N> void solve_by(const ExecutionSpace& exec, std::unique_ptr<Columns<N>>& columns) {
    if (!columns)
      columns = std::make_unique<Columns<N>>(exec, solver_.system(), solver_.preconditioner(), options_);
    const auto results = columns->solve(exec, rhs_);
    for (std::size_t c = 0; c < rhs_.size(); ++c)
      results_[c] = results[c];
  }
  solvers::PcgResult gathered(const ExecutionSpace& exec, solvers::PcgResult result, const Vector& unknowns) const {
    distribution_.unknowns().gather(exec, unknowns);
    return result;
  }

  const Equations<ExecutionSpace>& problem_;
  Assembler& assembler_;
  LinearSolver<ExecutionSpace>& solver_;
  const Distribution<ExecutionSpace>& distribution_;
  solvers::PcgOptions options_;
  int columns_;
  std::unique_ptr<Columns<solvers::few_columns>> few_;
  std::unique_ptr<Columns<solvers::most_columns>> most_;
  std::vector<ConstVector> rhs_;
  std::vector<std::optional<solvers::PcgResult>> results_; ///< of those solved together
};

} // namespace tessera::driver

#endif
