// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_DUAL_PROGRAM_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_DUAL_PROGRAM_HPP

/// \file
/// Expressions of the temperature in kernels, with their derivative by it: the stack machine on dual numbers. The
/// temperature is the variable Opcode::t of a material's expression; the input writes it T.

#include "physics/expressions/expression_program.hpp"

#include <array>
#include <optional>

namespace tessera::physics {

/// A value and its derivative by the temperature.
struct Dual {
  double value;
  double slope;
};

namespace detail {

/// Derivative of an operation with one operand, by that.
KOKKOS_INLINE_FUNCTION double slope_of_one(Opcode op, double a, double value, double exponent) {
  switch (op) {
  case Opcode::negate:
    return -1.;
  case Opcode::power_int:
    return a != 0. ? exponent * value / a : exponent == 1. ? 1. : 0.;
  case Opcode::sin:
    return math::cos(a);
  case Opcode::cos:
    return -math::sin(a);
  case Opcode::tan:
    return 1. + value * value;
  case Opcode::asin:
    return 1. / math::sqrt(1. - a * a);
  case Opcode::acos:
    return -1. / math::sqrt(1. - a * a);
  case Opcode::atan:
    return 1. / (1. + a * a);
  case Opcode::sinh:
    return math::cosh(a);
  case Opcode::cosh:
    return math::sinh(a);
  case Opcode::tanh:
    return 1. - value * value;
  case Opcode::exp:
    return value;
  case Opcode::log:
    return 1. / a;
  case Opcode::log10:
    return 0.43429448190325182765 / a;
  case Opcode::sqrt:
    return 0.5 / value;
  case Opcode::abs:
    return a < 0. ? -1. : 1.;
  default: // jumps
    return 0.;
  }
}

/// Derivative of an operation with two operands whose derivatives are da and db.
KOKKOS_INLINE_FUNCTION double slope_of_two(Opcode op, const Dual& a, const Dual& b, double value) {
  switch (op) {
  case Opcode::add:
    return a.slope + b.slope;
  case Opcode::subtract:
    return a.slope - b.slope;
  case Opcode::multiply:
    return a.slope * b.value + a.value * b.slope;
  case Opcode::divide:
    return (a.slope - value * b.slope) / b.value;
  case Opcode::power:
    return (a.slope != 0. ? b.value * math::pow(a.value, b.value - 1.) * a.slope : 0.) +
           (b.slope != 0. ? value * math::log(a.value) * b.slope : 0.);
  case Opcode::atan2:
    return (b.value * a.slope - a.value * b.slope) / (a.value * a.value + b.value * b.value);
  case Opcode::min:
    return b.value < a.value ? b.slope : a.slope;
  case Opcode::max:
    return a.value < b.value ? b.slope : a.slope;
  case Opcode::hypot:
    return (a.value * a.slope + b.value * b.slope) / value;
  default: // comparisons
    return 0.;
  }
}

} // namespace detail

/// As evaluate_program(), with the derivative by t.
TESSERA_NOINLINE KOKKOS_INLINE_FUNCTION Dual evaluate_dual(const Instruction* code, int n, double x, double y, double z,
                                                           double t) {
  Dual stack[max_expression_stack];
  Dual stored[max_stored_values];
  int below = 0;
  Dual top{0., 0.};
  for (int i = 0; i < n; ++i) {
    const Instruction instruction = code[i];
    const Opcode op = instruction.op;
    if (op == Opcode::select) {
      const Dual if_true = stack[--below];
      top = stack[--below].value != 0. ? if_true : top;
    } else if (op >= Opcode::add) {
      const Dual a = stack[--below];
      const double first[1] = {a.value};
      double value[1] = {top.value};
      detail::apply_to_two(op, first, value);
      const bool is_constant = a.slope == 0. && top.slope == 0.;
      top = {value[0], is_constant ? 0. : detail::slope_of_two(op, a, top, value[0])};
    } else if (op == Opcode::store) {
      stored[static_cast<int>(instruction.value)] = top;
    } else if (op >= Opcode::negate) {
      double value[1] = {top.value};
      detail::apply_to_one(op, value, instruction.value);
      const double slope =
          top.slope == 0. ? 0. : top.slope * detail::slope_of_one(op, top.value, value[0], instruction.value);
      top = {value[0], slope};
    } else {
      stack[below++] = top;
      top = op == Opcode::x        ? Dual{x, 0.}
            : op == Opcode::y      ? Dual{y, 0.}
            : op == Opcode::z      ? Dual{z, 0.}
            : op == Opcode::t      ? Dual{t, 1.}
            : op == Opcode::recall ? stored[static_cast<int>(instruction.value)]
                                   : Dual{instruction.value, 0.};
    }
  }
  return top;
}

/// Several expressions in a memory space.
template <class MemorySpace> struct DualProgram {
  Array<const Instruction*, MemorySpace> code;     ///< all programs in sequence
  Array<const std::int32_t*, MemorySpace> offsets; ///< [n_expressions + 1]

  /// Expression k at a point and a temperature.
  KOKKOS_FUNCTION Dual operator()(int k, double x, double y, double z, double temperature) const {
    const std::int32_t begin = offsets(k);
    return evaluate_dual(code.data() + begin, offsets(k + 1) - begin, x, y, z, temperature);
  }

  template <class ExecutionSpace> DualProgram<HostMemory> to_host(const ExecutionSpace& exec) const {
    return {tessera::to_host(exec, code), tessera::to_host(exec, offsets)};
  }
};

template <class ExecutionSpace>
DualProgram<typename ExecutionSpace::memory_space> make_dual_program(const ExecutionSpace& exec,
                                                                     const std::vector<Expression>& expressions);

/// The smallest and largest argument of the tables of t in an expression: the range that all of them cover.
std::optional<std::array<double, 2>> range_of_tables(const Expression& expression);

} // namespace tessera::physics

#endif
