// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_ERROR_ESTIMATE_IMPL_HPP
#define TESSERA_PHYSICS_ESTIMATES_ERROR_ESTIMATE_IMPL_HPP

/// \file
/// Definition of physics/estimates/error_estimate.hpp: included only by the generated instantiations.
///
/// Order 2: fields are fitted at the sides of nodes (physics/fields/side_fields.hpp). Order 1: each element adds its
/// field, times its measure, to its nodes; then each element compares its field with the means. Hosts do the former in
/// the order of the elements without lists of elements at each node (graph/ordered_scatter.hpp), devices gather by such
/// lists: the same bits. At nodes where elements of several regions, or of two sides of a plate, meet, the means are
/// over the elements of one region or side: the few elements there are listed and computed again.

#include "core/algorithms/grouped_items.hpp"
#include "graph/ordered_scatter.hpp"
#include "physics/estimates/error_estimate.hpp"
#include "physics/estimates/recovery_impl.hpp"
#include "physics/fields/element_fields.hpp"
#include "physics/fields/side_fields.hpp"

namespace tessera::physics {

namespace detail {

/// The elements at a node over which means are taken.
enum class MeanOver : std::uint8_t {
  all = 0,
  region = 1, ///< the elements are in several regions
  side = 2,   ///< a plate or a sheet of charge divides the elements
  /// All, unless a condition at the node is found to divide them.
  all_at_condition = 3
};

/// Means of the field at the nodes, from sums.
template <class Form> struct NodalMeans {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Array<double * [Dim + 1], Space> sums; ///< field times measure, measure; finally the mean, 0 if there is no element
  Array<group_t*, Space> region;         ///< of the first element at the node
  Array<MeanOver*, Space> over;

  KOKKOS_FUNCTION void add(index_t node, group_t own_region, const double (&v)[Dim], double measure) const {
    double* const sum = sums.data() + static_cast<std::int64_t>(node) * (Dim + 1);
    if (sum[Dim] == 0.)
      region(node) = own_region;
    else if (region(node) != own_region)
      over(node) = MeanOver::region;
    for (int d = 0; d < Dim; ++d)
      sum[d] += measure * v[d];
    sum[Dim] += measure;
  }
  KOKKOS_FUNCTION void get(index_t node, double (&mean)[Dim]) const {
    const double* const sum = sums.data() + static_cast<std::int64_t>(node) * (Dim + 1);
    for (int d = 0; d < Dim; ++d)
      mean[d] = sum[d];
  }
};

/// The stored fields of elements, for gathering: each element is computed once instead of once per node. On hosts
/// storing would move more data than recomputing.
template <class Form> struct KeptFields {
  using Fields = ElementFields<Form>;
  static constexpr bool are_kept = !uses_host_forms<typename Form::memory_space>;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<Fields*, typename Form::memory_space> kept;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    LocalField<Form> local(form, e, nodal);
    kept(e).find(form, e, local);
  }
};

/// Adds the fields of an element to those of its nodes that are in the thread's range.
///
/// Traffic of all elements: their nodes and regions read; coordinates and potentials read, and sums read and written,
/// once for each node (neighbouring elements find them in caches).
template <class Form> struct ScatterFields {
  KeptFields<Form> elements;
  Array<const group_t*, typename Form::memory_space> regions;
  NodalMeans<Form> means;
  KOKKOS_FUNCTION void operator()(index_t e, const graph::OwnNodes& owns) const {
    LocalField<Form> local(elements.form, e, elements.nodal);
    ElementFields<Form> fields;
    fields.find(elements.form, e, local);
    const group_t region = regions(e);
    for (int a = 0; a < Form::n_nodes; ++a)
      if (owns(local.n[a]))
        means.add(local.n[a], region, fields.at(a), fields.measure_at(a));
  }
};

/// Sums the fields of the elements at a node. Traffic: the element-node pairs, and that of ScatterFields.
template <class Form> struct GatherFields {
  KeptFields<Form> elements;
  graph::Incidence<typename Form::memory_space> incidence;
  Array<const group_t*, typename Form::memory_space> regions;
  NodalMeans<Form> means;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    for (offset_t s = incidence.offsets(node); s < incidence.offsets(node + 1); ++s) {
      const graph::LocalNode own = graph::local_node<Form::n_nodes>(incidence.pairs(s));
      const auto& fields = elements.kept(own.element);
      means.add(node, regions(own.element), fields.at(own.a), fields.measure_at(own.a));
    }
  }
};

