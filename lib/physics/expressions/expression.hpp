// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_EXPRESSION_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_EXPRESSION_HPP

/// \file
/// Arithmetic expressions of x, y, z and t, parsed into programs of a stack machine; without Kokkos. Kernels evaluate
/// them with physics/expressions/expression_program.hpp.

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::physics {

/// Operation of one instruction: pops its operands from the stack and pushes the result.
enum class Opcode : std::int32_t {
  // push
  constant,
  x,
  y,
  z,
  t,
  kept,   ///< pushes one of the precomputed values, with index `value`
  recall, ///< pushes a value saved by `store`
  // one operand
  negate,
  store, ///< leaves the operand on the stack, and saves it for `recall`
  logical_not,
  power_int, ///< by repeated multiplication: the same bits on every backend
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  floor,
  ceil,
  sign,
  step,
  // two operands
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  atan2,
  min,
  max,
  hypot,
  // three operands
  select,
  none ///< of Instruction::last
};

/// A step of a compiled expression.
struct alignas(16) Instruction {
  double value; ///< of a constant, the exponent of power_int, or the index of a kept or stored value
  Opcode op;
  Opcode last = Opcode::none; ///< of what is pushed before the operation, with `value`: its last operand
};

/// Maximum number of intermediate values of an expression; the parser refuses deeper ones.
constexpr int max_expression_stack = 24;

/// Maximum number of values that a program stores for reuse.
constexpr int max_stored_values = 8;

/// Maximum number of values that are kept between evaluations at different times.
constexpr int max_kept_values = 8;

/// A parsed expression. Grammar in docs/input-reference.md.
class Expression {
public:
  /// The number 0.
  Expression() : Expression(0.) {}
  explicit Expression(double constant) : code_{{constant, Opcode::constant}} {}

  /// Parses in time linear in the length. Throws a tessera::Error with the column, what was expected and a line with a
  /// caret, or with the part of the text whose value is not finite.
  static Expression parse(const std::string& text);

  /// True if the expression folds to a number.
  bool is_constant() const { return code_.size() == 1 && code_[0].op == Opcode::constant; }
  /// The number of a constant expression.
  double value() const { return code_[0].value; }
  /// True if the value depends on the variable: one of Opcode::x, y, z, t.
  bool depends_on(Opcode variable) const;
  /// The expression with the opposite sign.
  Expression operator-() const;
  /// The expression optimised for kernels: repeated parts of several instructions are stored and recalled, those that
  /// save most first. The operations and numbers are the same.
  Expression store_repeated_parts() const;
  /// The program for kernels, with fewer instructions: constants, variables and recalled values are operands of the
  /// instruction that uses them last; sums and products may have their operands exchanged. The same bits.
  std::vector<Instruction> join_operands() const;
  /// The expression with t replaced by a number, without folding.
  Expression at_time(double t) const;
  /// Instants after `from` and up to `to` at which the expression may jump or bend: where a condition, step, sign, abs,
  /// min, max, floor or ceil of t alone has changed, to the last bit; in no order. They are found from 4096 samples: a
  /// pair of changes between two of these is missed.
  std::vector<double> breaks_in_time(double from, double to) const;
  /// Value at a point, on the host.
  double operator()(double x, double y, double z = 0., double t = 0.) const;
  /// Postfix program.
  const std::vector<Instruction>& code() const { return code_; }
  /// The largest parts, at most max_kept_values, that do not depend on t and have more than one instruction; the
  /// remaining program pushes their values by Opcode::kept, with the same operations on the same numbers.
  struct SplitByTime;
  SplitByTime split_by_time() const;

private:
  std::vector<Instruction> code_;
};

/// An expression in two parts, so that values independent of time are computed once.
struct Expression::SplitByTime {
  std::vector<Expression> in_space;
  Expression in_time; ///< only for kernels: evaluated after in_space
};

} // namespace tessera::physics

#endif
