// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_VERSION_HPP
#define TESSERA_CORE_VERSION_HPP

/// \file
/// Identifies the sources of a build.

#include <string>

namespace tessera {

/// Commit of the sources of this build, with "+" appended if they had uncommitted changes; "unknown" outside of git.
std::string git_hash();

} // namespace tessera

#endif
