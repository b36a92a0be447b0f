// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/boundaries/enclosures.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::test {

TEST_CASE("Grey surfaces exchange what the formula of two shells says", "[physics]") {
  const double ratio = 0.4; // of the areas
  for (const double inside : {1., 0.8, 0.01})
    for (const double outside : {1., 0.3, 0.02}) {
      // The outer shell in two halves.
      const physics::GreyEnclosure shells({ratio, 0.5, 0.5}, {inside, outside, outside},
                                          {0., 0.5, 0.5, ratio, 0.25, 0.75 - ratio, ratio, 0.75 - ratio, 0.25}, 0.);
      const std::vector<double> black{10., 1., 1.};
      const std::vector<double> arriving = shells.irradiation(black);
      const double flow = ratio * inside * (black[0] - arriving[0]);
      CHECK(std::fabs(flow - ratio * 9. / (1. / inside + (1. / outside - 1.) * ratio)) < 1e-12);
      CHECK(std::fabs(flow - outside * (arriving[1] - black[1])) < 1e-12); // nothing is lost
      CHECK(std::fabs(arriving[1] - arriving[2]) < 1e-12);
    }
}

TEST_CASE("Surroundings fill the gaps of an enclosure", "[physics]") {
  const physics::GreyEnclosure open({1., 1.}, {0.5, 1.}, {0., 0.25, 0.25, 0.}, 7.);
  CHECK(open.open() == std::vector<double>{0.75, 0.75});
  const std::vector<double> arriving = open.irradiation({3., 11.});
  // H1 = 11/4 + 7 * 3/4, H2 = (3/2 + H1/2)/4 + 7 * 3/4
  CHECK(std::fabs(arriving[0] - 8.) < 1e-12);
  CHECK(std::fabs(arriving[1] - 6.625) < 1e-12);
  // Where all have the temperature of the surroundings nothing flows.
  for (const double value : open.irradiation({7., 7.}))
    CHECK(std::fabs(value - 7.) < 1e-12);
}

} // namespace tessera::test
