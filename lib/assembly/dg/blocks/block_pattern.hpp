// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_PATTERN_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_PATTERN_HPP

/// \file
/// Pattern of a discontinuous Galerkin matrix: the graph of the elements, a block per element and two per interface.

#include "fe/modal/modal_space.hpp"
#include "linalg/blocks/block_crs_matrix.hpp"
#include "mesh/polytopes/polytopic_mesh.hpp"

namespace tessera::assembly::dg {

template <class MemorySpace> struct BlockPattern {
  Array<offset_t*, MemorySpace> diagonal; ///< diagonal block of each element, [n_elements]
  /// Blocks of each interface, [n_interfaces][2]: rows of the first and columns of the second element, and vice versa.
  Array<offset_t* [2], MemorySpace> interfaces;
};

/// Makes the pattern of a matrix and the positions of its blocks; the values are not allocated. No entry is sorted: the
/// mesh lists each element's neighbours in ascending order. Throws if there are more values than offset_t can count.
template <class ExecutionSpace, int Dim>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>
make_block_pattern(const ExecutionSpace& exec, const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                   const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                   BlockPattern<typename ExecutionSpace::memory_space>& pattern);

} // namespace tessera::assembly::dg

#endif
