// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_PATHS_PATH_QUANTITIES_HPP
#define TESSERA_DRIVER_EVALUATION_PATHS_PATH_QUANTITIES_HPP

/// \file
/// Quantities common to lines and surfaces.

#include "driver/results.hpp"
#include "io/input/physics_traits.hpp"
#include "physics/fields/extremes.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Average and extremes of the solution, or of the magnitude of a field.
struct AverageAndExtremes {
  double average = 0.;
  physics::Extremes extremes;
};

/// Whether lines, or surfaces, have a quantity: io::is_of_lines, io::is_of_surfaces.
using HasQuantity = bool (*)(io::PathQuantity);

/// Adds the quantities of a line or surface that apply to it and to its physics.
class PathAdder {
public:
  PathAdder(Results& results, const io::PhysicsTraits& traits, const std::string& name, int dimension, HasQuantity has)
      : results_(results), traits_(traits), name_(name), dimension_(dimension), has_(has) {}

  /// Adds a quantity if the physics and the kind of path have it.
  void operator()(io::PathQuantity quantity, double value, const io::Place& place = {});
  void average_and_extremes(const AverageAndExtremes& solution, const AverageAndExtremes& field,
                            const AverageAndExtremes& flux);

private:
  void add_three(const io::PathQuantity (&quantities)[3], const AverageAndExtremes& values);

  Results& results_;
  const io::PhysicsTraits& traits_;
  std::string name_;
  int dimension_;
  HasQuantity has_;
};

/// Adds the table of all lines or surfaces.
void add_path_table(Results& results, io::Physics physics, const std::string& name, const std::string& member,
                    const std::vector<std::string>& members, HasQuantity has);

} // namespace tessera::driver

#endif
