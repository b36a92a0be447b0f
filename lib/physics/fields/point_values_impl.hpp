// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_POINT_VALUES_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_POINT_VALUES_IMPL_HPP

/// \file
/// Definitions of physics/fields/point_values.hpp: included only by the generated instantiations.

#include "core/algorithms/list_marked.hpp"
#include "physics/estimates/recovery_impl.hpp"

namespace tessera::physics {

namespace detail {

/// Points in elements, by barycentric coordinates.
template <int Dim, class Space> struct LocalPoints {
  Array<const index_t*, Space> element; // n_elements: outside
  Array<double * [Dim + 1], Space> lambda;

  std::int64_t n() const { return static_cast<std::int64_t>(lambda.extent(0)); }
};

template <class Form> struct LocateInElement {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  Array<const double* [3], Space> points;
  LocalPoints<Dim, Space> local_points;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const index_t e = local_points.element(i);
    double lambda[Dim + 1];
    for (int k = 0; k <= Dim; ++k)
      lambda[k] = 0.;
    if (e < form.n_elements()) {
      index_t n[Form::n_nodes];
      form.nodes(e, n);
      fe::ElementMap<typename Form::element> map;
      map.load(form.coordinates.data(), n, form.is_curved(e));
      const double x[3] = {points(i, 0), points(i, 1), points(i, 2)};
      barycentric<Form>(map, form.coordinates.data(), n, x, lambda);
    }
    for (int k = 0; k <= Dim; ++k)
      local_points.lambda(i, k) = lambda[k];
  }
};

template <class Space> struct MarkElements {
  Array<const index_t*, Space> element; // by point
  index_t n_elements;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (element(i) < n_elements)
      Kokkos::atomic_exchange(&marks(element(i)), index_t(1));
  }
};

/// The recovered field at the nodes of the elements with points, [position * n_nodes + node][Dim].
template <class Form> struct RecoverAtNodes {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  PatchFit<Form> fit;
  Array<const index_t*, Space> list;
  Array<double* [Dim], Space> recovered;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    graph::LocalNode own = graph::local_node<Form::n_nodes>(i);
    own.element = list(own.element);
    double field[Dim];
    fit.at_node(own, field);
    for (int d = 0; d < Dim; ++d)
      recovered(i, d) = field[d];
  }
};

constexpr int point_entries = 8; // solution, field, flux, region

template <class Form> struct EvaluateAtPoints {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  Array<const double*, Space> nodal;
  LocalPoints<Dim, Space> local_points;
  Array<const group_t*, Space> regions;
  Array<const index_t*, Space> positions; // empty: no recovery
  Array<double* [Dim], Space> recovered;
  double nan;
  Array<double* [point_entries], Space> result;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const index_t e = local_points.element(i);
    for (int k = 0; k < point_entries; ++k)
      result(i, k) = nan;
    if (e >= form.n_elements())
      return;
    for (int k = 1; k < point_entries; ++k)
      result(i, k) = 0.;
    double lambda[Dim + 1];
    for (int k = 0; k <= Dim; ++k)
      lambda[k] = local_points.lambda(i, k);
    LocalField<Form> local(form, e, nodal);
    local.move_to(lambda);
    result(i, 0) = value(local, e, lambda);
    result(i, point_entries - 1) = regions.extent(0) > 0 ? regions(e) : 0.;
    double v[Dim];
    if (positions.extent(0) > 0) {
      interpolate(e, lambda, v);
      to_space(local, e, lambda, v);
    } else {
      local.vector(form, e, lambda, v);
    }
    for (int d = 0; d < Dim; ++d)
      result(i, 1 + d) = v[d];
    flux_of(form, e, local, lambda, v);
    for (int d = 0; d < Dim; ++d)
      result(i, 4 + d) = v[d];
  }

private:
  KOKKOS_FUNCTION double value(const LocalField<Form>& local, index_t e, const double (&lambda)[Dim + 1]) const {
    if constexpr (Form::has_vector_potential) {
      double x[Dim];
      for (int d = 0; d < Dim; ++d)
        x[d] = local.map.coordinate(d, lambda);
      double shapes[Form::n_nodes];
      form.shapes(e, local.n, x, lambda, shapes);
      double sum = 0.;
      for (int a = 0; a < Form::n_nodes; ++a)
        sum += local.u[a] * shapes[a];
      return sum;
    } else {
      return local.value(lambda);
    }
  }

  KOKKOS_FUNCTION void interpolate(index_t e, const double (&lambda)[Dim + 1], double (&v)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      v[d] = 0.;
    for (int a = 0; a < Form::n_nodes; ++a) {
      const double weight = Form::element::value(a, lambda);
      const std::int64_t row = static_cast<std::int64_t>(positions(e)) * Form::n_nodes + a;
      for (int d = 0; d < Dim; ++d)
        v[d] += weight * recovered(row, d);
    }
  }

  /// Converts B on the mesh of a shell to B at the point of space.
  KOKKOS_FUNCTION void to_space(const LocalField<Form>& local, index_t e, const double (&lambda)[Dim + 1],
                                double (&v)[Dim]) const {
    if constexpr (Form::has_vector_potential) {
      double x[Dim];
      for (int d = 0; d < Dim; ++d)
        x[d] = local.map.coordinate(d, lambda);
      form.to_space(form.medium.regions(e), x, v);
    }
  }
};

