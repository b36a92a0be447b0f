// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/external/petsc_solver.hpp"

#include "core/error.hpp"
#include "linalg/distributed/row_exchange.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/krylov/pcg_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace tessera::solvers {

namespace {

PetscTolerances tolerances_of(const SolverOptions& options) {
  return {options.relative_tolerance, options.absolute_tolerance, options.max_iterations};
}

/// Explanation of those PETSc reasons whose names are unclear.
std::string meaning_of(const std::string& reason) {
  if (reason == "DIVERGED_NANORINF")
    return "a value is not finite";
  if (reason == "DIVERGED_INDEFINITE_PC")
    return "the preconditioner is not positive definite";
  if (reason == "DIVERGED_INDEFINITE_MAT")
    return "the matrix is not positive definite";
  if (reason == "DIVERGED_PC_FAILED")
    return "the preconditioner could not be made or applied; the matrix may be singular";
  if (reason == "DIVERGED_DTOL")
    return "the residual has grown";
  return "the method broke down";
}

std::string options_word(const std::vector<std::string>& names) {
  std::string text = names.size() == 1 ? "the option " : "the options ";
  for (const std::string& name : names)
    text += (&name == &names.front() ? "" : ", ") + name;
  return text;
}

} // namespace

template <class ExecutionSpace>
PetscSolver<ExecutionSpace>::PetscSolver(std::string options, std::string location)
    : KrylovSolver<ExecutionSpace>("PETSc", SolverOptions()), petsc_options_(std::move(options)),
      location_(std::move(location)), engine_(make_petsc_engine()) {}

template <class ExecutionSpace>
void PetscSolver<ExecutionSpace>::set_up(const ExecutionSpace& exec, const operator_type& a, const matrix_type& rows,
                                         const comm::Layout<ExecutionSpace>& columns, std::int64_t n_all,
                                         const SolverOptions& options) {
  const std::int64_t n = a.size();
  const auto ones = make_filled<vector_type>(exec, "solvers::petsc_ones", n, 1.);
  const auto row_sums = make_array<vector_type>(exec, "solvers::petsc_row_sums", n);
  const auto diagonal = make_array<vector_type>(exec, "solvers::petsc_diagonal", n);
  const auto sums = make_array<vector_type>(exec, "solvers::petsc_sums", 2);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  a.apply(exec, ones, row_sums);
  a.diagonal(exec, diagonal);
  linalg::global_sums<1>("tessera::solvers::petsc_row_sums", exec, n,
                         detail::PcgRowSums{row_sums.data(), diagonal.data()}, workspace, sums.data(), a.sums());
  const double ratio2 = read_entry(exec, sums, 0);
  constants_in_null_space_ =
      ratio2 <= detail::null_space_tolerance * detail::null_space_tolerance * static_cast<double>(n_all);

  const auto global = linalg::with_global_columns(exec, columns, rows);
  const auto offsets = to_host(exec, global.offsets);
  const auto numbers = to_host(exec, global.columns);
  const auto values = to_host(exec, global.values);
  const PetscRows handed{columns.first, n, n_all, offsets.data(), numbers.data(), values.data()};
  PetscEnd end = engine_->set_rows(handed, a.is_symmetric(), constants_in_null_space_);
  if (end.how == PetscEnd::How::done)
    end = engine_->set_up(petsc_options_, tolerances_of(options));
  TESSERA_REQUIRE(end.how != PetscEnd::How::refused,
                  location_ << ": PETSc does not accept '" << petsc_options_ << "': " << end.message << '.');
  TESSERA_REQUIRE_KIND(end.how == PetscEnd::How::done, ErrorKind::resource,
                       "PETSc rejected the matrix: " << end.message << '.');
}

