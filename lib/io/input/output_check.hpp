// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_OUTPUT_CHECK_HPP
#define TESSERA_IO_INPUT_OUTPUT_CHECK_HPP

/// \file
/// Prevents output files from replacing input files.

#include "io/input/case.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Names of the files that a run writes to its output directory, in the order of writing: the fields, the probes,
/// report.html, resolved.yaml and report.yaml.
std::vector<std::string> run_outputs(const Case& input);

struct InputFile {
  std::string path;
  std::string what; ///< for messages: "mesh.geometry"
};

/// The files that a case reads and on which its results depend: first the input file, then the geometry with the files
/// that it includes or names, the mesh, options that Gmsh reads with them, B-H tables. Not the material library, whose
/// values are in the case.
std::vector<InputFile> input_files(const Case& input);

/// Throws unless the files `names` can be written to the case's output directory (which need not exist yet) without
/// replacing an input of the case: its file, the geometry with included files, the mesh or a B-H table, by whatever
/// path or link. Existing names must be those of regular files.
void check_outputs(const Case& input, const std::vector<std::string>& names);

/// The same for one file; the message begins with `option`.
void check_output_file(const Case& input, const std::string& path, const std::string& option);

} // namespace tessera::io

#endif
