// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_SHARED_SUMS_HPP
#define TESSERA_LINALG_DISTRIBUTED_SHARED_SUMS_HPP

/// \file
/// Sums over the unknowns of several processes with the bits of a single process.

#include "core/algorithms/reduce.hpp"

#include <vector>

namespace tessera::linalg {

/// The part of an ordered sum (core/algorithms/reduce.hpp) that a process computes if it owns the unknowns [first,
/// end): the sums of the blocks that are entirely its own, and the individual terms of blocks that it shares with other
/// processes.
struct SharedRange {
  static constexpr std::int64_t block = tessera::detail::reduce_block;
  std::int64_t first;
  std::int64_t end;
  std::int64_t first_block; ///< entirely owned blocks, [first_block, end_block)
  std::int64_t end_block;
  std::int64_t position; ///< position of its values among those of all processes: block sums, then terms

  KOKKOS_FUNCTION std::int64_t n_blocks() const { return end_block - first_block; }
  /// Number of terms before the owned blocks, or of all terms if there are none.
  KOKKOS_FUNCTION std::int64_t n_left() const { return (n_blocks() > 0 ? first_block * block : end) - first; }
  KOKKOS_FUNCTION std::int64_t first_right() const {
    if (n_blocks() == 0)
      return end;
    return end_block * block < end ? end_block * block : end;
  }
  KOKKOS_FUNCTION std::int64_t n_terms() const { return n_left() + end - first_right(); }
  KOKKOS_FUNCTION std::int64_t n_values() const { return n_blocks() + n_terms(); }
  /// The unknown of a term.
  KOKKOS_FUNCTION std::int64_t unknown(std::int64_t term) const {
    return term < n_left() ? first + term : first_right() + term - n_left();
  }
  /// Position of the term of an unknown.
  KOKKOS_FUNCTION std::int64_t position_of(std::int64_t i) const {
    return position + n_blocks() + (i - first < n_left() ? i - first : n_left() + i - first_right());
  }
};

/// The ranges of all processes and the memory of a sum.
template <class ExecutionSpace> struct SharedSums {
  int rank = 0;
  std::int64_t n = 0;                                ///< global number of unknowns
  std::vector<SharedRange> ranges;                   ///< on the host
  Array<SharedRange*, ExecutionSpace> all;           ///< the same in the space's memory
  Array<std::int64_t*, ExecutionSpace> shared;       ///< the blocks that several processes share
  Array<index_t*, ExecutionSpace> position_of_block; ///< of each block: position of its sum, or -1 - its index among
                                                     ///< the shared blocks
  Array<double*, ExecutionSpace> values;             ///< of all processes, [places][sums]
  Array<double*, ExecutionSpace> sums_of_shared;     ///< [shared][sums]
  Array<double*, ExecutionSpace> partial;            ///< sums of all blocks, and of the levels of the tree above
  static constexpr int max_sums = 8;

  std::int64_t n_blocks() const { return tessera::detail::n_reduce_blocks(n); }
};

/// Makes the ranges for process r owning the unknowns [offsets[r], offsets[r + 1]).
template <class ExecutionSpace>
SharedSums<ExecutionSpace> make_shared_sums(const ExecutionSpace& exec, int rank,
                                            const std::vector<std::int64_t>& offsets);

namespace detail {

/// Writes the terms of shared blocks.
template <int N, class Functor> struct WriteTerms {
  Functor functor; ///< of owned unknowns, from 0
  SharedRange range;
  double* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const Functor body = tessera::detail::loaded(functor);
    double term[N];
    const std::int64_t i = range.unknown(k);
    body(i - range.first, term);
    for (int s = 0; s < N; ++s)
      values[range.position_of(i) * N + s] = term[s];
  }
};

/// The terms of the shared blocks, block by block.
template <int N> struct SharedTerms {
  const SharedRange* ranges;
  const std::int64_t* shared;
  const double* values;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t k, double (&term)[N]) const {
    constexpr std::int64_t block = tessera::detail::reduce_block;
    const std::int64_t i = shared[k / block] * block + k % block;
    int owner = 0;
    while (i < n && i >= ranges[owner].end)
      ++owner;
    for (int s = 0; s < N; ++s)
      term[s] = i < n ? values[ranges[owner].position_of(i) * N + s] : 0.;
  }
};

/// Puts the sums of all blocks in order.
template <int N> struct PlaceSums {
  const index_t* position_of_block;
  const double* values;
  const double* sums_of_shared;
  double* partial;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const std::int64_t position = position_of_block[block];
    for (int s = 0; s < N; ++s)
      partial[block * N + s] = position >= 0 ? values[position * N + s] : sums_of_shared[(-1 - position) * N + s];
  }
};

template <int N, class Finish> struct TakeOnlySum {
  const double* partial;
  double* result;
  Finish finish;
  KOKKOS_FUNCTION void operator()(int) const {
    for (int s = 0; s < N; ++s)
      result[s] = partial[s];
    finish();
  }
};

} // namespace detail

/// ordered_sums() over the unknowns of all processes; `functor` is called for owned unknowns, numbered from 0.
/// `gather(sums)` completes the values of all processes. Traffic in addition to the terms: one block sum per 2048
/// unknowns of all processes, and at most 4094 terms of each process.
template <int N, SumKernels Kernels = SumKernels::fastest, class ExecutionSpace, class Functor, class Gather,
          class Finish>
void shared_sums(const char* label, const ExecutionSpace& exec, const Functor& functor,
                 const SharedSums<ExecutionSpace>& sums, const Gather& gather, double* result, const Finish& finish) {
  static_assert(N <= SharedSums<ExecutionSpace>::max_sums, "The memory of shared sums is for fewer sums.");
  const SharedRange& owned = sums.ranges[static_cast<std::size_t>(sums.rank)];
  double* const values = sums.values.data();
  const tessera::detail::NoFinish nothing;
  if (owned.n_blocks() > 0) {
    const std::int64_t begin = owned.first_block * SharedRange::block;
    tessera::detail::sum_blocks<N, Kernels>(label, exec, owned.first_right() - begin, functor, nothing,
                                            values + owned.position * N, begin - owned.first);
  }
  for_each<std::int64_t>(label, exec, owned.n_terms(), detail::WriteTerms<N, Functor>{functor, owned, values});
  gather(N);
  const auto n_shared = static_cast<std::int64_t>(sums.shared.extent(0));
  if (n_shared > 0)
    tessera::detail::sum_blocks<N>("tessera::linalg::sum_shared_blocks", exec, n_shared * SharedRange::block,
                                   detail::SharedTerms<N>{sums.all.data(), sums.shared.data(), values, sums.n}, nothing,
                                   sums.sums_of_shared.data());
  double* const partial = sums.partial.data();
  for_each<std::int64_t>(
      "tessera::linalg::place_sums", exec, sums.n_blocks(),
      detail::PlaceSums<N>{sums.position_of_block.data(), values, sums.sums_of_shared.data(), partial});
  if (sums.n_blocks() == 1)
    for_each("tessera::linalg::take_sum", exec, 1, detail::TakeOnlySum<N, Finish>{partial, result, finish});
  else
    tessera::detail::sum_partials<N>(exec, sums.n_blocks(), partial, result, finish);
}

} // namespace tessera::linalg

#endif
