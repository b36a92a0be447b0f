// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/sliced_matrix.hpp"

#include "core/parallel.hpp"
#include "core/reduce.hpp"
#include "core/scan.hpp"

namespace tessera::linalg {

namespace {

/// Counts the stored entries of a slice.
template <class Value, class Space> struct CountSlice {
  CrsMatrix<Space> a;
  index_t n_rows;
  bool drops_diagonal;
  int n_sums;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t slice) const {
    const int rows = SlicedMatrix<Value, Space>::slice_rows(n_sums);
    offset_t longest = 0;
    for (index_t i = slice * rows; i < (slice + 1) * rows && i < n_rows; ++i) {
      const offset_t n = a.offsets(i + 1) - a.offsets(i) - (drops_diagonal ? 1 : 0);
      longest = n > longest ? n : longest;
    }
    counts(slice) = (longest + n_sums - 1) / n_sums * n_sums * rows;
  }
};

template <class Space> struct LargestCount {
  Array<const offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t slice, offset_t& largest) const {
    largest = counts(slice) > largest ? counts(slice) : largest;
  }
};

/// Slices get as many entries each, and no offsets, if that adds no more of them than this.
constexpr double most_padding = 1.03;

template <class Value, class Space> struct FillRow {
  CrsMatrix<Space> a;
  EntryScaling<Space> scaling;
  SlicedMatrix<Value, Space> slices; // without entries
  Array<index_t*, Space> columns;
  Array<Value*, Space> values;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const int n_sums = slices.n_sums;
    const int rows = SlicedMatrix<Value, Space>::slice_rows(n_sums);
    const index_t slice = i / rows;
    const offset_t first = slices.begin_of(slice) + i % rows * n_sums;
    const offset_t n = (slices.end_of(slice) - slices.begin_of(slice)) / rows; // of a row, with its padding
    const auto place = [&](offset_t k) { return first + k / n_sums * (rows * n_sums) + k % n_sums; };
    const double factor = scaling.row_divisors.extent(0) > 0 ? 1. / scaling.row_divisors(i) : 1.;
    const bool scales_columns = scaling.column_factors.extent(0) > 0;
    offset_t k = 0;
    for (offset_t entry = a.offsets(i); entry < a.offsets(i + 1); ++entry) {
      const index_t j = a.columns(entry);
      if (scaling.drops_diagonal && j == i)
        continue;
      const double value = a.values(entry) * (scales_columns ? scaling.column_factors(j) : 1.);
      columns(place(k)) = j;
      values(place(k++)) = static_cast<Value>(factor * value);
    }
    for (; k < n; ++k) {
      columns(place(k)) = scaling.drops_diagonal ? i : 0;
      values(place(k)) = Value(0);
    }
  }
};

template <class Value, class Space> struct EncodeSlicedRow {
  SlicedMatrix<Value, Space> a;
  Array<std::uint16_t*, Space> codes;
  KOKKOS_FUNCTION void operator()(std::int64_t row, double (&n_far)[1]) const {
    const int rows = SlicedMatrix<Value, Space>::slice_rows(a.n_sums);
    const auto i = static_cast<index_t>(row);
    const index_t slice = i / rows;
    int n = 0;
    for (offset_t k = a.begin_of(slice) + i % rows * a.n_sums; k < a.end_of(slice); k += rows * a.n_sums)
      for (offset_t place = k; place < k + a.n_sums; ++place) {
        const index_t code = CompressedColumns::code(i, a.columns(place));
        codes(place) = static_cast<std::uint16_t>(code);
        n += code == CompressedColumns::far ? 1 : 0;
      }
    n_far[0] = n;
  }
};

} // namespace

template <class Value, class ExecutionSpace>
SlicedMatrix<Value, typename ExecutionSpace::memory_space>
make_sliced(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& a,
            const EntryScaling<typename ExecutionSpace::memory_space>& scaling, int n_sums) {
  using Space = typename ExecutionSpace::memory_space;
  SlicedMatrix<Value, Space> result;
  result.n_rows = a.n_rows();
  result.n_sums = n_sums;
  const index_t n_slices = result.n_slices();
  const auto offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::slice_offsets", n_slices + 1);
  for_each("tessera::linalg::count_slices", exec, n_slices,
           CountSlice<Value, Space>{a, a.n_rows(), scaling.drops_diagonal, result.n_sums, offsets});
  offset_t largest = 0;
  if constexpr (!SlicedMatrix<Value, Space>::one_row)
    Kokkos::parallel_reduce("tessera::linalg::largest_slice",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_slices),
                            LargestCount<Space>{offsets}, Kokkos::Max<offset_t>(largest)); // waits
  std::int64_t n_entries = counts_to_offsets(exec, offsets, n_slices, "entries of a sliced matrix");
  const std::int64_t n_uniform = static_cast<std::int64_t>(largest) * n_slices;
  if (largest > 0 && static_cast<double>(n_uniform) <= most_padding * static_cast<double>(n_entries)) {
    result.of_slice = static_cast<index_t>(largest);
    n_entries = checked_offset(n_uniform, "entries of a sliced matrix");
  } else {
    result.offsets = offsets;
  }
  const auto columns = make_array<Array<index_t*, Space>>(exec, "linalg::sliced_columns", n_entries);
  const auto values = make_array<Array<Value*, Space>>(exec, "linalg::sliced_values", n_entries);
  for_each("tessera::linalg::fill_sliced", exec, a.n_rows(),
           FillRow<Value, Space>{a, scaling, result, columns, values});
  result.columns = columns;
  result.values = values;
  if constexpr (!SlicedMatrix<Value, Space>::one_row)
    if (scaling.drops_diagonal) {
      const auto codes = make_array<Array<std::uint16_t*, Space>>(exec, "linalg::sliced_codes", n_entries);
      const double n_far =
          ordered_sum("tessera::linalg::encode_sliced", exec, a.n_rows(), EncodeSlicedRow<Value, Space>{result, codes});
      if (n_far <= max_share_of_far * static_cast<double>(n_entries))
        result.codes = codes;
      if (n_far == 0.)
        result.columns = {};
    }
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template SlicedMatrix<double, Space::memory_space> make_sliced<double>(                                              \
      const Space&, const CrsMatrix<Space::memory_space>&, const EntryScaling<Space::memory_space>&, int);             \
  template SlicedMatrix<float, Space::memory_space> make_sliced<float>(                                                \
      const Space&, const CrsMatrix<Space::memory_space>&, const EntryScaling<Space::memory_space>&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
