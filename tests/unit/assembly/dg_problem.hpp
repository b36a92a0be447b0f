// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_ASSEMBLY_DG_PROBLEM_HPP
#define TESSERA_TESTS_UNIT_ASSEMBLY_DG_PROBLEM_HPP

/// \file
/// Problems with known solutions, and a direct solver for their block matrices.

#include "assembly/dg/assembler.hpp"
#include "assembly/dg/form/errors.hpp"
#include "polynomial.hpp"
#include "polytopes.hpp"

#include <cmath>

namespace tessera::test {

namespace dg = assembly::dg;

struct ExactProblem {
  physics::AdvectionDiffusionReaction problem;
  dg::ExactSolution exact;
};

/// u_t - div(A grad u) + b . grad u + c u = f for polynomials A = diffusion(row, column) (a tensor), b, c and u on the
/// unit box; f and the initial value are derived from them. Dirichlet data on all sides but the last, which has Neumann
/// data.
template <int Dim, class Diffusion>
ExactProblem polynomial_problem(const Diffusion& diffusion, const std::array<Polynomial, Dim>& b, const Polynomial& c,
                                const Polynomial& u) {
  ExactProblem result;
  physics::AdvectionRegion region;
  std::array<Polynomial, Dim> flux;
  Polynomial f = c * u + u.derivative(3);
  for (int row = 0; row < Dim; ++row) {
    for (int column = 0; column < Dim; ++column)
      flux[row] = flux[row] + diffusion(std::min(row, column), std::max(row, column)) * u.derivative(column);
    for (int column = row; column < Dim; ++column)
      region.diffusion.push_back(diffusion(row, column).expression());
    region.advection.push_back(b[row].expression());
    f = f + Polynomial(-1.) * flux[row].derivative(row) + b[row] * u.derivative(row);
    result.exact.gradient.push_back(u.derivative(row).expression());
  }
  region.reaction = c.expression();
  region.source = f.expression();
  region.initial = u.expression();
  result.problem.regions = {region};
  result.exact.value = u.expression();
  for (group_t group = 0; group < 2 * Dim - 1; ++group)
    result.problem.boundaries.push_back({group, "side", physics::AdvectionCondition::dirichlet, u.expression(), ""});
  result.problem.boundaries.push_back({static_cast<group_t>(2 * Dim - 1), "last side",
                                       physics::AdvectionCondition::neumann, flux[Dim - 1].expression(), ""});
  return result;
}

/// Linear A, positive definite on the unit box, quadratic b with outflow at the last side, linear c, and u of degree p:
/// quadrature of degree 2 p is exact for these. With `of_time` all of them depend on time, too.
template <int Dim> ExactProblem variable_problem(int p, bool of_time = false) {
  const Polynomial x = Polynomial::random(Dim, 1, 1, of_time);
  const Polynomial y = Polynomial::random(Dim, 1, 2, of_time);
  std::array<Polynomial, Dim> b;
  for (int d = 0; d < Dim; ++d)
    b[d] = Polynomial::random(Dim, 2, 3 + d, of_time) + Polynomial(d == Dim - 1 ? 12. : 0.);
  return polynomial_problem<Dim>(
      [&](int row, int column) {
        return row == column ? Polynomial(6. + row) + x : Polynomial(0.25) * (row + column == 1 ? x : y);
      },
      b, Polynomial(20.) + y, Polynomial::random(Dim, p, 11, of_time));
}

/// A dense matrix, row by row, and the right-hand side.
struct DenseSystem {
  index_t n = 0;
  std::vector<double> matrix;
  std::vector<double> rhs;
};

template <class ExecutionSpace>
DenseSystem dense_system(const ExecutionSpace& exec, const dg::Assembler<ExecutionSpace>& assembler) {
  const auto& matrix = assembler.matrix();
  const auto dofs = to_host(exec, matrix.dof_offsets);
  const auto rows = to_host(exec, matrix.row_offsets);
  const auto columns = to_host(exec, matrix.columns);
  const auto offsets = to_host(exec, matrix.value_offsets);
  const auto values = to_host(exec, matrix.values);
  const auto single_values = to_host(exec, matrix.single_values);
  const auto rhs = to_host(exec, assembler.rhs());
  DenseSystem system;
  const index_t n = system.n = matrix.n_unknowns;
  system.matrix.assign(static_cast<std::size_t>(n) * n, 0.);
  system.rhs.assign(rhs.data(), rhs.data() + n);
  for (index_t r = 0; r < matrix.n_block_rows(); ++r)
    for (offset_t b = rows(r); b < rows(r + 1); ++b) {
      const index_t c = columns(b);
      const index_t height = dofs(r + 1) - dofs(r);
      for (index_t i = 0; i < height; ++i)
        for (index_t j = 0; j < dofs(c + 1) - dofs(c); ++j) {
          const offset_t place = offsets(b) + j * height + i;
          system.matrix[static_cast<std::size_t>(dofs(r) + i) * n + dofs(c) + j] =
              matrix.is_single() ? single_values(place) : values(place);
        }
    }
  return system;
}

/// Gaussian elimination with pivoting.
inline std::vector<double> solve(DenseSystem s) {
  const auto n = static_cast<std::size_t>(s.n);
  std::vector<double*> row;
  for (std::size_t i = 0; i < n; ++i)
    row.push_back(s.matrix.data() + i * n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      pivot = std::fabs(row[i][k]) > std::fabs(row[pivot][k]) ? i : pivot;
    std::swap(row[k], row[pivot]);
    std::swap(s.rhs[k], s.rhs[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = row[i][k] / row[k][k];
      if (factor == 0.)
        continue;
      for (std::size_t j = k + 1; j < n; ++j)
        row[i][j] -= factor * row[k][j];
      s.rhs[i] -= factor * s.rhs[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j)
      s.rhs[k] -= row[k][j] * s.rhs[j];
    s.rhs[k] /= row[k][k];
  }
  return s.rhs;
}

/// Whether the pivots of an elimination without row exchanges are positive.
inline bool is_positive_definite(DenseSystem s) {
  const auto n = static_cast<std::size_t>(s.n);
  for (std::size_t k = 0; k < n; ++k) {
    const double* const pivot = s.matrix.data() + k * n;
    if (!(pivot[k] > 0.))
      return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      double* const row = s.matrix.data() + i * n;
      const double factor = row[k] / pivot[k];
      for (std::size_t j = k; j < n; ++j)
        row[j] -= factor * pivot[j];
    }
  }
  return true;
}

template <class ExecutionSpace, int Dim>
dg::Form<Dim, typename ExecutionSpace::memory_space>
make_form(const ExecutionSpace& exec, const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
          int p, const physics::AdvectionDiffusionReaction& problem, const dg::FormOptions& options = {}) {
  return dg::make_form(exec, mesh, fe::make_modal_space<Dim>(exec, mesh.boxes, p), problem, options);
}

/// Assembles by block rows, solves, and computes the errors.
template <class ExecutionSpace, int Dim>
dg::ErrorNorms solve_errors(const ExecutionSpace& exec,
                            const dg::Form<Dim, typename ExecutionSpace::memory_space>& form,
                            const dg::ExactSolution& exact) {
  const auto assembler = dg::make_assembler<ExecutionSpace>(form);
  assembler->symbolic(exec);
  assembler->numeric(exec);
  const Array<const double*, ExecutionSpace> u = array_of(exec, solve(dense_system(exec, *assembler)));
  return dg::error_norms(exec, form, u, exact);
}

} // namespace tessera::test

#endif
