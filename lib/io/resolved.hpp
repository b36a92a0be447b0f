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

/// A case as a tree in the input format: reading it gives the same case. Paths of meshes become absolute.
ReportNode resolved_tree(const Case& input);

/// The same as text.
std::string resolved_text(const Case& input);

} // namespace tessera::io

#endif
