// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_BLOCKS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_BLOCKS_HPP

/// \file
/// Blocks of elements and interfaces whose coefficients A, b and c do not depend on time, if all elements have one
/// degree of at most max_steady_degree and one step in a slab. With few quadrature points per element, sums in
/// registers over pairs of spatial polynomials take less time than moments, which need fewer operations but more steps;
/// time is a separate factor. The results equal those of the other kernels up to rounding.

#include "assembly/dg/blocks/block_kernel.hpp"

namespace tessera::assembly::dg {

/// Highest degree for which these kernels are compiled: up to 21 (2D) and 10 (3D) spatial polynomials.
template <int Dim> constexpr int max_steady_degree = Dim == 2 ? 5 : 2;

/// Whether these kernels compute the suitable elements and interfaces (steady_items.hpp) of forms in a space.
template <int Dim, class MemorySpace> bool has_steady_kernels(const fe::ModalSpace<Dim, MemorySpace>& space) {
  return space.is_uniform && space.largest_steps == 1 && space.largest_degree >= 1 &&
         space.largest_degree <= max_steady_degree<Dim>;
}

/// Computes diagonal blocks and load of n elements, from index `inputs.first_item` of `inputs.items` on; `is_numeric`:
/// the list is that of numeric elements.
template <class ExecutionSpace, int Dim>
void compute_steady_elements(const ExecutionSpace& exec, index_t n, bool is_numeric,
                             const BlockKernel<Dim, ExecutionSpace>& inputs);

/// Computes both blocks of n listed interfaces.
template <class ExecutionSpace, int Dim>
void compute_steady_interfaces(const ExecutionSpace& exec, index_t n, bool is_numeric,
                               const BlockKernel<Dim, ExecutionSpace>& inputs);

} // namespace tessera::assembly::dg

#endif
