// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_LOOSE_PARTS_HPP
#define TESSERA_DRIVER_PROBLEM_LOOSE_PARTS_HPP

/// \file
/// Parts of a mesh in which nothing fixes the solution.

#include "driver/context.hpp"
#include "driver/problem/problem_binding.hpp"
#include "io/imported_mesh.hpp"

#include <string>

namespace tessera::driver {

/// Looks for parts of the mesh in which nothing fixes the solution: parts are joined by common nodes, floating
/// conductors and periodic boundaries (all parts that touch either side count as joined); fixed values, the axis of
/// axisymmetric magnetostatics, Robin, asymptotic and antiperiodic conditions fix. In a loose part the solution is
/// determined up to a constant, if its sources add up to zero. Without any source the field is zero there: returned as
/// a note ("" if there is no such part). With one it is an error that begins with the place of the boundaries in the
/// input. A few passes over the mesh.
std::string check_loose_parts(const io::ImportedMesh& mesh, const ProblemBinding& binding, const io::Case& input);

/// The same as a phase of a run, for a mesh that was read; the note joins those of the context.
void check_parts(const io::ImportedMesh& mesh, const ProblemBinding& binding, Context& context);

} // namespace tessera::driver

#endif
