// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_RESOLVED_HPP
#define TESSERA_IO_RESOLVED_HPP

/// \file
/// The whole input with its defaults, as resolved.yaml and --dry-run show it.

#include "io/case.hpp"
#include "io/report.hpp"

#include <string>

namespace tessera::io {

/// A case as a tree in the input format: reading it gives the same case. The path of the mesh is relative to
/// `directory`, where the tree will be written, so that both can be moved together; absolute when no directory is given
/// or nothing but the root holds both.
ReportNode resolved_tree(const Case& input, const std::string& directory = "");

/// The same as text.
std::string resolved_text(const Case& input);

} // namespace tessera::io

#endif
