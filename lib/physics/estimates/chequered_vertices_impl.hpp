// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_CHEQUERED_VERTICES_IMPL_HPP
#define TESSERA_PHYSICS_ESTIMATES_CHEQUERED_VERTICES_IMPL_HPP

/// \file
/// Definition of physics/estimates/chequered_vertices.hpp: included only by the generated instantiations.

#include "physics/estimates/chequered_vertices.hpp"
#include "physics/estimates/residual_estimate_impl.hpp"

namespace tessera::physics {

namespace detail {

/// A coefficient for each element: the harmonic mean of the eigenvalues at one of its points.
template <class Form> struct CoefficientOfElement {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<double*, typename Form::memory_space> coefficient;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    LocalField<Form> local(form, e, nodal);
    double lambda[Form::dimension + 1];
    FluxPoint<Form::dimension> point;
    flux_point(form, e, 0, local, lambda, point);
    coefficient(e) = point.material;
  }
};

/// The contrast of each vertex, 1 if the material around it is quasi-monotone.
///
/// Elements around a vertex are added in the order of decreasing coefficients. An element that shares a facet with an
/// earlier one joins its part; if it joins two parts, the contrast is the smaller of their largest coefficients divided
/// by the element's. (In topological terms: the persistence of maxima.)
template <class Form> struct ContrastOfVertex {
  static constexpr int Dim = Form::dimension;
  static constexpr int capacity = Patch<Dim>::capacity;
  using Space = typename Form::memory_space;
  Form form;
  Array<const double*, Space> coefficient; // by element
  graph::Incidence<Space> incidence;
  Array<const group_t*, Space> node_constraint; // empty: none
  index_t n_constraints;
  Array<double*, Space> contrast;

  KOKKOS_FUNCTION void operator()(index_t vertex) const {
    contrast(vertex) = 1.;
    const offset_t begin = incidence.offsets(vertex);
    const auto n = static_cast<int>(incidence.offsets(vertex + 1) - begin);
    if (n < 4 || n > capacity || (node_constraint.extent(0) > 0 && node_constraint(vertex) < n_constraints))
      return;
    index_t elements[capacity];
    double smallest = 0.;
    double largest = 0.;
    for (int i = 0; i < n; ++i) {
      elements[i] = graph::local_node<Dim + 1>(incidence.pairs(begin + i)).element;
      const double own = coefficient(elements[i]);
      smallest = i == 0 || own < smallest ? own : smallest;
      largest = own > largest ? own : largest;
    }
    if (largest > least_contrast * smallest)
      contrast(vertex) = find(elements, n);
  }

private:
  KOKKOS_FUNCTION double find(const index_t (&elements)[capacity], int n) const {
    int part[capacity]; // first element of the part; -1: not added yet
    double result = 1.;
    for (int i = 0; i < n; ++i)
      part[i] = -1;
    for (int step = 0; step < n; ++step) {
      int next = -1;
      for (int i = 0; i < n; ++i)
        if (part[i] < 0 && (next < 0 || coefficient(elements[i]) > coefficient(elements[next])))
          next = i;
      part[next] = next;
      for (int i = 0; i < n; ++i) {
        if (part[i] < 0 || part[i] == part[next] || !share_a_facet(elements[i], elements[next]))
          continue;
        const int a = part[i];
        const int b = part[next];
        const bool a_is_larger = coefficient(elements[a]) >= coefficient(elements[b]);
        const double ratio = coefficient(elements[a_is_larger ? b : a]) / coefficient(elements[next]);
        result = ratio > result ? ratio : result;
        for (int k = 0; k < n; ++k)
          if (part[k] == a || part[k] == b)
            part[k] = a_is_larger ? a : b;
      }
    }
    return result;
  }

  KOKKOS_FUNCTION bool share_a_facet(index_t e, index_t other) const {
    int n_shared = 0;
    for (int k = 0; k <= Dim; ++k)
      for (int l = 0; l <= Dim; ++l)
        n_shared += form.element_nodes(e, k) == form.element_nodes(other, l) ? 1 : 0;
    return n_shared == Dim;
  }
};

/// Increases the squares of elements and sums all squares.
template <class Form> struct RaiseSquares {
  Form form;
  Array<const double*, typename Form::memory_space> contrast;
  Array<double*, typename Form::memory_space> squares;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    double largest = 1.;
    for (int k = 0; k <= Form::dimension; ++k) {
      const double contrast_there = contrast(form.element_nodes(e, k));
      largest = contrast_there > largest ? contrast_there : largest;
    }
    if (largest >= least_contrast)
      squares(e) *= chequered_factor(Form::order, largest);
    term[0] = squares(e);
  }
};