/// The form for recovery: the fields on the mesh are used also in shells, where those in space decay within few
/// elements.
template <class Form> Form in_mesh(Form form) {
  if constexpr (Form::has_vector_potential)
    form.shell = {};
  return form;
}

/// Values at the points, [n][point_entries].
template <class ExecutionSpace, class Form>
Array<double* [point_entries], ExecutionSpace>
evaluate_points(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                const LocalPoints<Form::dimension, typename ExecutionSpace::memory_space>& local_points,
                const FieldRecovery<ExecutionSpace>& recovery) {
  constexpr int Dim = Form::dimension;
  using Space = typename ExecutionSpace::memory_space;
  const auto result =
      make_array<Array<double* [point_entries], ExecutionSpace>>(exec, "physics::point_values", local_points.n());
  EvaluateAtPoints<Form> evaluate{
      form, nodal, local_points, recovery.regions, {}, {}, std::numeric_limits<double>::quiet_NaN(), result};
  graph::Incidence<Space> incidence;
  Array<index_t*, Space> list;
  if (recovery.requested && local_points.n() > 0) {
    const auto& nodes = form.element_nodes;
    incidence = graph::build_incidence<ExecutionSpace>(
        exec, Array<const index_t*, ExecutionSpace>(nodes.data(), nodes.size()), Form::n_nodes, {}, recovery.n_nodes);
    const auto positions = make_filled<Array<index_t*, Space>>(exec, "physics::recovered_elements",
                                                               static_cast<std::int64_t>(form.n_elements()) + 1, 0);
    for_each("tessera::physics::mark_elements", exec, local_points.n(),
             MarkElements<Space>{local_points.element, form.n_elements(), positions});
    const std::int64_t n_marked = counts_to_offsets(exec, positions, form.n_elements(), "elements with points");
    list = list_marked(exec, "physics::list_of_elements", positions, form.n_elements(), n_marked);
    evaluate.positions = positions;
    evaluate.recovered =
        make_array<Array<double* [Dim], Space>>(exec, "physics::recovered_fields", n_marked * Form::n_nodes);
    for_each(
        "tessera::physics::recover_fields", exec, n_marked * Form::n_nodes,
        RecoverAtNodes<Form>{
            {in_mesh(form), nodal, {incidence, {}}, recovery.regions, recovery.node_constraint, recovery.n_constraints},
            list,
            evaluate.recovered});
  }
  for_each("tessera::physics::evaluate_points", exec, local_points.n(), evaluate);
  keep_alive(exec, incidence, list, evaluate.positions, evaluate.recovered);
  return result;
}

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<PointValue>
values_at(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
          const std::vector<std::array<double, 3>>& points, const FieldRecovery<ExecutionSpace>& recovery) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  constexpr int Dim = Form::dimension;
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<std::int64_t>(points.size());
  const auto position = make_array<Array<double* [3], Space>>(exec, "physics::probe_points", n);
  Kokkos::View<const double* [3], Kokkos::LayoutRight, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      points.empty() ? nullptr : points.front().data(), points.size());
  copy(exec, position, host);
  const detail::LocalPoints<Dim, Space> local_points{
      detail::locate_points(exec, detail::lagrange_elements(form), points),
      make_array<Array<double * [Dim + 1], Space>>(exec, "physics::barycentric_coordinates", n)};
  for_each("tessera::physics::locate_in_elements", exec, n,
           detail::LocateInElement<Form>{form, position, local_points});
  const auto values = to_host(exec, detail::evaluate_points(exec, form, nodal, local_points, recovery)); // waits
  const auto element = to_host(exec, local_points.element);
  std::vector<PointValue> rows(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    rows[i].value = values(i, 0);
    for (std::size_t d = 0; d < 3; ++d) {
      rows[i].field[d] = values(i, 1 + d);
      rows[i].flux[d] = values(i, 4 + d);
    }
    const double region = values(i, detail::point_entries - 1);
    rows[i].region = std::isnan(region) ? -1 : static_cast<int>(region);
    rows[i].element = std::isnan(region) ? -1 : element(i);
  }
  return rows;
}

} // namespace tessera::physics

#endif
