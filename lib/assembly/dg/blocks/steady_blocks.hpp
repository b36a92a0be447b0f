// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_BLOCKS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_BLOCKS_HPP

/// \file
/// Blocks of elements and interfaces whose coefficients A, b and c do not depend on time, if all elements have one
/// degree of at most max_steady_degree and one step in a slab. With few quadrature points per element, sums in
/// registers over pairs of spatial polynomials take less time than moments, which need fewer operations but more steps;
/// time is a separate factor. The results equal those of the other kernels up to rounding.

#include "assembly/dg/blocks/element_moments.hpp"
#include "assembly/dg/form/face_values.hpp"

namespace tessera::assembly::dg {

/// Highest degree for which these kernels are compiled: up to 21 (2D) and 10 (3D) spatial polynomials.
template <int Dim> constexpr int max_steady_degree = Dim == 2 ? 5 : 2;

/// Whether these kernels compute the suitable elements and interfaces (steady_items.hpp) of forms in a space.
template <int Dim, class MemorySpace> bool has_steady_kernels(const fe::ModalSpace<Dim, MemorySpace>& space) {
  return space.is_uniform && space.largest_steps == 1 && space.largest_degree >= 1 &&
         space.largest_degree <= max_steady_degree<Dim>;
}

/// Inputs and outputs of both kernels.
template <int Dim, class MemorySpace, class Real> struct SteadyBlocks {
  using Region = RegionTerms<physics::TransportCoefficients<Dim, MemorySpace>>;

  Form<Dim, MemorySpace> form;
  MomentTables<Dim, MemorySpace, Real> tables;
  Array<const Region*, MemorySpace> regions;
  FaceValues<Dim, MemorySpace> face_values;
  ConstArray<const index_t*, MemorySpace> items; ///< elements or interfaces
  ConstArray<const offset_t*, MemorySpace> value_offsets;
  Real* values; ///< null: load only
};

/// Computes diagonal blocks and load of n listed elements, from index `first` of the list on; `is_numeric`: the list is
/// that of numeric elements.
template <class ExecutionSpace, int Dim, class Real>
void compute_steady_elements(const ExecutionSpace& exec, index_t first, index_t n, bool is_numeric,
                             const SteadyBlocks<Dim, typename ExecutionSpace::memory_space, Real>& blocks,
                             const ElementFaces<typename ExecutionSpace::memory_space>& faces,
                             const PointValues<typename ExecutionSpace::memory_space>& points,
                             const ConstArray<const offset_t*, typename ExecutionSpace::memory_space>& diagonal,
                             double* rhs);

/// Computes both blocks of n listed interfaces.
template <class ExecutionSpace, int Dim, class Real>
void compute_steady_interfaces(
    const ExecutionSpace& exec, index_t n, bool is_numeric,
    const SteadyBlocks<Dim, typename ExecutionSpace::memory_space, Real>& blocks,
    const ConstArray<const offset_t* [2], typename ExecutionSpace::memory_space>& interfaces);

} // namespace tessera::assembly::dg

#endif
