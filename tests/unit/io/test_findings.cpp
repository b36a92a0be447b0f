// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/findings.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sstream>

using namespace tessera;

namespace {

io::Findings some_findings() {
  io::Findings findings;
  findings.add_quantity({"flux.front", 2., "C", {{}, "glass", "air"}});
  findings.add_quantity({"max.air", 3., "", {{0.25, 1.}}});
  findings.add({"errors", "l2", 0.5, {{"l2", 0.5}}, "error.l2"});
  findings.add_facts("solver.multigrid", {{"levels", 2}, {"factor", io::ReportNode()}});
  findings.add_item("time_steps", io::ReportNode::row({{"to", 0.5}}));
  findings.add_item("time_steps", io::ReportNode::row({{"to", 1}}));
  findings.add_facts("mesh", {{"nodes", 7}});
  findings.add_line("mesh", "mesh", "7 nodes", {{"form", "a"}, {"a", "1"}});
  return findings;
}

} // namespace

TEST_CASE("findings are written to the report in the order of their sections", "[io][host]") {
  io::ReportNode report;
  report["quantities"].set_map();
  some_findings().add_to(report, {"mesh", "", "time_steps"});
  CHECK(io::to_yaml(report) == R"(quantities:
  flux.front: {value: 2, unit: C, from: glass, to: air}
  max.air: {value: 3, at: [0.25, 1]}
mesh:
  nodes: 7
errors:
  l2: 0.5
solver:
  multigrid:
    levels: 2
time_steps:
  - {to: 0.5}
  - {to: 1}
)");
  io::ReportNode of_mesh;
  some_findings().add_to(of_mesh, {"mesh"}); // without "" the others are left out
  CHECK(io::to_yaml(of_mesh) == "mesh:\n  nodes: 7\n");
}

TEST_CASE("findings are printed with units and places, each as it says", "[io][host]") {
  std::ostringstream out;
  io::Console console(out, false, false);
  some_findings().print(console, {"mesh", "quantities", "", "errors"});
  CHECK(out.str() == "  mesh                     7 nodes\n"
                     "  form                      a\n"
                     "  a                         1\n"
                     "  flux.front               2 C (from glass to air)\n"
                     "  max.air                  3 (at (0.25, 1) m)\n"
                     "  error.l2                 0.5\n");
}

TEST_CASE("numbers of findings are taken by section", "[io][host]") {
  const io::Findings findings = some_findings();
  CHECK(findings.numbers({"errors"}).size() == 1);
  CHECK(findings.numbers({"errors", ""}).size() == 3);
  const std::vector<io::QuantityValue> numbers = findings.numbers({"errors", "quantities"});
  REQUIRE(numbers.size() == 3);
  CHECK(io::column_name(numbers[0]) == "l2 [1]");
  CHECK(io::column_name(numbers[1]) == "flux.front [C]");
}
