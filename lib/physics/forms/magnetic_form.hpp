// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_MAGNETIC_FORM_HPP
#define TESSERA_PHYSICS_FORMS_MAGNETIC_FORM_HPP

/// \file
/// Weak form of curl H = J with B = curl A, as device functors of one element (docs/theory.md, magnetostatics).
///
///   int H(curl A) . curl v = int J v + boundary terms,     H = nu (B - B_r), nu(|B|) B - H_c or dw/dB
///
/// A is the component perpendicular to the plane: A_z (planar) or A_phi (axisymmetric; x is r, y is z). With the
/// effective gradient G = grad A (planar) or (dA/dr + A/r, dA/dz) (axisymmetric), B is G rotated by a right angle:
///   planar B = (G_y, -G_x), axisymmetric B = (-G_z, G_r).
/// A rotation leaves scalar products unchanged, so the form is written in G. Vectors of the members below that are
/// called "turned" are in the frame of G.
///
/// Shape functions for A are those of Lagrange elements, except in axisymmetric elements of order 1: there r A is
/// linear in (r^2, z) (F. Henrotte et al., IEEE Trans. Magn. 29, 1993), in triangles that are straight in these
/// coordinates,
///   A = sum of A_a r_a lambda_a(r^2, z) / r,
/// so that uniform fields and A ~ 1/r, which has no field, are both represented exactly.
///
/// Newton's method: element matrix and load are those of the system whose solution is the next iterate,
///   K = int T(G_k) G_a . G_b,    f = int J v + (T G_k - H) . G_a,    T = nu I + 2 nu' G_k G_k^T,  nu' = dnu/d(B^2),
/// at the iterate G_k (with curves by direction, bh_by_direction.hpp, T is the second derivative of the energy); in a
/// linear region T = nu I and T G - H = nu B_r, independently of the iterate. The curve of a
/// magnet is shifted by its coercive field, so that it starts at [0, 0] and depends on |B| alone.

#include "physics/expressions/bh_by_direction.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "physics/forms/shell_map.hpp"

