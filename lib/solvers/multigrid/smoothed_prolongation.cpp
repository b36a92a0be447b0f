// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/largest_entry.hpp"
#include "core/algorithms/queued_scans.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "linalg/distributed/row_exchange.hpp"
#include "linalg/pattern/column_accumulator.hpp"
#include "linalg/pattern/lane_accumulator.hpp"
#include "linalg/pattern/lane_entries.hpp"
#include "linalg/products/crs_product.hpp"
#include "solvers/multigrid/aggregation.hpp"

namespace tessera::solvers {

namespace {

/// Rows of (1 - omega D_F^-1 A_F) I, where A_F consists of the entries that are large in their row, with the row sums
/// of A, and I are the indicator functions of the aggregates: computed row by row, without storing either factor. The
/// lanes of a row share the loads of its entries and then process them together, in order: all entries of a short row
/// at once, if `HasShortRows`, and of a longer row as many at a time as there are lanes. Otherwise a single thread
/// reads several at a time to keep loads in flight.
template <int Lanes, bool HasShortRows, class Space> struct Smoothing {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  double threshold;
  Array<const index_t*, Space> aggregate_of;
  Array<const index_t*, Space> positive;   // as in Aggregates
  Array<const double*, Space> scale;       // likewise
  bool has_signs;                          // `a` has been multiplied by them: what is positive still is to stay so
  Array<double*, Space> filtered_diagonal; // of A_F
  Array<double*, Space> bound;             // absolute row sum of D_F^-1 A_F
  double omega;
  linalg::CrsMatrix<Space> result;

  static constexpr bool on_host = uses_host_forms<Space>;
  /// Whether a thread reads several entries of any row at a time: this takes more registers than short rows allow.
  static constexpr bool by_thread = Lanes == 1 && !HasShortRows && !on_host;
  template <bool WithValues> using LongSums = linalg::StackAccumulator<on_host ? 32 : 16, WithValues, on_host>;
  template <bool WithValues> using Sums = linalg::LaneAccumulator<Lanes, 16 / Lanes, WithValues>;
  static constexpr int few_slots = Lanes == 1 ? 8 : 2; // slots for a short row, chosen by its length
  static constexpr int more_slots = Lanes == 1 ? 12 : 4;

  /// The data that a lane reads of a short row: entry s * Lanes + lane is in slot s.
  template <int Slots> struct Entries {
    bool is_diagonal[Slots];
    bool is_kept[Slots];
    index_t aggregate[Slots]; // -1: in no aggregate, or entry dropped
    double value[Slots];
  };

  /// Whether a row of n entries is processed at once in `Slots` slots of its lanes.
  template <int Slots> KOKKOS_FUNCTION static constexpr bool is_short(offset_t n) {
    return HasShortRows && !on_host && n <= Slots * Lanes;
  }
  KOKKOS_FUNCTION offset_t length(index_t i) const { return a.offsets(i + 1) - a.offsets(i); }
  /// Whether an entry is large in its row. At jumps of the coefficient such entries also lead from the side with small
  /// coefficients to that with large ones, which no aggregate joins: without them the interpolation would end there.
  KOKKOS_FUNCTION bool is_kept(index_t i, index_t j, double a_ij) const {
    return j == i ||
           (is_strong(a_ij, scale(i), scale(i), threshold) && (a_ij < 0. || has_signs || positive(i) != weak_positive));
  }
  template <int Slots> KOKKOS_FUNCTION Entries<Slots> read(index_t i, offset_t first) const {
    const offset_t end = a.offsets(i + 1);
    Entries<Slots> entries;
    index_t j[Slots];
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) { // no branch, so that the loads of all slots are in flight together
      j[s] = first + s * Lanes < end ? a.columns(first + s * Lanes) : -1;
      entries.value[s] = first + s * Lanes < end ? a.values(first + s * Lanes) : 0.;
    }
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) {
      entries.is_diagonal[s] = j[s] == i;
      entries.is_kept[s] = j[s] >= 0 && is_kept(i, j[s], entries.value[s]);
      entries.aggregate[s] = entries.is_kept[s] ? aggregate_of(j[s]) : -1;
    }
    return entries;
  }
  /// Calls `visit(entries, s)` for the entries of a row, in order; by a single thread.
  template <class Visit> KOKKOS_FUNCTION void for_each_read(index_t i, const Visit& visit) const {
    constexpr int batch = 8;
    const offset_t end = a.offsets(i + 1);
    for (offset_t first = a.offsets(i); first < end; first += batch) {
      const auto entries = read<batch>(i, first);
      TESSERA_UNROLL
      for (int s = 0; s < batch; ++s)
        if (first + s < end)
          visit(entries, s);
    }
  }
  template <int Slots> KOKKOS_FUNCTION double term(const Entries<Slots>& entries, int s, double factor) const {
    return entries.is_diagonal[s] ? 1. - omega : -factor * entries.value[s];
  }
  /// Calls `visit(j, a_ij)` for the entries of a row, in order, in each lane.
  template <class Visit> KOKKOS_FUNCTION void for_each_entry(index_t i, int lane, const Visit& visit) const {
    const offset_t end = a.offsets(i + 1);
    for (offset_t first = a.offsets(i); first < end; first += Lanes) {
      const bool is_mine = first + lane < end;
      const index_t own_j = is_mine ? a.columns(first + lane) : 0;
      const double own_value = is_mine ? a.values(first + lane) : 0.;
      const int n = end - first < Lanes ? static_cast<int>(end - first) : Lanes;
      for (int e = 0; e < n; ++e)
        visit(from_lane<Lanes>(own_j, e), from_lane<Lanes>(own_value, e));
    }
  }
  /// Calls `visit(aggregate, term)` for the terms of a row, likewise, where `factor` is omega over the filtered
  /// diagonal; a result of false ends the row.
  template <bool WithValues, class Visit>
  KOKKOS_FUNCTION void for_each_term(index_t i, int lane, double factor, const Visit& visit) const {
    const offset_t end = a.offsets(i + 1);
    for (offset_t first = a.offsets(i); first < end; first += Lanes) {
      index_t own_aggregate = -1;
      double own_term = 0.;
      if (first + lane < end) {
        const index_t j = a.columns(first + lane);
        const double a_ij = a.values(first + lane);
        if (is_kept(i, j, a_ij))
          own_aggregate = aggregate_of(j);
        own_term = j == i ? 1. - omega : -factor * a_ij;
      }
      const int n = end - first < Lanes ? static_cast<int>(end - first) : Lanes;
      for (int e = 0; e < n; ++e) {
        const index_t aggregate = from_lane<Lanes>(own_aggregate, e);
        const double term = WithValues ? from_lane<Lanes>(own_term, e) : 0.;
        if (aggregate >= 0 && !visit(aggregate, term))
          return;
      }
    }
  }
  /// Computes the row's sums in the order of A's entries, in windows of as many ascending columns as the accumulator
  /// holds; calls `take(sums)` for each window.
  template <bool WithValues, class Take>
  KOKKOS_FUNCTION void for_each_window(index_t i, int lane, const Take& take) const {
    LongSums<WithValues> sums;
    const double factor = WithValues ? omega / filtered_diagonal(i) : 0.;
    for (bool again = true; again;) {
      for_each_term<WithValues>(i, lane, factor, [&](index_t aggregate, double term) {
        sums.add(aggregate, term);
        return true;
      });
      take(sums);
      again = sums.overflow;
      if (again)
        sums.next_window();
    }
  }
  /// The sums of a row in registers; returns false if they do not fit, as on hosts, where StackAccumulator is faster.
  template <bool WithValues> KOKKOS_FUNCTION bool collect(index_t i, int lane, Sums<WithValues>& sums) const {
    bool fits = !on_host;
    const double factor = WithValues ? omega / filtered_diagonal(i) : 0.;
    if constexpr (by_thread)
      for_each_read(i, [&](const auto& entries, int s) {
        if (fits && entries.aggregate[s] >= 0)
          fits = sums.add(entries.aggregate[s], WithValues ? term(entries, s, factor) : 0.);
      });
    else if (fits)
      for_each_term<WithValues>(i, lane, factor,
                                [&](index_t aggregate, double term) { return fits = sums.add(aggregate, term); });
    return fits;
  }
};

