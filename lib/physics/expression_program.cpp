// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expression_program.hpp"

#include "core/parallel.hpp"

namespace tessera::physics {

template <class ExecutionSpace>
ExpressionProgram<typename ExecutionSpace::memory_space> make_program(const ExecutionSpace& exec,
                                                                      const std::vector<Expression>& expressions) {
  std::vector<Instruction> all;
  std::vector<std::int32_t> starts{0};
  for (const Expression& expression : expressions) {
    all.insert(all.end(), expression.code().begin(), expression.code().end());
    starts.push_back(static_cast<std::int32_t>(all.size()));
  }
  const auto code = make_array<Array<Instruction*, ExecutionSpace>>(exec, "physics::expression_code", all.size());
  const auto offsets =
      make_array<Array<std::int32_t*, ExecutionSpace>>(exec, "physics::expression_offsets", starts.size());
  using HostCode = Kokkos::View<Instruction*, Kokkos::LayoutRight, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using HostOffsets =
      Kokkos::View<std::int32_t*, Kokkos::LayoutRight, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(exec, code, HostCode(all.data(), all.size()));
  Kokkos::deep_copy(exec, offsets, HostOffsets(starts.data(), starts.size()));
  exec.fence();
  return {code, offsets};
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template ExpressionProgram<Space::memory_space> make_program(const Space&, const std::vector<Expression>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::physics
