// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/largest_entry.hpp"
#include "core/algorithms/reduce.hpp"
#include "support/spaces.hpp"
#include "support/thread_team.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace tessera;

/// Terms of very different magnitudes and both signs, so that every other order of summation gives other bits.
struct Term {
  KOKKOS_FUNCTION static double value(std::int64_t i, int s) {
    std::uint64_t h = static_cast<std::uint64_t>(i) * 2654435761u + 97u * static_cast<std::uint64_t>(s + 1);
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 32;
    const double mantissa = static_cast<double>(h % 1000003u) / 1000003. - 0.5;
    return (h >> 40) % 7u == 0u ? mantissa * 1e8 : mantissa;
  }
};

template <int N> struct TestTerms {
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[N]) const {
    for (int s = 0; s < N; ++s)
      term[s] = Term::value(i, s);
  }
};

/// The documented order, implemented again as plainly as possible.
std::vector<double> blocks_in_order(const std::vector<double>& items) {
  const std::size_t n_blocks = items.empty() ? 1 : (items.size() + 2047) / 2048;
  std::vector<double> blocks(n_blocks);
  for (std::size_t block = 0; block < n_blocks; ++block) {
    std::vector<double> lanes(256, 0.);
    for (std::size_t i = 2048 * block; i < items.size() && i < 2048 * (block + 1); ++i)
      lanes[i % 256] += items[i];
    for (std::size_t width = 128; width > 0; width /= 2)
      for (std::size_t l = 0; l < width; ++l)
        lanes[l] += lanes[l + width];
    blocks[block] = lanes[0];
  }
  return blocks;
}

double sum_in_order(std::int64_t n, int s) {
  std::vector<double> items(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    items[static_cast<std::size_t>(i)] = Term::value(i, s);
  do {
    items = blocks_in_order(items);
  } while (items.size() > 1);
  return items[0];
}

struct LargestTerm {
  KOKKOS_FUNCTION void operator()(index_t i, double& largest) const {
    const double value = Term::value(i, 0);
    largest = value > largest ? value : largest;
  }
};

const std::vector<std::int64_t> awkward_sizes = {
    0, 1, 2, 255, 256, 257, 1009, 2047, 2048, 2049, 4096, 7919, 16384, 104729, 2048 * 2048 + 17, 5000011};

struct Doubling {
  double* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    y[i] = 2. * static_cast<double>(i);
    term[0] = y[i];
  }
};

/// Adds a factor in the memory of the execution space, read once per thread.
struct Scaled {
  const double* source;
  double* y;
  double factor = 0.;
  KOKKOS_FUNCTION void load() { factor = *source; }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y[i] = factor * static_cast<double>(i); }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { term[0] = factor * y[i]; }
};

struct CountAndHalve {
  const double* sum;
  double* half;
  int* calls;
  KOKKOS_FUNCTION void operator()() const {
    ++*calls;
    *half = *sum / 2.;
  }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Ordered sums have the documented bits on every space", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  for (const std::int64_t n : awkward_sizes) {
    CAPTURE(n);
    const ReduceWorkspace<TestType> workspace(exec, n, 3);
    const auto result = make_array<Array<double*, TestType>>(exec, "test", 3);

    ordered_sums<3>("tessera::test::sums", exec, n, TestTerms<3>{}, workspace, result.data());
    const auto host = to_host(exec, result);

    for (int s = 0; s < 3; ++s)
      REQUIRE(host(s) == sum_in_order(n, s));
    REQUIRE(ordered_sum("tessera::test::sum", exec, n, TestTerms<1>{}) == host(0));
    ordered_sum_of_terms("tessera::test::terms", exec, n, TestTerms<1>{}, workspace, result.data());
    REQUIRE(read_entry(exec, result, 0) == host(0));
  }
}

namespace {

/// The same terms by a functor that loads and computes in two steps and counts its calls.
template <int N> struct ReadTerms {
  struct Item {
    std::int64_t i;
  };
  int* visits;
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {i}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item, double (&term)[N]) const {
    ++visits[i];
    TestTerms<N>{}(item.i, term);
  }
};

