// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/products/crs_product.hpp"

#include "core/algorithms/queued_scans.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "linalg/pattern/product_pattern.hpp"
#include "linalg/products/group_product.hpp"
#include "linalg/products/host_product.hpp"
#include "linalg/products/lane_product.hpp"
#include "linalg/products/thread_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::linalg {

namespace {

/// Allocates a matrix's entries.
template <class ExecutionSpace, class MemorySpace>
void add_entries(const ExecutionSpace& exec, CrsMatrix<MemorySpace>& c, std::int64_t n_entries) {
  c.columns = make_array<decltype(c.columns)>(exec, "linalg::product_columns", n_entries);
  c.values = make_array<decltype(c.values)>(exec, "linalg::product_values", n_entries);
}

/// Multiplies each row once: its columns are not counted before. Until all rows have their places, this takes the
/// memory of their entries twice.
template <class ExecutionSpace, class MemorySpace>
void multiply_on_host(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                      CrsMatrix<MemorySpace>& c) {
  const detail::HostProduct<MemorySpace> rows(a, b);
  std::vector<detail::RowsOfBlock> blocks(static_cast<std::size_t>(rows.n_blocks()));
  std::atomic<bool> is_out_of_memory{false};
  c.offsets = make_array<decltype(c.offsets)>(exec, "linalg::product_offsets", a.n_rows() + 1);
  for_each("tessera::linalg::multiply_rows", exec, rows.n_blocks(),
           detail::MultiplyHostRows<MemorySpace>{rows, c.offsets, blocks.data(), &is_out_of_memory});
  TESSERA_REQUIRE_KIND(!is_out_of_memory, ErrorKind::resource, "There is not enough memory for a product of matrices.");
  add_entries(exec, c, counts_to_offsets(exec, c.offsets, c.n_rows(), "entries of a product"));
  for_each("tessera::linalg::place_rows", exec, rows.n_blocks(), detail::PlaceHostRows<MemorySpace>{c, blocks.data()});
}

// The forms for devices; on hosts only tests use them.

/// Entries of a hash table for rows of usual length.
constexpr int long_capacity = 512;
/// Number of teams that share the rows of a list whose length is not known on the host.
constexpr int most_teams_of_list = 2048;

/// The count recorded for a row that does not fit: greater than the sum of all rows that do, as far as the types of
/// counts and sums allow. A total below it means that all rows fit.
inline offset_t count_of_overflow(index_t n_rows, int capacity) {
  const std::int64_t more_than_all = static_cast<std::int64_t>(n_rows) * capacity + 1;
  const std::int64_t largest_sum = std::numeric_limits<std::int64_t>::max() / (static_cast<std::int64_t>(n_rows) + 1);
  return static_cast<offset_t>(std::min<std::int64_t>(
      {more_than_all, largest_sum, static_cast<std::int64_t>(std::numeric_limits<offset_t>::max())}));
}

template <class MemorySpace> double mean_row(const CrsMatrix<MemorySpace>& a) {
  return a.n_rows() > 0 ? static_cast<double>(a.n_entries()) / a.n_rows() : 0.;
}

/// Largest hash table of groups of `Width` threads: 32 KiB for a team of 64 threads, which every device has.
template <int Width> constexpr int most_of_table = Width < 16 ? 32 * Width : 512;

/// Runs a kernel of groups of `Width` threads with `bytes` of scratch memory each, for n items, with a bounded number
/// of teams for lists.
template <int Width, class ExecutionSpace, class Kernel>
void run_groups(const char* label, const ExecutionSpace& exec, std::int64_t n, std::size_t bytes, const Kernel& kernel,
                int most_teams = std::numeric_limits<int>::max()) {
  if (n <= 0)
    return;
  // A generic device has scratch memory for few tables if each thread has one.
  const int threads = is_host_space<ExecutionSpace> ? 1
                      : has_lanes<ExecutionSpace>
                          ? 64
                          : std::clamp(static_cast<int>(32 * 1024 / ((bytes + 7) / 8 * 8)), 1, 64);
  const int n_groups = threads / Width;
  const int n_teams = static_cast<int>(std::min<std::int64_t>((n - 1) / n_groups + 1, most_teams));
  launch_teams(label,
               Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<64, 1>>(exec, n_teams, threads)
                   .set_scratch_size(0, Kokkos::PerTeam((bytes + 7) / 8 * 8 * n_groups)),
               kernel);
}

/// First form for short rows: a thread holds a row of up to `Slots` columns in registers.
template <int Slots> struct BySlots {
  template <class ExecutionSpace, class MemorySpace>
  static void count(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                    const Array<offset_t*, MemorySpace>& counts, const detail::LongRows<MemorySpace>& long_rows) {
    for_each("tessera::linalg::count_product", exec, a.n_rows(),
             detail::CountBySlots<Slots, MemorySpace>{a, b, counts, long_rows});
  }
  template <class ExecutionSpace, class MemorySpace>
  static void fill(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                   const CrsMatrix<MemorySpace>& c) {
    for_each("tessera::linalg::fill_product", exec, a.n_rows(), detail::FillBySlots<Slots, MemorySpace>{a, b, c});
  }
};

/// First form for longer rows: a thread with a hash table.
struct ByTables {
  static constexpr int most_capacity = 96;
  int capacity;

