// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_STEP_CHECK_HPP
#define TESSERA_IO_STEP_CHECK_HPP

/// \file
/// Checks that a STEP file (ISO 10303-21) is complete. If a line is missing, OpenCASCADE crashes, or drops the entities
/// that use it and makes a different shape.

#include <string>

namespace tessera::io {

/// Throws tessera::Error (kind input), with file and line, when an entity ("#21") is referred to but not defined, or
/// defined twice.
void check_step(const std::string& path);

} // namespace tessera::io

#endif
