// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_DIFFUSION_FORM_HPP
#define TESSERA_PHYSICS_FORMS_DIFFUSION_FORM_HPP

/// \file
/// Weak form of -div(D grad u) = s with Neumann and Robin data, as device functors of one element.
///
///   a(u, v) = int D grad u . grad v + int_R alpha u v        l(v) = int s v + int_N g v + int_R alpha u0 v
///
/// In a step of time, with the derivative r (u - w) of a step method, storage adds int c r u v and int c r w v.
///
/// Integrals are weighted with the depth (planar) or 2 pi r (axisymmetric, x is the radius): entries of the matrix have
/// the unit of D times metres, and for electrostatics of the charge per volt.
///
/// A form computes the contributions of one element to the linear system. It is independent of storage, constraints and
/// signs of nodes. The interface for assembly is described in assembly/form.hpp. The forms of the library also have
///   n_elements(), nodes(e, n);
/// and, if has_vertex_rows, functions for rows that share data (RowState, own_position(), next_row() ...);
/// and for derived quantities energy(e, n, u) and, unless it has a vector potential, to_flux(e, x, v).

#include "core/kokkos_ext/compiler.hpp"
#include "fe/element_map.hpp"
#include "fe/quadrature.hpp"
#include "physics/expressions/dual_program.hpp"
#include "physics/forms/form_data.hpp"
#include "physics/forms/simplex_stiffness.hpp"
#include "physics/forms/tensor_program.hpp"

