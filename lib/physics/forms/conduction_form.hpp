// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_CONDUCTION_FORM_HPP
#define TESSERA_PHYSICS_FORMS_CONDUCTION_FORM_HPP

/// \file
/// Conduction in a time-harmonic magnetic field (docs/theory.md, "Eddy currents"), as device functors of one element.
///
/// The electric field along the direction of A is E = V e - j omega A, where V is the voltage of the conductor and e
/// its field for 1 V: 1 / depth (planar) or 1 / (2 pi r) (axisymmetric). With the shape functions N of A, those of
/// Magnetostatics, element matrix and load are
///   M_ab = int sigma N_a N_b,    c_a = int sigma V e N_a.

#include "physics/forms/potential_elements.hpp"

namespace tessera::physics {

/// E at one point: real and imaginary part.
struct PhasorValue {
  double re = 0.;
  double im = 0.;
};

template <int Dim, int Order, class MemorySpace> struct ConductionForm : PotentialElements<Dim, Order, MemorySpace> {
  using Elements = PotentialElements<Dim, Order, MemorySpace>;
  using Elements::medium;
  using Elements::n_nodes;
  using typename Elements::Map;
  /// M, c and the integral of sigma e^2 use the same rule, so that M - c c^T / (integral of sigma e^2) is not negative.
  using rule = std::conditional_t<Order == 1, fe::Quadrature<2, 4>, fe::Quadrature<2, 6>>;

  Array<double*, MemorySpace> conductivity; ///< [n_regions], S/m
  Array<double*, MemorySpace> voltage;      ///< [n_regions], V; the owner may change it between loads

  template <class ExecutionSpace> ConductionForm<Dim, Order, HostMemory> to_host(const ExecutionSpace& exec) const {
    ConductionForm<Dim, Order, HostMemory> host;
    this->copy_elements(exec, host);
    host.conductivity = tessera::to_host(exec, conductivity);
    host.voltage = tessera::to_host(exec, voltage);
    return host;
  }

  KOKKOS_FUNCTION double sigma(index_t e) const { return conductivity(medium.regions(e)); }

  /// Element matrix M (symmetric, both triangles) and load c.
  TESSERA_NOINLINE KOKKOS_FUNCTION void system(index_t e, const index_t (&n)[n_nodes], double (&M)[n_nodes][n_nodes],
                                               double (&c)[n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a) {
      c[a] = 0.;
      for (int b = 0; b < n_nodes; ++b)
        M[a][b] = 0.;
    }
    const double conductance = sigma(e);
    if (conductance == 0.)
      return;
    const double applied = voltage(medium.regions(e));
    for_each_point(e, n, [&](double size, double unit_field, const double(&N)[n_nodes]) {
      const double weight = conductance * size;
      for (int a = 0; a < n_nodes; ++a) {
        c[a] += weight * (applied * unit_field) * N[a];
        for (int b = a; b < n_nodes; ++b)
          M[a][b] += weight * (N[a] * N[b]);
      }
    });
    for (int a = 0; a < n_nodes; ++a)
      for (int b = a + 1; b < n_nodes; ++b)
        M[b][a] = M[a][b];
  }

  /// Integral over the element of sigma e A; over a conductor it is the flux linkage times the conductance.
  TESSERA_NOINLINE KOKKOS_FUNCTION double linkage(index_t e, const index_t (&n)[n_nodes],
                                                  const double (&A)[n_nodes]) const {
    const double factor = sigma(e);
    if (factor == 0.)
      return 0.;
    double sum = 0.;
    for_each_point(e, n, [&](double weight, double unit_field, const double(&N)[n_nodes]) {
      sum += weight * unit_field * at(N, A);
    });
    return factor * sum;
  }

  /// Integral over the element of sigma e^2.
  TESSERA_NOINLINE KOKKOS_FUNCTION double conductance(index_t e, const index_t (&n)[n_nodes]) const {
    const double factor = sigma(e);
    if (factor == 0.)
      return 0.;
    double sum = 0.;
    for_each_point(e, n, [&](double weight, double unit_field, const double(&)[n_nodes]) {
      sum += weight * unit_field * unit_field;
    });
    return factor * sum;
  }

  /// Integral over the element of sigma |E|^2, where E = V e - j omega A for the phasors V and A.
  TESSERA_NOINLINE KOKKOS_FUNCTION double square(index_t e, const index_t (&n)[n_nodes], const double (&re)[n_nodes],
                                                 const double (&im)[n_nodes], double omega, PhasorValue V) const {
    const double conductance = sigma(e);
    if (conductance == 0.)
      return 0.;
    double sum = 0.;
    for_each_point(e, n, [&](double weight, double unit_field, const double(&N)[n_nodes]) {
      const double real = V.re * unit_field + omega * at(N, im);
      const double imaginary = V.im * unit_field - omega * at(N, re);
      sum += weight * (real * real + imaginary * imaginary);
    });
    return conductance * sum;
  }

  /// Integral over the element of (factor |B|)^exponent, with the square |B|^2 of both parts.
  TESSERA_NOINLINE KOKKOS_FUNCTION double power(index_t e, const index_t (&n)[n_nodes], const double (&re)[n_nodes],
                                                const double (&im)[n_nodes], double factor, double exponent) const {
    Map map = this->make_map(e, n);
    double sum = 0.;
    for (int q = 0; q < rule::n_points; ++q) {
      const auto point = this->template point<rule>(n, q, map);
      double both[2][2] = {{0., 0.}, {0., 0.}};
      for (int a = 0; a < n_nodes; ++a) {
        double G[2];
        this->effective_gradient(a, map, point, G);
        for (int d = 0; d < 2; ++d) {
          both[0][d] += re[a] * G[d];
          both[1][d] += im[a] * G[d];
        }
      }
      const double square =
          both[0][0] * both[0][0] + both[0][1] * both[0][1] + both[1][0] * both[1][0] + both[1][1] * both[1][1];
      sum += point.weight * std::pow(factor * std::sqrt(square), exponent);
    }
    return sum;
  }

  /// Mean of sigma E over the element.
  TESSERA_NOINLINE KOKKOS_FUNCTION PhasorValue mean_density(index_t e, const index_t (&n)[n_nodes],
                                                            const double (&re)[n_nodes], const double (&im)[n_nodes],
                                                            double omega, PhasorValue V) const {
    const double conductance = sigma(e);
    PhasorValue mean;
    if (conductance == 0.)
      return mean;
    double total = 0.;
    for_each_point(e, n, [&](double weight, double unit_field, const double(&N)[n_nodes]) {
      total += weight;
      mean.re += weight * (V.re * unit_field + omega * at(N, im));
      mean.im += weight * (V.im * unit_field - omega * at(N, re));
    });
    mean.re *= conductance / total;
    mean.im *= conductance / total;
    return mean;
  }

private:
  /// Calls `body(weight, unit_field, N)` at each point of the rule, with the weight of integrals, e and the shape
  /// functions there.
  template <class Body>
  KOKKOS_FUNCTION void for_each_point(index_t e, const index_t (&n)[n_nodes], const Body& body) const {
    Map map = this->make_map(e, n);
    for (int q = 0; q < rule::n_points; ++q) {
      const auto point = this->template point<rule>(n, q, map);
      body(point.weight, point.unit_field, point.N);
    }
  }

  KOKKOS_FUNCTION static double at(const double (&N)[n_nodes], const double (&A)[n_nodes]) {
    double sum = 0.;
    for (int a = 0; a < n_nodes; ++a)
      sum += N[a] * A[a];
    return sum;
  }
};

} // namespace tessera::physics

#endif
