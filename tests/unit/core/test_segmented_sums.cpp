// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/grouped_items.hpp"
#include "core/algorithms/segmented_sums.hpp"
#include "support/kokkos_tools.hpp"
#include "support/one_thread.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstring>

namespace tessera::test {

namespace {

/// Terms of very different magnitudes, so that another order of summation shows.
KOKKOS_INLINE_FUNCTION double term_of(std::int64_t i) {
  const auto hash = static_cast<std::uint32_t>(i) * 2654435761u;
  return (static_cast<double>(hash >> 8) - 8388608.) / static_cast<double>(1u << (hash % 29));
}

struct Terms {
  std::int64_t begin;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { term[0] = term_of(begin + i); }
};

struct SegmentTerms {
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const { term[0] = term_of(i); }
};

/// Every third item has no group; the others are spread over the groups, the last of which is empty.
struct Spread {
  index_t n_groups;
  KOKKOS_FUNCTION index_t operator()(std::int64_t i) const {
    return i % 3 == 0 ? -1 : static_cast<index_t>((i * 7919) % (n_groups - 1));
  }
};

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

} // namespace

TEMPLATE_LIST_TEST_CASE("Segmented sums have the bits of single ones, wherever they go", "[core][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const std::vector<std::int64_t> lengths = {0, 1, 255, 256, 257, 2047, 2048, 2049, 3 * 2048 + 7, 300000, 2};
  for (const std::size_t n_segments : {lengths.size(), std::size_t(1)}) {
    std::vector<Segment> segments;
    std::int64_t begin = 11;
    const std::size_t first = n_segments == 1 ? 9 : 0; // a single segment is a long one
    for (std::size_t s = 0; s < n_segments; ++s) {
      segments.push_back(
          {begin, begin + lengths[first + s], static_cast<std::int64_t>(2 * (n_segments - s) - 1)}); // backwards, gaps
      begin += lengths[first + s] + (s % 2);
    }
    const auto result = make_filled<Array<double*, TestType>>(exec, "test::sums", 2 * n_segments, -7.);
    const SegmentedSums<TestType> sums(exec, segments);
    for (int repetition = 0; repetition < 2; ++repetition)
      sums.sum("tessera::test::segments", exec, SegmentTerms{}, result.data());
    const auto host = to_host(exec, result);
    for (std::size_t s = 0; s < n_segments; ++s) {
      const Segment& segment = segments[s];
      const double alone = on_one_thread([&](const auto& one_thread) {
        return ordered_sum("tessera::test::alone", one_thread, segment.end - segment.begin, Terms{segment.begin});
      });
      INFO(n_segments << " segments, number " << s << ": " << host(segment.position) << ", alone " << alone);
      CHECK(same_bits(host(segment.position), alone));
      CHECK(host(segment.position - 1) == -7.);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("The number of kernels of segmented sums does not grow with the segments", "[core]",
                        ExecutionSpaces) {
  const TestType exec;
  std::vector<int> n_kernels;
  for (const int n_segments : {2, 300}) {
    std::vector<Segment> segments;
    for (int s = 0; s < n_segments; ++s)
      segments.push_back({3000 * s, 3000 * (s + 1), s});
    const auto result = make_array<Array<double*, TestType>>(exec, "test::sums", n_segments);
    const LabelWatch watch;
    const SegmentedSums<TestType> sums(exec, segments);
    sums.sum("tessera::test::segments", exec, SegmentTerms{}, result.data());
    n_kernels.push_back(watch.n_kernels());
  }
  CHECK(n_kernels[0] == n_kernels[1]);
  CHECK(n_kernels[0] > 0);
}

TEMPLATE_LIST_TEST_CASE("Grouped items are complete and ascend within their groups", "[core][device]",
                        ExecutionSpaces) {
  const TestType exec;
  for (const std::int64_t n : {0, 1, 63, 64, 65, 255, 256, 257, 100000})
    for (const index_t n_groups : {2, 3, 701}) {
      INFO(n << " items, " << n_groups << " groups");
      const auto grouped = group_items(exec, n, n_groups, Spread{n_groups}, "items");
      const auto items = to_host(exec, grouped.items);
      const auto starts = to_host(exec, grouped.starts);
      std::vector<std::vector<std::int64_t>> expected(n_groups);
      std::int64_t n_expected = 0;
      for (std::int64_t i = 0; i < n; ++i)
        if (Spread{n_groups}(i) >= 0) {
          expected[Spread{n_groups}(i)].push_back(i);
          ++n_expected;
        }
      REQUIRE(grouped.n_groups() == n_groups);
      REQUIRE(grouped.n_items() == n_expected);
      bool right = starts(0) == 0;
      for (index_t g = 0; g < n_groups; ++g) {
        right = right && starts(g + 1) == grouped.host_starts[g + 1] &&
                starts(g + 1) - starts(g) == static_cast<offset_t>(expected[g].size());
        for (std::size_t k = 0; k < expected[g].size() && right; ++k)
          right = items(starts(g) + static_cast<offset_t>(k)) == expected[g][k];
      }
      CHECK(right);
    }
}

} // namespace tessera::test
