// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/spaces.hpp"
#include "core/memory.hpp"
#include "io/hdf5_file.hpp"
#include "io/output/probes_file.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace tessera::test {

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";
constexpr double permittivity = 3 * 8.8541878128e-12;

double number(const io::YamlNode& map, const std::string& key) {
  const io::YamlNode* node = map.find(key);
  REQUIRE(node != nullptr);
  return std::stod(node->text);
}

void check_fields(const std::string& directory, bool in_space, int order) {
  const std::size_t n_elements = in_space ? 4 * 3 * 2 * 6 : 7 * 5 * 2;
  const std::size_t cells[2][3] = {{7, 5, 0}, {4, 3, 2}};
  std::size_t n_nodes = 1;
  for (int d = 0; d < (in_space ? 3 : 2); ++d)
    n_nodes *= order * cells[in_space ? 1 : 0][d] + 1;
  const std::size_t nodes_per_element = in_space ? (order == 1 ? 4 : 10) : (order == 1 ? 3 : 6);
  const int vtk_type = in_space ? (order == 1 ? 10 : 24) : (order == 1 ? 5 : 22);

  const auto file = io::Hdf5File::open(directory + "/fields.vtkhdf");
  CHECK(file.read_text("/VTKHDF", "Type") == "UnstructuredGrid");
  CHECK(file.extents("/VTKHDF/Points") == std::vector<std::size_t>{n_nodes, 3});
  const auto types = file.read<std::uint8_t>("/VTKHDF/Types");
  CHECK(types == std::vector<std::uint8_t>(n_elements, static_cast<std::uint8_t>(vtk_type)));
  CHECK(file.extents("/VTKHDF/Connectivity") == std::vector<std::size_t>{n_elements * nodes_per_element});
  CHECK(file.extents("/VTKHDF/Offsets") == std::vector<std::size_t>{n_elements + 1});

  const auto points = file.read<double>("/VTKHDF/Points");
  const auto potential = file.read<double>("/VTKHDF/PointData/potential");
  const auto nodal_field = file.read<double>("/VTKHDF/PointData/electric_field");
  const auto field = file.read<double>("/VTKHDF/CellData/electric_field");
  const auto flux = file.read<double>("/VTKHDF/CellData/flux_density");
  REQUIRE(potential.size() == n_nodes);
  REQUIRE(nodal_field.size() == 3 * n_nodes);
  REQUIRE(field.size() == 3 * n_elements);
  REQUIRE(flux.size() == 3 * n_elements);
  // u = 10 - 3 x, up to the solver's tolerance.
  double worst = 0.;
  const auto note = [&worst](double value, double exact, double scale) {
    worst = std::max(worst, std::fabs(value - exact) / scale);
  };
  for (std::size_t i = 0; i < n_nodes; ++i) {
    note(potential[i], 10. - 3. * points[3 * i], 10.);
    for (int d = 0; d < 3; ++d)
      note(nodal_field[3 * i + d], d == 0 ? 3. : 0., 3.);
  }
  for (std::size_t e = 0; e < n_elements; ++e)
    for (int d = 0; d < 3; ++d) {
      note(field[3 * e + d], d == 0 ? 3. : 0., 3.);
      note(flux[3 * e + d], d == 0 ? 3. * permittivity : 0., 3. * permittivity);
    }
  CHECK(worst <= 1e-9);
  CHECK(file.read<std::uint16_t>("/VTKHDF/CellData/material") == std::vector<std::uint16_t>(n_elements, 0));
}

} // namespace

TEST_CASE("The fields of a run are in its file, for every kind of element", "[regression][device]") {
  const TemporaryFolder folder;
  for (const int order : {1, 2}) {
    INFO("order " << order);
    const std::string setting = "discretization.order=" + std::to_string(order);
    REQUIRE(run_case(plates, folder.file("plane"), {setting}).exit_code == 0);
    check_fields(folder.file("plane"), false, order);
    REQUIRE(run_case(plates, folder.file("space"),
                     {setting, "mesh.box.cells=[4, 3, 2]", "mesh.box.lower=[0, 0, 0]", "mesh.box.upper=[2, 1, 1]",
                      "output.probes={}"})
                .exit_code == 0);
    check_fields(folder.file("space"), true, order);
  }
}

