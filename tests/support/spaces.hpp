// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_SPACES_HPP
#define TESSERA_TESTS_SUPPORT_SPACES_HPP

#include "core/kokkos_ext/spaces.hpp"

namespace tessera::test {

/// Every execution space of this build, for TEMPLATE_LIST_TEST_CASE.
using ExecutionSpaces = tessera::ExecutionSpaces;

/// The first of them: a host space, Serial unless the build leaves it out.
using FirstSpace = std::tuple_element_t<0, ExecutionSpaces>;

} // namespace tessera::test

#endif
