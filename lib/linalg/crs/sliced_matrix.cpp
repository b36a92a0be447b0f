// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs/sliced_matrix.hpp"

#include "core/algorithms/queued_scans.hpp"
#include "core/algorithms/scan.hpp"
#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera::linalg {

namespace {

/// Measures that determine the form of a device's matrix, over all its slices. Unsigned, like QueuedScans::counter().
struct SliceMeasures {
  std::uint64_t n_entries = 0; ///< with the padding of each slice
  std::uint64_t n_far = 0;     ///< entries whose code would be far, where the matrix has codes
  int largest = 0;             ///< slice
};

/// Number of stored entries of a row.
template <class Space> KOKKOS_FUNCTION offset_t length_of(const CrsMatrix<Space>& a, index_t i, bool drops_diagonal) {
  return a.offsets(i + 1) - a.offsets(i) - (drops_diagonal ? 1 : 0);
}

/// Number of stored entries, with padding, of a slice whose longest row has `longest` entries.
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

/// The data of a matrix that are read to measure its slices.
struct MeasuredMatrix {
  const offset_t* offsets = nullptr;
  const index_t* columns = nullptr;
  std::int64_t n_rows = 0;
  std::int64_t first_block = 0; ///< the blocks of all matrices of a loop are numbered consecutively
  int n_sums = 1;
  bool drops_diagonal = false;
};
/// Matrices per loop: the functor holds them and is a kernel argument (core/kokkos_ext/launch.hpp).
constexpr int most_measured = 64;
/// Slices that a group of neighbouring threads measures before it adds to the shared result.
constexpr std::int64_t slices_of_block = 16;

/// Measures a block of slices of one of the matrices by the threads that process a slice in a product, `Lanes` of them
/// at a time.
template <int Lanes, class Value, class Space> struct MeasureSlices {
  MeasuredMatrix matrices[most_measured];
  int n_matrices;
  SliceMeasures* results;

  KOKKOS_FUNCTION void operator()(std::int64_t block, int lane, bool exists) const {
    int m = 0;
    while (m + 1 < n_matrices && matrices[m + 1].first_block <= block)
      ++m;
    const MeasuredMatrix& a = matrices[m];
    const int n_sums = a.n_sums;
    const int rows = SlicedMatrix<Value, Space>::slice_rows(n_sums);
    SliceMeasures sum;
    std::int64_t slice = (block - a.first_block) * slices_of_block;
    for (int s = 0; exists && s < slices_of_block && slice * rows < a.n_rows; ++s, ++slice) {
      offset_t longest = 0;
      int n_far = 0;
      for (int t = lane; t < rows * n_sums && slice * rows + t / n_sums < a.n_rows; t += Lanes) {
        const auto i = static_cast<index_t>(slice * rows + t / n_sums);
        const offset_t n = a.offsets[i + 1] - a.offsets[i] - (a.drops_diagonal ? 1 : 0);
        longest = n > longest ? n : longest;
        if (a.drops_diagonal)
          n_far += far_entries(a, i, t % n_sums);
      }
      longest = largest_of_lanes<Lanes>(longest);
      const auto n_entries = static_cast<int>(padded_slice<Value, Space>(longest, n_sums));
      sum.n_entries += static_cast<std::uint64_t>(n_entries);
      sum.n_far += static_cast<std::uint64_t>(n_far);
      sum.largest = n_entries > sum.largest ? n_entries : sum.largest;
    }
    sum.n_far = sum_of_lanes<Lanes>(sum.n_far);
    if (!exists || lane > 0)
      return;
    Kokkos::atomic_fetch_add(&results[m].n_entries, sum.n_entries);
    if (sum.n_far > 0)
      Kokkos::atomic_fetch_add(&results[m].n_far, sum.n_far);
    Kokkos::atomic_fetch_max(&results[m].largest, sum.largest);
  }

private:
  /// Number of far entries among the entries first, first + n_sums, ... of row i; a batch of loads is in flight at a
  /// time.
  KOKKOS_FUNCTION static int far_entries(const MeasuredMatrix& a, index_t i, int first) {
    constexpr int batch = 8;
    const offset_t step = a.n_sums;
    const offset_t end = a.offsets[i + 1];
    int n = 0;
    for (offset_t k = a.offsets[i] + first; k < end; k += batch * step) {
      index_t column[batch];
      TESSERA_UNROLL
      for (int j = 0; j < batch; ++j)
        column[j] = k + j * step < end ? a.columns[k + j * step] : i; // past the end: a near column
      TESSERA_UNROLL
      for (int j = 0; j < batch; ++j)
        n += CompressedColumns::code(i, column[j]) == CompressedColumns::far ? 1 : 0;
    }
    return n;
  }
};

/// All slices get the same number of entries, and no offsets, if that adds no more entries than this factor.
constexpr double most_padding = 1.03;

template <class Value, class Space> struct FillRow {
  SliceSource<Space> from;
  SlicedMatrix<Value, Space> slices;  // without entries
  Array<index_t*, Space> columns;     // empty: not stored
  Array<std::uint16_t*, Space> codes; // empty: not stored
  Array<Value*, Space> values;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const CrsMatrix<Space>& a = from.a;
    const EntryScaling<Space>& scaling = from.scaling;
    const int n_sums = slices.n_sums;
    const int rows = SlicedMatrix<Value, Space>::slice_rows(n_sums);
    const index_t slice = i / rows;
    const offset_t n = (slices.end_of(slice) - slices.begin_of(slice)) / rows; // of a row, with padding
    constexpr bool one_row = SlicedMatrix<Value, Space>::one_row;              // without codes
    const bool has_columns = columns.extent(0) > 0;
    const bool has_codes = !one_row && codes.extent(0) > 0;
    offset_t k = 0;
    offset_t position = slices.begin_of(slice) + i % rows * n_sums;
    int sum = 0; // of entry k
    const auto write = [&](index_t column, Value value) {
      if (has_columns)
        columns(position) = column;
      if (has_codes)
        codes(position) = static_cast<std::uint16_t>(CompressedColumns::code(i, column));
      values(position) = value;
      ++k;
      ++position;
      if (++sum == n_sums) {
        sum = 0;
        position += (rows - 1) * n_sums;
      }
    };
    const double factor = scaling.row_divisors.extent(0) > 0 ? 1. / scaling.row_divisors(i) : 1.;
    const bool scales_columns = scaling.column_factors.extent(0) > 0;
    constexpr int batch = one_row ? 1 : 8; // loads in flight, which use the cache lines that they bring in
    const offset_t end = a.offsets(i + 1);
    for (offset_t first = a.offsets(i); first < end; first += batch) {
      index_t j[batch];
      double value[batch];
      TESSERA_UNROLL
      for (int b = 0; b < batch; ++b) { // no branches, so that no load waits for another
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

/// Largest distance of columns that a code of grouped rows represents.
constexpr index_t code_reach = std::numeric_limits<std::uint16_t>::max();

/// The entries of a slice of grouped rows whose columns are far apart, as with order 2, where vertices and edges are
/// numbered apart: in parts, of each row the next entries in columns that a code reaches from the smallest next one.
template <class Space> class NearParts {
public:
  static constexpr int rows = SlicedMatrix<double, Space>::grouped_rows;

  NearParts(const SliceSource<Space>& from, index_t slice)
      : from_(from), first_(slice * rows), n_(std::min<index_t>(rows, from.a.n_rows() - first_)) {
    for (int r = 0; r < n_; ++r)
      next_[r] = from.a.offsets(first_ + r);
  }
  /// Goes to the next part, whose entries for_each() must then take for all rows; false after the last one.
  bool next() {
    constexpr index_t none = std::numeric_limits<index_t>::max();
    base_ = none;
    for (int r = 0; r < n_; ++r)
      if (next_[r] < from_.a.offsets(first_ + r + 1))
        base_ = std::min(base_, from_.a.columns(next_[r]));
    return base_ != none;
  }
  index_t base() const { return base_; } ///< the smallest next column
  /// Calls `functor(k)` for each entry of row r of the slice in this part that is kept.
  template <class Functor> void for_each(int r, const Functor& functor) {
    if (r >= n_)
      return;
    const index_t dropped = from_.scaling.drops_diagonal ? first_ + r : -1;
    const offset_t end = from_.a.offsets(first_ + r + 1);
    offset_t k = next_[r];
    for (; k < end; ++k) { // ghosts are in any order, so that a column may also be smaller
      const index_t column = from_.a.columns(k);
      if (column < base_ || column - base_ > code_reach)
        break;
      if (column != dropped)
        functor(k);
    }
    next_[r] = k;
  }

private:
  const SliceSource<Space>& from_;
  index_t first_;
  int n_;
  index_t base_ = 0;
  offset_t next_[rows];
};

/// Finds base and number of entries, with padding, of each slice of grouped rows; adds the entries and the slices
/// without a base.
template <class Space> struct MeasureGroups {
  SliceSource<Space> from;
  Array<index_t*, Space> bases;
  Array<offset_t*, Space> counts;
  void operator()(index_t slice, std::int64_t& n_entries, std::int64_t& n_far) const {
    constexpr index_t rows = NearParts<Space>::rows;
    const CrsMatrix<Space>& a = from.a;
    const index_t last = std::min<index_t>((slice + 1) * rows, a.n_rows());
    const offset_t begin = a.offsets(slice * rows);
    const offset_t end = a.offsets(last);
    index_t smallest = begin < end ? a.columns(begin) : 0;
    index_t largest = smallest;
    for (offset_t k = begin; k < end; ++k) {
      const index_t column = a.columns(k);
      smallest = column < smallest ? column : smallest;
      largest = column > largest ? column : largest;
    }
    const bool is_far = largest - smallest > code_reach;
    offset_t longest = 0; // row, with padding
    if (!is_far)
      for (index_t i = slice * rows; i < last; ++i)
        longest = std::max(longest, length_of(a, i, from.scaling.drops_diagonal));
    else
      for (NearParts<Space> part(from, slice); part.next();) {
        offset_t n[rows] = {};
        for (int r = 0; r < rows; ++r)
          part.for_each(r, [&](offset_t) { ++n[r]; });
        longest += *std::max_element(n, n + rows);
      }
    bases(slice) = is_far ? -1 : smallest;
    counts(slice) = longest * rows;
    n_entries += counts(slice);
    n_far += is_far ? 1 : 0;
  }
};

/// Fills a slice of grouped rows.
template <class Value, class Space> struct FillGroup {
  SliceSource<Space> from;
  SlicedMatrix<Value, Space> slices; // without entries
  Array<index_t*, Space> bases;
  Array<index_t*, Space> columns; // empty: all slices have a base
  Array<std::uint16_t*, Space> codes;
  Array<Value*, Space> values;

  void operator()(index_t slice) const {
    constexpr int rows = NearParts<Space>::rows;
    const index_t first = slice * rows;
    const index_t n = std::min<index_t>(rows, slices.n_rows - first);
    offset_t begin = slices.begin_of(slice);
    if (const index_t base = bases(slice); base >= 0) {
      const offset_t end = slices.end_of(slice);
      for (int r = 0; r < n; ++r) {
        Writer writer(*this, first + r, base, begin + r);
        for (offset_t k = from.a.offsets(first + r); k < from.a.offsets(first + r + 1); ++k)
          if (!(from.scaling.drops_diagonal && from.a.columns(k) == first + r))
            writer(k);
        pad(writer.to, end);
      }
      for (int r = n; r < rows; ++r)
        pad(begin + r, end);
      return;
    }
    for (NearParts<Space> part(from, slice); part.next();) {
      offset_t to[rows];
      for (int r = 0; r < rows; ++r) {
        Writer writer(*this, std::min(first + r, slices.n_rows - 1), part.base(), begin + r);
        part.for_each(r, [&](offset_t k) { writer(k); });
        to[r] = writer.to;
      }
      const offset_t end = *std::max_element(to, to + rows) / rows * rows;
      for (int r = 0; r < rows; ++r)
        pad(to[r], end);
      for (; begin < end; begin += rows)
        columns(begin / rows) = part.base();
    }
  }

private:
  /// Writes entries of row i to every eighth place from `to` on.
  struct Writer {
    const FillGroup& group;
    index_t base;
    double factor;
    bool scales_columns;
    offset_t to;
    Writer(const FillGroup& fill, index_t i, index_t smallest_column, offset_t first)
        : group(fill), base(smallest_column),
          factor(fill.from.scaling.row_divisors.extent(0) > 0 ? 1. / fill.from.scaling.row_divisors(i) : 1.),
          scales_columns(fill.from.scaling.column_factors.extent(0) > 0), to(first) {}
    void operator()(offset_t k) {
      const index_t j = group.from.a.columns(k);
      const double value = group.from.a.values(k) * (scales_columns ? group.from.scaling.column_factors(j) : 1.);
      group.codes(to) = static_cast<std::uint16_t>(j - base);
      group.values(to) = static_cast<Value>(factor * value);
      to += NearParts<Space>::rows;
    }
  };
  void pad(offset_t to, offset_t end) const {
    for (; to < end; to += NearParts<Space>::rows) {
      codes(to) = 0;
      values(to) = Value(0);
    }
  }
};

/// Calls `functor(i)` for rows i in [0, n), one thread each. The data that a device thread reads of its row share cache
/// lines with the data that it reads next; the number of concurrent threads is therefore limited so that their rows, of
/// `bytes` each, fit in the L1 cache: some 80 bytes per thread if all threads of a GPU are resident. Without this limit
/// rows of 15 entries took twice the minimum traffic.
template <class Functor> struct SomeThreads {
  Functor functor;
  std::int64_t n;
  std::int64_t n_threads;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    for (std::int64_t i = thread; i < n; i += n_threads)
      functor(static_cast<index_t>(i));
  }
};
/// Mean size in bytes of a row's columns and values.
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

/// The measures of several matrices, brought to the host by one read.
template <class Value, class ExecutionSpace>
std::vector<SliceMeasures> measured(const ExecutionSpace& exec,
                                    const std::vector<SliceSource<typename ExecutionSpace::memory_space>>& sources) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int lanes = lanes_in<ExecutionSpace, 32>;
  const auto results = make_array<Array<SliceMeasures*, Space>>(exec, "linalg::slice_measures", sources.size());
  fill(exec, results, SliceMeasures());
  for (std::size_t first = 0; first < sources.size(); first += most_measured) {
    MeasureSlices<lanes, Value, Space> kernel{{}, 0, results.data() + first};
    std::int64_t n_blocks = 0;
    for (std::size_t k = first; k < sources.size() && kernel.n_matrices < most_measured; ++k) {
      const auto& [a, scaling, n_sums, may_group] = sources[k];
      kernel.matrices[kernel.n_matrices++] = {a.offsets.data(), a.columns.data(), a.n_rows(),
                                              n_blocks,         n_sums,           scaling.drops_diagonal};
      const std::int64_t rows_of_block = SlicedMatrix<Value, Space>::slice_rows(n_sums) * slices_of_block;
      n_blocks += (std::int64_t(a.n_rows()) + rows_of_block - 1) / rows_of_block;
    }
    for_each_lane<lanes>("tessera::linalg::measure_slices", exec, n_blocks, kernel);
  }
  const auto host = to_host(exec, results);
  return {host.data(), host.data() + host.extent(0)};
}

/// Counts the entries of the slices, into an array with room for a total.
template <class Value, class ExecutionSpace>
Array<offset_t*, ExecutionSpace> count_slices(const ExecutionSpace& exec,
                                              const SliceSource<typename ExecutionSpace::memory_space>& from,
                                              const Array<offset_t*, ExecutionSpace>& counts) {
  for_each("tessera::linalg::count_slices", exec, static_cast<std::int64_t>(counts.extent(0)) - 1,
           CountSlice<Value, typename ExecutionSpace::memory_space>{from, counts});
  return counts;
}

/// A matrix with grouped rows; without rows if these have much padding: single ones take up to three times as long per
/// entry (docs/notebook/multigrid.md), but then they read fewer bytes.
template <class Value, class ExecutionSpace>
SlicedMatrix<Value, typename ExecutionSpace::memory_space>
grouped(const ExecutionSpace& exec, const SliceSource<typename ExecutionSpace::memory_space>& from) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr double most_of_groups = 1.5;
  constexpr index_t rows = SlicedMatrix<Value, Space>::grouped_rows;
  const index_t n = from.a.n_rows();
  if (!from.may_group || from.n_sums > 1 || n == 0)
    return {};
  const index_t n_slices = (n + rows - 1) / rows;
  const auto bases = make_array<Array<index_t*, Space>>(exec, "linalg::slice_bases", n_slices);
  const auto offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::slice_offsets", n_slices + 1);
  std::int64_t n_padded = 0;
  std::int64_t n_far = 0;
  Kokkos::parallel_reduce("tessera::linalg::measure_groups",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_slices),
                          MeasureGroups<Space>{from, bases, offsets}, n_padded, n_far); // waits
  const auto n_entries = static_cast<double>(from.a.n_entries()) - (from.scaling.drops_diagonal ? n : 0);
  const auto most = static_cast<double>(std::numeric_limits<offset_t>::max());
  if (static_cast<double>(n_padded) > std::min(most, most_of_groups * n_entries))
    return {};
  counts_to_offsets(exec, offsets, n_slices, "entries of a sliced matrix");
  SlicedMatrix<Value, Space> result;
  result.n_rows = n;
  result.offsets = offsets;
  Array<index_t*, Space> columns;
  if (n_far > 0)
    columns = make_array<Array<index_t*, Space>>(exec, "linalg::sliced_columns", n_padded / rows);
  const auto codes = make_array<Array<std::uint16_t*, Space>>(exec, "linalg::sliced_codes", n_padded);
  const auto values = make_array<Array<Value*, Space>>(exec, "linalg::sliced_values", n_padded);
  for_each("tessera::linalg::fill_sliced", exec, n_slices,
           FillGroup<Value, Space>{from, result, bases, columns, codes, values});
  result.columns = columns;
  result.codes = codes;
  result.bases = bases;
  result.values = values;
  return result;
}

} // namespace

