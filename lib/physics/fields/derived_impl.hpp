// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_DERIVED_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_DERIVED_IMPL_HPP

/// \file
/// Definitions of physics/fields/derived.hpp: included only by the generated instantiations.

#include "core/algorithms/grouped_items.hpp"
#include "core/algorithms/segmented_sums.hpp"
#include "core/keep_alive.hpp"
#include "linalg/global_sums.hpp"
#include "mesh/point_tree.hpp"
#include "physics/expressions/expression_program.hpp"
#include "physics/fields/derived.hpp"
#include "physics/forms/diffusion_form.hpp"

#include <cmath>
#include <limits>

namespace tessera::physics {

namespace detail {

template <class Form> struct SumEnergy {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const index_t e = static_cast<index_t>(i);
    index_t n[Form::n_nodes];
    double u[Form::n_nodes];
    form.nodes(e, n);
    for (int a = 0; a < Form::n_nodes; ++a)
      u[a] = nodal(n[a]);
    term[0] = form.energy(e, n, u);
  }
};

/// Constraint of a pair (element * n_nodes + a), or -1 unless it is the first pair of its element with this constraint.
template <class Elements> struct ConstraintOfPair {
  Elements elements;
  Array<const group_t*, typename Elements::memory_space> node_constraint;
  index_t n_constraints;
  KOKKOS_FUNCTION index_t operator()(std::int64_t pair) const {
    const group_t constraint = node_constraint(elements.element_nodes.data()[pair]);
    if (constraint >= n_constraints) // unconstrained: before the division, for most pairs are
      return -1;
    const graph::LocalNode own = graph::local_node<Elements::n_nodes>(pair);
    for (int b = 0; b < own.a; ++b)
      if (node_constraint(elements.element_nodes(own.element, b)) == constraint)
        return -1;
    return constraint;
  }
};

/// Residual r = K u - f of one element.
template <class Form>
KOKKOS_INLINE_FUNCTION void element_residual(const Form& form, index_t e, const index_t (&n)[Form::n_nodes],
                                             const Array<const double*, typename Form::memory_space>& nodal,
                                             double (&r)[Form::n_nodes]) {
  if constexpr (Form::has_vector_potential) {
    double K[Form::n_nodes][Form::n_nodes];
    double f[Form::n_nodes];
    form.system(e, n, K, f);
    for (int a = 0; a < Form::n_nodes; ++a) {
      r[a] = -f[a];
      for (int b = 0; b < Form::n_nodes; ++b)
        r[a] += K[a][b] * nodal(n[b]);
    }
  } else {
    double u[Form::n_nodes];
    for (int a = 0; a < Form::n_nodes; ++a)
      u[a] = nodal(n[a]);
    form.residual(e, n, u, r);
  }
}

/// Residual of an element summed over the nodes of a constraint.
template <class Form> struct SumResidual {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const group_t*, typename Form::memory_space> node_constraint;
  Array<const std::int64_t*, typename Form::memory_space> pairs;
  KOKKOS_FUNCTION void operator()(index_t constraint, std::int64_t i, double (&term)[1]) const {
    const index_t e = graph::local_node<Form::n_nodes>(pairs(i)).element;
    term[0] = 0.;
    index_t n[Form::n_nodes];
    double r[Form::n_nodes];
    form.nodes(e, n);
    element_residual(form, e, n, nodal, r);
    for (int a = 0; a < Form::n_nodes; ++a)
      if (node_constraint(n[a]) == constraint)
        term[0] += r[a];
  }
};

/// Bound of the effect of the nodal values' rounding on SumResidual: eps |u_b| times the sum of the constraint's rows
/// in column b, which vanishes within its nodes.
template <class Form> struct SumRounding {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const group_t*, typename Form::memory_space> node_constraint;
  Array<const std::int64_t*, typename Form::memory_space> pairs;
  KOKKOS_FUNCTION void operator()(index_t constraint, std::int64_t i, double (&term)[1]) const {
    const index_t e = graph::local_node<Form::n_nodes>(pairs(i)).element;
    index_t n[Form::n_nodes];
    double K[Form::n_nodes][Form::n_nodes];
    double f[Form::n_nodes];
    form.nodes(e, n);
    form.system(e, n, K, f);
    bool has_all = true;
    for (int a = 0; a < Form::n_nodes; ++a)
      has_all = has_all && node_constraint(n[a]) == constraint;
    double sum = 0.;
    for (int b = 0; b < Form::n_nodes && !has_all; ++b) {
      double column = 0.;
      for (int a = 0; a < Form::n_nodes; ++a)
        column += node_constraint(n[a]) == constraint ? K[a][b] : 0.;
      const double entry = column * nodal(n[b]);
      sum += entry < 0. ? -entry : entry;
    }
    term[0] = std::numeric_limits<double>::epsilon() * sum;
  }
};

/// Residual of an element at its nodes without constraint, and the magnitudes of its residual at all nodes.
template <class Form> struct SumResidualOfOthers {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const group_t*, typename Form::memory_space> node_constraint;
  index_t n_constraints;
  Array<const signed char*, typename Form::memory_space> node_sign; // may be empty
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    const auto e = static_cast<index_t>(i);
    index_t n[Form::n_nodes];
    double r[Form::n_nodes];
    form.nodes(e, n);
    element_residual(form, e, n, nodal, r);
    term[0] = term[1] = 0.;
    for (int a = 0; a < Form::n_nodes; ++a) {
      if (node_constraint(n[a]) >= n_constraints)
        term[0] += node_sign.extent(0) > 0 ? node_sign(n[a]) * r[a] : r[a];
      term[1] += r[a] < 0. ? -r[a] : r[a];
    }
  }
};

