// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/console.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sstream>

using namespace tessera;

TEST_CASE("quiet consoles print nothing", "[io][host]") {
  std::ostringstream out;
  io::Console console(out, true, true);
  console.line("text");
  console.phase_table({{"mesh", 1., "host", 10}});
  console.quantity("energy", 1., "J");
  console.listener()("mesh", false, 0.);
  console.progress("x");
  CHECK(out.str().empty());
}

TEST_CASE("the live line is drawn on terminals only and cleared before other text", "[io][host]") {
  std::ostringstream plain;
  io::Console file(plain, false, false);
  file.listener()("mesh", false, 0.);
  CHECK(plain.str().empty());

  std::ostringstream out;
  io::Console console(out, false, true);
  const PhaseListener listener = console.listener();
  listener("mesh", false, 0.);
  CHECK(out.str().find("mesh ...") != std::string::npos);
  console.line("text");
  CHECK(out.str().find("\r\x1b[Ktext\n") != std::string::npos);
  listener("solve", false, 0.);
  listener("solve", true, 1.);
  const std::string end = "\r\x1b[K";
  CHECK(out.str().substr(out.str().size() - end.size()) == end);
}

TEST_CASE("the phase table adds phases of one name up", "[io][host]") {
  std::ostringstream out;
  io::Console console(out, false, false);
  console.phase_table(
      {{"assembly", 1., "openmp", 1024}, {"solve", 2., "openmp", 4096}, {"assembly", 1., "openmp", 2048}});
  const std::string text = out.str();
  INFO(text);
  CHECK(text.find("2.00 s") != std::string::npos);
  CHECK(text.find("50 %") != std::string::npos);
  CHECK(text.find("4.00 s") != std::string::npos);
  CHECK(text.find("4.0 KiB") != std::string::npos);
  CHECK(text.find("assembly") == text.rfind("assembly"));
}

TEST_CASE("numbers for people have units and groups of digits", "[io][host]") {
  CHECK(io::format_seconds(0.0123) == "12.3 ms");
  CHECK(io::format_seconds(2e-6) == "2 us");
  CHECK(io::format_seconds(600.) == "10.0 min");
  CHECK(io::format_count(2000000) == "2 000 000");
  CHECK(io::format_count(999) == "999");
  CHECK(io::format_count(-1000) == "-1 000");
}
