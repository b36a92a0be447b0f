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

TEST_CASE("estimated errors appear beside quantities, below matrices and as numbers", "[io][host]") {
  io::Findings findings = some_findings();
  io::Finding matrix{"matrix", "maxwell", {}, {{"m.a.a", 4., "F"}, {"m.a.b", -1., "F"}, {"m.b.a", -1., "F"}}};
  matrix.numbers.push_back({"m.b.b", 2., "F"});
  findings.add(matrix);
  const std::map<std::string, io::Estimate> all = {{"flux.front", {0.001, 2.0005}}, {"l2", {1., 1.}},
                                                   {"m.a.a", {0.02, 4.01}},         {"m.a.b", {0.01, -1.}},
                                                   {"m.b.a", {0.01, -1.}},          {"m.b.b", {0.01, 2.}}};
  findings.set_estimates(all);
  io::ReportNode report;
  findings.add_to(report, {"quantities", "errors", "matrix"});
  CHECK(io::to_yaml(report) == R"(quantities:
  flux.front: {value: 2, unit: C, from: glass, to: air, estimated_error: 0.001, refined: 2.0005}
  max.air: {value: 3, at: [0.25, 1]}
errors:
  l2: 0.5
matrix:
  estimates:
    maxwell:
      error:
        - [0.02, 0.01]
        - [0.01, 0.01]
      refined:
        - [4.01, -1]
        - [-1, 2]
)");
  std::ostringstream out;
  io::Console console(out, false, false);
  findings.print(console, {"quantities", "matrix"});
  CHECK(out.str() == "  flux.front               2 C +- 0.05 % (from glass to air)\n"
                     "  max.air                  3 (at (0.25, 1) m)\n"
                     "  maxwell                  +- 0.5 % of the largest entry\n");
  const std::vector<io::QuantityValue> numbers = findings.numbers({"quantities"});
  REQUIRE(numbers.size() == 3);
  CHECK(io::column_name(numbers[1]) == "estimated_error.flux.front [C]");

  io::Findings incomplete; // a matrix needs an estimate of every entry
  incomplete.add(matrix);
  incomplete.set_estimates({{"m.a.a", {0.02, 4.01}}});
  CHECK(incomplete.list().size() == 1);
  CHECK(incomplete.list()[0].numbers.size() == 4);
}

TEST_CASE("errors are printed in per cent of the value, or in its unit where they exceed it", "[io][host]") {
  CHECK(io::error_text(-200., 0.5, "N") == "+- 0.25 %");
  CHECK(io::error_text(200., 60., "N") == "+- 30 %");
  CHECK(io::error_text(1., 1., "N") == "+- 100 %");
  CHECK(io::error_text(1e-18, 2e-5, "N") == "+- 2e-05 N");
  CHECK(io::error_text(0., 0., "") == "+- 0");
  CHECK(io::error_text(0., 1e-3, "") == "+- 0.001");
}
