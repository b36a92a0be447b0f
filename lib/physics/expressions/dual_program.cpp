// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/dual_program.hpp"

#include "core/transfer/upload.hpp"

#include <algorithm>

namespace tessera::physics {

template <class ExecutionSpace>
DualProgram<typename ExecutionSpace::memory_space> make_dual_program(const ExecutionSpace& exec,
                                                                     const std::vector<Expression>& expressions) {
  std::vector<Instruction> code;
  std::vector<std::int32_t> offsets{0};
  for (const Expression& expression : expressions) {
    const Expression shortened = expression.store_repeated_parts();
    code.insert(code.end(), shortened.code().begin(), shortened.code().end());
    offsets.push_back(static_cast<std::int32_t>(code.size()));
  }
  return {uploaded(exec, "physics::dual_code", code), uploaded(exec, "physics::dual_offsets", offsets)};
}

std::optional<std::array<double, 2>> range_of_tables(const Expression& expression) {
  const std::vector<Instruction>& code = expression.code();
  std::optional<std::array<double, 2>> range;
  double low = 0.;
  bool continues = false; // the next interval of the same table
  const auto narrow = [&](double from, double to) {
    if (!range)
      range = {from, to};
    else
      *range = {std::max((*range)[0], from), std::min((*range)[1], to)};
  };
  double high = 0.;
  double last = 0.;
  for (std::size_t i = 0; i + 6 < code.size(); ++i) { // t a max b min a -
    const bool is_way = code[i].op == Opcode::t && code[i + 1].op == Opcode::constant &&
                        code[i + 2].op == Opcode::max && code[i + 3].op == Opcode::constant &&
                        code[i + 4].op == Opcode::min && code[i + 5].op == Opcode::constant &&
                        code[i + 6].op == Opcode::subtract && code[i + 1].value == code[i + 5].value;
    if (!is_way)
      continue;
    const double a = code[i + 1].value;
    if (continues && a == last) // a cubic repeats its interval
      continue;
    if (continues && a != high) {
      narrow(low, high);
      continues = false;
    }
    if (!continues)
      low = a;
    last = a;
    high = code[i + 3].value;
    continues = true;
  }
  if (continues)
    narrow(low, high);
  return range;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template DualProgram<Space::memory_space> make_dual_program(const Space&, const std::vector<Expression>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::physics
