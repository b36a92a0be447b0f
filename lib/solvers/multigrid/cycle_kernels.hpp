// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_CYCLE_KERNELS_HPP
#define TESSERA_SOLVERS_MULTIGRID_CYCLE_KERNELS_HPP

/// \file
/// Loops over the rows of a level, bodies of linalg::for_each_sliced_row; private to cycle.cpp. Equations are scaled
/// with the diagonal: D^-1 A x = D^-1 b =: b, and the matrices of the loops are D^-1 A - 1.

#include "linalg/sliced_matrix.hpp"
#include "linalg/spmv_kernels.hpp"

#include <cmath>

namespace tessera::solvers::detail {

/// x = z_1, one step from zero: z_1 = beta b.
template <class Value, class Space> struct FirstStep {
  ConstArray<const Value*, Space> b;
  Value beta;
  Array<Value*, Space> x;
  KOKKOS_FUNCTION void operator()(index_t i) const { x(i) = beta * b(i); }
};

/// Two steps from zero with one product: x = z_1 + z_2, z_1 = beta_1 b, z_2 = alpha z_1 + beta_2 (b - D^-1 A z_1).
template <class Value, class Space> struct TwoSteps {
  ConstArray<const Value*, Space> b;
  Value beta_1;
  Value alpha;
  Value beta_2;
  Array<Value*, Space> x_out;
  Array<Value*, Space> z; // may be empty
  KOKKOS_FUNCTION const ConstArray<const Value*, Space>& x() const { return b; }
  KOKKOS_FUNCTION Value own(index_t i) const { return b(i); }
  KOKKOS_FUNCTION void finish(index_t i, Value own, Value product) const {
    const Value first = beta_1 * own;
    const Value second = alpha * first + beta_2 * (own - beta_1 * (own + product));
    x_out(i) = first + second;
    if (z.extent(0) > 0)
      z(i) = second;
  }
};

/// y = x + z, z = alpha z + beta (b - D^-1 A x); with alpha = 0 the old z is not read.
template <class Value, class Space> struct Step {
  ConstArray<const Value*, Space> b;
  ConstArray<const Value*, Space> x_in;
  Value alpha;
  Value beta;
  bool keeps_direction;
  Array<Value*, Space> z;
  Array<Value*, Space> y;
  struct Own {
    Value x;
    Value residual; // of the diagonal's part
    Value carried;
  };
  KOKKOS_FUNCTION const ConstArray<const Value*, Space>& x() const { return x_in; }
  KOKKOS_FUNCTION Own own(index_t i) const {
    const Value before = x_in(i);
    return {before, b(i) - before, alpha != 0 ? alpha * z(i) : Value(0)};
  }
  KOKKOS_FUNCTION void finish(index_t i, const Own& own, Value product) const {
    const Value direction = own.carried + beta * (own.residual - product);
    if (keeps_direction)
      z(i) = direction;
    y(i) = own.x + direction;
  }
};

/// y = b - D^-1 A x.
template <class Value, class Space> struct Residual {
  ConstArray<const Value*, Space> b;
  ConstArray<const Value*, Space> x_in;
  Array<Value*, Space> y;
  KOKKOS_FUNCTION const ConstArray<const Value*, Space>& x() const { return x_in; }
  KOKKOS_FUNCTION Value own(index_t i) const { return b(i) - x_in(i); }
  KOKKOS_FUNCTION void finish(index_t i, Value own, Value product) const { y(i) = own - product; }
};

/// y = A x, or y += A x.
template <class Value, class Space> struct Multiply {
  ConstArray<const Value*, Space> x_in;
  bool adds;
  Array<Value*, Space> y;
  KOKKOS_FUNCTION const ConstArray<const Value*, Space>& x() const { return x_in; }
  KOKKOS_FUNCTION Value own(index_t i) const { return adds ? y(i) : Value(0); }
  KOKKOS_FUNCTION void finish(index_t i, Value own, Value product) const { y(i) = own + product; }
};

/// Norm of which rr holds the square; one if that is zero or not finite, or if there is none.
KOKKOS_INLINE_FUNCTION double norm_of(const double* rr) {
  const double square = rr != nullptr ? *rr : 1.;
  return square > 0. && square - square == 0. ? std::sqrt(square) : 1.;
}

/// b = 1 / ||r|| (scale D^-1) r.
template <class Value> struct ScaledRhs {
  const double* r;
  const Value* inverse_diagonal; // times the scale
  const double* rr;              // may be null
  Value* b;
  double factor = 1.;
  struct Item {
    double r;
    Value inverse;
  };
  KOKKOS_FUNCTION void load() { factor = 1. / norm_of(rr); }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {r[i], inverse_diagonal[i]}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    b[i] = static_cast<Value>(factor * item.r) * item.inverse;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

/// z = ||r|| / scale x.
template <class Value> struct ScaledSolution {
  const Value* x;
  const double* rr; // may be null
  double scale;
  double* z;
  using Item = Value;
  KOKKOS_FUNCTION void load() { scale = norm_of(rr) / scale; }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return x[i]; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, Item item) const { z[i] = scale * static_cast<double>(item); }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

/// b = 1 / ||r|| scale D^-1 (rhs - A x); the product writes nothing.
template <class Value, class Space> struct ScaledResidual {
  linalg::RowProduct<1> product;
  ConstArray<const double*, Space> rhs;
  ConstArray<const double*, Space> diagonal;
  const double* rr; // may be null
  double scale;
  Array<Value*, Space> b;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const double factor = scale / (norm_of(rr) * diagonal(i));
    const double own = rhs(i);
    b(i) = static_cast<Value>(factor * (own - product.row(i)));
  }
};

/// x += ||r|| / scale correction.
template <class Value> struct ScaledCorrection {
  const Value* correction;
  const double* rr; // may be null
  double scale;
  double* x;
  struct Item {
    Value correction;
    double x;
  };
  KOKKOS_FUNCTION void load() { scale = norm_of(rr) / scale; }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {correction[i], x[i]}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    x[i] = item.x + scale * static_cast<double>(item.correction);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

} // namespace tessera::solvers::detail

#endif
