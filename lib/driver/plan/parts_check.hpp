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

/// Layers of cells that each process's part of the mesh has beyond its elements at own nodes, for values that come from
/// the elements around others: where those at shared nodes are one of several, 1; where they are recovered, 3.
int layers_around_part(const io::Case& input);

} // namespace tessera::driver

#endif
