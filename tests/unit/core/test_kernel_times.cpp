// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/kernel_group.hpp"
#include "core/kokkos_ext/device/kernel_times.hpp"
#include "core/parallel.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace tessera {

namespace {

template <class Space> struct Increment {
  Array<double*, Space> x;
  KOKKOS_FUNCTION void operator()(index_t i) const { x(i) += 1.; }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Kernels are timed by their labels while it is asked for", "[core]", test::ExecutionSpaces) {
  using Space = typename TestType::memory_space;
  const TestType exec;
  const auto x = make_filled<Array<double*, Space>>(exec, "test::x", 100000, 0.);
  const auto run = [&](const char* label) { for_each(label, exec, 100000, Increment<Space>{x}); };
  run("test::before");
  {
    const KernelTimes kernels;
    run("test::first");
    run("test::second");
    run("test::first");
    const auto times = kernels.times();
    {
      const KernelGroup group("test::group");
      run("test::first");
      run("test::in_group");
    }
    run("test::third");
    const auto with_group = kernels.times();
    REQUIRE(with_group.size() == 4);
    CHECK(with_group[0].calls == 2);
    CHECK(with_group[2].label == "test::group");
    CHECK(with_group[2].calls == 1);
    CHECK(with_group[2].seconds > 0.);
    CHECK(with_group[3].label == "test::third");
    REQUIRE(times.size() == 2);
    CHECK(times[0].label == "test::first");
    CHECK(times[0].calls == 2);
    CHECK(times[0].seconds > 0.);
    CHECK(times[1].label == "test::second");
    CHECK(times[1].calls == 1);
  }
  run("test::after");
  const KernelTimes again;
  CHECK(again.times().empty());
}

} // namespace tessera