/// f - K u in the row of an unknown, from the pairs of its nodes.
template <class Form> struct ResidualRow {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const signed char*, typename Form::memory_space> node_sign; // may be empty
  graph::Incidence<typename Form::memory_space> incidence;
  Array<double*, typename Form::memory_space> result;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    double sum = 0.;
    for (offset_t s = incidence.offsets(row); s < incidence.offsets(row + 1); ++s) {
      const graph::LocalNode own = graph::local_node<Form::n_nodes>(incidence.pairs(s));
      index_t n[Form::n_nodes];
      double r[Form::n_nodes];
      form.nodes(own.element, n);
      element_residual(form, own.element, n, nodal, r);
      sum -= node_sign.extent(0) > 0 ? node_sign(n[own.a]) * r[own.a] : r[own.a];
    }
    result(row) = sum;
  }
};

/// Geometry and solution of one element.
template <class Form> struct LocalField {
  static constexpr int Dim = Form::dimension;
  using element = typename Form::element;
  const double* coordinates;
  index_t n[Form::n_nodes];
  fe::ElementMap<element> map;
  double u[Form::n_nodes];

  KOKKOS_FUNCTION LocalField(const Form& form, index_t e,
                             const Array<const double*, typename Form::memory_space>& nodal) {
    coordinates = form.coordinates.data();
    form.nodes(e, n);
    map.load(coordinates, n, form.is_curved(e));
    for (int a = 0; a < Form::n_nodes; ++a)
      u[a] = nodal(n[a]);
  }

  /// Moves to a point, for the functions below.
  KOKKOS_FUNCTION void move_to(const double (&lambda)[Dim + 1]) { map.move_to(coordinates, n, lambda); }

  KOKKOS_FUNCTION double value(const double (&lambda)[Dim + 1]) const {
    double sum = 0.;
    for (int a = 0; a < Form::n_nodes; ++a)
      sum += u[a] * element::value(a, lambda);
    return sum;
  }

  KOKKOS_FUNCTION void gradient(const double (&lambda)[Dim + 1], double (&g)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      g[d] = 0.;
    for (int a = 0; a < Form::n_nodes; ++a) {
      double own[Dim];
      element::gradient(a, lambda, map.grad_lambda, own);
      for (int d = 0; d < Dim; ++d)
        g[d] += u[a] * own[d];
    }
  }

  /// The vector field of the form: the gradient, or B of a vector potential.
  KOKKOS_FUNCTION void vector(const Form& form, index_t e, const double (&lambda)[Dim + 1], double (&v)[Dim]) const {
    if constexpr (Form::has_vector_potential)
      form.flux_density(e, n, lambda, u, v);
    else
      gradient(lambda, v);
  }
};

