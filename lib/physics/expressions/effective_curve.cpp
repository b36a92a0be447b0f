// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/effective_curve.hpp"

#include "core/constants.hpp"
#include "physics/expressions/bh_curve.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::physics {

namespace {

/// H(B) and its inverse.
class CurveOnHost {
public:
  explicit CurveOnHost(const BhTable& table) : pieces_(make_bh_pieces(table)) {}

  double strength(double b) const {
    const BhPiece& piece = last_below(b, [](double value, const BhPiece& p) { return value < p.b; });
    return strength(piece, b - piece.b);
  }

  double density(double h) const {
    const BhPiece& piece = last_below(h, [](double value, const BhPiece& p) { return value < p.h; });
    double low = 0.;
    double high = &piece == &pieces_.back() ? 2. * (h - piece.h) / piece.c1 : (&piece + 1)->b - piece.b;
    double t = 0.5 * (low + high);
    for (int i = 0; i < 100; ++i) { // Newton's method, within a bracket
      const double excess = strength(piece, t) - h;
      (excess < 0. ? low : high) = t;
      double next = t - excess / (piece.c1 + t * (2. * piece.c2 + t * 3. * piece.c3));
      if (!(next >= low && next <= high))
        next = 0.5 * (low + high);
      if (std::fabs(next - t) <= 1e-15 * (piece.b + t))
        break;
      t = next;
    }
    return piece.b + t;
  }

private:
  static double strength(const BhPiece& piece, double t) {
    return piece.h + t * (piece.c1 + t * (piece.c2 + t * piece.c3));
  }
  template <class Below> const BhPiece& last_below(double value, const Below& below) const {
    return *(std::upper_bound(pieces_.begin() + 1, pieces_.end(), value, below) - 1);
  }

  std::vector<BhPiece> pieces_;
};

/// First harmonic of f(amplitude sin t), by the midpoint rule for a quarter of a period: exact for a linear f.
template <class Function> double first_harmonic(double amplitude, const Function& f) {
  constexpr int n = 256;
  double sum = 0.;
  for (int i = 0; i < n; ++i) {
    const double sine = std::sin((i + 0.5) * pi / (2 * n));
    sum += f(amplitude * sine) * sine;
  }
  return 2. * sum / n;
}

} // namespace

BhTable effective_curve(const BhTable& curve, Sinusoid sinusoid) {
  constexpr int per_interval = 8;
  constexpr double beyond = 4.; // times the last B
  constexpr double growth = 1.1;
  constexpr double largest_density = 99.; // T, below what tables may have
  std::vector<double> densities{0.};
  for (std::size_t k = 1; k < curve.size(); ++k)
    for (int i = 1; i <= per_interval; ++i)
      densities.push_back(curve[k - 1][1] + (curve[k][1] - curve[k - 1][1]) * i / per_interval);
  const double last = std::min(beyond * densities.back(), largest_density);
  while (growth * densities.back() < last)
    densities.push_back(growth * densities.back());
  const CurveOnHost exact(curve);
  BhTable table;
  for (const double b : densities) {
    const double h = exact.strength(b);
    if (sinusoid == Sinusoid::density)
      table.push_back({first_harmonic(b, [&](double value) { return exact.strength(value); }), b});
    else
      table.push_back({h, first_harmonic(h, [&](double value) { return exact.density(value); })});
  }
  return table;
}

double largest_permeability(const BhTable& curve) {
  double largest = 1.;
  for (std::size_t k = 1; k < curve.size(); ++k)
    largest = std::max(largest, curve[k][1] / (vacuum_permeability * curve[k][0]));
  return largest;
}

} // namespace tessera::physics
