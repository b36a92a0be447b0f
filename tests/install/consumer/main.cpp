// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/reduce.hpp"

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::printf("Tessera %s on Kokkos %s:", TESSERA_VERSION_STRING, tessera::kokkos_version().c_str());
  for (const std::string& name : tessera::backend_names())
    std::printf(" %s", name.c_str());
  std::printf("\n");
}
