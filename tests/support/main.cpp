// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/runtime.hpp"

#include <Kokkos_Core.hpp>

#include <catch2/catch_session.hpp>

#include <algorithm>
#include <string_view>

/// Runs Catch2 inside Kokkos. Listing the tests needs no Kokkos and must print only the list.
int main(int argc, char* argv[]) {
  const bool listing =
      std::any_of(argv, argv + argc, [](std::string_view argument) { return argument.substr(0, 6) == "--list"; });
  if (listing)
    return Catch::Session().run(argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv); // removes the --kokkos-... arguments
  tessera::own_process();
  return Catch::Session().run(argc, argv);
}
