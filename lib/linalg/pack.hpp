// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PACK_HPP
#define TESSERA_LINALG_PACK_HPP

/// \file
/// Several vectors stored together: entry i holds the entries i of all of them, so that a loop over a matrix reads it
/// once for all. The results of a vector have the same bits as if it were computed alone.

#include "core/kokkos_ext/lanes.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"

#include <type_traits>

namespace tessera::linalg {

/// Entries of N vectors at one index.
template <class T, int N> struct alignas(sizeof(T) * N) Pack {
  T column[N];

  template <class Function> KOKKOS_INLINE_FUNCTION static Pack of(const Function& function) {
    Pack result;
    TESSERA_UNROLL
    for (int c = 0; c < N; ++c)
      result.column[c] = function(c);
    return result;
  }
  friend KOKKOS_INLINE_FUNCTION Pack operator+(const Pack& a, const Pack& b) {
    return of([&](int c) { return a.column[c] + b.column[c]; });
  }
  friend KOKKOS_INLINE_FUNCTION Pack operator-(const Pack& a, const Pack& b) {
    return of([&](int c) { return a.column[c] - b.column[c]; });
  }
  friend KOKKOS_INLINE_FUNCTION Pack operator*(const Pack& a, const Pack& b) {
    return of([&](int c) { return a.column[c] * b.column[c]; });
  }
  friend KOKKOS_INLINE_FUNCTION Pack operator/(const Pack& a, const Pack& b) {
    return of([&](int c) { return a.column[c] / b.column[c]; });
  }
  friend KOKKOS_INLINE_FUNCTION Pack operator*(T a, const Pack& b) {
    return of([&](int c) { return a * b.column[c]; });
  }
  friend KOKKOS_INLINE_FUNCTION Pack operator/(const Pack& a, T b) {
    return of([&](int c) { return a.column[c] / b; });
  }
  KOKKOS_INLINE_FUNCTION Pack& operator+=(const Pack& other) { return *this = *this + other; }
};

/// Entry of N vectors; a plain number for one vector.
template <class T, int N> using EntryOf = std::conditional_t<N == 1, T, Pack<T, N>>;

namespace detail {
template <class Entry> struct EntryTraits {
  using Value = Entry;
  static constexpr int n_columns = 1;
};
template <class T, int N> struct EntryTraits<Pack<T, N>> {
  using Value = T;
  static constexpr int n_columns = N;
};
} // namespace detail

template <class Entry> constexpr int columns_of = detail::EntryTraits<Entry>::n_columns;

/// Converts a pack or number to another precision.
template <class To, class From> KOKKOS_INLINE_FUNCTION To converted(const From& from) {
  if constexpr (columns_of<From> == 1)
    return static_cast<To>(from);
  else
    return To::of([&](int c) { return static_cast<typename detail::EntryTraits<To>::Value>(from.column[c]); });
}

template <int N, class Space> using MultiVector = Array<EntryOf<double, N>*, Space>;
template <int N, class Space> using ConstMultiVector = Array<const EntryOf<double, N>*, Space>;

/// Sets all entries to zero.
template <class ExecutionSpace, class Vector> void set_to_zero(const ExecutionSpace& exec, const Vector& v) {
  constexpr int n_columns = columns_of<typename Vector::non_const_value_type>;
  fill(exec, Array<double*, ExecutionSpace>(reinterpret_cast<double*>(v.data()), v.extent(0) * n_columns), 0.);
}

using tessera::from_lane_after;
/// As for numbers (core/kokkos_ext/lanes.hpp).
template <int Width, class T, int N>
KOKKOS_INLINE_FUNCTION Pack<T, N> from_lane_after(const Pack<T, N>& value, int distance) {
  return Pack<T, N>::of([&](int c) { return tessera::from_lane_after<Width>(value.column[c], distance); });
}

} // namespace tessera::linalg

#endif
