// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_AGGLOMERATE_HPP
#define TESSERA_MESH_AGGLOMERATE_HPP

/// \file
/// Joins the simplices of a mesh to connected polygons or polyhedra of even size.

#include "mesh/agglomeration_method.hpp"
#include "mesh/dual_graph.hpp"

namespace tessera::mesh {

template <class ExecutionSpace> struct Agglomeration {
  Array<index_t*, ExecutionSpace> element_of; ///< element of each simplex, [n_simplices]; numbered by first simplex
  index_t n_elements = 0;
  index_t n_pieces = 0; ///< connected pieces of regions; no element belongs to two
  index_t smallest = 0; ///< element, by its number of simplices
  index_t largest = 0;
  double mean = 0.;
  std::int64_t n_cut = 0;     ///< facets between elements
  index_t n_empty = 0;        ///< parts that METIS left empty; they make no elements
  index_t n_disconnected = 0; ///< parts of METIS in several pieces, all but the largest of which went to neighbours
};

/// Joins simplices to `n_elements` elements, each of them connected and within one region. Every connected piece of a
/// region gets its share of elements by its number of simplices, one at least; there are more elements than asked for
/// only if there are more pieces than that. A number that is not from 1 to the number of simplices is an error of kind
/// input. Works on integers, so that every backend finds the same elements.
///
/// Runs of equal length along a Hilbert curve are the start; then simplices at the edges of their parts move by
/// balanced k-means, disconnected parts are made connected, and leaves move (graph/parts.hpp). With `metis`, each piece
/// is partitioned by METIS instead, and disconnected parts are made connected; as some are empty, there may be fewer
/// elements. A build without METIS refuses it.
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

/// Number of elements with a mean diameter of `mean_size` metres, by which is meant that an element has the measure
/// mean_size^Dim on average; one at least. A size that is not positive, or so small that there would be more elements
/// than simplices, is an error of kind input.
template <class ExecutionSpace, int Dim>
std::int64_t elements_of_mean_size(const ExecutionSpace& exec,
                                   const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh, double mean_size);

} // namespace tessera::mesh

#endif
