// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/gather_rows.hpp"
#include "core/upload.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <numeric>

using namespace tessera;

TEMPLATE_LIST_TEST_CASE("Rows of items are gathered, one or several of each", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const auto all = make_array<Array<double* [3], TestType>>(exec, "test", 8);
  std::vector<double> values(24);
  std::iota(values.begin(), values.end(), 0.);
  upload(exec, all, values);
  for (const int per_item : {1, 2}) {
    CAPTURE(per_item);
    const std::vector<index_t> items{3, 0, 2};
    const Array<const index_t*, TestType> listed = uploaded(exec, "test", items);
    const auto rows = to_host(exec, gather_rows(exec, all, listed, per_item));
    REQUIRE(rows.extent(0) == items.size() * static_cast<std::size_t>(per_item));
    // What arrays of more than 2^31 values take.
    const auto wide = make_array<Array<double* [3], TestType>>(exec, "test", rows.extent(0));
    detail::copy_rows<std::int64_t, TestType, double>(exec, listed, std::int64_t(3) * per_item, all.data(),
                                                      wide.data());
    const auto wide_rows = to_host(exec, wide);
    for (std::size_t i = 0; i < rows.extent(0); ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t item = static_cast<std::size_t>(items[i / static_cast<std::size_t>(per_item)]);
        const std::size_t row = item * static_cast<std::size_t>(per_item) + i % static_cast<std::size_t>(per_item);
        CHECK(rows(i, d) == values[3 * row + d]);
        CHECK(wide_rows(i, d) == values[3 * row + d]);
      }
  }
  const Array<const index_t*, TestType> none = uploaded(exec, "test", std::vector<index_t>());
  CHECK(gather_rows(exec, all, none).extent(0) == 0);
}
