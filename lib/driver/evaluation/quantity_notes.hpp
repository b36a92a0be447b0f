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

/// What enters a capacitance of this input beside the voltage between both conductors ("conductor 'c'").
std::vector<std::string> other_charges(const io::Case& input);

/// Two conductors and what flows from each.
struct ConductorPair {
  std::string first;
  std::string second;
  double first_total = 0.;
  double second_total = 0.;
};

/// Below this share of the larger one the sum of both totals is the error of the mesh and the solver.
bool is_balanced(const ConductorPair& pair, double others = 0.);

/// A note that both totals do not add up to zero, so that the quotient `name` ("resistance") is no property of this
/// pair; empty where they do, and where quantity_notes() says so. `counted`: the conductor whose total the quotient
/// has.
std::string unbalanced_note(const io::Case& input, const std::string& name, const ConductorPair& pair,
                            const std::string& counted);

} // namespace tessera::driver

#endif
