// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_COMM_WORLD_HPP
#define TESSERA_TESTS_UNIT_COMM_WORLD_HPP

#include "comm/communicator.hpp"

namespace tessera::test {

/// The processes of the test: as many as a launcher has started (CMakeLists.txt), otherwise one.
inline const comm::Communicator& world() {
  static const comm::Environment environment;
  return environment.world();
}

} // namespace tessera::test

#endif
