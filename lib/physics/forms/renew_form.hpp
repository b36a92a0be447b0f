// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_RENEW_FORM_HPP
#define TESSERA_PHYSICS_FORMS_RENEW_FORM_HPP

/// \file
/// Replaces the data of a form by those of another one on the same mesh. Assemblers hold copies of forms that share
/// their arrays: the new data apply from the next numeric() on.

#include "core/keep_alive.hpp"
#include "physics/forms/magnetic_form.hpp"

namespace tessera::physics {

namespace detail {

/// Whether two arrays of data have the same size.
struct IsAlike {
  bool value = true;
  template <class ArrayType> void operator()(const ArrayType& used, const ArrayType& fresh) {
    for (unsigned r = 0; r < unsigned{ArrayType::rank}; ++r)
      value = value && used.extent(r) == fresh.extent(r);
  }
};

template <class ExecutionSpace> struct CopyData {
  const ExecutionSpace& exec;
  template <class ArrayType> void operator()(const ArrayType& used, const ArrayType& fresh) const {
    using T = typename ArrayType::non_const_value_type;
    using Space = typename ArrayType::memory_space;
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    if (used.span() == 0)
      return;
    // Forms only read their arrays, which are otherwise written once.
    const Kokkos::View<T*, Space, Unmanaged> to(const_cast<T*>(used.data()), used.span());
    Kokkos::deep_copy(exec, to, Kokkos::View<const T*, Space, Unmanaged>(fresh.data(), fresh.span()));
  }
};

template <int Dim, int Order, class Space, class Visit>
void visit_data(const UniformDiffusion<Dim, Order, Space>& used, const UniformDiffusion<Dim, Order, Space>& fresh,
                Visit& visit) {
  visit(used.coefficient, fresh.coefficient);
  visit(used.source, fresh.source);
}
template <int Dim, int Order, class Space>
bool is_weighted_alike(const UniformDiffusion<Dim, Order, Space>& used,
                       const UniformDiffusion<Dim, Order, Space>& fresh) {
  return used.depth == fresh.depth;
}

template <int Dim, int Order, class Space>
void take_programs(UniformDiffusion<Dim, Order, Space>&, const UniformDiffusion<Dim, Order, Space>&) {}

template <int Dim, int Order, class Space, class Visit>
void visit_data(const GeneralDiffusion<Dim, Order, Space>& used, const GeneralDiffusion<Dim, Order, Space>& fresh,
                Visit& visit) {
  visit(used.coefficient, fresh.coefficient);
  visit(used.source, fresh.source);
  visit(used.off_diagonal, fresh.off_diagonal);
  visit(used.point_coefficient, fresh.point_coefficient);
  visit(used.point_off_diagonal, fresh.point_off_diagonal);
  visit(used.point_source, fresh.point_source);
  visit(used.element_facets, fresh.element_facets);
  visit(used.facet_alpha, fresh.facet_alpha);
  visit(used.facet_load, fresh.facet_load);
}
template <int Dim, int Order, class Space>
bool is_weighted_alike(const GeneralDiffusion<Dim, Order, Space>& used,
                       const GeneralDiffusion<Dim, Order, Space>& fresh) {
  return used.axisymmetric == fresh.axisymmetric && used.factor == fresh.factor && used.is_uniform == fresh.is_uniform;
}
template <int Dim, int Order, class Space>
void take_programs(GeneralDiffusion<Dim, Order, Space>& used, const GeneralDiffusion<Dim, Order, Space>& fresh) {
  used.tensor = fresh.tensor;
}

template <int Dim, int Order, class Space, class Visit>
void visit_data(const Magnetostatics<Dim, Order, Space>& used, const Magnetostatics<Dim, Order, Space>& fresh,
                Visit& visit) {
  visit_data(used.medium, fresh.medium, visit);
  visit(used.coil_density, fresh.coil_density);
  visit(used.remanence, fresh.remanence);
  visit(used.point_remanence, fresh.point_remanence);
  visit(used.shell, fresh.shell);
  visit(used.curve, fresh.curve);
  visit(used.curves.offsets, fresh.curves.offsets);
  visit(used.curves.pieces, fresh.curves.pieces);
}
template <int Dim, int Order, class Space>
bool is_weighted_alike(const Magnetostatics<Dim, Order, Space>& used, const Magnetostatics<Dim, Order, Space>& fresh) {
  return is_weighted_alike(used.medium, fresh.medium);
}
template <int Dim, int Order, class Space>
void take_programs(Magnetostatics<Dim, Order, Space>& used, const Magnetostatics<Dim, Order, Space>& fresh) {
  take_programs(used.medium, fresh.medium);
  used.magnets = fresh.magnets;
}

} // namespace detail

/// Copies the data of regions, quadrature points and facets of `fresh` into the arrays of `used`, a form on the same
/// mesh and function space. Returns false, doing nothing, if the forms differ in the arrays that they have or in the
/// weight of integrals. Expressions of materials, which assemblers do not read, are replaced in `used` only.
template <class ExecutionSpace, class Form> bool renew_form(const ExecutionSpace& exec, Form& used, const Form& fresh) {
  detail::IsAlike is_alike;
  detail::visit_data(used, fresh, is_alike);
  if (!is_alike.value || !detail::is_weighted_alike(used, fresh))
    return false;
  detail::CopyData<ExecutionSpace> copy{exec};
  detail::visit_data(used, fresh, copy);
  detail::take_programs(used, fresh);
  keep_alive(exec, fresh);
  return true;
}

} // namespace tessera::physics

#endif
