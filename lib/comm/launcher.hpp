// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_LAUNCHER_HPP
#define TESSERA_COMM_LAUNCHER_HPP

/// \file
/// Starts processes that share a run.

#include <string>
#include <vector>

namespace tessera::comm {

/// The command prefix that starts a command in `n` processes ("mpirun", "-np", "2"). Sets environment variables so that
/// Open MPI accepts the number even if it exceeds the processors, since the user asked for it, leaves reporting of
/// errors to the processes, and does not bind them: by default the threads of each of two processes share one
/// processor. Throws an error of kind input in a build without MPI; `option` ("--processes") is the option that asked
/// for the processes.
std::vector<std::string> launcher_command(int n, const std::string& option);

} // namespace tessera::comm

#endif
