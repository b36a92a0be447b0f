// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_MATH_HPP
#define TESSERA_CORE_MATH_HPP

/// \file
/// Elementary functions with the same bits on every backend, in addition to those that IEEE 754 rounds correctly anyway
/// (kokkos_ext/math.hpp: sqrt, fabs, floor, ceil). The math libraries of hosts and GPUs differ in the last bit.
///
/// Built from additions, products, divisions, square roots and fused multiply-adds, in one order. Methods: reduction of
/// the argument in several parts (W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980), sums and
/// products in pairs of numbers (T. J. Dekker, Numer. Math. 18, 1971), Taylor polynomials on the reduced range, the
/// logarithm by s = f / (2 + f). Largest errors in units of the last place, as tested: 1 for exp, log, log10, sin, cos,
/// atan, hypot; 1.5 for pow; 2 for atan2, sinh, cosh; 3 for tan, asin, acos, tanh.

#include "core/kokkos_ext/compiler.hpp"
#include "core/kokkos_ext/math.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tessera::math {

namespace detail {

/// An unevaluated sum; |lo| is at most half an ulp of hi.
struct Pair {
  double hi;
  double lo;
};

KOKKOS_FORCEINLINE_FUNCTION double from_bits(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t to_bits(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
KOKKOS_INLINE_FUNCTION double infinity() { return from_bits(0x7ff0000000000000ull); }
KOKKOS_INLINE_FUNCTION double not_a_number() { return from_bits(0x7ff8000000000000ull); }
KOKKOS_INLINE_FUNCTION bool is_negative(double x) { return (to_bits(x) >> 63) != 0; }
KOKKOS_FORCEINLINE_FUNCTION double with_sign_of(double size, double sign) {
  return from_bits((to_bits(size) & 0x7fffffffffffffffull) | (to_bits(sign) & 0x8000000000000000ull));
}

/// c[First] + c[First + 1] z + c[First + 2] z^2 + ...; no loop, so that compilers vectorise loops around it.
template <int First = 0, int N> KOKKOS_FORCEINLINE_FUNCTION double polynomial(double z, const double (&c)[N]) {
  if constexpr (First == N - 1)
    return c[First];
  else
    return ::fma(polynomial<First + 1>(z, c), z, c[First]);
}

/// hi + lo as a pair, for |hi| >= |lo|.
KOKKOS_FORCEINLINE_FUNCTION Pair normalized(double hi, double lo) {
  const double sum = hi + lo;
  return {sum, lo - (sum - hi)};
}

/// ln 2: the first 40 bits, so that its products with exponents are exact, and the rest.
constexpr double ln2_hi = 0x1.62e42fefa2000p-1;
constexpr double ln2_lo = 0x1.9ef35793c7673p-41;

/// exp(hi + lo) for hi between -746 and 710.
KOKKOS_FORCEINLINE_FUNCTION double exp_of_pair(double hi, double lo) {
  const double n = floor(hi * 0x1.71547652b82fep+0 + 0.5);
  const double rest = ::fma(-n, ln2_hi, hi);
  const Pair r = normalized(rest, ::fma(-n, ln2_lo, lo));
  const double c[] = {1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,        1. / 5040,
                      1. / 40320., 1. / 362880., 1. / 3628800., 1. / 39916800., 1. / 479001600., 1. / 6227020800.};
  const double value = 1. + (r.hi + ::fma(r.hi * r.hi, polynomial(r.hi, c), r.lo));
  const int half = static_cast<int>(n) / 2; // in two steps: 2^n alone may leave the range
  const int other = static_cast<int>(n) - half;
  return value * from_bits(static_cast<std::uint64_t>(half + 1023) << 52) *
         from_bits(static_cast<std::uint64_t>(other + 1023) << 52);
}

/// log(x) of a positive finite number, to a relative error of about 2^-65.
TESSERA_NOINLINE KOKKOS_FUNCTION inline Pair log_as_pair(double x) {
  int exponent = -1023;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent -= 54;
  }
  const std::uint64_t bits = to_bits(x);
  exponent += static_cast<int>(bits >> 52);
  double m = from_bits((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 0x1.6a09e667f3bcdp+0) { // sqrt(2)
    m *= 0.5;
    ++exponent;
  }
  // log(m) = 2 (s + s^3/3 + s^5/5 + ...), s = f / (2 + f)
  const double f = m - 1.;
  const double d = 2. + f;
  const double d_lo = f - (d - 2.);
  const double s = f / d;
  const double s_lo = (::fma(-s, d, f) - s * d_lo) / d;
  const double z = s * s;
  const double z_lo = ::fma(s, s, -z) + 2. * s * s_lo;
  const double c[] = {2. / 5, 2. / 7, 2. / 9, 2. / 11, 2. / 13, 2. / 15, 2. / 17, 2. / 19, 2. / 21, 2. / 23, 2. / 25};
  const double tail = z * polynomial(z, c);
  const double third = 0x1.5555555555555p-1; // 2/3, and its rounding error
  const double factor = third + tail;
  const double factor_lo = (tail - (factor - third)) + 0x1.5555555555555p-55;
  const double cube = s * z;
  const double cube_lo = ::fma(s, z, -cube) + (s * z_lo + s_lo * z);
  const double v = cube * factor;
  const double v_lo = ::fma(cube, factor, -v) + (cube * factor_lo + cube_lo * factor);
  const double h = 2. * s + v;
  const double h_lo = (v - (h - 2. * s)) + (2. * s_lo + v_lo);
  const double k = exponent;
  const double sum = k * ln2_hi + h;
  return normalized(sum, (h - (sum - k * ln2_hi)) + (h_lo + k * ln2_lo));
}

/// An angle between about -pi/4 and pi/4, and the number of quarter turns subtracted, modulo 4.
struct Angle {
  double hi;
  double lo;
  int quadrant;
};

/// Arguments beyond this have too few fractional bits for a quarter turn: the result is NaN.
constexpr double largest_angle = 0x1p49;

KOKKOS_FORCEINLINE_FUNCTION Angle reduce_angle(double x) {
  constexpr double half_pi[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  double n = floor(x * two_over_pi + 0.5);
  const double r = ::fma(-n, half_pi[0], x);
  const double w = n * half_pi[1];
  const double w_lo = ::fma(n, half_pi[1], -w) + n * half_pi[2];
  const double hi = r - w;
  const double moved = hi - r;
  Pair angle = normalized(hi, ((r - (hi - moved)) - (w + moved)) - w_lo);
  const double more = floor(angle.hi * two_over_pi + 0.5); // n may be one off; 0 changes nothing below
  angle = normalized(angle.hi - more * half_pi[0], angle.lo - more * half_pi[1]);
  n += more;
  return {angle.hi, angle.lo, static_cast<int>(n - 4. * floor(0.25 * n))};
}

/// Sine of an angle, or its cosine if `is_cosine`; without branches, as is_cosine differs among points.
KOKKOS_FORCEINLINE_FUNCTION double sine_or_cosine(const Angle& a, bool is_cosine) {
  const double sine[] = {-1. / 6,         1. / 120,         -1. / 5040,           1. / 362880.,
                         -1. / 39916800., 1. / 6227020800., -1. / 1307674368000., 1. / 355687428096000.};
  const double cosine[] = {1. / 24,         -1. / 720,          1. / 40320.,          -1. / 3628800.,
                           1. / 479001600., -1. / 87178291200., 1. / 20922789888000., -1. / 6402373705728000.};
  const double z = a.hi * a.hi;
  const double w = 1. - 0.5 * z;
  const double of_sine = polynomial(z, sine);
  const double of_cosine = polynomial(z, cosine);
  const double rounded = (1. - w) - 0.5 * z;
  const double tail =
      ::fma((is_cosine ? z : a.hi) * z, is_cosine ? of_cosine : of_sine, a.lo * (is_cosine ? -a.hi : w));
  return (is_cosine ? w : a.hi) + ((is_cosine ? rounded : -0.) + tail); // -0 changes nothing
}

/// sin(x + quarters pi / 2); NaN beyond largest_angle.
KOKKOS_FORCEINLINE_FUNCTION double sine_of_sum(double x, int quarters) {
  const bool is_known = fabs(x) <= largest_angle;
  const Angle a = reduce_angle(is_known ? x : 0.);
  const int quadrant = a.quadrant + quarters;
  const double value = sine_or_cosine(a, (quadrant & 1) != 0);
  return is_known ? ((quadrant & 2) != 0 ? -value : value) : not_a_number();
}

} // namespace detail

// Functions of several numbers at once: without branches or with one for all of them, so that the operations on
// different numbers overlap. What conditional operators choose from is computed before: otherwise they are branches.

template <int N> KOKKOS_FORCEINLINE_FUNCTION void sin(double (&x)[N]) {
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j) {
    const double value = detail::sine_of_sum(x[j], 0);
    x[j] = fabs(x[j]) < 0x1p-27 ? x[j] : value;
  }
}

template <int N> KOKKOS_FORCEINLINE_FUNCTION void cos(double (&x)[N]) {
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j)
    x[j] = detail::sine_of_sum(x[j], 1);
}

template <int N> KOKKOS_FORCEINLINE_FUNCTION void exp(double (&x)[N]) {
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j) {
    const bool is_finite = (x[j] <= 709.782712893384) & (x[j] >= -745.1332191019412);
    const double value = detail::exp_of_pair(is_finite ? x[j] : 0., 0.);
    const double limit = x[j] > 0. ? detail::infinity() : 0.;
    const double other = x[j] != x[j] ? x[j] : limit;
    x[j] = is_finite ? value : other;
  }
}

