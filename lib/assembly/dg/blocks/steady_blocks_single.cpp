// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/blocks/steady_blocks_impl.hpp"

namespace tessera::assembly::dg {

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_STEADY_BLOCKS(Space, 2, float)                                                                   \
  TESSERA_INSTANTIATE_STEADY_BLOCKS(Space, 3, float)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
