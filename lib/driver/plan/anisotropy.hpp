// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_ANISOTROPY_HPP
#define TESSERA_DRIVER_PLAN_ANISOTROPY_HPP

/// \file
/// Directional anisotropy of a problem's stiffness, before its mesh is made.

#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

namespace tessera::driver {

/// Fraction of the elements that are much stiffer in one direction than in another: stretched by more than 10 : 1, or
/// with an anisotropic coefficient of the same effect that does not compensate their shape. Samples some ten thousand
/// elements of the imported mesh, or some cells of a box; refinement into similar elements does not change it. Elements
/// of shells, whose coefficient is determined by the shell, are not counted. The same in every process and on every
/// backend.
double anisotropic_share(const io::Case& input, const io::ImportedMesh& imported);

} // namespace tessera::driver

#endif