  template <class ExecutionSpace, class MemorySpace>
  void count(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
             const Array<offset_t*, MemorySpace>& counts, const detail::LongRows<MemorySpace>& long_rows) const {
    run<false>("tessera::linalg::count_product", exec, a.n_rows(),
               detail::CountByTable<ExecutionSpace>{{a, b, a.n_rows(), capacity}, counts, long_rows});
  }
  template <class ExecutionSpace, class MemorySpace>
  void fill(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
            const CrsMatrix<MemorySpace>& c) const {
    run<true>("tessera::linalg::fill_product", exec, a.n_rows(),
              detail::FillByTable<ExecutionSpace>{{a, b, a.n_rows(), capacity}, c});
  }

private:
  /// The tables of a team take at most 36 KiB, which every device has.
  template <bool WithValues, class ExecutionSpace, class Kernel>
  void run(const char* label, const ExecutionSpace& exec, std::int64_t n, const Kernel& kernel) const {
    if (n <= 0)
      return;
    const int threads = is_host_space<ExecutionSpace> ? 1 : capacity <= most_capacity / 2 ? 64 : 32;
    const std::size_t bytes = detail::ThreadTable<WithValues>::bytes(capacity) * static_cast<std::size_t>(threads);
    launch_teams(label,
                 Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<64, 1>>(
                     exec, static_cast<int>((n - 1) / threads + 1), threads)
                     .set_scratch_size(0, Kokkos::PerTeam((bytes + 7) / 8 * 8)),
                 kernel);
  }
};

/// The form for long rows: groups of threads with a hash table, for all rows or for those of a list.
struct ByGroups {
  static constexpr int most_lanes = 32; // per group
  int capacity;
  bool of_list = false;

