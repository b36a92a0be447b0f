// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_EARLY_NOTES_HPP
#define TESSERA_DRIVER_STUDY_EARLY_NOTES_HPP

/// \file
/// Notes that need no field: runs and dry runs tell the same.

#include "driver/plan/plan.hpp"
#include "io/case.hpp"
#include "io/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// What the input alone tells: its own notes, and those on quantities.
std::vector<std::string> notes_of_input(const io::Case& input);

/// What input and groups tell: conditions on the axis, shells with elements of order 1. `imported`: of a box its
/// dimension will do.
std::vector<std::string> notes_of_groups(const io::Case& input, const io::ImportedMesh& imported);

/// Keys that have no effect with what was chosen, and what the number of processes changes.
std::vector<std::string> notes_of_plan(const io::Case& input, const Plan& plan, int n_processes);

} // namespace tessera::driver

#endif
