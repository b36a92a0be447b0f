// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_GMRES_KERNELS_HPP
#define TESSERA_SOLVERS_KRYLOV_GMRES_KERNELS_HPP

/// \file
/// The loops of GMRES; private to gmres.cpp.

#include "core/algorithms/reduce.hpp"
#include "core/kokkos_ext/math.hpp"
#include "solvers/krylov/gmres.hpp"

namespace tessera::solvers::detail {

/// Number of basis vectors that a loop processes at once.
constexpr int basis_chunk = 8;

/// Up to basis_chunk consecutive vectors of the basis; padded with the last one, so that loops need no branch.
struct BasisChunk {
  const double* v[basis_chunk];
  int count;
  BasisChunk(const double* basis, std::int64_t n, int first, int n_vectors)
      : count(n_vectors - first < basis_chunk ? n_vectors - first : basis_chunk) {
    for (int s = 0; s < basis_chunk; ++s)
      v[s] = basis + (first + (s < count ? s : count - 1)) * n;
  }
};

/// Terms of (v, w) for the vectors of a chunk.
struct BasisProducts {
  BasisChunk chunk;
  const double* w;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[basis_chunk]) const {
    const double wi = w[i];
    for (int s = 0; s < basis_chunk; ++s)
      term[s] = chunk.v[s][i] * wi;
  }
};

/// w -= sum of h v over a chunk; as a sum with the term of (w, w).
struct SubtractBasis {
  BasisChunk chunk;
  const double* products;
  double* w;
  double h[basis_chunk] = {};
  KOKKOS_FUNCTION void load() {
    for (int s = 0; s < basis_chunk; ++s)
      h[s] = s < chunk.count ? products[s] : 0.;
  }
  KOKKOS_FUNCTION double difference(std::int64_t i) const {
    double value = w[i];
    for (int s = 0; s < basis_chunk; ++s)
      value -= h[s] * chunk.v[s][i];
    return value;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { w[i] = difference(i); }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double value = difference(i);
    w[i] = value;
    term[0] = value * value;
  }
};

/// u = sum of y v over a chunk from vector `first` on, added to u unless it is the first chunk; only the state's `used`
/// vectors exist.
struct CombineBasis {
  BasisChunk chunk;
  int first;
  const GmresState* state;
  const double* y;
  double* u;
  double factor[basis_chunk] = {};
  int n_vectors = 0;
  KOKKOS_FUNCTION void load() {
    n_vectors = state->used - first < chunk.count ? state->used - first : chunk.count;
    for (int s = 0; s < basis_chunk; ++s)
      factor[s] = s < n_vectors ? y[first + s] : 0.;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double value = first > 0 ? u[i] : 0.;
    for (int s = 0; s < n_vectors; ++s)
      value += factor[s] * chunk.v[s][i];
    u[i] = value;
  }
};

/// x += z, if there is an update.
struct AddUpdate {
  const GmresState* state;
  const double* z;
  double* x;
  bool wanted = false;
  KOKKOS_FUNCTION void load() { wanted = state->used > 0; }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (wanted)
      x[i] += z[i];
  }
};

/// v *= the state's scale.
struct Normalize {
  const GmresState* state;
  double* v;
  double scale = 0.;
  KOKKOS_FUNCTION void load() { scale = state->scale; }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { v[i] *= scale; }
};

/// Small arrays of the least-squares problem, contiguous in memory.
struct GmresSmall {
  GmresState* state;
  double* first;  ///< products of the first pass, then the new column [cycle + basis_chunk]
  double* second; ///< products of the second pass [cycle + basis_chunk]
  double* upper;  ///< triangular matrix by columns [cycle (cycle + 1) / 2]
  double* cosine; ///< of the rotations [cycle]
  double* sine;   ///< [cycle]
  double* g;      ///< rotated right-hand side [cycle + 1]
  double* y;      ///< coefficients of the update [cycle]

