// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_JOINT_HPP
#define TESSERA_PHYSICS_FORMS_JOINT_HPP

/// \file
/// Joints: interfaces with a resistance, at which the solution jumps.

#include "core/types.hpp"

#include <string>

namespace tessera::physics {

struct Joint {
  std::string name;
  std::string where; ///< place in the input, for messages
  group_t group = 0;
  double conductance = 0.; ///< g, flux per jump
};

/// What passes a joint, from the region whose name comes first in the alphabet to the other one.
struct JointTotals {
  double flow = 0.;   ///< integral of g [u]
  double losses = 0.; ///< integral of g [u]^2
  double area = 0.;   ///< with the weight of integrals
  double conductance = 0.;
  std::string from; ///< regions; empty if the joint lies between several pairs of regions
  std::string to;
  double mean_jump() const { return flow / (conductance * area); }
};

} // namespace tessera::physics

#endif
