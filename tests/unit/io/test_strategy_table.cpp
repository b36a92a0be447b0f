// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/strategy.hpp"
#include "io/input/case.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <set>
#include <sstream>

using namespace tessera;
using assembly::Strategy;

namespace {

std::string text_of(const char* file) {
  std::ifstream stream(std::string(TESSERA_SOURCE_DIR "/docs/") + file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("Every strategy has one name, which the documents list", "[io]") {
  const std::string design = text_of("strategies.md");
  const std::string reference = text_of("input-reference.md");
  std::set<std::string> names;
  for (const assembly::StrategyTraits& traits : assembly::strategy_table) {
    INFO(traits.name);
    CHECK(io::name_of(traits.strategy) == traits.name);
    CHECK(names.insert(traits.name).second);
    const std::string quoted = std::string("`") + traits.name + '`';
    CHECK(reference.find(quoted) != std::string::npos);
    CHECK((traits.strategy == Strategy::automatic || design.find("\n| " + quoted) != std::string::npos));
  }
}

TEST_CASE("The reference reports the defaults of the solvers", "[io]") {
  const std::string reference = text_of("input-reference.md");
  const auto stated = [&](const std::string& table, const std::string& key) {
    std::size_t place = reference.find(table);
    place = reference.find("\n| `" + key + "` |", place);
    for (int column = 0; column < 3; ++column)
      place = reference.find('|', place + 1);
    return std::stod(reference.substr(reference.find('`', place) + 1));
  };
  const io::SolverInput options;
  CHECK(stated("## `solver`", "relative_tolerance") == options.relative_tolerance);
  CHECK(stated("## `solver`", "max_iterations") == options.max_iterations);
  CHECK(stated("\n`nonlinear`:", "relative_tolerance") == options.nonlinear.relative_tolerance);
  CHECK(stated("\n`nonlinear`:", "max_iterations") == options.nonlinear.max_iterations);
}

TEST_CASE("Messages list the strategies that will do", "[io]") {
  CHECK(assembly::strategy_names(assembly::stores_matrix) ==
        "reference, atomic, a-coo, a-coo-compact, sorted-coo, colored or row-gather");
  CHECK(assembly::strategy_names([](Strategy strategy) { return !assembly::is_deterministic(strategy); }) ==
        "atomic or ebe-atomic");
  CHECK(assembly::strategy_names([](Strategy strategy) { return strategy == Strategy::colored; }) == "colored");
  CHECK(assembly::strategy_names([](Strategy) { return false; }).empty());
}

TEST_CASE("Strategies without a matrix need no array by offsets", "[io]") {
  const assembly::AssemblySizes sizes{4e9, 4., 1e9, 15e9};
  for (const assembly::StrategyTraits& traits : assembly::strategy_table) {
    INFO(traits.name);
    CHECK((traits.largest_array(sizes) > 0.) == traits.stores_matrix);
    CHECK(traits.bytes(sizes) > 0.);
  }
}
