// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/time/step_ends.hpp"
#include "support/is_near.hpp"

#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

std::vector<driver::StepEnd> ends_of(const io::TimeOptions& time, const std::string& data = "1",
                                     const std::vector<double>& output_times = {}) {
  return driver::step_ends(time, output_times, {physics::Expression::parse(data)});
}

io::TimeOptions equal_steps(int steps) {
  io::TimeOptions time;
  time.to = 1.;
  time.steps = steps;
  return time;
}

std::vector<double> instants(const std::vector<driver::StepEnd>& ends) {
  std::vector<double> list;
  for (const driver::StepEnd& end : ends)
    list.push_back(end.at);
  return list;
}

} // namespace

TEST_CASE("Equal steps end at the end, and fit between breaks of the data") {
  CHECK(instants(ends_of(equal_steps(4))) == std::vector<double>{0.25, 0.5, 0.75, 1.});
  const auto ends = ends_of(equal_steps(4), "x*(t >= 0.3)");
  REQUIRE(ends.size() == 5); // 2 of 0.15, 3 of 0.2333
  CHECK(ends[1].is_break);
  CHECK(ends[1].at == 0.3);
  CHECK(ends[1].before < 0.3);
  CHECK(is_near(ends[2].at, 0.3 + 0.7 / 3.));
  CHECK(!ends[2].is_break);
  CHECK(ends.back().at == 1.);
}

TEST_CASE("Breaks are found in every operation on t alone, and only there") {
  for (const char* data : {"t < 0.3", "step(t - 0.3)", "abs(t - 0.3)", "min(t, 0.3)", "sign(0.3 - t)", "floor(t + 0.7)",
                           "exp(-x)*max(2*t, 0.6)"}) {
    INFO(data);
    const auto ends = ends_of(equal_steps(1), data);
    REQUIRE(ends.size() == 2);
    CHECK(is_near(ends[0].at, 0.3));
    CHECK(ends[0].is_break);
  }
  for (const char* data : {"sin(20*t)", "x < t", "step(x - 0.5)*t", "abs(t)"})
    CHECK(ends_of(equal_steps(1), data).size() == 1);
}

TEST_CASE("Breaks that differ by rounding are one") {
  const auto ends = ends_of(equal_steps(1), "(3*t < 0.9) + (t < 0.3) + (t/3 >= 0.1)");
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].before < ends[0].at);
  for (const double t : {ends[0].at, ends[0].before}) {
    const double value = physics::Expression::parse("(3*t < 0.9) + (t < 0.3) + (t/3 < 0.1)")(0., 0., 0., t);
    CHECK(value == (t == ends[0].at ? 0. : 3.));
  }
}

TEST_CASE("Given sizes keep their ends, and breaks are added") {
  io::TimeOptions time;
  time.from = 1.;
  time.sizes = {0.5, 0.25, 0.25};
  time.steps = 3;
  time.to = 2.;
  time.breaks = {1.6};
  CHECK(instants(ends_of(time)) == std::vector<double>{1.5, 1.6, 1.75, 2.});
}

TEST_CASE("Controlled steps have to end at breaks and at the times of the output") {
  io::TimeOptions time;
  time.to = 1.;
  time.tolerance = 1e-3;
  const auto ends = ends_of(time, "t < 0.25", {0.25, 0.5});
  REQUIRE(instants(ends) == std::vector<double>{0.25, 0.5, 1.});
  CHECK(ends[0].is_break);
  CHECK(ends[0].is_output);
  CHECK(!ends[1].is_break);
  CHECK(ends[1].is_output);
  CHECK(!ends[2].is_output);
}

} // namespace tessera::test
