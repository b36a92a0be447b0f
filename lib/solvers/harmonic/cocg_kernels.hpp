// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_COCG_KERNELS_HPP
#define TESSERA_SOLVERS_HARMONIC_COCG_KERNELS_HPP

/// \file
/// Loops of COCG and flexible GMRES for N columns; private to cocg.cpp and flexible_gmres.cpp.

#include "core/kokkos_ext/math.hpp"
#include "solvers/harmonic/cocg.hpp"

namespace tessera::solvers::detail {

/// A breakdown: products below this times the norms.
constexpr double vanishing_product = 1e-14;

/// Weights of squares: those of residuals are 1 / |a_ii|, of vectors in the domain of A |a_ii|, or both are 1.
template <int N> struct NormWeights {
  const double* k_diagonal; // null: 1
  const double* m_diagonal;
  linalg::Pack<double, 2 * N> shift;
  KOKKOS_FUNCTION void at(std::int64_t i, double (&size)[N]) const {
    for (int c = 0; c < N; ++c) {
      size[c] = 1.;
      if (k_diagonal != nullptr) {
        const double re = k_diagonal[i] + shift.column[2 * c] * m_diagonal[i];
        const double im = shift.column[2 * c + 1] * m_diagonal[i];
        size[c] = math::sqrt(re * re + im * im);
      }
    }
  }
};

template <class Entry> KOKKOS_INLINE_FUNCTION double square_of(const Entry& v, int c) {
  return v.column[2 * c] * v.column[2 * c] + v.column[2 * c + 1] * v.column[2 * c + 1];
}

/// The norms' weights for an operator.
template <class ExecutionSpace, int N>
NormWeights<N> weights_of(const ShiftedOperator<ExecutionSpace, N>& a, ResidualNorm norm) {
  const bool is_diagonal = norm == ResidualNorm::diagonal;
  return {is_diagonal ? a.rows().k_diagonal.data() : nullptr, is_diagonal ? a.rows().m_diagonal.data() : nullptr,
          parts_of<double, N>(a.shifts())};
}

/// Stores complex numbers as the first terms.
template <int W, int S> KOKKOS_INLINE_FUNCTION void store(const linalg::Pack<double, W>& value, double (&term)[S]) {
  for (int k = 0; k < W; ++k)
    term[k] = value.column[k];
}

/// Stores the squares of a residual's entries, those of the weighted norm first.
template <int N>
KOKKOS_INLINE_FUNCTION void store_squares(const NormWeights<N>& weights, std::int64_t i,
                                          const linalg::Pack<double, 2 * N>& residual, double (&term)[2 * N]) {
  double size[N];
  weights.at(i, size);
  for (int c = 0; c < N; ++c) {
    const double square = square_of(residual, c);
    term[c] = square / size[c];
    term[N + c] = square;
  }
}

/// Whether a product is not larger than rounding errors of its terms; squares of the norms are given.
KOKKOS_INLINE_FUNCTION bool vanishes(double re, double im, double square_1, double square_2) {
  const double size = math::sqrt(re * re + im * im);
  return !(size >= vanishing_product * math::sqrt(square_1) * math::sqrt(square_2)) || size == 0.;
}

/// N complex vectors in double precision, as ScaledColumns.
template <int N> struct StoredColumns {
  const linalg::Pack<double, 2 * N>* z;
  KOKKOS_FUNCTION void load() {}
  KOKKOS_FUNCTION const linalg::Pack<double, 2 * N>& at(std::int64_t i) const { return z[i]; }
};

/// Terms of r^T z and ||z||^2, for z of StoredColumns or ScaledColumns.
template <int N, class Columns> struct InverseProducts {
  using Entry = linalg::Pack<double, 2 * N>;
  NormWeights<N> weights;
  const Entry* r;
  Columns z;
  KOKKOS_FUNCTION void load() { z.load(); }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[3 * N]) const {
    const Entry zi = z.at(i);
    double size[N];
    weights.at(i, size);
    store(complex_product(r[i], zi), term);
    for (int c = 0; c < N; ++c)
      term[2 * N + c] = size[c] * square_of(zi, c);
  }
};

/// a / b of complex numbers, or 0.
KOKKOS_INLINE_FUNCTION void divide(const double* a, const double* b, bool gives_zero, double* ratio) {
  using Number = linalg::Pack<double, 2>;
  const Number product = conjugate_product(Number{{a[0], a[1]}}, Number{{b[0], b[1]}});
  const double square = b[0] * b[0] + b[1] * b[1];
  for (int part = 0; part < 2; ++part)
    ratio[part] = gives_zero ? 0. : product.column[part] / square;
}

/// beta = rho / rho_old, 0 for columns that start.
template <int N> struct BetaOfSums {
  CocgScalars<N>* state;
  bool starts[N];
  KOKKOS_FUNCTION void operator()() const {
    for (int c = 0; c < N; ++c) {
      const double* const rho = state->inverse + 2 * c;
      const bool broken = vanishes(rho[0], rho[1], state->residual[c], state->inverse[2 * N + c]);
      divide(rho, state->rho + 2 * c, broken || starts[c], state->beta + 2 * c);
      state->rho[2 * c] = rho[0];
      state->rho[2 * c + 1] = rho[1];
      state->is_broken[c] = broken ? 1 : 0;
    }
  }
};