/// omega times the bound of the eigenvalues. 4 / 3 is optimal in the worst case (P. Vanek, J. Mandel, M. Brezina,
/// Computing 56, 1996); 1.6 saves one or two of some ten iterations in most cases, above 1.7 iterations increase again.
constexpr double damping_of_one = 1.6;
constexpr double damping_of_two[] = {2., 1.2};

/// Computes the diagonal of A_F, a bound of its eigenvalues, and the number of entries in each row of the result.
template <int Lanes, bool HasShortRows, class Space> struct CountSmoothed : Smoothing<Lanes, HasShortRows, Space> {
  using Base = Smoothing<Lanes, HasShortRows, Space>;
  explicit CountSmoothed(const Base& base) : Base(base) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const offset_t n = this->length(i);
    offset_t count = 0;
    if (Base::template is_short<Base::few_slots>(n))
      count = count_short<Base::few_slots>(i, lane, static_cast<int>(n));
    else if (Base::template is_short<Base::more_slots>(n))
      count = count_short<Base::more_slots>(i, lane, static_cast<int>(n));
    else
      count = count_long(i, lane);
    if (lane == 0)
      this->result.offsets(i) = count;
  }

private:
  /// Row sums: of the entries added to the diagonal of A_F, and of the absolute values of the kept off-diagonal
  /// entries.
  struct RowSums {
    double filtered = 0.;
    double kept = 0.;
    KOKKOS_FUNCTION void add(bool to_diagonal, double a_ij) {
      if (to_diagonal)
        filtered += a_ij;
      else
        kept += a_ij < 0. ? -a_ij : a_ij;
    }
  };
  KOKKOS_FUNCTION void store(index_t i, int lane, const RowSums& sums) const {
    const double own = this->diagonal(i);
    double filtered = sums.filtered;
    if (!(filtered > 0.1 * own)) // if large weak entries have the opposite sign they are dropped instead
      filtered = own;
    if (lane == 0) {
      this->filtered_diagonal(i) = filtered;
      this->bound(i) = 1. + sums.kept / filtered;
    }
  }

  template <int Slots> KOKKOS_FUNCTION int count_short(index_t i, int lane, int n) const {
    const auto entries = this->template read<Slots>(i, this->a.offsets(i) + lane);
    linalg::LaneEntries<Lanes, Slots, false> columns(lane, n);
    RowSums sums;
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) {
      columns.column[s] = entries.aggregate[s];
      const unsigned to_diagonal = bits_of_lanes<Lanes>(entries.is_diagonal[s] || !entries.is_kept[s]);
      for (int l = 0; l < Lanes && s * Lanes + l < n; ++l)
        sums.add((to_diagonal >> l & 1u) != 0, from_lane<Lanes>(entries.value[s], l));
    }
    store(i, lane, sums);
    return columns.count();
  }
  KOKKOS_FUNCTION offset_t count_long(index_t i, int lane) const {
    RowSums row;
    typename Base::template Sums<false> sums(lane);
    bool fits = true;
    if constexpr (Base::by_thread) {
      this->for_each_read(i, [&](const auto& entries, int s) {
        row.add(entries.is_diagonal[s] || !entries.is_kept[s], entries.value[s]);
        fits = fits && (entries.aggregate[s] < 0 || sums.add(entries.aggregate[s], 0.));
      });
    } else {
      this->for_each_entry(i, lane,
                           [&](index_t j, double a_ij) { row.add(j == i || !this->is_kept(i, j, a_ij), a_ij); });
      fits = this->template collect<false>(i, lane, sums);
    }
    store(i, lane, row);
    if (fits)
      return sums.n;
    offset_t count = 0;
    this->template for_each_window<false>(i, lane, [&](const auto& window) { count += window.count(); });
    return count;
  }
};

