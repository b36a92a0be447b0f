// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_CYCLE_KERNELS_HPP
#define TESSERA_SOLVERS_MULTIGRID_CYCLE_KERNELS_HPP

/// \file
/// Loops over the rows of a level; private to cycle.cpp.

#include "solvers/multigrid/cycle.hpp"

#include <cmath>

namespace tessera::solvers::detail {

/// Sum of a row of a matrix times a vector.
template <class Value, class Space, class Vector>
KOKKOS_INLINE_FUNCTION Value row_times(const CycleMatrix<Value, Space>& a, index_t i, const Vector& x) {
  Value sum = 0;
  const offset_t end = a.offsets(i + 1);
  for (offset_t k = a.offsets(i); k < end; ++k)
    sum += a.values(k) * x(a.columns(k));
  return sum;
}

/// The right-hand side of a step, as the first two steps from zero see it: z_1 = beta D^-1 b.
template <class Value, class Space> struct FirstDirection {
  ConstArray<const Value*, Space> scaled_inverse;
  ConstArray<const Value*, Space> b;
  Value beta;
  KOKKOS_FUNCTION Value operator()(index_t i) const { return beta * scaled_inverse(i) * b(i); }
};

/// x = z_1, one step from zero.
template <class Value, class Space> struct FirstStep {
  FirstDirection<Value, Space> direction;
  Array<Value*, Space> x;
  KOKKOS_FUNCTION void operator()(index_t i) const { x(i) = direction(i); }
};

/// Two steps from zero with one product: x = z_1 + z_2, z_2 = alpha z_1 + beta D^-1 (b - A z_1).
template <class Value, class Space> struct TwoSteps {
  CycleMatrix<Value, Space> a;
  FirstDirection<Value, Space> direction;
  Value alpha;
  Value beta;
  Array<Value*, Space> x;
  Array<Value*, Space> z; // may be empty
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const Value own = direction.b(i);
    const Value factor = beta * direction.scaled_inverse(i);
    const Value first = direction(i);
    const Value second = alpha * first + factor * (own - row_times(a, i, direction));
    x(i) = first + second;
    if (z.extent(0) > 0)
      z(i) = second;
  }
};

/// y = x + z, z = alpha z + beta D^-1 (b - A x); with alpha = 0 the old z is not read.
template <class Value, class Space> struct Step {
  CycleMatrix<Value, Space> a;
  ConstArray<const Value*, Space> scaled_inverse;
  ConstArray<const Value*, Space> b;
  ConstArray<const Value*, Space> x;
  Value alpha;
  Value beta;
  bool keeps_direction;
  Array<Value*, Space> z;
  Array<Value*, Space> y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const Value own = b(i);
    const Value factor = beta * scaled_inverse(i);
    const Value before = x(i);
    const Value carried = alpha != 0 ? alpha * z(i) : Value(0);
    const Value direction = carried + factor * (own - row_times(a, i, x));
    if (keeps_direction)
      z(i) = direction;
    y(i) = before + direction;
  }
};

/// y = b - A x.
template <class Value, class Space> struct Residual {
  CycleMatrix<Value, Space> a;
  ConstArray<const Value*, Space> b;
  ConstArray<const Value*, Space> x;
  Array<Value*, Space> y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const Value own = b(i);
    y(i) = own - row_times(a, i, x);
  }
};

/// y = A x, or y += A x.
template <class Value, class Space> struct Multiply {
  CycleMatrix<Value, Space> a;
  ConstArray<const Value*, Space> x;
  bool adds;
  Array<Value*, Space> y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const Value before = adds ? y(i) : Value(0);
    y(i) = before + row_times(a, i, x);
  }
};

template <class From, class To, class Space> struct Convert {
  ConstArray<const From*, Space> from;
  double scale;
  Array<To*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = static_cast<To>(scale * static_cast<double>(from(i)));
  }
};

/// to = scale * from, times or over ||r||, where rr holds its square; in units of one if that is zero or not finite.
template <class From, class To, class Space> struct ConvertByNorm {
  ConstArray<const From*, Space> from;
  ConstArray<const double*, Space> rr;
  double scale;
  bool divides;
  Array<To*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double square = rr(0);
    const double norm = square > 0. && square - square == 0. ? std::sqrt(square) : 1.;
    const double value = static_cast<double>(from(i));
    to(i) = static_cast<To>(scale * (divides ? value / norm : value * norm));
  }
};

} // namespace tessera::solvers::detail

#endif
