// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/lanes.hpp"
#include "core/parallel.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

template <int Lanes, class Space> struct CountLanes {
  Array<index_t*, Space> visits;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const int lanes = count_bits(bits_of_lanes<Lanes>(largest_of_lanes<Lanes>(lane) == Lanes - 1));
    if (lane == 0)
      visits(item) += lanes;
  }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Lanes visit each item once, together", "[core][device]", test::ExecutionSpaces) {
  const TestType exec;
  using Space = typename TestType::memory_space;
  constexpr int lanes = lanes_in<TestType, 8>;
  for (const index_t n : {0, 1, 77, 1000003}) { // the last one exceeds what a GPU runs at once
    CAPTURE(n);
    const auto visits = make_filled<Array<index_t*, Space>>(exec, "test", static_cast<std::size_t>(n), 0);
    for_each_lane<lanes>("tessera::test::lanes", exec, n, CountLanes<lanes, Space>{visits});
    for_each_short_lane<lanes>("tessera::test::short_lanes", exec, n, CountLanes<lanes, Space>{visits});
    const auto host = to_host(exec, visits);
    index_t n_wrong = 0;
    for (index_t i = 0; i < n; ++i)
      n_wrong += host(i) == 2 * lanes ? 0 : 1;
    REQUIRE(n_wrong == 0);
  }
}
