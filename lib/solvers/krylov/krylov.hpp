// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_KRYLOV_HPP
#define TESSERA_SOLVERS_KRYLOV_KRYLOV_HPP

/// \file
/// Common parts of Krylov methods: options and the frame of a solve.

#include "core/kokkos_ext/device/device_event.hpp"
#include "solvers/krylov/solver_record.hpp"
#include "solvers/largest_residual.hpp"
#include "solvers/preconditioner.hpp"
#include "solvers/results.hpp"
#include "solvers/solver_defaults.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace tessera::solvers {

struct SolverOptions {
  /// Convergence criterion: ||r||_2 <= max(relative_tolerance ||b||_2, absolute_tolerance).
  double relative_tolerance = default_tolerance;
  double absolute_tolerance = 0.;
  /// A converged x whose true residual exceeds this times ||b|| is reported as inaccurate: absolute tolerances may be
  /// too large.
  double largest_residual = solvers::largest_residual;
  /// Norm of b - q, or of b if q is null, used instead of ||.||_2 for the right-hand side and the true residual, and
  /// never larger: rows with dominating entries may be weighted down. Empty: ||.||_2. Not for PcgColumns. Collective.
  std::function<double(const double* b, const double* q)> row_norm;
  int max_iterations = default_max_iterations;
  /// Iterations between convergence checks by the host; 0: chosen by the size. Neither the result nor the number of
  /// iterations depends on it.
  int check_interval = 0;
  bool record_history = true;
  /// Called at every check with the number of completed iterations and ||r||_2.
  std::function<void(int iterations, double residual)> monitor;
};

namespace detail {

/// For messages, in which "-nan" must not occur.
inline double shown(double value) { return std::isnan(value) ? std::fabs(value) : value; }

} // namespace detail

/// The frame of a solve: checks of options and operands, start, convergence checks by the host while the device
/// continues, final status. Breakdown and failure to converge are reported in the result, not thrown.
template <class ExecutionSpace> class KrylovSolver {
public:
  using operator_type = linalg::LinearOperator<ExecutionSpace>;
  using preconditioner_type = Preconditioner<ExecutionSpace>;
  using vector_type = linalg::Vector<ExecutionSpace>;
  using const_vector_type = linalg::ConstVector<ExecutionSpace>;

protected:
  /// `method` begins every message. Throws if an option is out of range.
  KrylovSolver(std::string method, SolverOptions options);

  /// Checks the sizes and allocates; returns the number of iterations between two convergence checks of the host:
  /// `interval`, unless the options or a host space determine it. The workspace is for `n_sums` sums over the unknowns,
  /// and for those of start().
  int prepare(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
              const const_vector_type& b, const vector_type& x, int interval, int n_sums);
  /// The interval on devices, from the traffic of an iteration in bytes.
  static int interval_for(double bytes);

  /// `work(b)` solves for that right-hand side from x and fills `result`, except its seconds. If squares of the entries
  /// leave the range of doubles (check_start()), it is called again with b and x divided by unit_, which loses no
  /// digits.
  void in_range(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x, SolverResult& result,
                const std::function<void(const const_vector_type& b)>& work);

  /// Replaces x = 0 by the preconditioner's start, if it has one.
  void replace_zero(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                    const const_vector_type& b, const vector_type& x);

  /// Computes r = b - A x and q = A x, and judges them.
  void start(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b, const vector_type& x,
             const vector_type& r, const vector_type& q, SolverResult& result);
  /// Judges (b, b), (x, x) and (r, r) of the initial guess: sets the norms, or ends the solve by setting the result's
  /// message. If b = 0, x is set to zero.
  void check_start(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b, const vector_type& x,
                   double bb, double xx, double rr, SolverResult& result);

  /// Launches iterations by `steps(begin, end)`, which performs begin + 1, ..., end, until the device's records show
  /// that they have ended; on devices up to 2 `interval` further steps, which change nothing. `results`: of the
  /// right-hand sides that are solved together, null for those that need no iterations. The record of step k, from 1,
  /// is records_((k - 1) % n), of right-hand side c n c entries after it, where n is the number of records of each.
  /// `describe(record)` is the sentence for a step with a breakdown.
  void iterate(const ExecutionSpace& exec, int interval, const std::function<void(int begin, int end)>& steps,
               const std::function<std::string(const SolverRecord&)>& describe,
               const std::vector<SolverResult*>& results);

  /// Sets the status of iterations whose last record is `last`.
  void conclude(const SolverRecord& last, const std::function<std::string(const SolverRecord&)>& describe,
                SolverResult& result) const;
  /// Completes the status when the true residual is known.
  void conclude_true_residual(SolverResult& result) const;

  /// Computes the true residual, with q = A x, and completes the status.
  void finish(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b, const vector_type& x,
              const vector_type& q, SolverResult& result);

  /// "operator" or "preconditioner": the one that produces a value that is not finite from the vectors `v`. Waits.
  static const char* source_of_infinity(const ExecutionSpace& exec, const operator_type& a,
                                        const preconditioner_type& m, const std::vector<const_vector_type>& v,
                                        const vector_type& z);

  /// Whether all entries of `v` are finite and their squares in the range of doubles. Waits.
  static bool is_finite(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& v);

  /// Copies one struct to the space's memory; complete on return.
  template <class State>
  static void write_state(const ExecutionSpace& exec, const Array<State*, ExecutionSpace>& array, const State& state) {
    const Kokkos::View<const State*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&state, 1);
    copy(exec, array, host);
    exec.fence(); // `state` may be freed before the copy runs
  }

  int n_records() const { return static_cast<int>(records_.extent(0)); }

  std::string method_;
  SolverOptions options_;
  PinnedArray<SolverRecord*, ExecutionSpace> records_; // of two intervals
  ReduceWorkspace<ExecutionSpace> workspace_;
  double unit_ = 1.; // divisor of b and x

private:
  std::int64_t n_ = -1; // number of unknowns of the workspace
  DeviceEvent<ExecutionSpace> marks_[2];
};

} // namespace tessera::solvers

#endif
