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

/// Replaces N numbers by a function of each.
template <int N, class Function>
KOKKOS_FORCEINLINE_FUNCTION void apply_to_each(double (&a)[N], const Function& function) {
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j)
    a[j] = function(a[j]);
}

/// Replaces the last operands b of N points by the results of an operation with two operands.
template <int N> KOKKOS_FORCEINLINE_FUNCTION void apply_to_two(Opcode op, const double (&a)[N], double (&b)[N]) {
  const auto set = [&](const auto& function) {
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j)
      b[j] = function(a[j], b[j]);
  };
  switch (op) {
  case Opcode::add:
    return set([](double u, double v) { return u + v; });
  case Opcode::subtract:
    return set([](double u, double v) { return u - v; });
  case Opcode::multiply:
    return set([](double u, double v) { return u * v; });
  case Opcode::divide:
    return set([](double u, double v) { return u / v; });
  case Opcode::power:
    return set([](double u, double v) { return math::pow(u, v); });
  case Opcode::less:
    return set([](double u, double v) { return u < v ? 1. : 0.; });
  case Opcode::less_equal:
    return set([](double u, double v) { return u <= v ? 1. : 0.; });
  case Opcode::greater:
    return set([](double u, double v) { return u > v ? 1. : 0.; });
  case Opcode::greater_equal:
    return set([](double u, double v) { return u >= v ? 1. : 0.; });
  case Opcode::equal:
    return set([](double u, double v) { return u == v ? 1. : 0.; });
  case Opcode::not_equal:
    return set([](double u, double v) { return u != v ? 1. : 0.; });
  case Opcode::logical_and:
    return set([](double u, double v) { return (u != 0. && v != 0.) ? 1. : 0.; });
  case Opcode::logical_or:
    return set([](double u, double v) { return (u != 0. || v != 0.) ? 1. : 0.; });
  case Opcode::atan2:
    return set([](double u, double v) { return math::atan2(u, v); });
  case Opcode::min:
    return set([](double u, double v) { return v < u ? v : u; });
  case Opcode::max:
    return set([](double u, double v) { return u < v ? v : u; });
  default:
    return set([](double u, double v) { return math::hypot(u, v); });
  }
}

/// Replaces the operands a of N points by the results of an operation with one operand; `value` is that of the
/// instruction.
template <int N> KOKKOS_FORCEINLINE_FUNCTION void apply_to_one(Opcode op, double (&a)[N], double value) {
  switch (op) {
  case Opcode::negate:
    return apply_to_each(a, [](double u) { return -u; });
  case Opcode::logical_not:
    return apply_to_each(a, [](double u) { return u == 0. ? 1. : 0.; });
  case Opcode::power_int: {
    const int exponent = static_cast<int>(value);
    double product[N];
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j)
      product[j] = 1.;
    for (int k = exponent < 0 ? -exponent : exponent; k > 0; --k) {
      TESSERA_UNROLL
      for (int j = 0; j < N; ++j)
        product[j] *= a[j];
    }
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j)
      a[j] = exponent < 0 ? 1. / product[j] : product[j];
    return;
  }
  case Opcode::sin:
    return math::sin(a);
  case Opcode::cos:
    return math::cos(a);
  case Opcode::tan:
    return apply_to_each(a, [](double u) { return math::tan(u); });
  case Opcode::asin:
    return apply_to_each(a, [](double u) { return math::asin(u); });
  case Opcode::acos:
    return apply_to_each(a, [](double u) { return math::acos(u); });
  case Opcode::atan:
    return apply_to_each(a, [](double u) { return math::atan(u); });
  case Opcode::sinh:
    return math::sinh(a);
  case Opcode::cosh:
    return math::cosh(a);
  case Opcode::tanh:
    return apply_to_each(a, [](double u) { return math::tanh(u); });
  case Opcode::exp:
    return math::exp(a);
  case Opcode::log:
    return apply_to_each(a, [](double u) { return math::log(u); });
  case Opcode::log10:
    return apply_to_each(a, [](double u) { return math::log10(u); });
  case Opcode::sqrt:
    return apply_to_each(a, [](double u) { return math::sqrt(u); });
  case Opcode::abs:
    return apply_to_each(a, [](double u) { return math::fabs(u); });
  case Opcode::floor:
    return apply_to_each(a, [](double u) { return math::floor(u); });
  case Opcode::ceil:
    return apply_to_each(a, [](double u) { return math::ceil(u); });
  case Opcode::sign:
    return apply_to_each(a, [](double u) { return u > 0. ? 1. : (u < 0. ? -1. : 0.); });
  default: // step
    return apply_to_each(a, [](double u) { return u >= 0. ? 1. : 0.; });
  }
}

} // namespace detail

