// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_TOUCHING_CONDUCTORS_HPP
#define TESSERA_DRIVER_PROBLEM_TOUCHING_CONDUCTORS_HPP

#include "driver/problem/problem_binding.hpp"
#include "io/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Where a capacitance matrix is asked for, refuses conductors of it that have a node of the mesh in common with each
/// other or with what else is fixed or floating: between them the field has no bound. An error of kind input names
/// both with their places in the input, and a point. Otherwise returns a note for each pair of which one floats: its
/// value depends on the mesh. A pass over the mesh.
std::vector<std::string> check_touching_conductors(const io::Case& input, const io::ImportedMesh& imported,
                                                   const ProblemBinding& binding);

} // namespace tessera::driver

#endif
