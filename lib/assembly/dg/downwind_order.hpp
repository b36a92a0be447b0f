// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_DOWNWIND_ORDER_HPP
#define TESSERA_ASSEMBLY_DG_DOWNWIND_ORDER_HPP

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// The elements in the direction of the advection b, [n_elements]: an element follows its upwind neighbours, those from
/// which there is a net flow to it through their interface in the form's slab. In a cycle the element with the least
/// inflow from elements not yet ordered is next. In this order the matrix of a pure advection is block lower
/// triangular, except for cycles. Sorts on the host; the same on every backend. Waits.
template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> downwind_order(const ExecutionSpace& exec,
                                               const Form<Dim, typename ExecutionSpace::memory_space>& form);

} // namespace tessera::assembly::dg

#endif
