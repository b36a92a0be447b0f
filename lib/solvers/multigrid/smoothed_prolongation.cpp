// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "core/tagged_loop.hpp"
#include "linalg/crs_product.hpp"
#include "solvers/multigrid/aggregation.hpp"

namespace tessera::solvers {

namespace {

/// Rows of 1 - omega D_F^-1 A_F, where A_F has the entries alone that are large in their row, and the sum of each row
/// of A.
template <class Space> struct Smoothing {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  double threshold;
  double omega;
  linalg::CrsMatrix<Space> smoother;

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
  KOKKOS_FUNCTION void operator()(Count, index_t i) const {
    offset_t count = 0;
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      count += is_kept(i, k) ? 1 : 0;
    smoother.offsets(i) = count;
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const {
    const double factor = omega / filtered_diagonal(i);
    offset_t place = smoother.offsets(i);
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      if (is_kept(i, k)) {
        const index_t j = a.columns(k);
        smoother.columns(place) = j;
        smoother.values(place++) = j == i ? 1. - omega : -factor * a.values(k);
      }
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

/// Writes the indicator functions of the aggregates.
template <class Space> struct Indicators {
  Array<const index_t*, Space> aggregate_of;
  linalg::CrsMatrix<Space> matrix;
  struct Count {};
  struct Fill {};
  KOKKOS_FUNCTION void operator()(Count, index_t i) const { matrix.offsets(i) = aggregate_of(i) < 0 ? 0 : 1; }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const {
    if (aggregate_of(i) < 0)
      return;
    matrix.columns(matrix.offsets(i)) = aggregate_of(i);
    matrix.values(matrix.offsets(i)) = 1.;
  }
};

template <class ExecutionSpace, class Writer, class Matrix>
void fill_matrix(const ExecutionSpace& exec, Writer& writer, Matrix Writer::*matrix, index_t n) {
  Matrix& to = writer.*matrix;
  to.offsets = make_array<decltype(to.offsets)>(exec, "solvers::prolongation_offsets", n + 1);
  for_each_tagged<typename Writer::Count>("tessera::solvers::count_prolongation", exec, n, writer);
  const std::int64_t n_entries = counts_to_offsets(exec, to.offsets, n, "entries of a prolongation");
  to.columns = make_array<decltype(to.columns)>(exec, "solvers::prolongation_columns", n_entries);
  to.values = make_array<decltype(to.values)>(exec, "solvers::prolongation_values", n_entries);
  for_each_tagged<typename Writer::Fill>("tessera::solvers::fill_prolongation", exec, n, writer);
}

} // namespace

template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smoothed_prolongation(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                      const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const linalg::OwnAndGhosts<ExecutionSpace>& columns,
                      const linalg::ConstVector<ExecutionSpace>& diagonal,
                      const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold) {
  using Space = typename ExecutionSpace::memory_space;
  using Worker = Smoothing<Space>;
  const index_t n = a.n_rows();
  Worker smoothing{a, diagonal, threshold, 0., {}};
  double largest = 1.;
  Kokkos::parallel_reduce(
      "tessera::solvers::bound_filtered",
      Kokkos::RangePolicy<ExecutionSpace, typename Worker::Bound, Kokkos::IndexType<index_t>>(exec, 0, n), smoothing,
      Kokkos::Max<double>(largest)); // waits
  if (!group.is_alone())
    largest = group.world->largest(largest);
  smoothing.omega = 4. / 3. / largest;
  fill_matrix(exec, smoothing, &Worker::smoother, n);
  Indicators<Space> indicators{aggregates.aggregate_of, {}};
  fill_matrix(exec, indicators, &Indicators<Space>::matrix, columns.size());
  const auto prolongation = linalg::product(exec, smoothing.smoother, indicators.matrix);
  keep_alive(exec, smoothing, indicators);
  return prolongation;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template linalg::CrsMatrix<Space::memory_space> smoothed_prolongation(                                               \
      const Space&, const comm::Group<Space>&, const linalg::CrsMatrix<Space::memory_space>&,                          \
      const linalg::OwnAndGhosts<Space>&, const linalg::ConstVector<Space>&, const Aggregates<Space::memory_space>&,   \
      double);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
