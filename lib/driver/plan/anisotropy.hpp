// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_ANISOTROPY_HPP
#define TESSERA_DRIVER_PLAN_ANISOTROPY_HPP

/// \file
/// How much the stiffness of a problem depends on direction, before its mesh is made.

#include "io/case.hpp"
#include "io/imported_mesh.hpp"

namespace tessera::driver {

/// Share of the elements that are much stiffer in one direction than in another: stretched by more than 10 : 1, or with
/// an anisotropic coefficient that does as much and does not compensate their shape. Looks at some ten thousand
/// elements of the imported mesh, of a box at some of its cells; refinement into similar elements changes nothing of
/// it. Elements of shells, whose coefficient the shell determines, do not count. The same in every process and on every
/// backend.
double anisotropic_share(const io::Case& input, const io::ImportedMesh& imported);

} // namespace tessera::driver

#endif
