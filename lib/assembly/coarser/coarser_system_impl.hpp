// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COARSER_COARSER_SYSTEM_IMPL_HPP
#define TESSERA_ASSEMBLY_COARSER_COARSER_SYSTEM_IMPL_HPP

/// \file
/// Definitions of coarser_system.hpp: included only by the generated instantiations.

#include "assembly/coarser/coarser_system.hpp"
#include "assembly/coarser/eigenvalue_bound.hpp"
#include "assembly/coarser/galerkin_form.hpp"
#include "assembly/factory.hpp"

namespace tessera::assembly {

template <class ExecutionSpace, class Form>
std::unique_ptr<Assembler<ExecutionSpace>>
make_coarser_assembler(const Form& form, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                       const CoarserLevel<Form::dimension, typename ExecutionSpace::memory_space>& coarser) {
  GalerkinForm<Form> coarse;
  coarse.element_nodes = coarser.element_nodes;
  coarse.fine = form;
  coarse.fine_kinds = dofs;
  coarse.fine_dof = dofs.node_dof;
  coarse.coarse_kinds = coarser.dofs;
  coarse.coarse_dof = coarser.dofs.node_dof;
  coarse.children = coarser.children;
  coarse.parents = coarser.parents;
  coarse.same_elements = coarser.same_elements;
  return detail::make_strategy<Strategy::row_gather, ExecutionSpace>(coarse, coarser.dofs, AssemblyOptions());
}

template <class ExecutionSpace, class Form>
double bound_eigenvalues(const ExecutionSpace& exec, const Form& form,
                         const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, int piece, int n_pieces,
                         const Array<const index_t*, ExecutionSpace>* own) {
  using Loop = ElementLoop<Form>;
  detail::BoundElements<Loop> bound{Loop(form, dofs), {}};
  std::int64_t n = bound.loop.n_elements();
  if (own != nullptr) {
    bound.own = *own;
    n = static_cast<std::int64_t>(own->extent(0));
  }
  const auto begin_of = [&](std::int64_t p) { return static_cast<index_t>(n * p / n_pieces); };
  double largest = 1.;
  Kokkos::parallel_reduce(
      "tessera::assembly::bound_elements",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, begin_of(piece), begin_of(piece + 1)),
      bound,
      Kokkos::Max<double>(largest)); // waits
  return largest > 1. ? largest : 1.;
}

} // namespace tessera::assembly

#endif
