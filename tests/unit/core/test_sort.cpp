// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/sort.hpp"
#include "core/error.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tessera;

namespace {

template <class Key, class Payload, class ExecutionSpace>
void compare_with_std(const ExecutionSpace& exec, std::int64_t n, int key_bits) {
  INFO("n = " << n << ", " << key_bits << " of " << 8 * sizeof(Key) << " bits");
  auto keys = make_array<Array<Key*, ExecutionSpace>>(exec, "test::keys", n);
  auto payload = make_array<Array<Payload*, ExecutionSpace>>(exec, "test::payload", n);
  const auto keys_host = to_host(exec, keys);
  const auto payload_host = to_host(exec, payload);
  const Key mask = key_bits == 8 * static_cast<int>(sizeof(Key)) ? ~Key(0) : (Key(1) << key_bits) - 1;
  std::mt19937_64 random(static_cast<unsigned>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    keys_host(i) = static_cast<Key>(random()); // bits beyond key_bits must be ignored and preserved
    payload_host(i) = static_cast<Payload>(i);
  }
  std::vector<Payload> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Payload(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Payload a, Payload b) { return (keys_host(a) & mask) < (keys_host(b) & mask); });
  Kokkos::deep_copy(exec, keys, keys_host);
  Kokkos::deep_copy(exec, payload, payload_host);

  sort_by_key(exec, keys, payload, n, key_bits);

  const auto sorted_keys = to_host(exec, keys);
  const auto sorted_payload = to_host(exec, payload);
  bool is_equal = true;
  for (std::int64_t i = 0; i < n; ++i)
    is_equal = is_equal && sorted_payload(i) == order[i] && sorted_keys(i) == keys_host(order[i]);
  CHECK(is_equal);

  Kokkos::deep_copy(exec, keys, keys_host);
  sort_keys(exec, keys, n, key_bits);
  const auto keys_alone = to_host(exec, keys);
  bool is_sorted = true;
  for (std::int64_t i = 0; i < n; ++i)
    is_sorted = is_sorted && keys_alone(i) == sorted_keys(i);
  CHECK(is_sorted);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("sort_by_key equals a stable sort of the lowest bits", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const std::int64_t n = GENERATE(0, 1, 2, 255, 8192, 8193, 40961);
  compare_with_std<std::uint32_t, std::int32_t>(exec, n, 1);
  compare_with_std<std::uint32_t, std::int32_t>(exec, n, 17);
  compare_with_std<std::uint32_t, std::int64_t>(exec, n, 32);
  compare_with_std<std::uint64_t, std::int32_t>(exec, n, 37);
  compare_with_std<std::uint64_t, std::int64_t>(exec, n, 64);
}

TEMPLATE_LIST_TEST_CASE("sort_by_key sorts only the first n entries", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  auto keys = make_array<Array<std::uint32_t*, TestType>>(exec, "test::keys", 3);
  auto payload = make_array<Array<std::int32_t*, TestType>>(exec, "test::payload", 3);
  const auto host = to_host(exec, keys);
  host(0) = 5;
  host(1) = 3;
  host(2) = 1;
  Kokkos::deep_copy(exec, keys, host);

  sort_by_key(exec, keys, payload, 2, 3);

  CHECK(read_entry(exec, keys, 0) == 3);
  CHECK(read_entry(exec, keys, 1) == 5);
  CHECK(read_entry(exec, keys, 2) == 1);
  CHECK_THROWS_AS(sort_by_key(exec, keys, payload, 4, 3), Error);
  CHECK_THROWS_AS(sort_by_key(exec, keys, payload, 3, 33), Error);
}

TEST_CASE("bits_for holds the values below a count", "[core]") {
  CHECK(bits_for(0) == 1);
  CHECK(bits_for(2) == 1);
  CHECK(bits_for(3) == 2);
  CHECK(bits_for(1024) == 10);
  CHECK(bits_for(1025) == 11);
}