template <class Value, class ExecutionSpace>
std::vector<SlicedMatrix<Value, typename ExecutionSpace::memory_space>>
make_sliced(const ExecutionSpace& exec,
            const std::vector<SliceSource<typename ExecutionSpace::memory_space>>& sources) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<SliceMeasures> measures;
  std::vector<QueuedScans<1, ExecutionSpace>> scans; // in use until the end
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
      const auto in_groups = grouped<Value>(exec, from);
      if (in_groups.n_rows > 0) {
        matrices.push_back(in_groups);
        continue;
      }
      const auto offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::slice_offsets", result.n_slices() + 1);
      result.offsets = count_slices<Value>(exec, from, offsets);
      n_entries = counts_to_offsets(exec, offsets, result.n_slices(), "entries of a sliced matrix");
    } else {
      const SliceMeasures& measure = measures[k];
      const index_t n_slices = result.n_slices();
      const std::int64_t n_uniform = std::int64_t(measure.largest) * n_slices;
      if (measure.largest > 0 &&
          static_cast<double>(n_uniform) <= most_padding * static_cast<double>(measure.n_entries)) {
        result.of_slice = measure.largest;
        n_entries = checked_offset(n_uniform, "entries of a sliced matrix");
      } else {
        n_entries = checked_offset(static_cast<std::int64_t>(measure.n_entries), "entries of a sliced matrix");
        scans.emplace_back(exec, "linalg::slice_offsets", n_slices);
        result.offsets = count_slices<Value>(exec, from, scans.back().offsets());
        scans.back().add(exec, scans.back().offsets(), n_slices);
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
  if (!scans.empty())
    keep_alive(exec, scans);
  return matrices;
}

template <class Value, class Other, class ExecutionSpace>
Array<const Value*, typename ExecutionSpace::memory_space>
sliced_values(const ExecutionSpace& exec, const SliceSource<typename ExecutionSpace::memory_space>& from,
              const SlicedMatrix<Other, typename ExecutionSpace::memory_space>& slices) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_ASSERT(!slices.is_grouped());
  SlicedMatrix<Value, Space> places;
  places.n_rows = slices.n_rows;
  places.n_sums = slices.n_sums;
  places.of_slice = slices.of_slice;
  places.offsets = slices.offsets;
  const auto values = make_array<Array<Value*, Space>>(exec, "linalg::sliced_values", slices.values.extent(0));
  for_each_row("tessera::linalg::fill_sliced_values", exec, from.a.n_rows(), bytes_of_row(from.a),
               FillRow<Value, Space>{from, places, {}, {}, values});
  return values;
}

#define TESSERA_INSTANTIATE_VALUE(Value, Space)                                                                        \
  template std::vector<SlicedMatrix<Value, Space::memory_space>> make_sliced<Value>(                                   \
      const Space&, const std::vector<SliceSource<Space::memory_space>>&);                                             \
  template Array<const Value*, Space::memory_space> sliced_values<Value, float>(                                       \
      const Space&, const SliceSource<Space::memory_space>&, const SlicedMatrix<float, Space::memory_space>&);         \
  template Array<const Value*, Space::memory_space> sliced_values<Value, double>(                                      \
      const Space&, const SliceSource<Space::memory_space>&, const SlicedMatrix<double, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space) TESSERA_INSTANTIATE_VALUE(double, Space) TESSERA_INSTANTIATE_VALUE(float, Space)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_VALUE

} // namespace tessera::linalg
