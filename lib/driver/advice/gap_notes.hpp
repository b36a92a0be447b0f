// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_ADVICE_GAP_NOTES_HPP
#define TESSERA_DRIVER_ADVICE_GAP_NOTES_HPP

#include "driver/problem/binding/problem_binding.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Notes on gaps, between the bodies of forces and torques and other regions, boundaries with conditions or the
/// exterior boundary, that are spanned by one or two layers of long elements, with edges longer than five times the
/// width of the gap. Forces across such gaps may be wrong by tens of per cent, which finer elements on one side only do
/// not cure. A note states both sides, the width, and a remedy. There are none for boxes and with mesh.adapt.
std::vector<std::string> gap_notes(const io::Case& input, const io::ImportedMesh& imported,
                                   const ProblemBinding& binding);

} // namespace tessera::driver

#endif
