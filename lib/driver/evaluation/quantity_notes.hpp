// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_QUANTITY_NOTES_HPP
#define TESSERA_DRIVER_EVALUATION_QUANTITY_NOTES_HPP

#include "io/case.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Sentences on quantities that the input asks for, but that do not mean what their names say in this problem: a
/// capacitance beside charges that no conductor holds, an inductance beside other sources of the field, probes and
/// regions in shells.
std::vector<std::string> quantity_notes(const io::Case& input);

} // namespace tessera::driver

#endif
