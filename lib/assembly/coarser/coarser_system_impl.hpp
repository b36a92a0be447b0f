// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COARSER_COARSER_SYSTEM_IMPL_HPP
#define TESSERA_ASSEMBLY_COARSER_COARSER_SYSTEM_IMPL_HPP

/// \file
/// Definitions of coarser_system.hpp: included only by the generated instantiations.

#include "assembly/coarser/coarser_system.hpp"
#include "assembly/coarser/eigenvalue_bound.hpp"
#include "assembly/coarser/galerkin_form.hpp"
#include "assembly/coarser/stored_rows.hpp"
#include "core/algorithms/largest_entry.hpp"

namespace tessera::assembly {

namespace detail {
template <class Form> struct StoreGalerkinMatrices {
  static constexpr int n_nodes = Form::dimension + 1;
  GalerkinForm<Form> form;
  PackedMatrices<Form::dimension, typename Form::memory_space> matrices;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t n[n_nodes];
    double K[n_nodes][n_nodes];
    for (int a = 0; a < n_nodes; ++a)
      n[a] = form.element_nodes(e, a);
    form.matrix(e, n, K);
    int k = 0;
    for (int a = 0; a < n_nodes; ++a)
      for (int b = 0; b <= a; ++b)
        matrices(e, k++) = K[a][b];
  }
};
} // namespace detail

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
  constexpr int Dim = Form::dimension;
  return make_stored_rows<ExecutionSpace, Dim>(
      coarser,
      [coarse](const ExecutionSpace& exec, const PackedMatrices<Dim, typename ExecutionSpace::memory_space>& matrices) {
        for_each("tessera::assembly::coarser_matrices", exec, static_cast<index_t>(coarse.element_nodes.extent(0)),
                 detail::StoreGalerkinMatrices<Form>{coarse, matrices});
      });
}

template <class ExecutionSpace, class Form>
double bound_eigenvalues(const ExecutionSpace& exec, const Form& form,
                         const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, int piece, int n_pieces,
                         const Array<const index_t*, ExecutionSpace>* owned) {
  using Loop = ElementLoop<Form>;
  detail::BoundElements<Loop> bound{Loop(form, dofs), {}};
  std::int64_t n = bound.loop.n_elements();
  if (owned != nullptr) {
    bound.owned = *owned;
    n = static_cast<std::int64_t>(owned->extent(0));
  }
  const auto begin_of = [&](std::int64_t p) { return static_cast<index_t>(n * p / n_pieces); };
  return largest_of_items("tessera::assembly::bound_elements", exec, begin_of(piece), begin_of(piece + 1), bound, 1.);
}

} // namespace tessera::assembly

#endif
