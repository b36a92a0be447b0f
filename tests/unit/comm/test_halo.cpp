// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Each test case works for any number of processes; every process runs all test cases in the same order.

#include "comm/halo.hpp"
#include "core/kokkos_ext/device/recorded_kernels.hpp"
#include "core/transfer/upload.hpp"
#include "support/spaces.hpp"
#include "world.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace tessera;

namespace {

/// Ten unknowns per process; its ghosts are the last unknown of the previous process and the first two of the next one.
struct Chain {
  static constexpr std::int64_t n_owned = 10;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> ghosts;
  std::int64_t first = 0;

  Chain() {
    const int rank = test::world().rank();
    for (int r = 0; r < test::world().size(); ++r)
      offsets.push_back(offsets.back() + n_owned);
    first = offsets[static_cast<std::size_t>(rank)];
    if (rank > 0)
      ghosts.push_back(first - 1);
    if (rank + 1 < test::world().size())
      ghosts.insert(ghosts.end(), {first + n_owned, first + n_owned + 1});
  }
};

double value(std::int64_t number, int turn) { return 10. * static_cast<double>(number) + turn; }

/// Sets the owned values, followed by room for ghosts.
template <class ExecutionSpace>
void set_owned(const ExecutionSpace& exec, const Chain& chain, int turn, const Array<double*, ExecutionSpace>& values) {
  std::vector<double> host(values.extent(0), -1.);
  for (std::int64_t i = 0; i < Chain::n_owned; ++i)
    host[static_cast<std::size_t>(i)] = value(chain.first + i, turn);
  upload(exec, values, host);
}

template <class ExecutionSpace>
void check(const ExecutionSpace& exec, const Chain& chain, int turn, const Array<double*, ExecutionSpace>& values) {
  const auto host = to_host(exec, values);
  for (std::int64_t i = 0; i < Chain::n_owned; ++i)
    CHECK(host(i) == value(chain.first + i, turn));
  for (std::size_t k = 0; k < chain.ghosts.size(); ++k)
    CHECK(host(Chain::n_owned + static_cast<std::int64_t>(k)) == value(chain.ghosts[k], turn));
}

} // namespace

TEMPLATE_LIST_TEST_CASE("A halo brings the values of ghosts from their owners", "[comm][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const Chain chain;
  const auto transport = comm::make_transport(exec, test::world());
  const comm::Halo<TestType> halo(exec, test::world(), *transport, chain.offsets, chain.ghosts);
  CHECK(halo.n_ghosts() == static_cast<std::int64_t>(chain.ghosts.size()));
  const auto values =
      make_array<Array<double*, TestType>>(exec, "test::values", Chain::n_owned + std::int64_t(chain.ghosts.size()));
  set_owned(exec, chain, 1, values);
  halo.update(exec, values);
  check(exec, chain, 1, values);

  const auto completed = make_filled<Array<double*, TestType>>(exec, "test::values", values.extent(0), -1.);
  const Array<const double*, TestType> owned = Kokkos::subview(values, std::make_pair(std::int64_t(0), Chain::n_owned));
  halo.complete(exec, owned, completed);
  check(exec, chain, 1, completed);

  const auto with_room = halo.make_with_ghosts(exec, "test::with_room");
  copy(exec, with_room, owned);
  Array<double*, TestType> no_copy;
  const auto all = halo.with_ghosts(exec, with_room, no_copy);
  CHECK(no_copy.extent(0) == 0);
  CHECK(all.data() == with_room.data());
}

// Multigrid records its cycles; recorded exchanges must not depend on where message buffers were at that time.
TEMPLATE_LIST_TEST_CASE("Recorded exchanges use room for messages that was made after them", "[comm][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const Chain chain;
  const auto transport = comm::make_transport(exec, test::world());
  const comm::Halo<TestType> halo(exec, test::world(), *transport, chain.offsets, chain.ghosts);
  const auto values =
      make_array<Array<double*, TestType>>(exec, "test::values", Chain::n_owned + std::int64_t(chain.ghosts.size()));
  RecordedKernels<TestType> kernels;
  const auto exchange = [&](int turn) {
    set_owned(exec, chain, turn, values);
    const auto work = [&](const TestType& queue) { halo.update(queue, values); };
    if (transport->is_recordable())
      kernels.run(exec, work);
    else
      work(exec);
    check(exec, chain, turn, values);
  };
  for (int turn = 0; turn < 3; ++turn)
    exchange(turn);
  // Large enough to enlarge the message buffers: more than eight times 1 MiB per process; then by reserve().
  constexpr std::int64_t n_large = std::int64_t(9) << 17;
  const std::int64_t size = test::world().size();
  std::vector<std::int64_t> offsets;
  for (std::int64_t r = 0; r <= size; ++r)
    offsets.push_back(r * n_large);
  const auto all = make_filled<Array<double*, TestType>>(exec, "test::all", size * n_large, test::world().rank() + 1.);
  transport->all_gather_parts(exec, all.data(), offsets, sizeof(double));
  for (std::int64_t r = 0; r < size; ++r)
    for (const std::int64_t i : {r * n_large, (r + 1) * n_large - 1})
      CHECK(read_entry(exec, all, i) == static_cast<double>(r) + 1.);
  for (int turn = 3; turn < 6; ++turn)
    exchange(turn);
  transport->reserve(exec, std::size_t(64) << 20);
  for (int turn = 6; turn < 9; ++turn)
    exchange(turn);
}
