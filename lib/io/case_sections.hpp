// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_CASE_SECTIONS_HPP
#define TESSERA_IO_CASE_SECTIONS_HPP

/// \file
/// Sections of the input, one function each; case_reader.cpp calls them.

#include "io/map_reader.hpp"

#include <string>

namespace tessera::io::detail {

void read_mesh(MapReader in, const std::string& folder, MeshOptions& mesh);
/// Needs the mesh's dimension (0: unknown).
void read_problem(MapReader in, int dimension, ProblemOptions& problem);
void read_discretization(MapReader in, DiscretizationOptions& discretization);
void read_assembly(MapReader in, AssemblyOptions& assembly);
void read_solver(MapReader in, SolverOptions& solver);
void read_execution(MapReader in, ExecutionOptions& execution);
void read_output(MapReader in, int dimension, const ProblemOptions& problem, OutputOptions& output);
void read_verification(MapReader in, int dimension, const ProblemOptions& problem, VerificationOptions& verification);

} // namespace tessera::io::detail

#endif
