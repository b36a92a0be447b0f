// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_quantities.hpp"

#include "driver/plan/quantity_list.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

constexpr double pi = 3.14159265358979323846;

} // namespace

std::complex<double> phasor(double magnitude, double degrees) {
  const double angle = degrees * pi / 180.;
  return {magnitude * std::cos(angle) + 0., magnitude * std::sin(angle) + 0.}; // not -0
}

double degrees_of(const std::complex<double>& phasor) { return std::arg(phasor) * 180. / pi; }

std::string convention_of(io::Phasors phasors) {
  const bool is_amplitude = phasors == io::Phasors::amplitude;
  return std::string(is_amplitude ? "amplitudes" : "RMS values") + ": x(t) = Re(" + (is_amplitude ? "" : "sqrt(2) ") +
         "X exp(j omega t)); energy and losses are averages over time";
}

double average_factor(io::Phasors phasors) { return phasors == io::Phasors::amplitude ? 0.5 : 1.; }

void HarmonicQuantities::begin(double frequency) {
  end_ = io::frequency_suffix(problem_, frequency);
  if (table_.empty())
    table_.push_back({"frequency [Hz]"});
  table_.push_back({io::number_text(frequency)});
}

void HarmonicQuantities::add(const std::string& name, double value, const std::string& unit) {
  add_quantity(quantities_, name + end_, value, unit);
  if (table_.size() == 2)
    table_[0].push_back(io::column_name({name, value, unit}));
  table_.back().push_back(io::number_text(value));
}

void HarmonicQuantities::add_parts(const std::string& name, const std::string& of, std::complex<double> value,
                                   const std::string& unit) {
  add(name + "_real." + of, value.real(), unit);
  add(name + "_imaginary." + of, value.imag(), unit);
}

void HarmonicQuantities::add_phasor(const std::string& name, const std::string& of, std::complex<double> value,
                                    const std::string& unit) {
  add_parts(name, of, value, unit);
  add(name + "_magnitude." + of, std::abs(value), unit);
  add(name + "_phase." + of, degrees_of(value), "deg");
}

std::string HarmonicQuantities::add_balance(double by_field, double by_terminals) {
  constexpr double doubtful = 1e-2;
  add("losses_by_terminals", by_terminals, "W");
  const double size = std::max(std::fabs(by_field), std::fabs(by_terminals));
  if (std::fabs(by_field - by_terminals) <= doubtful * size)
    return "";
  std::ostringstream note;
  note << std::setprecision(3) << "Energy balance: the losses are " << by_field
       << " W by the field, but the terminals supply " << by_terminals
       << " W. The second value is the more accurate one; refine the mesh, or lower solver.relative_tolerance.";
  return note.str();
}

void HarmonicQuantities::add_to(Results& results) const {
  for (const io::Finding& finding : quantities_.findings.list())
    results.findings.add(finding);
  results.failures.insert(results.failures.end(), quantities_.failures.begin(), quantities_.failures.end());
  results.notes.insert(results.notes.end(), quantities_.notes.begin(), quantities_.notes.end());
  if (problem_.frequencies.size() > 1)
    results.findings.add({"quantities", "", {}, {}, "", "", {}, "frequencies.csv", table_});
}

} // namespace tessera::driver
