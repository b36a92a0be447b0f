// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/runtime.hpp"

#include <catch2/catch_test_macros.hpp>

#include <new>
#include <stdexcept>

using namespace tessera;

TEST_CASE("Errors are printed as they are, and what libraries say as an internal error", "[core]") {
  CHECK(message_of(Error(ErrorKind::input, "case.yaml:3: mesh: wrong.")) == "case.yaml:3: mesh: wrong.");
  CHECK(message_of(std::bad_alloc()) == "out of memory.");
  const std::runtime_error of_kokkos("Deprecation Error: Kokkos::deep_copy extents of views don't match: (8) (0) "
                                     "\nTraceback functionality not available\n");
  CHECK(message_of(of_kokkos) == "internal error, a fault of the program and not of the input: Deprecation Error: "
                                 "Kokkos::deep_copy extents of views don't match: (8) (0). Please report it, with the "
                                 "input.");
  CHECK(message_of(std::runtime_error("Kokkos failed to allocate memory for label \"a\".\nTraceback not here\n")) ==
        "Kokkos failed to allocate memory for label \"a\".");
}
