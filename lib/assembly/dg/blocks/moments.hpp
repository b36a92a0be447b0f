// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_MOMENTS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_MOMENTS_HPP

/// \file
/// Diagonal blocks by moments: a product of two basis functions of an element, or of their derivatives, is a sum of
/// products of Legendre polynomials L_m on the same box, so that every entry of the element's block is a combination of
/// the moments: the sums over the quadrature points of w a L_m, for m up to twice the degree. This is the same
/// quadrature sum as that of the entries, in another order; see docs/theory.md, "Moments".

#include "assembly/dg/form/form.hpp"
#include "fe/modal/legendre_products.hpp"

namespace tessera::assembly::dg {

/// A term of a combination of moments, read by one load.
struct alignas(2 * sizeof(double)) MomentTerm {
  double coefficient;
  int moment;
};

/// The factors of a basis function of a step.
struct alignas(8) FactorNumbers {
  int space; ///< index among the spatial polynomials
  int time;  ///< degree
};

template <int Dim, class MemorySpace> struct MomentTables {
  Array<const char*, MemorySpace> memory; ///< owner of all arrays but `products` and `basis`
  fe::LegendreProducts<MemorySpace> products;
  /// Degrees of L_m in each direction, time last, in the order of total degree, [fe::modal_size(2 degree)][Dim + 1].
  Array<const int * [Dim + 1], MemorySpace> indices;
  /// Index of the moment with given degrees, x fastest, [(2 degree + 1)^(Dim + 1)].
  Array<const int*, MemorySpace> positions;
  Array<const int* [Dim], MemorySpace> space_indices; ///< degrees of the moments in space, [n_in_space][Dim]
  Array<const int * [Dim + 1], MemorySpace> basis;    ///< ModalSpace::indices
  Array<const FactorNumbers*, MemorySpace> factors;   ///< of each basis function of a step
  /// Polynomials of a step's time at the points of the rules in time, [points of Form::time_rules][2 degree + 1]; then
  /// those at the points in each half, each quarter, ... of the step: part k of r starts at row (r - 1 + k)
  /// n_time_points.
  Array<const double**, MemorySpace> time_factors;
  index_t n_time_points = 0;
  /// Means over part k of r of a step of the products of its time polynomial j and the part's time polynomial i, [r - 1
  /// + k][i (degree + 1) + j], if elements differ in steps.
  Array<const double**, MemorySpace> time_couplings;
  /// Factors of the spatial mass matrix in the time derivative and at the start of a slab, and the time functions at
  /// its start and end, [degree + 1][degree + 3].
  Array<const double**, MemorySpace> start_factors;
  int n_degrees = 0; ///< 2 degree + 1

  KOKKOS_FUNCTION int n_in_space() const { return static_cast<int>(space_indices.extent(0)); }
  KOKKOS_FUNCTION int n_in_space_and_time() const { return static_cast<int>(indices.extent(0)); }

  /// Terms of the combinations in space: those of column b of a kind (see kind() and gradient_kind()) are
  /// [term_offsets(kind n + b), term_offsets(kind n + b + 1)); n entries per term, one for each row a; n = n_functions.
  Array<const int*, MemorySpace> term_offsets;
  Array<const MomentTerm*, MemorySpace> terms;
  int n_functions = 0; ///< number of spatial polynomials of the highest degree

  /// Integral of the product of basis functions i and j, the first differentiated in direction dv, the second in dw
  /// (-1: no derivative), and the integrand of the moments; derivatives are with respect to the coordinates in the box.
  KOKKOS_FUNCTION double in_space_and_time(const double* moments, int i, int j, int dv, int dw) const {
    return sum<Dim>(moments, i, j, dv, dw, 0);
  }
  KOKKOS_FUNCTION static int kind(int dv, int dw) { return (dv + 1) * (Dim + 1) + dw + 1; }
  KOKKOS_FUNCTION static int gradient_kind(int d) { return (Dim + 1) * (Dim + 1) + d; }
  /// As above, for spatial polynomials a and b and moments in space.
  KOKKOS_FUNCTION double in_space(const double* moments, int a, int b, int dv, int dw) const {
    return combine(moments, a, kind(dw, dv) * n_functions + b); // the product is symmetric
  }
  /// Integral of the derivative in direction d of the product of spatial polynomials a and b.
  KOKKOS_FUNCTION double gradient_in_space(const double* moments, int a, int b, int d) const {
    return combine(moments, a, gradient_kind(d) * n_functions + b);
  }

  /// Entry of the block of a step of length tau for degrees in time ti and tj: the repeated term if the degrees agree,
  /// as time factors are orthonormal, plus the spatial mass times the time derivative and the start of the step.
  KOKKOS_FUNCTION double in_slab(int ti, int tj, double tau, double repeated, double mass) const {
    return start_factors(ti, tj) * mass + (ti == tj ? tau * repeated : 0.);
  }

private:
  /// Terms are loaded four at a time, since a thread would wait for each.
  KOKKOS_FUNCTION double combine(const double* moments, int a, int column) const {
    const int end = term_offsets(column + 1);
    int term = term_offsets(column) + a;
    double total = 0;
    for (; term + 3 * n_functions < end; term += 4 * n_functions) {
      const MomentTerm first = terms(term);
      const MomentTerm second = terms(term + n_functions);
      const MomentTerm third = terms(term + 2 * n_functions);
      const MomentTerm fourth = terms(term + 3 * n_functions);
      total += first.coefficient * moments[first.moment];
      total += second.coefficient * moments[second.moment];
      total += third.coefficient * moments[third.moment];
      total += fourth.coefficient * moments[fourth.moment];
    }
    for (; term < end; term += n_functions) {
      const MomentTerm next = terms(term);
      total += next.coefficient * moments[next.moment];
    }
    return total;
  }

  /// Sums over the degree in direction D and in lower directions.
  template <int D> KOKKOS_FUNCTION double sum(const double* moments, int i, int j, int dv, int dw, int position) const {
    const int a = dv == D ? 1 : 0;
    const int b = dw == D ? 1 : 0;
    const int p = basis(i, D);
    const int q = basis(j, D);
    const int top = p + q - a - b;
    const int low = a + b > 0 ? (top & 1) : p < q ? q - p : p - q;
    const double* const factors = products(a, b, p, q);
    double total = 0.;
    for (int m = low; m <= top; m += 2) {
      const int next = position * n_degrees + m;
      if constexpr (D == 0)
        total += factors[m] * moments[positions(next)];
      else
        total += factors[m] * sum<D - 1>(moments, i, j, dv, dw, next);
    }
    return total;
  }
};

template <int Dim, class ExecutionSpace>
MomentTables<Dim, typename ExecutionSpace::memory_space>
make_moment_tables(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form);

} // namespace tessera::assembly::dg

#endif
