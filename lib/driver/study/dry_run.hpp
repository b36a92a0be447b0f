// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_DRY_RUN_HPP
#define TESSERA_DRIVER_STUDY_DRY_RUN_HPP

#include "io/case.hpp"

#include <string>

namespace tessera::driver {

/// The resolved input, and as comments the memory that each strategy needs, where the mesh's counts are known without
/// making it (boxes and mesh files): of continuous elements what each of several processes needs.
std::string dry_run_text(const io::Case& input, int n_processes = 1);

} // namespace tessera::driver

#endif