  GmresSmall(GmresState* state_in, double* memory, int cycle) : state(state_in) {
    double** const arrays[] = {&first, &second, &upper, &cosine, &sine, &g, &y};
    const std::int64_t sizes[] = {
        cycle + basis_chunk, cycle + basis_chunk, triangle(cycle), cycle, cycle, cycle + 1, cycle};
    for (int a = 0; a < 7; ++a) {
      *arrays[a] = memory;
      memory += sizes[a];
    }
  }
  static std::int64_t size_for(int cycle) { return 2 * (cycle + basis_chunk) + triangle(cycle) + 4 * cycle + 1; }
  KOKKOS_FUNCTION static std::int64_t triangle(int n) { return static_cast<std::int64_t>(n) * (n + 1) / 2; }

  KOKKOS_FUNCTION static bool is_finite(double value) { return value - value == 0.; }
  KOKKOS_FUNCTION void stop(DeviceStatus status, double number) const {
    state->status = status;
    state->breakdown_value = number;
  }
};

/// Begins a cycle with the residual, whose squared norm is the state's `ww`, in one thread.
struct BeginCycle {
  GmresSmall m;
  KOKKOS_FUNCTION void operator()() const {
    GmresState& s = *m.state;
    if (s.status != DeviceStatus::running)
      return;
    if (!m.is_finite(s.ww))
      return m.stop(DeviceStatus::residual_not_finite, s.ww);
    s.rr = s.ww;
    m.g[0] = math::sqrt(s.rr);
    s.scale = s.rr > 0. ? 1. / m.g[0] : 0.;
    if (s.rr <= s.threshold2)
      s.status = DeviceStatus::converged;
  }
};

/// Completes step k in one thread: adds the new column to the triangular matrix by Givens rotations.
struct AddColumn {
  GmresSmall m;
  SolverRecord* records;
  int n_records;
  int k;

  KOKKOS_FUNCTION void operator()() const {
    GmresState& s = *m.state;
    if (s.status == DeviceStatus::running)
      add(s, s.inner);
    records[(k - 1) % n_records] = {s.rr, s.breakdown_value, s.status, s.iteration};
  }

private:
  KOKKOS_FUNCTION void add(GmresState& s, int j) const {
    double norm2 = s.ww; // ||A M^-1 v_j||^2
    for (int i = 0; i <= j; ++i) {
      m.first[i] += m.second[i];
      norm2 += m.first[i] * m.first[i];
    }
    if (!m.is_finite(norm2))
      return m.stop(DeviceStatus::operator_not_finite, norm2);
    const double smallest = noise * 10. * math::sqrt(norm2); // what two passes of Gram-Schmidt leave of a linearly
                                                             // dependent w
    double next = math::sqrt(s.ww);
    if (next <= smallest)
      next = 0.;
    double last = m.first[0];
    double* column = m.upper + GmresSmall::triangle(j);
    for (int i = 0; i < j; ++i) {
      const double below = m.first[i + 1];
      column[i] = m.cosine[i] * last + m.sine[i] * below;
      last = m.cosine[i] * below - m.sine[i] * last;
    }
    const double pivot = math::sqrt(last * last + next * next);
    if (pivot <= smallest)
      return m.stop(DeviceStatus::singular, pivot);
    column[j] = pivot;
    m.cosine[j] = last / pivot;
    m.sine[j] = next / pivot;
    m.g[j + 1] = -m.sine[j] * m.g[j];
    m.g[j] = m.cosine[j] * m.g[j];
    s.rr = m.g[j + 1] * m.g[j + 1];
    s.scale = next > 0. ? 1. / next : 0.;
    ++s.iteration;
    ++s.inner;
    if (s.rr <= s.threshold2)
      s.status = DeviceStatus::converged;
  }
};

/// Solves the triangular system for the vectors that are not in x yet, in one thread.
struct SolveUpper {
  GmresSmall m;
  KOKKOS_FUNCTION void operator()(int) const {
    GmresState& s = *m.state;
    s.used = s.inner;
    s.inner = 0;
    for (int i = s.used - 1; i >= 0; --i) {
      double sum = m.g[i];
      for (int l = i + 1; l < s.used; ++l)
        sum -= m.upper[GmresSmall::triangle(l) + i] * m.y[l];
      m.y[i] = sum / m.upper[GmresSmall::triangle(i) + i];
    }
  }
};

} // namespace tessera::solvers::detail

#endif
