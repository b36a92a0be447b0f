// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_FUZZ_TARGET_HPP
#define TESSERA_TESTS_FUZZ_TARGET_HPP

/// \file
/// What is fed with damaged inputs. Each takes an input or refuses it with a tessera::Error; what it took, a check that
/// shares no code with it may refute.

#include "mutation.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::fuzz {

struct Outcome {
  enum class Kind {
    accepted,
    refused, ///< by a tessera::Error
    refuted  ///< accepted, but wrong as the check says
  } kind = Kind::accepted;
  std::string text; ///< message of the refusal, or what is wrong

  static Outcome refuted(const std::string& text) { return {Kind::refuted, text}; }
};

class Target {
public:
  virtual ~Target() = default;
  /// A damaged input.
  virtual std::string make(Random& random) const = 0;
  /// Takes an input in `folder`, whose files it may write; throws what the program's own code throws.
  virtual Outcome take(const std::string& input, const std::string& folder) const = 0;
};

/// case: YAML, read and written again. table: B-H curves. expression. drawing: DXF. grid, own: VTKHDF files of others
/// and of the program. msh: Gmsh's text formats. run: whole runs of small cases.
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
/// The files of inputs/ with this ending.
std::vector<std::string> seed_files(const std::string& folder, const std::string& ending);

} // namespace tessera::fuzz

#endif
