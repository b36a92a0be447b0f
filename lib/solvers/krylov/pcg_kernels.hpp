// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_KERNELS_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_KERNELS_HPP

/// \file
/// The loops of conjugate gradients; private to the files of pcg and ebe_pcg.

#include "core/algorithms/reduce.hpp"
#include "solvers/krylov/pcg_state.hpp"
#include "solvers/preconditioner.hpp"

#include <cmath>
#include <sstream>
#include <string>

namespace tessera::solvers {

namespace detail {

/// The sentence for an iteration with a breakdown (pcg.cpp).
std::string describe_break(const SolverRecord& record);
/// The sentence for (r, M^-1 r) of the initial guess that is not positive.
std::string describe_bad_start(double rz);

/// r = b - q and p = z, with the sums that start the iteration. With a pointwise preconditioner only z = scale r is
/// stored, here and in the iterations.
template <Inverse kind> struct PcgStart {
  const double* b;
  const double* x;
  const double* q;
  const double* scale;
  double* r;
  double* p;
  // (b, b), (x, x), (r, r), (r, z), (1, r), (1, 1)
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[6]) const {
    const double ri = b[i] - q[i];
    const double zi = kind == Inverse::pointwise ? scale[i] * ri : ri;
    r[i] = zi;
    if (kind != Inverse::stored)
      p[i] = zi;
    term[0] = b[i] * b[i];
    term[1] = x[i] * x[i];
    term[2] = ri * ri;
    term[3] = ri * zi;
    term[4] = ri;
    term[5] = 1.;
  }
};

/// A 1 = 0 up to rounding: below this fraction of the row's diagonal entry, in the mean square. One Dirichlet or Robin
/// node among 2^31 leaves about 1e-5.
inline constexpr double null_space_tolerance = 1e-13;

/// Message for a residual of n entries with the sum `sum_r` if A 1 = 0: its mean cannot be reduced, because the range
/// of A is orthogonal to constants.
inline std::string outside_range_message(double sum_r, double n) {
  std::ostringstream text;
  text << "the operator is singular (it maps constants to zero) and the right-hand side is not in its range: the sum "
          "of the residual is "
       << sum_r << ", so ||r|| cannot fall below " << std::abs(sum_r) / std::sqrt(n)
       << ". Fix the solution somewhere by a Dirichlet or Robin condition.";
  return text.str();
}

/// Row sums relative to the diagonal, row by row: coefficients may differ by any power of ten.
struct PcgRowSums {
  const double* row_sum; // A 1
  const double* diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double ratio = diagonal[i] > 0. ? row_sum[i] / diagonal[i] : 0.;
    term[0] = ratio * ratio;
  }
};

/// Loop (b): r -= alpha q with the sums of the new residual; z -= alpha scale q if z is stored, which costs a division
/// here but saves the scale in loop (c). Writes nothing once the iteration has ended.
template <Inverse kind> struct PcgResidual {
  static constexpr int n_sums = kind == Inverse::pointwise ? 2 : 1;
  const PcgState* state;
  const double* q;
  const double* scale;
  double* r; // or z
  double alpha = 0.;
  bool running = false;
  struct Item {
    double r;
    double q;
    double scale;
  };
  KOKKOS_FUNCTION void load() {
    running = state->status == DeviceStatus::running;
    alpha = state->rz / state->pq;
  }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {r[i], q[i], kind == Inverse::pointwise ? scale[i] : 1.}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item, double (&term)[n_sums]) const {
    for (int s = 0; s < n_sums; ++s)
      term[s] = 0.;
    if (!running)
      return;
    if constexpr (kind == Inverse::pointwise) {
      const double zi = item.r - alpha * (item.scale * item.q);
      const double ri = zi / item.scale;
      r[i] = zi;
      term[0] = ri * ri;
      term[n_sums - 1] = ri * zi;
    } else {
      const double ri = item.r - alpha * item.q;
      r[i] = ri;
      term[0] = ri * ri;
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[n_sums]) const { (*this)(i, read(i), term); }
};

/// Runs between the loops in one thread: checks the new sums, computes alpha and beta, counts the iteration.
template <Inverse kind> struct PcgScalars {
  PcgState* state;
  SolverRecord* records; ///< [n_records], that of the k-th iteration from 0: k % n_records
  int n_records;

  KOKKOS_FUNCTION static bool is_finite(double value) { return value - value == 0.; }

  KOKKOS_FUNCTION void operator()() const {
    PcgState& s = *state;
    if (s.status != DeviceStatus::running)
      return;
    const int k = s.iteration;
    check_convergence(s);
    records[k % n_records] = {s.rr, s.breakdown_value, s.status, s.iteration};
  }

private:
  KOKKOS_FUNCTION void check_convergence(PcgState& s) const {
    // If parts cancel (EBE-J-PCG sums by elements), the result may be slightly negative, by less than the convergence
    // threshold.
    const double rr = s.sums[0] < 0. && s.sums[0] >= -s.threshold2 ? 0. : s.sums[0];
    const double rz = kind == Inverse::identity ? rr : s.sums[1];
    if (!is_finite(s.pq))
      return stop(DeviceStatus::operator_not_finite, s.pq);
    if (s.pq <= 0.)
      return stop(DeviceStatus::indefinite, s.pq);
    if (!is_finite(rr) || !is_finite(rz))
      return stop(DeviceStatus::residual_not_finite, is_finite(rr) ? rz : rr);
    if (rr < 0.)
      return stop(DeviceStatus::residual_negative, rr);
    s.alpha = s.rz / s.pq;
    s.beta = rz / s.rz;
    s.rz = rz;
    s.rr = rr;
    ++s.iteration;
    if (rr <= s.threshold2)
      s.status = DeviceStatus::converged;
    else if (rz <= 0.)
      stop(DeviceStatus::preconditioner_not_positive, rz);
  }

  KOKKOS_FUNCTION void stop(DeviceStatus status, double number) const {
    state->status = status;
    state->breakdown_value = number;
  }
};

/// Runs after r -= alpha q if z is stored: ends the iteration if it has converged, without z.
struct PcgConverged {
  PcgState* state;
  SolverRecord* records;
  int n_records;
  KOKKOS_FUNCTION void operator()() const {
    PcgState& s = *state;
    const double rr = s.sums[0];
    if (s.status != DeviceStatus::running || !(s.pq > 0.) || !(rr >= 0. && rr <= s.threshold2))
      return; // PcgScalars judges the other cases
    s.alpha = s.rz / s.pq;
    s.beta = 0.;
    s.rr = rr;
    s.status = DeviceStatus::converged;
    records[s.iteration % n_records] = {rr, 0., s.status, s.iteration + 1};
    ++s.iteration;
  }
};

/// Loop (c): x += alpha p, p = z + beta p, if iteration `k` was performed.
struct PcgStep {
  const PcgState* state;
  int k;
  const double* z;
  double* p;
  double* x;
  double alpha = 0.;
  double beta = 0.;
  bool accepted = false;
  KOKKOS_FUNCTION void load() {
    accepted = state->iteration == k;
    alpha = state->alpha;
    beta = state->beta;
  }
  struct Item {
    double z;
    double p;
    double x;
  };
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {z[i], p[i], x[i]}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    if (!accepted)
      return;
    x[i] = item.x + alpha * item.p;
    p[i] = item.z + beta * item.p;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

} // namespace detail

} // namespace tessera::solvers

#endif