namespace tessera::physics {

/// Planar or 3D problems with one diagonal tensor and one source density per region: closed-form element matrices.
template <int Dim, int Order, class MemorySpace> struct UniformDiffusion {
  using memory_space = MemorySpace;
  using element = fe::Lagrange<Dim, Order>;
  static constexpr int dimension = Dim;
  static constexpr int order = Order;
  static constexpr int n_nodes = element::n_nodes;
  static constexpr int n_vertices = Dim + 1;
  static constexpr bool has_vector_potential = false;
  static constexpr bool has_vertex_rows = true; ///< rows are determined by region and vertices
  static constexpr bool has_signs = false;      ///< no antiperiodic boundaries

  Array<const index_t * [element::n_nodes], MemorySpace> element_nodes;
  Array<const index_t * [Dim + 1], MemorySpace> element_vertices;
  Array<const double* [Dim], MemorySpace> coordinates;     ///< of the vertices
  Array<const std::uint8_t*, MemorySpace> curved_elements; ///< always empty: the formulas are for affine elements
  Array<const group_t*, MemorySpace> regions;
  Array<const double* [Dim], MemorySpace> coefficient; ///< [n_regions][Dim], multiplied by the weight of integrals
  Array<const double*, MemorySpace> source;            ///< [n_regions], multiplied by the weight of integrals
  double depth = 1.;                                   ///< weight of integrals

  /// Data that the rows of one node in its elements share, carried from one to the next.
  struct RowState {
    fe::Point<Dim> point; ///< vertex 0 of the renumbered element: the node itself if it is a vertex
    group_t region;       ///< of the previous element
    double coefficient[Dim];
  };

  KOKKOS_FUNCTION index_t n_elements() const { return static_cast<index_t>(element_nodes.extent(0)); }
  KOKKOS_FUNCTION static constexpr bool is_curved(index_t) { return false; }

  /// Copies the form with its data to the host.
  template <class ExecutionSpace> UniformDiffusion<Dim, Order, HostMemory> to_host(const ExecutionSpace& exec) const {
    UniformDiffusion<Dim, Order, HostMemory> host;
    const detail::CopyToHost<ExecutionSpace> copy{exec};
    detail::visit_mesh(*this, host, copy);
    visit_data(*this, host, copy);
    return host;
  }
  /// Calls `visit` for the members that hold the problem's data, with those of another form of the kind.
  template <class Form, class Other, class Visit> static void visit_data(Form& form, Other& other, Visit&& visit) {
    visit(form.depth, other.depth);
    visit(form.coefficient, other.coefficient);
    visit(form.source, other.source);
  }

  /// The form on some of the elements; nodes keep their numbering.
  template <class ExecutionSpace>
  UniformDiffusion part(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& elements) const {
    UniformDiffusion form = *this;
    detail::gather_mesh(exec, form, elements);
    return form;
  }

  /// Uses a compile-time stride: the rows of this array are contiguous, which a view's run-time stride does not show.
  KOKKOS_FUNCTION index_t node(index_t e, int a) const {
    return element_nodes.data()[static_cast<std::int64_t>(e) * n_nodes + a];
  }

  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a)
      n[a] = node(e, a);
  }

  /// Element matrix K (symmetric, both triangles) and load f.
  KOKKOS_FUNCTION void system(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes],
                              double (&f)[n_nodes]) const {
    double G[n_vertices][n_vertices];
    double p[n_vertices][Dim];
    fe::load_vertices<element>(coordinates.data(), n, p);
    const group_t region = regions(e);
    const double measure = vertex_stiffness<Dim>(p, coefficient_of(region), G);
    for (int a = 0; a < n_nodes; ++a) {
      for (int b = a; b < n_nodes; ++b) {
        K[a][b] = stiffness_entry<Dim, Order>(G, a, b);
        K[b][a] = K[a][b];
      }
      f[a] = source(region) * measure * shape_integral<Dim, Order>(a);
    }
  }

  /// Nodes of the element in the order in which row() gives them for local node a.
  KOKKOS_FUNCTION void row_nodes(index_t e, int a, index_t (&n)[n_nodes]) const {
    TESSERA_UNROLL
    for (int i = 0; i < n_nodes; ++i)
      n[i] = row_node(e, a, i);
  }
  KOKKOS_FUNCTION index_t row_node(index_t e, int a, int i) const { return node(e, leading_node<Dim, Order>(a, i)); }

  /// Position of local node a itself in that order: a vertex is node 0, an edge's node follows the vertices.
  KOKKOS_FUNCTION static int own_position(int a) { return Order == 1 || a < n_vertices ? 0 : n_vertices; }

  /// Computes the row of local node a: k[b] couples it to node n[b]. Renumbers the element so that a comes first: then
  /// only its row is computed, with constant indices. Returns the load.
  KOKKOS_FUNCTION double row(index_t e, int a, index_t (&n)[n_nodes], double (&k)[n_nodes]) const {
    double p[n_vertices][Dim];
    row_nodes(e, a, n);
    fe::load_vertices<element>(coordinates.data(), n, p);
    const group_t region = regions(e);
    return vertex_row(own_position(a) == 0, region, coefficient_of(region), p, k);
  }

  /// The same for successive elements of a node, after start_row(): reads only the data that change.
  KOKKOS_FUNCTION double next_row(index_t e, int a, RowState& state, index_t (&n)[n_nodes],
                                  double (&k)[n_nodes]) const {
    double p[n_vertices][Dim];
    row_nodes(e, a, n);
    if (own_position(a) != 0)
      state.point = vertex(n[0]);
    TESSERA_UNROLL
    for (int i = 0; i < n_vertices; ++i) {
      const fe::Point<Dim> point = i == 0 ? state.point : vertex(n[element::vertex_node(i)]);
      for (int d = 0; d < Dim; ++d)
        p[i][d] = point.x[d];
    }
    if (state.region != regions(e))
      set_region(e, state);
    return vertex_row(own_position(a) == 0, state.region, state.coefficient, p, k);
  }
  KOKKOS_FUNCTION void start_row(index_t e, int a, RowState& state) const {
    state.point = vertex(row_node(e, a, 0));
    set_region(e, state);
  }

  /// The same from all vertices and the region's coefficient D.
  KOKKOS_FUNCTION double vertex_row(bool at_vertex, group_t region, const double* D, const double (&p)[n_vertices][Dim],
                                    double (&k)[n_nodes]) const {
    return at_vertex ? vertex_row<true>(region, D, p, k) : vertex_row<false>(region, D, p, k);
  }
  template <bool AtVertex>
  KOKKOS_FUNCTION double vertex_row(group_t region, const double* D, const double (&p)[n_vertices][Dim],
                                    double (&k)[n_nodes]) const {
    constexpr int own = AtVertex ? 0 : n_vertices;
    if constexpr (Order == 1) {
      double c[n_vertices][Dim];
      double weight[Dim];
      const double measure = weighted_normals<Dim>(p, D, c, weight);
      for (int d = 0; d < Dim; ++d)
        weight[d] *= c[0][d];
      k[0] = 0.;
      for (int b = 1; b < n_vertices; ++b) {
        double sum = 0.;
        for (int d = 0; d < Dim; ++d)
          sum += weight[d] * c[b][d];
        k[b] = sum;
        k[0] -= sum;
      }
      return source(region) * measure * shape_integral<Dim, 1>(own);
    } else {
      double G[n_vertices][n_vertices];
      const double measure = vertex_stiffness<Dim>(p, D, G);
      TESSERA_UNROLL
      for (int b = 0; b < n_nodes; ++b)
        k[b] = stiffness_entry<Dim, Order>(G, own, b);
      return source(region) * measure * shape_integral<Dim, Order>(own);
    }
  }

  KOKKOS_FUNCTION const fe::Point<Dim>& vertex(index_t node) const {
    return fe::point_at<Dim>(coordinates.data(), node);
  }

  KOKKOS_FUNCTION void set_region(index_t e, RowState& state) const {
    state.region = regions(e);
    for (int d = 0; d < Dim; ++d)
      state.coefficient[d] = coefficient_of(state.region)[d];
  }

  /// Diagonal of the tensor of a region, [Dim].
  KOKKOS_FUNCTION const double* coefficient_of(group_t region) const { return coefficient.data() + region * Dim; }

  /// Half the integral of D grad u . grad u over the element, from u at its nodes. Uses differences of u, and is never
  /// negative: a large constant in u, or a large D where u is nearly constant, causes no rounding error.
  KOKKOS_FUNCTION double energy(index_t e, const index_t (&n)[n_nodes], const double (&u)[n_nodes]) const {
    double G[n_vertices][n_vertices];
    double p[n_vertices][Dim];
    fe::load_vertices<element>(coordinates.data(), n, p);
    vertex_stiffness<Dim>(p, coefficient_of(regions(e)), G);
    double sum = 0.;
    for (int a = 1; a < n_nodes; ++a)
      for (int b = 1; b < n_nodes; ++b)
        sum += (u[a] - u[0]) * stiffness_entry<Dim, Order>(G, a, b) * (u[b] - u[0]);
    return sum < 0. ? 0. : 0.5 * sum; // NaN is returned as NaN
  }

  /// Residual r = K u - f of the element by differences of u: as rows of K sum to zero, a constant in u causes no
  /// rounding error.
  KOKKOS_FUNCTION void residual(index_t e, const index_t (&n)[n_nodes], const double (&u)[n_nodes],
                                double (&r)[n_nodes]) const {
    double K[n_nodes][n_nodes];
    double f[n_nodes];
    system(e, n, K, f);
    for (int a = 0; a < n_nodes; ++a) {
      r[a] = -f[a];
      for (int b = 1; b < n_nodes; ++b)
        r[a] += K[a][b] * (u[b] - u[0]);
    }
  }

  /// Weight of integrals at a point.
  template <class Map> KOKKOS_FUNCTION double integral_weight(const Map&, const double (&)[n_vertices]) const {
    return depth;
  }

  /// `v`: in, grad u anywhere in the element; out, the flux D grad u.
  KOKKOS_FUNCTION void to_flux(index_t e, const double (&)[Dim], double (&v)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      v[d] *= coefficient(regions(e), d) / depth;
  }

  /// Element matrix times x.
  KOKKOS_FUNCTION void apply(index_t e, const index_t (&n)[n_nodes], const double (&x)[n_nodes],
                             double (&y)[n_nodes]) const {
    if constexpr (Order == 1) {
      // Uses the flux D grad u instead of the matrix, at half the operations.
      double c[n_vertices][Dim];
      double weight[Dim];
      double p[n_vertices][Dim];
      fe::load_vertices<element>(coordinates.data(), n, p);
      weighted_normals<Dim>(p, coefficient_of(regions(e)), c, weight);
      double flux[Dim];
      for (int d = 0; d < Dim; ++d) {
        flux[d] = 0.;
        for (int k = 1; k < n_vertices; ++k)
          flux[d] += c[k][d] * (x[k] - x[0]);
        flux[d] *= weight[d];
      }
      double rest = 0.;
      for (int k = 1; k < n_vertices; ++k) {
        double sum = 0.;
        for (int d = 0; d < Dim; ++d)
          sum += c[k][d] * flux[d];
        y[k] = sum;
        rest += sum;
      }
      y[0] = -rest;
    } else {
      double G[n_vertices][n_vertices];
      double p[n_vertices][Dim];
      fe::load_vertices<element>(coordinates.data(), n, p);
      vertex_stiffness<Dim>(p, coefficient_of(regions(e)), G);
      for (int a = 0; a < n_nodes; ++a)
        y[a] = 0.;
      for (int a = 0; a < n_nodes; ++a) {
        y[a] += stiffness_entry<Dim, Order>(G, a, a) * x[a];
        for (int b = a + 1; b < n_nodes; ++b) {
          const double entry = stiffness_entry<Dim, Order>(G, a, b);
          y[a] += entry * x[b];
          y[b] += entry * x[a];
        }
      }
    }
  }
};

