// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_EXPRESSION_PROGRAM_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_EXPRESSION_PROGRAM_HPP

/// \file
/// Expressions in kernels: the stack machine, and programs in a memory space.

#include "core/kokkos_ext/compiler.hpp"
#include "core/math.hpp"
#include "core/parallel.hpp"
#include "physics/expressions/expression.hpp"

#include <vector>

namespace tessera::physics {

namespace detail {

/// Result of an operation with two operands, or with three if the first is below them on the stack.
KOKKOS_FORCEINLINE_FUNCTION double apply_to_two(Opcode op, double a, double b, const double* stack, int& below) {
  switch (op) {
  case Opcode::add:
    return a + b;
  case Opcode::subtract:
    return a - b;
  case Opcode::multiply:
    return a * b;
  case Opcode::divide:
    return a / b;
  case Opcode::power:
    return math::pow(a, b);
  case Opcode::less:
    return a < b ? 1. : 0.;
  case Opcode::less_equal:
    return a <= b ? 1. : 0.;
  case Opcode::greater:
    return a > b ? 1. : 0.;
  case Opcode::greater_equal:
    return a >= b ? 1. : 0.;
  case Opcode::equal:
    return a == b ? 1. : 0.;
  case Opcode::not_equal:
    return a != b ? 1. : 0.;
  case Opcode::logical_and:
    return (a != 0. && b != 0.) ? 1. : 0.;
  case Opcode::logical_or:
    return (a != 0. || b != 0.) ? 1. : 0.;
  case Opcode::atan2:
    return math::atan2(a, b);
  case Opcode::min:
    return b < a ? b : a;
  case Opcode::max:
    return a < b ? b : a;
  case Opcode::hypot:
    return math::hypot(a, b);
  default: // select: condition, value if true, value if false
    return stack[--below] != 0. ? a : b;
  }
}

/// Result of an operation with one operand; `value` is that of the instruction.
KOKKOS_FORCEINLINE_FUNCTION double apply_to_one(Opcode op, double a, double value, double* stored) {
  switch (op) {
  case Opcode::negate:
    return -a;
  case Opcode::store:
    stored[static_cast<int>(value)] = a;
    return a;
  case Opcode::logical_not:
    return a == 0. ? 1. : 0.;
  case Opcode::power_int: {
    const int exponent = static_cast<int>(value);
    double product = 1.;
    for (int k = exponent < 0 ? -exponent : exponent; k > 0; --k)
      product *= a;
    return exponent < 0 ? 1. / product : product;
  }
  case Opcode::sin:
    return math::sin(a);
  case Opcode::cos:
    return math::cos(a);
  case Opcode::tan:
    return math::tan(a);
  case Opcode::asin:
    return math::asin(a);
  case Opcode::acos:
    return math::acos(a);
  case Opcode::atan:
    return math::atan(a);
  case Opcode::sinh:
    return math::sinh(a);
  case Opcode::cosh:
    return math::cosh(a);
  case Opcode::tanh:
    return math::tanh(a);
  case Opcode::exp:
    return math::exp(a);
  case Opcode::log:
    return math::log(a);
  case Opcode::log10:
    return math::log10(a);
  case Opcode::sqrt:
    return math::sqrt(a);
  case Opcode::abs:
    return math::fabs(a);
  case Opcode::floor:
    return math::floor(a);
  case Opcode::ceil:
    return math::ceil(a);
  case Opcode::sign:
    return a > 0. ? 1. : (a < 0. ? -1. : 0.);
  default:
    return a >= 0. ? 1. : 0.; // step
  }
}

} // namespace detail

/// Runs a postfix program of `n` instructions at a point; it may use the precomputed values `kept`. Both branches of
/// `?:` are evaluated and one result is discarded. Not inlined: its many cases would take registers from every kernel.
TESSERA_NOINLINE KOKKOS_INLINE_FUNCTION double evaluate_program(const Instruction* code, int n, double x, double y,
                                                                double z, double t, const double* kept = nullptr) {
  double stack[max_expression_stack]; // values below the top of the stack, which is kept in a register
  double stored[max_stored_values];
  int below = 0;
  double top = 0.;
  Instruction next = code[0];
  for (int i = 0; i < n; ++i) {
    const Instruction instruction = next;
    next = code[i + 1 < n ? i + 1 : i]; // prefetched while this one runs
    const Opcode op = instruction.op;
    if (op >= Opcode::add) {
      const double a = stack[--below];
      top = detail::apply_to_two(op, a, top, stack, below);
    } else if (op >= Opcode::negate) {
      top = detail::apply_to_one(op, top, instruction.value, stored);
    } else {
      stack[below++] = top; // for the first value: arbitrary
      switch (op) {
      case Opcode::x:
        top = x;
        break;
      case Opcode::y:
        top = y;
        break;
      case Opcode::z:
        top = z;
        break;
      case Opcode::t:
        top = t;
        break;
      case Opcode::kept:
        top = kept[static_cast<int>(instruction.value)];
        break;
      case Opcode::recall:
        top = stored[static_cast<int>(instruction.value)];
        break;
      default:
        top = instruction.value;
      }
    }
  }
  return top;
}

/// Several expressions in a memory space, for use inside kernels: `program(k, x, y, z, t)` is the value of expression
/// k. For several times at a point, keep() computes the time-independent values once and at_time() the rest, with the
/// same bits.
template <class MemorySpace> class ExpressionProgram {
public:
  using memory_space = MemorySpace;

  ExpressionProgram() = default;
  ExpressionProgram(const Array<Instruction*, MemorySpace>& code, const Array<std::int32_t*, MemorySpace>& offsets,
                    const Array<std::int32_t*, MemorySpace>& parts)
      : code_(code), offsets_(offsets), parts_(parts) {}

  /// Number of expressions.
  KOKKOS_FUNCTION int size() const { return parts_.extent(0) == 0 ? 0 : static_cast<int>(parts_.extent(0)) - 1; }

  KOKKOS_FUNCTION double operator()(int k, double x, double y, double z, double t) const {
    return run(parts_(k), x, y, z, t, nullptr);
  }
  /// Writes the values, at most max_kept_values, that at_time() needs.
  KOKKOS_FUNCTION void keep(int k, double x, double y, double z, double* kept) const {
    for (int part = parts_(k) + 2; part < parts_(k + 1); ++part)
      kept[part - parts_(k) - 2] = run(part, x, y, z, 0., nullptr);
  }
  KOKKOS_FUNCTION double at_time(int k, double x, double y, double z, double t, const double* kept) const {
    return run(parts_(k) + 1, x, y, z, t, kept);
  }

  /// Copy on the host; complete on return.
  template <class ExecutionSpace> ExpressionProgram<HostMemory> on_host(const ExecutionSpace& exec) const {
    return {to_host(exec, code_), to_host(exec, offsets_), to_host(exec, parts_)};
  }

private:
  KOKKOS_FUNCTION double run(int part, double x, double y, double z, double t, const double* kept) const {
    const std::int32_t begin = offsets_(part);
    return evaluate_program(code_.data() + begin, offsets_(part + 1) - begin, x, y, z, t, kept);
  }

  Array<const Instruction*, MemorySpace> code_;     // all programs in sequence
  Array<const std::int32_t*, MemorySpace> offsets_; // of each program; an expression has several: whole, in time, kept
                                                    // values
  Array<const std::int32_t*, MemorySpace> parts_;   // [n_expressions + 1] first program of each expression
};

/// Copies expressions to the memory of an execution space; complete on return.
template <class ExecutionSpace>
ExpressionProgram<typename ExecutionSpace::memory_space> make_program(const ExecutionSpace& exec,
                                                                      const std::vector<Expression>& expressions);

} // namespace tessera::physics

#endif
