// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_ADVICE_TOUCHING_CONDUCTORS_HPP
#define TESSERA_DRIVER_ADVICE_TOUCHING_CONDUCTORS_HPP

#include "driver/problem/binding/problem_binding.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// If a capacitance matrix is requested, refuses conductors of it that share a node of the mesh with each other or with
/// another fixed or floating group, since the field between them is unbounded. Throws an error of kind input that
/// states both with their places in the input, and a point. Otherwise returns a note for each pair with a floating
/// conductor: its value depends on the mesh. One pass over the mesh.
std::vector<std::string> check_touching_conductors(const io::Case& input, const io::ImportedMesh& imported,
                                                   const ProblemBinding& binding);

} // namespace tessera::driver

#endif