/// Converts the vector field of a form at a point of an element, to which `local` was moved, to the flux there. The
/// material is evaluated slightly (1e-8) closer to the element's centre, so that a material that jumps at faces is that
/// of the element.
template <class Form>
KOKKOS_INLINE_FUNCTION void flux_of(const Form& form, index_t e, const LocalField<Form>& local,
                                    const double (&lambda)[Form::dimension + 1], double (&v)[Form::dimension]) {
  constexpr int Dim = Form::dimension;
  double x[Dim];
  for (int d = 0; d < Dim; ++d) {
    double middle = 0.;
    for (int k = 0; k <= Dim; ++k)
      middle += local.map.p[k][d] * (1. / (Dim + 1));
    x[d] = local.map.coordinate(d, lambda);
    x[d] += 1e-8 * (middle - x[d]);
  }
  if constexpr (Form::has_vector_potential)
    form.field_strength(e, x, v);
  else
    form.to_flux(e, x, v);
}

template <class Space> struct RegionOfElement {
  Array<const group_t*, Space> regions;
  KOKKOS_FUNCTION index_t operator()(std::int64_t e) const { return regions(e); }
};

template <class Form, bool Flux> struct CentroidField {
  static constexpr int Dim = Form::dimension;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  double scale;
  Array<double* [Dim], typename Form::memory_space> result;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    LocalField<Form> field(form, e, nodal);
    double lambda[Dim + 1];
    for (int k = 0; k <= Dim; ++k)
      lambda[k] = 1. / (Dim + 1);
    field.move_to(lambda);
    double v[Dim];
    field.vector(form, e, lambda, v);
    if constexpr (Flux)
      flux_of(form, e, field, lambda, v);
    for (int d = 0; d < Dim; ++d)
      result(e, d) = scale * v[d];
  }
};

/// Adds the field at a node in one of its elements, weighted by the element's measure.
template <class Form>
KOKKOS_INLINE_FUNCTION void add_field_at_node(const Form& form, const graph::LocalNode& own,
                                              const Array<const double*, typename Form::memory_space>& nodal,
                                              double (&sum)[Form::dimension], double& weight) {
  LocalField<Form> field(form, own.element, nodal);
  double lambda[Form::dimension + 1];
  Form::element::node_position(own.a, lambda);
  field.move_to(lambda);
  double v[Form::dimension];
  field.vector(form, own.element, lambda, v);
  for (int d = 0; d < Form::dimension; ++d)
    sum[d] += field.map.measure * v[d];
  weight += field.map.measure;
}

template <class Form> struct NodalField {
  static constexpr int Dim = Form::dimension;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  double scale;
  graph::Incidence<typename Form::memory_space> incidence;
  Array<double* [Dim], typename Form::memory_space> result;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    double sum[Dim] = {};
    double weight = 0.;
    for (offset_t s = incidence.offsets(node); s < incidence.offsets(node + 1); ++s)
      add_field_at_node(form, graph::local_node<Form::n_nodes>(incidence.pairs(s)), nodal, sum, weight);
    for (int d = 0; d < Dim; ++d)
      result(node, d) = weight > 0. ? scale * sum[d] / weight : 0.;
  }
};

/// Moves the map of an element with the nodes n to a point: finds its barycentric coordinates.
template <class Form>
KOKKOS_INLINE_FUNCTION void barycentric(fe::ElementMap<typename Form::element>& map, const double* coordinates,
                                        const index_t (&n)[Form::n_nodes], const double (&x)[3],
                                        double (&lambda)[Form::dimension + 1]) {
  if (map.is_curved) {
    map.find(coordinates, n, x, lambda);
    return;
  }
  double sum = 0.;
  for (int k = 1; k <= Form::dimension; ++k) {
    lambda[k] = 0.;
    for (int d = 0; d < Form::dimension; ++d)
      lambda[k] += map.grad_lambda[k][d] * (x[d] - map.p[0][d]);
    sum += lambda[k];
  }
  lambda[0] = 1. - sum;
}

