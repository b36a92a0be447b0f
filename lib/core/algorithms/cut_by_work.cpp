// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/cut_by_work.hpp"

#include "core/assert.hpp"
#include "core/parallel.hpp"

#include <algorithm>

namespace tessera {

namespace {

/// Finds the first item of the next share after each share of the work.
struct FindCuts {
  const std::int64_t* work_before;
  std::int64_t n;
  int n_parts;
  std::int64_t* cuts;
  KOKKOS_FUNCTION void operator()(index_t part) const {
    const double share = static_cast<double>(work_before[n]) * part / n_parts;
    std::int64_t low = 0;
    std::int64_t high = n;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (static_cast<double>(work_before[middle]) < share)
        low = middle + 1;
      else
        high = middle;
    }
    cuts[part] = low;
  }
};

} // namespace

template <class ExecutionSpace>
std::vector<std::int64_t> cut_by_work(const ExecutionSpace& exec,
                                      const Array<std::int64_t*, ExecutionSpace>& work_before, int n_parts) {
  const std::int64_t n = static_cast<std::int64_t>(work_before.extent(0)) - 1;
  TESSERA_ASSERT(n_parts <= n);
  const auto found = make_array<Array<std::int64_t*, ExecutionSpace>>(exec, "core::cuts", n_parts + 1);
  for_each("tessera::core::find_cuts", exec, n_parts + 1, FindCuts{work_before.data(), n, n_parts, found.data()});
  const auto host = to_host(exec, found);
  std::vector<std::int64_t> cuts(host.data(), host.data() + host.extent(0));
  for (int part = 0; part <= n_parts; ++part) // at least one item for each
    cuts[static_cast<std::size_t>(part)] =
        std::clamp<std::int64_t>(cuts[static_cast<std::size_t>(part)], part, n - (n_parts - part));
  for (std::size_t part = 1; part < cuts.size(); ++part)
    cuts[part] = std::max(cuts[part], cuts[part - 1] + 1);
  cuts.back() = n;
  return cuts;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<std::int64_t> cut_by_work(const SPACE&, const Array<std::int64_t*, SPACE>&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
