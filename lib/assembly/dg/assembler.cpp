// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/assembler.hpp"

#include "assembly/dg/blocks/block_rows.hpp"
#include "assembly/dg/entry_strategies.hpp"

namespace tessera::assembly::dg {

template <class ExecutionSpace, int Dim>
std::unique_ptr<Assembler<ExecutionSpace>> make_assembler(const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                                          Strategy strategy, Precision precision) {
  const bool is_single = precision == Precision::single_precision;
  TESSERA_REQUIRE(!is_single || traits_of(strategy).has_single_precision,
                  "The strategy " << traits_of(strategy).name << " has no single precision.");
  switch (strategy) {
  case Strategy::reference:
    return std::make_unique<Reference<ExecutionSpace, Dim>>(form);
  case Strategy::triplets:
    if (is_single)
      return std::make_unique<Triplets<ExecutionSpace, Dim, float>>(form);
    return std::make_unique<Triplets<ExecutionSpace, Dim, double>>(form);
  case Strategy::atomic:
    if (is_single)
      return std::make_unique<Atomic<ExecutionSpace, Dim, float>>(form);
    return std::make_unique<Atomic<ExecutionSpace, Dim, double>>(form);
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