/// Finds the element with the smallest index that contains each point, up to rounding: each element tests the points in
/// its bounding box.
template <class Elements> struct LocatePoints {
  static constexpr int Dim = Elements::dimension;
  using Element = typename Elements::element;
  using Map = fe::ElementMap<Element>;
  using Tree = mesh::PointTree<Dim, typename Elements::memory_space>;
  Elements elements;
  Tree tree;
  Array<index_t*, typename Elements::memory_space> element; // of each point, in the given order
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t n[Elements::n_nodes];
    elements.nodes(e, n);
    Map map;
    map.load(elements.coordinates.data(), n, elements.is_curved(e));
    double low[Dim];
    double high[Dim];
    for (int d = 0; d < Dim; ++d) {
      low[d] = map.p[0][d];
      high[d] = map.p[0][d];
      for (int k = 1; k <= Dim; ++k) {
        low[d] = map.p[k][d] < low[d] ? map.p[k][d] : low[d];
        high[d] = map.p[k][d] > high[d] ? map.p[k][d] : high[d];
      }
      const double margin = 1e-9 * (high[d] - low[d]) + bend(n, map, d);
      low[d] -= margin;
      high[d] += margin;
    }
    auto node = tree.begin();
    if (!tree.next_leaf(node, low, high))
      return;
    do
      for (index_t i = tree.first_point(node); i < tree.end_point(node); ++i)
        if (holds(n, map, low, high, i))
          Kokkos::atomic_fetch_min(&element(tree.numbers(i)), e);
    while (tree.next_leaf(node, low, high));
  }

private:
  /// Bound of the distance by which a curved element extends beyond its vertices' bounding box.
  KOKKOS_FUNCTION double bend(const index_t (&n)[Elements::n_nodes], const Map& map, int d) const {
    double sum = 0.;
    if constexpr (Element::order == 2)
      if (map.is_curved)
        for (int edge = 0; edge < Element::simplex::n_edges; ++edge) {
          const double own =
              elements.coordinates(n[Dim + 1 + edge], d) -
              0.5 * (map.p[Element::simplex::edge_begin(edge)][d] + map.p[Element::simplex::edge_end(edge)][d]);
          sum += own < 0. ? -own : own;
        }
    return sum;
  }

  KOKKOS_FUNCTION bool holds(const index_t (&n)[Elements::n_nodes], Map& map, const double (&low)[Dim],
                             const double (&high)[Dim], index_t i) const {
    bool inside = true;
    for (int d = 0; d < Dim; ++d)
      inside = inside && tree.points(i, d) >= low[d] && tree.points(i, d) <= high[d];
    if (inside && map.is_curved) {
      double x[Dim];
      double lambda[Dim + 1];
      for (int d = 0; d < Dim; ++d)
        x[d] = tree.points(i, d);
      inside = map.find(elements.coordinates.data(), n, x, lambda);
      for (int k = 0; k <= Dim; ++k)
        inside = inside && lambda[k] >= -1e-9;
      return inside;
    }
    double first = 1.;
    for (int k = 1; k <= Dim && inside; ++k) {
      double lambda = 0.;
      for (int d = 0; d < Dim; ++d)
        lambda += map.grad_lambda[k][d] * (tree.points(i, d) - map.p[0][d]);
      first -= lambda;
      inside = lambda >= -1e-9;
    }
    return inside && first >= -1e-9;
  }
};

/// Squared errors and squared norms of the exact solution; program 0 is the solution, 1 ... the gradient.
template <class Elements> struct SumErrors {
  static constexpr int Dim = Elements::dimension;
  using rule = fe::ErrorQuadrature<Dim>;
  Elements elements;
  Array<const double*, typename Elements::memory_space> nodal;
  ExpressionProgram<typename Elements::memory_space> program;
  bool has_gradient;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[4]) const {
    for (int s = 0; s < 4; ++s)
      term[s] = 0.;
    LocalField<Elements> field(elements, static_cast<index_t>(i), nodal);
    if constexpr (Elements::element::order == 1) {
      TESSERA_UNROLL // with the barycentric coordinates as constants
          for (int first = 0; first < rule::n_points; first += points_at_once) add_points(field, first, term);
    } else {
      for (int first = 0; first < rule::n_points; first += points_at_once)
        add_points(field, first, term);
    }
  }

private:
  /// Adds the points first, ..., first + points_at_once - 1, of which those beyond the last have no weight.
  KOKKOS_FORCEINLINE_FUNCTION void add_points(LocalField<Elements>& field, int first, double (&term)[4]) const {
    double x[4][points_at_once] = {};
    TESSERA_UNROLL
    for (int j = 0; j < points_at_once; ++j) {
      double lambda[Dim + 1];
      rule::point(first + j < rule::n_points ? first + j : first, lambda);
      field.move_to(lambda);
      for (int d = 0; d < Dim; ++d)
        x[d][j] = field.map.coordinate(d, lambda);
    }
    double exact[Dim + 1][points_at_once];
    for (int k = 0; k <= (has_gradient ? Dim : 0); ++k)
      program.evaluate(k, x, exact[k]);
    TESSERA_UNROLL
    for (int j = 0; j < points_at_once; ++j) {
      if (first + j >= rule::n_points)
        continue;
      double lambda[Dim + 1];
      const double fraction = rule::point(first + j, lambda);
      field.move_to(lambda);
      const double weight = fraction * field.map.measure;
      const double error = exact[0][j] - field.value(lambda);
      term[0] += weight * error * error;
      term[1] += weight * exact[0][j] * exact[0][j];
      if (has_gradient) {
        double g[Dim];
        field.gradient(lambda, g);
        for (int d = 0; d < Dim; ++d) {
          const double component = exact[1 + d][j];
          term[2] += weight * (component - g[d]) * (component - g[d]);
          term[3] += weight * component * component;
        }
      }
    }
  }
};

