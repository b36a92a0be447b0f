// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/queued_scans.hpp"
#include "core/tagged_loop.hpp"
#include "linalg/pattern/column_accumulator.hpp"
#include "solvers/multigrid/aggregation.hpp"

namespace tessera::solvers {

namespace {

/// Rows of (1 - omega D_F^-1 A_F) I, where A_F has the entries alone that are large in their row, and the sum of each
/// row of A, and I are the indicator functions of the aggregates: row by row, without a matrix of either factor.
template <class Space> struct Smoothing {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  double threshold;
  Array<const index_t*, Space> aggregate_of;
  double omega;
  linalg::CrsMatrix<Space> result;

  static constexpr bool on_host = uses_host_forms<Space>;
  template <bool WithValues> using Sums = linalg::StackAccumulator<on_host ? 32 : 16, WithValues, on_host>;

  struct Count {};
  struct Fill {};
  struct Bound {};

  /// Entries that are large in their own row. Where the coefficient jumps these are also those from its small to its
  /// large side, which no aggregate holds together: otherwise the interpolation would break off there.
  KOKKOS_FUNCTION bool is_kept(index_t i, offset_t k) const {
    return a.columns(k) == i || is_strong(a.values(k), diagonal(i), diagonal(i), threshold);
  }
  KOKKOS_FUNCTION double filtered_diagonal(index_t i) const {
    double sum = 0.;
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      if (a.columns(k) == i || !is_kept(i, k))
        sum += a.values(k);
    return sum > 0.1 * diagonal(i) ? sum : diagonal(i); // large weak entries of the other sign are left out instead
  }
  /// The row's sums in the order of A's entries, as many ascending columns at a time as the accumulator holds:
  /// `take(sums)` for each such window.
  template <bool WithValues, class Take> KOKKOS_FUNCTION void for_each_window(index_t i, const Take& take) const {
    Sums<WithValues> sums;
    const double factor = WithValues ? omega / filtered_diagonal(i) : 0.;
    for (bool again = true; again;) {
      for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k) {
        const index_t j = a.columns(k);
        const index_t aggregate = aggregate_of(j);
        if (aggregate >= 0 && is_kept(i, k))
          sums.add(aggregate, j == i ? 1. - omega : -factor * a.values(k));
      }
      take(sums);
      again = sums.overflow;
      if (again)
        sums.next_window();
    }
  }
  KOKKOS_FUNCTION void operator()(Count, index_t i) const {
    offset_t count = 0;
    for_each_window<false>(i, [&](const Sums<false>& sums) { count += sums.count(); });
    result.offsets(i) = count;
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const {
    offset_t place = result.offsets(i);
    for_each_window<true>(i, [&](const Sums<true>& sums) {
      for (int j = 0; j < sums.count(); ++j) {
        result.columns(place) = sums.column[j];
        result.values(place++) = sums.value[j];
      }
    });
  }
  KOKKOS_FUNCTION void operator()(Bound, index_t i, double& largest) const {
    double sum = 0.;
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      if (a.columns(k) != i && is_kept(i, k))
        sum += a.values(k) < 0. ? -a.values(k) : a.values(k);
    const double bound = 1. + sum / filtered_diagonal(i);
    largest = bound > largest ? bound : largest;
  }
};

} // namespace

// Traffic with m entries of A in n rows: 12 m three times, with aggregates and diagonals besides, and the result's
// offsets 12 n, columns and values.
template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smoothed_prolongation(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                      const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const linalg::ConstVector<ExecutionSpace>& diagonal,
                      const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold) {
  using Space = typename ExecutionSpace::memory_space;
  using Worker = Smoothing<Space>;
  const index_t n = a.n_rows();
  Worker worker{a, diagonal, threshold, aggregates.aggregate_of, 0., {}};
  linalg::CrsMatrix<Space>& result = worker.result;
  QueuedScans<1, ExecutionSpace> scan(exec, "solvers::prolongation_offsets", n);
  result.offsets = scan.offsets();
  for_each_tagged<typename Worker::Count>("tessera::solvers::count_prolongation", exec, n, worker);
  scan.add(exec, result.offsets, n);
  double largest = 1.;
  Kokkos::parallel_reduce(
      "tessera::solvers::bound_filtered",
      Kokkos::RangePolicy<ExecutionSpace, typename Worker::Bound, Kokkos::IndexType<index_t>>(exec, 0, n), worker,
      Kokkos::Max<double>(largest)); // waits
  if (!group.is_alone())
    largest = group.world->largest(largest);
  worker.omega = 4. / 3. / largest;
  const std::int64_t n_entries = checked_offset(scan.totals(exec)[0], "entries of a prolongation");
  result.columns = make_array<decltype(result.columns)>(exec, "solvers::prolongation_columns", n_entries);
  result.values = make_array<decltype(result.values)>(exec, "solvers::prolongation_values", n_entries);
  for_each_tagged<typename Worker::Fill>("tessera::solvers::fill_prolongation", exec, n, worker);
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template linalg::CrsMatrix<Space::memory_space> smoothed_prolongation(                                               \
      const Space&, const comm::Group<Space>&, const linalg::CrsMatrix<Space::memory_space>&,                          \
      const linalg::ConstVector<Space>&, const Aggregates<Space::memory_space>&, double);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
