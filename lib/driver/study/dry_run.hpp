// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_DRY_RUN_HPP
#define TESSERA_DRIVER_STUDY_DRY_RUN_HPP

#include "io/input/case.hpp"

#include <string>

namespace tessera::driver {

/// The resolved input, with comments that contain the notes of a run that need no field, and the memory that each
/// strategy needs, for continuous elements in each of several processes; what depends on the mesh is included only if
/// it is known without making it (boxes and mesh files). Throws the errors that a run with this number of processes
/// would have before any work.
std::string dry_run_text(const io::Case& input, int n_processes = 1);

} // namespace tessera::driver

#endif
