// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_PROLONGATION_HPP
#define TESSERA_FE_PROLONGATION_HPP

/// \file
/// Interpolation between the unknowns of nested meshes, for geometric multigrid.

#include "fe/dof_map.hpp"
#include "linalg/prolongation.hpp"

namespace tessera::fe {

/// Makes the prolongations of all levels below a space, finest first: for order 2 those from order 1 on the same mesh,
/// then those from the coarser meshes that the mesh knows (Mesh::node_parents).
///
/// Functions of order 1 are interpolated linearly: a node takes the mean of its parents' values. A coarse node is a
/// node of the fine level, too, and has that node's unknown: fixed values stay fixed (zero in a correction), tied
/// unknowns and those of periodic boundaries stay one, with their signs. The coarse unknowns are in the order of the
/// fine ones, tied ones last.
template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                   const DofMap<typename ExecutionSpace::memory_space>& dofs);

} // namespace tessera::fe

#endif
