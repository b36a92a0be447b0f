// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_FACTORY_HPP
#define TESSERA_ASSEMBLY_FACTORY_HPP

/// \file
/// Definition of make_assembler: included only by the generated instantiations.

#include "assembly/form.hpp"
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
#include "core/error.hpp"

namespace tessera::assembly {

namespace detail {

template <Strategy strategy, class ExecutionSpace, class Form>
std::unique_ptr<Assembler<ExecutionSpace>> make_strategy(const Form& form,
                                                         const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                                                         const AssemblyOptions& options) {
  if constexpr (strategy == Strategy::reference)
    return std::make_unique<Reference<ExecutionSpace, Form>>(form, dofs);
  else if constexpr (strategy == Strategy::atomic)
    return std::make_unique<AtomicScatter<ExecutionSpace, Form>>(form, dofs);
  else if constexpr (strategy == Strategy::a_coo)
    return std::make_unique<ACoo<ExecutionSpace, Form>>(form, dofs);
  else if constexpr (strategy == Strategy::a_coo_compact)
    return std::make_unique<ACooCompact<ExecutionSpace, Form>>(form, dofs);
  else if constexpr (strategy == Strategy::sorted_coo)
    return std::make_unique<SortedCoo<ExecutionSpace, Form>>(form, dofs);
  else if constexpr (strategy == Strategy::colored)
    return std::make_unique<Colored<ExecutionSpace, Form>>(form, dofs, options);
  else if constexpr (strategy == Strategy::ebe_stored)
    return std::make_unique<StoredElements<ExecutionSpace, Form>>(form, dofs, options);
  else if constexpr (strategy == Strategy::ebe_recomputed)
    return std::make_unique<EbeRecomputed<ExecutionSpace, Form>>(form, dofs, options);
  else if constexpr (strategy == Strategy::ebe_atomic)
    return std::make_unique<EbeAtomic<ExecutionSpace, Form>>(form, dofs, options);
  else
    return std::make_unique<RowGather<ExecutionSpace, Form>>(form, dofs);
}

template <class ExecutionSpace, class Form, Strategy... Strategies>
std::unique_ptr<Assembler<ExecutionSpace>> make_listed(StrategyList<Strategies...> list, const Form& form,
                                                       const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                                                       const AssemblyOptions& options) {
  constexpr bool symmetric = FormTraits<Form>::is_symmetric;
  static_assert(symmetric || ((symmetry_use(Strategies) != SymmetryUse::element_matrices) && ...),
                "The list of strategies of a form that is not symmetric has one that keeps triangles of matrices.");
  const Strategy strategy = options.strategy == Strategy::automatic ? Strategy::row_gather : options.strategy;
  const std::string name = strategy_names([&](Strategy s) { return s == strategy; });
  TESSERA_REQUIRE(list.has(strategy), "Strategy '" << name << "' is not compiled for this form. It has "
                                                   << strategy_names(list.has) << ".");
  if constexpr (!symmetric) {
    const auto serves_tied = [&](Strategy s) { return list.has(s) && symmetry_use(s) == SymmetryUse::none; };
    TESSERA_REQUIRE(dofs.n_tied() == 0 || serves_tied(strategy),
                    "Strategy '" << name
                                 << "' needs a symmetric form where unknowns are tied, and this one is not. Take "
                                 << strategy_names(serves_tied) << ".");
  }
  std::unique_ptr<Assembler<ExecutionSpace>> assembler;
  ((strategy == Strategies ? void(assembler = make_strategy<Strategies, ExecutionSpace>(form, dofs, options)) : void()),
   ...);
  return assembler;
}

} // namespace detail

template <class ExecutionSpace, class Form>
std::unique_ptr<Assembler<ExecutionSpace>> make_assembler(const Form& form,
                                                          const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                                                          const AssemblyOptions& options) {
  static_assert(check_form<ExecutionSpace, Form>());
  TESSERA_REQUIRE(FormTraits<Form>::has_signs || dofs.node_sign.extent(0) == 0,
                  "This form is computed without signs, so that it cannot have antiperiodic boundaries.");
  return detail::make_listed<ExecutionSpace>(typename strategies_of<Form>::type(), form, dofs, options);
}

} // namespace tessera::assembly

#endif
