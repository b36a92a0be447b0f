// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_MODULE_HPP
#define TESSERA_CORE_MODULE_HPP

/// \file
/// Modules: parts of the program that depend on many libraries, loaded only by runs that need them.

#include <string>

namespace tessera {

/// Folder of the running program or, if Tessera is linked to a shared library, of that: modules and the programs that
/// the library starts are searched there first.
std::string library_folder();

/// Loads the module `name` ("tessera-petsc.so") from library_folder(), from that of the installed program, or from the
/// folder given by the environment variable `variable`. The module's symbols stay local, since its libraries may define
/// symbols that the program defines, too. `what` ("PETSc") names the module's purpose in the error (of kind input)
/// thrown if it cannot be loaded.
void* load_module(const std::string& what, const std::string& name, const char* variable);

/// Address of a symbol of a module; null if it has no such symbol.
void* module_symbol(void* module, const char* name);

/// A function of a module by its name; null if it has no such function.
template <class Function> Function module_function(void* module, const char* name) {
  return reinterpret_cast<Function>(module_symbol(module, name));
}

} // namespace tessera

#endif