  template <class ExecutionSpace, class MemorySpace>
  void count(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
             const Array<offset_t*, MemorySpace>& counts, const detail::LongRows<MemorySpace>& long_rows,
             offset_t overflow = 0) const {
    constexpr int width = lanes_in<ExecutionSpace, most_lanes>;
    using Kernel = detail::CountGroupRow<width, ExecutionSpace>;
    run_groups<width>("tessera::linalg::count_product", exec, a.n_rows(), Kernel::Row::bytes(capacity),
                      Kernel({a, b, a.n_rows(), capacity}, counts, long_rows, of_list, overflow),
                      of_list ? most_teams_of_list : std::numeric_limits<int>::max());
  }
  template <class ExecutionSpace, class MemorySpace>
  void fill(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
            const CrsMatrix<MemorySpace>& c, const detail::LongRows<MemorySpace>& long_rows = {{}, nullptr},
            std::int64_t n = -1) const {
    constexpr int width = lanes_in<ExecutionSpace, most_lanes>;
    using Kernel = detail::FillGroupRow<width, ExecutionSpace>;
    run_groups<width>("tessera::linalg::fill_product", exec, of_list ? n : a.n_rows(), Kernel::Row::bytes(capacity),
                      Kernel({a, b, a.n_rows(), capacity}, c, long_rows, of_list));
  }
};

/// Multiplies by a first form, and the rows too long for it by groups with a large table; returns false if a row is too
/// long for these as well. One read to the host.
template <class First, class ExecutionSpace, class MemorySpace>
bool multiply_by(const First& first, const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                 const CrsMatrix<MemorySpace>& b, CrsMatrix<MemorySpace>& c) {
  const ByGroups second{long_capacity, true};
  const offset_t overflow = count_of_overflow(a.n_rows(), long_capacity);
  QueuedScans<2, ExecutionSpace> scan(exec, "linalg::product_offsets", a.n_rows());
  c.offsets = scan.offsets();
  const detail::LongRows<MemorySpace> long_rows{
      make_array<Array<index_t*, MemorySpace>>(exec, "linalg::long_rows", a.n_rows()), scan.counter(exec)};
  first.count(exec, a, b, c.offsets, long_rows);
  second.count(exec, a, b, c.offsets, long_rows, overflow);
  scan.add(exec, c.offsets, a.n_rows());
  const auto [n_long, n_entries] = scan.totals(exec);
  if (n_entries >= overflow)
    return false;
  add_entries(exec, c, checked_offset(n_entries, "entries of a product"));
  first.fill(exec, a, b, c);
  if (n_long > 0) {
    second.fill(exec, a, b, c, long_rows, n_long);
    keep_alive(exec, long_rows, scan);
  }
  return true;
}

/// The power of two from 64 to long_capacity that holds `n_entries`, if any does.
inline int table_for(double n_entries) {
  int capacity = 64;
  while (capacity < n_entries && capacity < long_capacity)
    capacity *= 2;
  return capacity;
}

/// Chooses the form by the length of rows. The number of columns is estimated as the number of terms to the power 0.6,
/// which is about right for Galerkin products in two and three dimensions, of order 1 and 2; a form has room for at
/// least twice as many. Measured in docs/notebook/multigrid.md.
template <class ExecutionSpace, class MemorySpace>
bool multiply_by_form(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                      CrsMatrix<MemorySpace>& c) {
  const double columns = std::pow(mean_row(a) * mean_row(b), 0.6);
  const bool has_short_factors = mean_row(b) < 8.; // on which most threads of a group would be idle
  if (columns <= 6.2)
    return multiply_by(BySlots<8>(), exec, a, b, c);
  if (columns <= 9.)
    return multiply_by(BySlots<16>(), exec, a, b, c);
  if (columns <= 17. && mean_row(b) >= 5. && has_short_factors) // rows of B fill the L1 cache, which tables would
                                                                // compete for
    return multiply_by(BySlots<24>(), exec, a, b, c);
  if (columns <= 45. && has_short_factors) {
    const int capacity = (static_cast<int>(2.1 * columns) + 7) / 8 * 8;
    return multiply_by(ByTables{std::min(capacity, ByTables::most_capacity)}, exec, a, b, c);
  }
  return multiply_by(ByGroups{table_for(3.5 * columns)}, exec, a, b, c);
}

template <int Lanes, class ExecutionSpace, class MemorySpace>
void renew_by_lanes(const char* label, const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                    const CrsMatrix<MemorySpace>& b, const CrsMatrix<MemorySpace>& c) {
  constexpr int lanes = lanes_in<ExecutionSpace, Lanes>;
  for_each_lane<lanes>(label, exec, a.n_rows(), detail::RenewLaneRow<lanes, MemorySpace>{a, b, c});
}
template <int Width, class ExecutionSpace, class MemorySpace>
void renew_by_groups(const char* label, const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                     const CrsMatrix<MemorySpace>& b, const CrsMatrix<MemorySpace>& c) {
  constexpr int width = lanes_in<ExecutionSpace, Width>;
  using Kernel = detail::RenewGroupRow<width, ExecutionSpace>;
  const int capacity = std::min(table_for(1.5 * mean_row(c)), most_of_table<Width>); // longer rows in windows
  run_groups<width>(label, exec, a.n_rows(), Kernel::bytes(capacity), Kernel({a, b, a.n_rows(), capacity}, c));
}

} // namespace

template <class ExecutionSpace, class MemorySpace>
void renew_product(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, const CrsMatrix<MemorySpace>& b,
                   const CrsMatrix<MemorySpace>& c) {
  const char* label = "tessera::linalg::renew_product";
  if constexpr (uses_host_forms<MemorySpace>) {
    const detail::HostProduct<MemorySpace> rows(a, b);
    for_each(label, exec, rows.n_blocks(), detail::RenewHostRows<MemorySpace>{rows, c});
  } else if (mean_row(c) <= 6.)
    renew_by_lanes<2>(label, exec, a, b, c);
  else if (mean_row(c) <= 14.)
    renew_by_lanes<4>(label, exec, a, b, c);
  else if (mean_row(c) <= 32. && mean_row(b) < 8.)
    renew_by_lanes<8>(label, exec, a, b, c);
  else if (mean_row(b) <= 10.)
    renew_by_groups<8>(label, exec, a, b, c);
  else if (mean_row(b) <= 20.)
    renew_by_groups<16>(label, exec, a, b, c);
  else
    renew_by_groups<32>(label, exec, a, b, c);
}

template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> product(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                               const CrsMatrix<MemorySpace>& b) {
  CrsMatrix<MemorySpace> c;
  if constexpr (uses_host_forms<MemorySpace>) {
    multiply_on_host(exec, a, b, c);
  } else {
    if (multiply_by_form(exec, a, b, c))
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
