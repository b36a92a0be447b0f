// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string text = R"(tessera: 1
mesh: {box: {cells: [2, 2]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries: {left: {potential: 1}}
execution: {memory_limit: )";

io::Case with(const std::string& limit) { return io::read_case_text(text + limit + "}\n", "case.yaml"); }

std::string message_of(const std::string& limit) {
  try {
    with(limit);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("The memory limit is what is free, a number of GiB, or unlimited", "[io]") {
  CHECK_FALSE(with("free").execution.memory_limit.has_value());
  CHECK(with("2.5").execution.memory_limit == 2.5);
  CHECK(with("\"4*8\"").execution.memory_limit == 32.);
  CHECK(std::isinf(*with("unlimited").execution.memory_limit));
  CHECK_THAT(message_of("0"), ContainsSubstring("case.yaml:7: execution.memory_limit"));
  CHECK_THAT(message_of("-1"), ContainsSubstring("execution.memory_limit"));
  CHECK_THAT(message_of("much"), ContainsSubstring("expected free, unlimited or a number of GiB, found 'much'"));
  CHECK_THAT(message_of("[1]"), ContainsSubstring("execution.memory_limit"));
}

TEST_CASE("The resolved input holds the memory limit", "[io]") {
  for (const char* limit : {"free", "2.5", "unlimited"}) {
    const std::string resolved = io::resolved_text(with(limit));
    CHECK_THAT(resolved, ContainsSubstring(std::string("memory_limit: ") + limit));
    CHECK(io::read_case_text(resolved, "resolved.yaml").execution.memory_limit == with(limit).execution.memory_limit);
  }
}
