// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/comparison.hpp"

#include "core/checksum.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace {

constexpr double solution_factor = 1e3;
constexpr double least_solution_tolerance = 1e-12;

double largest(const std::vector<double>& values) {
  double result = 0.;
  for (const double value : values)
    result = std::max(result, std::fabs(value));
  return result;
}

/// The larger of two differences; NaN counts as infinite.
double worse(double difference, double than) {
  if (std::isnan(difference))
    return INFINITY;
  return std::max(difference, than);
}

/// Largest difference, relative to the largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size())
    return INFINITY;
  double result = 0.;
  for (std::size_t i = 0; i < a.size(); ++i)
    result = worse(std::fabs(a[i] - b[i]), result);
  const double scale = std::max(largest(a), largest(b));
  return scale > 0. ? worse(result / scale, 0.) : result;
}

double matrix_difference(const Candidate::Arrays& a, const Candidate::Arrays& b) {
  if (a.offsets.empty() || b.offsets.empty())
    return -1.;
  if (a.offsets != b.offsets || a.columns != b.columns || a.values.size() != b.values.size())
    return INFINITY;
  double result = 0.;
  for (std::size_t row = 0; row + 1 < a.offsets.size(); ++row) {
    double sum = 0.;
    double worst = 0.;
    for (offset_t i = a.offsets[row]; i < a.offsets[row + 1]; ++i) {
      sum += std::fabs(a.values[i]);
      worst = worse(std::fabs(a.values[i] - b.values[i]), worst);
    }
    result = worse(sum > 0. ? worst / sum : worst, result);
  }
  return result;
}

template <class T> std::uint64_t bits_of(const std::vector<T>& values) {
  const tessera::detail::SumBits<T> add{values.data()};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    add(static_cast<std::int64_t>(i), sum);
  return mix_bits(sum + values.size());
}

std::uint64_t bits_of(const Candidate& run) {
  const Candidate::Arrays& a = run.arrays;
  std::uint64_t bits = static_cast<std::uint64_t>(run.iterations);
  for (const std::uint64_t next : {bits_of(a.offsets), bits_of(a.columns), bits_of(a.values), bits_of(a.rhs),
                                   bits_of(a.product), bits_of(a.solution), bits_of(a.quantities)})
    bits = mix_bits(bits ^ next);
  return bits;
}

} // namespace

SolverChoice usable_solver(const io::SolverInput& options, assembly::Strategy strategy, bool multigrid_needs_matrix) {
  SolverChoice choice{options.method, options.preconditioner};
  if (choice.method == io::SolverMethod::ebe_j_pcg && strategy != assembly::Strategy::ebe_stored)
    choice.method = io::SolverMethod::pcg;
  if (choice.method == io::SolverMethod::petsc && !assembly::stores_matrix(strategy))
    choice = {io::SolverMethod::pcg, io::Preconditioner::jacobi};
  if (choice.preconditioner == io::Preconditioner::multigrid && multigrid_needs_matrix &&
      !assembly::stores_matrix(strategy)) {
    choice.preconditioner = io::Preconditioner::jacobi;
    if (choice.method == io::SolverMethod::multigrid)
      choice.method = io::SolverMethod::pcg;
  }
  return choice;
}

Differences differences(const Candidate::Arrays& a, const Candidate::Arrays& b) {
  return {matrix_difference(a, b), difference(a.product, b.product), difference(a.rhs, b.rhs),
          difference(a.solution, b.solution)};
}

double quantity_difference(const std::vector<QuantityValue>& a, const std::vector<QuantityValue>& b) {
  std::map<std::string, double> scales; // by unit
  for (const auto* values : {&a, &b})
    for (const QuantityValue& quantity : *values) {
      double& scale = scales[quantity.unit];
      scale = std::max(scale, std::fabs(quantity.value));
    }
  double result = 0.;
  for (const QuantityValue& one : a)
    for (const QuantityValue& other : b)
      if (one.name == other.name && one.value != other.value)
        result = worse(std::fabs(one.value - other.value) / scales[one.unit], result);
  return result;
}

const Verdict& Comparison::add(Candidate run) {
  Verdict verdict;
  verdict.is_first = verdicts_.empty();
  if (verdict.is_first)
    solution_tolerance_ = std::max(least_solution_tolerance, solution_factor * run.relative_tolerance);
  // The first run is compared with itself: without differences, unless a value is NaN.
  verdict.differences = differences(verdict.is_first ? run.arrays : first_, run.arrays);
  const std::uint64_t bits = bits_of(run);
  const auto twin = bits_.emplace(run.strategy, bits);
  verdict.has_twin = !twin.second;
  verdict.same_bits = verdict.has_twin && twin.first->second == bits;
  verdict.bits_agree = !verdict.has_twin || verdict.same_bits || !(reproducible_ || run.has_fixed_bits);
  const Differences& d = verdict.differences;
  verdict.agrees = run.converged && verdict.bits_agree && d.matrix <= matrix_tolerance &&
                   d.product <= matrix_tolerance && d.rhs <= matrix_tolerance && d.solution <= solution_tolerance_;
  verdict.in_quantities = verdict.is_first ? 0. : quantity_difference(verdicts_.front().run.quantities, run.quantities);
  if (verdict.is_first)
    first_ = std::move(run.arrays);
  run.arrays = {};
  verdict.run = std::move(run);
  verdicts_.push_back(std::move(verdict));
  return verdicts_.back();
}

double Comparison::severity(const Verdict& verdict) const {
  const Differences& d = verdict.differences;
  if (!verdict.run.converged || !verdict.bits_agree)
    return INFINITY;
  return std::max({d.matrix / matrix_tolerance, d.product / matrix_tolerance, d.rhs / matrix_tolerance,
                   d.solution / solution_tolerance_});
}

const Verdict& Comparison::worst() const {
  return *std::max_element(verdicts_.begin() + 1, verdicts_.end(),
                           [&](const Verdict& one, const Verdict& other) { return severity(one) < severity(other); });
}

bool Comparison::all_agree() const {
  return verdicts_.size() >= 2 &&
         std::all_of(verdicts_.begin(), verdicts_.end(), [](const Verdict& verdict) { return verdict.agrees; });
}

int Comparison::exit_code() const { return all_agree() ? 0 : static_cast<int>(ErrorKind::numerical); }

} // namespace tessera::driver
