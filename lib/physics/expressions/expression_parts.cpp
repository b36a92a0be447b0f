// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/assert.hpp"
#include "physics/expressions/expression.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <tuple>

namespace tessera::physics {

namespace {

int n_operands(Opcode op) { return op >= Opcode::select ? 3 : op >= Opcode::add ? 2 : op >= Opcode::negate ? 1 : 0; }

/// The parts of a program, one ending at each instruction; equal parts have the same index.
struct Parts {
  struct Part {
    Instruction last;          ///< operation on the operands
    std::vector<int> operands; ///< indices of parts
    int size;                  ///< instructions
    bool is_stored = false;
    int position = -1; ///< index of its stored value, once assigned
  };
  std::vector<Part> parts;
  int whole = 0; ///< index of the last part, the whole program

  explicit Parts(const std::vector<Instruction>& code) {
    std::map<std::tuple<Opcode, std::uint64_t, std::vector<int>>, int> numbers; // by bits: 0 differs from -0
    std::vector<int> open;                                                      // operands of later instructions
    for (const Instruction& instruction : code) {
      const int n = n_operands(instruction.op);
      TESSERA_ASSERT(static_cast<int>(open.size()) >= n);
      const std::vector<int> operands(open.end() - n, open.end());
      open.resize(open.size() - n);
      int size = 1;
      for (const int operand : operands)
        size += parts[operand].size;
      std::uint64_t bits = 0;
      std::memcpy(&bits, &instruction.value, sizeof(bits));
      const auto found = numbers.try_emplace({instruction.op, bits, operands}, static_cast<int>(parts.size()));
      if (found.second)
        parts.push_back({instruction, operands, size});
      open.push_back(found.first->second);
    }
    whole = open.back();
  }

  /// Number of occurrences of each part if stored parts are written once.
  std::vector<int> count_uses() const {
    std::vector<int> uses(parts.size(), 0);
    uses[whole] = 1;
    for (int p = whole; p >= 0; --p) // operands precede their operation
      for (const int operand : parts[p].operands)
        uses[operand] += parts[p].is_stored ? std::min(uses[p], 1) : uses[p];
    return uses;
  }

  /// Writes the program, with stored parts recalled. Without recursion, as a sum of many terms is as deep as it is
  /// long.
  std::vector<Instruction> write() {
    struct Step {
      int part;
      bool has_operands; // whether the operands are written
    };
    std::vector<Instruction> code;
    std::vector<Step> steps{{whole, false}};
    int n_stored = 0;
    while (!steps.empty()) {
      const Step step = steps.back();
      steps.pop_back();
      Part& part = parts[step.part];
      if (!step.has_operands && part.position >= 0) {
        code.push_back({static_cast<double>(part.position), Opcode::recall});
      } else if (!step.has_operands) {
        steps.push_back({step.part, true});
        for (auto operand = part.operands.rbegin(); operand != part.operands.rend(); ++operand)
          steps.push_back({*operand, false});
      } else {
        code.push_back(part.last);
        if (part.is_stored) {
          part.position = n_stored++;
          code.push_back({static_cast<double>(part.position), Opcode::store});
        }
      }
    }
    return code;
  }
};

/// What an operation on t alone switches on: changes where its value may jump or bend.
double switch_of(Opcode op, double a, double b) {
  switch (op) {
  case Opcode::less:
  case Opcode::less_equal:
  case Opcode::greater:
  case Opcode::greater_equal:
  case Opcode::equal:
  case Opcode::not_equal:
  case Opcode::min:
  case Opcode::max:
    return a < b ? -1. : 1.;
  case Opcode::step:
  case Opcode::sign:
  case Opcode::abs:
    return a < 0. ? -1. : 1.;
  case Opcode::floor:
    return std::floor(a);
  case Opcode::ceil:
    return std::ceil(a);
  default:
    return 0.;
  }
}

} // namespace

Expression Expression::at_time(double t) const {
  Expression result = *this;
  for (Instruction& instruction : result.code_)
    if (instruction.op == Opcode::t)
      instruction = {t, Opcode::constant};
  return result;
}

std::vector<double> Expression::breaks_in_time(double from, double to) const {
  constexpr int n_samples = 4096;
  std::vector<double> breaks;
  std::vector<int> first(code_.size()); // first instruction of the part that ends at each one
  for (int i = 0; i < static_cast<int>(code_.size()); ++i) {
    const Opcode op = code_[i].op;
    std::vector<int> ends; // of the operands, the last one first
    first[i] = i;
    for (int k = 0; k < n_operands(op); ++k) {
      ends.push_back(first[i] - 1);
      first[i] = first[ends.back()];
    }
    if (ends.empty() || ends.size() > 2)
      continue;
    std::vector<Expression> operands; // the first one first
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
      operands.emplace_back();
      operands.back().code_.assign(code_.begin() + first[*end], code_.begin() + *end + 1);
    }
    bool of_time = false;
    bool of_space = false;
    for (const Expression& operand : operands) {
      of_time = of_time || operand.depends_on(Opcode::t);
      for (const Opcode place : {Opcode::x, Opcode::y, Opcode::z})
        of_space = of_space || operand.depends_on(place);
    }
    if (!of_time || of_space)
      continue;
    const auto at = [&](double t) {
      return switch_of(op, operands[0](0., 0., 0., t), operands.size() > 1 ? operands[1](0., 0., 0., t) : 0.);
    };
    double before = from;
    double value = at(from);
    for (int k = 1; k <= n_samples; ++k) {
      const double now = k == n_samples ? to : from + (to - from) * k / n_samples;
      const double next = at(now);
      if (next != value) { // NaN, too, which ends below
        double low = before;
        double high = now;
        for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high))
          (at(middle) == value ? low : high) = middle;
        breaks.push_back(high);
      }
      before = now;
      value = next;
    }
  }
  return breaks;
}