template <int Lanes, bool HasShortRows, class Space> struct FillSmoothed : Smoothing<Lanes, HasShortRows, Space> {
  using Base = Smoothing<Lanes, HasShortRows, Space>;
  explicit FillSmoothed(const Base& base) : Base(base) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const offset_t n = this->length(i);
    if (Base::template is_short<Base::few_slots>(n))
      fill_short<Base::few_slots>(i, lane, static_cast<int>(n));
    else if (Base::template is_short<Base::more_slots>(n))
      fill_short<Base::more_slots>(i, lane, static_cast<int>(n));
    else
      fill_long(i, lane);
  }

private:
  template <int Slots> KOKKOS_FUNCTION void fill_short(index_t i, int lane, int n) const {
    const auto entries = this->template read<Slots>(i, this->a.offsets(i) + lane);
    const double factor = this->omega / this->filtered_diagonal(i);
    linalg::LaneEntries<Lanes, Slots, true> terms(lane, n);
    TESSERA_UNROLL
    for (int s = 0; s < Slots; ++s) {
      terms.column[s] = entries.aggregate[s];
      terms.term[s] = this->term(entries, s, factor);
    }
    const offset_t position = this->result.offsets(i);
    terms.write(this->result.columns.data() + position, this->result.values.data() + position);
  }
  KOKKOS_FUNCTION void fill_long(index_t i, int lane) const {
    const auto& result = this->result;
    offset_t position = result.offsets(i);
    typename Base::template Sums<true> sums(lane);
    if (this->template collect<true>(i, lane, sums)) {
      sums.write(result.columns.data() + position, result.values.data() + position);
      return;
    }
    this->template for_each_window<true>(i, lane, [&](const auto& window) {
      for (int k = 0; k < window.count() && lane == 0; ++k) {
        result.columns(position) = window.column[k];
        result.values(position++) = window.value[k];
      }
    });
  }
};

