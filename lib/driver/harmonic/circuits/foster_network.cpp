// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/circuits/foster_network.hpp"

#include "io/input/case.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

namespace tessera::driver {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.); }

void subtract(const Vector& from, double factor, Vector& to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] -= factor * from[i];
}

/// Least squares for some columns of a matrix, by Gram-Schmidt, twice.
Vector least_squares(const std::vector<Vector>& columns, const std::vector<std::size_t>& chosen, const Vector& b) {
  const std::size_t n = chosen.size();
  std::vector<Vector> q;
  std::vector<Vector> r(n, Vector(n, 0.));
  for (std::size_t j = 0; j < n; ++j) {
    Vector v = columns[chosen[j]];
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < j; ++i) {
        const double along = dot(q[i], v);
        r[i][j] += along;
        subtract(q[i], along, v);
      }
    r[j][j] = std::sqrt(dot(v, v));
    for (double& entry : v)
      entry = r[j][j] > 0. ? entry / r[j][j] : 0.;
    q.push_back(v);
  }
  Vector x(n, 0.);
  for (std::size_t j = n; j-- > 0;) {
    double sum = dot(q[j], b);
    for (std::size_t i = j + 1; i < n; ++i)
      sum -= r[j][i] * x[i];
    x[j] = r[j][j] > 0. ? sum / r[j][j] : 0.;
  }
  return x;
}

/// Least squares with x >= 0 (C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23); columns of
/// length 1.
Vector non_negative_least_squares(const std::vector<Vector>& columns, const Vector& b) {
  constexpr double small = 1e-12; // of a gradient, relative to b
  Vector x(columns.size(), 0.);
  std::vector<std::size_t> chosen;
  const double tolerance = small * std::sqrt(dot(b, b));
  for (std::size_t round = 0; round < 3 * columns.size(); ++round) {
    Vector residual = b;
    for (const std::size_t j : chosen)
      subtract(columns[j], x[j], residual);
    std::size_t best = columns.size();
    double steepest = tolerance;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double gradient = dot(columns[j], residual);
      if (std::find(chosen.begin(), chosen.end(), j) == chosen.end() && gradient > steepest) {
        best = j;
        steepest = gradient;
      }
    }
    if (best == columns.size())
      break;
    chosen.push_back(best);
    while (!chosen.empty()) {
      const Vector target = least_squares(columns, chosen, b);
      double step = 1.;
      for (std::size_t i = 0; i < chosen.size(); ++i)
        if (target[i] <= 0.)
          step = std::min(step, x[chosen[i]] / (x[chosen[i]] - target[i] + (x[chosen[i]] == target[i] ? 1. : 0.)));
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const bool leaves = target[i] <= 0. && x[chosen[i]] + step * (target[i] - x[chosen[i]]) <= 1e-15;
        x[chosen[i]] = leaves ? 0. : x[chosen[i]] + step * (target[i] - x[chosen[i]]);
        if (!leaves)
          kept.push_back(chosen[i]);
      }
      const bool is_done = kept.size() == chosen.size() && step == 1.;
      chosen = kept;
      if (is_done)
        break;
    }
  }
  return x;
}

} // namespace

std::complex<double> FosterNetwork::impedance(double omega) const {
  std::complex<double> sum(resistance, omega * inductance);
  for (const Pair& pair : pairs) {
    const std::complex<double> reactance(0., omega * pair.inductance);
    sum += pair.resistance * reactance / (pair.resistance + reactance);
  }
  return sum;
}

FosterNetwork foster_network(const std::vector<double>& omegas, const std::vector<std::complex<double>>& impedances) {
  constexpr double per_decade = 10.;
  constexpr double beyond = 10.;      // the range of the corner frequencies, as a factor of that of the frequencies
  constexpr double negligible = 1e-6; // part of an impedance
  const auto [least, largest] = std::minmax_element(omegas.begin(), omegas.end());
  const double first = *least / beyond;
  const auto n_corners = static_cast<int>(std::ceil(per_decade * std::log10(*largest * beyond / first))) + 1;
  std::vector<FosterNetwork> units(2); // a network with one of the elements
  units[0].resistance = 1.;
  units[1].inductance = 1. / *largest;
  for (int k = 0; k < n_corners; ++k) {
    units.emplace_back();
    units.back().pairs.push_back({1., 1. / (first * std::pow(10., k / per_decade))});
  }
  Vector b;
  std::vector<Vector> columns(units.size());
  for (std::size_t i = 0; i < omegas.size(); ++i)
    for (const bool is_real : {true, false}) {
      const auto part = [&](const std::complex<double>& z) { return is_real ? z.real() : z.imag(); };
      const double size = std::max(std::fabs(part(impedances[i])), negligible * std::abs(impedances[i]));
      b.push_back(part(impedances[i]) / size);
      for (std::size_t j = 0; j < units.size(); ++j)
        columns[j].push_back(part(units[j].impedance(omegas[i])) / size);
    }
  Vector lengths;
  for (Vector& column : columns) {
    lengths.push_back(std::sqrt(dot(column, column)));
    for (double& entry : column)
      entry /= lengths.back();
  }
  const Vector x = non_negative_least_squares(columns, b);
  FosterNetwork network;
  for (std::size_t j = 0; j < units.size(); ++j) {
    const double factor = x[j] / lengths[j];
    network.resistance += factor * units[j].resistance;
    network.inductance += factor * units[j].inductance;
    if (factor > 0. && !units[j].pairs.empty())
      network.pairs.push_back({factor, factor * units[j].pairs[0].inductance});
  }
  return network;
}

std::vector<std::string> subcircuit(const std::string& name, const FosterNetwork& network) {
  std::string plain = name;
  for (char& c : plain)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0)
      c = '_';
  std::vector<std::string> lines{".subckt " + plain + " a b"};
  struct Element {
    std::string name;
    double value;
    bool ends; // at the next node; otherwise the following element is parallel to it
  };
  std::vector<Element> elements;
  if (network.resistance > 0.)
    elements.push_back({"R0", network.resistance, true});
  if (network.inductance > 0.)
    elements.push_back({"L0", network.inductance, true});
  for (std::size_t k = 0; k < network.pairs.size(); ++k) {
    elements.push_back({"R" + std::to_string(k + 1), network.pairs[k].resistance, false});
    elements.push_back({"L" + std::to_string(k + 1), network.pairs[k].inductance, true});
  }
  int node = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool is_last = i + 1 == elements.size() || (!elements[i].ends && i + 2 == elements.size());
    const std::string from = node == 0 ? "a" : "n" + std::to_string(node);
    const std::string to = is_last ? "b" : "n" + std::to_string(node + 1);
    lines.push_back(elements[i].name + " " + from + " " + to + " " + io::number_text(elements[i].value));
    node += elements[i].ends ? 1 : 0;
  }
  lines.push_back(".ends");
  return lines;
}

} // namespace tessera::driver