Expression Expression::store_repeated_parts() const {
  Parts all(code_);
  for (int n = 0; n < max_stored_values; ++n) {
    const std::vector<int> uses = all.count_uses();
    int best = -1;
    int most = 0; // instructions saved
    for (int p = 0; p < static_cast<int>(all.parts.size()); ++p) {
      const int saved = all.parts[p].is_stored ? 0 : (uses[p] - 1) * (all.parts[p].size - 1) - 1;
      if (saved > most) {
        most = saved;
        best = p;
      }
    }
    if (best < 0)
      break;
    all.parts[best].is_stored = true;
  }
  Expression result;
  result.code_ = all.write();
  return result;
}

std::vector<Instruction> Expression::join_operands() const {
  const auto is_push = [](const std::vector<Instruction>& code) {
    return code.size() == 1 && code[0].op < Opcode::negate;
  };
  std::vector<std::vector<Instruction>> open; // operands of later instructions
  for (const Instruction& instruction : code_) {
    const int n = n_operands(instruction.op);
    if (n == 0) {
      open.push_back({instruction});
      continue;
    }
    Instruction joined = instruction;
    std::vector<Instruction> last = std::move(open.back());
    open.pop_back();
    if (n > 1) {
      const bool commutes = instruction.op == Opcode::add || instruction.op == Opcode::multiply;
      if (commutes && !is_push(last) && is_push(open.back()))
        std::swap(open.back(), last);
      if (is_push(last)) {
        joined.value = last[0].value;
        joined.last = last[0].op;
        last.clear();
      }
      for (int k = 1; k < n; ++k) {
        open.back().insert(open.back().end(), last.begin(), last.end());
        last = std::move(open.back());
        open.pop_back();
      }
    }
    last.push_back(joined);
    open.push_back(std::move(last));
  }
  return open.back();
}

Expression::SplitByTime Expression::split_by_time() const {
  const int n = static_cast<int>(code_.size());
  std::vector<int> first(n);         // first instruction of the part that ends at each one
  std::vector<char> is_transient(n); // whether that part depends on t
  for (int i = 0; i < n; ++i) {
    first[i] = i;
    is_transient[i] = code_[i].op == Opcode::t ? 1 : 0;
    for (int k = 0; k < n_operands(code_[i].op); ++k) { // in reverse order
      const int operand = first[i] - 1;
      is_transient[i] = is_transient[i] | is_transient[operand];
      first[i] = first[operand];
    }
  }
  SplitByTime split;
  std::vector<Instruction> reversed;
  for (int i = n - 1; i >= 0; --i) {
    const bool is_kept =
        is_transient[i] == 0 && first[i] < i && split.in_space.size() < static_cast<std::size_t>(max_kept_values);
    reversed.push_back(is_kept ? Instruction{static_cast<double>(split.in_space.size()), Opcode::kept} : code_[i]);
    if (is_kept) {
      split.in_space.emplace_back();
      split.in_space.back().code_.assign(code_.begin() + first[i], code_.begin() + i + 1);
      i = first[i];
    }
  }
  split.in_time.code_.assign(reversed.rbegin(), reversed.rend());
  return split;
}

} // namespace tessera::physics
