// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "physics/expressions/expression_program.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>

using tessera::physics::Expression;
using tessera::physics::ExpressionProgram;
using tessera::physics::Opcode;
using tessera::physics::points_at_once;

namespace {

using HostFunction = double (*)(double x, double y, double z, double t);

struct Pair {
  const char* text;
  HostFunction function;
};

constexpr double pi = 3.14159265358979323846;

/// Every operator and function at least once.
const Pair pairs[] = {
    {"x + y*z - t/2", [](double x, double y, double z, double t) { return x + y * z - t / 2; }},
    {"-x^2", [](double x, double, double, double) { return -(x * x); }},
    {"2^3^2 + 0*x", [](double x, double, double, double) { return 512. + 0 * x; }},
    {"x^-2", [](double x, double, double, double) { return 1. / (x * x); }},
    {"x^y", [](double x, double y, double, double) { return std::pow(x, y); }},
    {"pow(x, 2.5)", [](double x, double, double, double) { return std::pow(x, 2.5); }},
    {"x - y - z", [](double x, double y, double z, double) { return (x - y) - z; }},
    {"x / y / z", [](double x, double y, double z, double) { return (x / y) / z; }},
    {"sin(pi*x)*sin(pi*y)", [](double x, double y, double, double) { return std::sin(pi * x) * std::sin(pi * y); }},
    {"cos(x) + tan(y)", [](double x, double y, double, double) { return std::cos(x) + std::tan(y); }},
    {"asin(x/4) + acos(x/4) + atan(x)",
     [](double x, double, double, double) { return std::asin(x / 4) + std::acos(x / 4) + std::atan(x); }},
    {"atan2(y, -x)", [](double x, double y, double, double) { return std::atan2(y, -x); }},
    {"sinh(x) + cosh(y) + tanh(z)",
     [](double x, double y, double z, double) { return std::sinh(x) + std::cosh(y) + std::tanh(z); }},
    {"exp(-x) + log(y) + log10(z) + sqrt(t)",
     [](double x, double y, double z, double t) { return std::exp(-x) + std::log(y) + std::log10(z) + std::sqrt(t); }},
    {"abs(x - y) + min(x, y) + max(x, y)",
     [](double x, double y, double, double) { return std::fabs(x - y) + std::fmin(x, y) + std::fmax(x, y); }},
    {"floor(3*x) + ceil(3*y)", [](double x, double y, double, double) { return std::floor(3 * x) + std::ceil(3 * y); }},
    {"sign(x - y) + step(x - y)",
     [](double x, double y, double, double) { return (x > y ? 1. : (x < y ? -1. : 0.)) + (x >= y ? 1. : 0.); }},
    {"hypot(x, y)", [](double x, double y, double, double) { return std::hypot(x, y); }},
    {"x < y ? z : t", [](double x, double y, double z, double t) { return x < y ? z : t; }},
    {"x < 1 ? 1 : x < 2 ? 2 : 3", [](double x, double, double, double) { return x < 1   ? 1.
                                                                                : x < 2 ? 2.
                                                                                        : 3.; }},
    {"(x <= y) + 2*(x >= y) + 4*(x > y) + 8*(x == y) + 16*(x != y)",
     [](double x, double y, double, double) {
       return (x <= y) + 2. * (x >= y) + 4. * (x > y) + 8. * (x == y) + 16. * (x != y);
     }},
    {"x < y && y < z || !(t > 1)",
     [](double x, double y, double z, double t) { return ((x < y && y < z) || !(t > 1)) ? 1. : 0.; }},
    {"x < 0 ? log(x) : y", [](double x, double y, double, double) { return x < 0 ? std::log(x) : y; }},
    {"sin(2*x)*cos(y) + sin(2*x)^2 - (cos(y) < 0 ? sin(2*x)*cos(y) : atan2(-0, x) + atan2(0, x))",
     [](double x, double y, double, double) {
       const double s = std::sin(2. * x);
       const double c = std::cos(y);
       return s * c + s * s - (c < 0. ? s * c : std::atan2(-0., x) + std::atan2(0., x));
     }},
    {"e^x*1.5e-3 + .5", [](double x, double, double, double) { return std::pow(std::exp(1.), x) * 1.5e-3 + .5; }},
};
constexpr int n_pairs = sizeof(pairs) / sizeof(pairs[0]);
constexpr int n_points = 257;

/// Positive coordinates, some of them equal.
void point(int i, double (&p)[4]) {
  p[0] = 0.1 + 0.01 * i;
  p[1] = i % 7 == 0 ? p[0] : 0.2 + 0.03 * (i % 50);
  p[2] = 0.5 + 0.02 * (i % 31);
  p[3] = 0.25 + 0.005 * i;
}

template <class Space> struct EvaluateAll {
  ExpressionProgram<typename Space::memory_space> program;
  tessera::Array<double* [4], Space> points;
  tessera::Array<double**, Space> values;
  KOKKOS_FUNCTION void operator()(int i) const {
    for (int k = 0; k < program.size(); ++k) {
      values(i, k) = program(k, points(i, 0), points(i, 1), points(i, 2), points(i, 3));
      double kept[tessera::physics::max_kept_values];
      program.keep(k, points(i, 0), points(i, 1), points(i, 2), kept);
      values(i, program.size() + k) = program.at_time(k, points(i, 0), points(i, 1), points(i, 2), points(i, 3), kept);
      double together[4][points_at_once];
      for (int j = 0; j < points_at_once; ++j)
        for (int d = 0; d < 4; ++d)
          together[d][j] = points((i + 67 * j) % n_points, d);
      double results[points_at_once];
      program.evaluate(k, together, results);
      for (int j = 0; j < points_at_once; ++j)
        values((i + 67 * j) % n_points, (2 + j) * program.size() + k) = results[j];
    }
  }
};

std::string message_of(const std::string& text) {
  try {
    Expression::parse(text);
  } catch (const tessera::Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("expressions equal the standard library's functions on the host", "[physics][host]") {
  for (const Pair& pair : pairs) {
    const Expression expression = Expression::parse(pair.text);
    for (int i = 0; i < n_points; ++i) {
      double p[4];
      point(i, p);
      const double expected = pair.function(p[0], p[1], p[2], p[3]);
      INFO(pair.text << " at " << p[0] << ' ' << p[1] << ' ' << p[2] << ' ' << p[3]);
      CHECK(std::fabs(expression(p[0], p[1], p[2], p[3]) - expected) <= 1e-14 * (1. + std::fabs(expected)));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("expressions in kernels equal those on the host", "[physics][device]",
                        tessera::test::ExecutionSpaces) {
  const TestType exec;
  std::vector<Expression> expressions;
  for (const Pair& pair : pairs)
    expressions.push_back(Expression::parse(pair.text));
  const auto points = tessera::make_array<tessera::Array<double* [4], TestType>>(exec, "test::points", n_points);
  const auto values = tessera::make_array<tessera::Array<double**, TestType>>(exec, "test::values", n_points,
                                                                              (2 + points_at_once) * n_pairs);
  auto points_host = Kokkos::create_mirror_view(points);
  for (int i = 0; i < n_points; ++i) {
    double p[4];
    point(i, p);
    for (int k = 0; k < 4; ++k)
      points_host(i, k) = p[k];
  }
  Kokkos::deep_copy(exec, points, points_host);

  const EvaluateAll<TestType> evaluate{make_program(exec, expressions), points, values};
  REQUIRE(evaluate.program.size() == n_pairs);
  tessera::for_each("tessera::test::evaluate", exec, n_points, evaluate);

  const auto values_host = tessera::to_host(exec, values);
  for (int i = 0; i < n_points; ++i)
    for (int k = 0; k < n_pairs; ++k) {
      const double expected =
          expressions[k](points_host(i, 0), points_host(i, 1), points_host(i, 2), points_host(i, 3));
      INFO(pairs[k].text);
      // evaluated completely, with stored values, and as each one of several points
      for (int column = k; column < (2 + points_at_once) * n_pairs; column += n_pairs)
        CHECK((values_host(i, column) == expected ||
               (values_host(i, column) != values_host(i, column) && expected != expected)));
    }
}

TEST_CASE("what does not depend on time is split off whole", "[physics][host]") {
  const auto split = Expression::parse("sin(pi*x)*sin(pi*y)*((2*pi^2 + 1)*(1 - t) - 1)").split_by_time();
  REQUIRE(split.in_space.size() == 1);
  CHECK(split.in_space[0](0.25, 0.5) == Expression::parse("sin(pi*x)*sin(pi*y)")(0.25, 0.5));
  CHECK(split.in_time.code().size() == 9); // stored value, number, 1, t, -, *, 1, -, *
  CHECK(split.in_time.depends_on(Opcode::kept));

  CHECK(Expression::parse("x + t").split_by_time().in_space.empty()); // one instruction is not worth it
  const auto alone = Expression::parse("t").split_by_time();
  CHECK((alone.in_space.empty() && alone.in_time.code().size() == 1));
  const auto whole = Expression::parse("2*x + y").split_by_time();
  CHECK((whole.in_space.size() == 1 && whole.in_time.code().size() == 1));
  const auto branches = Expression::parse("x < y ? t : 2*z").split_by_time();
  REQUIRE(branches.in_space.size() == 2);
  CHECK(branches.in_space[0](0., 0., 3.) == 6.); // from the last branch
  CHECK(branches.in_space[1](0., 1.) == 1.);

  std::string many = "t";
  for (int k = 0; k < 20; ++k)
    many = "(" + many + "*sin(x + " + std::to_string(k) + "))";
  const auto parts = Expression::parse(many).split_by_time();
  CHECK(parts.in_space.size() == tessera::physics::max_kept_values);
}

TEST_CASE("parts that occur again are evaluated once", "[physics][host]") {
  const auto count = [](const Expression& expression, Opcode op) {
    return std::count_if(expression.code().begin(), expression.code().end(),
                         [op](const tessera::physics::Instruction& instruction) { return instruction.op == op; });
  };
  const auto twice = Expression::parse("sin(pi*x)*y + sin(pi*x)").store_repeated_parts();
  CHECK(twice.code().size() == 9); // pi, x, *, sin, store, y, *, recall, +
  CHECK(count(twice, Opcode::sin) == 1);
  CHECK(twice(0.3, 0.7) == Expression::parse("sin(pi*x)*y + sin(pi*x)")(0.3, 0.7));

  const auto within = Expression::parse("exp(sin(2*x))*exp(sin(2*x)) + sin(2*x)").store_repeated_parts();
  CHECK(count(within, Opcode::sin) == 1);
  CHECK(count(within, Opcode::exp) == 1);
  CHECK(count(within, Opcode::store) == 2);

  CHECK(count(Expression::parse("2*x + 3*y + x").store_repeated_parts(), Opcode::store) == 0);
  // Numbers that compare equal but differ: the signs of zeros matter.
  const auto zeros = Expression::parse("atan2(x*0, x - 2) + atan2(x*(-0), x - 2)").store_repeated_parts();
  CHECK(zeros(1., 0.) == Expression::parse("atan2(x*0, x - 2) + atan2(x*(-0), x - 2)")(1., 0.));
  CHECK(count(zeros, Opcode::atan2) == 2);

  std::string many = "0";
  for (int k = 0; k < 2 * tessera::physics::max_stored_values; ++k)
    many += "+ sin(x + " + std::to_string(k) + ")*cos(x + " + std::to_string(k) + ")";
  CHECK(count(Expression::parse(many).store_repeated_parts(), Opcode::store) == tessera::physics::max_stored_values);
}

TEST_CASE("operands are joined with the instruction that uses them last", "[physics][host]") {
  const auto joined = [](const char* text) { return Expression::parse(text).join_operands(); };
  CHECK(joined("x").size() == 1);
  CHECK(joined("2*x + 1").size() == 3);           // 2, * x, + 1
  CHECK(joined("1 - 2*x").size() == 4);           // 1, 2, * x, -
  CHECK(joined("1 + sin(x)").size() == 3);        // x, sin, + 1
  CHECK(joined("x < 0.5 ? y : 3").size() == 4);   // x, < 0.5, y, select 3
  CHECK(joined("x < 0.5 ? 3 : 2*y").size() == 6); // x, < 0.5, 3, 2, * y, select
  CHECK(joined("(x + y)*(x - y)").size() == 5);   // x, + y, x, - y, *
  CHECK(joined("sin(pi*x)*sinh(pi*y)/sinh(pi)").size() == 8);
}

TEST_CASE("constant expressions fold to a number", "[physics][host]") {
  for (const char* text : {"48", "2*pi", "-2^2", "1 < 2 ? 3 : 4", "max(1, 2)^3 - sqrt(16)", "0.0254/32", "step(0)"})
    CHECK(Expression::parse(text).is_constant());
  CHECK(Expression::parse("-2^2").value() == -4.);
  CHECK(Expression::parse("2^-1").value() == 0.5);
  CHECK(Expression::parse("1 < 2 ? 3 : x").value() == 3.);
  CHECK(Expression::parse("2 + 3*4").value() == 14.);
  CHECK(Expression::parse(" ( 1e3 ) ").value() == 1000.);
  CHECK(Expression().value() == 0.);
  const Expression linear = Expression::parse("2*x + pi*2");
  CHECK_FALSE(linear.is_constant());
  CHECK(linear.depends_on(Opcode::x));
  CHECK_FALSE(linear.depends_on(Opcode::t));
  CHECK(linear.code().size() == 5); // 2, x, *, 2 pi, +
}

TEST_CASE("parse errors report the column and what was expected", "[physics][host]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(message_of("sin(x + )"), ContainsSubstring("column 9: expected a number, a name or '(', found ')'") &&
                                          ContainsSubstring("\n    sin(x + )\n            ^"));
  CHECK_THAT(message_of("r"), ContainsSubstring("x is the radius of axisymmetric problems"));
  CHECK_THAT(message_of("ln(x)"), ContainsSubstring("the natural logarithm is log"));
  CHECK_THAT(message_of(""), ContainsSubstring("empty"));
  CHECK_THAT(message_of("   "), ContainsSubstring("empty"));
  CHECK_THAT(message_of("1 +"), ContainsSubstring("column 4") && ContainsSubstring("found the end"));
  CHECK_THAT(message_of("(x"), ContainsSubstring("expected an operator or ')', found the end"));
  CHECK_THAT(message_of("x)"), ContainsSubstring("expected an operator or the end, found ')'"));
  CHECK_THAT(message_of("2 x"), ContainsSubstring("column 3: expected an operator or the end, found 'x'"));
  for (const char* text : {"5 mm", "5mm", "1e-3 m", "1 %", "16 GB", "5 eV", "3 \xc2\xb5m"})
    CHECK_THAT(message_of(text), ContainsSubstring("numbers have no unit behind them (all are in SI units), found '"));
  for (const char* text : {"2 x", "2 pi", "2 sin(x)", "0x10", "x mm", "1_000"})
    CHECK_THAT(message_of(text), !ContainsSubstring("unit"));
  CHECK_THAT(message_of("foo(x)"), ContainsSubstring("instead of 'foo'") && ContainsSubstring("sin"));
  CHECK_THAT(message_of("r + 1"), ContainsSubstring("column 1") && ContainsSubstring("'r'"));
  CHECK_THAT(message_of("sin"), ContainsSubstring("'(' after 'sin'"));
  CHECK_THAT(message_of("sin(x, y)"), ContainsSubstring("takes 1 argument"));
  CHECK_THAT(message_of("atan2(x)"), ContainsSubstring("takes 2 arguments"));
  CHECK_THAT(message_of("min(x, y, z)"), ContainsSubstring("takes 2 arguments"));
  CHECK_THAT(message_of("x ** 2"), ContainsSubstring("'^'"));
  CHECK_THAT(message_of("x ? 1"), ContainsSubstring("':'"));
  CHECK_THAT(message_of("1e"), ContainsSubstring("exponent"));
  CHECK_THAT(message_of("."), ContainsSubstring("digit"));
  CHECK_THAT(message_of("x $ y"), ContainsSubstring("column 3"));
  CHECK_THAT(message_of("x = y"), ContainsSubstring("column 3"));
  CHECK_THAT(message_of(std::string(10000, '(')), ContainsSubstring("nesting"));
  CHECK_THAT(message_of(std::string(10000, '-') + "1"), ContainsSubstring("nesting"));
  std::string deep = "x";
  for (int i = 0; i < 30; ++i)
    deep = "x + (x*" + deep + ")";
  CHECK_THAT(message_of(deep), ContainsSubstring("intermediate values"));
}

TEST_CASE("a constant part that is no finite number is reported", "[physics][host]") {
  CHECK(message_of("sqrt(-1)") == "'sqrt(-1)' gives nan, which is no finite number.");
  CHECK(message_of("x + 2*( 1 / 0 )") == "'1 / 0' gives inf, which is no finite number.");
  CHECK(message_of("1/(1/0)") == "'1/0' gives inf, which is no finite number.");
  CHECK(message_of("min(x, -1e400)") == "'1e400' gives inf, which is no finite number.");
  CHECK(message_of("0^-1 + x") == "'0^-1' gives inf, which is no finite number.");
  CHECK(message_of("x > 0 ? log(0) : 1") == "'log(0)' gives -inf, which is no finite number.");
  // A known condition removes the other branch.
  CHECK(Expression::parse("0 > 1 ? 1/0 : x")(2., 0.) == 2.);
  CHECK(Expression::parse("0 < 1 ? x : 1/0")(2., 0.) == 2.);
  CHECK(message_of("0 < 1 ? 1/0 : x") == "'1/0' gives inf, which is no finite number.");
}

TEST_CASE("a number too small for double precision is reported instead of counting as zero", "[physics][host]") {
  using Catch::Matchers::ContainsSubstring;
  for (const char* text : {"1e-400", "-1e-400", "x + 0*.5e-330", "0.0000001e-320"})
    CHECK_THAT(message_of(text), ContainsSubstring("is below the smallest number of double precision (4.9e-324)"));
  CHECK_THAT(message_of("2 + 1e-400"), ContainsSubstring("'1e-400' is below"));
  CHECK(Expression::parse("0e-400").value() == 0.);
  CHECK(Expression::parse("0.00").value() == 0.);
  CHECK(Expression::parse("5e-324").value() > 0.);
}

TEST_CASE("the opposite sign needs no text", "[physics][host]") {
  CHECK((-Expression::parse("x - 1"))(3., 0.) == -2.);
  CHECK((-Expression(2.)).value() == -2.);
  std::string deep = "x";
  while (message_of(deep) == "no error")
    deep = "(" + deep + ")";
  deep = deep.substr(1, deep.size() - 2); // the deepest nesting that parses
  CHECK((-Expression::parse(deep))(3., 0.) == -3.);
}

TEST_CASE("long and deep expressions take a linear time, and their messages stay short", "[physics][host]") {
  std::string sum;
  for (int i = 0; i < 200000; ++i)
    sum += "x+";
  CHECK(Expression::parse(sum + "1")(1., 0.) == 200001.); // with a copy per term, this took a minute
  CHECK(Expression::parse(sum + "1").store_repeated_parts()(1., 0.) == 200001.);
  CHECK(message_of(sum).size() < 300);
  CHECK(message_of(std::string(100000, '(')).find("at most 200 levels") != std::string::npos);
  CHECK(message_of(std::string(100000, '-') + "1").find("at most 200 levels") != std::string::npos);
  CHECK(message_of(std::string(100000, 'k')).size() < 500);
  CHECK(message_of("x \x1b").find("found a control character") != std::string::npos);
  CHECK(message_of("2 \xc3\x97 3").find("found '\xc3\x97'") != std::string::npos);
}
