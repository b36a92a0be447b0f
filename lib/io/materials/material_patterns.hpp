// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MATERIALS_MATERIAL_PATTERNS_HPP
#define TESSERA_IO_MATERIALS_MATERIAL_PATTERNS_HPP

/// \file
/// Materials of several regions by a wildcard.

#include "io/case.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Whether the name of a material's region has a wildcard: '*' for any text, '?' for one character.
bool is_pattern(const std::string& name);

/// Whether `name` is one of the list, or fits a pattern in it.
bool is_listed(const std::vector<std::string>& list, const std::string& name);

/// Puts a material for each of the mesh's regions that a pattern fits in the place of the pattern. An entry with a
/// region's own name comes before patterns. Throws an error of all patterns that fit no region, and of all regions that
/// two patterns of different materials fit.
void spread_materials(ProblemOptions& problem, const std::vector<std::string>& regions);

} // namespace tessera::io

#endif
