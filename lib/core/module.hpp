// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_MODULE_HPP
#define TESSERA_CORE_MODULE_HPP

/// \file
/// Modules: parts of the program that bring many libraries, loaded by the first run that needs them.

#include <string>

namespace tessera {

/// Loads the module `name` ("tessera-petsc.so"), which lies beside the running program, in the folder of the installed
/// one, or where the environment variable `variable` says. Its symbols stay its own: its libraries may contain others
/// of the same names. `what` is what it brings, for the error (of kind input) where it cannot be loaded: "PETSc".
void* load_module(const std::string& what, const std::string& name, const char* variable);

/// Address of a symbol of a module; null where it has none.
void* module_symbol(void* module, const char* name);

/// A function of a module by its name; null where it has none.
template <class Function> Function module_function(void* module, const char* name) {
  return reinterpret_cast<Function>(module_symbol(module, name));
}

} // namespace tessera

#endif
