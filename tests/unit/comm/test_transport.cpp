// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Each test case works for any number of processes; every process runs all test cases in the same order.

#include "comm/transport.hpp"
#include "core/error.hpp"
#include "core/transfer/upload.hpp"
#include "support/spaces.hpp"
#include "world.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Every process sends `n` numbers to every other one and receives as many.
std::vector<comm::Neighbour> all_others(std::int64_t n) {
  std::vector<comm::Neighbour> neighbours;
  for (int r = 0; r < test::world().size(); ++r)
    if (r != test::world().rank())
      neighbours.push_back({r, r * n, n, r * n, n});
  return neighbours;
}

double number(int from, int to, std::int64_t i) { return 1000. * from + 100. * to + static_cast<double>(i); }

/// The numbers that this process sends, [size of the world][n].
template <class ExecutionSpace> Array<double*, ExecutionSpace> sent(const ExecutionSpace& exec, std::int64_t n) {
  std::vector<double> values;
  for (int r = 0; r < test::world().size(); ++r)
    for (std::int64_t i = 0; i < n; ++i)
      values.push_back(number(test::world().rank(), r, i));
  return uploaded(exec, "test::sent", values);
}

template <class ExecutionSpace>
void check_received(const ExecutionSpace& exec, const Array<double*, ExecutionSpace>& received, std::int64_t n) {
  const auto host = to_host(exec, received);
  for (int r = 0; r < test::world().size(); ++r)
    for (std::int64_t i = 0; i < n && r != test::world().rank(); ++i)
      CHECK(host(r * n + i) == number(r, test::world().rank(), i));
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Messages arrive at every other process", "[comm][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto transport = comm::make_transport(exec, test::world());
  for (const std::int64_t n : {1, 5, 1000}) {
    const auto out = sent(exec, n);
    const auto in = make_filled<Array<double*, TestType>>(exec, "test::received", out.extent(0), -1.);
    transport->reserve(exec, static_cast<std::size_t>(n) * sizeof(double));
    transport->begin(exec, out.data(), in.data(), all_others(n), sizeof(double));
    transport->finish(exec);
    check_received(exec, in, n);
    fill(exec, in, -1.);
    transport->exchange(exec, out.data(), in.data(), all_others(n), sizeof(double));
    check_received(exec, in, n);
  }
}

TEMPLATE_LIST_TEST_CASE("What is sent may be gathered from places", "[comm][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto transport = comm::make_transport(exec, test::world());
  constexpr std::int64_t n = 7;
  const auto out = sent(exec, n);
  const auto room = make_array<Array<double*, TestType>>(exec, "test::room", out.extent(0));
  const auto in = make_filled<Array<double*, TestType>>(exec, "test::received", out.extent(0), -1.);
  std::vector<index_t> backwards;
  for (int r = 0; r < test::world().size(); ++r)
    for (std::int64_t i = 0; i < n; ++i)
      backwards.push_back(static_cast<index_t>(r * n + n - 1 - i));
  const auto positions = uploaded(exec, "test::places", backwards);
  transport->gather_and_begin(exec, out.data(), positions.data(), room.data(), in.data(), all_others(n),
                              sizeof(double));
  transport->finish(exec);
  const auto host = to_host(exec, in);
  for (int r = 0; r < test::world().size(); ++r)
    for (std::int64_t i = 0; i < n && r != test::world().rank(); ++i)
      CHECK(host(r * n + i) == number(r, test::world().rank(), n - 1 - i));
}

TEMPLATE_LIST_TEST_CASE("Sums and gathered parts are the same in all processes", "[comm][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto transport = comm::make_transport(exec, test::world());
  const int size = test::world().size();
  const int rank = test::world().rank();
  const auto values = uploaded(exec, "test::values", std::vector<double>{rank + 1., 0.1 * rank});
  transport->sum(exec, values.data(), 2);
  const auto sums = to_host(exec, values);
  CHECK(sums(0) == 0.5 * size * (size + 1));
  double tenths = 0.;
  for (int r = 1; r < size; ++r)
    tenths += 0.1 * r;
  CHECK(sums(1) == tenths);

  std::vector<std::int64_t> offsets{0}; // rank r has r + 1
  for (int r = 0; r < size; ++r)
    offsets.push_back(offsets.back() + r + 1);
  std::vector<std::int64_t> owned(static_cast<std::size_t>(offsets.back()), -1);
  for (std::int64_t i = offsets[static_cast<std::size_t>(rank)]; i < offsets[static_cast<std::size_t>(rank) + 1]; ++i)
    owned[static_cast<std::size_t>(i)] = 3 * i;
  const auto parts = uploaded(exec, "test::parts", owned);
  transport->all_gather_parts(exec, parts.data(), offsets, sizeof(std::int64_t));
  const auto all = to_host(exec, parts);
  for (std::int64_t i = 0; i < offsets.back(); ++i)
    CHECK(all(i) == 3 * i);
}

TEMPLATE_LIST_TEST_CASE("No second exchange begins before the first has ended", "[comm][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto transport = comm::make_transport(exec, test::world());
  const auto out = sent(exec, 3);
  const auto in = make_filled<Array<double*, TestType>>(exec, "test::received", out.extent(0), -1.);
  const auto other = make_filled<Array<double*, TestType>>(exec, "test::received", out.extent(0), -1.);
  const auto neighbours = all_others(3);
  const std::vector<std::int64_t> offsets(static_cast<std::size_t>(test::world().size()) + 1, 0);
  CHECK_THROWS_WITH(transport->finish(exec), ContainsSubstring("no exchange has begun"));
  transport->begin(exec, out.data(), in.data(), neighbours, sizeof(double));
  const auto is_refused = ContainsSubstring("an exchange has begun, and no other one may before it ends");
  CHECK_THROWS_WITH(transport->begin(exec, out.data(), other.data(), neighbours, sizeof(double)), is_refused);
  CHECK_THROWS_WITH(transport->gather_and_begin(exec, out.data(), nullptr, nullptr, other.data(), neighbours, 8),
                    is_refused);
  CHECK_THROWS_WITH(transport->exchange(exec, out.data(), other.data(), neighbours, sizeof(double)), is_refused);
  CHECK_THROWS_WITH(transport->sum(exec, other.data(), 1), is_refused);
  CHECK_THROWS_WITH(transport->all_gather_parts(exec, other.data(), offsets, sizeof(double)), is_refused);
  CHECK_THROWS_WITH(transport->reserve(exec, 1), is_refused);
  transport->finish(exec);
  check_received(exec, in, 3);
  transport->exchange(exec, out.data(), other.data(), neighbours, sizeof(double));
  check_received(exec, other, 3);
}
