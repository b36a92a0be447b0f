// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_FUZZ_TARGET_HPP
#define TESSERA_TESTS_FUZZ_TARGET_HPP

/// \file
/// Targets for damaged inputs. A target accepts an input or refuses it with a tessera::Error; a check that shares no
/// code with the target may refute what it accepted.

#include "mutation.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::fuzz {

struct Outcome {
  enum class Kind {
    accepted,
    refused, ///< by a tessera::Error
    refuted  ///< accepted, but wrong according to the check
  } kind = Kind::accepted;
  std::string text; ///< message of the refusal or of the check

  static Outcome refuted(const std::string& text) { return {Kind::refuted, text}; }
};

class Target {
public:
  virtual ~Target() = default;
  /// Makes a damaged input.
  virtual std::string make(Random& random) const = 0;
  /// Processes an input in `folder`, where it may write files; passes on exceptions of the program.
  virtual Outcome take(const std::string& input, const std::string& folder) const = 0;
};

/// case: YAML, read and written again. table: B-H curves. expression: expressions. drawing: DXF. grid, own: VTKHDF
/// files of other programs and of Tessera. msh: Gmsh's text formats. run: complete runs of small cases.
std::vector<std::string> target_names();
std::unique_ptr<Target> make_target(const std::string& name);

std::unique_ptr<Target> make_case_target();
std::unique_ptr<Target> make_table_target();
std::unique_ptr<Target> make_expression_target();
std::unique_ptr<Target> make_drawing_target();
std::unique_ptr<Target> make_grid_target();
std::unique_ptr<Target> make_own_mesh_target();
std::unique_ptr<Target> make_msh_target();
std::unique_ptr<Target> make_run_target();

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);
/// The files in inputs/ with this extension.
std::vector<std::string> seed_files(const std::string& folder, const std::string& ending);

} // namespace tessera::fuzz

#endif
