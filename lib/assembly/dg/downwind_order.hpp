// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_DOWNWIND_ORDER_HPP
#define TESSERA_ASSEMBLY_DG_DOWNWIND_ORDER_HPP

#include "assembly/dg/form.hpp"

namespace tessera::assembly::dg {

/// The elements in the direction of the advection b, [n_elements]: each comes after those from which more flows to it,
/// through their interface in the form's slab, than back. Where these form a cycle, the element to which least flows
/// from elements that are still to come is next. In this order the blocks of a pure advection are those of a lower
/// triangular matrix, but for cycles. Sorts on the host; the same on every backend. Waits.
template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> downwind_order(const ExecutionSpace& exec,
                                               const Form<Dim, typename ExecutionSpace::memory_space>& form);

} // namespace tessera::assembly::dg

#endif
