// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/expression_program.hpp"

#include "core/transfer/upload.hpp"

namespace tessera::physics {

template <class ExecutionSpace>
ExpressionProgram<typename ExecutionSpace::memory_space> make_program(const ExecutionSpace& exec,
                                                                      const std::vector<Expression>& expressions) {
  std::vector<Instruction> code;
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> parts{0};
  const auto add = [&](const Expression& part) {
    const std::vector<Instruction> joined = part.store_repeated_parts().join_operands();
    code.insert(code.end(), joined.begin(), joined.end());
    offsets.push_back(static_cast<std::int32_t>(code.size()));
  };
  for (const Expression& expression : expressions) {
    const Expression::SplitByTime split = expression.split_by_time();
    add(expression);
    add(split.in_time);
    for (const Expression& part : split.in_space)
      add(part);
    parts.push_back(static_cast<std::int32_t>(offsets.size()) - 1);
  }
  return {uploaded(exec, "physics::expression_code", code), uploaded(exec, "physics::expression_offsets", offsets),
          uploaded(exec, "physics::expression_parts", parts)};
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template ExpressionProgram<Space::memory_space> make_program(const Space&, const std::vector<Expression>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::physics
