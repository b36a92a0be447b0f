// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/module.hpp"

#include "core/error.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tessera {

std::string library_folder() {
  namespace fs = std::filesystem;
  std::error_code error;
  Dl_info here;
  // Of the program itself the system may give the name by which it was called, without a folder.
  if (dladdr(reinterpret_cast<const void*>(&library_folder), &here) != 0 && here.dli_fname != nullptr &&
      fs::path(here.dli_fname).filename().string().find(".so") != std::string::npos)
    return fs::absolute(here.dli_fname, error).parent_path().string();
  return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

void* load_module(const std::string& what, const std::string& name, const char* variable) {
  namespace fs = std::filesystem;
  const char* named = std::getenv(variable);
  std::error_code error;
  fs::path path = named != nullptr ? fs::path(named) : fs::path(library_folder()) / name;
  if (named == nullptr && !fs::exists(path, error))
    path = fs::path(TESSERA_INSTALL_BINDIR) / name;
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* reason = dlerror();
    TESSERA_REQUIRE(false, what << " cannot be loaded: " << (reason == nullptr ? path.c_str() : reason)
                                << ". The module " << name << " is installed next to tessera; the environment variable "
                                << variable << " can name it.");
  }
  return module;
}

void* module_symbol(void* module, const char* name) { return dlsym(module, name); }

} // namespace tessera
