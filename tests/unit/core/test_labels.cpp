// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/reduce.hpp"
#include "core/algorithms/scan.hpp"
#include "core/memory.hpp"
#include "support/kokkos_tools.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

struct One {
  KOKKOS_FUNCTION void operator()(std::int64_t, double (&term)[1]) const { term[0] = 1.; }
};
struct Nothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

} // namespace

TEMPLATE_LIST_TEST_CASE("A watch finds labels without the project's prefix", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  {
    const test::LabelWatch watch;
    for_each("tessera::test::good", exec, 10, Nothing());
    REQUIRE(watch.bad_labels().empty());
    REQUIRE(watch.n_kernels() == 1);

    for_each("unprefixed", exec, 10, Nothing());
    const Kokkos::View<double*, typename TestType::memory_space> bad(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "array"), 3);

    const std::set<std::string> expected = {"kernel unprefixed", "allocation array"};
    REQUIRE(watch.bad_labels() == expected);
    REQUIRE(watch.labels().count("tessera::test::good") == 1);
  }
  const test::LabelWatch again;
  REQUIRE(again.bad_labels().empty());
}

TEMPLATE_LIST_TEST_CASE("Every label of core carries the project's prefix", "[core]", test::ExecutionSpaces) {
  const std::size_t before = MemoryLedger::current_bytes();
  const TestType exec;
  const test::LabelWatch watch;

  const auto counts = make_filled<Array<offset_t*, TestType>>(exec, "test", 5000, 1);
  counts_to_offsets(exec, counts, 4999, "test");
  const auto host = to_host(exec, counts);
  const double sum = ordered_sum("tessera::test::ones", exec, 5000, One());

  REQUIRE(host(4999) == 4999);
  REQUIRE(sum == 5000.);
  REQUIRE(watch.bad_labels() == std::set<std::string>());
  REQUIRE(watch.n_kernels() >= 3);
  REQUIRE(watch.n_allocations() >= 4);
  REQUIRE(MemoryLedger::current_bytes() > before); // the ledger continues to count
}
