// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/lower_bound.hpp"
#include "core/transfer/rows_on_host.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

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
    // The code path for arrays of more than 2^31 values.
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

TEMPLATE_LIST_TEST_CASE("Rows of listed items come to the host", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const auto all = make_array<Array<double* [2], TestType>>(exec, "test", 5);
  upload(exec, all, std::vector<double>{0., 1., 2., 3., 4., 5., 6., 7., 8., 9.});
  const auto rows = rows_on_host(exec, all, {4, 1, 1});
  REQUIRE(rows.extent(0) == 3);
  const double expected[3][2] = {{8., 9.}, {2., 3.}, {2., 3.}};
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 2; ++d)
      CHECK(rows(i, d) == expected[i][d]);
  CHECK(rows_on_host(exec, all, {}).extent(0) == 0);
}

TEST_CASE("The lower bound is that of the standard library", "[core]") {
  const std::vector<int> entries{1, 3, 3, 3, 7, 9};
  for (std::size_t begin = 0; begin <= entries.size(); ++begin)
    for (std::size_t end = begin; end <= entries.size(); ++end)
      for (int value = 0; value <= 10; ++value) {
        const auto at = [&](std::size_t k) { return entries.begin() + static_cast<std::ptrdiff_t>(k); };
        CAPTURE(begin, end, value);
        CHECK(lower_bound(entries.data(), begin, end, value) ==
              static_cast<std::size_t>(std::lower_bound(at(begin), at(end), value) - entries.begin()));
      }
  const int spread[] = {1, 0, 4, 0, 6, 0};
  CHECK(lower_bound(spread, 0, 3, 4, 2) == 1);
  CHECK(lower_bound(spread, 0, 3, 5, 2) == 2);
}
