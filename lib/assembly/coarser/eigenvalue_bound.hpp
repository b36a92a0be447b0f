// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COARSER_EIGENVALUE_BOUND_HPP
#define TESSERA_ASSEMBLY_COARSER_EIGENVALUE_BOUND_HPP

/// \file
/// An upper bound of the eigenvalues of D^-1 A, with the diagonal D, from the element matrices.

#include "assembly/element_loop.hpp"

namespace tessera::assembly::detail {

/// If A_e <= lambda D_e for every element matrix A_e and its diagonal D_e, in terms of the unknowns, then A <= lambda
/// D. The smallest lambda of an element is the largest eigenvalue of C = D_e^-1/2 A_e D_e^-1/2; it is bounded by the
/// mean and variance of the eigenvalues of C^2 (H. Wolkowicz, G. Styan, Linear Algebra Appl. 29, 1980), to within some
/// per cent.
template <class Loop> struct BoundElements {
  static constexpr int N = Loop::n_nodes;
  Loop loop;
  Array<const index_t*, typename Loop::memory_space> owned; ///< elements; empty: all

  KOKKOS_FUNCTION void operator()(index_t i, double& largest) const {
    const index_t e = owned.extent(0) > 0 ? owned(i) : i;
    index_t dof[N];
    double K[N][N];
    double f[N];
    loop.system(e, dof, K, f);
    for (int a = 0; a < N; ++a) // nodes that share an unknown are summed at the first of them
      for (int b = a + 1; b < N && loop.is_free(dof[a]); ++b)
        if (dof[b] == dof[a]) {
          for (int c = 0; c < N; ++c)
            K[a][c] += K[b][c];
          for (int c = 0; c < N; ++c)
            K[c][a] += K[c][b];
          dof[b] = loop.n_free;
        }
    double scale[N];
    int n = 0;
    for (int a = 0; a < N; ++a) {
      const bool counts = loop.is_free(dof[a]) && K[a][a] > 0.;
      scale[a] = counts ? 1. / std::sqrt(K[a][a]) : 0.;
      n += counts ? 1 : 0;
    }
    if (n == 0)
      return;
    for (int a = 0; a < N; ++a)
      for (int b = 0; b < N; ++b)
        K[a][b] *= scale[a] * scale[b];
    double sum = 0.; // of the eigenvalues of C^2, and of their squares
    double squares = 0.;
    for (int a = 0; a < N; ++a)
      for (int b = 0; b < N; ++b) {
        sum += K[a][b] * K[a][b];
        double entry = 0.;
        for (int c = 0; c < N; ++c)
          entry += K[a][c] * K[c][b];
        squares += entry * entry;
      }
    const double mean = sum / n;
    const double variance = squares / n - mean * mean;
    const double bound = std::sqrt(mean + std::sqrt((n - 1.) * (variance > 0. ? variance : 0.)));
    largest = bound > largest ? bound : largest;
  }
};

} // namespace tessera::assembly::detail

#endif
