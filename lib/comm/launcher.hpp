// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_LAUNCHER_HPP
#define TESSERA_COMM_LAUNCHER_HPP

/// \file
/// Starts processes that share a run.

#include <string>
#include <vector>

namespace tessera::comm {

/// The words that, before a command, start it `n` times ("mpirun", "-np", "2"). Sets variables of the environment so
/// that Open MPI takes the number as it is: who asks for processes of a number has decided, and that it leaves telling
/// of errors to them. Throws an error of kind
/// input in a build without MPI; `option` is what asked for them ("--processes").
std::vector<std::string> launcher_command(int n, const std::string& option);

} // namespace tessera::comm

#endif