template <int N> KOKKOS_FORCEINLINE_FUNCTION void sinh(double (&x)[N]) {
  double value[N] = {};
  bool is_small[N];
  bool has_small = false;
  bool has_large = false;
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j) {
    is_small[j] = fabs(x[j]) < 1.;
    has_small = has_small || is_small[j];
    has_large = has_large || !is_small[j];
  }
  if (has_small) {
    const double c[] = {1. / 6,
                        1. / 120,
                        1. / 5040,
                        1. / 362880.,
                        1. / 39916800.,
                        1. / 6227020800.,
                        1. / 1307674368000.,
                        1. / 355687428096000.,
                        1. / 121645100408832000.};
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j) {
      const double z = x[j] * x[j];
      value[j] = ::fma(x[j] * z, detail::polynomial(z, c), x[j]);
    }
  }
  if (has_large) {
    double e[N];
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j)
      e[j] = fabs(x[j]) <= 709. ? fabs(x[j]) : 0.5 * fabs(x[j]);
    exp(e);
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j) {
      const double difference = 0.5 * (e[j] - 1. / e[j]);
      const double square = 0.5 * e[j] * e[j];
      const double size = fabs(x[j]) <= 709. ? difference : square;
      value[j] = is_small[j] ? value[j] : detail::with_sign_of(size, x[j]);
    }
  }
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j)
    x[j] = value[j];
}

