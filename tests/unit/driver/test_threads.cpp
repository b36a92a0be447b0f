// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/plan/threads.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;

namespace {

/// A square of n x n cells of two triangles.
io::Case square(int n, int order) {
  io::Case input;
  input.mesh.source = io::MeshSource::box;
  input.mesh.dimension = 2;
  input.mesh.box.cells = {n, n, 0};
  input.discretization.order.number = order;
  return input;
}

HostThreads host_of(int processors) {
  HostThreads host;
  host.limit = 512;
  host.processors = processors;
  return host;
}

driver::ThreadChoice choice(const io::Case& input, const HostThreads& host, int n_processes = 1) {
  io::ImportedMesh box;
  box.dimension = 2;
  return driver::threads_by_size(input, box, host, n_processes);
}

} // namespace

TEST_CASE("Threads grow with the problem up to the processors", "[driver][threads]") {
  CHECK(choice(square(20, 1), host_of(16)).count == 1);
  CHECK(choice(square(200, 1), host_of(16)).count == 1); // 281 thousand matrix entries
  CHECK(choice(square(300, 1), host_of(2)).count == 2);  // 633 thousand
  CHECK(choice(square(2000, 1), host_of(16)).count == 16);
  CHECK(choice(square(2000, 1), host_of(1)).count == 1);
  int previous = 1;
  for (int n = 100; n <= 1000; n += 100) {
    const int count = choice(square(n, 1), host_of(16)).count;
    CHECK(count >= previous);
    previous = count;
  }
  CHECK(previous > 8);
  // The matrix entries count, and order 2 has more of them per row.
  CHECK(choice(square(150, 2), host_of(64)).count > choice(square(300, 1), host_of(64)).count);
}

TEST_CASE("Threads are fewer where the loops go by colour", "[driver][threads]") {
  io::Case input = square(600, 1);
  const int by_row = choice(input, host_of(64)).count;
  input.assembly.strategy = assembly::Strategy::ebe_stored;
  CHECK(choice(input, host_of(64)).count < by_row);
}

TEST_CASE("The choice of threads reports its reason", "[driver][threads]") {
  CHECK(choice(square(20, 1), host_of(2)).reason == "of 2, because the mesh has only 441 nodes of order 1");
  CHECK(choice(square(2000, 1), host_of(2)).reason == "of 2");
}

TEST_CASE("Each of several processes takes threads for its share", "[driver][threads]") {
  io::Case input = square(600, 1);
  const int of_one = choice(input, host_of(64)).count;
  CHECK(choice(input, host_of(64), 4).count == of_one / 4);
  input.execution.mesh = io::MeshOfProcess::parts;
  const driver::ThreadChoice of_part = choice(input, host_of(64), 4); // a partition includes elements of others, too
  CHECK(of_part.count >= of_one / 4);
  CHECK(of_part.count < of_one / 2);
  CHECK(of_part.reason.rfind("of 64, because a process's part has only ", 0) == 0);
  // More elements in total than 32-bit numbers can count, but not in a partition.
  input.mesh.box.cells = {3932160, 512, 1};
  CHECK(choice(input, host_of(64), 4).count == 64);
  CHECK_THROWS_WITH(choice(input, host_of(64)), Catch::Matchers::ContainsSubstring("does not fit 32-bit numbers"));
}

TEST_CASE("Requested threads go before the size, the input's before the environment's", "[driver][threads]") {
  io::Case input = square(20, 1);
  HostThreads host = host_of(8);
  CHECK(driver::requested_threads(input.execution, host).count == 0);
  host.requested = 4;
  host.source = "OMP_NUM_THREADS";
  CHECK(driver::requested_threads(input.execution, host).count == 4);
  CHECK(driver::requested_threads(input.execution, host).reason == "OMP_NUM_THREADS");
  input.execution.threads = 3;
  CHECK(driver::requested_threads(input.execution, host).count == 3);
  CHECK(driver::requested_threads(input.execution, host).reason == "execution.threads");
  host.limit = 2;
  CHECK_THROWS_AS(driver::requested_threads(input.execution, host), Error);
}
