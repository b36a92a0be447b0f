// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_RECOVERY_IMPL_HPP
#define TESSERA_PHYSICS_ESTIMATES_RECOVERY_IMPL_HPP

/// \file
/// Recovery of fields at nodes from the surrounding elements, by region, since fields jump between regions: fits on
/// patches for values at points, and averages over one side for error estimates. Device code, included only by
/// generated instantiations.

#include "physics/fields/element_fields.hpp"
#include "physics/fields/point_values.hpp"

namespace tessera::physics::detail {

/// Elements around nodes: around all nodes, or around those to which `rows` assigns a row.
template <class Space> struct ElementsAround {
  graph::Incidence<Space> incidence;
  Array<const index_t*, Space> rows; ///< by node; empty: each node's row is its index
  KOKKOS_FUNCTION offset_t begin(index_t node) const { return incidence.offsets(row(node)); }
  KOKKOS_FUNCTION offset_t end(index_t node) const { return incidence.offsets(row(node) + 1); }
  template <int NodesPerElement> KOKKOS_FUNCTION graph::LocalNode at(offset_t s) const {
    return graph::local_node<NodesPerElement>(incidence.pairs(s));
  }

private:
  KOKKOS_FUNCTION index_t row(index_t node) const { return rows.extent(0) > 0 ? rows(node) : node; }
};

/// Facet with a condition on the flux (GeneralDiffusion::element_facets) at the face of an element opposite to a
/// vertex; -1: none.
template <class Form> KOKKOS_INLINE_FUNCTION index_t natural_facet(const Form& form, index_t e, int apex) {
  if constexpr (Form::has_vector_potential)
    return natural_facet(form.medium, e, apex);
  else if constexpr (is_general<Form>)
    return form.element_facets.extent(0) > 0 ? form.element_facets(e, apex) : -1;
  else
    return -1;
}

template <class Form> bool has_natural_facets(const Form& form) {
  if constexpr (Form::has_vector_potential)
    return has_natural_facets(form.medium);
  else if constexpr (is_general<Form>)
    return form.element_facets.extent(0) > 0;
  else
    return false;
}

/// The load and the coefficient of u of such a condition, at a point of the facet rule.
template <class Form> KOKKOS_INLINE_FUNCTION double natural_load(const Form& form, index_t facet, int q) {
  if constexpr (Form::has_vector_potential)
    return natural_load(form.medium, facet, q);
  else if constexpr (is_general<Form>)
    return form.facet_load(facet, q);
  else
    return 0.;
}
template <class Form> KOKKOS_INLINE_FUNCTION double natural_alpha(const Form& form, index_t facet, int q) {
  if constexpr (Form::has_vector_potential)
    return natural_alpha(form.medium, facet, q);
  else if constexpr (is_general<Form>)
    return form.facet_alpha(facet, q);
  else
    return 0.;
}

/// Fixed and floating values at the vertices of faces.
template <class Form> struct FaceConditions {
  static constexpr int Dim = Form::dimension;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const group_t*, typename Form::memory_space> node_constraint; // empty: none
  index_t n_constraints;

  /// Whether all vertices of the face are bound.
  KOKKOS_FUNCTION bool are_all_bound(const index_t (&face)[Dim]) const {
    if (node_constraint.extent(0) == 0)
      return false;
    bool all = true;
    for (int i = 0; i < Dim; ++i)
      all = all && node_constraint(face[i]) < n_constraints;
    return all;
  }

  /// Whether all vertices of the face are at the same fixed or floating value.
  KOKKOS_FUNCTION bool is_held(const index_t (&face)[Dim]) const {
    if (!are_all_bound(face))
      return false;
    bool is_one = true;
    bool is_equal = true;
    for (int i = 0; i < Dim; ++i) {
      is_one = is_one && node_constraint(face[i]) == node_constraint(face[0]);
      is_equal = is_equal && nodal(face[i]) == nodal(face[0]);
    }
    return is_one || is_equal;
  }
};

/// Elements around a node, without duplicates. Beyond its capacity no more are added: the fit is determined long
/// before.
template <int Dim> struct Patch {
  static constexpr int capacity = Dim == 2 ? 64 : 160;
  index_t elements[capacity];
  int n = 0;

  KOKKOS_FUNCTION void add(index_t e) {
    for (int i = 0; i < n; ++i)
      if (elements[i] == e)
        return;
    if (n < capacity)
      elements[n++] = e;
  }
};

/// The field at a node on one side, by a fit to the surrounding elements (O. C. Zienkiewicz, J. Z. Zhu, Int. J. Numer.
/// Meth. Eng. 33, 1992).
///
/// Order 1: there is no point at which the elements' gradients are exact to second order. The fit is therefore a
/// polynomial of degree 2 for the solution, such that the gradients of its interpolant are closest to those of the
/// solution (in the spirit of Z. Zhang, A. Naga, SIAM J. Sci. Comput. 26, 2005): it is exact for quadratic solutions on
/// any patch, also at boundaries. For order 2, and for axisymmetric flux densities, which are not just gradients: a
/// polynomial of the element's order for each component, fitted to the values at the points of a rule of degree 2 or,
/// with order 1, at centroids.
///
/// A patch ends where the field may jump: at other regions, at facets with a flux, and at facets all of whose nodes are
/// at one fixed or floating value, such as plates without thickness. At the nodes of such sides it has one more layer
/// of elements, so that the fit follows the field to the boundary. Edge nodes have separate patches. If there are too
/// few elements for a fit, the field is averaged.
template <class Form> struct PatchFit {
  static constexpr int Dim = Form::dimension;
  static constexpr int order = Form::element::order;
  static constexpr int n_terms = order == 1 ? Dim + 1 : (Dim + 1) * (Dim + 2) / 2;
  static constexpr int n_quadratic = Dim + Dim * (Dim + 1) / 2; // without the constant
  using Space = typename Form::memory_space;
  using simplex = mesh::Simplex<Dim>;

  Form form;
  Array<const double*, Space> nodal;
  ElementsAround<Space> around;
  Array<const group_t*, Space> regions;
  Array<const group_t*, Space> node_constraint; // empty: none
  index_t n_constraints;

  /// Recovers at local node `own.a` on the side of element `own.element`.
  KOKKOS_FUNCTION void at_node(const graph::LocalNode& own, double (&result)[Dim]) const {
    const index_t node = node_of(own.element, own.a);
    Patch<Dim> patch;
    patch.add(own.element);
    bool is_inside = true;
    for (int i = 0; i < patch.n; ++i)
      is_inside = add_neighbours_at(node, patch.elements[i], patch) && is_inside;
    const int n_around = patch.n;
    const bool of_gradients = is_gradient();
    // Dim values, or two, per term keep the fit from following each value.
    const int n_wanted = of_gradients ? n_quadratic : (2 * n_terms + points_per_element() - 1) / points_per_element();
    for (int layer = 0; layer < 4 && ((layer == 0 && !is_inside) || patch.n < n_wanted); ++layer) {
      const int end = patch.n;
      for (int i = 0; i < end; ++i)
        for (int apex = 0; apex <= Dim; ++apex)
          add_neighbour(patch.elements[i], apex, node_of(patch.elements[i], apex == 0 ? 1 : 0), patch);
      if (patch.n == end)
        break;
    }
    double x[Dim];
    for (int d = 0; d < Dim; ++d)
      x[d] = position(own, d);
    if (!(of_gradients ? fit_solution(patch, x, result) : fit_field(patch, x, result)))
      average(patch, n_around, node, result);
    if (is_on_axis(own.element, x)) // required by symmetry
      result[0] = 0.;
  }

  /// Averages at local node `own.a`, weighted by measure, over the elements on the side of element `own.element`.
  /// Returns their number.
  KOKKOS_FUNCTION int average_side(const graph::LocalNode& own, double (&mean)[Dim]) const {
    const index_t node = node_of(own.element, own.a);
    Patch<Dim> patch;
    patch.add(own.element);
    for (int i = 0; i < patch.n; ++i)
      add_neighbours_at(node, patch.elements[i], patch);
    average(patch, patch.n, node, mean);
    return patch.n;
  }

  /// Whether the field is continuous from an element to another one, across a common facet.
  KOKKOS_FUNCTION bool goes_on(index_t e, index_t other) const {
    if (regions(e) != regions(other))
      return false;
    int n_apart = 0;
    int apex = 0;
    for (int k = 0; k <= Dim; ++k) {
      bool is_shared = false;
      for (int l = 0; l <= Dim; ++l)
        is_shared = is_shared || node_of(other, l) == node_of(e, k);
      n_apart += is_shared ? 0 : 1;
      apex = is_shared ? apex : k;
    }
    return n_apart == 1 && neighbour(e, apex, node_of(e, apex == 0 ? 1 : 0)) == other;
  }

  /// Whether a condition at the face opposite to a vertex divides two elements.
  KOKKOS_FUNCTION bool divides(index_t e, int apex) const {
    index_t face[Dim];
    face_of(e, apex, face);
    int opposite = 0;
    return (has_flux(e, apex) || is_held(face)) && across(e, face, face[0], opposite) >= 0;
  }

  /// Coordinate of a node, in an element that has it.
  KOKKOS_FUNCTION double position(const graph::LocalNode& own, int d) const {
    if (own.a <= Dim)
      return form.coordinates(node_of(own.element, own.a), d);
    if (form.is_curved(own.element)) // the form then has the coordinates of all nodes
      return form.coordinates(node_of(own.element, own.a), d);
    return 0.5 * (form.coordinates(node_of(own.element, simplex::edge_begin(own.a - Dim - 1)), d) +
                  form.coordinates(node_of(own.element, simplex::edge_end(own.a - Dim - 1)), d));
  }

private:
  KOKKOS_FUNCTION static constexpr int points_per_element() {
    return order == 1 ? 1 : fe::Quadrature<Dim, 2>::n_points;
  }
  KOKKOS_FUNCTION static void sampling_point(int q, double (&lambda)[Dim + 1]) {
    if constexpr (order == 1) {
      for (int k = 0; k <= Dim; ++k)
        lambda[k] = 1. / (Dim + 1);
    } else {
      fe::Quadrature<Dim, 2>::point(q, lambda);
    }
  }

  KOKKOS_FUNCTION index_t node_of(index_t e, int a) const {
    return form.element_nodes.data()[static_cast<std::int64_t>(e) * Form::n_nodes + a];
  }

  KOKKOS_FUNCTION bool is_axisymmetric() const {
    if constexpr (Form::has_vector_potential)
      return form.medium.axisymmetric;
    else if constexpr (is_general<Form>)
      return form.axisymmetric;
    else
      return false;
  }

  /// Whether fields of order 1 are gradients of the solution, possibly rotated.
  KOKKOS_FUNCTION bool is_gradient() const {
    if constexpr (order != 1)
      return false;
    else if constexpr (Form::has_vector_potential)
      return !form.medium.axisymmetric;
    else
      return true;
  }

  KOKKOS_FUNCTION bool is_on_axis(index_t e, const double (&x)[Dim]) const {
    if (!is_axisymmetric())
      return false;
    double width = 0.;
    for (int k = 0; k <= Dim; ++k) {
      const double r = form.coordinates(node_of(e, k), 0);
      width = r > width ? r : width;
    }
    return !(x[0] > 1e-10 * width);
  }

  KOKKOS_FUNCTION bool has_flux(index_t e, int apex) const { return natural_facet(form, e, apex) >= 0; }

  KOKKOS_FUNCTION bool is_held(const index_t (&face)[Dim]) const {
    return FaceConditions<Form>{nodal, node_constraint, n_constraints}.is_held(face);
  }

  /// Nodes of the face of an element opposite to a vertex.
  KOKKOS_FUNCTION void face_of(index_t e, int apex, index_t (&face)[Dim]) const {
    int n = 0;
    for (int k = 0; k <= Dim; ++k)
      if (k != apex)
        face[n++] = node_of(e, k);
  }

  /// Element on the other side of a face of an element, among those around a node of the face; -1: none. Sets its
  /// vertex opposite to the face.
  KOKKOS_FUNCTION index_t across(index_t e, const index_t (&face)[Dim], index_t node, int& opposite) const {
    for (offset_t s = around.begin(node); s < around.end(node); ++s) {
      const index_t other = around.template at<Form::n_nodes>(s).element;
      if (other == e)
        continue;
      int found = 0;
      for (int k = 0; k <= Dim; ++k) {
        bool is_on_face = false;
        for (int i = 0; i < Dim; ++i)
          is_on_face = is_on_face || node_of(other, k) == face[i];
        found += is_on_face ? 1 : 0;
        opposite = is_on_face ? opposite : k;
      }
      if (found == Dim)
        return other;
    }
    return -1;
  }

  /// Element on the other side of the face opposite to a vertex, among those around `node` of the face, if the field is
  /// continuous across the face; else -1.
  KOKKOS_FUNCTION index_t neighbour(index_t e, int apex, index_t node) const {
    index_t face[Dim];
    face_of(e, apex, face);
    if (has_flux(e, apex) || is_held(face))
      return -1;
    int opposite = 0;
    const index_t other = across(e, face, node, opposite);
    return other < 0 || regions(other) != regions(e) || has_flux(other, opposite) ? -1 : other;
  }

  KOKKOS_FUNCTION bool add_neighbour(index_t e, int apex, index_t node, Patch<Dim>& patch) const {
    const index_t other = neighbour(e, apex, node);
    if (other >= 0)
      patch.add(other);
    return other >= 0;
  }

  /// Adds the neighbours of an element across its faces at a node; returns whether all of them were added.
  KOKKOS_FUNCTION bool add_neighbours_at(index_t node, index_t e, Patch<Dim>& patch) const {
    const int a = local_number(node, e);
    bool is_inside = true;
    for (int apex = 0; apex <= Dim; ++apex) {
      const bool is_opposite =
          a <= Dim ? apex == a : apex == simplex::edge_begin(a - Dim - 1) || apex == simplex::edge_end(a - Dim - 1);
      if (!is_opposite)
        is_inside = add_neighbour(e, apex, node, patch) && is_inside;
    }
    return is_inside;
  }

  KOKKOS_FUNCTION int local_number(index_t node, index_t e) const {
    for (int a = 0; a < Form::n_nodes; ++a)
      if (node_of(e, a) == node)
        return a;
    return 0;
  }

  /// Sets the terms 1, x, y, and with order 2 x^2, x y, y^2; in 3D accordingly.
  KOKKOS_FUNCTION static void set_terms(const double (&y)[Dim], double (&terms)[n_terms]) {
    terms[0] = 1.;
    for (int d = 0; d < Dim; ++d)
      terms[1 + d] = y[d];
    if constexpr (order == 2) {
      int i = Dim + 1;
      for (int d = 0; d < Dim; ++d)
        for (int c = d; c < Dim; ++c)
          terms[i++] = y[d] * y[c];
    }
  }

  /// Extent of a patch about a point in each direction, by which coordinates are scaled so that thin patches are fitted
  /// equally well.
  KOKKOS_FUNCTION void find_size(const Patch<Dim>& patch, const double (&x)[Dim], double (&size)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      size[d] = 0.;
    for (int i = 0; i < patch.n; ++i)
      for (int k = 0; k <= Dim; ++k)
        for (int d = 0; d < Dim; ++d) {
          const double off = form.coordinates(node_of(patch.elements[i], k), d) - x[d];
          const double length = off < 0. ? -off : off;
          size[d] = length > size[d] ? length : size[d];
        }
  }

  /// Fits a polynomial of degree 2 to the gradients; returns false if they do not determine it.
  KOKKOS_FUNCTION bool fit_solution(const Patch<Dim>& patch, const double (&x)[Dim], double (&result)[Dim]) const {
    double size[Dim];
    find_size(patch, x, size);
    double matrix[n_quadratic][n_quadratic];
    double right[n_quadratic][1];
    for (int i = 0; i < n_quadratic; ++i) {
      for (int j = 0; j < n_quadratic; ++j)
        matrix[i][j] = 0.;
      right[i][0] = 0.;
    }
    for (int i = 0; i < patch.n; ++i) {
      const LocalField<Form> local(form, patch.elements[i], nodal);
      double terms[Dim + 1][n_quadratic]; // at the vertices
      for (int k = 0; k <= Dim; ++k) {
        double y[Dim];
        for (int d = 0; d < Dim; ++d)
          y[d] = (local.map.p[k][d] - x[d]) / size[d];
        int t = 0;
        for (int d = 0; d < Dim; ++d)
          terms[k][t++] = y[d];
        for (int d = 0; d < Dim; ++d)
          for (int c = d; c < Dim; ++c)
            terms[k][t++] = y[d] * y[c];
      }
      for (int d = 0; d < Dim; ++d) {
        double gradient = 0.; // times the size, like the gradients of the terms: in the unit of the solution
        double slopes[n_quadratic];
        for (int t = 0; t < n_quadratic; ++t)
          slopes[t] = 0.;
        for (int k = 0; k <= Dim; ++k) {
          const double weight = size[d] * local.map.grad_lambda[k][d];
          gradient += weight * local.u[k];
          for (int t = 0; t < n_quadratic; ++t)
            slopes[t] += weight * terms[k][t];
        }
        for (int r = 0; r < n_quadratic; ++r) {
          for (int c = 0; c <= r; ++c)
            matrix[r][c] += slopes[r] * slopes[c];
          right[r][0] += slopes[r] * gradient;
        }
      }
    }
    if (!solve<n_quadratic, 1>(matrix, right))
      return false;
    for (int d = 0; d < Dim; ++d)
      result[d] = right[d][0] / size[d];
    if constexpr (Form::has_vector_potential) { // B = (dA/dy, -dA/dx)
      const double along_x = result[0];
      result[0] = result[1];
      result[1] = -along_x;
    }
    return true;
  }

  /// Fits a polynomial to each component of the field; returns false if the values do not determine it.
  KOKKOS_FUNCTION bool fit_field(const Patch<Dim>& patch, const double (&x)[Dim], double (&result)[Dim]) const {
    double size[Dim];
    find_size(patch, x, size);
    double matrix[n_terms][n_terms];
    double right[n_terms][Dim];
    for (int i = 0; i < n_terms; ++i) {
      for (int j = 0; j < n_terms; ++j)
        matrix[i][j] = 0.;
      for (int v = 0; v < Dim; ++v)
        right[i][v] = 0.;
    }
    for (int i = 0; i < patch.n; ++i) {
      LocalField<Form> local(form, patch.elements[i], nodal);
      for (int q = 0; q < points_per_element(); ++q) {
        double lambda[Dim + 1];
        sampling_point(q, lambda);
        local.move_to(lambda);
        double values[Dim];
        local.vector(form, patch.elements[i], lambda, values);
        double y[Dim];
        for (int d = 0; d < Dim; ++d)
          y[d] = (local.map.coordinate(d, lambda) - x[d]) / size[d];
        double terms[n_terms];
        set_terms(y, terms);
        for (int r = 0; r < n_terms; ++r) {
          for (int c = 0; c <= r; ++c)
            matrix[r][c] += terms[r] * terms[c];
          for (int v = 0; v < Dim; ++v)
            right[r][v] += terms[r] * values[v];
        }
      }
    }
    if (!solve<n_terms, Dim>(matrix, right))
      return false;
    for (int v = 0; v < Dim; ++v) // at the node all terms but the first vanish
      result[v] = right[0][v];
    return true;
  }

  /// Solves a symmetric system, given by its lower triangle, by Cholesky factorisation; the solution overwrites the
  /// right-hand sides. Returns false if the matrix is not positive definite up to rounding.
  template <int N, int M> KOKKOS_FUNCTION static bool solve(double (&matrix)[N][N], double (&right)[N][M]) {
    for (int c = 0; c < N; ++c) {
      const double whole = matrix[c][c];
      for (int k = 0; k < c; ++k)
        matrix[c][c] -= matrix[c][k] * matrix[c][k];
      if (!(matrix[c][c] > 1e-10 * whole))
        return false;
      matrix[c][c] = std::sqrt(matrix[c][c]);
      for (int r = c + 1; r < N; ++r) {
        for (int k = 0; k < c; ++k)
          matrix[r][c] -= matrix[r][k] * matrix[c][k];
        matrix[r][c] /= matrix[c][c];
      }
    }
    for (int v = 0; v < M; ++v) {
      for (int r = 0; r < N; ++r) {
        for (int k = 0; k < r; ++k)
          right[r][v] -= matrix[r][k] * right[k][v];
        right[r][v] /= matrix[r][r];
      }
      for (int r = N - 1; r >= 0; --r) {
        for (int k = r + 1; k < N; ++k)
          right[r][v] -= matrix[k][r] * right[k][v];
        right[r][v] /= matrix[r][r];
      }
    }
    return true;
  }

  /// Mean of the fields of the first `n` elements of a patch at the node, weighted by measure.
  KOKKOS_FUNCTION void average(const Patch<Dim>& patch, int n, index_t node, double (&result)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      result[d] = 0.;
    double weight = 0.;
    for (int i = 0; i < n; ++i) {
      const index_t e = patch.elements[i];
      add_field_at_node(form, graph::LocalNode{e, local_number(node, e)}, nodal, result, weight);
    }
    for (int d = 0; d < Dim; ++d)
      result[d] /= weight;
  }
};

} // namespace tessera::physics::detail

#endif
