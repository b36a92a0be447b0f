// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_ADVICE_AXIS_NOTES_HPP
#define TESSERA_DRIVER_ADVICE_AXIS_NOTES_HPP

/// \file
/// Conditions on the axis of axisymmetric problems.

#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Notes on boundaries with facets on the axis: a fixed or floating value there is that of a wire without thickness, to
/// which nothing flows in the limit of fine meshes, and a flux has no area to pass. None for magnetostatics, where A =
/// 0 on the axis. `mesh`: for a box one cell suffices.
std::vector<std::string> axis_notes(const io::Case& input, const io::ImportedMesh& mesh);

} // namespace tessera::driver

#endif