template <class ExecutionSpace>
PcgResult PetscSolver<ExecutionSpace>::solve(const ExecutionSpace& exec, const SolverOptions& options,
                                             const operator_type& a, const const_vector_type& b, const vector_type& x) {
  this->options_ = options;
  PcgResult result;
  const std::int64_t n = a.size();
  const auto r = make_array<vector_type>(exec, "solvers::petsc_r", n);
  const auto q = make_array<vector_type>(exec, "solvers::petsc_q", n);
  this->in_range(exec, b, x, result, [&](const const_vector_type& rhs) {
    result = PcgResult();
    this->prepare(exec, a, Identity<ExecutionSpace>(a.size()), rhs, x, 1, 1);
    this->start(exec, a, rhs, x, r, q, result);
    result.constants_in_null_space = constants_in_null_space_;
    if (result.message.empty() && constants_in_null_space_) {
      const auto ones = make_filled<vector_type>(exec, "solvers::petsc_ones", n, 1.);
      const auto products = [&](const vector_type& v) {
        return linalg::global_sum("tessera::solvers::petsc_mean", exec, n, linalg::Products{v.data(), ones.data()},
                                  a.sums());
      };
      const double sum_r = products(r);
      const double n_all = products(ones);
      if (std::abs(sum_r) > result.threshold * std::sqrt(n_all))
        result.message = this->method_ + ": " + detail::outside_range_message(sum_r, n_all);
    }
    if (!result.message.empty()) {
      this->finish(exec, a, rhs, x, q, result);
      return;
    }
    const auto host_b = to_host(exec, rhs);
    const auto host_x = to_host(exec, x);
    const auto monitor = [&](int iterations, double residual) {
      if (this->options_.record_history && iterations > 0)
        result.history.push_back(residual);
      if (this->options_.monitor)
        this->options_.monitor(iterations, residual);
    };
    PetscOutcome outcome;
    const PetscEnd end = engine_->solve(tolerances_of(this->options_), host_b.data(), host_x.data(), monitor, outcome);
    TESSERA_REQUIRE_KIND(end.how == PetscEnd::How::done,
                         end.how == PetscEnd::How::no_memory ? ErrorKind::resource : ErrorKind::numerical,
                         location_ << ": PETSc gave up with '" << petsc_options_ << "': " << end.message << '.');
    copy(exec, x, host_x);
    result.iterations = outcome.iterations;
    result.threshold = std::max(outcome.relative * result.rhs_norm, outcome.absolute);
    result.residual = outcome.judges_residual ? outcome.residual : std::numeric_limits<double>::infinity();
    using Kind = PetscOutcome::Kind;
    result.status = outcome.kind == Kind::converged        ? SolverStatus::converged
                    : outcome.kind == Kind::max_iterations ? SolverStatus::max_iterations
                                                           : SolverStatus::breakdown;
    this->finish(exec, a, rhs, x, q, result);
    const std::string remark = result.message; // from finish()
    if (!outcome.judges_residual)
      result.residual = result.true_residual;
    std::ostringstream text;
    text << this->method_ << ": ";
    if (outcome.kind == Kind::converged)
      text << "converged in ";
    else if (outcome.kind == Kind::max_iterations)
      text << "not converged in ";
    else
      text << meaning_of(outcome.reason) << " (" << outcome.reason << ") after ";
    text << outcome.iterations << " iterations: ||r|| = " << detail::shown(result.residual);
    if (outcome.kind == Kind::max_iterations || result.residual <= result.threshold)
      text << (result.residual <= result.threshold ? " <= " : " > ") << result.threshold;
    text << '.';
    if (outcome.kind == Kind::converged && !outcome.judges_residual && result.residual > result.threshold)
      text << " PETSc has judged another norm (" << outcome.reason << "); the threshold would be " << result.threshold
           << '.';
    if (!outcome.left.empty())
      text << " Nothing used " << options_word(outcome.left) << '.';
    result.message = text.str() + remark;
  });
  return result;
}

#define TESSERA_INSTANTIATE(Space) template class PetscSolver<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
