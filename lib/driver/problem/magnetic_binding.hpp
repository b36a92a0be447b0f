// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_MAGNETIC_BINDING_HPP
#define TESSERA_DRIVER_PROBLEM_MAGNETIC_BINDING_HPP

/// \file
/// The parts of the input's problem that only magnetostatics has.

#include "io/case.hpp"
#include "io/map_reader.hpp"
#include "physics/magnetic_problem.hpp"

namespace tessera::driver {

/// Permeability into the medium's region; remanence, B-H curve and shell into the problem's.
void set_magnetic_material(const io::Material& material, int region, physics::MagneticProblem& problem);

/// Coils on the regions of the mesh; a region that the mesh lacks is an error.
void set_coils(const std::vector<io::CoilInput>& coils, const std::vector<std::string>& region_names,
               physics::MagneticProblem& problem, io::InputErrors& errors);

} // namespace tessera::driver

#endif
