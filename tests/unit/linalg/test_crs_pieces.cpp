// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "linalg/crs/crs_pieces.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <type_traits>

using namespace tessera;

namespace {

using Entries = std::vector<std::pair<index_t, double>>;

/// The rows with their entries in the order of the arrays.
template <class ExecutionSpace>
std::vector<Entries> listed(const ExecutionSpace& exec,
                            const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a) {
  const auto offsets = to_host(exec, a.offsets);
  const auto columns = to_host(exec, a.columns);
  const auto values = to_host(exec, a.values);
  CHECK(offsets(0) == 0);
  CHECK(a.n_entries() == offsets(static_cast<std::size_t>(a.n_rows())));
  std::vector<Entries> rows(static_cast<std::size_t>(a.n_rows()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (offset_t k = offsets(i); k < offsets(i + 1); ++k)
      rows[i].emplace_back(columns(k), values(k));
  return rows;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Rows of a matrix are cut, selected and stacked", "[linalg][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = test::crs_on(exec, test::Rows{{{0, 1.}, {2, 2.}}, {}, {{1, 3.}}, {{0, 4.}, {1, 5.}, {3, 6.}}});
  const auto rows = listed(exec, a);

  const auto middle = linalg::cut_rows(exec, a, 1, 3);
  CHECK(listed(exec, middle) == std::vector<Entries>{rows[1], rows[2]});
  CHECK(middle.values.data() == a.values.data() + 2); // shared
  CHECK(listed(exec, linalg::cut_rows(exec, a, 2, 2)).empty());

  const auto list = uploaded(exec, "test::rows", std::vector<index_t>{3, 0, 3, 1});
  CHECK(listed(exec, linalg::select_rows(exec, a, list)) == std::vector<Entries>{rows[3], rows[0], rows[3], rows[1]});
  const auto none = uploaded(exec, "test::rows", std::vector<index_t>{});
  CHECK(listed(exec, linalg::select_rows(exec, a, none)).empty());

  // For arrays of only the columns or only the values.
  const auto entries = [&](const auto& array) {
    const auto host = to_host(exec, array);
    return std::vector<std::remove_const_t<std::remove_pointer_t<decltype(host.data())>>>(host.data(),
                                                                                          host.data() + host.extent(0));
  };
  auto pattern = a;
  pattern.values = {};
  const auto columns = linalg::select_rows(exec, pattern, list);
  CHECK(entries(columns.columns) == std::vector<index_t>{0, 1, 3, 0, 2, 0, 1, 3});
  CHECK(columns.values.extent(0) == 0);
  const auto twice = linalg::stacked_rows(exec, std::vector{pattern, pattern});
  CHECK(entries(twice.columns) == std::vector<index_t>{0, 2, 1, 0, 1, 3, 0, 2, 1, 0, 1, 3});
  CHECK(twice.values.extent(0) == 0);
  auto numbers = a;
  numbers.columns = {};
  const auto values = linalg::select_rows(exec, numbers, list);
  CHECK(entries(values.values) == std::vector<double>{4., 5., 6., 1., 2., 4., 5., 6.});
  CHECK(values.columns.extent(0) == 0);

  const auto stacked = linalg::stacked_rows(exec, std::vector{middle, a, linalg::cut_rows(exec, a, 0, 0)});
  CHECK(listed(exec, stacked) == std::vector<Entries>{rows[1], rows[2], rows[0], rows[1], rows[2], rows[3]});
}
