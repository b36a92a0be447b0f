// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/timer.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tessera;

TEST_CASE("Errors say what is wrong and carry the exit code", "[core]") {
  const auto fail = [] { TESSERA_REQUIRE(1 > 2, "One is not above " << 2 << '.'); };
  const auto fail_kind = [] { TESSERA_REQUIRE_KIND(false, ErrorKind::numerical, "Not converged."); };

  REQUIRE_THROWS_MATCHES(fail(), Error, Catch::Matchers::Message("One is not above 2."));
  try {
    fail_kind();
    FAIL("did not throw");
  } catch (const Error& error) {
    REQUIRE(error.kind() == ErrorKind::numerical);
    REQUIRE(error.exit_code() == 2);
  }
}

TEST_CASE("Counts that do not fit their type are refused", "[core]") {
  const std::int64_t limit = std::numeric_limits<std::int32_t>::max();

  REQUIRE(checked_index(limit, "test") == limit);
  REQUIRE_THROWS_AS(checked_index(limit + 1, "test"), Error);
  if (sizeof(offset_t) == 4)
    REQUIRE_THROWS_AS(checked_offset(limit + 1, "test"), Error);
  else
    REQUIRE(checked_offset(limit + 1, "test") == static_cast<offset_t>(limit + 1));
}

TEST_CASE("Bytes are written with a binary unit", "[core]") {
  REQUIRE(format_bytes(0.) == "0 B");
  REQUIRE(format_bytes(1023.) == "1023 B");
  REQUIRE(format_bytes(1536.) == "1.5 KiB");
  REQUIRE(format_bytes(3.5 * 1024. * 1024. * 1024.) == "3.5 GiB");
}

TEMPLATE_LIST_TEST_CASE("The ledger follows allocations and frees", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const std::size_t before = MemoryLedger::current_bytes();
  const MemoryPeak peak;
  {
    const auto a = make_array<Array<double*, TestType>>(exec, "test", 1000);
    REQUIRE(MemoryLedger::current_bytes() >= before + 8000);
    REQUIRE(MemoryLedger::current_bytes() < before + 9000);
  }

  REQUIRE(MemoryLedger::current_bytes() == before);
  REQUIRE(peak.bytes() >= before + 8000);
  REQUIRE(MemoryLedger::overall_peak_bytes() >= peak.bytes());
  REQUIRE(MemoryPeak().bytes() == before);
}

TEMPLATE_LIST_TEST_CASE("Phases are logged in order and add up", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  PhaseLog log;
  int n_reported = 0;
  log.set_listener([&](const std::string&, bool, double) { ++n_reported; });

  log.run("fill", exec, [&] { make_filled<Array<double*, TestType>>(exec, "test", 100000, 1.); });
  log.run_host("read", [] {});
  log.run("fill", exec, [] {});

  REQUIRE(log.phases().size() == 3);
  REQUIRE(log.phases()[0].name == "fill");
  REQUIRE(log.phases()[0].where == BackendName<TestType>::value);
  REQUIRE(log.phases()[0].peak_bytes >= 800000);
  REQUIRE(log.phases()[1].where == "host");
  REQUIRE(std::abs(log.total_seconds() - log.seconds_of("fill") - log.seconds_of("read")) <= 1e-15);
  REQUIRE(n_reported == 6);

  const std::vector<Phase> merged = log.merged_phases();
  REQUIRE(merged.size() == 2);
  REQUIRE(merged[0].name == "fill");
  REQUIRE(merged[0].seconds == log.seconds_of("fill"));
  REQUIRE(merged[0].peak_bytes >= 800000);
}

TEMPLATE_LIST_TEST_CASE("A log inside a phase of another one leaves its peak alone", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  PhaseLog outer;
  PhaseLog inner;

  outer.run("outer", exec, [&] {
    make_filled<Array<double*, TestType>>(exec, "test", 100000, 1.);
    inner.run("inner", exec, [&] { make_filled<Array<double*, TestType>>(exec, "test", 1000, 1.); });
  });

  REQUIRE(inner.phases()[0].peak_bytes >= 8000);
  REQUIRE(outer.phases()[0].peak_bytes >= inner.phases()[0].peak_bytes + 700000);
}

TEMPLATE_LIST_TEST_CASE("Every backend has a name and a device", "[core]", test::ExecutionSpaces) {
  const std::vector<std::string> names = backend_names();

  REQUIRE(std::count(names.begin(), names.end(), BackendName<TestType>::value) == 1);
  REQUIRE_FALSE(device_name(TestType()).empty());
}

TEST_CASE("The Kokkos version has three numbers", "[core]") {
  const std::string version = kokkos_version();

  REQUIRE(std::count(version.begin(), version.end(), '.') == 2);
  REQUIRE(version.front() >= '3');
}