TEST_CASE("Quantities and probes of a linear field are exact", "[regression][device]") {
  const TemporaryFolder folder;
  for (const int order : {1, 2}) {
    const auto summary =
        run_case(plates, folder.file("out"), {"discretization.order=" + std::to_string(order), "problem.depth=0.5"});
    const double charge = 3. * permittivity * 1. * 0.5;
    CHECK(std::fabs(summary.quantities.at("charge.left") / charge - 1.) <= 1e-9);
    CHECK(std::fabs(summary.quantities.at("charge.right") / charge + 1.) <= 1e-9);
    CHECK(std::fabs(summary.quantities.at("energy") / (0.5 * charge * 6.) - 1.) <= 1e-9);
    CHECK(std::fabs(summary.quantities.at("capacitance") / (charge / 6.) - 1.) <= 1e-9);
    std::ifstream in(folder.file("out") + "/line.csv");
    std::string line;
    std::getline(in, line);
    CHECK(line.find("potential") != std::string::npos);
    int n_rows = 0;
    while (std::getline(in, line)) {
      std::istringstream row(line);
      std::vector<double> values;
      for (std::string cell; std::getline(row, cell, ',');)
        if (cell != "domain") // the material
          values.push_back(std::stod(cell));
      REQUIRE(values.size() >= 4);
      bool has_potential = false;
      for (const double value : values)
        has_potential = has_potential || std::fabs(value - (10. - 3. * 0.5 * n_rows)) <= 1e-9;
      CHECK(has_potential);
      ++n_rows;
    }
    CHECK(n_rows == 5);
  }
}

TEST_CASE("The report parses, and its phases add up to the total", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary = run_case(plates, folder.file("out"));
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
  for (const char* key : {"versions", "backend", "device", "mesh", "phases", "memory", "solver", "quantities"}) {
    INFO(key);
    CHECK(report.find(key) != nullptr);
  }
  const io::YamlNode* phases = report.find("phases");
  REQUIRE(phases != nullptr);
  REQUIRE(!phases->items.empty());
  double sum = 0.;
  for (const io::YamlNode& phase : phases->items) {
    sum += number(phase, "seconds");
    REQUIRE(phase.find("name") != nullptr);
    REQUIRE(phase.find("where") != nullptr);
  }
  CHECK(std::fabs(sum - number(report, "total_seconds")) <= 1e-9 * sum);
  const io::YamlNode* solver = report.find("solver");
  REQUIRE(solver != nullptr);
  CHECK(number(*solver, "iterations") == summary.iterations);
  CHECK(number(*report.find("memory"), "peak_bytes") > 0.);
  CHECK(number(*report.find("mesh"), "elements") == 70.);
  // The resolved input is a valid input.
  CHECK_NOTHROW(io::read_case(folder.file("out") + "/resolved.yaml"));
}

TEST_CASE("Quantities have one order in report and table, whatever that of the input is", "[regression]") {
  const TemporaryFolder folder;
  const std::string directory = folder.file("out");
  const auto check = [&](const std::string& file, const std::vector<std::string>& settings,
                         const std::vector<std::string>& expected) {
    run_case(file, directory, settings);
    const io::YamlNode report = io::read_yaml(directory + "/report.yaml");
    const io::YamlNode* quantities = report.find("quantities");
    REQUIRE(quantities != nullptr);
    CHECK(quantities->keys == expected);
    CHECK(report.find("files")->find("quantities.csv") != nullptr);
    const std::vector<std::vector<std::string>> rows = io::read_rows(directory + "/quantities.csv", 1 << 20);
    REQUIRE(rows.size() == 2);
    REQUIRE(rows[0].size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const io::YamlNode* unit = quantities->items[k].find("unit");
      CHECK(rows[0][k] == expected[k] + " [" + (unit == nullptr ? "1" : unit->text) + ']');
      CHECK(std::stod(rows[1][k]) == number(quantities->items[k], "value"));
    }
  };
  check(plates,
        {"output.quantities=[force, capacitance, regions, charge, energy]", "output.bodies={right: {groups: [right]}}",
         "output.lines={across: {points: [[0, 0.5], [2, 0.5]]}}", "output.surfaces={face: {groups: [left]}}"},
        {"energy",
         "charge.left",
         "charge.right",
         "capacitance",
         "volume.domain",
         "energy.domain",
         "mean_potential.domain",
         "smallest_potential.domain",
         "largest_potential.domain",
         "mean_electric_field.domain",
         "largest_electric_field.domain",
         "mean_flux_density.domain",
         "largest_flux_density.domain",
         "force.right.x",
         "force.right.y",
         "force_wide.right.x",
         "force_wide.right.y",
         "length.across",
         "voltage.across",
         "flux.across",
         "average_potential.across",
         "smallest_potential.across",
         "largest_potential.across",
         "average_electric_field.across",
         "smallest_electric_field.across",
         "largest_electric_field.across",
         "average_flux_density.across",
         "smallest_flux_density.across",
         "largest_flux_density.across",
         "area.face",
         "flux.face",
         "average_potential.face",
         "smallest_potential.face",
         "largest_potential.face",
         "average_electric_field.face",
         "largest_electric_field.face",
         "average_flux_density.face",
         "largest_flux_density.face"});
  // The potential of a floating group is always written, also if it is not requested.
  check(plates, {"output.quantities=", "problem.boundaries.top={floating: {charge: 0}}"}, {"potential.top"});
  check(plates,
        {"output.quantities=[charge]", "problem.boundaries.top={floating: {charge: 0}}",
         "problem.boundaries.bottom={surface_charge: 1e-12}"},
        {"charge.left", "charge.right", "charge.top", "potential.top", "charge.bottom"});
  // Without quantities no table is written, and a note reports the table of an earlier run.
  run_case(plates, directory, {"output.quantities="});
  const io::YamlNode report = io::read_yaml(directory + "/report.yaml");
  CHECK(report.find("files")->find("quantities.csv") == nullptr);
  REQUIRE(report.find("earlier_files") != nullptr);
  CHECK(report.find("earlier_files")->items.at(0).text == "quantities.csv");
}

