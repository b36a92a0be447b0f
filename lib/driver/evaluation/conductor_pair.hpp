// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_CONDUCTOR_PAIR_HPP
#define TESSERA_DRIVER_EVALUATION_CONDUCTOR_PAIR_HPP

#include "io/input/case.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Current densities, charge densities and boundary data of the input that are sources of the field. `source`, `flux`:
/// what a density and a flux are called.
std::vector<std::string> given_sources(const io::ProblemOptions& problem, const char* source, const char* flux);

/// Contributions to a capacitance of this input other than the voltage between both conductors ("conductor 'c'").
std::vector<std::string> other_charges(const io::Case& input);

/// Two conductors and the flow from each.
struct ConductorPair {
  std::string first;
  std::string second;
  double first_total = 0.;
  double second_total = 0.;
};

/// Below this fraction of the larger total the sum of both totals is an error of discretisation and solver.
bool is_balanced(const ConductorPair& pair, double others = 0.);

/// A note if the totals do not add up to zero, so that the quotient `name` ("resistance") is not a property of this
/// pair; empty if they do, and if quantity_notes() says so. `counted`: the conductor whose total is in the quotient.
std::string unbalanced_note(const io::Case& input, const std::string& name, const ConductorPair& pair,
                            const std::string& counted);

} // namespace tessera::driver

#endif
