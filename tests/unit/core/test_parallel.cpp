// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/queued_scans.hpp"
#include "core/algorithms/scan.hpp"
#include "core/parallel.hpp"
#include "core/transfer/read_entries.hpp"
#include "core/transfer/upload_together.hpp"
#include "support/spaces.hpp"
#include "support/transfer_watch.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace {

using namespace tessera;

struct Increment {
  int* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] += static_cast<int>(i % 5) + 1; }
};

/// The same, split into two steps.
struct ReadAndIncrement {
  struct Item {
    int value;
  };
  int* data;
  KOKKOS_FUNCTION Item read(std::int64_t i) const { return {data[i]}; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Item& item) const {
    data[i] = item.value + static_cast<int>(i % 5) + 1;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (*this)(i, read(i)); }
};

template <class Counts> struct Parity {
  Counts marks;
  KOKKOS_FUNCTION void operator()(index_t i) const { marks(i) = i % 2; }
};
template <class Counts> struct Remainders {
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    counts(i) = static_cast<typename Counts::non_const_value_type>(i % 3);
  }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Loops visit every item once", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  for (const std::int64_t n : {0, 1, 3, 5, 257, 10007}) {
    CAPTURE(n);
    const auto a = make_filled<Array<int*, TestType>>(exec, "test", static_cast<std::size_t>(n), 7);

    for_each("tessera::test::for_each", exec, n, Increment{a.data()});
    stream("tessera::test::stream", exec, n, Increment{a.data()});
    const StridedItems<4, Increment> strided{Increment{a.data()}, n};
    for_each<std::int64_t>("tessera::test::strided", exec, strided.n_threads(), strided);
    stream("tessera::test::stream", exec, n, ReadAndIncrement{a.data()});
    const StridedItems<4, ReadAndIncrement> read{ReadAndIncrement{a.data()}, n};
    for_each<std::int64_t>("tessera::test::strided", exec, read.n_threads(), read);

    const auto host = to_host(exec, a);
    for (std::int64_t i = 0; i < n; ++i)
      REQUIRE(host(i) == 7 + 5 * (static_cast<int>(i % 5) + 1));
    if (n > 0)
      REQUIRE(read_entry(exec, a, n - 1) == host(n - 1));
  }
}

namespace {

/// Checks fill() of entries [begin, end) of n, by words (on the host, too) or by its own choice.
template <class T, class ExecutionSpace>
void require_filled(const ExecutionSpace& exec, std::int64_t n, std::int64_t begin, std::int64_t end, bool by_words) {
  const auto a = make_filled<Array<T*, ExecutionSpace>>(exec, "test", static_cast<std::size_t>(n), T(3));
  const auto part = Kokkos::subview(a, std::make_pair(begin, end));
  const T value = T(-7);
  const detail::FillWords<T> words(part.data(), end - begin, value);
  if (by_words && words.suits(part.data()))
    stream("tessera::test::fill_words", exec, words.n_words() + 1, words);
  else
    fill(exec, part, value);
  const auto host = to_host(exec, a);
  for (std::int64_t i = 0; i < n; ++i)
    if (host(i) != (i >= begin && i < end ? value : T(3)))
      FAIL("entry " << i << " of " << n << ", entries of " << sizeof(T) << " bytes, " << begin << " to " << end);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Fills set every entry and no other", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  for (const bool by_words : {false, true})
    for (const std::int64_t n : {0, 1, 3, 4, 5, 17, 33, 1003})
      for (std::int64_t begin = 0; begin <= n && begin < 18; ++begin)
        for (const std::int64_t end : {n, n - 1, begin}) {
          if (end < begin)
            continue;
          require_filled<signed char>(exec, n, begin, end, by_words);
          require_filled<std::int32_t>(exec, n, begin, end, by_words);
          require_filled<std::int64_t>(exec, n, begin, end, by_words);
          require_filled<double>(exec, n, begin, end, by_words);
        }
}

TEMPLATE_LIST_TEST_CASE("Copies to the host keep shape and values", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = make_array<Array<double* [3], TestType>>(exec, "test", 5);
  fill(exec, a, 2.5);
  const Array<const double* [3], TestType> constant = a;

  const auto host = to_host(exec, constant);

  REQUIRE(host.extent(0) == 5);
  REQUIRE(host(4, 2) == 2.5);
}

TEMPLATE_LIST_TEST_CASE("Tables that are uploaded together are those of one by one", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const std::vector<char> letters{'a', 'b', 'c'};
  const std::vector<double> numbers{1.5, -2., 3., 4., 5., 6.};
  const auto [memory, of_letters, empty, of_numbers] =
      uploaded_together(exec, "test", letters, std::vector<int>(), numbers);
  CHECK(memory.use_count() > 0);
  CHECK(empty.extent(0) == 0);
  const auto host_letters = to_host(exec, of_letters);
  CHECK(std::vector<char>(host_letters.data(), host_letters.data() + host_letters.extent(0)) == letters);
  const auto rows = to_host(exec, in_rows<2>(of_numbers));
  REQUIRE(rows.extent(0) == 3);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 2; ++k)
      CHECK(rows(i, k) == numbers[2 * i + k]);
}

