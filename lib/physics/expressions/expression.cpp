// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/expression.hpp"

#include "core/constants.hpp"
#include "core/error.hpp"
#include "physics/expressions/expression_program.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace tessera::physics {

namespace {

struct Function {
  const char* name;
  int n_arguments;
  Opcode op;
};

constexpr Function functions[] = {
    {"sin", 1, Opcode::sin},     {"cos", 1, Opcode::cos},     {"tan", 1, Opcode::tan},     {"asin", 1, Opcode::asin},
    {"acos", 1, Opcode::acos},   {"atan", 1, Opcode::atan},   {"atan2", 2, Opcode::atan2}, {"sinh", 1, Opcode::sinh},
    {"cosh", 1, Opcode::cosh},   {"tanh", 1, Opcode::tanh},   {"exp", 1, Opcode::exp},     {"log", 1, Opcode::log},
    {"log10", 1, Opcode::log10}, {"sqrt", 1, Opcode::sqrt},   {"abs", 1, Opcode::abs},     {"min", 2, Opcode::min},
    {"max", 2, Opcode::max},     {"floor", 1, Opcode::floor}, {"ceil", 1, Opcode::ceil},   {"pow", 2, Opcode::power},
    {"sign", 1, Opcode::sign},   {"hypot", 2, Opcode::hypot}, {"step", 1, Opcode::step}};

/// Part of a postfix program; subtrees are joined by appending, so that a whole expression is also such a part.
using Code = std::vector<Instruction>;

bool is_number(const Code& code) { return code.size() == 1 && code[0].op == Opcode::constant; }

/// Appends the other operands and an operation to the program of the first one; folds it if all of them are numbers.
/// The first one is moved: a sum of many terms would otherwise be copied once per term.
Code combine(Opcode op, Code first, std::initializer_list<const Code*> others = {}, double value = 0.) {
  bool constant = is_number(first);
  for (const Code* other : others) {
    constant = constant && is_number(*other);
    first.insert(first.end(), other->begin(), other->end());
  }
  first.push_back({value, op});
  if (constant)
    return {{evaluate_program(first.data(), static_cast<int>(first.size()), 0., 0., 0., 0.), Opcode::constant}};
  return first;
}

/// a^b; small integer exponents become products.
Code combine_power(Code base, const Code& exponent) {
  if (is_number(exponent)) {
    const double n = exponent[0].value;
    if (n == std::floor(n) && std::fabs(n) <= 16.)
      return combine(Opcode::power_int, std::move(base), {}, n);
  }
  return combine(Opcode::power, std::move(base), {&exponent});
}

/// Length of the UTF-8 character at a position, from its continuation bytes.
std::size_t character_length(const std::string& text, std::size_t position) {
  std::size_t length = 1;
  while (length < 4 && position + length < text.size() &&
         (static_cast<unsigned char>(text[position + length]) & 0xc0u) == 0x80)
    ++length;
  return length;
}

int operand_count(Opcode op) {
  if (op < Opcode::negate)
    return 0;
  if (op < Opcode::add)
    return 1;
  return op == Opcode::select ? 3 : 2;
}

int stack_depth(const Code& code) {
  int depth = 0;
  int deepest = 0;
  for (const Instruction& instruction : code) {
    depth += 1 - operand_count(instruction.op);
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

struct TablePoint {
  double x;
  double y;
};

/// Slopes of the monotone cubic interpolant (F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984): weighted
/// harmonic means, and at the ends the parabola through three points, limited to be monotone.
std::vector<double> monotone_slopes(const std::vector<TablePoint>& points) {
  const std::size_t n = points.size();
  const auto step = [&](std::size_t k) { return points[k + 1].x - points[k].x; };
  const auto secant = [&](std::size_t k) { return (points[k + 1].y - points[k].y) / step(k); };
  if (n == 2)
    return {secant(0), secant(0)};
  std::vector<double> slopes(n, 0.);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double left = secant(k - 1);
    const double right = secant(k);
    const double w_left = 2. * step(k) + step(k - 1);
    const double w_right = step(k) + 2. * step(k - 1);
    if (left * right > 0.)
      slopes[k] = (w_left + w_right) / (w_left / left + w_right / right);
  }
  const auto at_end = [](double h, double next, double own, double other) {
    const double slope = ((2. * h + next) * own - h * other) / (h + next);
    if (slope * own <= 0.)
      return 0.;
    return own * other <= 0. && std::fabs(slope) > 3. * std::fabs(own) ? 3. * own : slope;
  };
  slopes[0] = at_end(step(0), step(1), secant(0), secant(1));
  slopes[n - 1] = at_end(step(n - 2), step(n - 3), secant(n - 2), secant(n - 3));
  return slopes;
}

/// The first value plus, for each interval, the cubic of the way that the clamped variable has gone in it; constant
/// beyond the table.
Code table_code(const Instruction& variable, const std::vector<TablePoint>& points) {
  const std::vector<double> slopes = monotone_slopes(points);
  const auto number = [](double value) { return Instruction{value, Opcode::constant}; };
  const auto op = [](Opcode code) { return Instruction{0., code}; };
  Code code{number(points[0].y)};
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const double a = points[k].x;
    const double b = points[k + 1].x;
    const double h = b - a;
    const double secant = (points[k + 1].y - points[k].y) / h;
    const double c2 = (3. * secant - 2. * slopes[k] - slopes[k + 1]) / h;
    const double c3 = (slopes[k] + slopes[k + 1] - 2. * secant) / (h * h);
    const bool is_line = points.size() == 2 || (c2 == 0. && c3 == 0.);
    const Code way{variable, number(a), op(Opcode::max), number(b), op(Opcode::min), number(a), op(Opcode::subtract)};
    const auto append_way = [&] { code.insert(code.end(), way.begin(), way.end()); };
    if (is_line) {
      append_way();
      code.insert(code.end(), {number(secant), op(Opcode::multiply)});
    } else {
      append_way();
      append_way();
      append_way();
      code.insert(code.end(), {number(c3), op(Opcode::multiply), number(c2), op(Opcode::add), op(Opcode::multiply),
                               number(slopes[k]), op(Opcode::add), op(Opcode::multiply)});
    }
    code.push_back(op(Opcode::add));
  }
  return code;
}

/// Recursive descent, one function per level of precedence.
class Parser {
public:
  explicit Parser(const std::string& text) : text_(text) {}

