// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_CONSOLE_REPORT_HPP
#define TESSERA_DRIVER_STUDY_CONSOLE_REPORT_HPP

/// \file
/// What a run prints: before it starts, what it chose; at its end, sizes, solver, phases, quantities and notes.

#include "core/timer.hpp"
#include "driver/plan/plan.hpp"
#include "driver/results.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "io/output/console.hpp"

#include <string>

namespace tessera::driver {

void print_machine(const io::Case& input, const std::string& device, io::Console& console);
/// Strategy, preconditioner and memory, after print_machine().
void print_plan(const io::Case& input, const Plan& plan, const std::string& device, io::Console& console);
void print_results(const io::Case& input, const io::ImportedMesh& imported, const Results& results, const PhaseLog& log,
                   io::Console& console);

} // namespace tessera::driver

#endif
