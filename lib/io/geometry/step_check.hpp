// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_STEP_CHECK_HPP
#define TESSERA_IO_GEOMETRY_STEP_CHECK_HPP

/// \file
/// Checks that a STEP file (ISO 10303-21) is complete, and reads its unit. If a line is missing, OpenCASCADE crashes,
/// or drops the entities that use it and makes a different shape.

#include <string>

namespace tessera::io {

/// Throws a tessera::Error (kind input), with file and line, if an entity ("#21") is referred to but not defined, or is
/// defined twice.
void check_step(const std::string& path);

/// Unit of length in a STEP file ("mm", "m", "INCH"), or "" if there is none. Readers convert to their own unit.
std::string step_length_unit(const std::string& path);

} // namespace tessera::io

#endif
