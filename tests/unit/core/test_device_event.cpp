// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/device_event.hpp"
#include "core/parallel.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

/// Takes a while and then increases a counter.
struct Count {
  int* counter;
  KOKKOS_FUNCTION void operator()(index_t) const {
    int delay = *counter;
    for (int k = 0; k < 3000; ++k)
      delay = (delay * 5 + 3) % 9973;
    *counter += delay >= 0 ? 1 : 0; // always true
  }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Copies before a mark have the values of their place in the queue", "[core]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto counter = make_filled<Array<int*, TestType>>(exec, "test", 1, 0);
  DeviceEvent<TestType> marks[2];
  PinnedArray<int*, TestType> seen[2];
  for (auto& array : seen)
    array = make_array<PinnedArray<int*, TestType>>(exec, "test", 1);
  const auto queue = [&](int k) {
    for_each("tessera::test::count", exec, 1, Count{counter.data()});
    Kokkos::deep_copy(exec, seen[k % 2], counter);
    marks[k % 2].set(exec);
  };

  marks[0].wait(); // nothing was marked
  queue(0);
  for (int k = 0; k < 50; ++k) {
    queue(k + 1);
    marks[k % 2].wait();
    REQUIRE(seen[k % 2](0) == k + 1);
  }
  exec.fence();
}
