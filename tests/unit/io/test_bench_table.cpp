// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/output/bench_table.hpp"
#include "io/pictures/reports/bench_charts.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tessera;
using namespace tessera::io;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Times of two methods on meshes of `n` elements.
BenchTable table_of(double n, const std::string& setting_heading = "") {
  BenchTable table{"assembly", "elements", "assembly, plates", "some details", setting_heading};
  table.columns = {
      {"elements", "1"}, {"median", "s", "median ms", 1e3, 3}, {"share of copy", "1", "of copy", 1e2, 0, " %"}};
  for (const char* method : {"atomic", "row, \"gather\""}) {
    BenchRow& row = table.add(std::string(method) + " numeric");
    row.case_name = "plates+1";
    row.problem = "plates";
    row.method = method;
    row.part = "numeric";
    row.setting = setting_heading.empty() ? "" : "2 x 1";
    table.set("elements", n);
    table.set("median", 1.25e-9 * n);
  }
  table.rows.back().note = "a note";
  BenchRow& skipped = table.add("sorted-coo");
  skipped.problem = "plates";
  skipped.method = "sorted-coo";
  skipped.is_measured = false;
  skipped.note = "not measured: too large";
  return table;
}

} // namespace

TEST_CASE("A table of the benchmark is printed with the columns that have headings", "[io][bench]") {
  std::ostringstream out;
  Console console(out, false, false);
  BenchTable table = table_of(1e6);
  table.rows[0].values[table.column("share of copy")] = 0.425;
  print_bench_table(console, table);
  CHECK(out.str() == "\nassembly, plates\nsome details\n"
                     "                            median ms  of copy\n"
                     "  atomic numeric                1.250     42 %\n"
                     "  row, \"gather\" numeric         1.250           a note\n"
                     "sorted-coo: not measured: too large\n");
}

TEST_CASE("A table of the benchmark is written with units and read again", "[io][bench]") {
  const test::TemporaryFolder folder;
  for (const char* setting : {"", "processes x threads"}) {
    const std::string path = folder.file("assembly.csv");
    const BenchTable table = table_of(1e6, setting);
    write_bench_table(path, table);
    const std::string text = text_of(path);
    const std::string head = text.substr(0, text.find('\n'));
    CHECK(head == std::string("case,problem,method,part,") + setting + (*setting != '\0' ? "," : "") +
                      "elements [1],median [s],note"); // columns without values are left out
    const BenchTable read = read_bench_table(path);
    CHECK(read.name == "assembly");
    REQUIRE(read.rows.size() == 3);
    CHECK(read.rows[1].method == "row, \"gather\"");
    CHECK(read.rows[1].note == "a note");
    CHECK(read.rows[0].setting == table.rows[0].setting);
    CHECK(read.value(read.rows[0], "median") == table.value(table.rows[0], "median"));
    CHECK(std::isnan(read.value(read.rows[2], "median")));
    CHECK_THROWS_WITH(read.column("minimum"), ContainsSubstring("has no column 'minimum'"));
  }
  std::ofstream(folder.file("other.csv")) << "a,b,c\n1,2,3\n";
  CHECK_THROWS_WITH(read_bench_table(folder.file("other.csv")), ContainsSubstring("is no table of the benchmark"));
  std::ofstream(folder.file("short.csv")) << "case,problem,method,part,median [s],note\na,b,c,d,1\n";
  CHECK_THROWS_WITH(read_bench_table(folder.file("short.csv")), ContainsSubstring("is no table of the benchmark"));
  std::ofstream(folder.file("text.csv")) << "case,problem,method,part,median [s],note\na,b,c,d,1e,f\n";
  CHECK_THROWS_WITH(read_bench_table(folder.file("text.csv")), ContainsSubstring("is no table of the benchmark"));
}

TEST_CASE("Tables of one name share a file, and a chart over the sizes", "[io][bench]") {
  const test::TemporaryFolder folder;
  const std::string directory = folder.file("new/out");
  BenchFiles files(directory);
  files.description()["backend"] = "serial";
  files.add(table_of(1e3));
  CHECK(pictures::is_bench(directory));
  CHECK(pictures::read_bench_results(directory).charts().empty()); // one size
  files.add(table_of(4e6));
  files.add(table_of(1e5));
  REQUIRE(files.tables().size() == 1);
  CHECK(files.tables()[0].rows.size() == 9);
  const std::vector<pictures::BenchChart> charts = pictures::read_bench_results(directory).charts();
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].name == "assembly-numeric-time");
  CHECK(charts[0].chart.caption.find("serial") == 0);
  REQUIRE(charts[0].chart.curves.size() == 2);
  CHECK(charts[0].chart.curves[0].name == "atomic");
  CHECK(charts[0].chart.curves[0].x == std::vector<double>{1e3, 1e5, 4e6});
  CHECK(charts[0].chart.curves[0].y == std::vector<double>{1.25e-6, 1.25e-4, 5e-3});
  CHECK(charts[0].chart.is_logarithmic_x);

  std::ofstream(directory + "/report.yaml") << "tessera: 1\n"; // a run has used the directory since
  CHECK_FALSE(pictures::is_bench(directory));
  CHECK_THROWS_WITH(BenchFiles(directory), ContainsSubstring("has the results of a run"));
  CHECK_THROWS_WITH(BenchFiles(directory + "/report.yaml/below"), ContainsSubstring("cannot create the directory"));
}

TEST_CASE("Rates over arithmetic intensities are below the roofline of peak and copy bandwidth", "[io][bench]") {
  BenchTable table{"dg", "unknowns", "", ""};
  table.columns = {{"unknowns", "1"},         {"arithmetic intensity", "1/B"},
                   {"operation rate", "1/s"}, {"share of peak", "1"},
                   {"rate", "B/s"},           {"share of copy", "1"}};
  table.add("a");
  table.rows.back().part = "atomic_volume";
  table.rows.back().values = {100., 50., 2e12, 0.25, 4e10, 0.02}; // peak 8e12 1/s, copy 2e12 B/s: ridge at 4
  table.add("b");
  table.rows.back().part = "numeric"; // not counted
  const std::vector<pictures::BenchChart> charts = pictures::bench_charts(table, "caption");
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].name == "dg-roofline");
  REQUIRE(charts[0].chart.curves.size() == 2);
  CHECK(charts[0].chart.curves[0].x == std::vector<double>{2., 4., 100.});
  CHECK(charts[0].chart.curves[0].y == std::vector<double>{4e12, 8e12, 8e12});
  CHECK(charts[0].chart.curves[1].name == "atomic_volume");
  CHECK(charts[0].chart.curves[1].x == std::vector<double>{50.});
  CHECK(charts[0].chart.curves[1].y == std::vector<double>{2e12});
}
