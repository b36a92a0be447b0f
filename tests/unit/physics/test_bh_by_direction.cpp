// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/parallel.hpp"
#include "physics/expressions/bh_by_direction.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <vector>

using namespace tessera::physics;

namespace {

/// Along and across the direction of rolling (both with permeabilities that fall), straight lines, and a curve with a
/// foot.
const std::vector<BhTable>& tables() {
  static const std::vector<BhTable> all{
      {{0., 0.}, {20., 1.2}, {40., 1.6}, {200., 1.8}, {1000., 1.9}, {1e4, 2.0}},
      {{0., 0.}, {60., 0.3}, {300., 1.1}, {1000., 1.3}, {5000., 1.5}, {3e4, 1.9}},
      {{0., 0.}, {1000., 0.5}},
      {{0., 0.}, {3000., 0.5}},
      {{0., 0.}, {40., 0.2}, {50., 0.5}, {90., 1.}, {370., 1.35}, {3500., 1.65}, {2e4, 1.93}}};
  return all;
}

BhCurves<tessera::HostMemory> curves() { return make_bh_curves(Kokkos::DefaultHostExecutionSpace(), tables()); }

DirectionalState at(const BhCurves<tessera::HostMemory>& all, int first, int second, double x, double y) {
  const double b[2] = {x, y};
  return state_by_direction(all, first, second, b);
}

constexpr double angles[] = {0.01, 0.3, 0.8, 1.2, 1.57, 2.5, 4.};
constexpr double sizes[] = {1e-160, 1e-6, 0.1, 0.5, 1., 1.5, 1.8, 2.2, 5.};

} // namespace

TEST_CASE("curves by direction are the given ones along their directions", "[physics][host]") {
  const auto all = curves();
  for (const double b : sizes) {
    INFO(b);
    for (int j = 0; j < 2; ++j) {
      const Reluctivity own = all.reluctivity(j, b * b);
      const DirectionalState state = at(all, 0, 1, j == 0 ? b : 0., j == 1 ? -b : 0.);
      CHECK(std::fabs(std::fabs(state.h[j]) - own.nu * b) <= 1e-10 * own.nu * b);
      CHECK(state.h[1 - j] == 0.);
      CHECK(std::fabs(state.energy - all.energy(j, b * b).energy) <= 1e-10 * state.energy);
      CHECK(std::fabs(state.t[2 * j] - (own.nu + 2. * b * b * own.derivative)) <= 1e-7 * state.t[2 * j]);
    }
  }
}

TEST_CASE("two equal curves by direction are the isotropic material", "[physics][host]") {
  const auto all = curves();
  for (const int c : {0, 1, 4})
    for (const double b : sizes)
      for (const double angle : angles) {
        INFO("curve " << c << ", " << b << " T at " << angle);
        const double x = b * std::cos(angle), y = b * std::sin(angle);
        const Reluctivity own = all.reluctivity(c, b * b);
        const DirectionalState state = at(all, c, c, x, y);
        CHECK(std::hypot(state.h[0] - own.nu * x, state.h[1] - own.nu * y) <= 1e-9 * own.nu * b);
        CHECK(std::fabs(state.energy - all.energy(c, b * b).energy) <= 1e-9 * state.energy);
        const double slope = 2. * own.derivative;
        const double size = own.nu + std::fabs(slope) * b * b;
        CHECK(std::fabs(state.t[0] - own.nu - slope * x * x) <= 1e-6 * size);
        CHECK(std::fabs(state.t[1] - slope * x * y) <= 1e-6 * size);
        CHECK(std::fabs(state.t[2] - own.nu - slope * y * y) <= 1e-6 * size);
      }
}

TEST_CASE("straight curves by direction are the tensor of both reluctivities", "[physics][host]") {
  const auto all = curves();
  for (const double angle : angles) { // within the tables
    const double x = 0.25 * std::cos(angle), y = 0.25 * std::sin(angle);
    const DirectionalState state = at(all, 2, 3, x, y);
    CHECK(std::fabs(state.h[0] - 2000. * x) <= 1e-9 * 500.);
    CHECK(std::fabs(state.h[1] - 6000. * y) <= 1e-9 * 1500.);
    CHECK(std::fabs(state.energy - 1000. * x * x - 3000. * y * y) <= 1e-9 * 180.);
    CHECK(std::fabs(state.t[1]) <= 1e-6 * 6000.);
  }
}

TEST_CASE("H of curves by direction is the gradient of the energy, and its derivative symmetric and positive",
          "[physics][host]") {
  const auto all = curves();
  for (const auto& pair : std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {0, 4}, {2, 1}})
    for (const double b : {0.1, 0.5, 1., 1.5, 1.8, 2.2, 5.})
      for (const double angle : angles) {
        INFO("curves " << pair.first << ", " << pair.second << "; " << b << " T at " << angle);
        const double x = b * std::cos(angle), y = b * std::sin(angle), d = 1e-5 * b;
        const auto state = [&](double dx, double dy) { return at(all, pair.first, pair.second, x + dx, y + dy); };
        const DirectionalState own = state(0., 0.);
        const double size = std::hypot(own.h[0], own.h[1]);
        CHECK(std::fabs((state(d, 0.).energy - state(-d, 0.).energy) / (2. * d) - own.h[0]) <= 1e-4 * size);
        CHECK(std::fabs((state(0., d).energy - state(0., -d).energy) / (2. * d) - own.h[1]) <= 1e-4 * size);
        const double trace = own.t[0] + own.t[2];
        CHECK(own.t[0] * own.t[2] > own.t[1] * own.t[1]);
        CHECK(trace > 0.);
        if (pair.second == 4) // where w is not convex, the matrix is another one
          continue;
        const DirectionalState right = state(d, 0.), left = state(-d, 0.), up = state(0., d), down = state(0., -d);
        CHECK(std::fabs((right.h[0] - left.h[0]) / (2. * d) - own.t[0]) <= 2e-3 * trace);
        CHECK(std::fabs((right.h[1] - left.h[1]) / (2. * d) - own.t[1]) <= 2e-3 * trace);
        CHECK(std::fabs((up.h[0] - down.h[0]) / (2. * d) - own.t[1]) <= 2e-3 * trace);
        CHECK(std::fabs((up.h[1] - down.h[1]) / (2. * d) - own.t[2]) <= 2e-3 * trace);
      }
}