TEMPLATE_LIST_TEST_CASE("Entries at any places are read at once", "[core][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto array = uploaded(exec, "test", std::vector<int>{10, 11, 12, 13});
  CHECK(read_entries(exec, array, {3, 0, 3}) == std::vector<int>{13, 10, 13});
  CHECK(read_entries(exec, array, {}).empty());
  std::vector<std::int64_t> positions;
  for (int i = 0; i < 1000; ++i)
    positions.push_back(i % 4);
  const test::TransferWatch watch;
  const std::vector<int> entries = read_entries(exec, array, positions);
  CHECK(watch.n_events() < 8); // none for each entry
  CHECK(entries.at(998) == 12);
}

TEMPLATE_LIST_TEST_CASE("Counts become offsets", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  for (const std::int64_t n : {0, 1, 2, 1000, 8191, 8192, 100003}) { // one block of a device processes up to 8191
    CAPTURE(n);
    const auto counts = make_array<Array<offset_t*, TestType>>(exec, "test", n + 1);
    for_each("tessera::test::counts", exec, n, Remainders<Array<offset_t*, TestType>>{counts});

    const std::int64_t total = counts_to_offsets(exec, counts, n, "test");

    const auto host = to_host(exec, counts);
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      REQUIRE(host(i) == expected);
      expected += i % 3;
    }
    REQUIRE(host(n) == expected);
    REQUIRE(total == expected);
  }
}

TEMPLATE_LIST_TEST_CASE("Queued scans have the offsets and totals of one by one", "[core][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const std::int64_t n : {0, 1, 8191, 20002}) { // in one block of a device, and in several
    CAPTURE(n);
    QueuedScans<2, TestType> scans(exec, "test", n);
    const Array<offset_t*, TestType> queued = scans.offsets();
    REQUIRE(static_cast<std::int64_t>(queued.extent(0)) == n + 1);
    const auto one = make_array<Array<offset_t*, TestType>>(exec, "test", n + 1);
    const auto large = make_filled<Array<std::int32_t*, TestType>>(exec, "test", 9, 1 << 30);
    for (const auto& counts : {queued, one})
      for_each("tessera::test::counts", exec, n, Remainders<Array<offset_t*, TestType>>{counts});

    scans.add(exec, queued, n);
    scans.add(exec, large, 8);
    const auto totals = scans.totals(exec);

    REQUIRE(totals[0] == counts_to_offsets(exec, one, n, "test"));
    REQUIRE(totals[1] == std::int64_t(8) << 30); // in 64 bits, for the caller to check
    const auto expected = to_host(exec, one);
    const auto host = to_host(exec, queued);
    for (std::int64_t i = 0; i <= n; ++i)
      REQUIRE(host(i) == expected(i));

    const auto ones = make_filled<Array<index_t*, TestType>>(exec, "test", 30001, 1); // more than before
    scans.restart();
    scans.add(exec, ones, 30000);
    REQUIRE(scans.totals(exec)[0] == 30000);
    REQUIRE(read_entry(exec, ones, 29999) == 29999);
  }
}

TEMPLATE_LIST_TEST_CASE("What is marked is listed in its order, and again from the list", "[core][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  using Indices = Array<index_t*, TestType>;
  const index_t n = 5000;
  const auto marks = make_array<Indices>(exec, "test", n + 1);
  const auto mark = [&](index_t n_items) {
    for_each("tessera::test::marks", exec, n_items, Parity<Indices>{marks});
    return counts_to_offsets(exec, marks, n_items, "test");
  };
  const std::int64_t n_odd = mark(n);
  const Indices odd = list_marked<TestType>(exec, "test", marks, n, n_odd);
  REQUIRE(static_cast<std::int64_t>(odd.extent(0)) == n / 2);
  REQUIRE(mark(n / 2) == n / 4); // half of these
  const auto fourth = make_array<Indices>(exec, "test", n / 4);
  list_marked<TestType>(exec, marks, odd, n / 2, fourth);
  const auto host = to_host(exec, fourth);
  for (index_t i = 0; i < n / 4; ++i)
    REQUIRE(host(i) == 4 * i + 3);
}

TEMPLATE_LIST_TEST_CASE("A sum of counts beyond 32 bits is refused", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  for (const std::int64_t n : {3, 20000}) {
    CAPTURE(n);
    const auto counts = make_filled<Array<std::int32_t*, TestType>>(exec, "test", n + 1, 1 << 30);

    REQUIRE_THROWS_AS(counts_to_offsets(exec, counts, n, "test"), Error);
  }
}