namespace tessera::physics {

/// Remanence (with a B-H curve the coercive field) whose direction varies within regions, at any point.
template <class MemorySpace> struct MagnetProgram {
  ExpressionProgram<MemorySpace> directions; ///< two components of each region
  Array<const double*, MemorySpace> size;    ///< [n_regions], T or A/m; 0: no magnet

  /// Whether there are varying magnets.
  KOKKOS_FUNCTION bool varies() const { return directions.size() > 0; }

  /// Sets B_r at the point x; returns the length of the direction as given, 1 if there is no magnet.
  KOKKOS_FUNCTION double evaluate(group_t region, double x, double y, double (&remanence)[2]) const {
    double direction[2] = {0., 0.};
    double length = 1.;
    if (size(region) != 0.) {
      for (int d = 0; d < 2; ++d)
        direction[d] = directions(2 * region + d, x, y, 0., 0.);
      length = std::hypot(direction[0], direction[1]);
    }
    for (int d = 0; d < 2; ++d)
      remanence[d] = size(region) * (direction[d] / length);
    return length;
  }

  template <class ExecutionSpace> MagnetProgram<HostMemory> to_host(const ExecutionSpace& exec) const {
    MagnetProgram<HostMemory> host;
    if (varies())
      host = {directions.on_host(exec), detail::host_array(exec, size)};
    return host;
  }
};

/// Planar or axisymmetric magnetostatics. `row` and `system` give the same bits.
template <int Dim, int Order, class MemorySpace> struct Magnetostatics {
  static_assert(Dim == 2, "a scalar vector potential needs two dimensions");
  using memory_space = MemorySpace;
  using element = fe::Lagrange<Dim, Order>;
  using Medium = GeneralDiffusion<Dim, Order, MemorySpace>;
  using volume_rule = typename Medium::volume_rule;
  static constexpr int dimension = Dim;
  static constexpr int order = Order;
  static constexpr int n_nodes = element::n_nodes;
  static constexpr int n_vertices = Dim + 1;
  static constexpr bool has_vector_potential = true;

  /// Data shared with diffusion: mesh, weight of integrals, natural data, and at the quadrature points the
  /// permeability (`coefficient`, H/m) and the current density (`source`, A/m^2) of linear regions.
  Medium medium;
  Array<const index_t * [element::n_nodes], MemorySpace> element_nodes; ///< those of the medium, for strategies
  Array<const index_t * [Dim + 1], MemorySpace> element_vertices;       ///< the same
  Array<const double* [Dim], MemorySpace> coordinates;                  ///< the same

  /// [n_regions], current density of coils in A/m^2; the owner may change it between loads.
  Array<double*, MemorySpace> coil_density;
  /// [n_regions], B_r in T, with a B-H curve H_c in A/m; empty without magnets.
  Array<const double* [Dim], MemorySpace> remanence;
  /// [n_elements * volume_rule::n_points], instead of the table by region if the direction varies; else empty.
  Array<const double* [Dim], MemorySpace> point_remanence;
  MagnetProgram<MemorySpace> magnets; ///< if the direction varies: for H at other points
  /// [n_regions], centre, inner and outer radius (m) of the shell that represents the exterior space; outer radius 0:
  /// no shell; empty without shells.
  Array<const double* [4], MemorySpace> shell;
  Array<const index_t*, MemorySpace> curve; ///< [n_regions], index of the B-H curve, -1: linear; empty: all linear
  /// [n_regions], index of the curve across the direction of the other one, -1: isotropic; empty: all isotropic.
  Array<const index_t*, MemorySpace> curve_across;
  Array<const double* [Dim], MemorySpace> curve_axis; ///< [n_regions], cosine and sine of the first curve's direction
  BhCurves<MemorySpace> curves;
  /// [n_regions], the integral of H . dB from B = 0 to the state H = 0 of magnets with a curve, J/m^3; empty if there
  /// are none.
  Array<const double*, MemorySpace> energy_at_rest;
  /// A at all nodes, [n_nodes], about which nonlinear regions are linearised; the owner changes it between steps. Empty
  /// if all regions are linear.
  Array<double*, MemorySpace> iterate;

  /// Map of an element; gradients and measure are in (r^2, z) if A is interpolated there.
  using Triangle = typename Medium::Map;
  /// A point of an element.
  struct Position {
    double lambda[n_vertices];
    double x[Dim];
    double inverse_radius; ///< 0 in planar problems
  };
  /// A quadrature point with its data.
  struct Point : Position {
    std::int64_t number; ///< index among the quadrature points of all elements
    double weight;
    double permeability[Dim];
    double current;
  };

  /// Weight of integrals at a point: depth, or 2 pi r.
  KOKKOS_FUNCTION double integral_weight(const Triangle& map, const double (&lambda)[n_vertices]) const {
    return medium.integral_weight(map, lambda);
  }
  /// The form on some of the elements; nodes and iterate keep their numbering.
  template <class ExecutionSpace>
  Magnetostatics part(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& elements) const {
    Magnetostatics form = *this;
    form.medium = medium.part(exec, elements);
    form.element_nodes = form.medium.element_nodes;
    form.element_vertices = form.medium.element_vertices;
    form.point_remanence = gather_rows(exec, point_remanence, elements, volume_rule::n_points);
    return form;
  }

  KOKKOS_FUNCTION index_t n_elements() const { return medium.n_elements(); }
  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[n_nodes]) const { medium.nodes(e, n); }
  KOKKOS_FUNCTION bool is_curved(index_t e) const { return medium.is_curved(e); }

  /// Copies the form with its data to the host.
  template <class ExecutionSpace> Magnetostatics<Dim, Order, HostMemory> to_host(const ExecutionSpace& exec) const {
    Magnetostatics<Dim, Order, HostMemory> host;
    host.medium = medium.to_host(exec);
    host.element_nodes = host.medium.element_nodes;
    host.element_vertices = host.medium.element_vertices;
    host.coordinates = host.medium.coordinates;
    host.iterate = tessera::to_host(exec, iterate);
    visit_data(*this, host, detail::CopyToHost<ExecutionSpace>{exec});
    return host;
  }
  /// As in GeneralDiffusion.
  template <class Form, class Other, class Visit> static void visit_data(Form& form, Other& other, Visit&& visit) {
    Medium::visit_data(form.medium, other.medium, visit);
    visit(form.coil_density, other.coil_density);
    visit(form.remanence, other.remanence);
    visit(form.point_remanence, other.point_remanence);
    visit(form.magnets, other.magnets);
    visit(form.shell, other.shell);
    visit(form.curve, other.curve);
    visit(form.curve_across, other.curve_across);
    visit(form.curve_axis, other.curve_axis);
    visit(form.curves.offsets, other.curves.offsets);
    visit(form.curves.pieces, other.curves.pieces);
    visit(form.energy_at_rest, other.energy_at_rest);
  }