/// Marks a node with a condition, which may divide the elements around it; if these are in several regions, sides are
/// used as well.
KOKKOS_INLINE_FUNCTION MeanOver at_condition(MeanOver over) {
  return over == MeanOver::all ? MeanOver::all_at_condition : over == MeanOver::region ? MeanOver::side : over;
}

/// Computes means from the sums, and marks nodes with a fixed or floating value.
template <class Form> struct FinishMeans {
  static constexpr int Dim = Form::dimension;
  NodalMeans<Form> means;
  Array<const group_t*, typename Form::memory_space> node_constraint; // empty: none
  index_t n_constraints;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    double* const sum = means.sums.data() + static_cast<std::int64_t>(node) * (Dim + 1);
    for (int d = 0; d < Dim; ++d)
      sum[d] = sum[Dim] > 0. ? sum[d] / sum[Dim] : 0.;
    if (node_constraint.extent(0) > 0 && node_constraint(node) < n_constraints)
      means.over(node) = at_condition(means.over(node));
  }
};

/// Marks the nodes of faces with a condition on the flux.
template <class Form> struct MarkNatural {
  Form form;
  NodalMeans<Form> means;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int apex = 0; apex <= Form::dimension; ++apex)
      if (natural_facet(form, e, apex) >= 0)
        for (int a = 0; a < Form::n_nodes; ++a)
          if (is_on_face<Form::dimension>(a, apex)) { // all elements at a node write the same value
            const index_t node = form.element_nodes(e, a);
            means.over(node) = at_condition(means.over(node));
          }
  }
};

/// Finds faces of listed elements whose conditions divide elements.
template <class Form> struct FindDivided {
  PatchFit<Form> fit;
  NodalMeans<Form> means;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const auto e = static_cast<index_t>(elements(i));
    for (int apex = 0; apex <= Form::dimension; ++apex)
      if (fit.divides(e, apex))
        for (int a = 0; a < Form::n_nodes; ++a)
          if (is_on_face<Form::dimension>(a, apex))
            means.over(fit.form.element_nodes(e, a)) = MeanOver::side;
  }
};

/// Squared errors of the elements relative to the means over all elements; sums the squared norm of the field.
///
/// Traffic of all elements: their nodes and material read, the squares written; coordinates, potentials and means read
/// once for each node.
template <class Form> struct SumElementErrors {
  KeptFields<Form> elements;
  NodalMeans<Form> means;
  Array<double*, typename Form::memory_space> squares;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    const Form& form = elements.form;
    LocalField<Form> local(form, e, elements.nodal);
    double recovered[Form::n_nodes][Form::dimension];
    for (int a = 0; a < Form::n_nodes; ++a)
      means.get(local.n[a], recovered[a]);
    squares(e) = element_error(form, e, local, recovered, term[0]);
  }
};

/// 0 for elements with a node at which the mean over all elements may be wrong, else -1. Traffic: the connectivity.
template <class Form> struct IsSpecial {
  Form form;
  Array<const MeanOver*, typename Form::memory_space> over;
  KOKKOS_FUNCTION index_t operator()(std::int64_t e) const {
    const index_t* const n = form.element_nodes.data() + e * Form::n_nodes;
    int any = 0;
    for (int a = 0; a < Form::n_nodes; ++a)
      any |= static_cast<int>(over(n[a]));
    return any != 0 ? 0 : -1;
  }
};

/// The nodes of listed elements, element by element.
template <class Form> struct ListNodes {
  Form form;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  Array<index_t*, typename Form::memory_space> nodes;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (int a = 0; a < Form::n_nodes; ++a)
      nodes(static_cast<std::int64_t>(i) * Form::n_nodes + a) =
          form.element_nodes.data()[elements(i) * Form::n_nodes + a];
  }
};

