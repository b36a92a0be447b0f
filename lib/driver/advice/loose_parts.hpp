// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_ADVICE_LOOSE_PARTS_HPP
#define TESSERA_DRIVER_ADVICE_LOOSE_PARTS_HPP

/// \file
/// Parts of a mesh in which nothing determines the solution.

#include "driver/context.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>

namespace tessera::driver {

/// Searches for parts of the mesh in which nothing fixes the solution: parts are connected by common nodes, floating
/// conductors and periodic boundaries (all parts that touch either side count as connected); fixed values, the axis in
/// axisymmetric magnetostatics, Robin, asymptotic and antiperiodic conditions fix the solution. In a loose part the
/// solution is determined up to a constant, if its sources add up to zero. Without any source the field is zero there:
/// returns a note ("" if there is no such part). With a source throws an error that begins with the place of the
/// boundaries in the input. A few passes over the mesh.
std::string check_loose_parts(const io::ImportedMesh& mesh, const ProblemBinding& binding, const io::Case& input);

/// The same as a phase of a run, for a mesh that was read; the note is added to those of the context.
void check_parts(const io::ImportedMesh& mesh, const ProblemBinding& binding, Context& context);

} // namespace tessera::driver

#endif