  /// Element matrix K (symmetric, both triangles) and load f of the Newton system.
  TESSERA_NOINLINE KOKKOS_FUNCTION void system(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes],
                                               double (&f)[n_nodes]) const {
    const group_t region = medium.regions(e);
    Triangle triangle = make_triangle(e, n);
    double A[n_nodes];
    load_iterate(region, n, A);
    for (int a = 0; a < n_nodes; ++a) {
      f[a] = 0.;
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] = 0.;
    }
    const int n_points = points_of(region);
    for (int q = 0; q < n_points; ++q) {
      const Point point = make_point(e, n, region, q, n_points, triangle);
      double T[3];
      double load[Dim];
      linearize(region, triangle, point, A, T, load);
      double G[n_nodes][Dim];
      for (int a = 0; a < n_nodes; ++a) {
        effective_gradient(a, triangle, point, G[a]);
        f[a] += load_term(shape(a, triangle, point), point, load, G[a]);
      }
      for (int a = 0; a < n_nodes; ++a)
        for (int b = a; b < n_nodes; ++b)
          K[a][b] += point.weight * product(T, G[a], G[b]);
    }
    medium.add_facets(e, n, triangle, K, f);
    for (int a = 0; a < n_nodes; ++a)
      for (int b = a + 1; b < n_nodes; ++b)
        K[b][a] = K[a][b];
  }

  /// Computes the row of local node a: k[b] couples it to node n[b]. Returns the load.
  TESSERA_NOINLINE KOKKOS_FUNCTION double row(index_t e, int a, index_t (&n)[n_nodes], double (&k)[n_nodes]) const {
    const group_t region = medium.regions(e);
    nodes(e, n);
    Triangle triangle = make_triangle(e, n);
    double A[n_nodes];
    load_iterate(region, n, A);
    double f = 0.;
    for (int b = 0; b < n_nodes; ++b)
      k[b] = 0.;
    const int n_points = points_of(region);
    for (int q = 0; q < n_points; ++q) {
      const Point point = make_point(e, n, region, q, n_points, triangle);
      double T[3];
      double load[Dim];
      linearize(region, triangle, point, A, T, load);
      double own[Dim];
      effective_gradient(a, triangle, point, own);
      f += load_term(shape(a, triangle, point), point, load, own);
      for (int b = 0; b < n_nodes; ++b) {
        double other[Dim];
        effective_gradient(b, triangle, point, other);
        k[b] += point.weight * product(T, own, other);
      }
    }
    medium.facet_row(e, a, n, triangle, k, f);
    return f;
  }

  /// Integral over the element of the energy density, the integral of H . dB from the state H = 0 to the current one;
  /// includes the energy outside asymptotic boundaries at its faces.
  KOKKOS_FUNCTION double energy(index_t e, const index_t (&n)[n_nodes], const double (&A)[n_nodes]) const {
    double product;
    return energies(e, n, A, product);
  }

  /// Integral of the coenergy density, the integral of B . dH from the state H = 0: H . B minus the energy density.
  KOKKOS_FUNCTION double coenergy(index_t e, const index_t (&n)[n_nodes], const double (&A)[n_nodes]) const {
    double product;
    const double energy = energies(e, n, A, product);
    return product - energy;
  }

  /// Derivative of the energy functional at A in the direction d: contribution of the element to the residual times d.
  TESSERA_NOINLINE KOKKOS_FUNCTION double slope(index_t e, const index_t (&n)[n_nodes], const double (&A)[n_nodes],
                                                const double (&d)[n_nodes]) const {
    const group_t region = medium.regions(e);
    Triangle triangle = make_triangle(e, n);
    double sum = 0.;
    const int n_points = points_of(region);
    for (int q = 0; q < n_points; ++q) {
      const Point point = make_point(e, n, region, q, n_points, triangle);
      double G[Dim];
      double direction[Dim];
      double H[Dim];
      combine(triangle, point, A, G);
      combine(triangle, point, d, direction);
      turned_strength(region, point, G, H);
      double value = 0.;
      for (int a = 0; a < n_nodes; ++a)
        value += d[a] * shape(a, triangle, point);
      sum += point.weight * (H[0] * direction[0] + H[1] * direction[1] - point.current * value);
    }
    sum += facet_product(e, n, triangle, A, d, true);
    return sum;
  }

  /// Integral of A (with the weight) times `density` of the region: flux linkage for a density of turns in 1/m^2.
  KOKKOS_FUNCTION double linkage(index_t e, const index_t (&n)[n_nodes], const double (&A)[n_nodes],
                                 double density) const {
    const group_t region = medium.regions(e);
    const int n_points = points_of(region);
    Triangle triangle = make_triangle(e, n);
    double sum = 0.;
    for (int q = 0; q < n_points; ++q) {
      const Point point = make_point(e, n, region, q, n_points, triangle);
      for (int a = 0; a < n_nodes; ++a)
        sum += point.weight * (A[a] * shape(a, triangle, point));
    }
    return density * sum;
  }

  /// B at a point of the element with A at its nodes. In a shell, B is that at the represented point of the exterior
  /// space.
  KOKKOS_FUNCTION void flux_density(index_t e, const index_t (&n)[n_nodes], const double (&lambda)[n_vertices],
                                    const double (&A)[n_nodes], double (&B)[Dim]) const {
    Triangle triangle = make_triangle(e, n);
    triangle.move_to(medium.coordinates.data(), n, lambda);
    double width = 0.;
    for (int k = 0; k < n_vertices; ++k)
      width = triangle.p[k][0] > width ? triangle.p[k][0] : width;
    Position position;
    for (int k = 0; k < n_vertices; ++k)
      position.lambda[k] = lambda[k];
    locate(triangle, position);
    double G[Dim];
    const bool on_axis = medium.axisymmetric && !(position.x[0] > 1e-10 * width);
    if (on_axis)
      position.inverse_radius = 0.;
    combine(triangle, position, A, G);
    if (on_axis &&
        !in_squares()) // A / r equals dA/dr there; in (r^2, z) only the radial component, which is 0, is omitted
      G[0] *= 2.;
    turn(G, B);
    to_space(medium.regions(e), position.x, B);
  }

  /// Converts B on the mesh, at the point x of a region, to B in space, which differs in shells.
  KOKKOS_FUNCTION void to_space(group_t region, const double (&x)[Dim], double (&B)[Dim]) const {
    if (!in_shell(region))
      return;
    double direction[Dim];
    double radius;
    shell_position(region, x, direction, radius);
    ShellMap{shell(region, 2), shell(region, 3)}.to_space(medium.axisymmetric, radius, direction, B);
  }

  /// `v`: in, B at the point x of the element; out, H there.
  KOKKOS_FUNCTION void field_strength(index_t e, const double (&x)[Dim], double (&v)[Dim]) const {
    const group_t region = medium.regions(e);
    double source[Dim];
    if (magnets.varies())
      magnets.evaluate(region, x[0], x[1], source);
    else
      for (int d = 0; d < Dim; ++d)
        source[d] = remanence_at(region, 0, d);
    if (is_directional(region)) {
      const double axis[Dim] = {curve_axis(region, 0), curve_axis(region, 1)};
      const DirectionalState state = directional_state(region, axis, v);
      for (int d = 0; d < Dim; ++d)
        v[d] = state.h[d];
      return;
    }
    if (is_nonlinear(region)) {
      const Reluctivity reluctivity = curves.reluctivity(curve(region), v[0] * v[0] + v[1] * v[1]);
      for (int d = 0; d < Dim; ++d)
        v[d] = reluctivity.nu * v[d] - source[d];
      return;
    }
    double mu[Dim];
    double off[Medium::n_pairs];
    medium.coefficient_at(e, x, mu, off);
    for (int d = 0; d < Dim; ++d)
      v[d] = (v[d] - source[d]) / mu[d];
  }

  /// H at a quadrature point of an element with nodal values A: turned, and in shells that of the mesh. Also sets the
  /// current density and the harmonic mean of the eigenvalues of the reluctivity tensor. Returns the weight of
  /// integrals.
  KOKKOS_FUNCTION double turned_flux(index_t e, const index_t (&n)[n_nodes], int q, const double (&A)[n_nodes],
                                     double (&H)[Dim], double& current, double& reluctivity) const {
    const group_t region = medium.regions(e);
    Triangle triangle = make_triangle(e, n);
    const Point point = make_point(e, n, region, q, volume_rule::n_points, triangle);
    double G[Dim];
    combine(triangle, point, A, G);
    turned_strength(region, point, G, H);
    current = point.current;
    if (is_nonlinear(region) && !is_directional(region)) {
      reluctivity = curves.reluctivity(curve(region), G[0] * G[0] + G[1] * G[1]).nu;
    } else {
      double T[3];
      double load[Dim];
      if (is_directional(region))
        linearize_by_direction(region, G, T, load);
      else
        linear_reluctivity(region, point, T);
      reluctivity = 2. * (T[0] * T[2] - T[1] * T[1]) / (T[0] + T[2]);
    }
    return point.weight;
  }

  /// Values of A's shape functions at the point x of an element, whose barycentric coordinates are lambda.
  KOKKOS_FUNCTION void shapes(index_t e, const index_t (&n)[n_nodes], const double (&x)[Dim],
                              const double (&lambda)[n_vertices], double (&values)[n_nodes]) const {
    Triangle triangle = make_triangle(e, n);
    Position position;
    double sum = 0.;
    for (int k = 1; k < n_vertices; ++k) {
      position.lambda[k] = lambda[k];
      if (in_squares())
        position.lambda[k] = triangle.grad_lambda[k][0] * (x[0] * x[0] - triangle.p[0][0] * triangle.p[0][0]) +
                             triangle.grad_lambda[k][1] * (x[1] - triangle.p[0][1]);
      sum += position.lambda[k];
    }
    position.lambda[0] = in_squares() ? 1. - sum : lambda[0];
    position.inverse_radius = medium.axisymmetric && x[0] > 0. ? 1. / x[0] : 0.;
    for (int a = 0; a < n_nodes; ++a)
      values[a] = shape(a, triangle, position);
  }

