// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "imported_measures.hpp"
#include "io/geometry/import_process.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#if TESSERA_HAVE_GMSH

namespace tessera::test {

using io::ImportedMesh;
using io::ImportRequest;
using io::run_import;

using Catch::Approx;
using Names = std::vector<std::string>;

TEST_CASE("solids in STEP and BREP files are meshed, one region each", "[io]") {
  ImportRequest options;
  options.dimension = 3;
  options.path = data_file(GENERATE("boxes.step", "boxes.brep"));
  const bool is_step = options.path.find("step") != std::string::npos;
  options.scale = is_step ? 0. : 1.; // 0: the unit of the file
  ImportedMesh mesh;
  try {
    mesh = run_import(options);
  } catch (const Error& error) {
    if (std::string(error.what()).find("OpenCASCADE") != std::string::npos)
      SKIP("this Gmsh has no OpenCASCADE");
    throw;
  }
  CHECK(mesh.dimension == 3);
  CHECK(mesh.region_names.size() == 2);
  CHECK((is_step || mesh.region_names == Names{"volume_1", "volume_2"}));
  CHECK(mesh.boundary_names.size() == 11); // the face between the cubes is one face
  double volume = 0.;
  for (const double part : region_measures(mesh))
    volume += part;
  CHECK(volume == Approx(is_step ? 2e-9 : 2.));
  CHECK(mesh.notes.size() == 1); // "No physical volume"
  options.scale = 1.;
  CHECK(has_note(run_import(options), "1000 times as large as in the file") == is_step);
}

TEST_CASE("lengths of a STEP file are those that its unit says", "[io]") {
  std::ifstream file(data_file("boxes.step"));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto in_unit = [&text](const std::string& unit) {
    std::string changed = text;
    const std::string before = "SI_UNIT(.MILLI.,.METRE.)";
    for (std::size_t at = changed.find(before); at != std::string::npos; at = changed.find(before, at))
      changed.replace(at, before.size(), unit);
    return changed;
  };
  const TemporaryFolder folder;
  ImportRequest options;
  options.dimension = 3;
  options.scale = 0.;
  for (const auto& [unit, metres] :
       std::vector<std::pair<std::string, double>>{{"SI_UNIT($,.METRE.)", 1.}, {"SI_UNIT(.CENTI.,.METRE.)", 1e-2}}) {
    options.path = folder.write("a.step", in_unit(unit));
    const ImportedMesh mesh = run_import(options);
    const std::vector<double> volumes = region_measures(mesh);
    CHECK(volumes[0] + volumes[1] == Approx(2. * metres * metres * metres));
    CHECK(has_note(mesh, metres == 1. ? "a.step is in m; Gmsh reads its lengths in mm" : "is in cm; Gmsh"));
  }
}

// A base of 4 x 4 x 2 mm, and a plug of 1 x 1 x 2 mm that sinks 0.1 mm into it.
TEST_CASE("parts of a STEP file that overlap keep their names, and the overlap is reported", "[io]") {
  ImportRequest options;
  options.path = data_file("overlapping.step");
  options.dimension = 3;
  options.scale = 0.;
  ImportedMesh mesh;
  try {
    mesh = run_import(options);
  } catch (const Error& error) {
    if (std::string(error.what()).find("OpenCASCADE") != std::string::npos)
      SKIP("this Gmsh has no OpenCASCADE");
    throw;
  }
  REQUIRE(mesh.region_names == Names{"base", "plug"});
  const std::vector<double> volumes = region_measures(mesh);
  CHECK(volumes[0] == Approx(31.9e-9));
  CHECK(volumes[1] == Approx(2e-9));
  // Thickness: twice the volume by the surface of 2.4 mm^2.
  CHECK(has_note(mesh, "The parts 'base' and 'plug' overlap in 1e-10 m^3, about 8.33e-05 m thick, at (0.0015, 0.0015, "
                       "0.00195) m; there the material is that of 'plug', the smaller part."));
}

} // namespace tessera::test

#endif
