// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_COMPARISON_HPP
#define TESSERA_DRIVER_COMPARE_COMPARISON_HPP

/// \file
/// Runs of one case by several strategies and backends, held against the first of them.

#include "core/timer.hpp"
#include "core/types.hpp"
#include "driver/results.hpp"
#include "io/case.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// What a run was solved with.
struct SolverChoice {
  io::SolverMethod method = io::SolverMethod::pcg;
  io::Preconditioner preconditioner = io::Preconditioner::jacobi;
};

/// The case's solver where the strategy can do with it: ebe-j-pcg needs stored element matrices (otherwise pcg),
/// multigrid, where that is so, an assembled matrix (otherwise jacobi).
SolverChoice usable_solver(const io::SolverInput& options, assembly::Strategy strategy,
                           bool multigrid_needs_matrix = true);

/// One run; what is large is in `arrays`, on the host.
struct Candidate {
  std::string backend;
  std::string strategy;
  bool has_fixed_bits = false; ///< the same on every backend, even if the run is not reproducible
  SolverChoice solver;
  std::vector<Phase> phases; ///< symbolic, numeric, solve, quantities; peaks beside mesh, dof map and form
  int iterations = 0;
  bool converged = false;
  double relative_tolerance = 0.;        ///< of the residual that the solver went for
  std::vector<QuantityValue> quantities; ///< that the case asks for; if it asks for none, the energy

  struct Arrays {
    // Matrix; empty for strategies without one.
    std::vector<offset_t> offsets;
    std::vector<index_t> columns;
    std::vector<double> values;
    std::vector<double> rhs;
    std::vector<double> product; ///< of the system with a fixed vector
    std::vector<double> solution;
    std::vector<double> quantities; ///< energy, and the charge (flux) of each constraint
  } arrays;

  std::string name() const { return backend + " " + strategy; }
};

/// Largest differences between two runs; infinite where sizes differ or a value is not a number.
struct Differences {
  double matrix = -1.; ///< of entries, relative to the absolute sum of their row; -1: one of the runs has no matrix
  double product = 0.; ///< relative to the largest entry, like the following
  double rhs = 0.;
  double solution = 0.;
};

Differences differences(const Candidate::Arrays& a, const Candidate::Arrays& b);

/// Largest difference of quantities of the same names, relative to the largest of the same unit; 0 where there are
/// none.
double quantity_difference(const std::vector<QuantityValue>& a, const std::vector<QuantityValue>& b);

/// A run and what came of it.
struct Verdict {
  Candidate run; ///< without its arrays
  bool is_first = false;
  Differences differences;   ///< from the first run
  double in_quantities = 0.; ///< quantity_difference() from the first run; told, not judged
  bool has_twin = false;     ///< the strategy ran before, on another backend
  bool same_bits = false;    ///< as that run, from the matrix to the quantities
  bool bits_agree = true;    ///< false: they had to be the same and are not
  bool agrees = false;       ///< all differences within their tolerances, bits and convergence included
};

/// Judges runs one after the other. Keeps the arrays of the first run only, and a checksum of the bits of the first one
/// of each strategy.
class Comparison {
public:
  /// Sums of the same terms in another order differ by at most (terms - 1) eps of the terms' absolute sum; rows have
  /// far fewer than a thousand terms.
  static constexpr double matrix_tolerance = 1e-12;

  /// `reproducible`: runs of one strategy must have the same bits, whichever strategy it is.
  explicit Comparison(bool reproducible) : reproducible_(reproducible) {}

  const Verdict& add(Candidate run);

  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  /// Two iterative solutions are as close as their residuals make them: a thousand times the tolerance of the first
  /// run.
  double solution_tolerance() const { return solution_tolerance_; }
  /// The run that is furthest from the first one, measured by the tolerances; of two runs at least.
  const Verdict& worst() const;
  /// The largest share that a difference has in its tolerance; infinite without convergence or where bits had to agree.
  double severity(const Verdict& verdict) const;
  /// Two runs at least, and all agree.
  bool all_agree() const;
  /// 0, or that of a numerical error.
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
