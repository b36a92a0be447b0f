// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MATERIALS_MATERIAL_PATTERNS_HPP
#define TESSERA_IO_MATERIALS_MATERIAL_PATTERNS_HPP

/// \file
/// Materials of several regions by a wildcard.

#include "io/input/case.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Whether the name of a material's region has a wildcard: '*' for any text, '?' for one character.
bool is_pattern(const std::string& name);

/// Whether `name` is in the list, or matches a pattern in it.
bool is_listed(const std::vector<std::string>& list, const std::string& name);

/// Replaces each pattern by an entry for each matching region of the mesh. An entry with a region's name takes
/// precedence over patterns. Throws an error that lists all patterns without a matching region, and all regions that
/// match two patterns of different materials. Regions of coils have no conductivity afterwards: their current is
/// distributed evenly.
void spread_materials(ProblemOptions& problem, const std::vector<std::string>& regions);

} // namespace tessera::io

#endif
