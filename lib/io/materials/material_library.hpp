// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MATERIALS_MATERIAL_LIBRARY_HPP
#define TESSERA_IO_MATERIALS_MATERIAL_LIBRARY_HPP

/// \file
/// Materials that the input names instead of giving their properties.

#include "io/input/map_reader.hpp"

#include <string>

namespace tessera::io {

/// The program's material library, materials.yaml.
const char* material_library_text();

/// Replaces names in problem.materials (`winding: copper`, or `winding: {name: copper, ...}`) by the properties that
/// the physics needs, unless the input gives them, and removes the keys that only serve this purpose. Materials of
/// problem.material_library, a file relative to `folder`, take precedence over the program's. Reports errors for
/// unknown names and materials without a needed property.
void expand_materials(YamlNode& root, const std::string& folder, InputErrors& errors);

} // namespace tessera::io

#endif
