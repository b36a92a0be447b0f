// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/external/petsc.hpp"

#include "comm/communicator.hpp"
#include "core/error.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tessera::solvers {

#ifdef TESSERA_PETSC_VERSION

namespace {

/// Loads the module once. Its symbols stay its own: libraries of PETSc may contain another Kokkos.
void* petsc_module() {
  static void* module = nullptr;
  if (module != nullptr)
    return module;
  namespace fs = std::filesystem;
  const std::string name = "tessera-petsc.so";
  const char* named = std::getenv("TESSERA_PETSC");
  std::error_code error;
  fs::path path = named != nullptr ? fs::path(named) : fs::read_symlink("/proc/self/exe", error).parent_path() / name;
  if (named == nullptr && !fs::exists(path, error))
    path = fs::path(TESSERA_INSTALL_BINDIR) / name;
  module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* reason = dlerror();
    TESSERA_REQUIRE(false, "PETSc cannot be loaded: " << (reason == nullptr ? path.c_str() : reason)
                                                      << ". The module tessera-petsc.so is installed beside tessera; "
                                                         "the environment variable TESSERA_PETSC can name it.");
  }
  if (void* finalize = dlsym(module, petsc_finalize_name); finalize != nullptr)
    comm::before_leaving(reinterpret_cast<PetscFinalizeCall>(finalize));
  return module;
}

} // namespace

const char* petsc_version() { return TESSERA_PETSC_VERSION; }

std::unique_ptr<PetscEngine> make_petsc_engine() {
  void* make = dlsym(petsc_module(), petsc_make_name);
  std::unique_ptr<PetscEngine> engine(make == nullptr ? nullptr : reinterpret_cast<PetscMake>(make)());
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