/// p = z + beta p
template <int N, class Columns> struct NextDirection {
  using Entry = linalg::Pack<double, 2 * N>;
  const CocgScalars<N>* state;
  Columns z;
  Entry* p;
  Entry beta = {};
  bool uses_p[N] = {};
  KOKKOS_FUNCTION void load() {
    z.load();
    for (int k = 0; k < 2 * N; ++k)
      beta.column[k] = state->beta[k];
    for (int c = 0; c < N; ++c)
      uses_p[c] = beta.column[2 * c] != 0. || beta.column[2 * c + 1] != 0.;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Entry zi = z.at(i);
    Entry pi = zi + complex_product(beta, p[i]);
    for (int k = 0; k < 2 * N; ++k)
      pi.column[k] = uses_p[k / 2] ? pi.column[k] : zi.column[k];
    p[i] = pi;
  }
};

/// Terms of p^T q, ||p||^2 and ||q||^2.
template <int N> struct ProductSums {
  using Entry = linalg::Pack<double, 2 * N>;
  NormWeights<N> weights;
  const Entry* p;
  const Entry* q;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[4 * N]) const {
    const Entry pi = p[i];
    const Entry qi = q[i];
    double size[N];
    weights.at(i, size);
    store(complex_product(pi, qi), term);
    for (int c = 0; c < N; ++c) {
      term[2 * N + c] = size[c] * square_of(pi, c);
      term[3 * N + c] = square_of(qi, c) / size[c];
    }
  }
};

/// alpha = rho / p^T q, 0 at a breakdown.
template <int N> struct AlphaOfSums {
  CocgScalars<N>* state;
  KOKKOS_FUNCTION void operator()() const {
    for (int c = 0; c < N; ++c) {
      const double* const pq = state->product + 2 * c;
      if (vanishes(pq[0], pq[1], state->product[2 * N + c], state->product[3 * N + c]))
        state->is_broken[c] = 1;
      divide(state->rho + 2 * c, pq, state->is_broken[c] != 0, state->alpha + 2 * c);
    }
  }
};

/// to = x + alpha p and r -= alpha q of the running columns, with the norms of r; other columns of x are copied. With
/// to = x the x before is saved where it is the best.
template <int N> struct UpdateColumns {
  using Entry = linalg::Pack<double, 2 * N>;
  NormWeights<N> weights;
  const CocgScalars<N>* state;
  const Entry* p;
  const Entry* q;
  bool runs[N];
  bool saves[N];
  const Entry* x;
  Entry* to;
  Entry* r;
  Entry* best; // null: nothing to be saved
  Entry alpha = {};
  KOKKOS_FUNCTION void load() {
    for (int k = 0; k < 2 * N; ++k)
      alpha.column[k] = state->alpha[k];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2 * N]) const {
    Entry xi = x[i];
    Entry ri = r[i];
    if (best != nullptr) {
      Entry before = best[i];
      for (int k = 0; k < 2 * N; ++k)
        before.column[k] = saves[k / 2] ? xi.column[k] : before.column[k];
      best[i] = before;
    }
    const Entry along = complex_product(alpha, p[i]);
    const Entry change = complex_product(alpha, q[i]);
    for (int k = 0; k < 2 * N; ++k) {
      xi.column[k] = runs[k / 2] ? xi.column[k] + along.column[k] : xi.column[k];
      ri.column[k] = runs[k / 2] ? ri.column[k] - change.column[k] : ri.column[k];
    }
    to[i] = xi;
    r[i] = ri;
    store_squares(weights, i, ri, term);
  }
};

/// r = b - q of the selected columns, with the norms of r.
template <int N> struct SetResidual {
  using Entry = linalg::Pack<double, 2 * N>;
  NormWeights<N> weights;
  const Entry* b;
  const Entry* q; // null: r = b
  bool selected[N];
  Entry* r; // null: only norms
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2 * N]) const {
    Entry ri = b[i];
    if (q != nullptr)
      ri = ri - q[i];
    if (r != nullptr) {
      const Entry before = r[i];
      for (int k = 0; k < 2 * N; ++k)
        ri.column[k] = selected[k / 2] ? ri.column[k] : before.column[k];
      r[i] = ri;
    }
    store_squares(weights, i, ri, term);
  }
};

/// to = from of the selected columns, or zero.
template <int N> struct SelectColumns {
  using Entry = linalg::Pack<double, 2 * N>;
  const Entry* from; // null: zero
  bool selected[N];
  Entry* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Entry value = to[i];
    for (int k = 0; k < 2 * N; ++k)
      if (selected[k / 2])
        value.column[k] = from == nullptr ? 0. : from[i].column[k];
    to[i] = value;
  }
};

/// y += factor x, or y = factor x, column by column.
template <int N> struct AddMultiple {
  using Entry = linalg::Pack<double, 2 * N>;
  Entry factor;
  const Entry* x;
  bool adds;
  Entry* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Entry term = complex_product(factor, x[i]);
    y[i] = adds ? y[i] + term : term;
  }
};

/// Terms of the weighted v^H w and ||w||^2.
template <int N> struct HermitianProducts {
  using Entry = linalg::Pack<double, 2 * N>;
  NormWeights<N> weights;
  const Entry* v;
  const Entry* w;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2 * N]) const {
    const Entry vi = v[i];
    const Entry wi = w[i];
    double size[N];
    weights.at(i, size);
    const Entry product = conjugate_product(wi, vi);
    for (int k = 0; k < 2 * N; ++k)
      term[k] = product.column[k] / size[k / 2];
  }
};

} // namespace tessera::solvers::detail

#endif
