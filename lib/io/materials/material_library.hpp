// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MATERIALS_MATERIAL_LIBRARY_HPP
#define TESSERA_IO_MATERIALS_MATERIAL_LIBRARY_HPP

/// \file
/// Materials that the input names instead of giving their properties.

#include "io/map_reader.hpp"

#include <string>

namespace tessera::io {

/// The library that comes with the program, materials.yaml.
const char* material_library_text();

/// Replaces names in problem.materials (`winding: copper`, or `winding: {name: copper, ...}`) by the properties that
/// the physics needs, where the input does not give them itself, and removes the keys that are for this alone.
/// Materials of problem.material_library, a file relative to `folder`, come before those of the program. Unknown names
/// and materials that lack a property are errors.
void expand_materials(YamlNode& root, const std::string& folder, InputErrors& errors);

} // namespace tessera::io

#endif
