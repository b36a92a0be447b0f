// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_COLUMN_SOLVER_HPP
#define TESSERA_DRIVER_SOLUTION_COLUMN_SOLVER_HPP

/// \file
/// Several right-hand sides of one system.

#include "driver/solution/linear_solver.hpp"
#include "solvers/krylov/column_counts.hpp"
#include "solvers/krylov/pcg_columns.hpp"

namespace tessera::driver {

/// Solves for right-hand sides together if the method supports it (solvers/krylov/pcg_columns.hpp), else one by one,
/// with the same bits. Keeps its vectors between calls. The arguments must outlive this object.
template <class ExecutionSpace> class ColumnSolver {
public:
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;
  /// Solves for one right-hand side from zero, into `unknowns`.
  using One = std::function<solvers::PcgResult(const ConstVector& rhs)>;
  /// Called for each right-hand side, in order, while its solution is in the unknowns.
  using Take = std::function<void(std::size_t c, const solvers::PcgResult& result)>;

  ColumnSolver(const LinearSolver<ExecutionSpace>& solver, const solvers::PcgOptions& options, const Plan& plan)
      : solver_(solver), options_(options), columns_(solver.takes_columns() ? plan.columns : 1) {}

  /// Maximum number of right-hand sides solved together.
  int columns() const { return columns_; }

  /// For at most columns() right-hand sides.
  void solve(const ExecutionSpace& exec, const std::vector<ConstVector>& rhs, const Vector& unknowns, const One& one,
             const Take& take) {
    const int n = solvers::columns_for(static_cast<int>(rhs.size()), columns_);
    if (n == solvers::most_columns) {
      few_.reset(); // frees its memory
      solve_by(exec, most_, rhs, unknowns, one, take);
    } else if (n == solvers::few_columns) {
      most_.reset();
      solve_by(exec, few_, rhs, unknowns, one, take);
    } else {
      for (std::size_t c = 0; c < rhs.size(); ++c)
        take(c, one(rhs[c]));
    }
  }

private:
  template <int N> using Columns = solvers::PcgColumns<ExecutionSpace, N>;

  template <int N>
  void solve_by(const ExecutionSpace& exec, std::unique_ptr<Columns<N>>& columns, const std::vector<ConstVector>& rhs,
                const Vector& unknowns, const One& one, const Take& take) {
    if (!columns)
      columns = std::make_unique<Columns<N>>(exec, solver_.system(), solver_.preconditioner(), options_);
    const auto results = columns->solve(exec, rhs);
    for (std::size_t c = 0; c < rhs.size(); ++c) {
      if (results[c]) {
        columns->copy_solution(exec, static_cast<int>(c), unknowns);
        take(c, *results[c]);
      } else {
        take(c, one(rhs[c]));
      }
    }
  }

  const LinearSolver<ExecutionSpace>& solver_;
  solvers::PcgOptions options_;
  int columns_;
  std::unique_ptr<Columns<solvers::few_columns>> few_;
  std::unique_ptr<Columns<solvers::most_columns>> most_;
};

} // namespace tessera::driver

#endif
