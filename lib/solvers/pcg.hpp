// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_PCG_HPP
#define TESSERA_SOLVERS_PCG_HPP

/// \file
/// Preconditioned conjugate gradients.

#include "core/kokkos_ext/device_event.hpp"
#include "solvers/largest_residual.hpp"
#include "solvers/pcg_state.hpp"
#include "solvers/preconditioner.hpp"
#include "solvers/results.hpp"
#include "solvers/solver_defaults.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera::solvers {

struct PcgOptions {
  /// Converged when ||r||_2 <= max(relative_tolerance ||b||_2, absolute_tolerance).
  double relative_tolerance = default_tolerance;
  double absolute_tolerance = 0.;
  /// A converged x whose true residual exceeds this times ||b|| is reported as inaccurate: absolute tolerances may be
  /// too lax.
  double largest_residual = solvers::largest_residual;
  int max_iterations = default_max_iterations;
  /// Iterations between host-side convergence checks; 0: chosen from the size. Neither the result nor the number of
  /// iterations depends on it.
  int check_interval = 0;
  bool record_history = true;
  /// Costs one product before the iterations.
  bool look_for_constant_null_space = true;
  /// Called at every check with the number of iterations done and ||r||_2.
  std::function<void(int iterations, double residual)> monitor;
};

/// Solves A x = b for symmetric positive definite A and M; throws when one of them says that it is not symmetric. Its
/// vectors are allocated at the first solve and kept for further ones of the same size. Sums are added in a fixed order
/// (core/reduce.hpp), so that with a reproducible operator every backend gives the same bits.
///
/// Three loops over the unknowns make an iteration (M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Stand. 49, 1952, with
/// the update of x moved to where p is read anyway):
///   (a) q = A p and (p, q), by the operator;
///   (b) r -= alpha q, (r, r) and (r, z) with z = M^-1 r, and alpha = (r, z) / (p, q);
///   (c) x += alpha p, p = z + beta p.
/// Of r and z a pointwise preconditioner needs only z in memory. A preconditioner that is not pointwise is applied
/// between two loops that (b) is then split into.
template <class ExecutionSpace> class Pcg {
public:
  using operator_type = linalg::LinearOperator<ExecutionSpace>;
  using preconditioner_type = Preconditioner<ExecutionSpace>;
  using vector_type = linalg::Vector<ExecutionSpace>;
  using const_vector_type = linalg::ConstVector<ExecutionSpace>;

  /// Throws when an option is out of range.
  explicit Pcg(PcgOptions options = PcgOptions());

  /// `x` holds the initial guess and then the solution; with b = 0 that is 0. Breakdown and failure to converge are
  /// reported in the result, not thrown. Complete on return. Right-hand sides may be of any magnitude: if squares of
  /// their entries leave the range of doubles, the system is scaled by a power of two.
  PcgResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                  const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of one iteration; see the model in pcg.cpp.
  static linalg::Traffic iteration_traffic(const operator_type& a, const preconditioner_type& m);

protected:
  /// The frame of every solve: prepare(), start(), then `iterations` unless start() has ended it, and finish().
  PcgResult solve_by(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                     const const_vector_type& b, const vector_type& x, int interval,
                     const std::function<void(int interval, PcgResult& result)>& iterations);
  /// Checks the operands and allocates; returns the iterations between two convergence checks of the host. Unless the
  /// options or a host decide, these are `interval`.
  int prepare(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
              const const_vector_type& b, const vector_type& x, int interval);
  /// For devices, from the traffic of an iteration in bytes.
  static int interval_for(double bytes);
  void write_state(const ExecutionSpace& exec, const PcgState& state) const;
  /// `work(b)` solves for that right-hand side from x. If start() finds that squares of their entries leave the range
  /// of doubles, the solve is repeated with b and x divided by unit_, which loses no digits.
  PcgResult in_range(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x,
                     const std::function<PcgResult(const const_vector_type& b)>& work);
  void start(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
             const const_vector_type& b, const vector_type& x, PcgResult& result);
  /// Launches iterations by `steps(begin, end)`, which does begin + 1, ..., end, until the device's state says that
  /// they have ended; on devices up to 2 `interval` steps more, which change nothing.
  void iterate(const ExecutionSpace& exec, int interval, const std::function<void(int begin, int end)>& steps,
               PcgResult& result);
  void finish(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b, const vector_type& x,
              PcgResult& result);

  PcgOptions options_;
  vector_type r_, p_, q_, z_; // r_ holds z for pointwise preconditioners, z_ is for others only
  Array<PcgState*, ExecutionSpace> state_;
  PinnedArray<PcgRecord*, ExecutionSpace> records_; // of two intervals, as PcgScalars writes them
  ReduceWorkspace<ExecutionSpace> workspace_;

  int n_records() const { return static_cast<int>(records_.extent(0)); }

private:
  double unit_ = 1.; // that b and x are divided by
  DeviceEvent<ExecutionSpace> marks_[2];
};

} // namespace tessera::solvers

#endif
