// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_PERIODIC_PAIRS_HPP
#define TESSERA_TESTS_SUPPORT_PERIODIC_PAIRS_HPP

#include "fe/dofs/periodic.hpp"

namespace tessera::test {

/// A pair of two boundary groups, with the names that messages use.
inline fe::PeriodicPair pair_of(group_t group, group_t partner, bool antiperiodic = false) {
  fe::PeriodicPair pair;
  pair.group = group;
  pair.partner = partner;
  pair.is_antiperiodic = antiperiodic;
  pair.name = "first";
  pair.partner_name = "second";
  return pair;
}

} // namespace tessera::test

#endif
