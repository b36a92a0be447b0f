// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_REPORT_HPP
#define TESSERA_DRIVER_STUDY_REPORT_HPP

#include "core/timer.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/threads.hpp"
#include "driver/results.hpp"
#include "io/output/output_directory.hpp"

#include <string>

namespace tessera::driver {

/// Writes resolved.yaml, report.html if requested (errors in making it are added to the failures), then report.yaml
/// (docs/guide: what the report says), which lists all other files of the run and is written last: if it exists, the
/// run was complete. `earlier_files`: see OutputDirectory::files_of_earlier_runs.
void write_reports(const io::Case& input, const Plan& plan, Results& results, const ThreadChoice& threads,
                   const PhaseLog& log, const io::OutputDirectory& output,
                   const std::vector<std::string>& earlier_files);

} // namespace tessera::driver

#endif
