// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/scan.hpp"
#include "core/checked_count.hpp"
#include "core/error.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace tessera;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

} // namespace

TEST_CASE("Products and sums of counts beyond 64 bits are refused", "[core]") {
  CHECK(checked_product(0, largest, "test") == 0);
  CHECK(checked_product(largest, 1, "test") == largest);
  CHECK(checked_product(largest / 8, 8, "test") == largest - 7);
  CHECK_THROWS_AS(checked_product(largest / 8 + 1, 8, "test"), Error);
  CHECK_THROWS_AS(checked_product(3000001, std::int64_t(3000001) * 3000001, "test"), Error);
  CHECK_THROWS_AS(checked_product(-1, 5, "test"), Error);
  CHECK_THROWS_AS(checked_product(5, -1, "test"), Error);
  CHECK(checked_sum(largest - 1, 1, "test") == largest);
  CHECK_THROWS_AS(checked_sum(largest, 1, "test"), Error);
  CHECK_THROWS_AS(checked_sum(-1, 1, "test"), Error);
  try {
    checked_product(largest, 2, "cells of a test");
    FAIL("did not throw");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::resource);
    CHECK(std::string(error.what()).find("cells of a test: ") == 0);
  }
}

TEST_CASE("Negative counts are refused", "[core]") {
  CHECK(checked_index(0, "test") == 0);
  CHECK(checked_offset(0, "test") == 0);
  CHECK_THROWS_AS(checked_index(-1, "test"), Error);
  CHECK_THROWS_AS(checked_offset(-1, "test"), Error);
  CHECK_THROWS_AS(checked_index(std::numeric_limits<std::int64_t>::min(), "test"), Error);
}

// With 16 bits, because offsets have 32 bits in the usual build, like most arrays.
TEMPLATE_LIST_TEST_CASE("The limit of a sum of counts is that of its array", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const auto fitting = make_filled<Array<std::int16_t*, TestType>>(exec, "test", 4, 10000);
  CHECK(counts_to_offsets(exec, fitting, 3, "test") == 30000);
  const auto too_many = make_filled<Array<std::int16_t*, TestType>>(exec, "test", 5, 10000);
  CHECK_THROWS_AS(counts_to_offsets(exec, too_many, 4, "test"), Error);
  const auto wide = make_filled<Array<std::int64_t*, TestType>>(exec, "test", 5, std::int64_t(1) << 31);
  CHECK(counts_to_offsets(exec, wide, 4, "test") == std::int64_t(1) << 33);
}
