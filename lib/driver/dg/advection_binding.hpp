// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_ADVECTION_BINDING_HPP
#define TESSERA_DRIVER_DG_ADVECTION_BINDING_HPP

#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "physics/forms/advection_diffusion_reaction.hpp"

namespace tessera::driver {

/// Binds materials, sources and boundaries of a dg problem to the groups of the imported mesh, or to those of a box;
/// bind_problem() has checked them. Electrostatics and diffusion are the case without advection and reaction. Throws an
/// error of kind input for a condition on a region, which only continuous elements support.
physics::AdvectionDiffusionReaction bind_advection(const io::Case& input, const io::ImportedMesh& imported);

} // namespace tessera::driver

#endif