/// General form: axisymmetric problems, coefficients and sources that vary within a region (stored at quadrature
/// points), Neumann and Robin facets. Integrals by quadrature (fe::FormQuadrature, fe::FacetQuadrature).
template <int Dim, int Order, class MemorySpace> struct GeneralDiffusion {
  using memory_space = MemorySpace;
  using element = fe::Lagrange<Dim, Order>;
  using volume_rule = fe::FormQuadrature<Dim, Order>;
  using facet_rule = fe::FacetQuadrature<Dim>;
  using Map = fe::ElementMap<element>;
  static constexpr int dimension = Dim;
  static constexpr int order = Order;
  static constexpr int n_nodes = element::n_nodes;
  static constexpr int n_vertices = Dim + 1;
  static constexpr int n_pairs = Dim * (Dim - 1) / 2; ///< pairs of directions: xy, or xy, xz, yz
  static constexpr int n_entries = Dim + n_pairs;     ///< of a tensor
  static constexpr bool has_vector_potential = false;

  Array<const index_t * [element::n_nodes], MemorySpace> element_nodes;
  Array<const index_t * [Dim + 1], MemorySpace> element_vertices;
  Array<const double* [Dim], MemorySpace> coordinates;     ///< of the vertices; of all nodes if there are curved
                                                           ///< elements
  Array<const std::uint8_t*, MemorySpace> curved_elements; ///< fe::FunctionSpace; empty: all are affine
  Array<const group_t*, MemorySpace> regions;
  Array<const double* [Dim], MemorySpace> coefficient; ///< [n_regions][Dim]
  /// [n_regions][n_pairs], off-diagonal entries of symmetric tensors; empty if all are diagonal.
  Array<const double* [n_pairs], MemorySpace> off_diagonal;
  Array<const double*, MemorySpace> source; ///< [n_regions]
  bool axisymmetric = false;
  double factor = 1.; ///< depth, or 2 pi
  bool is_uniform =
      false; ///< planar with constant data by region: straight elements use closed formulas even if others are curved

  /// Values at quadrature points, [n_elements * volume_rule::n_points][Dim] and [...]; empty if the tables by region
  /// suffice.
  Array<const double* [Dim], MemorySpace> point_coefficient;
  Array<const double* [n_pairs], MemorySpace> point_off_diagonal;
  Array<double*, MemorySpace> point_source;
  TensorProgram<Dim, MemorySpace> tensor; ///< varying coefficients, for fluxes at other points
  /// If coefficients depend on the solution T (ThermalDiffusion), for fluxes at other points: T at all nodes, and for
  /// each region the entries of D, then the capacity. Else empty.
  Array<double*, MemorySpace> iterate;
  DualProgram<MemorySpace> programs;

  /// Storage in steps of time: the capacity times rate times (u - earlier) is taken away from the source. Empty:
  /// steady.
  Array<const double*, MemorySpace> capacity; ///< [n_regions], or values at quadrature points if it varies
  bool has_point_capacity = false;
  Array<double*, MemorySpace> rate;    ///< [1], 1/s; the owner may change it, as the next one
  Array<double*, MemorySpace> earlier; ///< at all nodes of the space

  /// Natural data: index of the facet at each face (opposite to a vertex) of each element, [n_elements][Dim + 1], -1:
  /// none; empty if the problem has no natural data.
  Array<const index_t * [Dim + 1], MemorySpace> element_facets;
  /// At the facets' quadrature points, [n_natural][facet_rule::n_points]: alpha, and g + alpha u0.
  Array<const double * [facet_rule::n_points], MemorySpace> facet_alpha;
  Array<const double * [facet_rule::n_points], MemorySpace> facet_load;

  KOKKOS_FUNCTION index_t n_elements() const { return static_cast<index_t>(element_nodes.extent(0)); }

  /// Copies the form with its data to the host.
  template <class ExecutionSpace> GeneralDiffusion<Dim, Order, HostMemory> to_host(const ExecutionSpace& exec) const {
    GeneralDiffusion<Dim, Order, HostMemory> host;
    const detail::CopyToHost<ExecutionSpace> copy{exec};
    detail::visit_mesh(*this, host, copy);
    visit_data(*this, host, copy);
    return host;
  }
  /// Calls `visit` for the members that hold the problem's data, with those of another form of the kind.
  template <class Form, class Other, class Visit> static void visit_data(Form& form, Other& other, Visit&& visit) {
    visit(form.axisymmetric, other.axisymmetric);
    visit(form.factor, other.factor);
    visit(form.is_uniform, other.is_uniform);
    visit(form.coefficient, other.coefficient);
    visit(form.off_diagonal, other.off_diagonal);
    visit(form.source, other.source);
    visit(form.point_coefficient, other.point_coefficient);
    visit(form.point_off_diagonal, other.point_off_diagonal);
    visit(form.point_source, other.point_source);
    visit(form.tensor, other.tensor);
    visit(form.iterate, other.iterate);
    visit(form.programs, other.programs);
    visit(form.capacity, other.capacity);
    visit(form.has_point_capacity, other.has_point_capacity);
    visit(form.rate, other.rate);
    visit(form.earlier, other.earlier);
    visit(form.element_facets, other.element_facets);
    visit(form.facet_alpha, other.facet_alpha);
    visit(form.facet_load, other.facet_load);
  }

  /// The form on some of the elements; nodes keep their numbering.
  template <class ExecutionSpace>
  GeneralDiffusion part(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& elements) const {
    GeneralDiffusion form = *this;
    detail::gather_mesh(exec, form, elements);
    form.point_coefficient = gather_rows(exec, point_coefficient, elements, volume_rule::n_points);
    form.point_off_diagonal = gather_rows(exec, point_off_diagonal, elements, volume_rule::n_points);
    form.point_source = gather_rows(exec, point_source, elements, volume_rule::n_points);
    if (has_point_capacity)
      form.capacity = gather_rows(exec, capacity, elements, volume_rule::n_points);
    form.element_facets = gather_rows(exec, element_facets, elements);
    return form;
  }

  /// Uses a compile-time stride: the rows of this array are contiguous, which a view's run-time stride does not show.
  KOKKOS_FUNCTION index_t node(index_t e, int a) const {
    return element_nodes.data()[static_cast<std::int64_t>(e) * n_nodes + a];
  }

  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a)
      n[a] = node(e, a);
  }

  KOKKOS_FUNCTION bool is_curved(index_t e) const {
    return Order == 2 && curved_elements.extent(0) > 0 && curved_elements(e) != 0;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION void system(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes],
                                               double (&f)[n_nodes]) const {
    Map map;
    map.load(coordinates.data(), n, is_curved(e));
    volume_system(e, n, map, K, f);
    add_storage(e, n, map, K, f);
    add_facets(e, n, map, K, f);
    complete(K);
  }

  /// Residual r = K u - f of the element, computed as in UniformDiffusion.
  TESSERA_NOINLINE KOKKOS_FUNCTION void residual(index_t e, const index_t (&n)[n_nodes], const double (&u)[n_nodes],
                                                 double (&r)[n_nodes]) const {
    double K[n_nodes][n_nodes];
    double f[n_nodes];
    Map map;
    map.load(coordinates.data(), n, is_curved(e));
    volume_system(e, n, map, K, f);
    complete(K);
    for (int a = 0; a < n_nodes; ++a) {
      r[a] = -f[a];
      for (int b = 1; b < n_nodes; ++b)
        r[a] += K[a][b] * (u[b] - u[0]);
    }
    for_each_storage_point(e, n, map, [&](double weight, const double(&N)[n_nodes]) {
      const double change = weight * change_at(n, N, u);
      for (int a = 0; a < n_nodes; ++a)
        r[a] += change * N[a];
    });
    if (element_facets.extent(0) == 0)
      return;
    for (int face = 0; face < n_vertices; ++face) {
      const index_t facet = element_facets(e, face);
      for (int q = 0; facet >= 0 && q < facet_rule::n_points; ++q) {
        double lambda[n_vertices];
        const double weight = facet_point(n, face, q, map, lambda);
        double value = 0.;
        for (int b = 0; b < n_nodes; ++b)
          value += u[b] * element::value(b, lambda);
        for (int a = 0; a < n_nodes; ++a)
          r[a] += weight * (facet_alpha(facet, q) * value - facet_load(facet, q)) * element::value(a, lambda);
      }
    }
  }

  /// Upper triangle of K and f without natural data.
  KOKKOS_FUNCTION void volume_system(index_t e, const index_t (&n)[n_nodes], Map& map, double (&K)[n_nodes][n_nodes],
                                     double (&f)[n_nodes]) const {
    if (has_closed_formula(e)) {
      double G[n_vertices][n_vertices];
      const double load = closed_stiffness(e, map, G);
      for (int a = 0; a < n_nodes; ++a) {
        for (int b = a; b < n_nodes; ++b)
          K[a][b] = stiffness_entry<Dim, Order>(G, a, b);
        f[a] = load * shape_integral<Dim, Order>(a);
      }
      return;
    }
    for (int a = 0; a < n_nodes; ++a) {
      f[a] = 0.;
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] = 0.;
    }
    for (int q = 0; q < volume_rule::n_points; ++q) {
      double lambda[n_vertices];
      double D[Dim];
      double s;
      const double weight = volume_point(e, n, q, map, lambda, D, s);
      const OffDiagonal off = off_diagonal_at(e, q);
      double gradient[n_nodes][Dim];
      for (int a = 0; a < n_nodes; ++a) {
        element::gradient(a, lambda, map.grad_lambda, gradient[a]);
        f[a] += weight * s * element::value(a, lambda);
      }
      for (int a = 0; a < n_nodes; ++a)
        for (int b = a; b < n_nodes; ++b)
          K[a][b] += weight * flux_product(D, off, gradient[a], gradient[b]);
    }
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION double row(index_t e, int a, index_t (&n)[n_nodes], double (&k)[n_nodes]) const {
    nodes(e, n);
    Map map;
    map.load(coordinates.data(), n, is_curved(e));
    if (has_closed_formula(e)) {
      double G[n_vertices][n_vertices];
      double load = closed_stiffness(e, map, G) * shape_integral<Dim, Order>(a);
      for (int b = 0; b < n_nodes; ++b) // the order of system(), for the same bits
        k[b] = stiffness_entry<Dim, Order>(G, a < b ? a : b, a < b ? b : a);
      storage_row(e, a, n, map, k, load);
      facet_row(e, a, n, map, k, load);
      return load;
    }
    double load = 0.;
    for (int b = 0; b < n_nodes; ++b)
      k[b] = 0.;
    for (int q = 0; q < volume_rule::n_points; ++q) {
      double lambda[n_vertices];
      double D[Dim];
      double s;
      const double weight = volume_point(e, n, q, map, lambda, D, s);
      const OffDiagonal off = off_diagonal_at(e, q);
      double own[Dim];
      element::gradient(a, lambda, map.grad_lambda, own);
      load += weight * s * element::value(a, lambda);
      for (int b = 0; b < n_nodes; ++b) {
        double other[Dim];
        element::gradient(b, lambda, map.grad_lambda, other);
        k[b] += weight * flux_product(D, off, own, other);
      }
    }
    storage_row(e, a, n, map, k, load);
    facet_row(e, a, n, map, k, load);
    return load;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION double energy(index_t e, const index_t (&n)[n_nodes],
                                                 const double (&u)[n_nodes]) const {
    Map map;
    map.load(coordinates.data(), n, is_curved(e));
    double sum = 0.;
    for (int q = 0; q < volume_rule::n_points; ++q) {
      double lambda[n_vertices];
      double D[Dim];
      double s;
      const double weight = volume_point(e, n, q, map, lambda, D, s);
      double gradient[Dim] = {};
      for (int a = 0; a < n_nodes; ++a) {
        double own[Dim];
        element::gradient(a, lambda, map.grad_lambda, own);
        for (int d = 0; d < Dim; ++d)
          gradient[d] += (u[a] - u[0]) * own[d];
      }
      sum += weight * flux_product(D, off_diagonal_at(e, q), gradient, gradient);
    }
    return 0.5 * sum;
  }

  /// The coefficient at the point x of an element: its diagonal and off-diagonal entries.
  KOKKOS_FUNCTION void coefficient_at(index_t e, const double (&x)[Dim], double (&D)[Dim],
                                      double (&off)[n_pairs]) const {
    const group_t region = regions(e);
    for (int i = 0; i < n_pairs; ++i)
      off[i] = has_tensors() ? off_diagonal(region, i) : 0.;
    if (tensor.varies())
      tensor.evaluate(region, x, D, off);
    else
      for (int d = 0; d < Dim; ++d)
        D[d] = coefficient(region, d);
  }

  /// The same where it depends on the solution, at the temperature of the iterate.
  TESSERA_NOINLINE KOKKOS_FUNCTION void coefficient_at_iterate(index_t e, const double (&x)[Dim], double (&D)[Dim],
                                                               double (&off)[n_pairs]) const {
    index_t n[n_nodes];
    nodes(e, n);
    Map map;
    map.load(coordinates.data(), n, false);
    double lambda[n_vertices];
    for (int k = 0; k < n_vertices; ++k) { // of the straight element, whose coordinates are linear
      lambda[k] = 1. / n_vertices;
      for (int d = 0; d < Dim; ++d) {
        double middle = 0.;
        for (int l = 0; l < n_vertices; ++l)
          middle += map.p[l][d] * (1. / n_vertices);
        lambda[k] += map.grad_lambda[k][d] * (x[d] - middle);
      }
    }
    double T = 0.;
    for (int a = 0; a < n_nodes; ++a)
      T += iterate(n[a]) * element::value(a, lambda);
    const group_t region = regions(e);
    for (int d = 0; d < Dim; ++d)
      D[d] = entry(region, d, x, T).value;
    for (int i = 0; i < n_pairs; ++i)
      off[i] = has_tensors() ? entry(region, Dim + i, x, T).value : 0.;
  }

  /// Entry i of D, or the capacity for i = n_entries, of a region at temperature T, if they depend on it.
  KOKKOS_FUNCTION Dual entry(group_t region, int i, const double (&x)[Dim], double T) const {
    return programs(region * (n_entries + 1) + i, x[0], x[1], Dim == 3 ? x[Dim - 1] : 0., T);
  }

  /// `v`: in, grad u at the point x of the element; out, the flux D grad u there.
  KOKKOS_FUNCTION void to_flux(index_t e, const double (&x)[Dim], double (&v)[Dim]) const {
    double D[Dim];
    double off[n_pairs];
    if (iterate.extent(0) > 0)
      coefficient_at_iterate(e, x, D, off);
    else
      coefficient_at(e, x, D, off);
    double flux[Dim];
    for (int d = 0; d < Dim; ++d)
      flux[d] = D[d] * v[d];
    for (int i = 0; has_tensors() && i < n_pairs; ++i) {
      flux[first_of(i)] += off[i] * v[second_of(i)];
      flux[second_of(i)] += off[i] * v[first_of(i)];
    }
    for (int d = 0; d < Dim; ++d)
      v[d] = flux[d];
  }

  /// Whether the closed formulas of UniformDiffusion hold in an element.
  KOKKOS_FUNCTION bool has_closed_formula(index_t e) const { return Order == 2 && is_uniform && !is_curved(e); }

  /// G of vertex_stiffness() with the weight of integrals; returns the integral of the source.
  KOKKOS_FUNCTION double closed_stiffness(index_t e, const Map& map, double (&G)[n_vertices][n_vertices]) const {
    const group_t region = regions(e);
    double D[Dim];
    for (int d = 0; d < Dim; ++d)
      D[d] = factor * coefficient(region, d);
    return vertex_stiffness<Dim>(map.p, D, G) * factor * source(region);
  }

  /// Completes the lower triangle.
  KOKKOS_FUNCTION static void complete(double (&K)[n_nodes][n_nodes]) {
    for (int a = 0; a < n_nodes; ++a)
      for (int b = a + 1; b < n_nodes; ++b)
        K[b][a] = K[a][b];
  }

  KOKKOS_FUNCTION bool has_storage() const { return rate.extent(0) > 0; }

  /// Calls `body(weight, N)` at each point of the rule if there is storage, with the weight of integrals times capacity
  /// and rate, and the shape functions.
  template <class Body>
  KOKKOS_FUNCTION void for_each_storage_point(index_t e, const index_t (&n)[n_nodes], Map& map,
                                              const Body& body) const {
    if (!has_storage())
      return;
    const double r = rate(0);
    for (int q = 0; q < volume_rule::n_points; ++q) {
      double lambda[n_vertices];
      double N[n_nodes];
      const double fraction = volume_rule::point(q, lambda);
      map.move_to(coordinates.data(), n, lambda);
      for (int a = 0; a < n_nodes; ++a)
        N[a] = element::value(a, lambda);
      const std::int64_t at =
          has_point_capacity ? static_cast<std::int64_t>(e) * volume_rule::n_points + q : std::int64_t{regions(e)};
      body(fraction * map.measure * integral_weight(map, lambda) * (r * capacity(at)), N);
    }
  }

  /// Sum of N times the change since the earlier values.
  KOKKOS_FUNCTION double change_at(const index_t (&n)[n_nodes], const double (&N)[n_nodes],
                                   const double (&u)[n_nodes]) const {
    double change = 0.;
    for (int b = 0; b < n_nodes; ++b)
      change += (u[b] - earlier(n[b])) * N[b];
    return change;
  }

  /// Adds storage to the upper triangle of K and to f.
  KOKKOS_FUNCTION void add_storage(index_t e, const index_t (&n)[n_nodes], Map& map, double (&K)[n_nodes][n_nodes],
                                   double (&f)[n_nodes]) const {
    const double zero[n_nodes] = {};
    for_each_storage_point(e, n, map, [&](double weight, const double(&N)[n_nodes]) {
      const double before = -change_at(n, N, zero);
      for (int a = 0; a < n_nodes; ++a) {
        f[a] += weight * before * N[a];
        for (int b = a; b < n_nodes; ++b)
          K[a][b] += weight * (N[a] * N[b]);
      }
    });
  }

  /// The same for the row of local node a and its load.
  KOKKOS_FUNCTION void storage_row(index_t e, int a, const index_t (&n)[n_nodes], Map& map, double (&k)[n_nodes],
                                   double& load) const {
    const double zero[n_nodes] = {};
    for_each_storage_point(e, n, map, [&](double weight, const double(&N)[n_nodes]) {
      load += weight * -change_at(n, N, zero) * N[a];
      for (int b = 0; b < n_nodes; ++b)
        k[b] += weight * (N[a] * N[b]);
    });
  }

  /// Rate at which the element stores, from u at its nodes: the integral of capacity times rate times (u - earlier).
  KOKKOS_FUNCTION double stored(index_t e, const index_t (&n)[n_nodes], const double (&u)[n_nodes]) const {
    Map map;
    map.load(coordinates.data(), n, is_curved(e));
    double sum = 0.;
    for_each_storage_point(e, n, map,
                           [&](double weight, const double(&N)[n_nodes]) { sum += weight * change_at(n, N, u); });
    return sum;
  }

  /// Adds the natural data of the element's faces to the upper triangle of K and to f.
  KOKKOS_FUNCTION void add_facets(index_t e, const index_t (&n)[n_nodes], Map& map, double (&K)[n_nodes][n_nodes],
                                  double (&f)[n_nodes]) const {
    if (element_facets.extent(0) == 0)
      return;
    for (int face = 0; face < n_vertices; ++face) {
      const index_t facet = element_facets(e, face);
      if (facet < 0)
        continue;
      for (int q = 0; q < facet_rule::n_points; ++q) {
        double lambda[n_vertices];
        const double weight = facet_point(n, face, q, map, lambda);
        for (int a = 0; a < n_nodes; ++a) {
          const double value = element::value(a, lambda);
          f[a] += weight * facet_load(facet, q) * value;
          for (int b = a; b < n_nodes; ++b)
            K[a][b] += weight * facet_alpha(facet, q) * (value * element::value(b, lambda));
        }
      }
    }
  }

  /// The same for the row of local node a and its load.
  KOKKOS_FUNCTION void facet_row(index_t e, int a, const index_t (&n)[n_nodes], Map& map, double (&k)[n_nodes],
                                 double& load) const {
    if (element_facets.extent(0) == 0)
      return;
    for (int face = 0; face < n_vertices; ++face) {
      const index_t facet = element_facets(e, face);
      if (facet < 0)
        continue;
      for (int q = 0; q < facet_rule::n_points; ++q) {
        double lambda[n_vertices];
        const double weight = facet_point(n, face, q, map, lambda);
        const double value = element::value(a, lambda);
        load += weight * facet_load(facet, q) * value;
        for (int b = 0; b < n_nodes; ++b)
          k[b] += weight * facet_alpha(facet, q) * (value * element::value(b, lambda));
      }
    }
  }

  /// Moves to a point; sets its barycentric coordinates, coefficient and source, and returns its weight.
  KOKKOS_FUNCTION double volume_point(index_t e, const index_t (&n)[n_nodes], int q, Map& map,
                                      double (&lambda)[n_vertices], double (&D)[Dim], double& s) const {
    const double fraction = volume_rule::point(q, lambda);
    map.move_to(coordinates.data(), n, lambda);
    const double weight = fraction * map.measure * integral_weight(map, lambda);
    const std::int64_t point = static_cast<std::int64_t>(e) * volume_rule::n_points + q;
    const group_t region = regions(e);
    for (int d = 0; d < Dim; ++d)
      D[d] = point_coefficient.extent(0) > 0 ? point_coefficient(point, d) : coefficient(region, d);
    s = point_source.extent(0) > 0 ? point_source(point) : source(region);
    return weight;
  }

  /// Moves to a facet's quadrature point; sets its barycentric coordinates (in the element), and returns its weight.
  KOKKOS_FUNCTION double facet_point(const index_t (&n)[n_nodes], int face, int q, Map& map,
                                     double (&lambda)[n_vertices]) const {
    double on_facet[Dim];
    const double weight = facet_rule::point(q, on_facet);
    lambda[face] = 0.;
    for (int k = 0; k < Dim; ++k)
      lambda[(face + 1 + k) % n_vertices] = on_facet[k];
    map.move_to(coordinates.data(), n, lambda);
    return weight * map.facet_size(face) * integral_weight(map, lambda);
  }

  /// Weight of integrals at a point: depth, or 2 pi r.
  KOKKOS_FUNCTION double integral_weight(const Map& map, const double (&lambda)[n_vertices]) const {
    return axisymmetric ? factor * map.coordinate(0, lambda) : factor;
  }

  /// Off-diagonal entries of a tensor.
  struct OffDiagonal {
    double entry[n_pairs];
  };
  KOKKOS_FUNCTION static constexpr int first_of(int pair) { return pair < Dim - 1 ? 0 : 1; }
  KOKKOS_FUNCTION static constexpr int second_of(int pair) { return pair < Dim - 1 ? pair + 1 : 2; }
  KOKKOS_FUNCTION bool has_tensors() const { return off_diagonal.extent(0) > 0; }

  KOKKOS_FUNCTION OffDiagonal off_diagonal_at(index_t e, int q) const {
    OffDiagonal off{};
    if (has_tensors()) {
      const std::int64_t point = static_cast<std::int64_t>(e) * volume_rule::n_points + q;
      for (int i = 0; i < n_pairs; ++i)
        off.entry[i] = point_off_diagonal.extent(0) > 0 ? point_off_diagonal(point, i) : off_diagonal(regions(e), i);
    }
    return off;
  }

  /// g . D h; the off-diagonal part has the same bits if g and h are exchanged.
  KOKKOS_FUNCTION double flux_product(const double (&D)[Dim], const OffDiagonal& off, const double (&g)[Dim],
                                      const double (&h)[Dim]) const {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += D[d] * g[d] * h[d];
    if (has_tensors())
      for (int i = 0; i < n_pairs; ++i)
        sum += off.entry[i] * (g[first_of(i)] * h[second_of(i)] + g[second_of(i)] * h[first_of(i)]);
    return sum;
  }
};

} // namespace tessera::physics

#endif
