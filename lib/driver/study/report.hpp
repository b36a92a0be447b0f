// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_REPORT_HPP
#define TESSERA_DRIVER_STUDY_REPORT_HPP

/// \file
/// What a run writes and prints at its end.

#include "comm/communicator.hpp"
#include "core/timer.hpp"
#include "driver/plan/threads.hpp"
#include "driver/results.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "io/output/output_directory.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Versions of Tessera and Kokkos, for reports.
io::ReportNode versions();

/// Combines the phases of all processes: for each phase of this process the times and memory in those that have it,
/// too. Collective; a phase is identified by its name and place.
std::vector<ProcessTimes> gather_times(const comm::Communicator& world, const std::vector<Phase>& phases);

/// Adds what a run chose and how it went to its findings, section by section for report.yaml and the console: mesh,
/// discretization, assembly, phases, memory, solver, processes, checksums.
void describe_run(const io::Case& input, const io::ImportedMesh& imported, const ThreadChoice& threads,
                  const PhaseLog& log, Results& results);

/// Writes resolved.yaml, report.html if requested (errors in making it are added to the failures), then report.yaml
/// (docs/guide: what the report says), which lists all other files of the run and is written last: if it exists, the
/// run was complete. `earlier_files`: see OutputDirectory::files_of_earlier_runs. Returns the report, which is all that
/// happens if there is no folder.
io::ReportNode write_reports(const io::Case& input, Results& results, const io::OutputDirectory& output,
                             const std::vector<std::string>& earlier_files);

/// Prints sizes, solver, phases, quantities and notes.
void print_results(Results& results, const PhaseLog& log, io::Console& console);

} // namespace tessera::driver

#endif
