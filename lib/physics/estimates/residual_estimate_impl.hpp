// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_RESIDUAL_ESTIMATE_IMPL_HPP
#define TESSERA_PHYSICS_ESTIMATES_RESIDUAL_ESTIMATE_IMPL_HPP

/// \file
/// Definition of physics/estimates/residual_estimate.hpp: included only by the generated instantiations.
///
/// A first pass over the elements projects their fluxes and computes the interior residuals, a second one those at
/// their faces, each inner face from both sides: nothing is added across elements, so that the result is deterministic.

#include "physics/estimates/recovery_impl.hpp"
#include "physics/estimates/residual_estimate.hpp"

namespace tessera::physics {

namespace detail {

/// L2 projection over a simplex of values at the points of the form's rule onto the polynomials of the elements:
/// coefficients of their nodes.
template <int Dim, int Order> struct Projection {
  using element = fe::Lagrange<Dim, Order>;
  using rule = fe::FormQuadrature<Dim, Order>;
  static constexpr int n = element::n_nodes;
  double entry[n][rule::n_points];

  Projection() {
    double mass[n][n] = {};
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double weight = rule::point(q, lambda);
      for (int a = 0; a < n; ++a) {
        entry[a][q] = weight * element::value(a, lambda);
        for (int b = 0; b < n; ++b)
          mass[a][b] += entry[a][q] * element::value(b, lambda);
      }
    }
    for (int c = 0; c < n; ++c) // Gauss-Jordan; the matrix is positive definite
      for (int r = 0; r < n; ++r) {
        if (r == c)
          continue;
        const double factor = mass[r][c] / mass[c][c];
        for (int b = 0; b < n; ++b)
          mass[r][b] -= factor * mass[c][b];
        for (int q = 0; q < rule::n_points; ++q)
          entry[r][q] -= factor * entry[c][q];
      }
    for (int r = 0; r < n; ++r)
      for (int q = 0; q < rule::n_points; ++q)
        entry[r][q] /= mass[r][r];
  }
};

/// Flux, source and material at a quadrature point.
template <int Dim> struct FluxPoint {
  double weight; ///< weight of integrals
  double flux[Dim];
  double source;
  double material; ///< harmonic mean of the eigenvalues of the tensor
};

/// Harmonic mean of the eigenvalues: dimension / trace of the inverse. It lies between the smallest eigenvalue and Dim
/// times that.
KOKKOS_INLINE_FUNCTION double harmonic_mean(const double (&D)[2], const double (&off)[1]) {
  return 2. * (D[0] * D[1] - off[0] * off[0]) / (D[0] + D[1]);
}
KOKKOS_INLINE_FUNCTION double harmonic_mean(const double (&D)[3], const double (&off)[3]) { // xy, xz, yz
  const double yz = D[1] * D[2] - off[2] * off[2];
  const double xz = D[0] * D[2] - off[1] * off[1];
  const double xy = D[0] * D[1] - off[0] * off[0];
  const double determinant =
      D[0] * yz - off[0] * (off[0] * D[2] - off[2] * off[1]) + off[1] * (off[0] * off[2] - D[1] * off[1]);
  return 3. * determinant / (yz + xz + xy);
}

/// Moves an element to a quadrature point and evaluates there.
template <class Form>
KOKKOS_INLINE_FUNCTION void flux_point(const Form& form, index_t e, int q, LocalField<Form>& local,
                                       double (&lambda)[Form::dimension + 1], FluxPoint<Form::dimension>& point) {
  constexpr int Dim = Form::dimension;
  if constexpr (Form::has_vector_potential) {
    fe::FormQuadrature<Dim, Form::element::order>::point(q, lambda);
    local.move_to(lambda);
    point.weight = form.turned_flux(e, local.n, q, local.u, point.flux, point.source, point.material);
  } else if constexpr (is_general<Form>) {
    double D[Dim];
    point.weight = form.volume_point(e, local.n, q, local.map, lambda, D, point.source);
    double gradient[Dim];
    local.gradient(lambda, gradient);
    const auto off = form.off_diagonal_at(e, q);
    for (int d = 0; d < Dim; ++d)
      point.flux[d] = D[d] * gradient[d];
    for (int i = 0; i < Form::n_pairs; ++i) {
      point.flux[Form::first_of(i)] += off.entry[i] * gradient[Form::second_of(i)];
      point.flux[Form::second_of(i)] += off.entry[i] * gradient[Form::first_of(i)];
    }
    point.material = harmonic_mean(D, off.entry);
  } else {
    point.weight = fe::FormQuadrature<Dim, Form::element::order>::point(q, lambda) * local.map.measure * form.depth;
    local.gradient(lambda, point.flux);
    const double anywhere[Dim] = {};
    form.to_flux(e, anywhere, point.flux);
    point.source = form.source(form.regions(e)) / form.depth;
    double D[Dim];
    const double off[Dim * (Dim - 1) / 2] = {};
    for (int d = 0; d < Dim; ++d)
      D[d] = 1.;
    form.to_flux(e, anywhere, D);
    point.material = harmonic_mean(D, off);
  }
}

template <int Dim> KOKKOS_INLINE_FUNCTION double squared_distance(const double (&p)[Dim], const double (&q)[Dim]) {
  double sum = 0.;
  for (int d = 0; d < Dim; ++d)
    sum += (p[d] - q[d]) * (p[d] - q[d]);
  return sum;
}

/// Square of the longest edge of an element, or of its face opposite to a vertex.
template <int Dim> KOKKOS_INLINE_FUNCTION double squared_diameter(const double (&p)[Dim + 1][Dim], int apex = -1) {
  double longest = 0.;
  for (int k = 0; k <= Dim; ++k)
    for (int l = 0; l < k; ++l)
      if (k != apex && l != apex) {
        const double square = squared_distance<Dim>(p[k], p[l]);
        longest = square > longest ? square : longest;
      }
  return longest;
}

/// Element data for the residuals at faces.
template <class Form> struct ElementFluxes {
  static constexpr int Dim = Form::dimension;
  /// Gradients of order 1 times a constant are the same at all nodes.
  static constexpr bool is_constant = ElementFields<Form>::is_constant && !is_general<Form>;
  static constexpr int n_values = is_constant ? 1 : Form::n_nodes;
  using Space = typename Form::memory_space;
  Array<double* [n_values][Dim], Space> flux; ///< projected, at the nodes of each element
  Array<double*, Space> material;             ///< a_K

  KOKKOS_FUNCTION double at(index_t e, int a, int d) const { return flux(e, is_constant ? 0 : a, d); }
};

/// The residual within an element: eta_K^2 without faces. Sums the squared norm of the field.
///
/// Traffic of all elements: nodes, coordinates, potentials and material read, projected fluxes written.
template <class Form> struct SumInnerResiduals {
  static constexpr int Dim = Form::dimension;
  static constexpr int n_nodes = Form::n_nodes;
  using rule = fe::FormQuadrature<Dim, Form::element::order>;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Projection<Dim, Form::element::order> projection;
  ElementFluxes<Form> fluxes;
  Array<double*, typename Form::memory_space> squares;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    LocalField<Form> local(form, e, nodal);
    const double square = squared_diameter<Dim>(local.map.p);
    double flux[n_nodes][Dim] = {};
    double source[rule::n_points];
    double weight[rule::n_points];
    double material = 0.;
    term[0] = 0.;
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      FluxPoint<Dim> point;
      flux_point(form, e, q, local, lambda, point);
      for (int a = 0; a < n_nodes; ++a)
        for (int d = 0; d < Dim; ++d)
          flux[a][d] += projection.entry[a][q] * point.flux[d];
      source[q] = point.source;
      weight[q] = point.weight;
      material += point.material / rule::n_points;
      double v[Dim];
      double own[Dim];
      double zero[Dim] = {};
      local.vector(form, e, lambda, v);
      for (int d = 0; d < Dim; ++d)
        own[d] = v[d];
      flux_of(form, e, local, lambda, own);
      flux_of(form, e, local, lambda, zero); // the flux of magnets without field
      for (int d = 0; d < Dim; ++d)
        term[0] += point.weight * v[d] * (own[d] - zero[d]);
    }
    double sum = 0.;
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      rule::point(q, lambda);
      local.move_to(lambda);
      const double residual = source[q] + divergence(local, lambda, flux);
      sum += weight[q] * residual * residual;
    }
    for (int a = 0; a < ElementFluxes<Form>::n_values; ++a)
      for (int d = 0; d < Dim; ++d)
        fluxes.flux(e, a, d) = flux[a][d];
    fluxes.material(e) = material;
    squares(e) = residual_weight(Form::element::order) * square / material * sum;
  }

