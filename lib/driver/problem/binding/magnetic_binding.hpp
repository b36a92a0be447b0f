// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BINDING_MAGNETIC_BINDING_HPP
#define TESSERA_DRIVER_PROBLEM_BINDING_MAGNETIC_BINDING_HPP

/// \file
/// Binds the parts of the input that only magnetostatics has.

#include "io/input/case.hpp"
#include "io/input/map_reader.hpp"
#include "physics/forms/magnetic_problem.hpp"

namespace tessera::driver {

/// Sets the permeability of the medium's region, and remanence, B-H curve and shell of the problem's region.
void set_magnetic_material(const io::Material& material, int region, physics::MagneticProblem& problem);

/// Sets the coils on the regions of the mesh; reports an error for a region that the mesh lacks.
void set_coils(const std::vector<io::CoilInput>& coils, const std::vector<std::string>& region_names,
               physics::MagneticProblem& problem, io::InputErrors& errors);

} // namespace tessera::driver

#endif
