// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_AGGLOMERATION_METHOD_HPP
#define TESSERA_MESH_AGGLOMERATION_METHOD_HPP

namespace tessera::mesh {

/// The ways to join simplices to elements; without Kokkos.
enum class AgglomerationMethod {
  device, ///< ours: every backend finds the same elements
  metis   ///< k-way partition of the graph of neighbouring simplices by METIS, by one thread of the host
};

} // namespace tessera::mesh

#endif
