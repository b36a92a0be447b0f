// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_HPP
#define TESSERA_SOLVERS_KRYLOV_HPP

/// \file
/// What Krylov methods have in common: options and the frame of a solve.

#include "core/kokkos_ext/device_event.hpp"
#include "solvers/largest_residual.hpp"
#include "solvers/preconditioner.hpp"
#include "solvers/results.hpp"
#include "solvers/solver_defaults.hpp"
#include "solvers/solver_record.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace tessera::solvers {

struct SolverOptions {
  /// Converged when ||r||_2 <= max(relative_tolerance ||b||_2, absolute_tolerance).
  double relative_tolerance = default_tolerance;
  double absolute_tolerance = 0.;
  /// A converged x whose true residual exceeds this times ||b|| is reported as inaccurate: absolute tolerances may be
  /// too lax.
  double largest_residual = solvers::largest_residual;
  /// Norm of b - q, or of b where q is null, in the place of ||.||_2 of the right-hand side and of the true residual,
  /// and at most that: in it rows whose entries all others are small against may have less weight. `stride`: between
  /// entries of q. Empty: ||.||_2. Collective.
  std::function<double(const double* b, const double* q, std::int64_t stride)> row_norm;
  int max_iterations = default_max_iterations;
  /// Iterations between host-side convergence checks; 0: chosen from the size. Neither the result nor the number of
  /// iterations depends on it.
  int check_interval = 0;
  bool record_history = true;
  /// Called at every check with the number of iterations done and ||r||_2.
  std::function<void(int iterations, double residual)> monitor;
};

namespace detail {

/// For messages, which must not say "-nan".
inline double shown(double value) { return std::isnan(value) ? std::fabs(value) : value; }

} // namespace detail

/// The frame of a solve: checks of options and operands, start, convergence checks by the host while the device goes
/// on, verdict. Breakdown and failure to converge are reported in the result, not thrown.
template <class ExecutionSpace> class KrylovSolver {
public:
  using operator_type = linalg::LinearOperator<ExecutionSpace>;
  using preconditioner_type = Preconditioner<ExecutionSpace>;
  using vector_type = linalg::Vector<ExecutionSpace>;
  using const_vector_type = linalg::ConstVector<ExecutionSpace>;

protected:
  /// `method` begins every message. Throws when an option is out of range.
  KrylovSolver(std::string method, SolverOptions options);

  /// Checks the sizes and allocates; returns the iterations between two convergence checks of the host. Unless the
  /// options or a host decide, these are `interval`. The workspace is for `n_sums` sums over the unknowns, and for
  /// those of start().
  int prepare(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
              const const_vector_type& b, const vector_type& x, int interval, int n_sums);
  /// For devices, from the traffic of an iteration in bytes.
  static int interval_for(double bytes);

  /// `work(b)` solves for that right-hand side from x and fills `result`, but for its seconds. If squares of their
  /// entries leave the range of doubles (judge_start()), it solves again with b and x divided by unit_, which loses no
  /// digits.
  void in_range(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x, SolverResult& result,
                const std::function<void(const const_vector_type& b)>& work);

  /// Replaces x = 0 by the preconditioner's own start, if it has one.
  void replace_zero(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                    const const_vector_type& b, const vector_type& x);

  /// Leaves r = b - A x, q = A x and judges them.
  void start(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b, const vector_type& x,
             const vector_type& r, const vector_type& q, SolverResult& result);
  /// Judges (b, b), (x, x) and (r, r) of the initial guess: fills in the norms, or ends the solve by setting the
  /// result's message. With b = 0 that sets x to zero.
  void judge_start(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b, const vector_type& x,
                   double bb, double xx, double rr, SolverResult& result);

  /// Launches iterations by `steps(begin, end)`, which does begin + 1, ..., end, until the device's records say that
  /// they have ended; on devices up to 2 `interval` steps more, which change nothing. The record of step k, from 1, is
  /// records_((k - 1) % n_records()). `describe(record)` is the sentence for a step that broke.
  void iterate(const ExecutionSpace& exec, int interval, const std::function<void(int begin, int end)>& steps,
               const std::function<std::string(const SolverRecord&)>& describe, SolverResult& result);

  /// The verdict of iterations whose last record is `last`.
  void conclude(const SolverRecord& last, const std::function<std::string(const SolverRecord&)>& describe,
                SolverResult& result) const;
  /// Completes it when the true residual is known.
  void conclude_true_residual(SolverResult& result) const;

  /// Computes the true residual, with q = A x, and completes the verdict.
  void finish(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b, const vector_type& x,
              const vector_type& q, SolverResult& result);

  /// "operator" or "preconditioner": which of them makes a value that is not finite of the vectors `v`. Waits.
  static const char* source_of_infinity(const ExecutionSpace& exec, const operator_type& a,
                                        const preconditioner_type& m, const std::vector<const_vector_type>& v,
                                        const vector_type& z);

  /// Whether all entries of `v` are finite and not too large for their squares. Waits.
  static bool is_finite(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& v);

  /// Copies one struct to the space's memory; complete on return.
  template <class State>
  static void write_state(const ExecutionSpace& exec, const Array<State*, ExecutionSpace>& array, const State& state) {
    const Kokkos::View<const State*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&state, 1);
    copy(exec, array, host);
    exec.fence(); // `state` may be gone when the copy runs
  }

  int n_records() const { return static_cast<int>(records_.extent(0)); }

  std::string method_;
  SolverOptions options_;
  PinnedArray<SolverRecord*, ExecutionSpace> records_; // of two intervals
  ReduceWorkspace<ExecutionSpace> workspace_;
  double unit_ = 1.; // that b and x are divided by

private:
  std::int64_t n_ = -1; // unknowns that the workspace is for
  DeviceEvent<ExecutionSpace> marks_[2];
};

} // namespace tessera::solvers

#endif