/// Row indices of special nodes from their counts; -1 at other nodes.
template <class Space> struct RowsOfSpecial {
  Array<const MeanOver*, Space> over;
  Array<index_t*, Space> rows;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    if (over(node) == MeanOver::all)
      rows(node) = -1;
  }
};

/// Counts special nodes, for their row indices.
template <class Space> struct CountSpecial {
  Array<const MeanOver*, Space> over;
  Array<index_t*, Space> rows;
  KOKKOS_FUNCTION void operator()(index_t node) const { rows(node) = over(node) != MeanOver::all ? 1 : 0; }
};

/// Renumbers pairs of listed elements to pairs of all elements.
template <int NodesPerElement, class Space> struct RenumberPairs {
  Array<const std::int64_t*, Space> elements;
  Array<offset_t*, Space> pairs;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const graph::LocalNode own = graph::local_node<NodesPerElement>(pairs(i));
    pairs(i) = static_cast<offset_t>(elements(own.element) * NodesPerElement + own.a);
  }
};

/// Lists the elements at the special nodes, from the elements that have any.
template <class ExecutionSpace, class Form>
ElementsAround<typename ExecutionSpace::memory_space>
elements_at_special_nodes(const ExecutionSpace& exec, const Form& form, const Array<MeanOver*, ExecutionSpace>& over,
                          const Array<std::int64_t*, ExecutionSpace>& elements) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_nodes = static_cast<index_t>(over.extent(0));
  const auto n_listed = static_cast<std::int64_t>(elements.extent(0));
  const auto rows = make_array<Array<index_t*, Space>>(exec, "physics::rows_of_special_nodes", n_nodes + 1);
  for_each("tessera::physics::count_special_nodes", exec, n_nodes, CountSpecial<Space>{over, rows});
  const std::int64_t n_rows = counts_to_offsets(exec, rows, n_nodes, "nodes of interfaces and conditions");
  for_each("tessera::physics::rows_of_special_nodes", exec, n_nodes, RowsOfSpecial<Space>{over, rows});
  const auto nodes =
      make_array<Array<index_t*, Space>>(exec, "physics::nodes_of_special_elements", n_listed * Form::n_nodes);
  for_each("tessera::physics::list_nodes", exec, n_listed, ListNodes<Form>{form, elements, nodes});
  ElementsAround<Space> around;
  around.incidence =
      graph::build_incidence<ExecutionSpace>(exec, nodes, Form::n_nodes, rows, static_cast<index_t>(n_rows));
  around.rows = rows;
  for_each("tessera::physics::renumber_pairs", exec, around.incidence.pairs.extent(0),
           RenumberPairs<Form::n_nodes, Space>{elements, around.incidence.pairs});
  keep_alive(exec, nodes);
  return around;
}

/// The same squares for listed elements, by means over the element's region or side where required.
template <class Form> struct SpecialErrors {
  static constexpr int Dim = Form::dimension;
  SumElementErrors<Form> plain;
  PatchFit<Form> fit;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const auto e = static_cast<index_t>(elements(i));
    LocalField<Form> local(plain.elements.form, e, plain.elements.nodal);
    double recovered[Form::n_nodes][Dim];
    bool is_plain = true;
    for (int a = 0; a < Form::n_nodes; ++a) {
      const MeanOver over = plain.means.over(local.n[a]);
      is_plain = is_plain && over != MeanOver::side && over != MeanOver::region;
      if (over == MeanOver::side)
        fit.average_side({e, a}, recovered[a]);
      else if (over == MeanOver::region)
        average_region(local.n[a], fit.regions(e), recovered[a]);
      else
        plain.means.get(local.n[a], recovered[a]);
    }
    if (is_plain)
      return;
    double norm = 0.;
    plain.squares(e) = element_error(plain.elements.form, e, local, recovered, norm);
  }

