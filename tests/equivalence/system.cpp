// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "system.hpp"

#include "core/transfer/upload.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/krylov/ebe_pcg.hpp"
#include "solvers/krylov/pcg.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <cstring>

namespace tessera::test {

namespace {

template <class ExecutionSpace, class ArrayType>
std::vector<typename ArrayType::non_const_value_type> copy_of(const ExecutionSpace& exec, const ArrayType& array) {
  const auto host = to_host(exec, array);
  return {host.data(), host.data() + host.extent(0)};
}

/// The larger of the two relative differences; infinity if one is NaN.
double worse(double so_far, double difference, double scale) {
  const double ratio = difference == 0. ? 0. : difference / scale;
  return std::isnan(ratio) ? INFINITY : std::max(so_far, ratio);
}

double largest(const std::vector<double>& values) {
  double result = 0.;
  for (const double value : values)
    result = std::max(result, std::fabs(value));
  return result;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

} // namespace

std::vector<std::vector<double>> make_probes(index_t n_regular, index_t n_free) {
  std::vector<std::vector<double>> probes;
  for (unsigned seed = 1; seed <= 2; ++seed)
    probes.push_back(random_vector(n_free, seed));
  const auto add_unit = [&](index_t i) {
    probes.emplace_back(n_free, 0.);
    probes.back()[i] = 1.;
  };
  for (index_t i = n_regular; i < n_free; ++i)
    add_unit(i);
  for (index_t k = 0; k < 5 && n_regular > 0; ++k)
    add_unit(static_cast<index_t>(static_cast<std::int64_t>(n_regular - 1) * k / 4));
  return probes;
}

template <class ExecutionSpace>
System make_system(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                   const assembly::AssemblyOptions& options, const std::vector<std::vector<double>>& probes,
                   double relative_tolerance, int n_numeric) {
  const auto assembler = problem.make_assembler(options);
  assembler->symbolic(exec);
  for (int i = 0; i < n_numeric; ++i)
    assembler->numeric(exec);
  System system;
  if (assembler->matrix() != nullptr) {
    system.offsets = copy_of(exec, assembler->matrix()->offsets);
    system.columns = copy_of(exec, assembler->matrix()->columns);
    system.values = copy_of(exec, assembler->matrix()->values);
  }
  system.rhs = copy_of(exec, assembler->rhs());
  const index_t n = assembler->system().size();
  const auto y = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test::vector", n, 7.);
  assembler->system().diagonal(exec, y);
  system.diagonal = copy_of(exec, y);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  const auto dot = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test::dot", 1, 7.);
  for (const auto& probe : probes) {
    assembler->system().apply(exec, vector_on(exec, probe), y);
    system.products.push_back(copy_of(exec, y));
    fill(exec, y, 7.);
    assembler->system().apply_dot(exec, vector_on(exec, probe), y, workspace, dot.data());
    system.products_with_dot.push_back(copy_of(exec, y));
    system.dots.push_back(read_entry(exec, dot, 0));
  }
  const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test::unknowns", n, 0.);
  solvers::PcgOptions pcg_options;
  pcg_options.relative_tolerance = relative_tolerance;
  const solvers::Jacobi<ExecutionSpace> jacobi(exec, assembler->system());
  const auto result =
      solvers::Pcg<ExecutionSpace>(pcg_options).solve(exec, assembler->system(), jacobi, assembler->rhs(), x);
  system.iterations = result.iterations;
  system.converged = result.status == solvers::SolverStatus::converged;
  system.solution = copy_of(exec, x);
  if (assembler->elements() != nullptr) {
    fill(exec, x, 0.);
    const auto by_elements =
        solvers::EbePcg<ExecutionSpace>(pcg_options).solve(exec, *assembler->elements(), jacobi, assembler->rhs(), x);
    system.converged = system.converged && by_elements.status == solvers::SolverStatus::converged;
    if (by_elements.status != solvers::SolverStatus::converged)
      system.message = by_elements.message;
    system.element_iterations = by_elements.iterations;
    system.element_solution = copy_of(exec, x);
    const std::size_t n_compared = std::min({result.history.size(), by_elements.history.size(), std::size_t(11)});
    // Rounding errors are as large as those of the first residual: only residuals within six digits of it are compared.
    const double comparable = std::max(result.threshold, 1e-6 * result.history.at(0));
    for (std::size_t k = 0; k < n_compared && result.history[k] > comparable; ++k)
      system.residual_difference =
          worse(system.residual_difference, std::fabs(by_elements.history[k] - result.history[k]), result.history[k]);
  }
  return system;
}

Differences compare(const System& system, const Oracle& oracle, const std::vector<std::vector<double>>& probes) {
  Differences worst;
  const std::size_t n = oracle.rows.size();
  if (!system.offsets.empty()) {
    if (system.offsets.size() != n + 1)
      worst.matrix = INFINITY;
    for (std::size_t i = 0; i < n && std::isfinite(worst.matrix); ++i) {
      offset_t entry = system.offsets[i];
      if (static_cast<std::size_t>(system.offsets[i + 1] - entry) != oracle.rows[i].size())
        worst.matrix = INFINITY;
      else
        for (const auto& expected : oracle.rows[i]) {
          if (system.columns[entry] != expected.first)
            worst.matrix = INFINITY;
          worst.matrix = worse(worst.matrix, std::fabs(system.values[entry++] - expected.second), oracle.row_sum[i]);
        }
    }
  }
  std::vector<double> dots(probes.size(), 0.);
  std::vector<double> dot_scales(probes.size(), 0.);
  for (std::size_t i = 0; i < n; ++i) {
    const double sum = oracle.row_sum[i];
    worst.rhs = worse(worst.rhs, std::fabs(system.rhs.at(i) - oracle.rhs[i]), oracle.load_sum[i]);
    worst.diagonal =
        worse(worst.diagonal, std::fabs(system.diagonal.at(i) - oracle.rows[i].at(static_cast<index_t>(i))), sum);
    for (std::size_t p = 0; p < probes.size(); ++p) {
      double product = 0.;
      for (const auto& entry : oracle.rows[i])
        product += entry.second * probes[p][entry.first];
      const double scale = sum * largest(probes[p]);
      worst.product = worse(worst.product, std::fabs(system.products.at(p).at(i) - product), scale);
      worst.product = worse(worst.product, std::fabs(system.products_with_dot.at(p).at(i) - product), scale);
      dots[p] += probes[p][i] * product;
      dot_scales[p] += std::fabs(probes[p][i]) * scale;
    }
    worst.solution = worse(worst.solution, std::fabs(system.solution.at(i) - oracle.solution[i]), 1.);
    if (!system.element_solution.empty())
      worst.solution = worse(worst.solution, std::fabs(system.element_solution.at(i) - oracle.solution[i]), 1.);
  }
  for (std::size_t p = 0; p < probes.size(); ++p)
    worst.product = worse(worst.product, std::fabs(system.dots.at(p) - dots[p]), dot_scales[p]);
  if (worst.solution > 0.)
    worst.solution /= largest(oracle.solution);
  return worst;
}

std::string different_parts(const System& a, const System& b) {
  std::string parts;
  const auto note = [&parts](bool same, const char* part) {
    if (!same)
      parts += (parts.empty() ? "" : ", ") + std::string(part);
  };
  note(same_bits(a.offsets, b.offsets) && same_bits(a.columns, b.columns), "pattern");
  note(same_bits(a.values, b.values), "values");
  note(same_bits(a.rhs, b.rhs), "rhs");
  note(same_bits(a.diagonal, b.diagonal), "diagonal");
  bool same_products = a.products.size() == b.products.size();
  for (std::size_t p = 0; p < a.products.size() && same_products; ++p)
    same_products =
        same_bits(a.products[p], b.products[p]) && same_bits(a.products_with_dot[p], b.products_with_dot[p]);
  same_products = same_products && same_bits(a.dots, b.dots);
  note(same_products, "products");
  note(a.iterations == b.iterations, "iterations");
  note(same_bits(a.solution, b.solution), "solution");
  note(a.element_iterations == b.element_iterations, "iterations by elements");
  note(same_bits(a.element_solution, b.element_solution), "solution by elements");
  return parts;
}

template <class ExecutionSpace>
std::string wrong_with_load(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                            const assembly::AssemblyOptions& options) {
  const double scale = largest(problem.oracle.load_sum);
  const auto close = [&](const std::vector<double>& load, const std::vector<double>& whole) {
    double difference = load.size() == whole.size() ? 0. : INFINITY;
    for (std::size_t i = 0; i < load.size() && i < whole.size(); ++i)
      difference = worse(difference, std::fabs(load[i] - whole[i]), scale + largest(whole));
    return difference <= 1e-13;
  };
  const auto same = [&](const std::vector<double>& load, const std::vector<double>& whole) {
    return assembly::is_deterministic(options.strategy) ? same_bits(load, whole) : close(load, whole);
  };
  const auto values_of = [&](const assembly::Assembler<ExecutionSpace>& assembler) {
    return assembler.matrix() != nullptr ? copy_of(exec, assembler.matrix()->values) : std::vector<double>();
  };
  const std::vector<double> fixed = copy_of(exec, problem.fixed_values);
  const std::vector<double> totals = copy_of(exec, problem.tied_totals);
  const auto change = [](std::vector<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 0.3 - 1.7 * values[i] + 0.01 * static_cast<double>(i % 7);
    return values;
  };

  const auto assembler = problem.make_assembler(options);
  assembler->symbolic(exec);
  assembler->load(exec);
  const auto load = copy_of(exec, assembler->rhs());
  assembler->numeric(exec);
  const auto values = values_of(*assembler);
  std::string wrong = same(load, copy_of(exec, assembler->rhs())) ? "" : "load before numeric";

  upload(exec, problem.fixed_values, change(fixed));
  upload(exec, problem.tied_totals, change(totals));
  assembler->load(exec);
  const auto changed = copy_of(exec, assembler->rhs());
  if (wrong.empty() && !same_bits(values, values_of(*assembler)))
    wrong = "matrix after load";
  assembler->numeric(exec);
  if (wrong.empty() && !same(changed, copy_of(exec, assembler->rhs())))
    wrong = "load of changed values";
  const auto other = problem.make_assembler(options); // its colours may differ
  other->symbolic(exec);
  other->numeric(exec);
  if (wrong.empty() && !close(changed, copy_of(exec, other->rhs())))
    wrong = "load of changed values against another assembler";
  if (wrong.empty() && !totals.empty() && same(load, changed))
    wrong = "changed values without effect";
  upload(exec, problem.fixed_values, fixed);
  upload(exec, problem.tied_totals, totals);
  return wrong;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::string wrong_with_load<SPACE>(const SPACE&, const Problem<SPACE>&, const assembly::AssemblyOptions&);  \
  template System make_system<SPACE>(const SPACE&, const Problem<SPACE>&, const assembly::AssemblyOptions&,            \
                                     const std::vector<std::vector<double>>&, double, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::test
