// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/pattern/lane_entries.hpp"
#include "support/matrices.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

/// n entries in up to n_columns columns, as processed by a thread that has the row alone; one in five is skipped.
template <int Slots> void check(int n, int n_columns, unsigned seed) {
  CAPTURE(n, n_columns, seed);
  std::mt19937 random(seed);
  const std::vector<double> terms = test::random_vector(n, seed);
  linalg::LaneEntries<1, Slots, true> entries(0, n);
  linalg::LaneEntries<1, Slots, false> pattern(0, n);
  std::map<index_t, double> expected;
  for (int s = 0; s < Slots; ++s) {
    const auto column = static_cast<index_t>(random() % static_cast<unsigned>(n_columns));
    const bool is_left_out = random() % 5 == 0;
    entries.column[s] = pattern.column[s] = is_left_out ? -1 : column;
    entries.term[s] = s < n ? terms[static_cast<std::size_t>(s)] : 1e9;
    if (s < n && !is_left_out)
      expected[column] += entries.term[s]; // in the order of the entries
  }
  REQUIRE(entries.count() == static_cast<int>(expected.size()));
  REQUIRE(pattern.count() == entries.count());
  index_t columns[Slots];
  double values[Slots];
  entries.write(columns, values);
  int k = 0;
  for (const auto& [column, value] : expected) {
    REQUIRE(columns[k] == column);
    REQUIRE(values[k] == value);
    ++k;
  }
}

} // namespace

// Several lanes are tested with the rows of smoothed prolongations on devices.
TEST_CASE("Entries of a short row are summed in their order, by ascending columns", "[linalg]") {
  for (unsigned seed = 1; seed <= 200; ++seed)
    for (const int n_columns : {1, 3, 20}) {
      check<8>(static_cast<int>(seed % 9), n_columns, seed);
      check<12>(static_cast<int>(seed % 13), n_columns, seed);
    }
}