  Code parse() {
    skip_space();
    if (position_ == text_.size())
      fail("a number, a name or '(', but the expression is empty");
    Code code = parse_conditional();
    if (position_ != text_.size())
      fail_found(paren_level_ > 0      ? "an operator or ')'"
                 : is_unit_after(code) ? "an operator or the end, as numbers "
                                         "have no unit behind them (all are in "
                                         "SI units)"
                                       : "an operator or the end");
    if (!not_finite_.empty())
      tessera::detail::throw_error(ErrorKind::input, not_finite_ + ", which is no finite number.");
    if (stack_depth(code) > max_expression_stack)
      fail("at most " + std::to_string(max_expression_stack) + " intermediate values; split the expression");
    return code;
  }

private:
  static constexpr std::size_t max_shown = 80;

  /// Whether the rest of the text after a number can only be meant as its unit: "5 mm", "1 %", "5 A/m^2".
  bool is_unit_after(const Code& code) const {
    const auto is_part = [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80 || c == '%';
    };
    if (!is_number(code) || text_.find_first_not_of("0123456789.+-eE ") < position_ || !is_part(text_[position_]))
      return false;
    std::size_t end = position_;
    while (end < text_.size() && is_part(text_[end]))
      ++end;
    const std::string word = text_.substr(position_, end - position_);
    for (const Function& function : functions)
      if (word == function.name)
        return false;
    return word != "x" && word != "y" && word != "z" && word != "t" && word != "pi" && word != "e";
  }

