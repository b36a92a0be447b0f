// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_NODAL_LOADS_HPP
#define TESSERA_ASSEMBLY_NODAL_LOADS_HPP

/// \file
/// Loads given at nodes beside those of a form, for all strategies alike.

#include "assembly/assembler.hpp"

#include <memory>
#include <vector>

namespace tessera::assembly {

/// What a point source adds to the load at a node of the element that holds it.
struct NodalLoad {
  index_t node = 0;
  index_t element = 0;
  double value = 0.;
};

/// Those of the loads whose element is among the given ones, which ascend.
template <class ExecutionSpace>
std::vector<NodalLoad> loads_of_elements(const ExecutionSpace& exec, const std::vector<NodalLoad>& loads,
                                         const Array<const index_t*, ExecutionSpace>& elements);

/// Makes an assembler that adds loads to the right-hand side of another one, in the order in which they are given: the
/// same bits on every backend. Loads at fixed nodes have no effect. `dofs` is the map of that assembler.
template <class ExecutionSpace>
std::unique_ptr<Assembler<ExecutionSpace>>
with_nodal_loads(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler,
                 const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const std::vector<NodalLoad>& loads);

} // namespace tessera::assembly

#endif
