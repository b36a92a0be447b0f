// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_VERTICES_OF_ELEMENTS_HPP
#define TESSERA_PHYSICS_FORMS_VERTICES_OF_ELEMENTS_HPP

/// \file
/// Gathers the vertices of selected elements: for forms on a part of a mesh.

#include "core/algorithms/gather_rows.hpp"

namespace tessera::physics::detail {

/// The vertices of the given elements; for order 1 they are the nodes, whose gathered rows are passed in.
template <int Order, class ExecutionSpace, class Vertices, class Nodes>
Vertices vertices_of_elements(const ExecutionSpace& exec, const Vertices& all,
                              const Array<const index_t*, ExecutionSpace>& elements, const Nodes& nodes) {
  if constexpr (Order == 1)
    return nodes;
  else
    return gather_rows(exec, all, elements);
}

} // namespace tessera::physics::detail

#endif