private:
  KOKKOS_FUNCTION bool is_nonlinear(group_t region) const { return curve.extent(0) > 0 && curve(region) >= 0; }
  /// Whether a nonlinear region has a curve for each of two directions.
  KOKKOS_FUNCTION bool is_directional(group_t region) const {
    return curve_across.extent(0) > 0 && curve_across(region) >= 0;
  }
  /// The state of a region with two curves at the vector v; `axis`: the first curve's direction. Results are in the
  /// frame of v.
  KOKKOS_FUNCTION DirectionalState directional_state(group_t region, const double (&axis)[Dim],
                                                     const double (&v)[Dim]) const {
    const double b[2] = {axis[0] * v[0] + axis[1] * v[1], axis[0] * v[1] - axis[1] * v[0]};
    const DirectionalState own = state_by_direction(curves, curve(region), curve_across(region), b);
    DirectionalState state;
    state.energy = own.energy;
    const double x = axis[0];
    const double y = axis[1];
    state.h[0] = x * own.h[0] - y * own.h[1];
    state.h[1] = y * own.h[0] + x * own.h[1];
    state.t[0] = x * x * own.t[0] - 2. * (x * y) * own.t[1] + y * y * own.t[2];
    state.t[1] = x * y * (own.t[0] - own.t[2]) + (x * x - y * y) * own.t[1];
    state.t[2] = y * y * own.t[0] + 2. * (x * y) * own.t[1] + x * x * own.t[2];
    return state;
  }
  /// The same in the frame of G.
  KOKKOS_FUNCTION DirectionalState turned_state(group_t region, const double (&G)[Dim]) const {
    const double x = curve_axis(region, 0);
    const double y = curve_axis(region, 1);
    const double axis[Dim] = {medium.axisymmetric ? y : -y, medium.axisymmetric ? -x : x};
    return directional_state(region, axis, G);
  }
  /// T, and T G - H.
  KOKKOS_FUNCTION void linearize_by_direction(group_t region, const double (&G)[Dim], double (&T)[3],
                                              double (&load)[Dim]) const {
    const DirectionalState state = turned_state(region, G);
    for (int k = 0; k < 3; ++k)
      T[k] = state.t[k];
    load[0] = T[0] * G[0] + T[1] * G[1] - state.h[0];
    load[1] = T[1] * G[0] + T[2] * G[1] - state.h[1];
  }
  KOKKOS_FUNCTION bool in_shell(group_t region) const { return shell.extent(0) > 0 && shell(region, 3) > 0.; }

  /// Rotates from the frame of G to that of B; the inverse is the same with the opposite sign.
  KOKKOS_FUNCTION void turn(const double (&g)[Dim], double (&b)[Dim]) const {
    b[0] = medium.axisymmetric ? -g[1] : g[1];
    b[1] = medium.axisymmetric ? g[0] : -g[0];
  }

  /// Whether A is interpolated in (r^2, z).
  KOKKOS_FUNCTION bool in_squares() const { return Order == 1 && medium.axisymmetric; }

  KOKKOS_FUNCTION Triangle make_triangle(index_t e, const index_t (&n)[n_nodes]) const {
    Triangle triangle;
    triangle.load(medium.coordinates.data(), n, medium.is_curved(e));
    if (in_squares()) {
      double p[n_vertices][Dim];
      for (int k = 0; k < n_vertices; ++k) {
        p[k][0] = triangle.p[k][0] * triangle.p[k][0];
        p[k][1] = triangle.p[k][1];
      }
      triangle.measure = fe::simplex_gradients(p, triangle.grad_lambda);
    }
    return triangle;
  }

  /// Sets the remaining members for a point whose barycentric coordinates are set.
  KOKKOS_FUNCTION void locate(const Triangle& triangle, Position& position) const {
    if (in_squares()) {
      double square = 0.;
      for (int k = 0; k < n_vertices; ++k)
        square += position.lambda[k] * (triangle.p[k][0] * triangle.p[k][0]);
      position.x[0] = std::sqrt(square);
    } else {
      position.x[0] = triangle.coordinate(0, position.lambda);
    }
    position.x[1] = triangle.coordinate(1, position.lambda);
    position.inverse_radius = medium.axisymmetric && position.x[0] > 0. ? 1. / position.x[0] : 0.;
  }

  /// Number of points at which an element's integrands are evaluated: only the centroid if they are linear (order 1,
  /// planar, data by region, no shell), else the points of the rule.
  KOKKOS_FUNCTION int points_of(group_t region) const {
    const bool is_linear = Order == 1 && !medium.axisymmetric && medium.point_coefficient.extent(0) == 0 &&
                           medium.point_source.extent(0) == 0 && point_remanence.extent(0) == 0 && !in_shell(region);
    return is_linear ? 1 : volume_rule::n_points;
  }

  /// Point q of `n_points`.
  KOKKOS_FUNCTION Point make_point(index_t e, const index_t (&n)[n_nodes], group_t region, int q, int n_points,
                                   Triangle& triangle) const {
    Point point;
    point.number = static_cast<std::int64_t>(e) * volume_rule::n_points + q;
    if (n_points == 1) {
      for (int k = 0; k < n_vertices; ++k)
        point.lambda[k] = 1. / n_vertices;
      for (int d = 0; d < Dim; ++d)
        point.permeability[d] = medium.coefficient(region, d);
      point.inverse_radius = 0.;
      point.weight = medium.factor * triangle.measure;
      point.current = medium.source(region) + coil_density(region);
      return point;
    }
    point.weight = medium.volume_point(e, n, q, triangle, point.lambda, point.permeability, point.current);
    locate(triangle, point);
    if (in_squares()) // 2 pi r dr dz = pi d(r^2) dz
      point.weight = volume_rule::point(q, point.lambda) * triangle.measure * (0.5 * medium.factor);
    point.current += coil_density(region);
    return point;
  }

  KOKKOS_FUNCTION void load_iterate(group_t region, const index_t (&n)[n_nodes], double (&A)[n_nodes]) const {
    const bool needed = is_nonlinear(region);
    for (int a = 0; a < n_nodes; ++a)
      A[a] = needed ? iterate(n[a]) : 0.;
  }

  KOKKOS_FUNCTION double shape(int a, const Triangle& triangle, const Position& position) const {
    return in_squares() ? triangle.p[a][0] * position.inverse_radius * position.lambda[a]
                        : element::value(a, position.lambda);
  }

  /// G of shape function a.
  KOKKOS_FUNCTION void effective_gradient(int a, const Triangle& triangle, const Position& position,
                                          double (&G)[Dim]) const {
    element::gradient(a, position.lambda, triangle.grad_lambda, G);
    if (in_squares()) {
      G[0] *= 2. * triangle.p[a][0];
      G[1] *= triangle.p[a][0] * position.inverse_radius;
    } else {
      G[0] += element::value(a, position.lambda) * position.inverse_radius;
    }
  }

  /// G of a function given at the nodes.
  KOKKOS_FUNCTION void combine(const Triangle& triangle, const Position& position, const double (&A)[n_nodes],
                               double (&G)[Dim]) const {
    G[0] = 0.;
    G[1] = 0.;
    for (int a = 0; a < n_nodes; ++a) {
      double own[Dim];
      effective_gradient(a, triangle, position, own);
      G[0] += A[a] * own[0];
      G[1] += A[a] * own[1];
    }
  }

  /// Differential reluctivity T (xx, xy, yy, turned) and T G - H at a point.
  KOKKOS_FUNCTION void linearize(group_t region, const Triangle& triangle, const Point& point,
                                 const double (&A)[n_nodes], double (&T)[3], double (&load)[Dim]) const {
    double source[Dim];
    turned_remanence(region, point, source);
    if (is_nonlinear(region)) {
      double G[Dim];
      combine(triangle, point, A, G);
      if (is_directional(region)) {
        linearize_by_direction(region, G, T, load);
        return;
      }
      const double square = G[0] * G[0] + G[1] * G[1];
      const Reluctivity reluctivity = curves.reluctivity(curve(region), square);
      const double slope = 2. * reluctivity.derivative;
      T[0] = reluctivity.nu + slope * (G[0] * G[0]);
      T[1] = slope * (G[0] * G[1]);
      T[2] = reluctivity.nu + slope * (G[1] * G[1]);
      load[0] = slope * square * G[0] + source[0];
      load[1] = slope * square * G[1] + source[1];
      return;
    }
    linear_reluctivity(region, point, T);
    load[0] = T[0] * source[0] + T[1] * source[1];
    load[1] = T[1] * source[0] + T[2] * source[1];
  }

  KOKKOS_FUNCTION double remanence_at(group_t region, std::int64_t point, int d) const {
    if (point_remanence.extent(0) > 0)
      return point_remanence(point, d);
    return remanence.extent(0) > 0 ? remanence(region, d) : 0.;
  }

  /// The remanence, or coercive field, in the frame of G.
  KOKKOS_FUNCTION void turned_remanence(group_t region, const Point& point, double (&g)[Dim]) const {
    const double x = remanence_at(region, point.number, 0);
    const double y = remanence_at(region, point.number, 1);
    g[0] = medium.axisymmetric ? y : -y;
    g[1] = medium.axisymmetric ? -x : x;
  }

  KOKKOS_FUNCTION void linear_reluctivity(group_t region, const Point& point, double (&T)[3]) const {
    // Turned: the x-component of G is the y-component of B.
    T[0] = 1. / point.permeability[1];
    T[1] = 0.;
    T[2] = 1. / point.permeability[0];
    if (!in_shell(region))
      return;
    double direction[Dim];
    double R;
    shell_position(region, point.x, direction, R);
    const double inner = shell(region, 2);
    const double outer = shell(region, 3);
    const double left = outer - R > 1e-12 * outer ? outer - R : 1e-12 * outer;
    const double scale = inner * (outer - inner);
    // Along and across the radius, in the frame of G (docs/theory.md, open boundaries).
    const double radial = medium.axisymmetric ? left * left / scale : left / R;
    const double tangential = medium.axisymmetric ? R * R / scale : R / left;
    const double nu = T[0];
    const double difference = radial - tangential;
    T[0] = nu * (tangential + difference * (direction[0] * direction[0]));
    T[1] = nu * (difference * (direction[0] * direction[1]));
    T[2] = nu * (tangential + difference * (direction[1] * direction[1]));
  }

  /// Unit vector from the shell's centre, and distance from it.
  KOKKOS_FUNCTION void shell_position(group_t region, const double (&x)[Dim], double (&direction)[Dim],
                                      double& R) const {
    for (int d = 0; d < Dim; ++d)
      direction[d] = x[d] - shell(region, d);
    R = std::sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    direction[0] /= R;
    direction[1] /= R;
  }

  /// H at G, turned.
  KOKKOS_FUNCTION void turned_strength(group_t region, const Point& point, const double (&G)[Dim],
                                       double (&H)[Dim]) const {
    if (is_directional(region)) {
      const DirectionalState state = turned_state(region, G);
      H[0] = state.h[0];
      H[1] = state.h[1];
      return;
    }
    double source[Dim];
    turned_remanence(region, point, source);
    if (is_nonlinear(region)) {
      const double nu = curves.reluctivity(curve(region), G[0] * G[0] + G[1] * G[1]).nu;
      H[0] = nu * G[0] - source[0];
      H[1] = nu * G[1] - source[1];
      return;
    }
    double T[3];
    linear_reluctivity(region, point, T);
    const double x = G[0] - source[0];
    const double y = G[1] - source[1];
    H[0] = T[0] * x + T[1] * y;
    H[1] = T[1] * x + T[2] * y;
  }

  /// Energy of the element and the integral of H . B, both including the space outside asymptotic boundaries.
  TESSERA_NOINLINE KOKKOS_FUNCTION double energies(index_t e, const index_t (&n)[n_nodes], const double (&A)[n_nodes],
                                                   double& product) const {
    const group_t region = medium.regions(e);
    Triangle triangle = make_triangle(e, n);
    double sum = 0.;
    product = 0.;
    const int n_points = points_of(region);
    for (int q = 0; q < n_points; ++q) {
      const Point point = make_point(e, n, region, q, n_points, triangle);
      double G[Dim];
      double H[Dim];
      combine(triangle, point, A, G);
      turned_strength(region, point, G, H);
      product += point.weight * (H[0] * G[0] + H[1] * G[1]);
      double source[Dim];
      turned_remanence(region, point, source);
      if (is_directional(region)) {
        sum += point.weight * turned_state(region, G).energy;
      } else if (is_nonlinear(region)) {
        const double of_curve = curves.energy(curve(region), G[0] * G[0] + G[1] * G[1]).energy;
        const double at_rest = energy_at_rest.extent(0) > 0 ? energy_at_rest(region) : 0.;
        sum += point.weight * (of_curve - (source[0] * G[0] + source[1] * G[1]) - at_rest);
      } else {
        sum += point.weight * 0.5 * (H[0] * (G[0] - source[0]) + H[1] * (G[1] - source[1]));
      }
    }
    const double outside = facet_product(e, n, triangle, A, A, false);
    product += outside;
    return sum + 0.5 * outside;
  }

  /// Products of d with the contributions of the element's facets to A (asymptotic conditions), minus their loads on
  /// request.
  KOKKOS_FUNCTION double facet_product(index_t e, const index_t (&n)[n_nodes], Triangle& triangle,
                                       const double (&A)[n_nodes], const double (&d)[n_nodes], bool with_loads) const {
    double sum = 0.;
    if (medium.element_facets.extent(0) == 0)
      return sum;
    double K[n_nodes][n_nodes];
    double f[n_nodes];
    for (int a = 0; a < n_nodes; ++a) {
      f[a] = 0.;
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] = 0.;
    }
    medium.add_facets(e, n, triangle, K, f); // the upper triangle
    for (int a = 0; a < n_nodes; ++a) {
      double residual = with_loads ? -f[a] : 0.;
      for (int b = 0; b < n_nodes; ++b)
        residual += (a < b ? K[a][b] : K[b][a]) * A[b];
      sum += d[a] * residual;
    }
    return sum;
  }

  KOKKOS_FUNCTION static double load_term(double value, const Point& point, const double (&load)[Dim],
                                          const double (&G)[Dim]) {
    return point.weight * (point.current * value + (load[0] * G[0] + load[1] * G[1]));
  }

  /// g . T h, with the same bits if g and h are exchanged.
  KOKKOS_FUNCTION static double product(const double (&T)[3], const double (&g)[Dim], const double (&h)[Dim]) {
    return T[0] * (g[0] * h[0]) + T[1] * (g[0] * h[1] + g[1] * h[0]) + T[2] * (g[1] * h[1]);
  }
};

} // namespace tessera::physics

#endif
