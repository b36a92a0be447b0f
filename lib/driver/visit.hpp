// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_VISIT_HPP
#define TESSERA_DRIVER_VISIT_HPP

/// \file
/// The only place where strings and numbers of the input are converted to types.

#include "core/error.hpp"
#include "core/kokkos_ext/host/one_thread.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace tessera::driver {

namespace detail {
template <std::size_t I, class Visitor> void visit_backend(const std::string& name, const Visitor& visitor) {
  if constexpr (I < std::tuple_size<ExecutionSpaces>::value) {
    using Space = std::tuple_element_t<I, ExecutionSpaces>;
    if (name == BackendName<Space>::value)
      visitor(Space());
    else
      visit_backend<I + 1>(name, visitor);
  } else {
    std::string known;
    for (const std::string& backend : backend_names())
      known += (known.empty() ? "" : ", ") + backend;
    TESSERA_REQUIRE(false, "This build has no backend '" << name << "'; it has: " << known << ".");
  }
}
} // namespace detail

/// Calls `visitor(exec)` with an instance of the execution space called `name`.
template <class Visitor> void visit_backend(const std::string& name, const Visitor& visitor) {
  if (name == serial_backend)
    on_one_thread([&](const OneThreadSpace& exec) { visitor(exec); });
  else
    detail::visit_backend<0>(name, visitor);
}

/// Calls `visitor(dimension)` with std::integral_constant 2 or 3.
template <class Visitor> void visit_dimension(int dimension, const Visitor& visitor) {
  if (dimension == 2)
    visitor(std::integral_constant<int, 2>());
  else
    visitor(std::integral_constant<int, 3>());
}

/// Calls `visitor(dimension, order)` with std::integral_constants: 2 or 3, and 1 or 2.
template <class Visitor> void visit_discretization(int dimension, int order, const Visitor& visitor) {
  visit_dimension(dimension, [&](auto dim) {
    if (order == 1)
      visitor(dim, std::integral_constant<int, 1>());
    else
      visitor(dim, std::integral_constant<int, 2>());
  });
}

} // namespace tessera::driver

#endif
