// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_HARMONIC_QUANTITIES_HPP
#define TESSERA_DRIVER_HARMONIC_HARMONIC_QUANTITIES_HPP

#include "core/constants.hpp"
#include "driver/results.hpp"
#include "io/input/case.hpp"

#include <complex>
#include <string>
#include <vector>

namespace tessera::driver {

/// Magnitude and phase in degrees as a complex number.
std::complex<double> phasor(double magnitude, double degrees);

/// Phase of a phasor in degrees, above -180 to 180.
double degrees_of(const std::complex<double>& phasor);

/// The meaning of phasors, as a phrase.
std::string convention_of(io::Phasors phasors);

/// Time average of the product of two phasors x and y, as the factor of Re(x y*).
double average_factor(io::Phasors phasors);

/// Quantities at each frequency, and their table.
class HarmonicQuantities {
public:
  explicit HarmonicQuantities(const io::ProblemOptions& problem)
      : problem_(problem), all_(problem.frequencies.size()) {}

  /// Quantities added from here on are those of a frequency of the problem; frequencies may come in any order.
  void begin(std::size_t frequency);
  void add(const std::string& name, double value, const std::string& unit);
  /// Adds the real and the imaginary part of `name`.`of`.
  void add_parts(const std::string& name, const std::string& of, std::complex<double> value, const std::string& unit);
  /// Adds these, the magnitude and the phase in degrees.
  void add_phasor(const std::string& name, const std::string& of, std::complex<double> value, const std::string& unit);
  /// Adds the losses that the terminals supply; returns a note if they differ from those of the field, by more than
  /// rounding of the apparent power of the terminals, else "".
  std::string add_balance(double by_field, double by_terminals, double apparent_power);

  /// Adds all quantities, and with several frequencies their table.
  void add_to(Results& results) const;

private:
  const io::ProblemOptions& problem_;
  struct OfFrequency {
    Results results;
    std::vector<std::string> columns; ///< of the table
    std::vector<std::string> values;
  };
  std::vector<OfFrequency> all_;
  std::size_t now_ = 0; ///< frequency
  std::string end_;     ///< of names
};

} // namespace tessera::driver

#endif
