// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/checksum.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

struct Ramp {
  double* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] = 0.1 * static_cast<double>(i); }
};

template <class Space> std::uint64_t checksum_of(double first, double second) {
  const Space exec;
  auto array = make_filled<Array<double*, Space>>(exec, "test", 2, second);
  fill(exec, Kokkos::subview(array, std::make_pair(0, 1)), first);
  return checksum(exec, array);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("A checksum is the same on every space and sees every bit and place", "[core]",
                        test::ExecutionSpaces) {
  const TestType exec;
  constexpr std::int64_t n = 100003;
  const auto array = make_array<Array<double*, TestType>>(exec, "test", n);
  for_each("tessera::test::ramp", exec, n, Ramp{array.data()});
  const Kokkos::DefaultHostExecutionSpace host;
  const auto copy = to_host(exec, array);
  REQUIRE(checksum(exec, array) == checksum(host, copy));

  REQUIRE(checksum_of<TestType>(1., 2.) == checksum_of<TestType>(1., 2.));
  REQUIRE(checksum_of<TestType>(1., 2.) != checksum_of<TestType>(2., 1.));
  REQUIRE(checksum_of<TestType>(0., 2.) != checksum_of<TestType>(-0., 2.));
  REQUIRE(checksum_of<TestType>(1., 2.) != checksum_of<TestType>(1. + 1.2e-16 * 2, 2.));
  const auto zeros = make_filled<Array<index_t*, TestType>>(exec, "test", 3, 0);
  const auto fewer = make_filled<Array<index_t*, TestType>>(exec, "test", 2, 0);
  REQUIRE(checksum(exec, zeros) != checksum(exec, fewer));
}
