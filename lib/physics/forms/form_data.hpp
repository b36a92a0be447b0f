// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_FORM_DATA_HPP
#define TESSERA_PHYSICS_FORMS_FORM_DATA_HPP

/// \file
/// Copies of the arrays of forms: on the host, and of some of the elements.

#include "core/algorithms/gather_rows.hpp"
#include "core/parallel.hpp"

#include <type_traits>

namespace tessera::physics {

namespace detail {
/// A host copy of an array.
template <class ExecutionSpace, class ArrayType> auto host_array(const ExecutionSpace& exec, const ArrayType& array) {
  using Plain = Kokkos::View<typename ArrayType::non_const_data_type, Kokkos::LayoutRight, HostMemory>;
  Plain host(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::physics::host_copy"), array.layout());
  copy(exec, host, array);
  exec.fence();
  return host;
}

/// Copies members of a form to the host, for visit_mesh() and visit_data() of forms.
template <class ExecutionSpace> struct CopyToHost {
  const ExecutionSpace& exec;
  template <class From, class To> void operator()(const From& from, To& to) const {
    if constexpr (Kokkos::is_view_v<From>)
      to = host_array(exec, from);
    else if constexpr (std::is_arithmetic_v<From>)
      to = from;
    else
      to = from.to_host(exec);
  }
};

/// Calls `visit` for the members of a diffusion form that describe the elements, with those of another form.
template <class Form, class Other, class Visit> void visit_mesh(Form& form, Other& other, Visit&& visit) {
  visit(form.element_nodes, other.element_nodes);
  visit(form.element_vertices, other.element_vertices);
  visit(form.coordinates, other.coordinates);
  visit(form.curved_elements, other.curved_elements);
  visit(form.regions, other.regions);
}

/// Replaces them, except coordinates, by those of some of the elements. The vertices of elements of order 1 are their
/// nodes.
template <class ExecutionSpace, class Form>
void gather_mesh(const ExecutionSpace& exec, Form& form, const Array<const index_t*, ExecutionSpace>& elements) {
  form.element_nodes = gather_rows(exec, form.element_nodes, elements);
  if constexpr (Form::order == 1)
    form.element_vertices = form.element_nodes;
  else
    form.element_vertices = gather_rows(exec, form.element_vertices, elements);
  form.curved_elements = gather_rows(exec, form.curved_elements, elements);
  form.regions = gather_rows(exec, form.regions, elements);
}
} // namespace detail

} // namespace tessera::physics

#endif
