// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_COMPLEX_COLUMNS_HPP
#define TESSERA_SOLVERS_HARMONIC_COMPLEX_COLUMNS_HPP

/// \file
/// Complex vectors: one, or several stored together.

#include "core/kokkos_ext/rounded.hpp"
#include "linalg/pack.hpp"

#include <array>
#include <complex>

namespace tessera::solvers {

/// N complex vectors; entry i has the real and the imaginary part of each in turn. For N = 1 the bytes are those of an
/// array of complex numbers.
template <int N, class Space> using ComplexColumns = linalg::MultiVector<2 * N, Space>;
template <int N, class Space> using ConstComplexColumns = linalg::ConstMultiVector<2 * N, Space>;

/// The shift s of each column in (K + s M) x = b: j omega, or real.
template <int N> using Shifts = std::array<std::complex<double>, N>;

namespace detail {

/// Real and imaginary parts of N complex numbers as T.
template <class T, int N> linalg::Pack<T, 2 * N> parts_of(const Shifts<N>& s) {
  linalg::Pack<T, 2 * N> result;
  for (std::size_t c = 0; c < N; ++c) {
    result.column[2 * c] = static_cast<T>(s[c].real());
    result.column[2 * c + 1] = static_cast<T>(s[c].imag());
  }
  return result;
}

/// a b of complex numbers, column by column.
template <class T, int W>
KOKKOS_INLINE_FUNCTION linalg::Pack<T, W> complex_product(const linalg::Pack<T, W>& a, const linalg::Pack<T, W>& b) {
  linalg::Pack<T, W> result;
  TESSERA_UNROLL
  for (int k = 0; k < W; k += 2) {
    result.column[k] = rounded(a.column[k] * b.column[k]) - rounded(a.column[k + 1] * b.column[k + 1]);
    result.column[k + 1] = rounded(a.column[k] * b.column[k + 1]) + rounded(a.column[k + 1] * b.column[k]);
  }
  return result;
}

/// a conj(b) of complex numbers, column by column.
template <class T, int W>
KOKKOS_INLINE_FUNCTION linalg::Pack<T, W> conjugate_product(const linalg::Pack<T, W>& a, const linalg::Pack<T, W>& b) {
  linalg::Pack<T, W> result;
  TESSERA_UNROLL
  for (int k = 0; k < W; k += 2) {
    result.column[k] = rounded(a.column[k] * b.column[k]) + rounded(a.column[k + 1] * b.column[k + 1]);
    result.column[k + 1] = rounded(a.column[k + 1] * b.column[k]) - rounded(a.column[k] * b.column[k + 1]);
  }
  return result;
}

/// 1 / (k + s m), column by column, without squares of numbers of any magnitude.
template <class T, int W> KOKKOS_INLINE_FUNCTION linalg::Pack<T, W> inverse_of(T k, const linalg::Pack<T, W>& s, T m) {
  linalg::Pack<T, W> result;
  TESSERA_UNROLL
  for (int c = 0; c < W; c += 2) {
    const T re = k + s.column[c] * m;
    const T im = s.column[c + 1] * m;
    const T re_size = re < T(0) ? -re : re;
    const T im_size = im < T(0) ? -im : im;
    const T size = re_size > im_size ? re_size : im_size;
    const T u = re / size;
    const T v = im / size;
    const T factor = T(1) / (size * (u * u + v * v));
    result.column[c] = factor * u;
    result.column[c + 1] = -factor * v;
  }
  return result;
}

} // namespace detail

} // namespace tessera::solvers

#endif
