// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/assembler.hpp"

#include "assembly/dg/blocks/block_rows.hpp"
#include "assembly/dg/entry_strategies.hpp"

namespace tessera::assembly::dg {

template <class ExecutionSpace, int Dim>
std::unique_ptr<Assembler<ExecutionSpace>> make_assembler(const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                                          Strategy strategy, Precision precision) {
  TESSERA_REQUIRE(precision == Precision::double_precision || traits_of(strategy).has_single_precision,
                  "Assembly in single precision needs the strategy block-rows, not " << traits_of(strategy).name
                                                                                     << '.');
  switch (strategy) {
  case Strategy::reference:
    return std::make_unique<Reference<ExecutionSpace, Dim>>(form);
  case Strategy::triplets:
    return std::make_unique<Triplets<ExecutionSpace, Dim>>(form);
  case Strategy::atomic:
    return std::make_unique<Atomic<ExecutionSpace, Dim>>(form);
  default:
    return std::make_unique<BlockRows<ExecutionSpace, Dim>>(form, precision);
  }
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template std::unique_ptr<Assembler<Space>> make_assembler(const Form<Dim, Space::memory_space>&, Strategy, Precision);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
