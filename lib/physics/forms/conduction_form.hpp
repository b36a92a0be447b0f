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

#include "fe/quadrature.hpp"
#include "physics/forms/magnetic_form.hpp"

namespace tessera::physics {

/// E at one point: real and imaginary part.
struct PhasorValue {
  double re = 0.;
  double im = 0.;
};

template <int Dim, int Order, class MemorySpace> struct ConductionForm {
  static_assert(Dim == 2, "a scalar vector potential needs two dimensions");
  using memory_space = MemorySpace;
  using element = fe::Lagrange<Dim, Order>;
  using Medium = GeneralDiffusion<Dim, Order, MemorySpace>;
  using Map = typename Medium::Map;
  /// M, c and the integral of sigma e^2 use the same rule, so that M - c c^T / (integral of sigma e^2) is not negative.
  using rule = std::conditional_t<Order == 1, fe::Quadrature<2, 4>, fe::Quadrature<2, 6>>;
  static constexpr int dimension = Dim;
  static constexpr int order = Order;
  static constexpr int n_nodes = element::n_nodes;
  static constexpr int n_vertices = Dim + 1;

  Medium medium;                                                        ///< mesh and weight of integrals
  Array<const index_t * [element::n_nodes], MemorySpace> element_nodes; ///< those of the medium, for strategies
  Array<const index_t * [Dim + 1], MemorySpace> element_vertices;       ///< the same
  Array<const double* [Dim], MemorySpace> coordinates;                  ///< the same
  Array<double*, MemorySpace> conductivity;                             ///< [n_regions], S/m
  Array<double*, MemorySpace> voltage; ///< [n_regions], V; the owner may change it between loads

  template <class ExecutionSpace> ConductionForm<Dim, Order, HostMemory> to_host(const ExecutionSpace& exec) const {
    ConductionForm<Dim, Order, HostMemory> host;
    host.medium = medium.to_host(exec);
    host.element_nodes = host.medium.element_nodes;
    host.element_vertices = host.medium.element_vertices;
    host.coordinates = host.medium.coordinates;
    host.conductivity = tessera::to_host(exec, conductivity);
    host.voltage = tessera::to_host(exec, voltage);
    return host;
  }

  KOKKOS_FUNCTION index_t n_elements() const { return medium.n_elements(); }
  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[n_nodes]) const { medium.nodes(e, n); }
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

  /// Integral over the element of sigma V e A, in A if V is 1 in a conductor and 0 elsewhere: its flux linkage times
  /// the conductance.
  TESSERA_NOINLINE KOKKOS_FUNCTION double linkage(index_t e, const index_t (&n)[n_nodes],
                                                  const double (&A)[n_nodes]) const {
    const double factor = sigma(e) * voltage(medium.regions(e));
    if (factor == 0.)
      return 0.;
    double sum = 0.;
    for_each_point(e, n, [&](double weight, double unit_field, const double(&N)[n_nodes]) {
      sum += weight * unit_field * at(N, A);
    });
    return factor * sum;
  }

  /// Integral over the element of sigma V e^2.
  TESSERA_NOINLINE KOKKOS_FUNCTION double conductance(index_t e, const index_t (&n)[n_nodes]) const {
    const double factor = sigma(e) * voltage(medium.regions(e));
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
    Map map = make_map(e, n);
    for (int q = 0; q < rule::n_points; ++q) {
      double N[n_nodes];
      double unit_field;
      const double weight = point(n, q, map, N, unit_field);
      body(weight, unit_field, N);
    }
  }

  /// Whether A is interpolated in (r^2, z), as in Magnetostatics.
  KOKKOS_FUNCTION bool in_squares() const { return Order == 1 && medium.axisymmetric; }

  KOKKOS_FUNCTION Map make_map(index_t e, const index_t (&n)[n_nodes]) const {
    Map map;
    map.load(medium.coordinates.data(), n, medium.is_curved(e));
    if (in_squares()) {
      double p[n_vertices][Dim];
      for (int k = 0; k < n_vertices; ++k) {
        p[k][0] = map.p[k][0] * map.p[k][0];
        p[k][1] = map.p[k][1];
      }
      map.measure = fe::simplex_gradients(p, map.grad_lambda);
    }
    return map;
  }

  /// Sets the shape functions and e at point q of the rule; returns the weight of integrals.
  KOKKOS_FUNCTION double point(const index_t (&n)[n_nodes], int q, Map& map, double (&N)[n_nodes],
                               double& unit_field) const {
    double lambda[n_vertices];
    const double fraction = rule::point(q, lambda);
    if (in_squares()) {
      double square_of_r = 0.;
      for (int k = 0; k < n_vertices; ++k)
        square_of_r += lambda[k] * (map.p[k][0] * map.p[k][0]);
      const double r = std::sqrt(square_of_r);
      for (int a = 0; a < n_nodes; ++a)
        N[a] = map.p[a][0] / r * lambda[a];
      unit_field = 1. / (medium.factor * r);
      return fraction * map.measure * (0.5 * medium.factor); // 2 pi r dr dz = pi d(r^2) dz
    }
    map.move_to(medium.coordinates.data(), n, lambda);
    for (int a = 0; a < n_nodes; ++a)
      N[a] = element::value(a, lambda);
    const double size = medium.integral_weight(map, lambda); // depth, or 2 pi r
    unit_field = 1. / size;
    return fraction * map.measure * size;
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
