// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_EXTERNAL_PETSC_HPP
#define TESSERA_SOLVERS_EXTERNAL_PETSC_HPP

/// \file
/// PETSc in this build; without Kokkos. Its libraries are loaded by the first run that uses them: they are many, and
/// some contain another Kokkos.

#include "solvers/external/petsc_engine.hpp"

#include <memory>

namespace tessera::solvers {

/// Default of `solver.petsc`.
constexpr const char* default_petsc_options = "-ksp_type cg -pc_type gamg";

/// Version of this build's PETSc, "3.18.5"; empty: none.
const char* petsc_version();

/// Loads the module next to the program, or at the path in TESSERA_PETSC. Throws an error of kind input if the build
/// has no PETSc or the module cannot be loaded.
std::unique_ptr<PetscEngine> make_petsc_engine();

} // namespace tessera::solvers

#endif
