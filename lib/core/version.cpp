// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/version.hpp"

#include "core/git_hash.hpp"

namespace tessera {

std::string git_hash() { return TESSERA_GIT_HASH; }

} // namespace tessera
