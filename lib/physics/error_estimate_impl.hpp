// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ERROR_ESTIMATE_IMPL_HPP
#define TESSERA_PHYSICS_ERROR_ESTIMATE_IMPL_HPP

/// \file
/// Definition of physics/error_estimate.hpp: included only by the generated instantiations.

#include "physics/error_estimate.hpp"
#include "physics/recovery_impl.hpp"

namespace tessera::physics {

namespace detail {

/// Over which elements at a node fields are averaged: those of all, of the region, or of the side of an element.
struct Averages {
  static constexpr std::uint8_t of_all = 0;
  static constexpr std::uint8_t of_regions = 1;
  static constexpr std::uint8_t of_sides = 2;
};

/// Averages for the region of each node's first element, which is that of all of them at most nodes.
template <class Form> struct AverageAtNodes {
  static constexpr int Dim = Form::dimension;
  RegionAverage<Form> field;
  PatchFit<Form> fit;
  Array<double* [Dim], typename Form::memory_space> mean;
  Array<std::uint8_t*, typename Form::memory_space> averages;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    const offset_t first = field.incidence.offsets(node);
    if (first == field.incidence.offsets(node + 1)) // of no element
      return;
    double own[Dim];
    const graph::LocalNode pair = graph::local_node<Form::n_nodes>(field.incidence.pairs(first));
    std::uint8_t over = Averages::of_all;
    if (field.average(node, field.regions(pair.element), own))
      over = Averages::of_regions;
    for (int d = 0; d < Dim; ++d)
      mean(node, d) = own[d];
    // At the domain's boundary all elements are at one side, mostly.
    const int n_pairs = static_cast<int>(field.incidence.offsets(node + 1) - first);
    if (fit.may_be_divided(node) && (over == Averages::of_regions || fit.average_side(pair, own) < n_pairs))
      over = Averages::of_sides;
    averages(node) = over;
  }
};

/// Square of an element's error, and that of the field.
template <class Form> struct SumElementErrors {
  static constexpr int Dim = Form::dimension;
  using rule = fe::FormQuadrature<Dim, Form::element::order>;
  RegionAverage<Form> field;
  PatchFit<Form> fit;
  ConstArray<const double* [Dim], typename Form::memory_space> mean;
  ConstArray<const std::uint8_t*, typename Form::memory_space> averages;
  Array<double*, typename Form::memory_space> squares;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    const auto e = static_cast<index_t>(i);
    const Form& form = field.fields.form;
    LocalField<Form> local(form, e, field.fields.nodal);
    double recovered[Form::n_nodes][Dim];
    for (int a = 0; a < Form::n_nodes; ++a) {
      const index_t node = local.n[a];
      if (averages(node) == Averages::of_sides)
        fit.average_side({e, a}, recovered[a]);
      else if (averages(node) == Averages::of_regions)
        field.average(node, field.regions(e), recovered[a]);
      else
        for (int d = 0; d < Dim; ++d)
          recovered[a][d] = mean(node, d);
    }
    double zero[Dim] = {};
    flux_of(form, e, zero); // of magnets
    term[0] = term[1] = 0.;
    double v[Dim] = {};
    double flux[Dim] = {};
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double fraction = rule::point(q, lambda);
      local.move_to(lambda);
      const double weight = fraction * local.map.measure * form.integral_weight(local.map, lambda);
      double better[Dim] = {};
      if (q == 0 || !FieldsAtNodes<Form>::are_constant) {
        local.vector(form, e, lambda, v);
        for (int d = 0; d < Dim; ++d)
          flux[d] = v[d];
        flux_of(form, e, flux);
      }
      for (int a = 0; a < Form::n_nodes; ++a)
        for (int d = 0; d < Dim; ++d)
          better[d] += Form::element::value(a, lambda) * recovered[a][d];
      double better_flux[Dim];
      for (int d = 0; d < Dim; ++d)
        better_flux[d] = better[d];
      flux_of(form, e, better_flux);
      for (int d = 0; d < Dim; ++d) {
        term[0] += weight * (better[d] - v[d]) * (better_flux[d] - flux[d]);
        term[1] += weight * v[d] * (flux[d] - zero[d]);
      }
    }
    squares(e) = term[0];
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace> estimate_error(const ExecutionSpace& exec, const Form& form,
                                             const Array<const double*, ExecutionSpace>& nodal,
                                             const FieldRecovery<ExecutionSpace>& recovery) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int Dim = Form::dimension;
  const index_t n_nodes = recovery.n_nodes;
  const auto& nodes = form.element_nodes;
  using Fields = detail::FieldsAtNodes<Form>;
  Fields fields{form, nodal, {}};
  if constexpr (Fields::are_kept) {
    fields.kept =
        make_array<Array<double*, Space>>(exec, "physics::fields_of_elements",
                                          static_cast<std::int64_t>(form.n_elements()) * Fields::n_values * (Dim + 1));
    for_each("tessera::physics::fields_of_elements", exec, form.n_elements(), fields);
  }
  const detail::RegionAverage<Form> field{
      fields,
      graph::build_incidence<ExecutionSpace>(exec, Array<const index_t*, ExecutionSpace>(nodes.data(), nodes.size()),
                                             Form::n_nodes, {}, n_nodes),
      recovery.regions};
  const detail::PatchFit<Form> fit{
      form, nodal, field.incidence, recovery.regions, recovery.node_constraint, recovery.n_constraints};
  const auto mean = make_array<Array<double* [Dim], Space>>(exec, "physics::recovered_field", n_nodes);
  const auto averages =
      make_filled<Array<std::uint8_t*, Space>>(exec, "physics::averages", n_nodes, detail::Averages::of_all);
  for_each("tessera::physics::average_at_nodes", exec, n_nodes,
           detail::AverageAtNodes<Form>{field, fit, mean, averages});
  ErrorEstimate<ExecutionSpace> estimate;
  estimate.squares = make_array<Array<double*, Space>>(exec, "physics::squared_errors", form.n_elements());
  const ReduceWorkspace<ExecutionSpace> workspace(exec, form.n_elements(), 2);
  const auto sums = make_array<Array<double*, Space>>(exec, "physics::error_sums", 2);
  linalg::global_sums<2>("tessera::physics::element_errors", exec, form.n_elements(),
                         detail::SumElementErrors<Form>{field, fit, mean, averages, estimate.squares}, workspace,
                         sums.data(), linalg::GlobalSums<ExecutionSpace>::local());
  const auto host = to_host(exec, sums); // waits: the other arrays may go
  estimate.error = std::sqrt(host(0));
  estimate.norm = std::sqrt(host(1) > 0. ? host(1) : 0.);
  return estimate;
}

} // namespace tessera::physics

#endif