private:
  KOKKOS_FUNCTION void average_region(index_t node, group_t region, double (&mean)[Dim]) const {
    double weight = 0.;
    for (int d = 0; d < Dim; ++d)
      mean[d] = 0.;
    for (offset_t s = fit.around.begin(node); s < fit.around.end(node); ++s) {
      const graph::LocalNode own = fit.around.template at<Form::n_nodes>(s);
      if (fit.regions(own.element) != region)
        continue;
      LocalField<Form> local(plain.elements.form, own.element, plain.elements.nodal);
      double v[Dim];
      const double measure = ElementFields<Form>::find_at(plain.elements.form, own, local, v);
      for (int d = 0; d < Dim; ++d)
        mean[d] += measure * v[d];
      weight += measure;
    }
    for (int d = 0; d < Dim; ++d)
      mean[d] /= weight;
  }
};

template <class Space> struct SumSquares {
  Array<const double*, Space> squares;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { term[0] = squares(i); }
};

/// Means over all elements at each node, with marks of nodes at which they may be wrong. Fills the field array of
/// `elements`.
template <class ExecutionSpace, class Form>
NodalMeans<Form> make_means(const ExecutionSpace& exec, KeptFields<Form>& elements,
                            const FieldRecovery<ExecutionSpace>& recovery) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int Dim = Form::dimension;
  const Form& form = elements.form;
  const index_t n_nodes = recovery.n_nodes;
  const Array<const index_t*, ExecutionSpace> nodes(form.element_nodes.data(), form.element_nodes.size());
  const NodalMeans<Form> means{
      make_filled<Array<double * [Dim + 1], Space>>(exec, "physics::nodal_means", n_nodes, 0.),
      make_array<Array<group_t*, Space>>(exec, "physics::regions_of_nodes", n_nodes),
      make_filled<Array<MeanOver*, Space>>(exec, "physics::kinds_of_means", n_nodes, MeanOver::all)};
  if constexpr (KeptFields<Form>::are_kept)
    elements.kept = make_array<decltype(elements.kept)>(exec, "physics::fields_of_elements", form.n_elements());
  if constexpr (uses_host_forms<Space>) {
    graph::ordered_scatter<Form::n_nodes>("tessera::physics::scatter_fields", exec, nodes,
                                          recovery.n_vertices > 0 ? recovery.n_vertices : n_nodes, n_nodes,
                                          ScatterFields<Form>{elements, recovery.regions, means});
  } else {
    for_each("tessera::physics::fields_of_elements", exec, form.n_elements(), elements);
    const auto incidence = graph::build_incidence<ExecutionSpace>(exec, nodes, Form::n_nodes, {}, n_nodes);
    for_each("tessera::physics::gather_fields", exec, n_nodes,
             GatherFields<Form>{elements, incidence, recovery.regions, means});
    keep_alive(exec, incidence);
  }
  for_each("tessera::physics::finish_means", exec, n_nodes,
           FinishMeans<Form>{means, recovery.node_constraint, recovery.n_constraints});
  if (has_natural_facets(form))
    for_each("tessera::physics::mark_natural", exec, form.n_elements(), MarkNatural<Form>{form, means});
  return means;
}

/// Squared errors of the elements relative to the fields at the sides of nodes; sums the squared norm of the field.
template <class Form> struct SumFittedErrors {
  static constexpr int Dim = Form::dimension;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  SideFields<Dim, typename Form::memory_space> sides;
  Array<double*, typename Form::memory_space> squares;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    LocalField<Form> local(form, e, nodal);
    double recovered[Form::n_nodes][Dim];
    for (int a = 0; a < Form::n_nodes; ++a)
      for (int d = 0; d < Dim; ++d)
        recovered[a][d] = sides.field(sides.of_elements(i * Form::n_nodes + a), d);
    squares(e) = element_error(form, e, local, recovered, term[0]);
  }
};

