// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_COLUMN_SUMS_HPP
#define TESSERA_LINALG_COLUMN_SUMS_HPP

/// \file
/// Ordered sums (core/algorithms/reduce.hpp) of several vectors at once: each with the bits of the sum over a single
/// vector.

#include "core/algorithms/reduce.hpp"
#include "linalg/global_sums.hpp"
#include "linalg/pack.hpp"

namespace tessera::linalg {

namespace detail {

/// Terms of a column as ordered_sums() takes them.
template <int S, int N, class Functor> struct SingleTerms {
  Functor functor;
  KOKKOS_FUNCTION void load() {
    if constexpr (tessera::detail::HasLoad<Functor>::value)
      functor.load();
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[S * N]) const {
    Pack<double, N> packs[S];
    functor(i, packs);
    for (int s = 0; s < S; ++s)
      for (int c = 0; c < N; ++c)
        term[s * N + c] = packs[s].column[c];
  }
};

/// Sums one block on a host thread, with lanes of packs, which vectorise over the columns.
template <int S, int N, class Functor> struct HostBlockColumns {
  Functor functor;
  double* partial; // [n_blocks][S][N]
  std::int64_t n;

  void operator()(std::int64_t block) const {
    using tessera::detail::reduce_block;
    using tessera::detail::reduce_items;
    using tessera::detail::reduce_lanes;
    const Functor body = tessera::detail::loaded(functor);
    Pack<double, N> lane[reduce_lanes][S];
    for (auto& sums : lane)
      for (auto& sum : sums)
        sum = Pack<double, N>::of([](int) { return 0.; });
    const std::int64_t begin = block * reduce_block;
    for (int k = 0; k < reduce_items; ++k) {
      const std::int64_t first = begin + k * reduce_lanes;
      const int count = n - first >= reduce_lanes ? reduce_lanes : static_cast<int>(n - first > 0 ? n - first : 0);
      for (int l = 0; l < count; ++l) {
        Pack<double, N> term[S];
        body(first + l, term);
        for (int s = 0; s < S; ++s)
          lane[l][s] += term[s];
      }
    }
    for (int width = reduce_lanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l)
        for (int s = 0; s < S; ++s)
          lane[l][s] += lane[l + width][s];
    for (int s = 0; s < S; ++s)
      for (int c = 0; c < N; ++c)
        partial[(block * S + s) * N + c] = lane[0][s].column[c];
  }
};

} // namespace detail

/// Terms of (x, y) by column, for column_sums().
template <int N> struct ColumnProducts {
  const EntryOf<double, N>* x;
  const EntryOf<double, N>* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, EntryOf<double, N> (&term)[1]) const { term[0] = x[i] * y[i]; }
};

/// result[s N + c] = sum over i in [0, n) of term[s].column[c], where `functor(i, term)` fills `Pack<double, N>
/// (&term)[S]`; it may have a load(). The workspace is for S N sums. Otherwise like ordered_sums().
template <int S, int N, class ExecutionSpace, class Functor, class Finish = tessera::detail::NoFinish>
void column_sums(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* result, const Finish& finish = Finish()) {
  if constexpr (is_host_space<ExecutionSpace>) {
    const std::int64_t n_blocks = tessera::detail::n_reduce_blocks(n);
    double* partial = n_blocks == 1 ? result : workspace.data();
    for_each<std::int64_t>(label, exec, n_blocks, detail::HostBlockColumns<S, N, Functor>{functor, partial, n});
    if (n_blocks == 1)
      for_each("tessera::linalg::finish_column_sums", exec, 1, detail::FinishSums<Finish>{finish});
    else
      tessera::detail::sum_partials<S * N>(exec, n_blocks, partial, result, finish);
  } else {
    ordered_sums<S * N>(label, exec, n, detail::SingleTerms<S, N, Functor>{functor}, workspace, result, finish);
  }
}

} // namespace tessera::linalg

#endif
