// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_SOLVERS_SOLVE_HPP
#define TESSERA_TESTS_UNIT_SOLVERS_SOLVE_HPP

#include "solvers/jacobi.hpp"
#include "solvers/krylov/pcg.hpp"
#include "support/matrices.hpp"

#include <memory>
#include <string>

namespace tessera::test {

struct Solved {
  solvers::PcgResult result;
  std::vector<double> x;
};

template <class ExecutionSpace>
std::unique_ptr<solvers::Preconditioner<ExecutionSpace>>
make_preconditioner(const ExecutionSpace& exec, const std::string& name, const linalg::CrsOperator<ExecutionSpace>& a) {
  if (name == "jacobi")
    return std::make_unique<solvers::Jacobi<ExecutionSpace>>(exec, a);
  return std::make_unique<solvers::Identity<ExecutionSpace>>(a.size());
}

/// Solves on an execution space, starting from x0 (zero if empty).
template <class ExecutionSpace>
Solved solve(const ExecutionSpace& exec, const Rows& rows, const std::vector<double>& b, const std::string& name,
             const solvers::PcgOptions& options, std::vector<double> x0 = {}) {
  const auto a = operator_on(exec, rows);
  const auto m = make_preconditioner(exec, name, a);
  x0.resize(rows.size(), 0.);
  const auto x = vector_on(exec, x0);
  solvers::Pcg<ExecutionSpace> pcg(options);
  Solved solved;
  solved.result = pcg.solve(exec, a, *m, vector_on(exec, b), x);
  solved.x = values_of(exec, x);
  return solved;
}

inline double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(sum);
}

} // namespace tessera::test

#endif
