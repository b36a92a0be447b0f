// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/sliced_matrix.hpp"

#include "core/parallel.hpp"
#include "core/scan.hpp"

#include <algorithm>
#include <utility>

namespace tessera::linalg {

namespace {

/// What decides on the form of a device's matrix. The sum of two: of all their slices.
struct SliceMeasures {
  std::int64_t n_entries = 0; ///< with the padding of each slice
  std::int64_t n_far = 0;     ///< entries whose code would be far, where the matrix has codes
  std::int64_t largest = 0;   ///< slice

  KOKKOS_FUNCTION void operator+=(const SliceMeasures& other) {
    n_entries += other.n_entries;
    n_far += other.n_far;
    largest = other.largest > largest ? other.largest : largest;
  }
  /// The same for Kokkos 3, whose reductions are volatile.
  KOKKOS_FUNCTION void operator+=(const volatile SliceMeasures& other) volatile {
    n_entries = n_entries + other.n_entries;
    n_far = n_far + other.n_far;
    largest = other.largest > largest ? other.largest : largest;
  }
};

} // namespace

} // namespace tessera::linalg

template <> struct Kokkos::reduction_identity<tessera::linalg::SliceMeasures> {
  KOKKOS_FUNCTION static tessera::linalg::SliceMeasures sum() { return {}; }
};

namespace tessera::linalg {

namespace {

/// Entries of a row that are stored.
template <class Space> KOKKOS_FUNCTION offset_t length_of(const CrsMatrix<Space>& a, index_t i, bool drops_diagonal) {
  return a.offsets(i + 1) - a.offsets(i) - (drops_diagonal ? 1 : 0);
}

/// Stored entries of a slice, whose longest row has so many, with its padding.
template <class Value, class Space> KOKKOS_FUNCTION offset_t padded_slice(offset_t longest, int n_sums) {
  return (longest + n_sums - 1) / n_sums * n_sums * SlicedMatrix<Value, Space>::slice_rows(n_sums);
}

template <class Value, class Space> struct CountSlice {
  SliceSource<Space> from;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t slice) const {
    const int rows = SlicedMatrix<Value, Space>::slice_rows(from.n_sums);
    const index_t n_rows = static_cast<index_t>(from.a.offsets.extent(0)) - 1;
    offset_t longest = 0;
    for (index_t i = slice * rows; i < (slice + 1) * rows && i < n_rows; ++i) {
      const offset_t n = length_of(from.a, i, from.scaling.drops_diagonal);
      longest = n > longest ? n : longest;
    }
    counts(slice) = padded_slice<Value, Space>(longest, from.n_sums);
  }
};

/// The measures of a slice, by the threads that its rows have in a product, `Lanes` of them at a time.
template <int Lanes, class Value, class Space> struct MeasureSlice {
  SliceSource<Space> from;
  Array<SliceMeasures*, Space> slices;

  KOKKOS_FUNCTION void operator()(std::int64_t slice, int lane, bool exists) const {
    const int n_sums = from.n_sums;
    const int rows = SlicedMatrix<Value, Space>::slice_rows(n_sums);
    const std::int64_t n_rows = static_cast<std::int64_t>(from.a.offsets.extent(0)) - 1;
    offset_t longest = 0;
    int n_far = 0;
    for (int t = lane; exists && t < rows * n_sums && slice * rows + t / n_sums < n_rows; t += Lanes) {
      const auto i = static_cast<index_t>(slice * rows + t / n_sums);
      const offset_t n = length_of(from.a, i, from.scaling.drops_diagonal);
      longest = n > longest ? n : longest;
      if (from.scaling.drops_diagonal)
        n_far += far_entries(i, t % n_sums);
    }
    longest = largest_of_lanes<Lanes>(longest);
    n_far = sum_of_lanes<Lanes>(n_far);
    if (exists && lane == 0) {
      const auto n_entries = static_cast<std::int64_t>(padded_slice<Value, Space>(longest, n_sums));
      slices(slice) = {n_entries, n_far, n_entries};
    }
  }

private:
  /// Far ones among the entries first, first + n_sums, ... of row i; a batch of loads is under way together.
  KOKKOS_FUNCTION int far_entries(index_t i, int first) const {
    constexpr int batch = 8;
    const offset_t step = from.n_sums;
    const offset_t end = from.a.offsets(i + 1);
    int n = 0;
    for (offset_t k = from.a.offsets(i) + first; k < end; k += batch * step) {
      index_t column[batch];
      TESSERA_UNROLL
      for (int j = 0; j < batch; ++j)
        column[j] = k + j * step < end ? from.a.columns(k + j * step) : i; // beyond the end one that is near
      TESSERA_UNROLL
      for (int j = 0; j < batch; ++j)
        n += CompressedColumns::code(i, column[j]) == CompressedColumns::far ? 1 : 0;
    }
    return n;
  }
};

template <class Space> struct AddSlices {
  Array<const SliceMeasures*, Space> slices;
  KOKKOS_FUNCTION void operator()(std::int64_t slice, SliceMeasures& all) const { all += slices(slice); }
};

/// Slices get as many entries each, and no offsets, if that adds no more of them than this.
constexpr double most_padding = 1.03;

template <class Value, class Space> struct FillRow {
  SliceSource<Space> from;
  SlicedMatrix<Value, Space> slices;  // without entries
  Array<index_t*, Space> columns;     // empty: not wanted
  Array<std::uint16_t*, Space> codes; // empty: not wanted
  Array<Value*, Space> values;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const CrsMatrix<Space>& a = from.a;
    const EntryScaling<Space>& scaling = from.scaling;
    const int n_sums = slices.n_sums;
    const int rows = SlicedMatrix<Value, Space>::slice_rows(n_sums);
    const index_t slice = i / rows;
    const offset_t n = (slices.end_of(slice) - slices.begin_of(slice)) / rows; // of a row, with its padding
    constexpr bool one_row = SlicedMatrix<Value, Space>::one_row;              // columns in any case, and no codes
    const bool has_columns = one_row || columns.extent(0) > 0;
    const bool has_codes = !one_row && codes.extent(0) > 0;
    offset_t k = 0;
    offset_t place = slices.begin_of(slice) + i % rows * n_sums;
    int sum = 0; // of entry k
    const auto write = [&](index_t column, Value value) {
      if (has_columns)
        columns(place) = column;
      if (has_codes)
        codes(place) = static_cast<std::uint16_t>(CompressedColumns::code(i, column));
      values(place) = value;
      ++k;
      ++place;
      if (++sum == n_sums) {
        sum = 0;
        place += (rows - 1) * n_sums;
      }
    };
    const double factor = scaling.row_divisors.extent(0) > 0 ? 1. / scaling.row_divisors(i) : 1.;
    const bool scales_columns = scaling.column_factors.extent(0) > 0;
    constexpr int batch = one_row ? 1 : 8; // loads under way together, which use what they bring into the cache
    const offset_t end = a.offsets(i + 1);
    for (offset_t first = a.offsets(i); first < end; first += batch) {
      index_t j[batch];
      double value[batch];
      TESSERA_UNROLL
      for (int b = 0; b < batch; ++b) { // without a branch, so that none waits for another
        j[b] = first + b < end ? a.columns(first + b) : 0;
        value[b] = first + b < end ? a.values(first + b) : 0.;
      }
      if (scales_columns) {
        TESSERA_UNROLL
        for (int b = 0; b < batch; ++b)
          value[b] *= first + b < end ? scaling.column_factors(j[b]) : 1.;
      }
      TESSERA_UNROLL
      for (int b = 0; b < batch; ++b)
        if (first + b < end && !(scaling.drops_diagonal && j[b] == i))
          write(j[b], static_cast<Value>(factor * value[b]));
    }
    while (k < n)
      write(scaling.drops_diagonal ? i : 0, Value(0));
  }
};

