// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_COMPARISON_HPP
#define TESSERA_DRIVER_COMPARE_COMPARISON_HPP

/// \file
/// Runs of one case by several strategies and backends, compared with the first one.

#include "core/timer.hpp"
#include "core/types.hpp"
#include "driver/results.hpp"
#include "io/input/case.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// The solver of a run.
struct SolverChoice {
  io::SolverMethod method = io::SolverMethod::pcg;
  io::Preconditioner preconditioner = io::Preconditioner::jacobi;
};

/// The case's solver if the strategy supports it: ebe-j-pcg needs stored element matrices (otherwise pcg), multigrid,
/// if `multigrid_needs_matrix`, an assembled matrix (otherwise jacobi).
SolverChoice usable_solver(const io::SolverInput& options, assembly::Strategy strategy,
                           bool multigrid_needs_matrix = true);

/// One run; large data are in `arrays`, on the host.
struct Candidate {
  std::string backend;
  std::string strategy;
  bool has_fixed_bits = false; ///< whether the bits are the same on every backend, even if the run is not reproducible
  SolverChoice solver;
  std::string method;        ///< of the solver, if `solver` does not have it
  std::vector<Phase> phases; ///< symbolic, numeric, solve, quantities; peaks in addition to mesh, dof map and form
  int iterations = 0;
  bool converged = false;
  double relative_tolerance = 0.;        ///< of the solver's residual
  std::vector<QuantityValue> quantities; ///< those requested by the case; if it requests none, the energy

  struct Arrays {
    // Matrix; empty for strategies without one.
    std::vector<offset_t> offsets;
    std::vector<index_t> columns;
    std::vector<double> values;
    std::vector<double> rhs;
    std::vector<double> product; ///< of the system and a fixed vector
    std::vector<double> solution;
    std::vector<double> quantities; ///< energy, and the charge (flux) of each constraint
  } arrays;

  std::string name() const { return backend + " " + strategy; }
  std::string method_name() const { return method.empty() ? io::name_of(solver.method) : method; }
};

/// Largest differences between two runs; infinite if sizes differ or a value is NaN.
struct Differences {
  double matrix = -1.; ///< of entries, relative to the absolute row sum; -1: one of the runs has no matrix
  double product = 0.; ///< relative to the largest entry, as are the following
  double rhs = 0.;
  double solution = 0.;
};

Differences differences(const Candidate::Arrays& a, const Candidate::Arrays& b);

/// Largest difference of quantities of the same names, relative to the largest one with the same unit; 0 if there are
/// none.
double quantity_difference(const std::vector<QuantityValue>& a, const std::vector<QuantityValue>& b);

/// A run and its comparison.
struct Verdict {
  Candidate run; ///< without its arrays
  bool is_first = false;
  Differences differences;   ///< from the first run
  double in_quantities = 0.; ///< quantity_difference() from the first run; reported, not judged
  bool has_twin = false;     ///< the strategy ran before on another backend
  bool same_bits = false;    ///< as in that run, from the matrix to the quantities
  bool bits_agree = true;    ///< false: the bits should be the same and are not
  bool agrees = false;       ///< all differences are within their tolerances, including bits and convergence
};

/// Judges runs one after the other. Keeps only the arrays of the first run, and a checksum of the bits of the first run
/// of each strategy.
class Comparison {
public:
  /// Sums of the same terms in another order differ by at most (terms - 1) eps of the terms' absolute sum; rows have
  /// far fewer than a thousand terms.
  static constexpr double matrix_tolerance = 1e-12;

  /// `reproducible`: runs must have the same bits for every strategy.
  explicit Comparison(bool reproducible) : reproducible_(reproducible) {}

  const Verdict& add(Candidate run);

  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  /// Tolerance for iterative solutions, which depend on their residuals: a thousand times the tolerance of the first
  /// run.
  double solution_tolerance() const { return solution_tolerance_; }
  /// The run with the largest difference from the first one relative to the tolerances; requires at least two runs.
  const Verdict& worst() const;
  /// The largest ratio of a difference to its tolerance; infinite without convergence or if bits should agree but do
  /// not.
  double severity(const Verdict& verdict) const;
  /// Whether there are at least two runs, and all agree.
  bool all_agree() const;
  /// 0, or the code of a numerical error.
  int exit_code() const;

private:
  bool reproducible_;
  double solution_tolerance_ = 0.;
  Candidate::Arrays first_;
  std::map<std::string, std::uint64_t> bits_;
  std::vector<Verdict> verdicts_;
};

} // namespace tessera::driver

#endif
