// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_PACK_GHOSTS_HPP
#define TESSERA_SOLVERS_HARMONIC_PACK_GHOSTS_HPP

/// \file
/// Ghosts of vectors with several numbers per unknown, and their sums over all processes.

#include "comm/layout.hpp"
#include "linalg/global_sums.hpp"
#include "linalg/pack.hpp"

#include <map>
#include <memory>
#include <vector>

namespace tessera::solvers {

/// Exchanges the ghosts of vectors of linalg::Pack, whose numbers are to a halo further unknowns. Does nothing in one
/// process. Copies share the halos, one for each width, which are made when they are first used. Collective.
template <class ExecutionSpace> class PackGhosts {
public:
  /// Of a single process.
  PackGhosts() = default;
  /// Process r owns the unknowns [offsets[r], offsets[r + 1]).
  PackGhosts(const comm::ProcessGroup<ExecutionSpace>& group, std::vector<std::int64_t> offsets,
             const comm::Layout<ExecutionSpace>& columns)
      : group_(group), offsets_(std::move(offsets)), columns_(columns),
        halos_(std::make_shared<std::map<int, std::shared_ptr<const Halo>>>()) {}

  bool is_distributed() const { return columns_.is_distributed(); }
  const comm::Layout<ExecutionSpace>& columns() const { return columns_; }

  /// Makes the halo of vectors with `width` numbers per unknown, so that later exchanges can be recorded.
  void prepare(const ExecutionSpace& exec, int width) const {
    if (is_distributed())
      halo(exec, width);
  }
  /// Receives the ghosts after the owned entries of `v`, which has room for them.
  template <class T, int W>
  void update(const ExecutionSpace& exec, const Array<linalg::Pack<T, W>*, ExecutionSpace>& v) const {
    if (is_distributed())
      halo(exec, W).update(exec, Array<T*, ExecutionSpace>(reinterpret_cast<T*>(v.data()), W * v.extent(0)));
  }
  /// Entries of a vector followed by ghosts: itself if it has none or room for them, which it receives there, otherwise
  /// a copy in `copy`.
  template <int W>
  const linalg::Pack<double, W>* with_ghosts(const ExecutionSpace& exec,
                                             const Array<const linalg::Pack<double, W>*, ExecutionSpace>& v,
                                             Array<double*, ExecutionSpace>& copy) const {
    if (!is_distributed())
      return v.data();
    auto* const numbers = const_cast<double*>(reinterpret_cast<const double*>(v.data()));
    const auto n = static_cast<std::size_t>(W) * static_cast<std::size_t>(columns_.size());
    if (W * v.extent(0) == n && columns_.n_ghosts() > 0) {
      halo(exec, W).update(exec, Array<double*, ExecutionSpace>(numbers, n));
      return v.data();
    }
    if (copy.extent(0) != n)
      copy = make_array<Array<double*, ExecutionSpace>>(exec, "solvers::pack_with_ghosts", n);
    halo(exec, W).complete(exec,
                           Array<const double*, ExecutionSpace>(
                               numbers, static_cast<std::size_t>(W) * static_cast<std::size_t>(columns_.n_owned)),
                           copy);
    return reinterpret_cast<const linalg::Pack<double, W>*>(copy.data());
  }

private:
  using Halo = comm::Halo<ExecutionSpace>;
  const Halo& halo(const ExecutionSpace& exec, int width) const;

  comm::ProcessGroup<ExecutionSpace> group_;
  std::vector<std::int64_t> offsets_;
  comm::Layout<ExecutionSpace> columns_;
  std::shared_ptr<std::map<int, std::shared_ptr<const Halo>>> halos_; ///< by numbers per unknown
};

namespace detail {

/// Some of the terms of a sum.
template <int First, int Count, int All, class Functor> struct SomeTerms {
  Functor functor;
  KOKKOS_FUNCTION void load() {
    if constexpr (tessera::detail::HasLoad<Functor>::value)
      functor.load();
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[Count]) const {
    double all[All];
    functor(i, all);
    for (int k = 0; k < Count; ++k)
      term[k] = all[First + k];
  }
};

} // namespace detail

/// linalg::global_sums() for up to 16 sums; more than that of linalg::SharedSums are two sums with several processes,
/// so that `functor` must not change anything then.
template <int N, class ExecutionSpace, class Functor, class Finish = tessera::detail::NoFinish>
void column_sums(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* result,
                 const linalg::GlobalSums<ExecutionSpace>& sums, const Finish& finish = Finish()) {
  constexpr int most = linalg::SharedSums<ExecutionSpace>::max_sums;
  static_assert(N <= 2 * most, "These are at most two sums.");
  if constexpr (N <= most) {
    linalg::global_sums<N>(label, exec, n, functor, workspace, result, sums, finish);
  } else if (!sums.is_distributed()) {
    ordered_sums<N>(label, exec, n, functor, workspace, result, finish);
  } else {
    linalg::global_sums<most>(label, exec, n, detail::SomeTerms<0, most, N, Functor>{functor}, workspace, result, sums);
    linalg::global_sums<N - most>(label, exec, n, detail::SomeTerms<most, N - most, N, Functor>{functor}, workspace,
                                  result + most, sums, finish);
  }
}

} // namespace tessera::solvers

#endif
