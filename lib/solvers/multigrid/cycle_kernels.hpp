// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_CYCLE_KERNELS_HPP
#define TESSERA_SOLVERS_MULTIGRID_CYCLE_KERNELS_HPP

/// \file
/// Loops over the rows of a level, bodies of linalg::for_each_sliced_row; private to solvers. Equations are divided
/// by a scale, E^-1 A x = E^-1 b =: b, and the matrices of the loops are E^-1 A - `unit`: without its diagonal of ones,
/// unit = 1, or all of it, unit = 0. `Entry`: type of a vector's entries, or of several vectors stored together
/// (linalg/pack.hpp).

#include "linalg/crs/sliced_matrix.hpp"
#include "linalg/crs/spmv_kernels.hpp"

#include <cmath>

namespace tessera::solvers::detail {

/// x = beta b, one step from zero.
template <class Value, class Entry, class Space> struct FirstStep {
  Array<const Entry*, Space> b;
  Value beta;
  Array<Entry*, Space> x;
  KOKKOS_FUNCTION void operator()(index_t i) const { x(i) = beta * b(i); }
};

/// Two steps from zero with one product: x = beta_1 b + beta_2 (b - E^-1 A beta_1 b).
template <class Value, class Entry, class Space> struct TwoSteps {
  Value unit;
  Array<const Entry*, Space> b;
  Value beta_1;
  Value beta_2;
  Array<Entry*, Space> x_out;
  KOKKOS_FUNCTION const Array<const Entry*, Space>& x() const { return b; }
  KOKKOS_FUNCTION Entry operand(index_t i) const { return b(i); }
  KOKKOS_FUNCTION void finish(index_t i, const Entry& operand, const Entry& product) const {
    const Entry first = beta_1 * operand;
    x_out(i) = first + beta_2 * (operand - beta_1 * (unit * operand + product));
  }
};

/// y = x + beta (b - E^-1 A x).
template <class Value, class Entry, class Space> struct Step {
  Value unit;
  Array<const Entry*, Space> b;
  Array<const Entry*, Space> x_in;
  Value beta;
  Array<Entry*, Space> y;
  struct Operand {
    Entry x;
    Entry residual; // of the diagonal part
  };
  KOKKOS_FUNCTION const Array<const Entry*, Space>& x() const { return x_in; }
  KOKKOS_FUNCTION Operand operand(index_t i) const {
    const Entry before = x_in(i);
    return {before, b(i) - unit * before};
  }
  KOKKOS_FUNCTION void finish(index_t i, const Operand& operand, const Entry& product) const {
    y(i) = operand.x + beta * (operand.residual - product);
  }
};

/// y = b - E^-1 A x.
template <class Value, class Entry, class Space> struct Residual {
  Value unit;
  Array<const Entry*, Space> b;
  Array<const Entry*, Space> x_in;
  Array<Entry*, Space> y;
  KOKKOS_FUNCTION const Array<const Entry*, Space>& x() const { return x_in; }
  KOKKOS_FUNCTION Entry operand(index_t i) const { return b(i) - unit * x_in(i); }
  KOKKOS_FUNCTION void finish(index_t i, const Entry& operand, const Entry& product) const { y(i) = operand - product; }
};

/// y = factor A x, or y += factor A x.
template <class Value, class Entry, class Space> struct Multiply {
  Array<const Entry*, Space> x_in;
  bool adds;
  Array<Entry*, Space> y;
  Value factor = Value(1);
  KOKKOS_FUNCTION const Array<const Entry*, Space>& x() const { return x_in; }
  KOKKOS_FUNCTION Entry operand(index_t i) const { return adds ? y(i) : Entry{}; }
  KOKKOS_FUNCTION void finish(index_t i, const Entry& operand, const Entry& product) const {
    y(i) = operand + factor * product;
  }
};

/// Square root of rr; one if that is zero or not finite, or if rr is null.
KOKKOS_INLINE_FUNCTION double norm_of(const double* rr) {
  const double square = rr != nullptr ? *rr : 1.;
  return square > 0. && square - square == 0. ? std::sqrt(square) : 1.;
}

/// The norms of several vectors.
template <class Wide> KOKKOS_INLINE_FUNCTION Wide norms_of(const double* rr) {
  if constexpr (linalg::columns_of<Wide> == 1)
    return norm_of(rr);
  else
    return Wide::of([&](int c) { return norm_of(rr == nullptr ? rr : rr + c); });
}

/// factor / norms
template <class Wide> KOKKOS_INLINE_FUNCTION Wide over(double factor, const Wide& norms) {
  if constexpr (linalg::columns_of<Wide> == 1)
    return factor / norms;
  else
    return Wide::of([&](int c) { return factor / norms.column[c]; });
}

/// b = 1 / ||r|| (scale E^-1) r; `Wide` are entries in double precision.
template <class Value, class Entry, class Wide> struct ScaledRhs {
  const Wide* r;
  const Value* inverse_scale; // of the rows, multiplied by `scale`
  const double* rr;           // may be null
  Entry* b;
  Wide factor = {};
  struct Item {
    Wide r;
    Value inverse;
  };
  KOKKOS_FUNCTION void load() { factor = over(1., norms_of<Wide>(rr)); }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {r[i], inverse_scale[i]}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    b[i] = item.inverse * linalg::converted<Entry>(factor * item.r);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

/// z = ||r|| / scale x.
template <class Entry, class Wide> struct ScaledSolution {
  const Entry* x;
  const double* rr; // may be null
  double scale;
  Wide* z;
  Wide factor = {};
  using Item = Entry;
  KOKKOS_FUNCTION void load() { factor = norms_of<Wide>(rr) / scale; }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return x[i]; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    z[i] = factor * linalg::converted<Wide>(item);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

/// The same, with the term of (r, z) for ordered_sums().
template <class Entry> struct ScaledSolutionDot {
  ScaledSolution<Entry, double> solution;
  const double* r;
  struct Item {
    Entry x;
    double r;
  };
  KOKKOS_FUNCTION void load() { solution.load(); }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {solution.x[i], r[i]}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item, double (&term)[1]) const {
    const double z = solution.factor * static_cast<double>(item.x);
    solution.z[i] = z;
    term[0] = item.r * z;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { (*this)(i, read(i), term); }
};

/// b = 1 / ||r|| scale E^-1 (rhs - A x); the product is not written.
template <class Entry, class Wide, class Space> struct ScaledResidual {
  linalg::RowProduct<1, linalg::FullColumns, Wide> product;
  Array<const Wide*, Space> rhs;
  Array<const double*, Space> row_scale;
  const double* rr; // may be null
  double scale;
  Array<Entry*, Space> b;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const double own_scale = row_scale(i);
    const Wide factor = over(scale, own_scale * norms_of<Wide>(rr));
    const Wide operand = rhs(i);
    b(i) = linalg::converted<Entry>(factor * (operand - product.row(i)));
  }
};

/// b = 1 / ||r|| rhs.
template <class Entry, class Wide> struct OverNorms {
  const Wide* rhs;
  const double* rr; // may be null
  Entry* b;
  Wide factor = {};
  using Item = Wide;
  KOKKOS_FUNCTION void load() { factor = over(1., norms_of<Wide>(rr)); }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return rhs[i]; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    b[i] = linalg::converted<Entry>(factor * item);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

/// b = 1 / ||r|| (rhs - E^-1 A x), for the rounded matrix with its original row sums.
template <class Entry, class Wide, class Space> struct ResidualOverNorms {
  double unit;
  Array<const Wide*, Space> rhs;
  Array<const Wide*, Space> x_in;
  Array<const float*, Space> lost_row_sum; // may be empty
  const double* rr;                        // may be null
  Array<Entry*, Space> b;
  KOKKOS_FUNCTION const Array<const Wide*, Space>& x() const { return x_in; }
  KOKKOS_FUNCTION Wide operand(index_t i) const {
    const double diagonal = unit + (lost_row_sum.extent(0) > 0 ? static_cast<double>(lost_row_sum(i)) : 0.);
    return rhs(i) - diagonal * x_in(i);
  }
  KOKKOS_FUNCTION void finish(index_t i, const Wide& operand, const Wide& product) const {
    b(i) = linalg::converted<Entry>(over(1., norms_of<Wide>(rr)) * (operand - product));
  }
};

/// x += ||r|| / scale correction.
template <class Entry, class Wide> struct ScaledCorrection {
  const Entry* correction;
  const double* rr; // may be null
  double scale;
  Wide* x;
  Wide factor = {};
  struct Item {
    Entry correction;
    Wide x;
  };
  KOKKOS_FUNCTION void load() { factor = norms_of<Wide>(rr) / scale; }
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {correction[i], x[i]}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    x[i] = item.x + factor * linalg::converted<Wide>(item.correction);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

} // namespace tessera::solvers::detail

#endif
