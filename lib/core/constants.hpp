// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_CONSTANTS_HPP
#define TESSERA_CORE_CONSTANTS_HPP

/// \file
/// Mathematical constants.

namespace tessera {

constexpr double pi = 3.14159265358979323846;

} // namespace tessera

#endif