// Traffic with m entries of A in n rows: 12 m twice, plus aggregates and diagonals, 32 n for the filtered diagonal and
// the bounds, and the result's offsets 12 n, columns and values.
template <int Lanes, bool HasShortRows, class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smooth_by_lanes(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const linalg::ConstVector<ExecutionSpace>& diagonal,
                const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold, double damping) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = a.n_rows();
  Smoothing<Lanes, HasShortRows, Space> worker{a,
                                               diagonal,
                                               threshold,
                                               aggregates.aggregate_of,
                                               aggregates.positive,
                                               aggregates.scale,
                                               aggregates.sign.extent(0) > 0,
                                               {},
                                               {},
                                               0.,
                                               {}};
  worker.filtered_diagonal = make_array<Array<double*, Space>>(exec, "solvers::filtered_diagonal", n);
  worker.bound = make_array<Array<double*, Space>>(exec, "solvers::filtered_bounds", n);
  linalg::CrsMatrix<Space>& result = worker.result;
  QueuedScans<1, ExecutionSpace> scan(exec, "solvers::prolongation_offsets", n);
  result.offsets = scan.offsets();
  for_each_lane<Lanes>("tessera::solvers::count_prolongation", exec, n,
                       CountSmoothed<Lanes, HasShortRows, Space>(worker));
  scan.add(exec, result.offsets, n);
  const double largest =
      largest_entry<ExecutionSpace>("tessera::solvers::bound_filtered", exec, worker.bound, n, 1.); // waits
  worker.bound = {};
  worker.omega = damping / group.world->largest(largest);
  const std::int64_t n_entries = checked_offset(scan.totals(exec)[0], "entries of a prolongation");
  result.columns = make_array<decltype(result.columns)>(exec, "solvers::prolongation_columns", n_entries);
  result.values = make_array<decltype(result.values)>(exec, "solvers::prolongation_values", n_entries);
  for_each_lane<Lanes>("tessera::solvers::fill_prolongation", exec, n,
                       FillSmoothed<Lanes, HasShortRows, Space>(worker));
  keep_alive(exec, worker);
  return result;
}