  /// Excerpt of the text, shortened if it is long; characters not one column wide are replaced.
  std::string shown(std::size_t begin, std::size_t length) const {
    std::string piece = text_.substr(begin, std::min(length, max_shown));
    std::replace_if(
        piece.begin(), piece.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    return length > max_shown ? piece + "..." : piece;
  }

  [[noreturn]] void fail(const std::string& expected, std::size_t column = std::string::npos) const {
    if (column == std::string::npos)
      column = position_;
    const std::size_t begin = column > max_shown / 2 ? column - max_shown / 2 : 0;
    const std::string dots = begin > 0 ? "..." : "";
    tessera::detail::throw_error(ErrorKind::input, "the expression does not parse at column " +
                                                       std::to_string(column + 1) + ": expected " + expected +
                                                       ".\n    " + dots + shown(begin, text_.size() - begin) +
                                                       "\n    " + std::string(dots.size() + column - begin, ' ') + '^');
  }

  [[noreturn]] void fail_found(const std::string& expected) const {
    std::string found = "the end";
    if (position_ < text_.size()) {
      const bool is_control = static_cast<unsigned char>(text_[position_]) < 0x20 || text_[position_] == 0x7f;
      found =
          is_control ? "a control character" : "'" + text_.substr(position_, character_length(text_, position_)) + "'";
    }
    fail(expected + ", found " + found);
  }

  /// Returns a folded part; records the first one that is not finite, which could vanish later (1/(1/0) is 0).
  Code checked(Code code, std::size_t begin) {
    if (not_finite_.empty() && is_number(code) && !std::isfinite(code[0].value)) {
      const double value = code[0].value;
      std::size_t end = position_;
      while (end > begin && std::isspace(static_cast<unsigned char>(text_[end - 1])) != 0)
        --end;
      not_finite_ =
          "'" + shown(begin, end - begin) + "' gives " + (std::isnan(value) ? "nan" : (value > 0. ? "inf" : "-inf"));
    }
    return code;
  }

  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0)
      ++position_;
  }

  /// Consumes a token if it comes next.
  bool take(const char* token) {
    const std::size_t length = std::char_traits<char>::length(token);
    if (text_.compare(position_, length, token) != 0)
      return false;
    position_ += length;
    skip_space();
    return true;
  }

  void expect(const char* token, const std::string& expected) {
    if (!take(token))
      fail_found(expected);
  }

