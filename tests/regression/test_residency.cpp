// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/spaces.hpp"
#include "io/input/yaml_reader.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"
#include "support/transfer_watch.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace tessera::test {

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";

/// The phases between upload and download.
const std::vector<std::string> resident_phases = {
    "mesh: box",  "mesh: check",        "mesh: refine",      "mesh: order",         "discretization",
    "form",       "assembly: symbolic", "assembly: numeric", "assembly: checksums", "solver: ",
    "quantities", "memory: reserve",    "solution"};

// Scalars, sums of a convergence check, tables by region or by colour; every field of these runs is larger than 30 KB.
constexpr std::uint64_t few_bytes = 4096;

bool is_device(const std::string& backend) { return backend == "cuda" || backend == "hip"; }

/// Runs a case and lists transfers to the host in phases that should have none.
std::string strays(const TemporaryFolder& folder, const std::string& file, std::vector<std::string> settings,
                   const std::string& backend) {
  settings.push_back("execution.backend=" + backend);
  std::string text;
  std::string setting_text;
  for (const std::string& setting : settings)
    setting_text += setting + ' ';
  TransferWatch::on_device() = is_device(backend);
  const TransferWatch watch;
  if (run_case(file, folder.file("out"), settings).exit_code != 0)
    text += "the run failed: " + setting_text;
  for (const std::string& phase : resident_phases)
    for (const TransferWatch::Event& event : watch.to_host("tessera::" + phase, few_bytes))
      text +=
          event.region + ": " + event.what + ", " + std::to_string(event.bytes) + " bytes, with " + setting_text + '\n';
  TransferWatch::on_device() = false;
  return text;
}

} // namespace

TEST_CASE("No field or matrix reaches the host between upload of the mesh and download of the results",
          "[regression][device]") {
  const TemporaryFolder folder;
  const std::string mesh_file = folder.file("mesh.vtkhdf");
  driver::make_mesh_file(read_case(input_file("mms-2d"), folder.file("out"), {"mesh.box.cells=[64, 64]"}), mesh_file);
  for (const std::string& backend : backend_names()) {
    for (const auto& strategy : io::enum_names<io::Strategy>()) {
      if (strategy.value == io::Strategy::reference)
        continue; // runs serially on the host by definition
      const std::string by = std::string("assembly.strategy=") + strategy.name;
      CHECK(strays(folder, input_file("mms-2d"), {by, "mesh.box=", "mesh.file=" + mesh_file, "mesh.refine=1"},
                   backend) == "");
      CHECK(strays(folder, plates,
                   {by, "mesh.box.cells=[80, 64]", "problem.boundaries.top={floating: {charge: 1e-12}}",
                    "output.conductors=[left, right]"},
                   backend) == "");
    }
    CHECK(strays(folder, input_file("mms-3d"),
                 {"assembly.strategy=colored", "mesh.box.cells=[12, 12, 12]", "discretization.order=2",
                  "execution.reproducible=true", "solver.initial_guess=x"},
                 backend) == "");
  }
}

TEST_CASE("The watch sees upload and download", "[regression][device]") {
  const TemporaryFolder folder;
  const std::string mesh_file = folder.file("mesh.vtkhdf");
  driver::make_mesh_file(read_case(input_file("mms-2d"), folder.file("out"), {"mesh.box.cells=[64, 64]"}), mesh_file);
  for (const std::string& backend : backend_names()) {
    INFO(backend);
    const TransferWatch watch;
    run_case(input_file("mms-2d"), folder.file("out"),
             {"mesh.box=", "mesh.file=" + mesh_file, "execution.backend=" + backend, "assembly.strategy=reference"});
    if (is_device(backend))
      CHECK(watch.to_host("tessera::mesh: upload", few_bytes).size() >= 4);
    CHECK(watch.to_host("tessera::output: fields", few_bytes).size() >= 4);
    // the transfers of the strategy reference
    CHECK(watch.to_host("tessera::assembly: numeric", few_bytes).size() >= 4);
  }
}

TEST_CASE("The report says where each phase ran", "[regression][device]") {
  const TemporaryFolder folder;
  for (const std::string& backend : backend_names()) {
    run_case(plates, folder.file("out"), {"execution.backend=" + backend, "mesh.refine=1"});
    int n_resident = 0;
    const io::YamlNode report = io::read_yaml(folder.file("out") + "/report.yaml");
    for (const io::YamlNode& phase : report.find("phases")->items) {
      const std::string name = phase.find("name")->text;
      const std::string where = phase.find("where")->text;
      INFO(name << ": " << where);
      if (std::any_of(resident_phases.begin(), resident_phases.end(),
                      [&](const std::string& start) { return name.compare(0, start.size(), start) == 0; })) {
        CHECK(where == backend);
        ++n_resident;
      } else {
        CHECK(name.compare(0, 8, "output: ") == 0);
        CHECK(where == backend + ", host");
      }
    }
    CHECK(n_resident == (is_device(backend) ? 12 : 11));
  }
}

} // namespace tessera::test
