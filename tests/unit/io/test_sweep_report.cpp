// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/output/probes_file.hpp"
#include "io/output/sweep_table.hpp"
#include "io/pictures/reports/html_report.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>

namespace {

using namespace tessera;
using namespace tessera::io::pictures;
using Catch::Matchers::ContainsSubstring;
using tessera::io::SweepRow;
using tessera::io::SweepTable;
using tessera::test::TemporaryFolder;

const std::string report_text = "title: Gaps\nrun_id: \"7\"\nversions: {tessera: \"0.2\"}\nbackend: serial\n"
                                "sweep: {of_earlier_runs: 1, seconds: 2}\n";
const std::string resolved_text = "# Of run 7\ntitle: \"Gaps <1> & 2\"\nproblem: {physics: electrostatics}\n";

/// Points of a sweep over a gap, all done, with `n_numbers` quantities.
SweepTable table_of(int n_points, int n_numbers) {
  SweepTable table;
  table.keys = {"mesh.parameters.gap", "verification.quantities.q0.value"};
  for (int point = 1; point <= n_points; ++point) {
    SweepRow& row = table.rows[point];
    row.values = {std::to_string(point), "1"};
    for (int k = 0; k < n_numbers; ++k)
      row.numbers.emplace_back("q" + std::to_string(k) + " [F]", std::to_string(point + k) + "e-12");
    row.state = io::sweep_done;
    row.iterations = "5";
    row.seconds = "0.5";
    row.taken = point == 1 ? "nothing" : "mesh";
  }
  return table;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1))
    ++n;
  return n;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

} // namespace

TEST_CASE("The head of a column is a name with a unit", "[io]") {
  CHECK(io::name_and_unit("force.a.x [N/m]") == std::pair<std::string, std::string>("force.a.x", "N/m"));
  CHECK(io::name_and_unit("region") == std::pair<std::string, std::string>("region", ""));
}

TEST_CASE("What lies in a directory reports whether it is that of a sweep", "[io]") {
  const TemporaryFolder folder;
  const std::string directory = folder.file("");
  CHECK_FALSE(is_sweep(directory));
  io::write_sweep_table(folder.file("sweep.csv"), table_of(2, 1));
  CHECK(is_sweep(directory)); // an interrupted sweep
  write(folder.file("report.yaml"), report_text);
  CHECK(is_sweep(directory));
  write(folder.file("resolved.yaml"), resolved_text);
  CHECK(read_sweep_results(directory).title == "Gaps <1> & 2");
  CHECK(read_sweep_results(directory).has_ended());
  write(folder.file("resolved.yaml"), "# Of run 8\n");
  CHECK_THROWS_WITH(read_sweep_results(directory),
                    ContainsSubstring("resolved.yaml is from another run than the report.yaml next to it"));
  std::filesystem::remove(folder.file("report.yaml"));
  CHECK_FALSE(read_sweep_results(directory).has_ended());
  io::write_sweep_table(folder.file("sweep.csv"), table_of(0, 1));
  CHECK_THROWS_WITH(read_sweep_results(directory), ContainsSubstring("sweep.csv"));
  write(folder.file("report.yaml"), "run_id: \"9\"\nquantities: {}\n"); // from a later run
  CHECK_FALSE(is_sweep(directory));
}

#ifdef TESSERA_HAVE_CAIRO

