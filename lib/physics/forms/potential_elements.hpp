// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_POTENTIAL_ELEMENTS_HPP
#define TESSERA_PHYSICS_FORMS_POTENTIAL_ELEMENTS_HPP

#include "fe/quadrature.hpp"
#include "physics/forms/magnetic_form.hpp"

namespace tessera::physics {

/// The elements of a magnetic problem with the shape functions of A, those of Magnetostatics, for forms of further
/// terms on the same unknowns.
template <int Dim, int Order, class MemorySpace> struct PotentialElements {
  static_assert(Dim == 2, "a scalar vector potential needs two dimensions");
  using memory_space = MemorySpace;
  using element = fe::Lagrange<Dim, Order>;
  using Medium = GeneralDiffusion<Dim, Order, MemorySpace>;
  using Map = typename Medium::Map;
  static constexpr int dimension = Dim;
  static constexpr int order = Order;
  static constexpr int n_nodes = element::n_nodes;
  static constexpr int n_vertices = Dim + 1;

  Medium medium;                                                        ///< mesh and weight of integrals
  Array<const index_t * [element::n_nodes], MemorySpace> element_nodes; ///< those of the medium, for strategies
  Array<const index_t * [Dim + 1], MemorySpace> element_vertices;       ///< the same
  Array<const double* [Dim], MemorySpace> coordinates;                  ///< the same

  /// A point of a rule.
  struct Point {
    double weight;         ///< of integrals
    double unit_field;     ///< 1 / depth or 1 / (2 pi r)
    double inverse_radius; ///< 0 in planar problems
    double N[n_nodes];     ///< shape functions
    double lambda[Dim + 1];
  };

  KOKKOS_FUNCTION index_t n_elements() const { return medium.n_elements(); }
  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[n_nodes]) const { medium.nodes(e, n); }

protected:
  template <class ExecutionSpace, class Other> void copy_elements(const ExecutionSpace& exec, Other& host) const {
    host.medium = medium.to_host(exec);
    host.element_nodes = host.medium.element_nodes;
    host.element_vertices = host.medium.element_vertices;
    host.coordinates = host.medium.coordinates;
  }

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

  /// Point q of the rule.
  template <class Rule> KOKKOS_FUNCTION Point point(const index_t (&n)[n_nodes], int q, Map& map) const {
    Point result;
    const double fraction = Rule::point(q, result.lambda);
    if (in_squares()) {
      double square_of_r = 0.;
      for (int k = 0; k < n_vertices; ++k)
        square_of_r += result.lambda[k] * (map.p[k][0] * map.p[k][0]);
      const double r = std::sqrt(square_of_r);
      for (int a = 0; a < n_nodes; ++a)
        result.N[a] = map.p[a][0] / r * result.lambda[a];
      result.inverse_radius = 1. / r;
      result.unit_field = 1. / (medium.factor * r);
      result.weight = fraction * map.measure * (0.5 * medium.factor); // 2 pi r dr dz = pi d(r^2) dz
      return result;
    }
    map.move_to(medium.coordinates.data(), n, result.lambda);
    for (int a = 0; a < n_nodes; ++a)
      result.N[a] = element::value(a, result.lambda);
    const double size = medium.integral_weight(map, result.lambda); // depth, or 2 pi r
    result.inverse_radius = medium.axisymmetric ? medium.factor / size : 0.;
    result.unit_field = 1. / size;
    result.weight = fraction * map.measure * size;
    return result;
  }

  /// The effective gradient G of shape function a.
  KOKKOS_FUNCTION void effective_gradient(int a, const Map& map, const Point& point, double (&G)[Dim]) const {
    element::gradient(a, point.lambda, map.grad_lambda, G);
    if (in_squares()) {
      G[0] *= 2. * map.p[a][0];
      G[1] *= map.p[a][0] * point.inverse_radius;
    } else {
      G[0] += point.N[a] * point.inverse_radius;
    }
  }

private:
  /// Whether A is interpolated in (r^2, z).
  KOKKOS_FUNCTION bool in_squares() const { return Order == 1 && medium.axisymmetric; }
};

} // namespace tessera::physics

#endif
