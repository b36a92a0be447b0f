// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_ADVICE_CHECKS_HPP
#define TESSERA_DRIVER_ADVICE_CHECKS_HPP

/// \file
/// Checks of a case before it runs, common to runs and dry runs: each adds notes for the report and the end of the
/// console's output, or throws an error for the user. checks.cpp has their list.

#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

struct Context;
struct Plan;
struct ProblemBinding;

/// What is known about a run.
struct Facts {
  const io::Case& input;
  int n_processes = 1;
  bool writes = true;                     ///< the output directory
  const io::ImportedMesh* mesh = nullptr; ///< of a box only its dimension
  const ProblemBinding* binding = nullptr;
  const Plan* plan = nullptr;
};

using Notes = std::vector<std::string>;

/// What a check needs, in the order in which a run learns it.
enum class Known { input, mesh, binding, plan };

/// Runs the checks that need this, and nothing that is known later, in the order of the list.
void run_checks(Known known, const Facts& facts, Notes& notes);

/// Notes requested quantities whose names are misleading in this problem: a capacitance with charges that are not on
/// conductors, an inductance with other sources of the field, probes and regions in shells, energies around point and
/// line sources.
void quantity_notes(const Facts& facts, Notes& notes);

/// Notes a number of threads that none of the backends uses.
void note_idle_threads(const io::Case& input, const std::vector<std::string>& backends, Notes& notes);

/// If a capacitance matrix is requested, refuses conductors of it that share a node of the mesh with each other or with
/// another fixed or floating group, since the field between them is unbounded. Throws an error of kind input that
/// states both with their places in the input, and a point. Otherwise adds a note for each pair with a floating
/// conductor: its value depends on the mesh. One pass over the mesh.
void check_touching_conductors(const Facts& facts, Notes& notes);

/// Notes boundaries with facets on the axis of axisymmetric problems: a fixed or floating value there is that of a wire
/// without thickness, to which nothing flows in the limit of fine meshes, and a flux has no area to pass. None for
/// magnetostatics, where A = 0 on the axis. The mesh of a box must be one of its cells.
void axis_notes(const Facts& facts, Notes& notes);

/// Notes shells in 3D with elements of order 1: the tensor there grows with the inverse square of the distance to the
/// outer sphere, which straight sides miss by their sagitta. Without a mesh the dimension is that of the input.
void linear_shell_notes(const Facts& facts, Notes& notes);

/// Notes gaps, between the bodies of forces and torques and other regions, boundaries with conditions or the exterior
/// boundary, that are spanned by one or two layers of long elements, with edges longer than five times the width of the
/// gap. Forces across such gaps may be wrong by tens of per cent, which finer elements on one side only do not cure. A
/// note states both sides, the width, and a remedy. There are none for boxes and with mesh.adapt.
void gap_notes(const Facts& facts, Notes& notes);

/// Searches for parts of the mesh in which nothing fixes the solution: parts are connected by common nodes, floating
/// conductors and periodic boundaries (all parts that touch either side count as connected); fixed values, the axis in
/// axisymmetric magnetostatics, Robin, asymptotic and antiperiodic conditions fix the solution. In a loose part the
/// solution is determined up to a constant, if its sources add up to zero. Without any source the field is zero there:
/// adds a note. With a source throws an error that begins with the place of the boundaries in the input. A few passes
/// over the mesh.
void check_loose_parts(const Facts& facts, Notes& notes);

/// Whether there may be such parts: boxes, made on the device, are connected, and transport and reaction fix the
/// solution.
bool may_have_loose_parts(const io::Case& input);

/// check_loose_parts() as a phase of a run, where it makes sense.
void check_parts(const Facts& facts, Context& context);

/// Notes keys without effect for the choices made, and effects of the number of processes.
void plan_notes(const Facts& facts, Notes& notes);

} // namespace tessera::driver

#endif
