// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_POLYTOPES_AGGLOMERATE_HPP
#define TESSERA_MESH_POLYTOPES_AGGLOMERATE_HPP

/// \file
/// Agglomerates the simplices of a mesh to connected polygons or polyhedra of even size.

#include "mesh/parts/dual_graph.hpp"
#include "mesh/polytopes/agglomeration_method.hpp"

namespace tessera::mesh {

template <class ExecutionSpace> struct Agglomeration {
  Array<index_t*, ExecutionSpace> element_of; ///< element of each simplex, [n_simplices]; numbered by first simplex
  index_t n_elements = 0;
  index_t n_pieces = 0; ///< number of connected pieces of regions; each element is in one piece
  index_t smallest = 0; ///< number of simplices of the smallest element; likewise of the largest
  index_t largest = 0;
  double mean = 0.;
  std::int64_t n_cut = 0;     ///< number of facets between elements
  index_t n_empty = 0;        ///< number of parts left empty by METIS, which make no elements
  index_t n_disconnected = 0; ///< number of disconnected parts of METIS; all pieces but the largest were moved to
                              ///< neighbours. Of given parts: of those that are not connected within one region
};

/// Agglomerates simplices to `n_elements` elements, each connected and within one region. Every connected piece of a
/// region gets a share of the elements proportional to its number of simplices, at least one; there are more elements
/// than requested only if there are more pieces. Throws an error of kind input if the number is not between 1 and the
/// number of simplices. Uses integers only, so that every backend finds the same elements.
///
/// The initial partition consists of runs of equal length along a Hilbert curve; then simplices at the boundaries of
/// their parts move by balanced k-means, disconnected parts are made connected, and leaves move
/// (graph/partition/partition.hpp). With `metis`, each piece is partitioned by METIS instead, and disconnected parts
/// are made connected; as METIS may leave parts empty, there may be fewer elements. Throws in a build without METIS.
template <class ExecutionSpace, int Dim>
Agglomeration<ExecutionSpace>
agglomerate(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual, std::int64_t n_elements,
            AgglomerationMethod method = AgglomerationMethod::device);

/// As above; builds the dual graph first.
template <class ExecutionSpace, int Dim>
Agglomeration<ExecutionSpace>
agglomerate(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            std::int64_t n_elements, AgglomerationMethod method = AgglomerationMethod::device);

/// Joins the simplices of given parts, [n_simplices], numbers in [0, n_parts), to elements: the connected pieces of
/// each part within a region.
template <class ExecutionSpace, int Dim>
Agglomeration<ExecutionSpace> agglomerate_parts(const ExecutionSpace& exec,
                                                const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                                const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                                                const Array<const index_t*, ExecutionSpace>& parts, index_t n_parts);

/// Number of elements with a mean diameter of `mean_size` metres, defined by an average measure of mean_size^Dim; at
/// least one. Throws an error of kind input for a size that is not positive, or so small that there would be more
/// elements than simplices.
template <class ExecutionSpace, int Dim>
std::int64_t elements_of_mean_size(const ExecutionSpace& exec,
                                   const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh, double mean_size);

} // namespace tessera::mesh

#endif
