// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Each test case works for any number of processes; every process runs all test cases in the same order.

#include "comm/layout.hpp"
#include "core/transfer/upload.hpp"
#include "support/spaces.hpp"
#include "world.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <numeric>

using namespace tessera;

namespace {

/// Process r owns r + 3 entries.
std::vector<std::int64_t> offsets_of_all() { return test::world().offsets_of(test::world().rank() + 3); }

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> uploaded_indices(const ExecutionSpace& exec, const std::vector<index_t>& values) {
  return uploaded(exec, "test::indices", values);
}

template <class ExecutionSpace>
std::vector<index_t> on_host(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& values) {
  const auto host = to_host(exec, values);
  return {host.data(), host.data() + host.extent(0)};
}

} // namespace

TEMPLATE_LIST_TEST_CASE("One process has a layout without ghosts, whose exchanges do nothing", "[comm][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const comm::ProcessGroup<TestType> one;
  CHECK(!one.is_distributed());
  CHECK(one.is_recordable());
  const auto layout = comm::make_layout(exec, one, {0, 5}, std::vector<std::int64_t>());
  CHECK(!layout.is_distributed());
  CHECK(layout.first == 0);
  CHECK(layout.n_owned == 5);
  CHECK(layout.size() == 5);
  CHECK(comm::ghosts_on_host(exec, layout).empty());

  const auto values = uploaded(exec, "test::values", std::vector<double>{1., 2., 3., 4., 5.});
  layout.update(exec, values);
  layout.receive(exec, values, {});
  one.sum(exec, values.data(), 2);
  one.all_gather_parts(exec, values.data(), {0, 5}, sizeof(double));
  const auto host = to_host(exec, values);
  for (int i = 0; i < 5; ++i)
    CHECK(host(i) == i + 1.);

  const auto indices = uploaded_indices(exec, {4, 0, 5, 2});
  comm::to_local_indices(exec, layout, indices);
  CHECK(on_host(exec, indices) == std::vector<index_t>{4, 0, 5, 2});
  CHECK(comm::to_global_indices(exec, layout, indices).data() == indices.data()); // no copy
  auto columns = indices;
  const auto numbered = comm::number_owned_first<TestType>(exec, one, {0, 5}, {&columns});
  CHECK(columns.data() == indices.data());
  CHECK(numbered.size() == 5);
}

TEMPLATE_LIST_TEST_CASE("Columns of several arrays are numbered alike, owned first and then the ghosts",
                        "[comm][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto transport = comm::make_transport(exec, test::world());
  const comm::ProcessGroup<TestType> group{&test::world(), transport.get()};
  const std::vector<std::int64_t> offsets = offsets_of_all();
  const auto rank = static_cast<std::size_t>(test::world().rank());
  const auto first = static_cast<index_t>(offsets[rank]);
  const auto end = static_cast<index_t>(offsets[rank + 1]);
  const auto n_global = static_cast<index_t>(offsets.back());

  std::vector<index_t> all(static_cast<std::size_t>(n_global) + 1); // with the index that stands for no column
  std::iota(all.begin(), all.end(), 0);
  std::vector<index_t> lowest{n_global, 0, first}; // index 0 is a ghost of all but the first process
  auto every_column = uploaded_indices(exec, all);
  auto few_columns = uploaded_indices(exec, lowest);
  const auto layout = comm::number_owned_first<TestType>(exec, group, offsets, {&few_columns, &every_column});
  CHECK(layout.is_distributed());
  CHECK(layout.first == first);
  CHECK(layout.n_owned == end - first);
  CHECK(layout.size() == n_global); // every process has all as columns
  const auto local = [&](index_t i) { return i >= first && i < end ? i - first : i < first ? layout.n_owned + i : i; };
  std::vector<index_t> expected;
  for (const index_t i : all)
    expected.push_back(local(i));
  CHECK(on_host(exec, every_column) == expected);
  CHECK(on_host(exec, few_columns) == std::vector<index_t>{n_global, local(0), 0});

  auto back = on_host(exec, comm::to_global_indices(exec, layout,
                                                    Array<index_t*, TestType>(Kokkos::subview(
                                                        every_column, std::make_pair(index_t(0), n_global)))));
  CHECK(back == std::vector<index_t>(all.begin(), all.end() - 1));
  const auto again = uploaded_indices(exec, all);
  comm::to_local_indices(exec, layout, again);
  CHECK(on_host(exec, again) == expected);

  const auto values = make_filled<Array<double*, TestType>>(exec, "test::values", layout.size(), -1.);
  std::vector<double> owned;
  for (index_t i = first; i < end; ++i)
    owned.push_back(10. * i);
  upload(exec, Array<double*, TestType>(Kokkos::subview(values, std::make_pair(index_t(0), layout.n_owned))), owned);
  layout.update(exec, values);
  const auto host = to_host(exec, values);
  for (index_t i = 0; i < n_global; ++i)
    CHECK(host(local(i)) == 10. * i);
}

TEMPLATE_LIST_TEST_CASE("Ghosts that are added keep the values of the others", "[comm][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto transport = comm::make_transport(exec, test::world());
  const comm::Shares<TestType> shares{{&test::world(), transport.get()}, offsets_of_all()};
  const auto rank = static_cast<std::size_t>(test::world().rank());
  std::vector<std::int64_t> ghosts; // the last entry of every other process
  std::vector<std::int64_t> more;   // the first and the last one
  for (std::size_t r = 0; r + 1 < shares.offsets.size(); ++r)
    if (r != rank) {
      ghosts.push_back(shares.offsets[r + 1] - 1);
      more.insert(more.end(), {shares.offsets[r], shares.offsets[r + 1] - 1});
    }
  auto layout = comm::make_layout(exec, shares.group, shares.offsets, ghosts);
  const auto moved = comm::add_ghosts(exec, shares, more, layout);
  CHECK(comm::ghosts_on_host(exec, layout) == more);
  const auto position = to_host(exec, moved.position);
  CHECK(moved.n_owned == layout.n_owned);
  for (std::size_t i = 0; i < ghosts.size(); ++i)
    CHECK(position(i) == static_cast<index_t>(2 * i + 1));
}
