// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_REPORT_HPP
#define TESSERA_DRIVER_REPORT_HPP

#include "driver/simulation.hpp"
#include "driver/threads.hpp"

#include <string>

namespace tessera::driver {

/// Writes report.yaml and resolved.yaml into a directory (docs/guide: what the report says).
void write_reports(const io::Case& input, const Results& results, const ThreadChoice& threads, const PhaseLog& log,
                   const std::string& directory);

} // namespace tessera::driver

#endif
