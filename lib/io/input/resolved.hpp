// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_RESOLVED_HPP
#define TESSERA_IO_INPUT_RESOLVED_HPP

/// \file
/// The complete input with its defaults, as in resolved.yaml and --dry-run.

#include "io/input/case.hpp"
#include "io/output/report.hpp"

#include <string>

namespace tessera::io {

/// Converts a case to a tree in the input format: reading it gives the same case. The path of the mesh is relative to
/// `directory`, to which the tree will be written, so that both can be moved together; absolute if no directory is
/// given or they share only the root.
ReportNode resolved_tree(const Case& input, const std::string& directory = "");

/// The same as text.
std::string resolved_text(const Case& input);

/// The text for a material.
std::string material_text(const Material& material, Physics physics);

} // namespace tessera::io

#endif