/// `functor(i)` for rows i in [0, n), a thread each. What a thread of a device reads of its row shares cache lines with
/// what it reads next, so that there are no more threads at a time than have room for their rows, of `bytes` each, in
/// the L1 cache: some 80 bytes for each of all threads that a GPU holds. With all of them rows of 15 entries took twice
/// the least traffic.
template <class Functor> struct SomeThreads {
  Functor functor;
  std::int64_t n;
  std::int64_t n_threads;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    for (std::int64_t i = thread; i < n; i += n_threads)
      functor(static_cast<index_t>(i));
  }
};
/// Columns and values of a row, on average.
template <class Space> double bytes_of_row(const CrsMatrix<Space>& a) {
  constexpr double bytes_of_entry = sizeof(index_t) + sizeof(double);
  return a.n_rows() > 0 ? bytes_of_entry * static_cast<double>(a.n_entries()) / a.n_rows() : 0.;
}
template <class ExecutionSpace, class Functor>
void for_each_row(const char* label, const ExecutionSpace& exec, index_t n, double bytes, const Functor& functor) {
  constexpr double bytes_of_thread = 80.;
  const auto most = static_cast<std::int64_t>(exec.concurrency() * bytes_of_thread / std::max(bytes, 1.));
  if (is_host_space<ExecutionSpace> || bytes <= 1.2 * bytes_of_thread || n <= most)
    for_each(label, exec, n, functor);
  else
    for_each<std::int64_t>(label, exec, most, SomeThreads<Functor>{functor, n, most});
}

