// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/external/petsc.hpp"

#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/module.hpp"

namespace tessera::solvers {

#ifdef TESSERA_PETSC_VERSION

namespace {

/// Loads the module once.
void* petsc_module() {
  static void* module = nullptr;
  if (module != nullptr)
    return module;
  module = load_module("PETSc", "tessera-petsc.so", "TESSERA_PETSC");
  if (const auto finalize = module_function<PetscFinalizeCall>(module, petsc_finalize_name))
    comm::before_leaving(finalize);
  return module;
}

} // namespace

const char* petsc_version() { return TESSERA_PETSC_VERSION; }

std::unique_ptr<PetscEngine> make_petsc_engine() {
  const auto make = module_function<PetscMake>(petsc_module(), petsc_make_name);
  std::unique_ptr<PetscEngine> engine(make == nullptr ? nullptr : make());
  TESSERA_REQUIRE_KIND(engine != nullptr, ErrorKind::resource, "PETSc could not be started.");
  return engine;
}

#else

const char* petsc_version() { return ""; }

std::unique_ptr<PetscEngine> make_petsc_engine() {
  ::tessera::detail::throw_error(ErrorKind::input, "This build has no PETSc.");
}

#endif

} // namespace tessera::solvers
