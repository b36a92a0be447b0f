// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/parallel.hpp"
#include "linalg/crs/sliced_matrix.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

template <class Value, class Space> struct Product {
  Array<const Value*, Space> from;
  Array<const Value*, Space> added;
  Array<Value*, Space> y;
  KOKKOS_FUNCTION const Array<const Value*, Space>& x() const { return from; }
  KOKKOS_FUNCTION Value operand(index_t i) const { return added(i); }
  KOKKOS_FUNCTION void finish(index_t i, Value operand, Value product) const { y(i) = operand + product; }
};

/// added + row times x, with the summation order that SlicedMatrix documents.
template <class Value>
Value expected(const std::map<index_t, double>& row, index_t i, int n_sums, bool is_scaled,
               const std::vector<double>& factors, const std::vector<Value>& x) {
  Value sum[linalg::most_row_sums] = {};
  int k = 0;
  for (const auto& [j, value] : row) {
    if (is_scaled && i == j)
      continue;
    const double divisor = factors[static_cast<std::size_t>(i)];
    const double scaled = is_scaled ? 1. / divisor * (value * factors[static_cast<std::size_t>(j)]) : value;
    sum[k++ % n_sums] += static_cast<Value>(scaled) * x[static_cast<std::size_t>(j)];
  }
  for (int width = n_sums / 2; width > 0; width /= 2)
    for (int t = 0; t < width; ++t)
      sum[t] += sum[t + width];
  return static_cast<Value>(0.25) + sum[0];
}

template <class Value, class ExecutionSpace> void check(const ExecutionSpace& exec, const test::Rows& rows) {
  const auto n = static_cast<index_t>(rows.size());
  const auto a = test::crs_on(exec, rows);
  std::vector<double> factors = test::random_vector(n, 3);
  for (double& factor : factors)
    factor += 2.; // random numbers are in [-1, 1]
  const auto factors_there = test::vector_on(exec, factors);
  const auto random = test::random_vector(n, 4);
  const std::vector<Value> x(random.begin(), random.end());
  const auto x_there = make_array<Array<Value*, ExecutionSpace>>(exec, "test", n);
  Kokkos::deep_copy(x_there, Kokkos::View<const Value*, Kokkos::HostSpace>(x.data(), x.size()));
  const auto added = make_filled<Array<Value*, ExecutionSpace>>(exec, "test", n, Value(0.25));
  const auto y = make_array<Array<Value*, ExecutionSpace>>(exec, "test", n);
  for (const auto& [is_scaled, may_group] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    CAPTURE(n, is_scaled, may_group);
    linalg::EntryScaling<typename ExecutionSpace::memory_space> scaling;
    if (is_scaled)
      scaling = {factors_there, factors_there, true};
    const auto sliced =
        linalg::make_sliced<Value>(exec, {{a, scaling, linalg::sums_of_rows(n, a.n_entries()), may_group}}).front();
    REQUIRE(sliced.n_sums == linalg::sums_of_rows(n, a.n_entries()));
    linalg::for_each_sliced_row("tessera::test::product", exec, sliced,
                                Product<Value, typename ExecutionSpace::memory_space>{x_there, added, y});
    const auto result = to_host(exec, y);
    for (index_t i = 0; i < n; ++i)
      REQUIRE(result(i) == expected<Value>(rows[static_cast<std::size_t>(i)], i, sliced.n_sums, is_scaled, factors, x));
  }
}

/// Entries of every `step`-th row are farther away than 2 bytes can represent.
test::Rows with_far_entries(index_t n, index_t step = 997) {
  constexpr index_t distance = 70000;
  test::Rows rows = test::laplacian(n, 1);
  for (index_t i = 0; i + distance < n; i += step) {
    rows[static_cast<std::size_t>(i)][i + distance] = 0.5;
    rows[static_cast<std::size_t>(i + distance)][i] = 0.5;
  }
  return rows;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Products with sliced rows have the bits of their stated sums", "[linalg][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const test::Rows& rows : {test::laplacian(1, 1), test::laplacian(13, 11), test::random_spd(403, 14, 1),
                                 test::random_spd(32, 5, 2), with_far_entries(90001), with_far_entries(140003, 1)}) {
    check<double>(exec, rows);
    check<float>(exec, rows);
  }
}

TEMPLATE_LIST_TEST_CASE("Matrices that are sliced together are as each alone", "[linalg][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  using Space = typename TestType::memory_space;
  std::vector<linalg::SliceSource<Space>> sources;
  for (const test::Rows& rows : {test::laplacian(70, 11), test::random_spd(403, 14, 1), with_far_entries(90001)})
    for (const bool drops_diagonal : {false, true})
      sources.push_back({test::crs_on(exec, rows), {{}, {}, drops_diagonal}, 1});
  const auto together = linalg::make_sliced<float>(exec, sources);
  REQUIRE(together.size() == sources.size());
  for (std::size_t k = 0; k < sources.size(); ++k) {
    CAPTURE(k);
    const auto alone = linalg::make_sliced<float>(exec, {sources[k]}).front();
    REQUIRE(together[k].of_slice == alone.of_slice);
    REQUIRE(together[k].columns.extent(0) == alone.columns.extent(0));
    REQUIRE(together[k].codes.extent(0) == alone.codes.extent(0));
    REQUIRE(together[k].bytes() == alone.bytes());
    if constexpr (!linalg::SlicedMatrix<float, Space>::one_row) {
      REQUIRE((alone.codes.extent(0) > 0) == sources[k].scaling.drops_diagonal);
      REQUIRE((alone.columns.extent(0) > 0) == (!sources[k].scaling.drops_diagonal || k == 5)); // far entries
    }
  }
}

TEMPLATE_LIST_TEST_CASE("A host groups rows of similar length", "[linalg]", test::ExecutionSpaces) {
  const TestType exec;
  using Sliced = linalg::SlicedMatrix<float, typename TestType::memory_space>;
  if constexpr (Sliced::one_row) {
    const auto sliced = [&](const test::Rows& rows) {
      return linalg::make_sliced<float>(exec, {{test::crs_on(exec, rows), {}, 1, true}}).front();
    };
    const Sliced near = sliced(test::laplacian(70, 11));
    REQUIRE(near.is_grouped());
    REQUIRE(near.columns.extent(0) == 0);
    const Sliced far = sliced(with_far_entries(90001));
    REQUIRE(far.is_grouped());
    REQUIRE(far.columns.extent(0) == far.values.extent(0) / Sliced::grouped_rows);
    REQUIRE(far.bases(0) == -1);
    REQUIRE(far.bases(1) == 7); // the column before row 8
    REQUIRE(far.columns(0) == 0);
    REQUIRE(far.columns(3) == 70000);                          // entry 3 of row 0, with the padding of other rows
    REQUIRE(sliced(with_far_entries(140000, 1)).is_grouped()); // far in all slices
    test::Rows ragged = test::laplacian(80, 1);
    for (index_t i = 0; i < 80; i += 8)
      for (index_t j = 0; j < 12; ++j)
        ragged[static_cast<std::size_t>(i)][j] = 1.;
    REQUIRE_FALSE(sliced(ragged).is_grouped());
  }
}

TEST_CASE("Long and few rows get several sums", "[linalg]") {
  REQUIRE(linalg::sums_of_rows(1000, 9999) == 1);
  REQUIRE(linalg::sums_of_rows(1000, 10000) == linalg::most_row_sums);
  REQUIRE(linalg::sums_of_rows(100001, 3000000) == 1);
  REQUIRE(linalg::sums_of_rows(0, 0) == linalg::most_row_sums);
}
