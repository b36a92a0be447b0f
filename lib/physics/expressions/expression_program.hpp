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
      const double b = top;
      switch (op) {
      case Opcode::add:
        top = a + b;
        break;
      case Opcode::subtract:
        top = a - b;
        break;
      case Opcode::multiply:
        top = a * b;
        break;
      case Opcode::divide:
        top = a / b;
        break;
      case Opcode::power:
        top = math::pow(a, b);
        break;
      case Opcode::less:
        top = a < b ? 1. : 0.;
        break;
      case Opcode::less_equal:
        top = a <= b ? 1. : 0.;
        break;
      case Opcode::greater:
        top = a > b ? 1. : 0.;
        break;
      case Opcode::greater_equal:
        top = a >= b ? 1. : 0.;
        break;
      case Opcode::equal:
        top = a == b ? 1. : 0.;
        break;
      case Opcode::not_equal:
        top = a != b ? 1. : 0.;
        break;
      case Opcode::logical_and:
        top = (a != 0. && b != 0.) ? 1. : 0.;
        break;
      case Opcode::logical_or:
        top = (a != 0. || b != 0.) ? 1. : 0.;
        break;
      case Opcode::atan2:
        top = math::atan2(a, b);
        break;
      case Opcode::min:
        top = b < a ? b : a;
        break;
      case Opcode::max:
        top = a < b ? b : a;
        break;
      case Opcode::hypot:
        top = math::hypot(a, b);
        break;
      default: // select: condition, value if true, value if false
        top = stack[--below] != 0. ? a : b;
      }
    } else if (op >= Opcode::negate) {
      const double a = top;
      switch (op) {
      case Opcode::negate:
        top = -a;
        break;
      case Opcode::store:
        stored[static_cast<int>(instruction.value)] = a;
        break;
      case Opcode::logical_not:
        top = a == 0. ? 1. : 0.;
        break;
      case Opcode::power_int: {
        const int exponent = static_cast<int>(instruction.value);
        double product = 1.;
        for (int k = exponent < 0 ? -exponent : exponent; k > 0; --k)
          product *= a;
        top = exponent < 0 ? 1. / product : product;
        break;
      }
      case Opcode::sin:
        top = math::sin(a);
        break;
      case Opcode::cos:
        top = math::cos(a);
        break;
      case Opcode::tan:
        top = math::tan(a);
        break;
      case Opcode::asin:
        top = math::asin(a);
        break;
      case Opcode::acos:
        top = math::acos(a);
        break;
      case Opcode::atan:
        top = math::atan(a);
        break;
      case Opcode::sinh:
        top = math::sinh(a);
        break;
      case Opcode::cosh:
        top = math::cosh(a);
        break;
      case Opcode::tanh:
        top = math::tanh(a);
        break;
      case Opcode::exp:
        top = math::exp(a);
        break;
      case Opcode::log:
        top = math::log(a);
        break;
      case Opcode::log10:
        top = math::log10(a);
        break;
      case Opcode::sqrt:
        top = math::sqrt(a);
        break;
      case Opcode::abs:
        top = math::fabs(a);
        break;
      case Opcode::floor:
        top = math::floor(a);
        break;
      case Opcode::ceil:
        top = math::ceil(a);
        break;
      case Opcode::sign:
        top = a > 0. ? 1. : (a < 0. ? -1. : 0.);
        break;
      default:
        top = a >= 0. ? 1. : 0.; // step
      }
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
