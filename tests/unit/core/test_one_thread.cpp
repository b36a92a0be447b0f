// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/scan.hpp"
#include "core/kokkos_ext/host/concurrency.hpp"
#include "core/kokkos_ext/host/one_thread.hpp"
#include "core/parallel.hpp"
#include "support/one_thread.hpp"

#include <Kokkos_Core.hpp>

#include <catch2/catch_test_macros.hpp>
#include <pthread.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tessera::test {

namespace {

constexpr int n = 100000;

template <class T> using HostArray = Array<T*, OneThreadSpace>;

/// Marks the iterations of a loop that run on another thread than the caller's. Host only, like the function under
/// test.
struct MarkStrangers {
  pthread_t caller;
  HostArray<int> marks;
  void operator()(index_t i) const { marks(i) = pthread_equal(pthread_self(), caller) != 0 ? 0 : 1; }
};

struct MarkTeams {
  using Team = Kokkos::TeamPolicy<OneThreadSpace>::member_type;
  MarkStrangers mark;
  void operator()(const Team& team) const { mark(team.league_rank()); }
};

struct Sum {
  KOKKOS_FUNCTION void operator()(index_t i, std::int64_t& sum) const { sum += i; }
};

struct PrefixSums {
  HostArray<std::int64_t> sums;
  KOKKOS_FUNCTION void operator()(index_t i, std::int64_t& sum, bool is_final) const {
    sum += i;
    if (is_final)
      sums(i) = sum;
  }
};

bool all_equal(const HostArray<int>& marks, int value) {
  return std::all_of(marks.data(), marks.data() + marks.extent(0), [&](int mark) { return mark == value; });
}

void check_one_thread(const OneThreadSpace& exec) {
  CHECK(concurrency(exec) == 1);
  CHECK(backend_name(exec) == "serial");
  using Range = Kokkos::RangePolicy<OneThreadSpace, Kokkos::IndexType<index_t>>;
  const auto marks = make_filled<HostArray<int>>(exec, "test::marks", n, 2);
  for_each("tessera::test::mark", exec, n, MarkStrangers{pthread_self(), marks});
  CHECK(all_equal(marks, 0));
  fill(exec, marks, 2);
  Kokkos::parallel_for("tessera::test::mark_teams", Kokkos::TeamPolicy<OneThreadSpace>(exec, n, 1),
                       MarkTeams{{pthread_self(), marks}});
  CHECK(all_equal(marks, 0));
  std::int64_t sum = 0;
  Kokkos::parallel_reduce("tessera::test::sum", Range(exec, 0, n), Sum{}, sum);
  CHECK(sum == std::int64_t(n) * (n - 1) / 2);
  const auto sums = make_array<HostArray<std::int64_t>>(exec, "test::sums", n);
  Kokkos::parallel_scan("tessera::test::prefix_sums", Range(exec, 0, n), PrefixSums{sums});
  bool is_right = true;
  for (std::int64_t i = 0; i < n; ++i)
    is_right = is_right && sums(i) == i * (i + 1) / 2;
  CHECK(is_right);
}

} // namespace

TEST_CASE("The backend serial runs loops, teams, sums and scans on the calling thread", "[core][threads]") {
  const OneThreadSpace outside;
  const int n_threads = concurrency(outside);
  int n_calls = 0;
  tessera::on_one_thread([&](const OneThreadSpace& exec) {
    check_one_thread(exec);
    tessera::on_one_thread(check_one_thread); // nested call
    check_one_thread(exec);
    ++n_calls;
  });
  CHECK(n_calls == 1);
  CHECK(concurrency(outside) == n_threads);
  CHECK(backend_name(outside) == BackendName<OneThreadSpace>::value);
}

TEST_CASE("Behind the backend serial loops have all of their threads again", "[core][threads]") {
  const OneThreadSpace exec;
  if (concurrency(exec) == 1)
    SKIP("this needs a space with several threads");
  tessera::on_one_thread(check_one_thread);
  const auto marks = make_filled<HostArray<int>>(exec, "test::marks", n, 2);
  for_each("tessera::test::mark", exec, n, MarkStrangers{pthread_self(), marks});
  CHECK(std::count(marks.data(), marks.data() + n, 0) > 0);
  CHECK(std::count(marks.data(), marks.data() + n, 1) > 0);
  CHECK(std::count(marks.data(), marks.data() + n, 2) == 0);
}

TEST_CASE("An error on one thread reaches the caller and leaves the other threads", "[core][threads]") {
  const OneThreadSpace exec;
  const int n_threads = concurrency(exec);
  std::string text;
  try {
    tessera::on_one_thread([](const OneThreadSpace&) { throw std::runtime_error("no more"); });
  } catch (const std::runtime_error& error) {
    text = error.what();
  }
  CHECK(text == "no more");
  CHECK(concurrency(exec) == n_threads);
  CHECK(backend_name(exec) == BackendName<OneThreadSpace>::value);
  tessera::on_one_thread(check_one_thread);
}

} // namespace tessera::test
