// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Each test case works for any number of processes; every process runs all test cases in the same order.

#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include <chrono>
#include <ctime>
#include <string>
#include <thread>

using namespace tessera;

TEST_CASE("Processes gather, add and exchange, whatever the size of MPI's pieces", "[comm]") {
  comm::Communicator world = test::world();
  const std::size_t largest_piece = GENERATE(std::size_t(1) << 30, 24, 5);
  world.set_largest_piece(largest_piece);
  const auto size = static_cast<std::size_t>(world.size());
  const auto rank = static_cast<std::size_t>(world.rank());
  CAPTURE(largest_piece, size, rank);

  const std::vector<int> ranks = world.all_gather(world.rank());
  std::vector<char> text(33, static_cast<char>('a' + world.rank()));
  std::string all(size * text.size(), ' ');
  world.all_gather(text.data(), text.size(), all.data());
  for (std::size_t r = 0; r < size; ++r) {
    CHECK(ranks[r] == static_cast<int>(r));
    CHECK(all.substr(r * text.size(), text.size()) == std::string(text.size(), static_cast<char>('a' + r)));
  }
  CHECK(world.largest(world.rank()) == world.size() - 1);
  const std::vector<std::int64_t> counts = world.offsets_of(world.rank() + 2);                    // rank r has r + 2
  const std::vector<int> lists_of_all = world.gather_lists(std::vector<int>(rank, world.rank())); // rank 0 gives none
  REQUIRE(counts.size() == size + 1);
  CHECK(lists_of_all.size() == size * (size - 1) / 2);
  std::size_t position = 0;
  for (std::size_t r = 0; r < size; ++r) {
    CHECK(counts[r + 1] - counts[r] == static_cast<std::int64_t>(r) + 2);
    for (std::size_t i = 0; i < r; ++i)
      CHECK(lists_of_all.at(position++) == static_cast<int>(r));
  }
  CHECK(world.added(1.) == world.size());

  std::vector<std::int64_t> offsets{0}; // rank r has r + 1
  for (std::size_t r = 0; r < size; ++r)
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(r) + 1);
  std::vector<double> parts(static_cast<std::size_t>(offsets.back()), -1.);
  for (auto i = static_cast<std::size_t>(offsets[rank]); i < static_cast<std::size_t>(offsets[rank + 1]); ++i)
    parts[i] = 0.5 * static_cast<double>(i);
  world.all_gather_parts(parts.data(), offsets, sizeof(double));
  for (std::size_t i = 0; i < parts.size(); ++i)
    CHECK(parts[i] == 0.5 * static_cast<double>(i));

  std::vector<std::vector<std::int64_t>> lists(size); // rank r receives r + sender's rank numbers, some receive none
  for (std::size_t r = 0; r < size; ++r)
    lists[r].assign(r + rank, static_cast<std::int64_t>(10 * rank + r));
  const auto received = world.exchange_lists(lists);
  for (std::size_t r = 0; r < size; ++r)
    CHECK(received[r] == std::vector<std::int64_t>(r + rank, static_cast<std::int64_t>(10 * r + rank)));
}

TEST_CASE("A process that waits for another one leaves its processor to others", "[comm]") {
  const comm::Communicator& world = test::world();
  if (world.size() == 1)
    SKIP("needs several processes");
  const auto wait = [&] { world.all_gather(world.rank()); };
  wait();
  if (world.is_root())
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const std::clock_t before = std::clock();
  wait();
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  CHECK(seconds < 0.3); // processor time
}

TEST_CASE("An error of all processes is shared", "[comm]") {
  const comm::Communicator& world = test::world();
  CHECK_NOTHROW(world.require_shared({}));
  CHECK_NOTHROW(world.require_shared(Error(ErrorKind::numerical, "no way")));
}

TEST_CASE("An error of some processes alone is thrown by all, and so are different ones", "[comm]") {
  const comm::Communicator& world = test::world();
  if (world.size() == 1)
    SKIP("needs several processes");
  const int last = world.size() - 1;
  const auto expect = [&](const std::optional<Error>& own, ErrorKind kind, const std::string& message) {
    try {
      world.require_shared(own);
      FAIL("no error");
    } catch (const comm::UnsharedError& error) {
      CHECK(error.kind() == kind);
      CHECK(error.what() == message);
    }
  };
  const Error full(ErrorKind::resource, "the disk is full");
  expect(world.rank() == last ? std::make_optional(full) : std::nullopt, ErrorKind::resource,
         "process " + std::to_string(last) + ": the disk is full");
  expect(world.is_root() ? std::make_optional(full) : std::nullopt, ErrorKind::resource, "the disk is full");
  expect(world.rank() == last ? full : Error(ErrorKind::numerical, "no way"), ErrorKind::numerical, "no way");
}

TEST_CASE("A process with an error does not wait for ever for those that wait for it", "[comm]") {
  const comm::Communicator& world = test::world();
  if (world.size() == 1)
    SKIP("needs several processes");
  const Error full(ErrorKind::resource, "the disk is full");
  if (world.is_root())
    CHECK_THROWS_AS(world.require_shared(full), comm::UnsharedError); // the others are in another call
  CHECK(world.all_gather(world.rank()).back() == world.size() - 1);
  if (!world.is_root())
    CHECK_THROWS_AS(world.require_shared({}), comm::UnsharedError);
}