template <class Space> struct RangeOf {
  Array<const double*, Space> values;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Kokkos::MinMaxScalar<double>& range) const {
    range.min_val = values(i) < range.min_val ? values(i) : range.min_val;
    range.max_val = values(i) > range.max_val ? values(i) : range.max_val;
  }
};

template <class Space> struct FirstWithContrast {
  Array<const double*, Space> contrast;
  double value;
  KOKKOS_FUNCTION void operator()(std::int64_t vertex, std::int64_t& first) const {
    first = contrast(vertex) == value && vertex < first ? vertex : first;
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
void raise_at_chequered_vertices(const ExecutionSpace& exec, const Form& form,
                                 const Array<const double*, ExecutionSpace>& nodal,
                                 const FieldRecovery<ExecutionSpace>& conditions,
                                 ErrorEstimate<ExecutionSpace>& estimate) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int Dim = Form::dimension;
  const index_t n_elements = form.n_elements();
  const index_t n_vertices = conditions.n_vertices > 0 ? conditions.n_vertices : conditions.n_nodes;
  const auto coefficient = make_array<Array<double*, Space>>(exec, "physics::coefficients_of_elements", n_elements);
  for_each("tessera::physics::coefficients_of_elements", exec, n_elements,
           detail::CoefficientOfElement<Form>{form, nodal, coefficient});
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::MinMaxScalar<double> range{};
  Kokkos::parallel_reduce("tessera::physics::range_of_coefficients", Policy(exec, 0, n_elements),
                          detail::RangeOf<Space>{coefficient}, Kokkos::MinMax<double>(range));
  if (!(range.max_val > least_contrast * range.min_val))
    return;
  const auto& vertices = form.element_vertices;
  const auto incidence = graph::build_incidence<ExecutionSpace>(
      exec, Array<const index_t*, ExecutionSpace>(vertices.data(), vertices.size()), Dim + 1, {}, n_vertices);
  const auto contrast = make_array<Array<double*, Space>>(exec, "physics::contrasts_of_vertices", n_vertices);
  for_each("tessera::physics::contrasts_of_vertices", exec, n_vertices,
           detail::ContrastOfVertex<Form>{form, coefficient, incidence, conditions.node_constraint,
                                          conditions.n_constraints, contrast});
  const Policy of_vertices(exec, 0, n_vertices);
  Kokkos::parallel_reduce("tessera::physics::largest_contrast", of_vertices, detail::RangeOf<Space>{contrast},
                          Kokkos::MinMax<double>(range));
  if (!(range.max_val >= least_contrast))
    return;
  ChequeredVertex& result = estimate.chequered;
  result.contrast = range.max_val;
  std::int64_t first = 0;
  Kokkos::parallel_reduce("tessera::physics::first_contrast", of_vertices,
                          detail::FirstWithContrast<Space>{contrast, result.contrast},
                          Kokkos::Min<std::int64_t>(first));
  const auto at = to_host(exec, Kokkos::subview(form.coordinates, std::make_pair(first, first + 1), Kokkos::ALL()));
  for (std::size_t d = 0; d < Dim; ++d)
    result.at[d] = at(0, d);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n_elements, 1);
  const auto sum = make_array<Array<double*, Space>>(exec, "physics::error_sums", 1);
  linalg::global_sums<1, SumKernels::few>("tessera::physics::raise_squares", exec, n_elements,
                                          detail::RaiseSquares<Form>{form, contrast, estimate.squares}, workspace,
                                          sum.data(), linalg::GlobalSums<ExecutionSpace>::local());
  estimate.error = std::sqrt(read_entry(exec, sum, 0)); // waits: the other arrays may be freed
}

} // namespace tessera::physics

#endif
