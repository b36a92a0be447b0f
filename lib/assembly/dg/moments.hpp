// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_MOMENTS_HPP
#define TESSERA_ASSEMBLY_DG_MOMENTS_HPP

/// \file
/// Volume terms by moments: a product of two basis functions of an element, or of their derivatives, is a sum of
/// products of Legendre polynomials L_m of the same box, so that every entry of the element's block is a combination of
/// the moments sum over the quadrature points of w a L_m, m up to twice the degree. It is the same quadrature sum as
/// that of the entries, in another order; docs/theory.md, "Moments".

#include "fe/legendre_products.hpp"
#include "fe/modal_space.hpp"

namespace tessera::assembly::dg {

/// What the moments of all elements have in common.
template <int Dim, class MemorySpace> struct MomentTables {
  fe::LegendreProducts<MemorySpace> products;
  /// Degrees of L_m in each direction, time last, those of lower degrees first, [fe::modal_size(2 degree)][Dim + 1].
  ConstArray<const int * [Dim + 1], MemorySpace> indices;
  /// Number of the moment with given degrees, x fastest, [(2 degree + 1)^(Dim + 1)], without time [(2 degree + 1)^Dim].
  ConstArray<const int*, MemorySpace> places;
  ConstArray<const int * [Dim + 1], MemorySpace> basis; ///< ModalSpace::indices
  int n_degrees = 0;                                    ///< 2 degree + 1

  /// Integral of the product of basis functions i and j, the first differentiated in direction dv, the second in dw
  /// (-1: not), and of what the moments are of; derivatives are with respect to the coordinates in the box.
  KOKKOS_FUNCTION double in_space_and_time(const double* moments, int i, int j, int dv, int dw) const {
    return sum<Dim>(moments, i, j, dv, dw, 0);
  }
  /// As above in space alone, whatever the factors of time.
  KOKKOS_FUNCTION double in_space(const double* moments, int i, int j, int dv, int dw) const {
    return sum<Dim - 1>(moments, i, j, dv, dw, 0);
  }

private:
  /// Sums over the degree in direction D, and in those below.
  template <int D> KOKKOS_FUNCTION double sum(const double* moments, int i, int j, int dv, int dw, int place) const {
    const int a = dv == D ? 1 : 0;
    const int b = dw == D ? 1 : 0;
    const int p = basis(i, D);
    const int q = basis(j, D);
    const int top = p + q - a - b;
    const int low = a + b > 0 ? (top & 1) : p < q ? q - p : p - q;
    const double* const coefficients = products(a, b, p, q);
    double total = 0.;
    for (int m = low; m <= top; m += 2) {
      const int next = place * n_degrees + m;
      if constexpr (D == 0)
        total += coefficients[m] * moments[places(next)];
      else
        total += coefficients[m] * sum<D - 1>(moments, i, j, dv, dw, next);
    }
    return total;
  }
};

template <int Dim, class ExecutionSpace>
MomentTables<Dim, typename ExecutionSpace::memory_space>
make_moment_tables(const ExecutionSpace& exec, const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

} // namespace tessera::assembly::dg

#endif