template <bool Flux, class ExecutionSpace, class Field>
Array<double* [Field::dimension], ExecutionSpace> centroid_field(const ExecutionSpace& exec, const Field& field,
                                                                 const Array<const double*, ExecutionSpace>& nodal,
                                                                 double scale) {
  using Result = Array<double * [Field::dimension], ExecutionSpace>;
  Result result = make_array<Result>(exec, "physics::centroid_field", field.n_elements());
  for_each("tessera::physics::centroid_field", exec, field.n_elements(),
           CentroidField<Field, Flux>{field, nodal, scale, result});
  return result;
}

template <class ExecutionSpace, class Field>
Array<double* [Field::dimension], ExecutionSpace> nodal_gradients(const ExecutionSpace& exec, const Field& field,
                                                                  index_t n_nodes,
                                                                  const Array<const double*, ExecutionSpace>& nodal,
                                                                  double scale) {
  using Result = Array<double * [Field::dimension], ExecutionSpace>;
  const auto& nodes = field.element_nodes;
  const auto incidence = graph::build_incidence<ExecutionSpace>(
      exec, Array<const index_t*, ExecutionSpace>(nodes.data(), nodes.size()), Field::n_nodes, {}, n_nodes);
  Result result = make_array<Result>(exec, "physics::nodal_gradients", n_nodes);
  for_each("tessera::physics::nodal_gradients", exec, n_nodes,
           NodalField<Field>{field, nodal, scale, incidence, result});
  keep_alive(exec, incidence);
  return result;
}

template <class ExecutionSpace, class Elements>
Array<index_t*, ExecutionSpace> locate_points(const ExecutionSpace& exec, const Elements& elements,
                                              const std::vector<std::array<double, 3>>& points) {
  const auto element = make_filled<Array<index_t*, ExecutionSpace>>(
      exec, "physics::probe_elements", static_cast<std::int64_t>(points.size()), elements.n_elements());
  const auto tree = mesh::make_point_tree<ExecutionSpace, Elements::dimension>(exec, points);
  for_each("tessera::physics::locate_points", exec, elements.n_elements(),
           LocatePoints<Elements>{elements, tree, element});
  keep_alive(exec, tree);
  return element;
}

/// Pairs (element * n_nodes + a) at the nodes of each constraint, one per element with any.
template <class ExecutionSpace, class Elements>
GroupedItems<typename ExecutionSpace::memory_space>
elements_at_constraints(const ExecutionSpace& exec, const Elements& elements,
                        const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints) {
  return group_items(exec, static_cast<std::int64_t>(elements.n_elements()) * Elements::n_nodes, n_constraints,
                     ConstraintOfPair<Elements>{elements, node_constraint, n_constraints}, "elements at constraints");
}

template <class ExecutionSpace, class Elements>
ErrorNorms error_norms(const ExecutionSpace& exec, const Elements& elements,
                       const Array<const double*, ExecutionSpace>& nodal, const Expression& exact,
                       const std::vector<Expression>& gradient) {
  std::vector<Expression> programs{exact};
  programs.insert(programs.end(), gradient.begin(), gradient.end());
  ReduceWorkspace<ExecutionSpace> workspace(exec, elements.n_elements(), 4);
  auto sums = make_array<Array<double*, ExecutionSpace>>(exec, "physics::error_sums", 4);
  const auto program = make_program(exec, programs);
  linalg::global_sums<4, Elements::element::order == 1 ? SumKernels::two_teams : SumKernels::fastest>(
      "tessera::physics::errors", exec, elements.n_elements(),
      SumErrors<Elements>{elements, nodal, program, !gradient.empty()}, workspace, sums.data(),
      linalg::GlobalSums<ExecutionSpace>::local());
  const auto host = to_host(exec, sums); // waits: the program may be freed
  ErrorNorms norms;
  norms.l2 = std::sqrt(host(0));
  norms.exact_l2 = std::sqrt(host(1));
  norms.h1 = std::sqrt(host(2));
  norms.exact_h1 = std::sqrt(host(3));
  return norms;
}

} // namespace detail

