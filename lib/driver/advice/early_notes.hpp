// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_ADVICE_EARLY_NOTES_HPP
#define TESSERA_DRIVER_ADVICE_EARLY_NOTES_HPP

/// \file
/// Notes that need no field, common to runs and dry runs.

#include "driver/plan/plan.hpp"
#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Notes from the input: its own, and those on quantities.
std::vector<std::string> notes_of_input(const io::Case& input);

/// Notes from input and groups: conditions on the axis, shells with elements of order 1. `imported`: for a box its
/// dimension suffices.
std::vector<std::string> notes_of_groups(const io::Case& input, const io::ImportedMesh& imported);

/// Notes on keys without effect for the choices made, and on effects of the number of processes.
std::vector<std::string> notes_of_plan(const io::Case& input, const Plan& plan, int n_processes);

} // namespace tessera::driver

#endif