template <class Terms> void require_team_order(const Terms& terms_of, std::int64_t n) {
  double partial[3 * 2];
  double sums[2];
  int n_done = 0;

  for (int block = 0; block < 3; ++block)
    test::run_team(256, block, [&](const test::ThreadTeam& team) {
      auto* lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * 2 * 256));
      auto* is_last = static_cast<int*>(team.team_shmem().get_shmem(sizeof(int)));
      tessera::detail::team_sum<2>(team, lane, is_last, terms_of, tessera::detail::NoFinish(), partial, sums, &n_done,
                                   n, 3);
    });

  REQUIRE(n_done == 0);
  for (int s = 0; s < 2; ++s) {
    std::vector<double> items;
    for (std::int64_t i = 0; i < n; ++i)
      items.push_back(Term::value(i, s));
    const std::vector<double> expected = blocks_in_order(items);
    for (std::size_t block = 0; block < 3; ++block)
      REQUIRE(partial[block * 2 + static_cast<std::size_t>(s)] == expected[block]);
    REQUIRE(sums[s] == sum_in_order(n, s));
  }
}

} // namespace

TEST_CASE("A device team adds in the order of the host loop", "[core]") {
  const std::int64_t n = 2 * 2048 + 777;
  require_team_order(TestTerms<2>{}, n);
  std::vector<int> visits(static_cast<std::size_t>(n), 0);
  require_team_order(ReadTerms<2>{visits.data()}, n);
  REQUIRE(std::count(visits.begin(), visits.end(), 1) == n);

  double of_terms[3];
  for (int block = 0; block < 3; ++block) {
    test::run_team(512, block, [&](const test::ThreadTeam& team) {
      auto* terms = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * 2048));
      auto* lane = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * 256));
      tessera::detail::team_terms(team, block, terms, lane, TestTerms<1>{}, of_terms, n);
    });
    std::vector<double> items;
    for (std::int64_t i = 0; i < n; ++i)
      items.push_back(Term::value(i, 0));
    REQUIRE(of_terms[block] == blocks_in_order(items)[static_cast<std::size_t>(block)]);
  }
}

TEMPLATE_LIST_TEST_CASE("Ordered sums write arrays in the same pass and finish once", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  for (const std::int64_t n : {std::int64_t(1), std::int64_t(2048), std::int64_t(30011)}) {
    CAPTURE(n);
    const ReduceWorkspace<TestType> workspace(exec, n, 1);
    const auto y = make_array<Array<double*, TestType>>(exec, "test", n);
    const auto sums = make_filled<Array<double*, TestType>>(exec, "test", 2, -1.);
    const auto calls = make_filled<Array<int*, TestType>>(exec, "test", 1, 0);

    ordered_sums<1>("tessera::test::fused", exec, n, Doubling{y.data()}, workspace, sums.data(),
                    CountAndHalve{sums.data(), sums.data() + 1, calls.data()});

    const double expected = static_cast<double>(n) * static_cast<double>(n - 1);
    REQUIRE(read_entry(exec, sums, 0) == expected);
    REQUIRE(read_entry(exec, sums, 1) == expected / 2.);
    REQUIRE(read_entry(exec, calls, 0) == 1);
    REQUIRE(read_entry(exec, y, n - 1) == 2. * static_cast<double>(n - 1));
  }
}

TEMPLATE_LIST_TEST_CASE("Functors load scalars before their items", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const std::int64_t n = 5003;
  const auto y = make_array<Array<double*, TestType>>(exec, "test", n);
  const auto factor = make_filled<Array<double*, TestType>>(exec, "test", 1, 2.);

  stream("tessera::test::scaled", exec, n, Scaled{factor.data(), y.data()});
  const double sum = ordered_sum("tessera::test::scaled", exec, n, Scaled{factor.data(), y.data()});

  REQUIRE(read_entry(exec, y, n - 1) == 2. * static_cast<double>(n - 1));
  REQUIRE(sum == 2. * static_cast<double>(n) * static_cast<double>(n - 1));
}

TEMPLATE_LIST_TEST_CASE("The largest value of a range of items has its bits on every space", "[core][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const index_t n : {0, 1, 255, 256, 257, 104729})
    for (const index_t begin : {0, n / 3}) {
      CAPTURE(n, begin);
      double expected = 1e-3;
      for (index_t i = begin; i < n; ++i)
        expected = std::max(expected, Term::value(i, 0));
      CHECK(largest_of_items("tessera::test::largest", exec, begin, n, LargestTerm{}, 1e-3) == expected);
    }
}
