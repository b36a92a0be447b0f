// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_BALANCE_HPP
#define TESSERA_DRIVER_EVALUATION_BALANCE_HPP

#include "driver/problem/problem.hpp"
#include "driver/results.hpp"
#include "driver/solve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// An imbalance of flows and sources above this fraction of the largest one is noted.
constexpr double noted_imbalance = 1e-6;
/// Above this fraction the run fails.
constexpr double largest_imbalance = 1e-3;

/// Checks that the inflow through all boundaries and the sources add up to zero in each connected part of the mesh.
/// `totals`: of each constraint (Problem::boundary_totals), `natural`: of the natural conditions. If the rounding of
/// the solution leaves one total uncertain and the others certain, it is replaced by the value that balances the others
/// and the sources. Otherwise the imbalance of the worst part is noted, and above `largest_imbalance` it is a failure
/// of the run. Does nothing for magnetic problems and solutions that have not converged. Returns bounds of the effect
/// of rounding on each total; empty: none are known. Collective.
template <class ExecutionSpace>
std::vector<double> check_balance(const ExecutionSpace& exec, const Equations<ExecutionSpace>& problem,
                                  const io::Case& input, const Solution<ExecutionSpace>& solution,
                                  std::vector<double>& totals, const std::vector<physics::NaturalTotals>& natural,
                                  Results& results);

/// What passes the boundaries of the domain, and what it has of sources and stores.
struct DomainFlows {
  double in = 0.;        ///< through boundaries
  double out = 0.;       ///< likewise
  double generated = 0.; ///< by sources
  std::optional<double> stored;
  void add(double inflow) { (inflow < 0. ? out : in) += inflow < 0. ? -inflow : inflow; }
};

/// Adds the flows and their sum, which is 0 but for the error of the solver, to report and console.
void report_flows(const io::ProblemOptions& options, const DomainFlows& flows, Results& results);

/// Imbalance of flows and sources, in the unit of flows.
struct Imbalance {
  double missing = 0.;       ///< magnitude of their sum
  double largest = 0.;       ///< magnitude of the largest flow or source
  double size = 0.;          ///< sum of the magnitudes of cancelling flows, each with the solver's error
  double noted_share = 0.;   ///< fraction of `size` below which nothing is reported
  double largest_share = 0.; ///< fraction of `size` below which the run does not fail
  bool is_rounding = false;  ///< whether rounding, and not the solver, is the cause
  bool may_fail = true;
  std::string place; ///< of one of several parts: "the connected part ..."; empty: the whole

  /// What may be missing before it is noted, or fails.
  double noted_limit() const;
  double largest_limit() const;
};

/// Adds a note or a failure if an imbalance exceeds its limits.
void report_imbalance(const io::ProblemOptions& options, const Imbalance& imbalance, Results& results);

} // namespace tessera::driver

#endif