TEST_CASE("The report of a sweep has its quantities, points and what they kept", "[io]") {
  const std::string html = html_report(sweep_results_of("out", table_of(3, 2), report_text, resolved_text));
  CHECK_THAT(html, ContainsSubstring("<h1>Gaps &lt;1&gt; &amp; 2</h1>"));
  CHECK_THAT(html, ContainsSubstring("electrostatics; sweep of 3 points over mesh.parameters.gap"));
  CHECK_THAT(html, ContainsSubstring("<p class=\"good\">3 of 3 points are done, in 2.00 s.</p>"));
  CHECK(count_of(html, "<img") == 2);
  CHECK_THAT(html, ContainsSubstring("<th title=\"mesh.parameters.gap\">gap</th><th>q0 [pF]</th><th>q1 [pF]</th>"));
  CHECK_THAT(html, ContainsSubstring("<td class=\"number\" title=\"3e-12\">3</td><td>done</td>"));
  CHECK_THAT(html, ContainsSubstring("<tr><th>mesh</th><td class=\"number\">2</td>"));
  CHECK_THAT(html, ContainsSubstring("1 of them were in the table of an earlier run."));
  CHECK_THAT(html, ContainsSubstring("<pre># Of run 7"));
  CHECK(count_of(html, "q0.value") == 0); // exact values do not name a point
  CHECK(count_of(html, "These are the first") == 0);
  CHECK(count_of(html, "Failed points") == 0);
  CHECK(count_of(html, "http") == count_of(html, "http://www.w3.org/"));
}

TEST_CASE("The report of a large sweep shows its beginning and names the table", "[io]") {
  const std::string html = html_report(sweep_results_of("out", table_of(5000, 15), report_text, resolved_text));
  CHECK_THAT(html, ContainsSubstring(
                       "These are the first 200 of 5000 points and the first 12 of 15 numbers; all are in sweep.csv."));
  CHECK_THAT(html, ContainsSubstring("<th>200</th>") && !ContainsSubstring("<th>201</th>"));
  CHECK(count_of(html, "<img") == 8);
  CHECK_THAT(html, ContainsSubstring("7 more: tessera plot out --show q8"));
  CHECK(html.size() < 1000000);
}

TEST_CASE("The report of a sweep that failed or was interrupted says so first", "[io]") {
  SweepTable table = table_of(40, 1);
  for (int point = 5; point < 35; ++point) {
    table.rows[point].numbers.clear();
    table.rows[point].state = "no <mesh>";
  }
  SECTION("failed points") {
    const std::string html = html_report(sweep_results_of("out", table, report_text, resolved_text));
    CHECK_THAT(html, ContainsSubstring("<p class=\"bad\">10 of 40 points are done, 30 failed, in 2.00 s.</p>"));
    CHECK_THAT(html, ContainsSubstring("<li>point 5 (gap = 5): no &lt;mesh&gt;</li>"));
    CHECK(count_of(html, "<li>point") == 20);
    CHECK_THAT(html, ContainsSubstring("<li>10 more in sweep.csv</li>"));
    CHECK(count_of(html, "<td class=\"bad\">failed</td>") == 30);
  }
  SECTION("points that did not run") {
    for (int point = 36; point <= 40; ++point) {
      table.rows[point] = SweepRow();
      table.rows[point].values = {"1", "1"};
      table.rows[point].state = io::sweep_not_run;
    }
    const std::string html = html_report(sweep_results_of("out", table, "", resolved_text));
    CHECK_THAT(html, ContainsSubstring("<p class=\"bad\">5 of 40 points are done, 30 failed, 5 did not run. The sweep "
                                       "was interrupted, or still runs: started again, it continues.</p>"));
    CHECK(count_of(html, "<td class=\"subtle\">not run</td>") == 5);
    CHECK(count_of(html, "How it was computed") == 0);
  }
  SECTION("numbers that are none") {
    for (auto& entry : table.rows)
      for (auto& number : entry.second.numbers)
        number.second = "nan";
    const std::string html = html_report(sweep_results_of("out", table, report_text, resolved_text));
    CHECK_THAT(html, ContainsSubstring("there is nothing to draw"));
    CHECK(count_of(html, "title=\"nan\"") == 10);
  }
  SECTION("no quantity at all") {
    for (auto& entry : table.rows)
      entry.second.numbers.clear();
    const std::string html = html_report(sweep_results_of("out", table, report_text, resolved_text));
    CHECK_THAT(html, ContainsSubstring("No point has a quantity yet: there is nothing to draw."));
    CHECK(count_of(html, "<img") == 0);
  }
}

#endif
