// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_SOLVERS_KRYLOV_METHODS_HPP
#define TESSERA_TESTS_UNIT_SOLVERS_KRYLOV_METHODS_HPP

#include "solve.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/gmres.hpp"
#include "support/block_matrices.hpp"

#include <limits>

namespace tessera::test {

using KrylovOptions = solvers::GmresOptions;

struct KrylovSolved {
  solvers::SolverResult result;
  std::vector<double> x;
};

template <class ExecutionSpace>
solvers::SolverResult
run_krylov(const ExecutionSpace& exec, const std::string& method, const linalg::LinearOperator<ExecutionSpace>& a,
           const solvers::Preconditioner<ExecutionSpace>& m, const linalg::ConstVector<ExecutionSpace>& b,
           const linalg::Vector<ExecutionSpace>& x, const KrylovOptions& options) {
  if (method == "gmres")
    return solvers::Gmres<ExecutionSpace>(options).solve(exec, a, m, b, x);
  return solvers::BiCgStab<ExecutionSpace>(options).solve(exec, a, m, b, x);
}

/// Solves on an execution space, starting from x0 (zero if empty).
template <class ExecutionSpace>
KrylovSolved solve_krylov(const ExecutionSpace& exec, const std::string& method, const Rows& rows,
                          const std::vector<double>& b, const std::string& preconditioner, const KrylovOptions& options,
                          std::vector<double> x0 = {}) {
  const linalg::CrsOperator<ExecutionSpace> a(crs_on(exec, rows), linalg::Symmetry::general);
  const auto m = make_preconditioner(exec, preconditioner, a);
  x0.resize(rows.size(), 0.);
  const auto x = vector_on(exec, x0);
  KrylovSolved solved;
  solved.result = run_krylov<ExecutionSpace>(exec, method, a, *m, vector_on(exec, b), x, options);
  solved.x = values_of(exec, x);
  return solved;
}

/// Wraps an operator; from some product on, the results are NaN.
template <class ExecutionSpace> class FailingOperator final : public linalg::LinearOperator<ExecutionSpace> {
public:
  using typename linalg::LinearOperator<ExecutionSpace>::vector_type;
  using typename linalg::LinearOperator<ExecutionSpace>::const_vector_type;
  FailingOperator(const linalg::LinearOperator<ExecutionSpace>& inner, int first_failure)
      : inner_(inner), left_(first_failure) {}
  index_t size() const override { return inner_.size(); }
  bool is_symmetric() const override { return false; }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    if (--left_ <= 0)
      fill(exec, y, std::numeric_limits<double>::quiet_NaN());
    else
      inner_.apply(exec, x, y);
  }
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override { inner_.diagonal(exec, d); }
  linalg::Traffic traffic() const override { return inner_.traffic(); }

private:
  const linalg::LinearOperator<ExecutionSpace>& inner_;
  mutable int left_;
};

/// M = 1; from some application on, the results are NaN.
template <class ExecutionSpace> class FailingPreconditioner final : public solvers::Preconditioner<ExecutionSpace> {
public:
  using typename solvers::Preconditioner<ExecutionSpace>::vector_type;
  using typename solvers::Preconditioner<ExecutionSpace>::const_vector_type;
  FailingPreconditioner(index_t size, int first_failure)
      : solvers::Preconditioner<ExecutionSpace>(size, "failing", false), left_(first_failure) {}
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override {
    if (--left_ <= 0)
      fill(exec, z, std::numeric_limits<double>::quiet_NaN());
    else
      Kokkos::deep_copy(exec, z, r);
  }

private:
  mutable int left_;
};

} // namespace tessera::test

#endif
