// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_KERNEL_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_KERNEL_HPP

/// \file
/// Inputs and outputs of the kernels of blocks.

#include "assembly/dg/blocks/block_entries.hpp"
#include "assembly/dg/form/face_values.hpp"
#include "assembly/dg/form/point_values.hpp"
#include "core/kokkos_ext/thread_group.hpp"

namespace tessera::assembly::dg {

/// Interior faces of each element: 2 times the face plus the element's side of it, by interface.
template <class MemorySpace> struct ElementFaces {
  Array<const index_t*, MemorySpace> offsets; ///< [n_elements + 1]
  Array<const index_t*, MemorySpace> entries; ///< [2 n_interior]
};

/// Base of the kernels: each item, an element or an interface, is computed by a team or by a group of a team's threads.
template <int Dim, class ExecutionSpace> struct BlockKernel {
  using Space = typename ExecutionSpace::memory_space;
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  using Region = RegionTerms<Coefficients>;
  using Team = ThreadGroup<ExecutionSpace>;

  Form<Dim, Space> form;
  MomentTables<Dim, Space> tables{};
  ElementFaces<Space> faces{};
  Array<const Region*, Space> regions{};
  PointValues<Space> points{};
  FaceValues<Dim, Space> face_values{};                  ///< of the steady kernels
  Array<const offset_t*, Space> diagonal{};              ///< BlockPattern::diagonal
  Array<const offset_t* [2], Space> interface_blocks {}; ///< BlockPattern::interfaces
  Array<const offset_t*, Space> value_offsets{};
  BlockValues values{}; ///< of the matrix; null: load only
  double* rhs = nullptr;
  Array<const index_t*, Space> items{}; ///< items to compute, if not all
  index_t first_item = 0;               ///< index of the first of them
  GroupLaunch launch{};

  KOKKOS_FUNCTION bool has_item(const Team& team) const { return team.league_rank() < launch.n_items; }
  KOKKOS_FUNCTION index_t item(const Team& team) const {
    const index_t i = first_item + static_cast<index_t>(team.league_rank());
    return items.extent(0) > 0 ? items(i) : i;
  }
  KOKKOS_FUNCTION BlockValues block(offset_t b) const { return values.from(value_offsets(b)); }
};

} // namespace tessera::assembly::dg

#endif
