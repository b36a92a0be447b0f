// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs_product.hpp"

#include "linalg/lane_product.hpp"
#include "linalg/pattern/find_column.hpp"
#include "linalg/pattern/product_pattern.hpp"

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

/// Turns the counts of a matrix into offsets, and takes the memory of its entries. Waits.
template <class ExecutionSpace, class MemorySpace>
void add_columns(const ExecutionSpace& exec, CrsMatrix<MemorySpace>& c) {
  const std::int64_t n_entries = counts_to_offsets(exec, c.offsets, c.n_rows(), "entries of a product");
  c.columns = make_array<decltype(c.columns)>(exec, "linalg::product_columns", n_entries);
  c.values = make_array<decltype(c.values)>(exec, "linalg::product_values", n_entries);
}

// The forms of devices. Hosts do not use them.

/// Multiplies with `Lanes` threads a row; false if a row has more columns than these hold.
template <int Lanes, int Slots, class ExecutionSpace, class MemorySpace>
bool multiply_by_lanes(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                       CrsMatrix<MemorySpace>& c) {
  const auto overflow = make_filled<Array<int*, MemorySpace>>(exec, "linalg::product_overflow", 1, 0);
  for_each_lane<Lanes>("tessera::linalg::count_product", exec, a.n_rows(),
                       detail::CountLaneRow<Lanes, Slots, MemorySpace>{a, b, c.offsets, overflow});
  if (read_entry(exec, overflow, 0) != 0)
    return false;
  add_columns(exec, c);
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
  c.offsets = make_array<decltype(c.offsets)>(exec, "linalg::product_offsets", a.n_rows() + 1);
  if constexpr (is_host_space<ExecutionSpace>) {
    for_each("tessera::linalg::count_product", exec, a.n_rows(), CountHostRow<MemorySpace>{a, b, c.offsets});
    add_columns(exec, c);
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