template <class Space> struct Iota {
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t i) const { numbers(i) = i; }
};

/// Multiplies entries by the signs of their rows and, if `with_columns`, of their columns.
template <class Space> struct ApplySigns {
  linalg::CrsMatrix<Space> from;
  Array<const index_t*, Space> sign;
  bool with_columns;
  Array<double*, Space> values; // may be the values of `from`
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (offset_t k = from.offsets(i); k < from.offsets(i + 1); ++k)
      values(k) = from.values(k) * (with_columns ? sign(i) * sign(from.columns(k)) : sign(i));
  }
};

template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smooth_by_length(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                 const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                 const linalg::ConstVector<ExecutionSpace>& diagonal,
                 const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold,
                 double damping) {
  return linalg::by_length_of_rows(a, [&](auto lanes) {
    if constexpr (lanes > 1) { // longer rows do not fit a thread's registers often enough
      constexpr double longest = 40.;
      if (static_cast<double>(a.n_entries()) <= longest * static_cast<double>(a.n_rows()))
        return smooth_by_lanes<1, false>(exec, group, a, diagonal, aggregates, threshold, damping);
    }
    return smooth_by_lanes<lanes, true>(exec, group, a, diagonal, aggregates, threshold, damping);
  });
}

} // namespace

template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
smoothed_prolongation(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                      const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const comm::Layout<ExecutionSpace>& columns, const linalg::ConstVector<ExecutionSpace>& diagonal,
                      const Aggregates<typename ExecutionSpace::memory_space>& aggregates, double threshold,
                      ProlongationSteps steps) {
  using Space = typename ExecutionSpace::memory_space;
  linalg::CrsMatrix<Space> signed_a = a;
  const bool has_signs = aggregates.sign.extent(0) > 0;
  if (has_signs) {
    signed_a.values = make_array<decltype(signed_a.values)>(exec, "solvers::signed_values", a.n_entries());
    for_each("tessera::solvers::apply_signs", exec, a.n_rows(),
             ApplySigns<Space>{a, aggregates.sign, true, signed_a.values});
  }
  const auto smoothed = [&](const Aggregates<Space>& from, double damping) {
    return smooth_by_length(exec, group, signed_a, diagonal, from, threshold, damping);
  };
  linalg::CrsMatrix<Space> result =
      smoothed(aggregates, steps == ProlongationSteps::one ? damping_of_one : damping_of_two[0]);
  if (steps == ProlongationSteps::two) {
    Aggregates<Space> unknowns = aggregates; // each by itself: its rows are those of the step
    const auto numbers = make_array<Array<index_t*, Space>>(exec, "solvers::column_numbers", columns.size());
    for_each("tessera::solvers::number_columns", exec, columns.size(), Iota<Space>{numbers});
    unknowns.aggregate_of = comm::to_global_indices(exec, columns, numbers);
    const auto step = smoothed(unknowns, damping_of_two[1]);
    comm::to_local_indices(exec, columns, step.columns);
    const auto p = linalg::with_ghost_rows(exec, columns, result);
    result = linalg::product(exec, step, p);
    keep_alive(exec, step, p, unknowns);
  }
  if (has_signs)
    for_each("tessera::solvers::apply_signs", exec, a.n_rows(),
             ApplySigns<Space>{result, aggregates.sign, false, result.values});
  keep_alive(exec, signed_a);
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template linalg::CrsMatrix<Space::memory_space> smoothed_prolongation(                                               \
      const Space&, const comm::ProcessGroup<Space>&, const linalg::CrsMatrix<Space::memory_space>&,                   \
      const comm::Layout<Space>&, const linalg::ConstVector<Space>&, const Aggregates<Space::memory_space>&, double,   \
      ProlongationSteps);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
