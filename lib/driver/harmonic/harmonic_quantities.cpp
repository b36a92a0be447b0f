// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_quantities.hpp"

#include "driver/plan/quantity_list.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace tessera::driver {

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

void HarmonicQuantities::begin(std::size_t frequency) {
  now_ = frequency;
  end_ = io::frequency_suffix(problem_, problem_.frequencies[now_]);
}

void HarmonicQuantities::add(const std::string& name, double value, const std::string& unit) {
  add_quantity(all_[now_].results, name + end_, value, unit);
  all_[now_].columns.push_back(io::column_name({name, value, unit}));
  all_[now_].values.push_back(io::number_text(value));
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

std::string HarmonicQuantities::add_balance(double by_field, double by_terminals, double apparent_power) {
  constexpr double doubtful = 1e-2;
  constexpr double rounding = 1e-6;
  add("losses_by_terminals", by_terminals, "W");
  const double size = std::max(std::fabs(by_field), std::fabs(by_terminals));
  if (std::fabs(by_field - by_terminals) <= std::max(doubtful * size, rounding * apparent_power))
    return "";
  std::ostringstream note;
  note << std::setprecision(3) << "Energy balance: the losses are " << by_field
       << " W by the field, but the terminals supply " << by_terminals
       << " W. The second value is the more accurate one; refine the mesh, or lower solver.relative_tolerance.";
  return note.str();
}

void HarmonicQuantities::add_to(Results& results) const {
  io::TextRows table{{"frequency [Hz]"}};
  table[0].insert(table[0].end(), all_.front().columns.begin(), all_.front().columns.end());
  for (const OfFrequency& of : all_) {
    for (const io::Finding& finding : of.results.findings.list())
      results.findings.add(finding);
    results.failures.insert(results.failures.end(), of.results.failures.begin(), of.results.failures.end());
    results.notes.insert(results.notes.end(), of.results.notes.begin(), of.results.notes.end());
  }
  std::vector<std::size_t> ascending(all_.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t(0));
  std::sort(ascending.begin(), ascending.end(),
            [&](std::size_t a, std::size_t b) { return problem_.frequencies[a] < problem_.frequencies[b]; });
  for (const std::size_t f : ascending) {
    table.push_back({io::number_text(problem_.frequencies[f])});
    table.back().insert(table.back().end(), all_[f].values.begin(), all_[f].values.end());
  }
  if (all_.size() > 1)
    results.findings.add({"quantities", "", {}, {}, "", "", {}, "frequencies.csv", table});
}

} // namespace tessera::driver
