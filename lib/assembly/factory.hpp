// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_FACTORY_HPP
#define TESSERA_ASSEMBLY_FACTORY_HPP

/// \file
/// Definition of make_assembler: included only by the generated instantiations.

#include "assembly/strategies/a_coo.hpp"
#include "assembly/strategies/a_coo_compact.hpp"
#include "assembly/strategies/atomic.hpp"
#include "assembly/strategies/colored.hpp"
#include "assembly/strategies/ebe_atomic.hpp"
#include "assembly/strategies/ebe_recomputed.hpp"
#include "assembly/strategies/ebe_stored.hpp"
#include "assembly/strategies/reference.hpp"
#include "assembly/strategies/row_gather.hpp"
#include "assembly/strategies/sorted_coo.hpp"

namespace tessera::assembly {

template <class ExecutionSpace, class Form>
std::unique_ptr<Assembler<ExecutionSpace>> make_assembler(const Form& form,
                                                          const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                                                          const AssemblyOptions& options) {
  switch (options.strategy) {
  case Strategy::reference:
    return std::make_unique<Reference<ExecutionSpace, Form>>(form, dofs);
  case Strategy::atomic:
    return std::make_unique<AtomicScatter<ExecutionSpace, Form>>(form, dofs);
  case Strategy::a_coo:
    return std::make_unique<ACoo<ExecutionSpace, Form>>(form, dofs);
  case Strategy::a_coo_compact:
    return std::make_unique<ACooCompact<ExecutionSpace, Form>>(form, dofs);
  case Strategy::sorted_coo:
    return std::make_unique<SortedCoo<ExecutionSpace, Form>>(form, dofs);
  case Strategy::colored:
    return std::make_unique<Colored<ExecutionSpace, Form>>(form, dofs, options);
  case Strategy::ebe_stored:
    return std::make_unique<StoredElements<ExecutionSpace, Form>>(form, dofs, options);
  case Strategy::ebe_recomputed:
    return std::make_unique<EbeRecomputed<ExecutionSpace, Form>>(form, dofs, options);
  case Strategy::ebe_atomic:
    return std::make_unique<EbeAtomic<ExecutionSpace, Form>>(form, dofs, options);
  case Strategy::automatic:
  case Strategy::row_gather:
    break;
  }
  return std::make_unique<RowGather<ExecutionSpace, Form>>(form, dofs);
}

} // namespace tessera::assembly

#endif