template <class ExecutionSpace, class Form>
double field_energy(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal) {
  return linalg::global_sum("tessera::physics::energy", exec, form.n_elements(), detail::SumEnergy<Form>{form, nodal});
}

namespace detail {

template <class Functor, class ExecutionSpace, class Form>
std::vector<double> sum_at_constraints(const char* label, const ExecutionSpace& exec, const Form& form,
                                       const Array<const double*, ExecutionSpace>& nodal,
                                       const Array<const group_t*, ExecutionSpace>& node_constraint,
                                       index_t n_constraints) {
  if (n_constraints == 0)
    return {};
  const auto pairs = elements_at_constraints(exec, lagrange_elements(form), node_constraint, n_constraints);
  std::vector<Segment> segments;
  for (index_t c = 0; c < n_constraints; ++c)
    segments.push_back({pairs.host_starts[c], pairs.host_starts[c + 1], c});
  const SegmentedSums<ExecutionSpace> sums(exec, segments);
  const auto totals = make_array<Array<double*, ExecutionSpace>>(exec, "physics::constraint_totals", n_constraints);
  sums.sum(label, exec, Functor{form, nodal, node_constraint, pairs.items}, totals.data());
  const auto host = to_host(exec, totals); // waits: the pairs may be freed
  return {host.data(), host.data() + n_constraints};
}

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<double>
constraint_totals(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                  const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints) {
  return detail::sum_at_constraints<detail::SumResidual<Form>>("tessera::physics::constraint_totals", exec, form, nodal,
                                                               node_constraint, n_constraints);
}

template <class ExecutionSpace, class Form>
std::vector<double>
constraint_rounding(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                    const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints) {
  return detail::sum_at_constraints<detail::SumRounding<Form>>("tessera::physics::constraint_rounding", exec, form,
                                                               nodal, node_constraint, n_constraints);
}

template <class ExecutionSpace, class Form>
ResidualOfOthers residual_of_others(const ExecutionSpace& exec, const Form& form,
                                    const Array<const double*, ExecutionSpace>& nodal,
                                    const Array<const group_t*, ExecutionSpace>& node_constraint, index_t n_constraints,
                                    const Array<const signed char*, ExecutionSpace>& node_sign) {
  const ReduceWorkspace<ExecutionSpace> workspace(exec, form.n_elements(), 2);
  const auto sums = make_array<Array<double*, ExecutionSpace>>(exec, "physics::residual_of_others", 2);
  linalg::global_sums<2, SumKernels::few>(
      "tessera::physics::residual_of_others", exec, form.n_elements(),
      detail::SumResidualOfOthers<Form>{form, nodal, node_constraint, n_constraints, node_sign}, workspace, sums.data(),
      linalg::GlobalSums<ExecutionSpace>::local());
  const auto host = to_host(exec, sums);
  return {host(0), host(1)};
}

template <class ExecutionSpace, class Form>
void residual_rows(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                   const Array<const index_t*, ExecutionSpace>& node_rows,
                   const Array<const signed char*, ExecutionSpace>& node_sign,
                   const Array<double*, ExecutionSpace>& rows,
                   graph::Incidence<typename ExecutionSpace::memory_space>* kept) {
  const auto& nodes = form.element_nodes;
  const auto n_rows = static_cast<index_t>(rows.extent(0));
  graph::Incidence<typename ExecutionSpace::memory_space> incidence;
  if (kept != nullptr)
    incidence = *kept;
  if (incidence.offsets.extent(0) == 0)
    incidence = graph::build_incidence<ExecutionSpace>(
        exec, Array<const index_t*, ExecutionSpace>(nodes.data(), nodes.size()), Form::n_nodes, node_rows, n_rows);
  if (kept != nullptr)
    *kept = incidence;
  for_each("tessera::physics::residual_rows", exec, n_rows,
           detail::ResidualRow<Form>{form, nodal, node_sign, incidence, rows});
  keep_alive(exec, incidence);
}

} // namespace tessera::physics

#endif
