// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/solution/kept_run.hpp"

#include "io/input/resolved.hpp"

namespace tessera::driver {

namespace {

/// The input without what has no influence on the solution.
io::Case core_of(const io::Case& input) {
  io::Case core = input;
  core.title.clear();
  core.output = {};
  core.verification = {};
  return core;
}

} // namespace

const char* to_string(Reuse reuse) {
  constexpr const char* names[] = {"nothing", "mesh", "pattern", "matrix"};
  return names[static_cast<int>(reuse)];
}

std::string mesh_signature(const io::Case& input) {
  io::Case core = core_of(input);
  core.problem = {};
  core.problem.physics = input.problem.physics;
  for (const io::Boundary& boundary : input.problem.boundaries) // the elements of their sides match
    if (io::is_periodic(boundary)) {
      core.problem.boundaries.push_back(boundary);
      core.problem.boundaries.back().total = 0.;
    } else if (boundary.kind == io::BoundaryKind::joint) { // has its nodes twice
      core.problem.boundaries.push_back(boundary);
      core.problem.boundaries.back().joint = {};
    }
  core.assembly = {};
  core.solver = {};
  return io::resolved_text(core);
}

std::string matrix_signature(const io::Case& input) {
  io::Case core = core_of(input);
  for (io::Boundary& boundary : core.problem.boundaries) {
    boundary.total = 0.;
    if (boundary.kind == io::BoundaryKind::value)
      boundary.value = {};
  }
  for (io::CoilInput& coil : core.problem.coils)
    coil.current = 0.;
  for (io::PointSourceInput& source : core.problem.point_sources) {
    source.at = {};
    source.strength = 0.;
  }
  for (io::LineSourceInput& source : core.problem.line_sources) {
    source.from = {};
    source.to = {};
    source.density = 0.;
  }
  return io::resolved_text(core);
}

Reuse reusable(const io::Case& first, const io::Case& second) {
  if (mesh_signature(first) != mesh_signature(second))
    return Reuse::nothing;
  if (matrix_signature(first) == matrix_signature(second))
    return Reuse::matrix;
  io::Case other = core_of(second);
  other.problem = first.problem;
  return io::resolved_text(core_of(first)) == io::resolved_text(other) ? Reuse::pattern : Reuse::mesh;
}

} // namespace tessera::driver
