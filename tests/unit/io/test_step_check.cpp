// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/geometry/step_check.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>

namespace {

using namespace tessera;
using tessera::io::check_step;
using tessera::test::data_file;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;

} // namespace

TEST_CASE("a STEP file that lacks an entity is refused with the line that wants it", "[io]") {
  const TemporaryFolder folder;
  const auto check = [&folder](const std::string& data) {
    check_step(folder.write("a.step", "ISO-10303-21;\nDATA;\n" + data + "ENDSEC;\n"));
  };
  CHECK_NOTHROW(check("#1 = POINT('', #2);\n#2=\nVALUE(1.);\n"));
  CHECK_NOTHROW(check("#1 = NAME('a #7 ''#8'' #9', \"#10\") /* #11 */;\n"));
  CHECK_NOTHROW(check("#1 = A(# );\n"));
  CHECK_THROWS_WITH(check("#1 = POINT('',\n(#2, #3));\n#2=VALUE(1.);\n"),
                    ContainsSubstring("a.step:4: the entity #3 is not defined"));
  CHECK_THROWS_WITH(check("#1 = A(#2);\n#2 = B();\n#1 = A(#2);\n"),
                    ContainsSubstring("a.step:5: the entity #1 is defined a second time"));
  CHECK_NOTHROW(check_step(folder.write("b.step", "")));
  CHECK_NOTHROW(check_step(folder.write("c.step", "#")));
  CHECK_NOTHROW(check_step(folder.write("d.step", "/*")));
  CHECK_NOTHROW(check_step(folder.write("e.step", "'")));
}

TEST_CASE("the unit of lengths is read from a STEP file", "[io]") {
  const TemporaryFolder folder;
  const auto unit_of = [&folder](const std::string& entity) {
    return io::step_length_unit(folder.write("a.step", "DATA;\n#1 = A();\n#2 = ( " + entity + " );\n#3 = B();\n"));
  };
  CHECK(io::step_length_unit(data_file("box.step")) == "mm");
  CHECK(unit_of("LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.)") == "m");
  CHECK(unit_of("NAMED_UNIT(*) SI_UNIT(.MICRO.,.METRE.) LENGTH_UNIT()") == "um");
  CHECK(unit_of("CONVERSION_BASED_UNIT('INCH',#3) LENGTH_UNIT() NAMED_UNIT(#3)") == "INCH");
  CHECK(unit_of("NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.)") == "");
  CHECK(unit_of("LENGTH_UNIT() SI_UNIT(") == "");
}

TEST_CASE("no entity of a STEP file goes missing unseen", "[io]") {
  const TemporaryFolder folder;
  for (const char* name : {"box.step", "boxes.step"})
    CHECK_NOTHROW(check_step(data_file(name)));
  std::ifstream file(data_file("box.step"));
  std::vector<std::string> statements;
  for (std::string statement; std::getline(file, statement, ';');)
    statements.push_back(statement);
  std::size_t n_used = 0;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const std::size_t equals = statements[k].find('=');
    if (statements[k].compare(0, 2, "\n#") != 0 || equals == std::string::npos)
      continue;
    std::string rest;
    for (std::size_t other = 0; other < statements.size(); ++other)
      rest += other == k ? "" : statements[other] + ";";
    const std::string number = statements[k].substr(1, statements[k].find(' ') - 1);
    const bool is_used = rest.find(number + ",") != std::string::npos || rest.find(number + ")") != std::string::npos;
    n_used += is_used ? 1 : 0;
    CAPTURE(number);
    const std::string path = folder.write("a.step", rest);
    if (is_used)
      CHECK_THROWS_AS(check_step(path), Error);
    else
      CHECK_NOTHROW(check_step(path));
  }
  CHECK(n_used > 300);
}
