// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_NODE_CUTS_HPP
#define TESSERA_FE_DOFS_NODE_CUTS_HPP

#include "fe/dofs/dof_part.hpp"

#include <vector>

namespace tessera::fe {

/// Unknowns of the parts of a mesh of triangles or tetrahedra: part r has the mesh's nodes [first_node[r], first_node[r
/// + 1]) and, with order 2, the edges whose lower vertex is among them, as in Numbering::edges_after_vertices. Tied
/// unknowns belong to the last part. Returns the first unknown of each part and the number of unknowns. Throws an error
/// of kind input if a part has no unknowns. On the host.
template <class ExecutionSpace>
std::vector<std::int64_t> unknowns_of_parts(const ExecutionSpace& exec,
                                            const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                            const ElementTable<typename ExecutionSpace::memory_space>& table,
                                            int dimension, const std::vector<index_t>& first_node);

} // namespace tessera::fe

#endif
