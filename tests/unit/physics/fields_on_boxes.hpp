// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_PHYSICS_FIELDS_ON_BOXES_HPP
#define TESSERA_TESTS_UNIT_PHYSICS_FIELDS_ON_BOXES_HPP

/// \file
/// Given fields at the nodes of a box, for tests of recovery and of error estimates.

#include "physics/forms/diffusion_problem.hpp"
#include "support/spaces.hpp"

#include <array>
#include <functional>
#include <vector>

namespace tessera::test {

using Point = std::array<double, 3>;
using Field = std::function<double(const Point&)>;

template <int Dim, class ExecutionSpace, class Space>
std::vector<double> values_at_nodes(const ExecutionSpace& exec, const Space& space, const Field& field) {
  const auto x = to_host(exec, space.coordinates);
  std::vector<double> values;
  for (index_t n = 0; n < space.n_nodes(); ++n) {
    Point at{};
    for (int d = 0; d < Dim; ++d)
      at[static_cast<std::size_t>(d)] = x(n, d);
    values.push_back(field(at));
  }
  return values;
}

/// Isotropic materials, one for each region.
inline void add_regions(physics::DiffusionProblem& problem, int dimension,
                        const std::vector<physics::Expression>& coefficients,
                        const physics::Expression& source = physics::Expression(0.)) {
  for (const physics::Expression& coefficient : coefficients) {
    physics::RegionData data;
    data.coefficient.assign(static_cast<std::size_t>(dimension), coefficient);
    data.source = source;
    problem.regions.push_back(data);
  }
}

} // namespace tessera::test

#endif
