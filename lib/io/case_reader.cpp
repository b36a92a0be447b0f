// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/case_reader.hpp"

#include "core/error.hpp"
#include "io/case_sections.hpp"

#include <filesystem>

namespace tessera::io {

namespace {

constexpr int format_version = 1;

Case read_tree(YamlNode root, const std::string& file, const std::vector<Override>& overrides) {
  TESSERA_REQUIRE(root.kind != YamlNode::Kind::null,
                  file << ": the input is empty; it starts with 'tessera: " << format_version << "'.");
  for (const Override& entry : overrides)
    apply_override(root, entry);

  InputErrors errors;
  Location top;
  top.file = file;
  MapReader in(&root, "", top, errors);
  // The version is checked first: messages about keys of another version would only confuse.
  const bool has_version = in.require("tessera", "version of the input format; write 'tessera: 1'") != nullptr;
  if (has_version && in.number("tessera", format_version) != format_version)
    in.fail("tessera", "this program reads version " + std::to_string(format_version) + " of the input format only.");
  errors.throw_if_any();

  Case result;
  result.file = file;
  result.title = in.text("title", std::filesystem::path(file).stem().string());
  in.require("mesh", "the mesh: geometry, file or box");
  in.require("problem", "the physics with its materials and boundaries");
  const std::string folder = std::filesystem::path(file).parent_path().string();
  detail::read_mesh(in.map("mesh"), folder, result.mesh);
  const int dimension = result.mesh.dimension;
  detail::read_problem(in.map("problem"), folder, dimension, result.problem);
  detail::read_discretization(in.map("discretization"), result.mesh, result.problem, result.discretization);
  detail::read_assembly(in.map("assembly"), result.discretization, result.assembly);
  detail::read_solver(in.map("solver"), result.mesh, result.problem, result.discretization, result.assembly,
                      result.solver);
  detail::read_execution(in.map("execution"), result.execution);
  result.output.directory = "results/" + std::filesystem::path(file).stem().string();
  detail::read_output(in.map("output"), dimension, result.problem, result.discretization, result.output);
  detail::read_verification(in.map("verification"), dimension, result.problem, result.discretization, result.output,
                            result.verification);
  in.finish();
  errors.throw_if_any();
  result.notes = errors.notes();
  return result;
}

} // namespace

Case read_case(const std::string& file, const std::vector<Override>& overrides) {
  return read_tree(read_yaml(file), file, overrides);
}

Case read_case_text(const std::string& text, const std::string& file, const std::vector<Override>& overrides) {
  return read_tree(parse_yaml(text, file), file, overrides);
}

} // namespace tessera::io
