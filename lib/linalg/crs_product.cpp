// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs_product.hpp"

#include "core/error.hpp"
#include "core/queued_scans.hpp"
#include "linalg/lane_product.hpp"
#include "linalg/pattern/find_column.hpp"
#include "linalg/pattern/product_pattern.hpp"

#include <algorithm>
#include <limits>

namespace tessera::linalg {

namespace {

template <class Space> struct MultiplyRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  CrsMatrix<Space> c;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    const offset_t begin = c.offsets(row);
    const offset_t end = c.offsets(row + 1);
    for (offset_t k = begin; k < end; ++k)
      c.values(k) = 0.;
    for (offset_t i = a.offsets(row); i < a.offsets(row + 1); ++i) {
      const double factor = a.values(i);
      offset_t place = begin; // columns of a row of B ascend, too
      for (offset_t j = b.offsets(a.columns(i)); j < b.offsets(a.columns(i) + 1); ++j) {
        place = find_column(c.columns.data(), place, end, b.columns(j));
        c.values(place) += factor * b.values(j);
      }
    }
  }
};

/// Walks the terms of a row of C = A B on a host, as many ascending columns at a time as the accumulator holds:
/// `take(sums)` is called with each such window.
template <bool WithValues, class Space, class Take>
void for_each_window(const CrsMatrix<Space>& a, const CrsMatrix<Space>& b, index_t row, const Take& take) {
  StackAccumulator<96, WithValues, true> sums;
  for (bool again = true; again;) {
    for (offset_t i = a.offsets(row); i < a.offsets(row + 1); ++i)
      for (offset_t j = b.offsets(a.columns(i)); j < b.offsets(a.columns(i) + 1); ++j)
        sums.add(b.columns(j), WithValues ? a.values(i) * b.values(j) : 0.);
    take(sums);
    again = sums.overflow;
    if (again)
      sums.next_window();
  }
}

template <class Space> struct CountHostRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  Array<offset_t*, Space> counts;
  void operator()(index_t row) const {
    offset_t n = 0;
    for_each_window<false>(a, b, row, [&](const auto& sums) { n += sums.count(); });
    counts(row) = n;
  }
};

template <class Space> struct FillHostRow {
  CrsMatrix<Space> a;
  CrsMatrix<Space> b;
  CrsMatrix<Space> c;
  void operator()(index_t row) const {
    offset_t place = c.offsets(row);
    for_each_window<true>(a, b, row, [&](const auto& sums) {
      for (int j = 0; j < sums.count(); ++j) {
        c.columns(place) = sums.column[j];
        c.values(place++) = sums.value[j];
      }
    });
  }
};

/// Takes the memory of a matrix' entries.
template <class ExecutionSpace, class MemorySpace>
void add_entries(const ExecutionSpace& exec, CrsMatrix<MemorySpace>& c, std::int64_t n_entries) {
  c.columns = make_array<decltype(c.columns)>(exec, "linalg::product_columns", n_entries);
  c.values = make_array<decltype(c.values)>(exec, "linalg::product_values", n_entries);
}

// The forms of devices. Hosts do not use them.

/// The count of a row that does not fit: more than all rows that do have together, as far as counts and their sum can
/// be so large. A total below it says that all rows fit.
inline offset_t count_of_overflow(index_t n_rows, int capacity) {
  const std::int64_t more_than_all = static_cast<std::int64_t>(n_rows) * capacity + 1;
  const std::int64_t largest_sum = std::numeric_limits<std::int64_t>::max() / (static_cast<std::int64_t>(n_rows) + 1);
  return static_cast<offset_t>(std::min<std::int64_t>(
      {more_than_all, largest_sum, static_cast<std::int64_t>(std::numeric_limits<offset_t>::max())}));
}

/// Multiplies with `Lanes` threads a row; false if a row has more columns than these hold. One read of the host.
template <int Lanes, int Slots, class ExecutionSpace, class MemorySpace>
bool multiply_by_lanes(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                       CrsMatrix<MemorySpace>& c) {
  using Count = detail::CountLaneRow<Lanes, Slots, MemorySpace>;
  const offset_t overflow = count_of_overflow(a.n_rows(), Lanes * Slots);
  QueuedScans<1, ExecutionSpace> scan(exec, "linalg::product_offsets", a.n_rows());
  c.offsets = scan.offsets();
  for_each_lane<Lanes>("tessera::linalg::count_product", exec, a.n_rows(), Count{a, b, c.offsets, overflow});
  scan.add(exec, c.offsets, a.n_rows());
  const std::int64_t n_entries = scan.totals(exec)[0];
  if (n_entries >= overflow)
    return false;
  add_entries(exec, c, checked_offset(n_entries, "entries of a product"));
  for_each_lane<Lanes>("tessera::linalg::fill_product", exec, a.n_rows(),
                       detail::FillLaneRow<Lanes, Slots, MemorySpace>{a, b, c});
  return true;
}

template <class MemorySpace> double mean_row(const CrsMatrix<MemorySpace>& a) {
  return a.n_rows() > 0 ? static_cast<double>(a.n_entries()) / a.n_rows() : 0.;
}

/// By eight lanes if a row's terms are few enough for these, else or if its columns are too many by more.
template <class ExecutionSpace, class MemorySpace>
bool multiply_by_lanes(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                       CrsMatrix<MemorySpace>& c) {
  const double mean_terms = mean_row(a) * mean_row(b);
  return (mean_terms <= 600. && multiply_by_lanes<8, 4>(exec, a, b, c)) || multiply_by_lanes<32, 4>(exec, a, b, c);
}

} // namespace

template <class ExecutionSpace, class MemorySpace>
void renew_product(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                   const CrsMatrix<MemorySpace>& c) {
  const char* label = "tessera::linalg::renew_product";
  if constexpr (is_host_space<ExecutionSpace>)
    for_each(label, exec, a.n_rows(), MultiplyRow<MemorySpace>{a, b, c});
  else if (mean_row(c) <= 32.)
    for_each_lane<8>(label, exec, a.n_rows(), detail::RenewLaneRow<8, 4, MemorySpace>{a, b, c});
  else
    for_each_lane<32>(label, exec, a.n_rows(), detail::RenewLaneRow<32, 4, MemorySpace>{a, b, c});
}

template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> product(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                               const CrsMatrix<MemorySpace>& b) {
  CrsMatrix<MemorySpace> c;
  if constexpr (is_host_space<ExecutionSpace>) {
    c.offsets = make_array<decltype(c.offsets)>(exec, "linalg::product_offsets", a.n_rows() + 1);
    for_each("tessera::linalg::count_product", exec, a.n_rows(), CountHostRow<MemorySpace>{a, b, c.offsets});
    add_entries(exec, c, counts_to_offsets(exec, c.offsets, c.n_rows(), "entries of a product"));
    for_each("tessera::linalg::fill_product", exec, a.n_rows(), FillHostRow<MemorySpace>{a, b, c});
  } else {
    if (multiply_by_lanes(exec, a, b, c))
      return c;
    c = product_pattern(exec, a, b);
    c.values = make_array<decltype(c.values)>(exec, "linalg::product_values", c.n_entries());
    renew_product(exec, a, b, c);
  }
  return c;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template CrsMatrix<Space::memory_space> product(const Space&, const CrsMatrix<Space::memory_space>&,                 \
                                                  const CrsMatrix<Space::memory_space>&);                              \
  template void renew_product(const Space&, const CrsMatrix<Space::memory_space>&,                                     \
                              const CrsMatrix<Space::memory_space>&, const CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
