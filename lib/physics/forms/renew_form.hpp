// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_RENEW_FORM_HPP
#define TESSERA_PHYSICS_FORMS_RENEW_FORM_HPP

/// \file
/// Replaces the data of a form by those of another one on the same mesh. Assemblers hold copies of forms that share
/// their arrays: the new data apply from the next numeric() on.

#include "core/keep_alive.hpp"
#include "core/types.hpp"

#include <type_traits>

namespace tessera::physics {

namespace detail {

/// Whether forms have the same weights of integrals, and arrays of the same sizes.
struct IsAlike {
  bool value = true;
  template <class Member> void operator()(const Member& used, const Member& fresh) {
    if constexpr (Kokkos::is_view_v<Member>)
      for (unsigned r = 0; r < unsigned{Member::rank}; ++r)
        value = value && used.extent(r) == fresh.extent(r);
    else if constexpr (std::is_arithmetic_v<Member>)
      value = value && used == fresh;
  }
};

template <class ExecutionSpace> struct CopyData {
  const ExecutionSpace& exec;
  template <class Member> void operator()(Member& used, const Member& fresh) const {
    if constexpr (Kokkos::is_view_v<Member>) {
      using T = typename Member::non_const_value_type;
      using Space = typename Member::memory_space;
      using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
      if (used.span() == 0)
        return;
      // Forms only read their arrays, which are otherwise written once.
      const Kokkos::View<T*, Space, Unmanaged> to(const_cast<T*>(used.data()), used.span());
      Kokkos::deep_copy(exec, to, Kokkos::View<const T*, Space, Unmanaged>(fresh.data(), fresh.span()));
    } else {
      used = fresh;
    }
  }
};

} // namespace detail

/// Copies the data of regions, quadrature points and facets of `fresh` into the arrays of `used`, a form on the same
/// mesh and function space. Returns false, doing nothing, if the forms differ in the arrays that they have or in the
/// weight of integrals. Expressions of materials, which assemblers do not read, are replaced in `used` only.
template <class ExecutionSpace, class Form> bool renew_form(const ExecutionSpace& exec, Form& used, const Form& fresh) {
  detail::IsAlike is_alike;
  Form::visit_data(used, fresh, is_alike);
  if (!is_alike.value)
    return false;
  Form::visit_data(used, fresh, detail::CopyData<ExecutionSpace>{exec});
  keep_alive(exec, fresh);
  return true;
}

} // namespace tessera::physics

#endif
