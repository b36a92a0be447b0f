// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOURING_COLORING_METHOD_HPP
#define TESSERA_GRAPH_COLOURING_COLORING_METHOD_HPP

/// \file
/// Methods that colour elements; without Kokkos.
///
/// ccm, fcm and ofcm are algorithms 1 to 3 of X. Ren et al., Research on EBE-FEM parallel algorithm combined with fast
/// color marking method based on CUDA platform.

namespace tessera::graph {
/// Algorithm that colours elements.
enum class ColoringMethod {
  ccm,            ///< classical: one pass over the elements for each colour; serial on the host
  fcm,            ///< fast marking: smallest colour not used by a neighbour; serial on the host
  ofcm,           ///< optimized fast marking: the same with a table of each node's colours; serial on the host
  kokkos_kernels, ///< conflict graph of the elements and Kokkos Kernels' vertex colouring, on the device
  node_claims     ///< elements claim a colour at each of their nodes; on the device, without a graph
};

/// Name as the input file spells it.
const char* coloring_method_name(ColoringMethod method);

} // namespace tessera::graph

#endif
