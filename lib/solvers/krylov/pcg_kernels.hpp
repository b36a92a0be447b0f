// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_KERNELS_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_KERNELS_HPP

/// \file
/// The kernels of conjugate gradients for N right-hand sides together; private to the files of pcg and ebe_pcg.

#include "core/algorithms/reduce.hpp"
#include "linalg/pack.hpp"
#include "solvers/krylov/pcg_recurrence.hpp"
#include "solvers/preconditioner.hpp"

#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>

namespace tessera::solvers {

namespace detail {

/// The sentence for an iteration with a breakdown (pcg.cpp).
std::string describe_break(const SolverRecord& record);
/// The sentence for (r, M^-1 r) of the initial guess that is not positive.
std::string describe_bad_start(double rz);

/// r = b - q and p = z, with the sums that start the iteration; `b` may be `r`. With a pointwise preconditioner only
/// z = scale r is stored, here and in the iterations.
template <Inverse kind, int N> struct PcgStart {
  using Entry = linalg::EntryOf<double, N>;
  static constexpr int n_sums = N == 1 ? 6 : 2;
  const Entry* b;
  const Entry* x;
  const Entry* q;
  const double* scale;
  Entry* r;
  Entry* p;
  // (r, r), (r, z); of a single column also (b, b), (x, x), (1, r), (1, 1)
  KOKKOS_FUNCTION void operator()(std::int64_t i, Entry (&term)[n_sums]) const {
    const Entry bi = b[i];
    const Entry ri = bi - q[i];
    Entry zi = ri;
    if constexpr (kind == Inverse::pointwise)
      zi = scale[i] * ri;
    r[i] = zi;
    if constexpr (kind != Inverse::stored)
      p[i] = zi;
    term[0] = ri * ri;
    term[1] = ri * zi;
    if constexpr (N == 1) {
      term[2] = bi * bi;
      term[3] = x[i] * x[i];
      term[4] = ri;
      term[5] = 1.;
    }
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

/// Column `c` of an entry: of a number, or of a pack.
template <class Entry> KOKKOS_INLINE_FUNCTION auto& column_of(Entry& entry, [[maybe_unused]] int c) {
  if constexpr (linalg::columns_of<std::remove_const_t<Entry>> == 1)
    return entry;
  else
    return entry.column[c];
}

/// Loop (b): r -= alpha q with the sums of the new residual; z -= alpha scale q if z is stored, which costs a division
/// here but saves the scale in loop (c). Columns that have ended keep theirs; a single one is not written then.
template <Inverse kind, int N> struct PcgResidual {
  using Entry = linalg::EntryOf<double, N>;
  static constexpr int n_sums = kind == Inverse::pointwise ? 2 : 1;
  const PcgState<N>* state;
  const Entry* q;
  const double* scale;
  Entry* r; // or z
  double alpha[N] = {};
  bool running[N] = {};
  struct Item {
    Entry r;
    Entry q;
    double scale;
  };
  KOKKOS_FUNCTION void load() {
    for (int c = 0; c < N; ++c) {
      running[c] = state->column[c].status == DeviceStatus::running;
      alpha[c] = running[c] ? state->column[c].rz / state->pq[c] : 0.;
    }
  }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {r[i], q[i], kind == Inverse::pointwise ? scale[i] : 1.}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item, Entry (&term)[n_sums]) const {
    update(i, item.r, item.q, item.scale, term);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, Entry (&term)[n_sums]) const {
    update(i, r[i], q[i], kind == Inverse::pointwise ? scale[i] : 1., term);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void update(std::int64_t i, const Entry before, const Entry product, double factor,
                                          Entry (&term)[n_sums]) const {
    if (N == 1 && !running[0]) { // in packs it would keep host compilers from vectorising
      for (int s = 0; s < n_sums; ++s)
        term[s] = Entry{};
      return;
    }
    Entry after;
    if constexpr (N == 1)
      after = before - alpha[0] * (kind == Inverse::pointwise ? factor * product : product);
    else
      for (int c = 0; c < N; ++c) {
        const double applied = kind == Inverse::pointwise ? factor * product.column[c] : product.column[c];
        const double next = before.column[c] - alpha[c] * applied;
        after.column[c] = running[c] ? next : before.column[c];
      }
    r[i] = after;
    if constexpr (kind == Inverse::pointwise) {
      const Entry residual = after / factor;
      term[0] = residual * residual;
      term[n_sums - 1] = residual * after;
    } else {
      term[0] = after * after;
    }
  }
};

/// Runs between the loops in one thread: checks the new sums of each column, computes alpha and beta, counts iteration
/// `k`, and writes its records.
template <Inverse kind, int N> struct CheckIteration {
  PcgState<N>* state;
  SolverRecord* records; ///< [N][n_records], that of iteration k: (k - 1) % n_records
  int n_records;
  int k;

  KOKKOS_FUNCTION static bool is_finite(double value) { return value - value == 0.; }

  KOKKOS_FUNCTION void operator()() const {
    for (int c = 0; c < N; ++c) {
      PcgScalars& s = state->column[c];
      if (s.status == DeviceStatus::running)
        check_convergence(s, state->pq[c], state->sums[c], state->sums[N + c]);
      records[c * n_records + (k - 1) % n_records] = {s.rr, s.breakdown_value, s.status, s.iteration};
    }
  }

private:
  KOKKOS_FUNCTION static void check_convergence(PcgScalars& s, double pq, double sum_rr, double sum_rz) {
    // If parts cancel (EBE-J-PCG sums by elements), the result may be slightly negative, by less than the convergence
    // threshold.
    const double rr = sum_rr < 0. && sum_rr >= -s.threshold2 ? 0. : sum_rr;
    const double rz = kind == Inverse::identity ? rr : sum_rz;
    if (!is_finite(pq))
      return stop(s, DeviceStatus::operator_not_finite, pq);
    if (pq <= 0.)
      return stop(s, DeviceStatus::indefinite, pq);
    if (!is_finite(rr) || !is_finite(rz))
      return stop(s, DeviceStatus::residual_not_finite, is_finite(rr) ? rz : rr);
    if (rr < 0.)
      return stop(s, DeviceStatus::residual_negative, rr);
    s.alpha = s.rz / pq;
    s.beta = rz / s.rz;
    s.rz = rz;
    s.rr = rr;
    ++s.iteration;
    if (rr <= s.threshold2)
      s.status = DeviceStatus::converged;
    else if (rz <= 0.)
      stop(s, DeviceStatus::preconditioner_not_positive, rz);
  }

  KOKKOS_FUNCTION static void stop(PcgScalars& s, DeviceStatus status, double number) {
    s.status = status;
    s.breakdown_value = number;
  }
};

/// Runs after r -= alpha q if z is stored: ends columns that have converged, without z.
template <int N> struct PcgConverged {
  PcgState<N>* state;
  SolverRecord* records;
  int n_records;
  int k;
  KOKKOS_FUNCTION void operator()() const {
    for (int c = 0; c < N; ++c) {
      PcgScalars& s = state->column[c];
      const double pq = state->pq[c];
      const double rr = state->sums[c];
      if (s.status == DeviceStatus::running && pq > 0. && rr >= 0. && rr <= s.threshold2) { // else CheckIteration
        s.alpha = s.rz / pq;
        s.beta = 0.;
        s.rr = rr;
        s.status = DeviceStatus::converged;
        ++s.iteration;
      }
      records[c * n_records + (k - 1) % n_records] = {s.rr, s.breakdown_value, s.status, s.iteration};
    }
  }
};

/// Loop (c): x += alpha p, p = z + beta p, in columns whose iteration `k` was performed.
template <int N> struct PcgStep {
  using Entry = linalg::EntryOf<double, N>;
  const PcgState<N>* state;
  int k;
  const Entry* z;
  Entry* p;
  Entry* x;
  double alpha[N] = {};
  double beta[N] = {};
  bool accepted[N] = {};
  KOKKOS_FUNCTION void load() {
    for (int c = 0; c < N; ++c) {
      accepted[c] = state->column[c].iteration == k;
      alpha[c] = state->column[c].alpha;
      beta[c] = state->column[c].beta;
    }
  }
  struct Item {
    Entry z;
    Entry p;
    Entry x;
  };
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {z[i], p[i], x[i]}; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    if (N == 1 && !accepted[0])
      return;
    Entry next_x, next_p;
    for (int c = 0; c < N; ++c) {
      const double pi = column_of(item.p, c);
      const double moved = column_of(item.x, c) + alpha[c] * pi;
      const double turned = column_of(item.z, c) + beta[c] * pi;
      column_of(next_x, c) = N == 1 || accepted[c] ? moved : column_of(item.x, c);
      column_of(next_p, c) = N == 1 || accepted[c] ? turned : pi;
    }
    x[i] = next_x;
    p[i] = next_p;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

/// Without read(): several packs read ahead would not fit into registers.
template <class Functor> struct ReadLate {
  Functor functor;
  KOKKOS_FUNCTION void load() { functor.load(); }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { functor(i); }
};

} // namespace detail

} // namespace tessera::solvers

#endif
