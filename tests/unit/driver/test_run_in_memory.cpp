// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/driver.hpp"
#include "io/hdf5_file.hpp"
#include "io/input/case_reader.hpp"
#include "io/output/console.hpp"
#include "io/output/run_arrays.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

io::Case plates(const std::string& output) {
  return io::read_case_text("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: electrostatics\n"
                            "  materials: {domain: {relative_permittivity: 1}}\n"
                            "  boundaries: {left: {potential: 0}, right: {potential: 1}}\noutput:\n  directory: '" +
                                output +
                                "'\n  fields: [potential, electric_field, material]\n  quantities: [energy]\n" +
                                "  probes: {middle: {points: [[0.5, 0.5]]}}\n",
                            "case.yaml");
}

/// Counts lines, and throws in a phase.
struct Receiver final : io::ConsoleReceiver {
  explicit Receiver(const std::string& phase = "") : throws_in(phase) {}
  void line(const std::string&) override { ++n_lines; }
  void progress(const std::string& text) override {
    TESSERA_REQUIRE(throws_in.empty() || text.rfind(throws_in, 0) != 0, "ended in " << text);
    ++n_progress;
  }
  std::string throws_in;
  int n_lines = 0;
  int n_progress = 0;
};

} // namespace

TEST_CASE("a run gives its results in memory, those of the files", "[driver]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("out");
  io::RunArrays arrays;
  Receiver receiver;
  io::Console console(receiver);
  driver::RunOptions options;
  options.arrays = &arrays;
  options.console = &console;
  options.writes = false;
  const driver::RunSummary summary = driver::run(plates(path), options);
  CHECK(summary.exit_code == 0);
  CHECK(folder.n_files() == 0);
  CHECK(summary.directory.empty());
  CHECK(receiver.n_lines > 5);
  CHECK(receiver.n_progress > 5);
  const io::ReportNode* quantities = summary.report.find("quantities");
  REQUIRE(quantities != nullptr);
  CHECK(quantities->find("energy") != nullptr);
  CHECK(arrays.tables.at("middle.csv").at(3).values.size() == 1);
  CHECK(arrays.fields.at("CellData/material").names == std::vector<std::string>{"domain"});
  CHECK(arrays.fields.at("PointData/potential").unit == "V");

  io::RunArrays both;
  options.arrays = &both;
  options.writes = true;
  driver::run(plates(path), options);
  const io::Hdf5File file = io::Hdf5File::open(path + "/fields.vtkhdf");
  CHECK(both.fields.size() == arrays.fields.size());
  for (const char* name : {"Points", "PointData/potential", "CellData/electric_field"}) {
    const std::vector<double> written = file.read<double>(std::string("/VTKHDF/") + name);
    CHECK(std::get<std::vector<double>>(arrays.fields.at(name).values) == written);
    CHECK(std::get<std::vector<double>>(both.fields.at(name).values) == written);
  }
  CHECK(std::get<std::vector<std::int64_t>>(arrays.fields.at("Connectivity").values) ==
        file.read<std::int64_t>("/VTKHDF/Connectivity"));
}

TEST_CASE("a receiver of the console ends a run by an exception", "[driver]") {
  io::RunArrays arrays;
  driver::RunOptions options;
  options.arrays = &arrays;
  options.writes = false;
  for (const char* phase : {"mesh: box", "solver: pcg", "output: fields"}) {
    Receiver receiver(phase);
    io::Console console(receiver);
    options.console = &console;
    CHECK_THROWS_AS(driver::run(plates("none"), options), Error);
  }
}