/// The measures of several matrices, which one read brings to the host.
template <class Value, class ExecutionSpace>
std::vector<SliceMeasures> measured(const ExecutionSpace& exec,
                                    const std::vector<SliceSource<typename ExecutionSpace::memory_space>>& sources) {
  using Space = typename ExecutionSpace::memory_space;
  const auto slices_of = [](const SliceSource<Space>& source) {
    const int rows = SlicedMatrix<Value, Space>::slice_rows(source.n_sums);
    return (std::int64_t(source.a.n_rows()) + rows - 1) / rows;
  };
  const auto n_sources = static_cast<std::int64_t>(sources.size());
  std::int64_t n_measures = n_sources;
  for (const SliceSource<Space>& source : sources)
    n_measures += slices_of(source);
  const auto all = make_array<Array<SliceMeasures*, Space>>(exec, "linalg::slice_measures", n_measures);
  const auto results = Kokkos::subview(all, std::make_pair(std::int64_t(0), n_sources));
  std::int64_t first = n_sources;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const std::int64_t n = slices_of(sources[k]);
    const Array<SliceMeasures*, Space> slices = Kokkos::subview(all, std::make_pair(first, first + n));
    const Kokkos::View<SliceMeasures, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> result(all.data() + k);
    first += n;
    if (n == 0)
      continue;
    constexpr int lanes = lanes_in<ExecutionSpace, 32>;
    for_each_lane<lanes>("tessera::linalg::measure_slices", exec, n,
                         MeasureSlice<lanes, Value, Space>{sources[k], slices});
    Kokkos::parallel_reduce("tessera::linalg::add_slices",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                            AddSlices<Space>{slices}, Kokkos::Sum<SliceMeasures, Space>(result)); // does not wait
  }
  const auto host = to_host(exec, results);
  std::vector<SliceMeasures> measures;
  for (std::size_t k = 0; k < sources.size(); ++k)
    measures.push_back(sources[k].a.n_rows() > 0 ? host(k) : SliceMeasures());
  return measures;
}

/// The offsets of the slices, whose total is returned. Waits.
template <class Value, class ExecutionSpace>
std::int64_t add_offsets(const ExecutionSpace& exec, const SliceSource<typename ExecutionSpace::memory_space>& from,
                         SlicedMatrix<Value, typename ExecutionSpace::memory_space>& result) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = result.n_slices();
  const auto offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::slice_offsets", n + 1);
  for_each("tessera::linalg::count_slices", exec, n, CountSlice<Value, Space>{from, offsets});
  result.offsets = offsets;
  return counts_to_offsets(exec, offsets, n, "entries of a sliced matrix");
}

} // namespace

template <class Value, class ExecutionSpace>
std::vector<SlicedMatrix<Value, typename ExecutionSpace::memory_space>>
make_sliced(const ExecutionSpace& exec,
            const std::vector<SliceSource<typename ExecutionSpace::memory_space>>& sources) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<SliceMeasures> measures;
  if constexpr (!SlicedMatrix<Value, Space>::one_row)
    measures = measured<Value>(exec, sources);
  std::vector<SlicedMatrix<Value, Space>> matrices;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const SliceSource<Space>& from = sources[k];
    SlicedMatrix<Value, Space> result;
    result.n_rows = from.a.n_rows();
    result.n_sums = from.n_sums;
    bool has_codes = false;
    bool has_columns = true;
    std::int64_t n_entries = 0;
    if constexpr (SlicedMatrix<Value, Space>::one_row) {
      n_entries = add_offsets(exec, from, result);
    } else {
      const SliceMeasures& measure = measures[k];
      const std::int64_t n_uniform = measure.largest * result.n_slices();
      if (measure.largest > 0 &&
          static_cast<double>(n_uniform) <= most_padding * static_cast<double>(measure.n_entries)) {
        result.of_slice = static_cast<index_t>(measure.largest);
        n_entries = checked_offset(n_uniform, "entries of a sliced matrix");
      } else {
        n_entries = add_offsets(exec, from, result);
      }
      has_codes = from.scaling.drops_diagonal &&
                  static_cast<double>(measure.n_far) <= max_share_of_far * static_cast<double>(n_entries);
      has_columns = !has_codes || measure.n_far > 0;
    }
    Array<index_t*, Space> columns;
    Array<std::uint16_t*, Space> codes;
    if (has_columns)
      columns = make_array<Array<index_t*, Space>>(exec, "linalg::sliced_columns", n_entries);
    if (has_codes)
      codes = make_array<Array<std::uint16_t*, Space>>(exec, "linalg::sliced_codes", n_entries);
    const auto values = make_array<Array<Value*, Space>>(exec, "linalg::sliced_values", n_entries);
    for_each_row("tessera::linalg::fill_sliced", exec, from.a.n_rows(), bytes_of_row(from.a),
                 FillRow<Value, Space>{from, result, columns, codes, values});
    result.columns = columns;
    result.codes = codes;
    result.values = values;
    matrices.push_back(result);
  }
  return matrices;
}

#define TESSERA_INSTANTIATE_VALUE(Value, Space)                                                                        \
  template std::vector<SlicedMatrix<Value, Space::memory_space>> make_sliced<Value>(                                   \
      const Space&, const std::vector<SliceSource<Space::memory_space>>&);
#define TESSERA_INSTANTIATE(Space) TESSERA_INSTANTIATE_VALUE(double, Space) TESSERA_INSTANTIATE_VALUE(float, Space)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_VALUE

} // namespace tessera::linalg
