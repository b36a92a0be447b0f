// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_PARTS_CHECK_HPP
#define TESSERA_DRIVER_PLAN_PARTS_CHECK_HPP

#include "io/case.hpp"

#include <string>

namespace tessera::driver {

/// Why a case cannot run where each process has its part of the mesh alone: what it asks for, and what to do instead;
/// "" where it can.
std::string why_not_in_parts(const io::Case& input);

} // namespace tessera::driver

#endif