  /// Guards the recursion against input like "((((...", which must not overflow the program's stack.
  struct Depth {
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > 200)
        parser_.fail("at most 200 levels of nesting");
    }
    ~Depth() { --parser_.depth_; }
    Parser& parser_;
  };

  Code parse_conditional() {
    const Depth depth(*this);
    Code condition = parse_or();
    if (!take("?"))
      return condition;
    const std::string before = not_finite_;
    Code if_true = parse_conditional();
    const std::string of_true = not_finite_;
    expect(":", "':' of the '?' before");
    not_finite_ = before;
    Code if_false = parse_conditional();
    if (is_number(condition)) { // the discarded branch may have any value
      const bool holds = condition[0].value != 0.;
      if (holds)
        not_finite_ = of_true;
      return holds ? if_true : if_false;
    }
    if (not_finite_.empty())
      not_finite_ = of_true;
    return combine(Opcode::select, std::move(condition), {&if_true, &if_false});
  }

  /// Parses the operands of one level of precedence, left to right. `next` parses an operand, `match` an operator.
  template <class Next, class Match> Code parse_chain(const Next& next, const Match& match) {
    const std::size_t begin = position_;
    Code left = next();
    for (Opcode op = match(); op != Opcode::constant; op = match()) {
      const Code right = next();
      left = checked(combine(op, std::move(left), {&right}), begin);
    }
    return left;
  }

  Code parse_or() {
    return parse_chain([&] { return parse_and(); }, [&] { return take("||") ? Opcode::logical_or : Opcode::constant; });
  }

  Code parse_and() {
    return parse_chain([&] { return parse_equality(); },
                       [&] { return take("&&") ? Opcode::logical_and : Opcode::constant; });
  }

  Code parse_equality() {
    return parse_chain([&] { return parse_relation(); },
                       [&] { return take("==")   ? Opcode::equal
                                    : take("!=") ? Opcode::not_equal
                                                 : Opcode::constant; });
  }

  Code parse_relation() {
    return parse_chain([&] { return parse_sum(); },
                       [&] {
                         return take("<=")   ? Opcode::less_equal
                                : take(">=") ? Opcode::greater_equal
                                : take("<")  ? Opcode::less
                                : take(">")  ? Opcode::greater
                                             : Opcode::constant;
                       });
  }

  Code parse_sum() {
    return parse_chain([&] { return parse_product(); },
                       [&] { return take("+")   ? Opcode::add
                                    : take("-") ? Opcode::subtract
                                                : Opcode::constant; });
  }

  Code parse_product() {
    return parse_chain([&] { return parse_unary(); },
                       [&] {
                         if (text_.compare(position_, 2, "**") == 0)
                           fail("a number, a name or '(', found '**' (a power is written '^')");
                         return take("*") ? Opcode::multiply : take("/") ? Opcode::divide : Opcode::constant;
                       });
  }

  /// -2^2 is -(2^2), as in mathematics.
  Code parse_unary() {
    const Depth depth(*this);
    if (take("-"))
      return combine(Opcode::negate, parse_unary());
    if (take("+"))
      return parse_unary();
    if (text_.compare(position_, 2, "!=") != 0 && take("!"))
      return combine(Opcode::logical_not, parse_unary());
    return parse_power();
  }

  Code parse_power() {
    const std::size_t begin = position_;
    Code base = parse_primary();
    if (!take("^"))
      return base;
    return checked(combine_power(std::move(base), parse_unary()), begin);
  }

  Code parse_primary() {
    if (position_ < text_.size()) {
      const unsigned char next = static_cast<unsigned char>(text_[position_]);
      if (std::isdigit(next) != 0 || next == '.')
        return parse_number();
      if (std::isalpha(next) != 0 || next == '_')
        return parse_name();
    }
    if (take("(")) {
      ++paren_level_;
      Code inside = parse_conditional();
      expect(")", "an operator or ')'");
      --paren_level_;
      return inside;
    }
    fail_found("a number, a name or '('");
  }

  Code parse_number() {
    // Scanned by hand: strtod would also take hexadecimal numbers, "inf" and the decimal comma of some locales.
    const std::size_t begin = position_;
    std::size_t n_digits = 0;
    const auto digits = [&] {
      while (position_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_])) != 0) {
        ++position_;
        ++n_digits;
      }
    };
    digits();
    if (position_ < text_.size() && text_[position_] == '.') {
      ++position_;
      digits();
    }
    if (n_digits == 0)
      fail("a digit", position_);
    if (position_ < text_.size() && (text_[position_] == 'e' || text_[position_] == 'E')) {
      ++position_;
      if (position_ < text_.size() && (text_[position_] == '+' || text_[position_] == '-'))
        ++position_;
      n_digits = 0;
      digits();
      if (n_digits == 0)
        fail("the digits of the exponent", position_);
    }
    const std::string digits_text = text_.substr(begin, position_ - begin);
    const double value = std::strtod(digits_text.c_str(), nullptr);
    if (value == 0. &&
        digits_text.substr(0, digits_text.find_first_of("eE")).find_first_of("123456789") != std::string::npos)
      tessera::detail::throw_error(ErrorKind::input,
                                   "'" + shown(begin, digits_text.size()) +
                                       "' is below the smallest number of double precision (4.9e-324) and would "
                                       "count as 0.");
    skip_space();
    return checked({{value, Opcode::constant}}, begin);
  }

  Code parse_name() {
    const std::size_t begin = position_;
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) != 0 || text_[position_] == '_'))
      ++position_;
    const std::string name = text_.substr(begin, position_ - begin);
    skip_space();
    for (const Function& function : functions)
      if (name == function.name)
        return parse_call(function, begin);
    if (name == "x")
      return {{0., Opcode::x}};
    if (name == "y")
      return {{0., Opcode::y}};
    if (name == "z")
      return {{0., Opcode::z}};
    if (name == "t" || name == "T") {
      if (!fourth_.empty() && fourth_ != name)
        fail("either t or T: materials depend on the temperature or on time, not on both", begin);
      fourth_ = name;
      return {{0., Opcode::t}};
    }
    if (name == "table")
      return parse_table();
    if (name == "pi")
      return {{pi, Opcode::constant}};
    if (name == "e")
      return {{2.71828182845904523536, Opcode::constant}};
    std::string known = "x, y, z, t, pi, e, table";
    for (const Function& function : functions)
      known += std::string(", ") + function.name;
    const std::string hint = name == "r" || name == "rho" ? " (x is the radius of axisymmetric problems)"
                             : name == "ln"               ? " (the natural logarithm is log)"
                                                          : "";
    fail("a known name instead of '" + shown(begin, name.size()) + "'" + hint + "; there are " + known, begin);
  }

  Code parse_call(const Function& function, std::size_t begin) {
    const std::string arity =
        std::to_string(function.n_arguments) + (function.n_arguments == 1 ? " argument" : " arguments");
    expect("(", std::string("'(' after '") + function.name + "', which takes " + arity);
    ++paren_level_;
    Code first = parse_conditional();
    Code result;
    if (function.n_arguments == 1) {
      if (position_ < text_.size() && text_[position_] == ',')
        fail(std::string("')': '") + function.name + "' takes " + arity);
      result = combine(function.op, std::move(first));
    } else {
      expect(",", std::string("',': '") + function.name + "' takes " + arity);
      Code second = parse_conditional();
      if (position_ < text_.size() && text_[position_] == ',')
        fail(std::string("')': '") + function.name + "' takes " + arity);
      result = function.op == Opcode::power ? combine_power(std::move(first), second)
                                            : combine(function.op, std::move(first), {&second});
    }
    expect(")", "an operator or ')'");
    --paren_level_;
    return checked(std::move(result), begin);
  }

  /// table(v, x0, y0, x1, y1, ...): a variable and pairs of numbers.
  Code parse_table() {
    expect("(", "'(' after 'table', which takes a variable and pairs of numbers");
    ++paren_level_;
    const std::size_t begin = position_;
    const Code variable = parse_conditional();
    if (variable.size() != 1 || is_number(variable))
      fail("a variable as the first argument of 'table'", begin);
    std::vector<TablePoint> points;
    do {
      std::array<double, 2> pair{};
      const std::size_t place = position_;
      for (double& number : pair) {
        expect(",", points.size() < 2 ? "',': 'table' takes a variable and at least two pairs of numbers"
                                      : "',': 'table' takes pairs of numbers");
        const std::size_t at = position_;
        const Code code = parse_conditional();
        if (!is_number(code) || !std::isfinite(code[0].value))
          fail("a number: 'table' takes a variable and pairs of numbers", at);
        number = code[0].value;
      }
      if (!points.empty() && !(pair[0] > points.back().x))
        fail("a table whose arguments increase", place);
      points.push_back({pair[0], pair[1]});
    } while (points.size() < 2 || (position_ < text_.size() && text_[position_] == ','));
    expect(")", "',' or ')'");
    --paren_level_;
    return table_code(variable[0], points);
  }

  const std::string& text_;
  std::string fourth_; // name of the fourth variable, t or T, where it occurs
  std::size_t position_ = 0;
  int depth_ = 0;
  int paren_level_ = 0;
  std::string not_finite_; // the first value that is not finite, "'1/0' gives inf"
};

} // namespace

Expression Expression::parse(const std::string& text) {
  Expression expression;
  expression.code_ = Parser(text).parse();
  return expression;
}

Expression Expression::operator-() const {
  Expression negative;
  negative.code_ = combine(Opcode::negate, code_);
  return negative;
}

bool Expression::depends_on(Opcode variable) const {
  return std::any_of(code_.begin(), code_.end(),
                     [variable](const Instruction& instruction) { return instruction.op == variable; });
}

double Expression::operator()(double x, double y, double z, double t) const {
  return evaluate_program(code_.data(), static_cast<int>(code_.size()), x, y, z, t);
}

} // namespace tessera::physics