TEST_CASE("The comparison of all strategies on all backends agrees", "[regression][device]") {
  const TemporaryFolder folder;
  driver::CompareOptions options;
  options.quiet = true;
  const auto agree = [&](const std::string& file, const std::vector<std::string>& settings) {
    const int code = driver::compare(read_case(file, folder.file("out"), settings), options);
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/compare.yaml");
    return code == 0 && report.find("agree")->text == "true";
  };
  for (const char* order : {"discretization.order=1", "discretization.order=2"}) {
    CHECK(agree(plates, {order, "output.probes={}"}));
    CHECK(agree(input_file("mms-2d"), {order, "mesh.box.cells=[9, 11]"}));
    CHECK(agree(input_file("mms-3d"), {order, "mesh.box.cells=[4, 3, 5]"}));
  }
}

TEST_CASE("In reproducible comparisons a strategy has the same bits on every backend, and others are left out",
          "[regression][determinism]") {
  const TemporaryFolder folder;
  driver::CompareOptions options;
  options.quiet = true;
  const std::string fixed = "execution.reproducible=true";
  REQUIRE(driver::compare(read_case(plates, folder.file("out"), {fixed, "output.probes={}"}), options) == 0);
  const io::YamlNode report = io::read_yaml(folder.file("out") + "/compare.yaml");
  CHECK(report.find("runs")->items.size() == 8 * backend_names().size());
  // Compares each run with the first run of the same strategy.
  std::size_t n_twins = 0;
  for (const io::YamlNode& run : report.find("runs")->items) {
    const io::YamlNode* same_bits = run.find("same_bits");
    INFO(run.find("backend")->text << ' ' << run.find("strategy")->text);
    CHECK((same_bits == nullptr || same_bits->text == "true"));
    CHECK(run.find("agrees")->text == "true");
    n_twins += same_bits != nullptr ? 1 : 0;
  }
  CHECK(n_twins == 8 * (backend_names().size() - 1));
  for (const io::YamlNode& run : report.find("runs")->items)
    CHECK(run.find("phases")->items.size() == 4);
  options.strategies = {"atomic"};
  CHECK_THROWS(driver::compare(read_case(plates, folder.file("out"), {fixed}), options));
}

// Run with one, two and three threads (CMakeLists.txt).
TEST_CASE("Reproducible runs write the same bits on one thread, on several and on a device",
          "[regression][determinism]") {
  const TemporaryFolder folder;
  const auto fields = [&](const std::string& backend, const std::vector<std::string>& settings) {
    std::vector<std::string> all = settings;
    all.insert(all.end(), {"execution.reproducible=true", "execution.backend=" + backend});
    const auto summary = run_case(input_file("mms-2d"), folder.file(backend), all);
    REQUIRE(summary.exit_code == 0);
    const auto file = io::Hdf5File::open(folder.file(backend) + "/fields.vtkhdf");
    std::vector<double> values;
    for (const char* name : {"PointData/value", "PointData/gradient", "CellData/gradient"}) {
      const auto part = file.read<double>(std::string("/VTKHDF/") + name);
      values.insert(values.end(), part.begin(), part.end());
    }
    return std::make_pair(values, summary.checksums);
  };
  const std::vector<std::vector<std::string>> variants = {
      {"assembly.strategy=row-gather"},
      {"assembly.strategy=row-gather", "discretization.order=2"},
      {"assembly.strategy=a-coo", "solver.preconditioner=none"},
      {"assembly.strategy=sorted-coo"},
      {"assembly.strategy=colored", "assembly.coloring=node-claims"},
      {"assembly.strategy=ebe-stored", "assembly.coloring=node-claims"},
      {"assembly.strategy=ebe-recomputed", "assembly.coloring=ofcm"}};
  for (const auto& settings : variants) {
    INFO(settings[0]);
    const auto serial = fields(backend_names().front(), settings);
    CHECK(serial.second.count("solution") == 1);
    for (const std::string& backend : backend_names())
      if (backend != backend_names().front())
        CHECK(fields(backend, settings) == serial); // no value is NaN, and none is -0 in one and 0 in the other: the
                                                    // same bits
  }
}

} // namespace tessera::test
