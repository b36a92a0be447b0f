// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_POLYNOMIAL_HPP
#define TESSERA_TESTS_SUPPORT_POLYNOMIAL_HPP

/// \file
/// Polynomials of x, y, z and t, to make problems with known solutions.

#include "physics/expressions/expression.hpp"

#include <array>
#include <map>
#include <random>
#include <sstream>

namespace tessera::test {

class Polynomial {
public:
  using Powers = std::array<int, 4>;

  Polynomial(double constant = 0.) { terms_[{0, 0, 0, 0}] = constant; }
  /// All monomials of total degree up to `degree` in the first `dim` variables, and in t with `of_time`, with
  /// coefficients in
  /// [-1, 1].
  static Polynomial random(int dim, int degree, unsigned seed, bool of_time = false) {
    Polynomial result;
    std::mt19937 random(seed);
    for (int i = 0; i <= degree; ++i)
      for (int j = 0; i + j <= degree; ++j)
        for (int k = 0; i + j + k <= (dim == 3 ? degree : i + j); ++k)
          for (int l = 0; i + j + k + l <= (of_time ? degree : i + j + k); ++l)
            result.terms_[{i, j, k, l}] = static_cast<double>(random()) / 2147483648. - 1.;
    return result;
  }
  Polynomial derivative(int d) const {
    Polynomial result;
    for (const auto& term : terms_)
      if (term.first[d] > 0) {
        Powers powers = term.first;
        --powers[d];
        result.terms_[powers] += term.first[d] * term.second;
      }
    return result;
  }
  friend Polynomial operator+(Polynomial a, const Polynomial& b) {
    for (const auto& term : b.terms_)
      a.terms_[term.first] += term.second;
    return a;
  }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    for (const auto& s : a.terms_)
      for (const auto& t : b.terms_)
        result.terms_[{s.first[0] + t.first[0], s.first[1] + t.first[1], s.first[2] + t.first[2],
                       s.first[3] + t.first[3]}] += s.second * t.second;
    return result;
  }
  physics::Expression expression() const {
    std::ostringstream text;
    text.precision(17);
    text << "0";
    for (const auto& term : terms_) {
      text << " + (" << term.second << ")";
      const char* names[] = {"x", "y", "z", "t"};
      for (int d = 0; d < 4; ++d)
        for (int k = 0; k < term.first[d]; ++k)
          text << " * " << names[d];
    }
    return physics::Expression::parse(text.str());
  }

private:
  std::map<Powers, double> terms_;
};

} // namespace tessera::test

#endif
