// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/tied_pairs.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

TEMPLATE_LIST_TEST_CASE("Unknowns whose coupling is nearly all of both diagonal entries are merged, others are not",
                        "[solvers][device]", test::ExecutionSpaces) {
  using ExecutionSpace = TestType;
  const ExecutionSpace exec;
  // Two chains of five nodes with couplings of 1 to their neighbours; ties between some nodes of equal place.
  constexpr index_t n = 5;
  test::Rows rows(2 * n);
  const auto couple = [&](index_t i, index_t j, double g) {
    for (const auto& [one, other] : {std::pair(i, j), std::pair(j, i)}) {
      rows[static_cast<std::size_t>(one)][one] += g;
      rows[static_cast<std::size_t>(one)][other] -= g;
    }
  };
  for (index_t i = 0; i + 1 < n; ++i)
    for (const index_t chain : {0, n})
      couple(chain + i, chain + i + 1, 1.);
  couple(0, n, 1000.);    // tied
  couple(1, n + 1, 40.);  // tied
  couple(2, n + 2, 10.);  // too weak: 10 of 12
  couple(3, n + 3, 1e-3); // hardly coupled

  const auto merged = solvers::merge_tied_pairs(exec, test::crs_on(exec, rows));
  CHECK(merged.n_coarse == 2 * n - 2);
  const auto offsets = to_host(exec, merged.matrix.offsets);
  const auto columns = to_host(exec, merged.matrix.columns);
  const auto values = to_host(exec, merged.matrix.values);
  const index_t expected[2 * n] = {0, 1, 2, 3, 4, 0, 1, 5, 6, 7};
  REQUIRE(offsets.extent(0) == 2 * n + 1);
  for (index_t i = 0; i < 2 * n; ++i) {
    CHECK(offsets(i) == i);
    CHECK(columns(i) == expected[i]);
    CHECK(values(i) == 1.);
  }
  CHECK(offsets(2 * n) == 2 * n);
}
