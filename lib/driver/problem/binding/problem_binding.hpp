// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BINDING_PROBLEM_BINDING_HPP
#define TESSERA_DRIVER_PROBLEM_BINDING_PROBLEM_BINDING_HPP

/// \file
/// Binds the input's problem to the groups of a mesh.

#include "fe/dofs/dof_map.hpp"
#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "physics/boundaries/joints.hpp"
#include "physics/fields/body_weights.hpp"
#include "physics/forms/magnetic_problem.hpp"

#include <optional>

namespace tessera::driver {

/// A constraint of the input: a conductor in electrostatics.
struct Conductor {
  std::string name;
  io::Location where;
  bool is_floating = false;
  double value = 0.; ///< of a constant potential
};

/// A body of the input for which a force is requested.
struct BoundBody {
  std::string name;
  physics::BodyGroups groups;
  std::array<double, 3> about{}; ///< m
  std::string where;
};

/// Groups to integrate over.
struct BoundSurface {
  std::vector<int> boundaries; ///< indices of the mesh's groups
  int from = -1;               ///< region that positive flux leaves; -1: not given
};

/// The problem of a case in terms of the indices of a mesh: regions, boundaries and conductors instead of names.
struct ProblemBinding {
  physics::DiffusionProblem problem; ///< unused in magnetostatics
  std::optional<physics::MagneticProblem> magnetic;
  /// The common part: materials, sources and natural conditions.
  const physics::DiffusionProblem& medium() const { return magnetic ? magnetic->medium : problem; }
  physics::DiffusionProblem& medium() { return magnetic ? magnetic->medium : problem; }

  /// Of two physics on one mesh: the t of coefficients stands for the temperature of the other problem.
  bool has_given_temperature = false;
  bool takes_losses = false; ///< those of the other problem are added to the sources
  bool needs_axis = false;   ///< only the axis fixes the solution, and the mesh must reach it
  std::vector<fe::Constraint> constraints;
  std::vector<physics::Expression> fixed_values; ///< one per constraint
  std::vector<std::string> constraint_names;     ///< one per constraint
  std::vector<Conductor> conductors;             ///< one per constraint
  std::vector<fe::PeriodicPair> periodic;
  /// By pair: what the solution at its group exceeds that at its partner by. Empty: all zero.
  std::vector<double> jumps;
  bool is_pinned = false; ///< only differences are determined: one node of the first pair with a jump gets the value 0
  std::vector<physics::Joint> joints;
  std::vector<BoundBody> bodies;
  std::vector<BoundSurface> surfaces;     ///< in the order of the input
  std::vector<bool> condition_boundaries; ///< [n_boundaries]: boundaries with a condition in the input
};

/// Whether two problems on a mesh have the same unknowns, natural conditions on the same groups, with any values,
/// the same point sources and the same joints.
bool have_same_structure(const ProblemBinding& a, const ProblemBinding& b);

/// The joint on a boundary group of the mesh.
physics::Joint to_joint(const io::Boundary& boundary, io::Physics physics, group_t group);

/// Binds materials, sources and boundaries to the groups of the imported mesh, or to those of a box, before a mesh is
/// made or transferred. Throws one error that lists all problems with file and line, and the groups of the mesh:
/// missing groups, regions without material, a problem in which nothing fixes the solution, entries whose dimension
/// differs from the mesh's, and conditions on interfaces that are only allowed on the exterior boundary
/// (check_outer_conditions).
ProblemBinding bind_problem(const io::Case& input, const io::ImportedMesh& imported);

} // namespace tessera::driver

#endif
