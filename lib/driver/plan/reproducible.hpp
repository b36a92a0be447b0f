// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_REPRODUCIBLE_HPP
#define TESSERA_DRIVER_PLAN_REPRODUCIBLE_HPP

#include "io/case.hpp"

namespace tessera::driver {

/// Reproducible runs allow only what adds in a fixed order; throws otherwise. Does nothing for other runs.
void check_reproducible(const io::Case& input, assembly::Strategy strategy);

} // namespace tessera::driver

#endif
