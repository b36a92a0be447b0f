// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/atomic.hpp"

namespace tessera::assembly::dg {

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Atomic<Space, 2, double>;                                                                             \
  template class Atomic<Space, 3, double>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
