// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CIRCUITS_FOSTER_NETWORK_HPP
#define TESSERA_DRIVER_HARMONIC_CIRCUITS_FOSTER_NETWORK_HPP

#include <complex>
#include <string>
#include <vector>

namespace tessera::driver {

/// A resistance, an inductance and pairs of a resistance and an inductance in parallel, all in series: the impedances
/// of conductors with eddy currents are of this form (R. M. Foster, Bell Syst. Tech. J. 3, 1924). No value is negative.
struct FosterNetwork {
  struct Pair {
    double resistance; ///< Ohm
    double inductance; ///< H
  };
  double resistance = 0.;
  double inductance = 0.;
  std::vector<Pair> pairs;

  std::complex<double> impedance(double omega) const;
};

/// The network closest to impedances at angular frequencies in 1/s, by least squares of the relative errors of
/// resistances and reactances, with pairs at some of ten corner frequencies per decade.
FosterNetwork foster_network(const std::vector<double>& omegas, const std::vector<std::complex<double>>& impedances);

/// The lines of a SPICE subcircuit with two nodes.
std::vector<std::string> subcircuit(const std::string& name, const FosterNetwork& network);

} // namespace tessera::driver

#endif