private:
  KOKKOS_FUNCTION double divergence(const LocalField<Form>& local, const double (&lambda)[Dim + 1],
                                    const double (&flux)[n_nodes][Dim]) const {
    double sum = 0.;
    double radial = 0.;
    for (int a = 0; a < n_nodes; ++a) {
      double gradient[Dim];
      Form::element::gradient(a, lambda, local.map.grad_lambda, gradient);
      for (int d = 0; d < Dim; ++d)
        sum += gradient[d] * flux[a][d];
      radial += Form::element::value(a, lambda) * flux[a][0];
    }
    // With an axis div F = dF_r/dr + F_r/r + dF_z/dz; the curl of H has no such term.
    if constexpr (!Form::has_vector_potential)
      if (!is_planar(form))
        sum += radial / local.map.coordinate(0, lambda);
    return sum;
  }
};

/// Adds the residuals at the faces of an element to its square; the reduction term is the square.
///
/// Traffic of all elements: nodes, coordinates, neighbours, fluxes of the element and of its neighbours.
template <class Form> struct SumFaceResiduals {
  static constexpr int Dim = Form::dimension;
  static constexpr int n_nodes = Form::n_nodes;
  using Space = typename Form::memory_space;
  using rule = fe::FacetQuadrature<Dim>;
  Form form;
  Array<const double*, Space> nodal;
  mesh::DualGraph<Dim, Space> neighbours;
  FaceConditions<Form> conditions;
  ElementFluxes<Form> fluxes;
  double scale; ///< of all squares
  Array<double*, Space> squares;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    LocalField<Form> local(form, e, nodal);
    double sum = squares(e);
    for (int apex = 0; apex <= Dim; ++apex)
      sum += at_face(e, apex, local);
    squares(e) = scale * sum;
    term[0] = scale * sum;
  }

