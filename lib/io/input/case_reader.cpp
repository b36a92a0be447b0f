// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/case_reader.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/input/map_reader.hpp"
#include "io/input/sections/sections.hpp"
#include "io/materials/material_library.hpp"
#include "io/mesh_files/mesh_file.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tessera::io {

namespace {

constexpr int format_version = 1;

enum class Sections { all, mesh };

/// Top-level keys other than those for the mesh.
constexpr const char* other_keys[] = {"problem", "discretization", "assembly", "solver",
                                      "output",  "verification",   "sweep"};

/// Whether the problem names an existing physics, or none.
bool names_physics(const YamlNode& root) {
  const YamlNode* problem = root.find("problem");
  if (problem == nullptr || problem->kind != YamlNode::Kind::map)
    return true; // reported elsewhere
  const YamlNode* physics = problem->find("physics");
  const std::vector<std::string> known = detail::physics_names();
  return physics == nullptr || std::find(known.begin(), known.end(), physics->text) != known.end();
}

/// `coupling`, `insulators`: of a part of two physics.
Case read_one(YamlNode root, const std::string& file, Sections sections, Coupling coupling = Coupling::none,
              const std::vector<GroupName>& insulators = {}) {
  InputErrors errors;
  Location top;
  top.file = file;
  MapReader in(&root, "", top, errors);
  // The version is checked first: messages about keys of another version would only confuse.
  const bool has_version = in.require("tessera", "version of the input format; write 'tessera: 1'") != nullptr;
  if (has_version && in.number("tessera", format_version) != format_version)
    in.fail("tessera", "this program reads version " + std::to_string(format_version) + " of the input format only.");
  errors.throw_if_any();

  const std::string folder = std::filesystem::path(file).parent_path().string();
  if (sections == Sections::all)
    expand_materials(root, folder, errors);
  errors.throw_if_any(); // materials without properties would only confuse

  Case result;
  result.file = file;
  result.title = in.text("title", std::filesystem::path(file).stem().string());
  in.require("mesh", "the mesh: geometry, file or box");
  detail::read_mesh(in.map("mesh"), folder, result.mesh);
  if (sections == Sections::mesh) {
    detail::read_execution(in.map("execution"), result.execution);
    for (const char* key : other_keys)
      in.has(key);
    in.finish();
    errors.throw_if_any();
    result.notes = errors.notes();
    return result;
  }
  in.require("problem", "the physics with its materials and boundaries");
  if (!names_physics(root)) { // data of another physics would only confuse
    MapReader problem = in.map("problem");
    const std::string given = problem.text("physics", "");
    if (!given.empty())
      errors.add_unknown(problem.location("physics"), "physics", given, detail::physics_names());
    errors.throw_if_any();
  }
  const int dimension = result.mesh.dimension;
  result.problem.coupling = coupling;
  result.problem.insulators = insulators;
  detail::read_problem(in.map("problem"), folder, dimension, result.problem);
  detail::read_discretization(in.map("discretization"), result.mesh, result.problem, result.discretization);
  detail::read_assembly(in.map("assembly"), result.discretization, result.assembly);
  detail::read_execution(in.map("execution"), result.execution);
  detail::read_solver(in.map("solver"), result.mesh, result.problem, result.discretization, result.assembly,
                      result.execution, result.solver);
  result.output.directory = "results/" + std::filesystem::path(file).stem().string();
  detail::read_output(in.map("output"), dimension, result.problem, result.discretization, result.output);
  detail::read_verification(in.map("verification"), dimension, result.problem, result.discretization, result.output,
                            result.verification);
  if (result.discretization.method == Method::dg && value_at(root, "mesh.adapt.estimator") == nullptr)
    result.mesh.adapt.estimator = Estimator::residual; // the only one of dg
  detail::finish_harmonic(result, errors);
  detail::check_adaptation(result, errors);
  detail::check_assembly_output(result, errors);
  detail::check_joints(result, errors);
  detail::check_enclosures(result, errors);
  detail::check_time(result, errors);
  detail::note_small_differences(result, errors);
  if (in.has("sweep"))
    in.fail("sweep", "several cases in one file: only tessera run supports this. --set sweep= removes it.");
  in.finish();
  errors.throw_if_any();
  result.notes = errors.notes();
  return result;
}

/// Heat, with current flow as its other part.
Case read_electro_thermal(const YamlNode& root, const std::string& file) {
  const detail::TwoInputs two = detail::split_electro_thermal(root, std::filesystem::path(file).parent_path().string());
  Case heat = read_one(two.heat, file, Sections::all, Coupling::losses_heat);
  Case current = read_one(two.current, file, Sections::all, Coupling::depends_on_heat, two.insulators);
  InputErrors errors;
  detail::check_electro_thermal(heat, current, errors);
  errors.throw_if_any();
  std::vector<ExpectedQuantity>& expected = heat.verification.quantities;
  expected.insert(expected.end(), current.verification.quantities.begin(), current.verification.quantities.end());
  heat.output.errors = ErrorEstimates::off;
  for (const std::string& note : current.notes)
    if (std::find(heat.notes.begin(), heat.notes.end(), note) == heat.notes.end())
      heat.notes.push_back(note);
  heat.current = std::make_shared<const Case>(std::move(current));
  return heat;
}

Case read_tree(YamlNode root, const std::string& file, const std::vector<Override>& overrides,
               Sections sections = Sections::all) {
  apply_overrides(root, file, overrides);
  if (sections == Sections::all && detail::is_electro_thermal(root))
    return read_electro_thermal(root, file);
  return read_one(std::move(root), file, sections);
}

} // namespace

void apply_overrides(YamlNode& root, const std::string& file, const std::vector<Override>& overrides) {
  TESSERA_REQUIRE(root.kind != YamlNode::Kind::null,
                  printable(file, 300) << ": the input is empty; it starts with 'tessera: " << format_version << "'.");
  InputErrors errors;
  MapReader(&root, "", location_of(root, ""), errors);
  errors.throw_if_any();
  for (const Override& entry : overrides)
    apply_override(root, entry);
}

Case read_case(const std::string& file, const std::vector<Override>& overrides) {
  return read_tree(read_yaml(file), file, overrides);
}

Case read_case_text(const std::string& text, const std::string& file, const std::vector<Override>& overrides) {
  return read_tree(parse_yaml(text, file), file, overrides);
}

Case read_case_tree(YamlNode root, const std::string& file) { return read_tree(std::move(root), file, {}); }

Case read_mesh_case(const std::string& file, const std::vector<Override>& overrides) {
  const std::string ending = lower_case(std::filesystem::path(file).extension().string());
  const bool is_plane = ending == ".geo" || ending == ".dxf";
  const bool is_solid = ending == ".step" || ending == ".stp" || ending == ".brep";
  const bool is_mesh = ending == ".msh" || is_mesh_file_name(file);
  if (!is_plane && !is_solid && !is_mesh)
    return read_tree(read_yaml(file), file, overrides, Sections::mesh);
  std::vector<Override> all;
  all.push_back({is_mesh ? "mesh.file" : "mesh.geometry", file, "the command line"});
  if (!is_mesh)
    all.push_back({"mesh.dimension", is_plane ? "2" : "3", "the command line"});
  all.insert(all.end(), overrides.begin(), overrides.end());
  return read_tree(parse_yaml("tessera: 1\nmesh: {}\n", file), file, all, Sections::mesh);
}

} // namespace tessera::io
