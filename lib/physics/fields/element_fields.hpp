// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_ELEMENT_FIELDS_HPP
#define TESSERA_PHYSICS_FIELDS_ELEMENT_FIELDS_HPP

/// \file
/// The vector field of an element at its nodes, and its distance from a recovered field. Device code, included only by
/// generated instantiations.

#include "physics/fields/derived_impl.hpp"

namespace tessera::physics::detail {

/// Whether local node `a` lies on the face opposite to a vertex.
template <int Dim> KOKKOS_INLINE_FUNCTION bool is_on_face(int a, int apex) {
  using simplex = mesh::Simplex<Dim>;
  return a <= Dim ? a != apex : simplex::edge_begin(a - Dim - 1) != apex && simplex::edge_end(a - Dim - 1) != apex;
}

/// The field at the nodes of an element, and the measures used as weights in means; these vary between the nodes of
/// curved elements. Gradients of order 1 are the same at all nodes.
template <class Form> struct ElementFields {
  static constexpr int Dim = Form::dimension;
  static constexpr int n_nodes = Form::n_nodes;
  static constexpr bool is_gradient = !Form::has_vector_potential;
  static constexpr bool is_constant = Form::element::order == 1 && is_gradient;
  static constexpr int n_values = is_constant ? 1 : n_nodes;
  static constexpr int n_measures = Form::element::order == 1 ? 1 : n_nodes;
  double v[n_values][Dim];
  double measure[n_measures];

  KOKKOS_FUNCTION const double (&at(int a) const)[Dim] { return v[is_constant ? 0 : a]; }
  KOKKOS_FUNCTION double measure_at(int a) const { return measure[n_measures == 1 ? 0 : a]; }

  KOKKOS_FUNCTION void find(const Form& form, index_t e, LocalField<Form>& local) {
    if constexpr (is_constant) {
      for (int d = 0; d < Dim; ++d) {
        v[0][d] = 0.;
        for (int k = 0; k <= Dim; ++k)
          v[0][d] += local.u[k] * local.map.grad_lambda[k][d];
      }
      measure[0] = local.map.measure;
    } else {
      using simplex = mesh::Simplex<Dim>;
      const bool is_straight = is_gradient && !form.is_curved(e);
      for (int a = 0; a < n_nodes; ++a)
        if (a <= Dim || !is_straight) {
          const double own = find_at(form, {e, a}, local, v[a]);
          if (n_measures > 1 || a == 0)
            measure[n_measures == 1 ? 0 : a] = own;
        } else { // linear, as in find_at()
          for (int d = 0; d < Dim; ++d)
            v[a][d] = 0.5 * (v[simplex::edge_begin(a - Dim - 1)][d] + v[simplex::edge_end(a - Dim - 1)][d]);
          measure[n_measures == 1 ? 0 : a] = local.map.measure;
        }
    }
  }

  /// The same at one node; returns the measure.
  KOKKOS_FUNCTION static double find_at(const Form& form, const graph::LocalNode& own, LocalField<Form>& local,
                                        double (&field)[Dim]) {
    if constexpr (is_gradient && Form::element::order == 2) {
      if (!form.is_curved(own.element)) {
        if (own.a <= Dim) {
          gradient_at_vertex(local, own.a, field);
        } else {
          using simplex = mesh::Simplex<Dim>;
          double other[Dim];
          gradient_at_vertex(local, simplex::edge_begin(own.a - Dim - 1), field);
          gradient_at_vertex(local, simplex::edge_end(own.a - Dim - 1), other);
          for (int d = 0; d < Dim; ++d)
            field[d] = 0.5 * (field[d] + other[d]);
        }
        return local.map.measure;
      }
    }
    double lambda[Dim + 1];
    Form::element::node_position(own.a, lambda);
    local.move_to(lambda);
    local.vector(form, own.element, lambda, field);
    return local.map.measure;
  }

private:
  /// For order 2, straight: 3 u_k grad lambda_k + sum over the other vertices l of (4 u_kl - u_l) grad lambda_l.
  KOKKOS_FUNCTION static void gradient_at_vertex(const LocalField<Form>& local, int k, double (&field)[Dim]) {
    using simplex = mesh::Simplex<Dim>;
    double factor[Dim + 1];
    for (int l = 0; l <= Dim; ++l)
      factor[l] = l == k ? 3. * local.u[l] : -local.u[l];
    for (int edge = 0; edge < simplex::n_edges; ++edge) {
      const int begin = simplex::edge_begin(edge);
      const int end = simplex::edge_end(edge);
      if (begin == k)
        factor[end] += 4. * local.u[Dim + 1 + edge];
      if (end == k)
        factor[begin] += 4. * local.u[Dim + 1 + edge];
    }
    for (int d = 0; d < Dim; ++d) {
      field[d] = 0.;
      for (int l = 0; l <= Dim; ++l)
        field[d] += factor[l] * local.map.grad_lambda[l][d];
    }
  }
};

/// Whether a form is a GeneralDiffusion, or extends it.
template <class Form>
constexpr bool is_general =
    std::is_base_of_v<GeneralDiffusion<Form::dimension, Form::order, typename Form::memory_space>, Form>;

/// Whether the weight of integrals is constant.
template <class Form> KOKKOS_INLINE_FUNCTION bool is_planar(const Form& form) {
  if constexpr (Form::has_vector_potential)
    return !form.medium.axisymmetric;
  else if constexpr (is_general<Form>)
    return !form.axisymmetric;
  else
    return true;
}

/// The tensor D that maps a gradient to the flux, at a point of the form's rule in an element.
template <class Form> struct ElementTensor {
  static constexpr int Dim = Form::dimension;
  static constexpr int n_pairs = Dim * (Dim - 1) / 2;
  double diagonal[Dim];
  double off_diagonal[n_pairs] = {}; ///< as in GeneralDiffusion::off_diagonal
  bool is_diagonal = true;

  KOKKOS_FUNCTION ElementTensor(const Form& form, index_t e, int q) {
    if constexpr (is_general<Form>) {
      const std::int64_t point = static_cast<std::int64_t>(e) * Form::volume_rule::n_points + q;
      for (int d = 0; d < Dim; ++d)
        diagonal[d] = form.point_coefficient.extent(0) > 0 ? form.point_coefficient(point, d)
                                                           : form.coefficient(form.regions(e), d);
      if (form.has_tensors()) {
        is_diagonal = false;
        const auto off = form.off_diagonal_at(e, q);
        for (int i = 0; i < n_pairs; ++i)
          off_diagonal[i] = off.entry[i];
      }
    } else {
      const double anywhere[Dim] = {};
      for (int d = 0; d < Dim; ++d)
        diagonal[d] = 1.;
      form.to_flux(e, anywhere, diagonal);
    }
  }

  /// Whether the tensor varies within an element.
  KOKKOS_FUNCTION static bool varies(const Form& form) {
    if constexpr (is_general<Form>)
      return form.point_coefficient.extent(0) > 0;
    else
      return false;
  }

  /// v . D v
  KOKKOS_FUNCTION double square(const double (&v)[Dim]) const { return product(v, v); }
  /// v . D w
  KOKKOS_FUNCTION double product(const double (&v)[Dim], const double (&w)[Dim]) const {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += diagonal[d] * v[d] * w[d];
    if constexpr (is_general<Form>)
      if (!is_diagonal)
        for (int i = 0; i < n_pairs; ++i)
          sum += off_diagonal[i] *
                 (v[Form::first_of(i)] * w[Form::second_of(i)] + v[Form::second_of(i)] * w[Form::first_of(i)]);
    return sum;
  }
};

/// Mean over a simplex of f . D f, with f interpolated linearly from the vertices; further nodes are ignored.
template <class Form, int N>
KOKKOS_INLINE_FUNCTION double linear_mean_square(const ElementTensor<Form>& tensor,
                                                 const double (&f)[N][Form::dimension]) {
  constexpr int Dim = Form::dimension;
  double sum = 0.;
  double whole[Dim] = {};
  for (int k = 0; k <= Dim; ++k) {
    sum += tensor.square(f[k]);
    for (int d = 0; d < Dim; ++d)
      whole[d] += f[k][d];
  }
  return (sum + tensor.square(whole)) * (1. / ((Dim + 1) * (Dim + 2)));
}

/// The same with f in the form's space, by the mass matrices of the reference elements.
template <class Form>
KOKKOS_INLINE_FUNCTION double mean_square(const ElementTensor<Form>& tensor,
                                          const double (&f)[Form::n_nodes][Form::dimension]) {
  constexpr int Dim = Form::dimension;
  if constexpr (Form::element::order == 1) {
    return linear_mean_square<Form>(tensor, f);
  } else {
    using simplex = mesh::Simplex<Dim>;
    double of_vertices[Dim] = {};
    double of_edges[Dim] = {};
    double squares = 0.; // at the vertices
    double edges = 0.;   // at the edges
    double mixed = 0.;
    for (int k = 0; k <= Dim; ++k) {
      squares += tensor.square(f[k]);
      for (int d = 0; d < Dim; ++d)
        of_vertices[d] += f[k][d];
    }
    for (int edge = 0; edge < simplex::n_edges; ++edge) {
      const auto& own = f[Dim + 1 + edge];
      edges += tensor.square(own);
      for (int d = 0; d < Dim; ++d)
        of_edges[d] += own[d];
      const auto& begin = f[simplex::edge_begin(edge)];
      const auto& end = f[simplex::edge_end(edge)];
      double at_ends[Dim];
      for (int d = 0; d < Dim; ++d)
        at_ends[d] = begin[d] + end[d];
      mixed += tensor.product(own, at_ends);
    }
    if constexpr (Dim == 2) { // with the opposite vertex: sum of all minus the ends
      const double opposite = tensor.product(of_edges, of_vertices) - mixed;
      return (7. * squares - tensor.square(of_vertices) + 16. * (edges + tensor.square(of_edges)) - 8. * opposite) *
             (1. / 180.);
    } else {
      double opposite = 0.;
      for (int edge = 0; edge < 3; ++edge) // (0,1) and (2,3), (1,2) and (0,3), (2,0) and (1,3)
        opposite += tensor.product(f[4 + edge], f[7 + (edge + 2) % 3]);
      return (5. * squares + tensor.square(of_vertices) - 12. * tensor.product(of_vertices, of_edges) + 4. * mixed +
              16. * (edges + tensor.square(of_edges)) - 16. * opposite) *
             (1. / 420.);
    }
  }
}

/// For fields that are constant in an element, with constant weight of integrals and tensor.
template <class Form>
KOKKOS_INLINE_FUNCTION double constant_error(const Form& form, index_t e, const ElementFields<Form>& fields,
                                             const double (&recovered)[Form::n_nodes][Form::dimension], double& norm) {
  constexpr int Dim = Form::dimension;
  const ElementTensor<Form> tensor(form, e, 0);
  const double anywhere[Dim + 1] = {1.};
  const double weight = fields.measure[0] * form.integral_weight(fe::ElementMap<typename Form::element>(), anywhere);
  double difference[Form::n_nodes][Dim];
  for (int a = 0; a < Form::n_nodes; ++a)
    for (int d = 0; d < Dim; ++d)
      difference[a][d] = recovered[a][d] - fields.v[0][d];
  norm = weight * tensor.square(fields.v[0]);
  return weight * mean_square<Form>(tensor, difference);
}

/// For straight elements whose field is a gradient: both fields, and hence their difference, are interpolated from the
/// nodes. If the weight of integrals and the tensor are constant the integrals are closed formulas.
template <class Form>
KOKKOS_INLINE_FUNCTION double straight_error(const Form& form, index_t e, LocalField<Form>& local,
                                             const double (&recovered)[Form::n_nodes][Form::dimension], double& norm) {
  constexpr int Dim = Form::dimension;
  using rule = fe::FormQuadrature<Dim, Form::element::order>;
  local.map.is_curved = false; // already false; makes it visible to the compiler
  const bool is_closed = is_planar(form) && !ElementTensor<Form>::varies(form);
  ElementFields<Form> fields;
  fields.find(form, e, local);
  if constexpr (ElementFields<Form>::is_constant)
    if (is_closed)
      return constant_error(form, e, fields, recovered, norm);
  double difference[Form::n_nodes][Dim];
  for (int a = 0; a < Form::n_nodes; ++a)
    for (int d = 0; d < Dim; ++d)
      difference[a][d] = recovered[a][d] - fields.at(a)[d];
  if (is_closed) {
    const ElementTensor<Form> tensor(form, e, 0);
    const double anywhere[Dim + 1] = {1.};
    const double weight = local.map.measure * form.integral_weight(local.map, anywhere);
    if constexpr (!ElementFields<Form>::is_constant)
      norm = weight * linear_mean_square<Form>(tensor, fields.v);
    return weight * mean_square<Form>(tensor, difference);
  }
  norm = 0.;
  double error = 0.;
  for (int q = 0; q < rule::n_points; ++q) {
    double lambda[Dim + 1];
    const double weight = rule::point(q, lambda) * local.map.measure * form.integral_weight(local.map, lambda);
    double off[Dim] = {};
    double v[Dim] = {};
    for (int a = 0; a < Form::n_nodes; ++a) {
      const double shape = Form::element::value(a, lambda);
      for (int d = 0; d < Dim; ++d)
        off[d] += shape * difference[a][d];
    }
    for (int k = 0; k <= Dim; ++k) // at most linear
      for (int d = 0; d < Dim; ++d)
        v[d] += lambda[k] * fields.at(k)[d];
    const ElementTensor<Form> tensor(form, e, q);
    error += weight * tensor.square(off);
    norm += weight * tensor.square(v);
  }
  return error;
}

/// Squared distance, in the energy norm, of an element's field from one that is interpolated from its nodes; also sets
/// the squared norm of the field.
template <class Form>
KOKKOS_INLINE_FUNCTION double element_error(const Form& form, index_t e, LocalField<Form>& local,
                                            const double (&recovered)[Form::n_nodes][Form::dimension], double& norm) {
  constexpr int Dim = Form::dimension;
  using rule = fe::FormQuadrature<Dim, Form::element::order>;
  if constexpr (!Form::has_vector_potential)
    if (!form.is_curved(e))
      return straight_error(form, e, local, recovered, norm);
  double error = 0.;
  norm = 0.;
  for (int q = 0; q < rule::n_points; ++q) {
    double lambda[Dim + 1];
    const double fraction = rule::point(q, lambda);
    local.move_to(lambda);
    const double weight = fraction * local.map.measure * form.integral_weight(local.map, lambda);
    double v[Dim];
    double zero[Dim] = {};
    double flux[Dim];
    double better[Dim] = {};
    double better_flux[Dim];
    local.vector(form, e, lambda, v);
    for (int a = 0; a < Form::n_nodes; ++a) {
      const double shape = Form::element::value(a, lambda);
      for (int d = 0; d < Dim; ++d)
        better[d] += shape * recovered[a][d];
    }
    for (int d = 0; d < Dim; ++d) {
      flux[d] = v[d];
      better_flux[d] = better[d];
    }
    flux_of(form, e, local, lambda, zero); // the flux of magnets without field
    flux_of(form, e, local, lambda, flux);
    flux_of(form, e, local, lambda, better_flux);
    for (int d = 0; d < Dim; ++d) {
      error += weight * (better[d] - v[d]) * (better_flux[d] - flux[d]);
      norm += weight * v[d] * (flux[d] - zero[d]);
    }
  }
  return error;
}

} // namespace tessera::physics::detail

#endif