/// Number of points that kernels evaluate an expression at together, if they have several: instructions are decoded
/// once, and operations on different points overlap.
constexpr int points_at_once = 4;

/// Runs a postfix program of `n` instructions at N points with the coordinates x, y, z, t; it may use the precomputed
/// values `kept`, N of each. Both branches of `?:` are evaluated and one result is discarded. Not inlined: its many
/// cases would take registers from every kernel.
template <int N>
TESSERA_NOINLINE KOKKOS_FUNCTION void evaluate_program(const Instruction* code, int n, const double (&points)[4][N],
                                                       double (&result)[N], const double* kept = nullptr) {
  double stack[max_expression_stack][N]; // values below the top of the stack, which is kept in registers
  double stored[max_stored_values][N];
  int below = 0;
  double top[N];
  const auto copy = [](const double(&from)[N], double(&to)[N]) {
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j)
      to[j] = from[j];
  };
  const auto load = [&](Opcode from, double value) { // to the top
    if (from >= Opcode::x && from <= Opcode::t)
      return copy(points[static_cast<int>(from) - static_cast<int>(Opcode::x)], top);
    TESSERA_UNROLL
    for (int j = 0; j < N; ++j)
      top[j] = from == Opcode::constant ? value
               : from == Opcode::kept   ? kept[static_cast<int>(value) * N + j]
                                        : stored[static_cast<int>(value)][j];
  };
  TESSERA_UNROLL
  for (int j = 0; j < N; ++j)
    top[j] = 0.;
  Instruction next = code[0];
  for (int i = 0; i < n; ++i) {
    const Instruction instruction = next;
    next = code[i + 1 < n ? i + 1 : i]; // prefetched while this one runs
    const Opcode op = instruction.op;
    if (op >= Opcode::add) {
      double a[N];
      if (instruction.last == Opcode::none) {
        copy(stack[--below], a);
      } else {
        copy(top, a);
        load(instruction.last, instruction.value);
      }
      if (op == Opcode::select) { // condition, value if true, value if false
        --below;
        TESSERA_UNROLL
        for (int j = 0; j < N; ++j)
          top[j] = stack[below][j] != 0. ? a[j] : top[j];
      } else {
        detail::apply_to_two(op, a, top);
      }
    } else if (op == Opcode::store) {
      copy(top, stored[static_cast<int>(instruction.value)]);
    } else if (op >= Opcode::negate) {
      detail::apply_to_one(op, top, instruction.value);
    } else {
      if (i > 0)
        copy(top, stack[below++]);
      load(op, instruction.value);
    }
  }
  copy(top, result);
}

/// At one point.
KOKKOS_INLINE_FUNCTION double evaluate_program(const Instruction* code, int n, double x, double y, double z, double t,
                                               const double* kept = nullptr) {
  const double point[4][1] = {{x}, {y}, {z}, {t}};
  double result[1];
  evaluate_program(code, n, point, result, kept);
  return result[0];
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
  /// Value of expression k at N points.
  template <int N> KOKKOS_FUNCTION void evaluate(int k, const double (&points)[4][N], double (&values)[N]) const {
    const std::int32_t begin = offsets_(parts_(k));
    evaluate_program(code_.data() + begin, offsets_(parts_(k) + 1) - begin, points, values);
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
