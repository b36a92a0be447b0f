// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_APPS_TESSERA_COMMAND_LINE_HPP
#define TESSERA_APPS_TESSERA_COMMAND_LINE_HPP

/// \file
/// The command line; only this file uses CLI11.

namespace tessera::app {

/// Parses the arguments and carries out the subcommand; returns the exit code (1 for wrong usage).
int parse_and_run(int argc, const char* const* argv);

} // namespace tessera::app

#endif
