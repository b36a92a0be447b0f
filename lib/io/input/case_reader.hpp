// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_CASE_READER_HPP
#define TESSERA_IO_INPUT_CASE_READER_HPP

/// \file
/// Reads YAML input into io::Case and checks it completely.

#include "io/input/case.hpp"
#include "io/input/yaml_reader.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Reads an input file after setting the overrides in it. Throws one tessera::Error that lists every wrong key, type
/// and value with file, line, path and the allowed values. Needs no Kokkos.
Case read_case(const std::string& file, const std::vector<Override>& overrides = {});

/// As above for a text; `file` names it in messages, and relative paths refer to its folder.
Case read_case_text(const std::string& text, const std::string& file, const std::vector<Override>& overrides = {});

/// As above for a tree.
Case read_case_tree(YamlNode root, const std::string& file);

/// Sets the overrides in the tree of an input file; throws if the file is not a map.
void apply_overrides(YamlNode& root, const std::string& file, const std::vector<Override>& overrides);

/// Reads only the keys that define a mesh, `mesh` and `execution`; other keys are not interpreted. `file` may also be a
/// geometry or a mesh itself, with the overrides as its options; unless mesh.dimension is given, a .geo file is then
/// meshed in 2D, and a file of solids in 3D.
Case read_mesh_case(const std::string& file, const std::vector<Override>& overrides = {});

} // namespace tessera::io

#endif
