// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_STORED_MATRICES_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_STORED_MATRICES_HPP

/// \file
/// Stored element matrices and the loops over them; private to ebe_stored.hpp.

#include "assembly/element_loop.hpp"
#include "linalg/element_level.hpp"

namespace tessera::assembly {

namespace detail {

/// Packed lower triangle of the element matrices in the order of the colours. On hosts the entries of an element are
/// contiguous, on devices equal entries of consecutive elements are.
template <class Loop, bool OnHost> struct StoredMatrices {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_entries = N * (N + 1) / 2;
  Array<double*, typename Loop::memory_space> values;
  Array<index_t*, typename Loop::memory_space> dofs;
  std::int64_t n_elements;
  fe::DofKinds kinds;

  KOKKOS_FUNCTION std::int64_t position(std::int64_t i, int k) const {
    return linalg::element_position<OnHost>(i, k, n_entries, n_elements);
  }
  /// Index of local node a in `dofs` and in vectors per element.
  KOKKOS_FUNCTION std::int64_t node_position(std::int64_t i, int a) const {
    return linalg::element_position<OnHost>(i, a, N, n_elements);
  }

  /// Sum of the entries of row a of the i-th element in the column of the row's unknown, which several nodes may share.
  KOKKOS_FUNCTION double diagonal(std::int64_t i, int a, const index_t (&dof)[N]) const {
    double sum = 0.;
    for (int b = 0; b < N; ++b)
      if (dof[b] == dof[a])
        sum += values(position(i, a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a));
    return sum;
  }

  /// product = K x of the i-th element.
  KOKKOS_FUNCTION void multiply(std::int64_t i, const double (&x)[N], double (&product)[N]) const {
    for (int a = 0; a < N; ++a)
      product[a] = 0.;
    int k = 0;
    for (int a = 0; a < N; ++a) {
      for (int b = 0; b < a; ++b) {
        const double value = values(position(i, k++));
        product[a] += value * x[b];
        product[b] += value * x[a];
      }
      product[a] += values(position(i, k++)) * x[a];
    }
  }
};

/// Evaluates and stores the matrices of all elements (no two threads share an entry), and adds their loads colour by
/// colour.
template <class Loop, bool OnHost> struct StoreElements {
  Loop loop;
  Array<const index_t*, typename Loop::memory_space> elements;
  index_t begin;
  StoredMatrices<Loop, OnHost> stored;
  Array<double*, typename Loop::memory_space> rhs;

  KOKKOS_FUNCTION void operator()(index_t j) const {
    constexpr int N = Loop::n_nodes;
    const std::int64_t i = begin + j;
    index_t dof[N];
    double K[N][N];
    double f[N];
    loop.system(elements(i), dof, K, f);
    int k = 0;
    for (int a = 0; a < N; ++a) {
      stored.dofs(stored.node_position(i, a)) = dof[a];
      for (int b = 0; b <= a; ++b)
        stored.values(stored.position(i, k++)) = K[a][b];
      if (loop.is_regular(dof[a]))
        rhs(dof[a]) += f[a];
    }
  }
};

template <class Loop, bool OnHost> struct ApplyStored {
  StoredMatrices<Loop, OnHost> stored;
  index_t begin;
  Array<const double*, typename Loop::memory_space> x;
  Array<double*, typename Loop::memory_space> y;

  KOKKOS_FUNCTION void operator()(index_t j) const {
    constexpr int N = Loop::n_nodes;
    const std::int64_t i = begin + j;
    index_t dof[N];
    double local[N];
    double sum[N];
    for (int a = 0; a < N; ++a) {
      dof[a] = stored.dofs(stored.node_position(i, a));
      local[a] = stored.kinds.is_free(dof[a]) ? x(dof[a]) : 0.;
    }
    stored.multiply(i, local, sum);
    for (int a = 0; a < N; ++a)
      if (stored.kinds.is_regular(dof[a]))
        y(dof[a]) += sum[a];
  }
};

template <class Loop, bool OnHost> struct StoredDiagonal {
  StoredMatrices<Loop, OnHost> stored;
  index_t begin;
  Array<double*, typename Loop::memory_space> d;
  KOKKOS_FUNCTION void operator()(index_t j) const {
    const std::int64_t i = begin + j;
    index_t dof[Loop::n_nodes];
    for (int a = 0; a < Loop::n_nodes; ++a)
      dof[a] = stored.dofs(stored.node_position(i, a));
    for (int a = 0; a < Loop::n_nodes; ++a)
      if (stored.kinds.is_regular(dof[a]))
        d(dof[a]) += stored.diagonal(i, a, dof);
  }
};

/// Computes q^e = A^e p^(e) with the sum of (p^(e), q^e) over elements without unknowns below `first_counted`.
template <class Loop, bool OnHost> struct MultiplyElements {
  StoredMatrices<Loop, OnHost> stored;
  const double* p;
  double* q;
  index_t first_counted;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    constexpr int N = Loop::n_nodes;
    double local[N];
    double product[N];
    for (int a = 0; a < N; ++a)
      local[a] = p[stored.node_position(i, a)];
    stored.multiply(i, local, product);
    term[0] = 0.;
    for (int a = 0; a < N; ++a) {
      q[stored.node_position(i, a)] = product[a];
      term[0] += local[a] * product[a];
    }
    if (first_counted > 0)
      for (int a = 0; a < N; ++a)
        if (stored.dofs(stored.node_position(i, a)) < first_counted)
          term[0] = 0.;
  }
};

/// Computes m^e of one element.
template <class Loop, bool OnHost> struct ElementDiagonal {
  StoredMatrices<Loop, OnHost> stored;
  double* m;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    constexpr int N = Loop::n_nodes;
    index_t dof[N];
    for (int a = 0; a < N; ++a)
      dof[a] = stored.dofs(stored.node_position(i, a));
    for (int a = 0; a < N; ++a)
      m[stored.node_position(i, a)] = stored.kinds.is_free(dof[a]) ? stored.diagonal(i, a, dof) : 0.;
  }
};

/// Adds an element's values to the sums of its regular unknowns.
template <class Loop, bool OnHost> struct AccumulatePairs {
  StoredMatrices<Loop, OnHost> stored;
  index_t begin;
  const double* v;
  double* sum;
  KOKKOS_FUNCTION void operator()(index_t j) const {
    const std::int64_t i = begin + j;
    for (int a = 0; a < Loop::n_nodes; ++a) {
      const std::int64_t position = stored.node_position(i, a);
      const index_t dof = stored.dofs(position);
      if (stored.kinds.is_regular(dof))
        sum[dof] += v[position];
    }
  }
};

/// The values at a tied unknown.
template <class Loop, bool OnHost> struct SumPairValues {
  StoredMatrices<Loop, OnHost> stored;
  Array<const std::int64_t*, typename Loop::memory_space> pairs;
  const double* v;
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    const graph::LocalNode own = graph::local_node<Loop::n_nodes>(pairs(i));
    term[0] = v[stored.node_position(own.element, own.a)];
  }
};

/// Unknowns of the elements in the order of the colours.
template <class Loop> struct PermutedDofs {
  using memory_space = typename Loop::memory_space;
  static constexpr int n_nodes = Loop::n_nodes;
  typename Loop::Dofs dofs;
  Array<const index_t*, memory_space> elements;
  KOKKOS_FUNCTION index_t dof_of(index_t i, int a) const { return dofs.dof_of(elements(i), a); }
};

} // namespace detail

} // namespace tessera::assembly

#endif
