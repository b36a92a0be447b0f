// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/joint_quantities.hpp"

#include "driver/plan/quantity_list.hpp"

namespace tessera::driver {

void add_joint_quantities(const io::Case& input, const std::vector<physics::JointTotals>& totals, Results& results) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  auto total = totals.begin();
  for (const io::Boundary& boundary : input.problem.boundaries) {
    if (boundary.kind != io::BoundaryKind::joint)
      continue;
    const physics::JointTotals& joint = *total++;
    const std::string& name = boundary.group.name;
    if (wants(input, io::Quantity::charge)) {
      add_quantity(results, std::string(traits.total.name) + "." + name, joint.flow, traits.total.unit);
      add_quantity(results, std::string(traits.solution.name) + "_jump." + name, joint.mean_jump(),
                   traits.solution.unit);
      if (!joint.from.empty())
        results.notes.push_back("What flows through the joint '" + name + "' and its jump count from '" + joint.from +
                                "' to '" + joint.to + "'.");
    }
    if (wants(input, io::Quantity::energy))
      add_quantity(results, "joint_energy." + name, 0.5 * joint.losses, traits.energy.unit);
    if (wants(input, io::Quantity::losses))
      add_quantity(results, "joint_losses." + name, joint.losses, traits.losses.unit);
  }
}

} // namespace tessera::driver