template <int N> KOKKOS_FORCEINLINE_FUNCTION void cosh(double (&x)[N]) {
  double e[N];
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j)
    e[j] = fabs(x[j]) <= 709. ? fabs(x[j]) : 0.5 * fabs(x[j]);
  exp(e);
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j) {
    const double sum = 0.5 * (e[j] + 1. / e[j]);
    const double square = 0.5 * e[j] * e[j];
    x[j] = fabs(x[j]) <= 709. ? sum : square;
  }
}

/// The trigonometric functions take |x| up to 2^49.
TESSERA_NOINLINE KOKKOS_FUNCTION inline double sin(double x) {
  double value[1] = {x};
  sin(value);
  return value[0];
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double cos(double x) {
  double value[1] = {x};
  cos(value);
  return value[0];
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double exp(double x) {
  double value[1] = {x};
  exp(value);
  return value[0];
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double sinh(double x) {
  double value[1] = {x};
  sinh(value);
  return value[0];
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double cosh(double x) {
  double value[1] = {x};
  cosh(value);
  return value[0];
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double log(double x) {
  if (!(x > 0.))
    return x == 0. ? -detail::infinity() : detail::not_a_number();
  return x == detail::infinity() ? x : detail::log_as_pair(x).hi;
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double log10(double x) {
  if (!(x > 0.) || x == detail::infinity())
    return log(x);
  constexpr double factor = 0x1.bcb7b1526e50ep-2; // 1 / ln 10
  const detail::Pair l = detail::log_as_pair(x);
  const double product = l.hi * factor;
  return product + (::fma(l.hi, factor, -product) + (l.hi * 0x1.95355baaafad3p-57 + l.lo * factor));
}

/// Agrees with C's pow() in all special cases.
TESSERA_NOINLINE KOKKOS_FUNCTION inline double pow(double x, double y) {
  if (y == 0. || x == 1.)
    return 1.;
  if (x != x || y != y)
    return detail::not_a_number();
  const double size = fabs(x);
  const bool is_whole = floor(y) == y;
  const bool is_odd = is_whole && fabs(y) < 0x1p53 && floor(0.5 * y) * 2. != y;
  const double sign = is_odd && detail::is_negative(x) ? -1. : 1.;
  const double infinity = detail::infinity();
  if (fabs(y) == infinity)
    return size == 1. ? 1. : ((size > 1.) == (y > 0.) ? infinity : 0.);
  if (size == 0. || size == infinity)
    return sign * ((size == 0.) == (y > 0.) ? 0. : infinity);
  if (x < 0. && !is_whole)
    return detail::not_a_number();
  const detail::Pair l = detail::log_as_pair(size);
  const double p = y * l.hi;
  if (p > 709.79)
    return sign * infinity;
  if (p < -745.14)
    return sign * 0.;
  return sign * detail::exp_of_pair(p, ::fma(y, l.hi, -p) + y * l.lo);
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double tan(double x) {
  if (!(fabs(x) <= detail::largest_angle))
    return detail::not_a_number();
  if (fabs(x) < 0x1p-27)
    return x;
  const detail::Angle a = detail::reduce_angle(x);
  const double s = detail::sine_or_cosine(a, false);
  const double c = detail::sine_or_cosine(a, true);
  return a.quadrant % 2 == 0 ? s / c : -c / s;
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double atan(double x) {
  if (x != x)
    return x;
  // atan(a) = atan(b) + atan((a - b) / (1 + a b)) with b = 0, 1/2, 1, 3/2, infinity: |t| <= 7/16
  const double a = fabs(x);
  double t = a;
  detail::Pair base{0., 0.};
  if (a >= 39. / 16.) {
    t = -1. / a;
    base = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  } else if (a >= 19. / 16.) {
    t = (a - 1.5) / (1. + 1.5 * a);
    base = {0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56};
  } else if (a >= 11. / 16.) {
    t = (a - 1.) / (1. + a);
    base = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
  } else if (a >= 7. / 16.) {
    t = (2. * a - 1.) / (2. + a);
    base = {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};
  }
  const double c[] = {-1. / 3,  1. / 5,  -1. / 7,  1. / 9,  -1. / 11, 1. / 13, -1. / 15, 1. / 17,
                      -1. / 19, 1. / 21, -1. / 23, 1. / 25, -1. / 27, 1. / 29, -1. / 31, 1. / 33,
                      -1. / 35, 1. / 37, -1. / 39, 1. / 41, -1. / 43, 1. / 45};
  const double z = t * t;
  const double small = ::fma(t * z, detail::polynomial(z, c), base.lo);
  return detail::with_sign_of(base.hi + (t + small), x);
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double atan2(double y, double x) {
  if (x != x || y != y)
    return detail::not_a_number();
  constexpr double pi = 0x1.921fb54442d18p+1;
  const double infinity = detail::infinity();
  const double right = fabs(x);
  const double up = fabs(y);
  double angle; // between 0 and pi/2
  if (up == 0.)
    angle = 0.;
  else if (right == 0.)
    angle = 0.5 * pi;
  else if (right == infinity)
    angle = up == infinity ? 0.25 * pi : 0.;
  else
    angle = atan(up / right);
  if (detail::is_negative(x))
    angle = pi - (angle - 0x1.1a62633145c07p-53);
  return detail::with_sign_of(angle, y);
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double asin(double x) {
  return fabs(x) <= 1. ? atan2(x, sqrt((1. - x) * (1. + x))) : detail::not_a_number();
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double acos(double x) {
  return fabs(x) <= 1. ? 2. * atan2(sqrt(1. - x), sqrt(1. + x)) : detail::not_a_number();
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double tanh(double x) {
  const double a = fabs(x);
  if (a < 1.)
    return sinh(x) / cosh(x);
  return a < 22. ? detail::with_sign_of(1. - 2. / (exp(2. * a) + 1.), x) : (x != x ? x : detail::with_sign_of(1., x));
}

TESSERA_NOINLINE KOKKOS_FUNCTION inline double hypot(double x, double y) {
  const double a = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
  const double b = fabs(x) > fabs(y) ? fabs(y) : fabs(x);
  if (fabs(x) == detail::infinity() || fabs(y) == detail::infinity())
    return detail::infinity();
  if (!(a <= b * 0x1p60)) // far apart, one is zero, or NaN
    return a + b;
  if (a == 0.)
    return a;
  const double scale = a > 0x1p500 ? 0x1p-600 : (b < 0x1p-500 ? 0x1p600 : 1.);
  const double p = a * scale;
  const double q = b * scale;
  const double pp = p * p;
  const double qq = q * q;
  const double sum = pp + qq;
  const double rest = (qq - (sum - pp)) + (::fma(p, p, -pp) + ::fma(q, q, -qq));
  const double root = sqrt(sum);
  return (root + (::fma(-root, root, sum) + rest) / (2. * root)) * (1. / scale);
}

} // namespace tessera::math

#endif
