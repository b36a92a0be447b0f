// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COARSER_GALERKIN_FORM_HPP
#define TESSERA_ASSEMBLY_COARSER_GALERKIN_FORM_HPP

/// \file
/// The form of the next coarser level: P^T A P element by element, without A.

#include "assembly/form.hpp"
#include "fe/dofs/dof_map.hpp"
#include "mesh/refine/children.hpp"
#include "mesh/simplex.hpp"

namespace tessera::assembly {

/// A form of order 1 whose element matrices are those of a finer level restricted to the coarser functions: the sum of
/// W^T K W over the children of a coarser element, where row i of W interpolates the value at a child's node i from the
/// vertices (fe::MeanInterpolation). If the finer level has order 2 it has the same elements, else those of the refined
/// mesh. Summed over all elements this is the Galerkin product P^T A P, with the boundary terms, coefficients and
/// linearisation of the finer form. It has no loads and no rows: its matrices are stored (stored_rows.hpp).
///
/// (P assigns a tied node to the unknown of its body even if its two parents belong to conductors that are listed
/// later; W then uses their mean.)
template <class Fine> struct GalerkinForm {
  using memory_space = typename Fine::memory_space;
  static constexpr int dimension = Fine::dimension;
  static constexpr int n_nodes = dimension + 1;
  static constexpr int n_fine = Fine::n_nodes;
  static constexpr bool is_refined = n_fine == n_nodes; ///< otherwise the finer level has order 2
  static constexpr int n_children = is_refined ? mesh::Children<dimension>::count : 1;
  static_assert(FormTraits<Fine>::is_symmetric, "Rows of the coarser level are read from one triangle of matrices.");

  Array<const index_t* [n_nodes], memory_space> element_nodes; ///< of the coarser level
  Fine fine;
  fe::DofKinds fine_kinds;
  Array<const index_t*, memory_space> fine_dof;
  fe::DofKinds coarse_kinds;
  Array<const index_t*, memory_space> coarse_dof;
  /// Children of each element, and parents of the nodes of the finer mesh; empty if the finer level has order 2.
  Array<const index_t * [mesh::Children<dimension>::count], memory_space> children;
  Array<const index_t* [2], memory_space> parents;
  Array<const index_t*, memory_space> same_elements; ///< CoarserLevel

  KOKKOS_FUNCTION void matrix(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a)
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] = 0.;
    for (int k = 0; k < n_children; ++k)
      add(is_refined ? children(e, k) : same_elements.extent(0) > 0 ? same_elements(e) : e, n, K);
  }

private:
  KOKKOS_FUNCTION void add(index_t child, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes]) const {
    index_t m[n_fine];
    double A[n_fine][n_fine];
    double load[n_fine];
    for (int i = 0; i < n_fine; ++i)
      m[i] = fine.element_nodes(child, i);
    fine.system(child, m, A, load);
    double W[n_fine][n_nodes];
    for (int i = 0; i < n_fine; ++i)
      weights(i, m[i], n, W[i]);
    for (int i = 0; i < n_fine; ++i) {
      double row[n_nodes]; // of A W
      for (int b = 0; b < n_nodes; ++b) {
        row[b] = 0.;
        for (int j = 0; j < n_fine; ++j)
          row[b] += A[i][j] * W[j][b];
      }
      for (int a = 0; a < n_nodes; ++a)
        for (int b = 0; b < n_nodes; ++b)
          K[a][b] += W[i][a] * row[b];
    }
  }

  /// Weights of the vertices n in the value at local node i. Fixed values are zero in a correction.
  KOKKOS_FUNCTION void weights(int i, index_t node, const index_t (&n)[n_nodes], double (&w)[n_nodes]) const {
    int vertex[2];
    for (int k = 0; k < 2; ++k) {
      if constexpr (is_refined) {
        vertex[k] = 0;
        for (int a = 1; a < n_nodes; ++a)
          vertex[k] = n[a] == parents(node, k) ? a : vertex[k];
      } else {
        vertex[k] = i < n_nodes ? i
                    : k == 0    ? mesh::Simplex<dimension>::edge_begin(i - n_nodes)
                                : mesh::Simplex<dimension>::edge_end(i - n_nodes);
      }
    }
    const index_t dof = fine_dof(node);
    double weight[2] = {0.5, 0.5};
    if (fine_kinds.is_fixed(dof))
      weight[0] = weight[1] = 0.;
    if (fine_kinds.is_tied(dof)) {
      bool belongs[2];
      for (int k = 0; k < 2; ++k)
        belongs[k] = coarse_kinds.is_tied(coarse_dof(n[vertex[k]]));
      if (belongs[0] != belongs[1]) {
        weight[0] = belongs[0] ? 1. : 0.;
        weight[1] = belongs[1] ? 1. : 0.;
      }
    }
    for (int a = 0; a < n_nodes; ++a)
      w[a] = (vertex[0] == a ? weight[0] : 0.) + (vertex[1] == a ? weight[1] : 0.);
  }
};

} // namespace tessera::assembly

#endif