/// Sets the norms from the squares of the elements and from sums(1), the squared energy norm. Waits.
template <class ExecutionSpace>
void take_norms(const ExecutionSpace& exec, const ReduceWorkspace<ExecutionSpace>& workspace,
                const Array<double*, ExecutionSpace>& sums, ErrorEstimate<ExecutionSpace>& estimate) {
  linalg::global_sums<1, SumKernels::few>("tessera::physics::sum_squares", exec,
                                          static_cast<std::int64_t>(estimate.squares.extent(0)),
                                          SumSquares<typename ExecutionSpace::memory_space>{estimate.squares},
                                          workspace, sums.data(), linalg::GlobalSums<ExecutionSpace>::local());
  const auto host = to_host(exec, sums);
  estimate.error = std::sqrt(host(0));
  estimate.norm = std::sqrt(host(1) > 0. ? host(1) : 0.);
}

/// With order 2 the means of the elements' fields at the nodes are as far from the solution's field as from the
/// elements' fields: in 1D they are the same. They would detect only a part of the error, and less on finer meshes.
template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace> estimate_by_fits(const ExecutionSpace& exec, const Form& form,
                                               const Array<const double*, ExecutionSpace>& nodal,
                                               const FieldRecovery<ExecutionSpace>& recovery) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n_elements = form.n_elements();
  ErrorEstimate<ExecutionSpace> estimate;
  estimate.squares = make_array<Array<double*, Space>>(exec, "physics::squared_errors", n_elements);
  const auto sides = side_fields(exec, form, nodal, recovery, Array<const index_t*, ExecutionSpace>(), 1., 1.);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n_elements, 1);
  const auto sums = make_array<Array<double*, Space>>(exec, "physics::error_sums", 2);
  const auto& local = linalg::GlobalSums<ExecutionSpace>::local();
  linalg::global_sums<1, SumKernels::few>("tessera::physics::element_errors", exec, n_elements,
                                          SumFittedErrors<Form>{form, nodal, sides, estimate.squares}, workspace,
                                          sums.data() + 1, local);
  take_norms(exec, workspace, sums, estimate);
  return estimate;
}

template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace> estimate_by_means(const ExecutionSpace& exec, const Form& form,
                                                const Array<const double*, ExecutionSpace>& nodal,
                                                const FieldRecovery<ExecutionSpace>& recovery) {
  using Space = typename ExecutionSpace::memory_space;
  KeptFields<Form> elements{form, nodal, {}};
  const auto means = make_means(exec, elements, recovery);
  ErrorEstimate<ExecutionSpace> estimate;
  const index_t n_elements = form.n_elements();
  estimate.squares = make_array<Array<double*, Space>>(exec, "physics::squared_errors", n_elements);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n_elements, 1);
  const auto sums = make_array<Array<double*, Space>>(exec, "physics::error_sums", 2);
  const SumElementErrors<Form> errors{elements, means, estimate.squares};
  const auto& local = linalg::GlobalSums<ExecutionSpace>::local();
  linalg::global_sums<1, SumKernels::few>("tessera::physics::element_errors", exec, n_elements, errors, workspace,
                                          sums.data() + 1, local);
  const auto special =
      group_items(exec, n_elements, 1, IsSpecial<Form>{form, means.over}, "elements at interfaces and conditions");
  if (special.n_items() > 0) {
    const auto around = elements_at_special_nodes(exec, form, means.over, special.items);
    const PatchFit<Form> fit{form, nodal, around, recovery.regions, recovery.node_constraint, recovery.n_constraints};
    for_each("tessera::physics::find_divided", exec, special.n_items(), FindDivided<Form>{fit, means, special.items});
    for_each("tessera::physics::special_errors", exec, special.n_items(),
             SpecialErrors<Form>{errors, fit, special.items});
    keep_alive(exec, around);
  }
  take_norms(exec, workspace, sums, estimate);
  return estimate;
}

} // namespace detail

template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace> estimate_error(const ExecutionSpace& exec, const Form& form,
                                             const Array<const double*, ExecutionSpace>& nodal,
                                             const FieldRecovery<ExecutionSpace>& recovery) {
  if constexpr (Form::element::order == 2)
    return detail::estimate_by_fits(exec, form, nodal, recovery);
  else
    return detail::estimate_by_means(exec, form, nodal, recovery);
}

} // namespace tessera::physics

#endif
