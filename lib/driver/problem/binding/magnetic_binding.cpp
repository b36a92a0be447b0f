// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/binding/magnetic_binding.hpp"

#include "driver/problem/binding/input_values.hpp"

namespace tessera::driver {

void set_magnetic_material(const io::Material& material, int region, physics::MagneticProblem& problem) {
  physics::RegionData& medium = problem.medium.regions[region];
  medium.coefficient.assign(2, physics::Expression(material.relative_permeability));
  medium.coefficient_factor = physics::vacuum_permeability;
  physics::MagneticRegion& data = problem.regions[region];
  if (!material.bh_curve.empty()) {
    data.curve = static_cast<int>(problem.curves.size());
    problem.curves.push_back(material.bh_curve);
  }
  if (material.magnet) {
    const double size = material.magnet->flux_density(material.relative_permeability);
    if (material.magnet->has_constant_direction()) {
      const std::array<double, 2> direction = material.magnet->unit_direction();
      data.remanence = {size * direction[0], size * direction[1]};
    } else {
      data.remanence_size = size;
      for (const io::Scalar& component : material.magnet->direction)
        data.direction.push_back(to_expression(component));
    }
  }
  if (material.shell) {
    data.is_shell = true;
    data.center = {material.shell->center[0], material.shell->center[1]};
    data.inner_radius = material.shell->inner_radius;
    data.outer_radius = material.shell->outer_radius;
  }
}

void set_coils(const std::vector<io::CoilInput>& coils, const std::vector<std::string>& region_names,
               physics::MagneticProblem& problem, io::InputErrors& errors) {
  for (const io::CoilInput& entry : coils) {
    physics::Coil coil;
    coil.name = entry.name.name;
    coil.where = entry.name.where.text();
    coil.turns = entry.turns;
    coil.current = entry.current;
    coil.direction.assign(region_names.size(), 0.);
    for (const io::CoilSide& side : entry.sides) {
      const int region = region_of(side.region, region_names, "a coil is given for", errors);
      if (region >= 0)
        coil.direction[region] = side.sign;
    }
    problem.coils.push_back(coil);
  }
}

} // namespace tessera::driver
