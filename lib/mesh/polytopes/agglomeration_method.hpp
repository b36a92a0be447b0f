// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_POLYTOPES_AGGLOMERATION_METHOD_HPP
#define TESSERA_MESH_POLYTOPES_AGGLOMERATION_METHOD_HPP

namespace tessera::mesh {

/// Methods of agglomeration; without Kokkos.
enum class AgglomerationMethod {
  device, ///< our method: every backend finds the same elements
  metis   ///< k-way partition by METIS of the graph of neighbouring simplices, on one host thread
};

} // namespace tessera::mesh

#endif
