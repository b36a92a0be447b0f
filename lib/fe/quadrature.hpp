// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_QUADRATURE_HPP
#define TESSERA_FE_QUADRATURE_HPP

/// \file
/// Symmetric quadrature with positive weights on simplices, in barycentric coordinates; weights add up to 1.
///
/// Triangles: 3 points (degree 2), 6 (degree 4) and 12 (degree 6): Dunavant, Int. J. Numer. Meth. Engng 21 (1985).
/// Tetrahedra: 4 points (degree 2) and 14 (degree 5): Walkington, CMU report 00-NA-10 (2000). Lines: Gauss, 3 points.

#include "core/types.hpp"

namespace tessera::fe {

/// Orbits of points, S = (a, ..., a, 1 - n a), three equal pairs etc., are expanded by `point`.
template <int Dim, int Degree> struct Quadrature;

/// Three-point Gauss rule on an edge.
template <> struct Quadrature<1, 5> {
  static constexpr int n_points = 3;
  KOKKOS_FUNCTION static double point(int q, double (&lambda)[2]) {
    const double offset = 0.38729833462074168852; // sqrt(3/5) / 2
    lambda[0] = 0.5 + (q - 1) * offset;
    lambda[1] = 1. - lambda[0];
    return q == 1 ? 4. / 9. : 5. / 18.;
  }
};

/// Three points in a triangle.
template <> struct Quadrature<2, 2> {
  static constexpr int n_points = 3;
  KOKKOS_FUNCTION static double point(int q, double (&lambda)[3]) {
    for (int k = 0; k < 3; ++k)
      lambda[k] = k == q ? 2. / 3. : 1. / 6.;
    return 1. / 3.;
  }
};

/// Six points in a triangle.
template <> struct Quadrature<2, 4> {
  static constexpr int n_points = 6;
  KOKKOS_FUNCTION static double point(int q, double (&lambda)[3]) {
    const double a = q < 3 ? 0.44594849091596488632 : 0.091576213509770743460;
    for (int k = 0; k < 3; ++k)
      lambda[k] = k == q % 3 ? 1. - 2. * a : a;
    return q < 3 ? 0.22338158967801146570 : 0.10995174365532186764;
  }
};

/// Twelve points in a triangle.
template <> struct Quadrature<2, 6> {
  static constexpr int n_points = 12;
  KOKKOS_FUNCTION static double point(int q, double (&lambda)[3]) {
    if (q < 6) {
      const double a = q < 3 ? 0.24928674517091042129 : 0.063089014491502227340;
      for (int k = 0; k < 3; ++k)
        lambda[k] = k == q % 3 ? 1. - 2. * a : a;
      return q < 3 ? 0.11678627572637936603 : 0.050844906370206816921;
    }
    // The six permutations of (a, b, c).
    const double a = 0.053145049844816947353;
    const double b = 0.31035245103378440542;
    const double c = 1. - a - b;
    const int first = (q - 6) % 3;
    const bool swapped = q >= 9;
    lambda[first] = a;
    lambda[(first + 1) % 3] = swapped ? c : b;
    lambda[(first + 2) % 3] = swapped ? b : c;
    return 0.082851075618373575194;
  }
};

/// Four points in a tetrahedron.
template <> struct Quadrature<3, 2> {
  static constexpr int n_points = 4;
  KOKKOS_FUNCTION static double point(int q, double (&lambda)[4]) {
    for (int k = 0; k < 4; ++k)
      lambda[k] = k == q ? 0.58541019662496845446 : 0.13819660112501051518;
    return 0.25;
  }
};

/// Fourteen points in a tetrahedron.
template <> struct Quadrature<3, 5> {
  static constexpr int n_points = 14;
  KOKKOS_FUNCTION static double point(int q, double (&lambda)[4]) {
    if (q < 8) {
      const double a = q < 4 ? 0.31088591926330060980 : 0.092735250310891226402;
      for (int k = 0; k < 4; ++k)
        lambda[k] = k == q % 4 ? 1. - 3. * a : a;
      return q < 4 ? 0.11268792571801585080 : 0.073493043116361949544;
    }
    const double a = 0.045503704125649649492;
    // The six choices of two of four coordinates: (0,1) (1,2) (2,0) (0,3) (1,3) (2,3).
    const int edge = q - 8;
    const int k0 = edge < 3 ? edge : edge - 3;
    const int k1 = edge < 3 ? (edge == 2 ? 0 : edge + 1) : 3;
    for (int k = 0; k < 4; ++k)
      lambda[k] = k == k0 || k == k1 ? 0.5 - a : a;
    return 0.042546020777081466438;
  }
};

/// Rule for element integrals of forms: exact for the mass matrix of order-1 elements and for products of order 2 with
/// linear data.
template <int Dim, int Order> struct FormQuadrature : Quadrature<Dim, 2> {};
template <> struct FormQuadrature<2, 2> : Quadrature<2, 4> {};
template <> struct FormQuadrature<3, 2> : Quadrature<3, 5> {};

/// Rule on facets, exact to degree 4 or more.
template <int Dim> struct FacetQuadrature;
template <> struct FacetQuadrature<2> : Quadrature<1, 5> {};
template <> struct FacetQuadrature<3> : Quadrature<2, 4> {};

/// Rule for error norms: of higher degree, so that its points do not coincide with points where the solution is
/// superconvergent.
template <int Dim> struct ErrorQuadrature;
template <> struct ErrorQuadrature<2> : Quadrature<2, 6> {};
template <> struct ErrorQuadrature<3> : Quadrature<3, 5> {};

} // namespace tessera::fe

#endif