private:
  KOKKOS_FUNCTION double at_face(index_t e, int apex, LocalField<Form>& local) const {
    const offset_t side = neighbours.across(e, apex);
    const auto other = static_cast<index_t>(side < 0 ? -1 : side / (Dim + 1));
    const int other_apex = side < 0 ? 0 : static_cast<int>(side - static_cast<offset_t>(other) * (Dim + 1));
    index_t face[Dim];
    for (int k = 0, n = 0; k <= Dim; ++k)
      if (k != apex)
        face[n++] = local.n[k];
    if (side < 0 ? conditions.are_all_bound(face) : conditions.is_held(face))
      return 0.;
    double jump[n_nodes][Dim] = {};
    for (int a = 0; a < n_nodes; ++a)
      if (is_on_face<Dim>(a, apex))
        for (int d = 0; d < Dim; ++d)
          jump[a][d] = fluxes.at(e, a, d);
    double material = fluxes.material(e);
    if (side >= 0) {
      const double beyond = fluxes.material(other);
      material = beyond > material ? beyond : material;
      subtract(local, apex, other, jump);
    }
    const double facet = squared_diameter<Dim>(local.map.p, apex);
    const double factor = (side < 0 ? 1. : 0.5) * std::sqrt(facet) / material;
    double sum = 0.;
    const bool is_natural =
        natural_facet(form, e, apex) >= 0 || (side >= 0 && natural_facet(form, other, other_apex) >= 0);
    if (Form::element::order == 1 && is_planar(form) && !is_natural)
      return factor * linear_jump(local, apex, jump);
    for (int q = 0; q < rule::n_points; ++q) {
      double on_facet[Dim];
      double lambda[Dim + 1];
      const double fraction = rule::point(q, on_facet);
      lambda[apex] = 0.;
      for (int k = 0; k < Dim; ++k)
        lambda[(apex + 1 + k) % (Dim + 1)] = on_facet[k];
      local.move_to(lambda);
      const double weight = fraction * local.map.facet_size(apex) * form.integral_weight(local.map, lambda);
      double residual = 0.;
      double length = 0.;
      for (int d = 0; d < Dim; ++d)
        length += local.map.grad_lambda[apex][d] * local.map.grad_lambda[apex][d];
      for (int a = 0; a < n_nodes; ++a)
        if (is_on_face<Dim>(a, apex)) {
          const double shape = Form::element::value(a, lambda);
          for (int d = 0; d < Dim; ++d)
            residual -= shape * jump[a][d] * local.map.grad_lambda[apex][d]; // the normal points away from the vertex
        }
      residual /= std::sqrt(length);
      const double u = local.value(lambda);
      residual -= natural_flux(e, apex, lambda, local.n, u);
      if (side >= 0)
        residual -= natural_flux(other, other_apex, lambda, local.n, u);
      sum += weight * residual * residual;
    }
    return factor * sum;
  }

  /// Integral of the square of a jump that is linear on a straight face: by the mass matrix of the face, whose entries
  /// are (1 + delta) / (Dim (Dim + 1)).
  KOKKOS_FUNCTION double linear_jump(const LocalField<Form>& local, int apex,
                                     const double (&jump)[n_nodes][Dim]) const {
    double squares_at_nodes = 0.;
    double whole = 0.;
    double length = 0.;
    const auto& normal = local.map.grad_lambda[apex];
    for (int d = 0; d < Dim; ++d)
      length += normal[d] * normal[d];
    for (int a = 0; a <= Dim; ++a) {
      if (a == apex)
        continue;
      double own = 0.;
      for (int d = 0; d < Dim; ++d)
        own += jump[a][d] * normal[d];
      squares_at_nodes += own * own;
      whole += own;
    }
    // The size of the face is Dim times the measure times the length of the gradient.
    const double anywhere[Dim + 1] = {1.};
    return (squares_at_nodes + whole * whole) / (Dim * (Dim + 1)) / length *
           (Dim * local.map.measure * std::sqrt(length)) * form.integral_weight(local.map, anywhere);
  }

  /// Subtracts the flux of the neighbouring element at the common nodes.
  KOKKOS_FUNCTION void subtract(const LocalField<Form>& local, int apex, index_t other,
                                double (&jump)[n_nodes][Dim]) const {
    index_t n[n_nodes];
    form.nodes(other, n);
    for (int a = 0; a < n_nodes; ++a) {
      if (!is_on_face<Dim>(a, apex))
        continue;
      for (int b = 0; b < n_nodes; ++b)
        if (n[b] == local.n[a])
          for (int d = 0; d < Dim; ++d)
            jump[a][d] -= fluxes.at(other, b, d);
    }
  }

  /// Prescribed inflow at a face of an element at a point of a rule, given by the barycentric coordinates in an element
  /// with the nodes n; 0 without a condition.
  KOKKOS_FUNCTION double natural_flux(index_t e, int apex, const double (&lambda)[Dim + 1], const index_t (&n)[n_nodes],
                                      double u) const {
    const index_t facet = natural_facet(form, e, apex);
    if (facet < 0)
      return 0.;
    index_t own[n_nodes];
    form.nodes(e, own);
    double at_vertex[Dim]; // of the face's values, in the order of the element's rule
    for (int k = 0; k < Dim; ++k) {
      at_vertex[k] = 0.;
      for (int l = 0; l <= Dim; ++l)
        if (n[l] == own[(apex + 1 + k) % (Dim + 1)])
          at_vertex[k] = lambda[l];
    }
    int nearest = 0;
    double least = 2.;
    for (int q = 0; q < rule::n_points; ++q) {
      double on_facet[Dim];
      rule::point(q, on_facet);
      const double square = squared_distance<Dim>(on_facet, at_vertex);
      if (square < least) {
        least = square;
        nearest = q;
      }
    }
    return natural_load(form, facet, nearest) - natural_alpha(form, facet, nearest) * u;
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace>
estimate_error_by_residuals(const ExecutionSpace& exec, const Form& form,
                            const Array<const double*, ExecutionSpace>& nodal,
                            const FieldRecovery<ExecutionSpace>& conditions,
                            const mesh::DualGraph<Form::dimension, typename ExecutionSpace::memory_space>& neighbours) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int Dim = Form::dimension;
  constexpr int order = Form::element::order;
  const index_t n_elements = form.n_elements();
  detail::ElementFluxes<Form> fluxes;
  fluxes.flux = make_array<decltype(fluxes.flux)>(exec, "physics::fluxes_of_elements", n_elements);
  fluxes.material = make_array<decltype(fluxes.material)>(exec, "physics::materials_of_elements", n_elements);
  ErrorEstimate<ExecutionSpace> estimate;
  estimate.squares = make_array<Array<double*, Space>>(exec, "physics::squared_errors", n_elements);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n_elements, 1);
  const auto sums = make_array<Array<double*, Space>>(exec, "physics::error_sums", 2);
  const auto& local = linalg::GlobalSums<ExecutionSpace>::local();
  linalg::global_sums<1, SumKernels::few>("tessera::physics::inner_residuals", exec, n_elements,
                                          detail::SumInnerResiduals<Form>{form, nodal, {}, fluxes, estimate.squares},
                                          workspace, sums.data() + 1, local);
  const double constant = residual_constant(Dim, order);
  linalg::global_sums<1, SumKernels::few>(
      "tessera::physics::face_residuals", exec, n_elements,
      detail::SumFaceResiduals<Form>{form,
                                     nodal,
                                     neighbours,
                                     {nodal, conditions.node_constraint, conditions.n_constraints},
                                     fluxes,
                                     constant * constant,
                                     estimate.squares},
      workspace, sums.data(), local);
  const auto host = to_host(exec, sums); // waits: the other arrays may be freed
  estimate.error = std::sqrt(host(0));
  estimate.norm = std::sqrt(host(1) > 0. ? host(1) : 0.);
  return estimate;
}

} // namespace tessera::physics

#endif
