// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_EXTERNAL_PETSC_HPP
#define TESSERA_SOLVERS_EXTERNAL_PETSC_HPP

/// \file
/// PETSc as this build has it; without Kokkos. Its libraries are loaded by the first run that asks for them: they are
/// many, and some bring a Kokkos of their own.

#include "solvers/external/petsc_engine.hpp"

#include <memory>

namespace tessera::solvers {

/// Options of `solver.petsc` unless the input gives others.
constexpr const char* default_petsc_options = "-ksp_type cg -pc_type gamg";

/// Version of the PETSc that this build has, "3.18.5"; empty: none.
const char* petsc_version();

/// Loads the module that lies beside the program, or where TESSERA_PETSC says. An error of kind input where the build
/// has no PETSc or the module cannot be loaded.
std::unique_ptr<PetscEngine> make_petsc_engine();

} // namespace tessera::solvers

#endif
