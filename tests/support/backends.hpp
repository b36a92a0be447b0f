// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_BACKENDS_HPP
#define TESSERA_TESTS_SUPPORT_BACKENDS_HPP

#include "core/kokkos_ext/spaces.hpp"

#include <string>
#include <vector>

namespace tessera::test {

/// One backend for each execution space of this build, for properties that hold for every run separately. `serial` is
/// skipped if it is one OpenMP thread; other tests compare its results with those of several threads.
inline std::vector<std::string> backends_of_spaces() {
  std::vector<std::string> names;
#define TESSERA_ADD_NAME(Space) names.emplace_back(BackendName<Space>::value);
  TESSERA_FOR_EACH_SPACE(TESSERA_ADD_NAME)
#undef TESSERA_ADD_NAME
  return names;
}

} // namespace tessera::test

#endif
