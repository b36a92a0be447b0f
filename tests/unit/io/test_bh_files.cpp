// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/materials/bh_table.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/stat.h>

#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;
using tessera::physics::BhTable;

namespace {

struct Reading {
  BhTable table;
  double coercive_field = 0.;
  std::string message; ///< error messages, or "no error"
  std::vector<std::string> notes;
};

Reading read_file(const std::string& path) {
  InputErrors errors;
  Reading reading;
  const BhCurve curve = read_bh_file(path, {"case.yaml", 5, "problem.materials.core.bh_curve"}, errors);
  reading.table = curve.table;
  reading.coercive_field = curve.coercive_field;
  reading.notes = errors.notes();
  reading.message = "no error";
  try {
    errors.throw_if_any();
  } catch (const tessera::Error& error) {
    reading.message = error.what();
  }
  return reading;
}

Reading read_text(const std::string& text) {
  const tessera::test::TemporaryFolder folder;
  return read_file(folder.write("steel.csv", text));
}

const BhTable steel{{0., 0.}, {100., 1.}, {1000., 1.5}};
const std::string rows = "0,0\n100,1\n1000,1.5\n";

} // namespace

TEST_CASE("the curve of a magnet begins at its coercive field", "[io][host]") {
  const Reading magnet = read_text("H,B\n-1000,0\n-900,0.5\n0,1\n1000,1.1\n");
  CHECK(magnet.message == "no error");
  CHECK(magnet.coercive_field == 1000.);
  CHECK(magnet.table == BhTable{{0., 0.}, {100., 0.5}, {1000., 1.}, {2000., 1.1}});
  CHECK_THAT(read_text("-1000,0\n-900,0.5\n").message, ContainsSubstring("steel.csv:2") &&
                                                           ContainsSubstring("ends at H > 0") &&
                                                           ContainsSubstring("point 2: H = -900, B = 0.5"));
  CHECK_THAT(read_text("-1000,0.1\n0,1\n").message, ContainsSubstring("starts at [0, 0]"));
}

TEST_CASE("B-H files are read as programs and spreadsheets write them", "[io][host]") {
  const char* const files[] = {
      "\xef\xbb\xbf"
      "0,0\n100,1\n1000,1.5\n", // byte order mark
      "\xef\xbb\xbf"
      "H,B\r\n0,0\r\n100,1\r\n1000,1.5\r\n", // and a header
      "H;B\n0;0\n100;1\n1000;1.5",
      "H\tB\n0\t0\n100\t1\n1000\t1.5\n",
      "H (A/m), B (T)\n0,0\n100,1\n1000,1.5\n",
      "\"H [A/m]\";\"B [T]\"\n0;0\n100;1\n1000;1.5\n",
      "H/(A/m) B/T\n0 0\n100 1\n1000 1.5\n",
      "magnetic field strength,flux density\n0,0\n100,1\n1000,1.5\n",
      "B-H curve of a steel, as measured, at 20 degrees\n0,0\n100,1\n1000,1.5\n",
      "steel,M19\n0,0\n100,1\n1000,1.5\n",
  };
  for (const char* text : files) {
    INFO(text);
    const Reading reading = read_text(text);
    CHECK(reading.message == "no error");
    CHECK(reading.table == steel);
    CHECK(reading.notes.empty());
  }
}

TEST_CASE("a header that says other columns or units is refused", "[io][host]") {
  CHECK_THAT(read_text("B,H\n" + rows).message,
             ContainsSubstring(
                 "steel.csv:1: problem.materials.core.bh_curve: column 1 must hold H in A/m, but its heading is 'b'"));
  for (const char* header :
       {"\xef\xbb\xbf"
        "B,H",
        "B (T); H (A/m)", "# measured\nB\tH", "B [T] H [A/m]", "flux density,field strength", "H (kA/m),B (T)",
        "H in Oe, B in G", "H [A/m],B [mT]", "H,J (T)", "H/(A/m),M/(A/m)", "\"B\",\"H\"", "H  (kA/m)  B  (T)"}) {
    INFO(header);
    const Reading reading = read_text(header + ("\n" + rows));
    CHECK_THAT(reading.message, ContainsSubstring("must hold"));
    CHECK(reading.table.empty());
  }
}

TEST_CASE("what is no number in a B-H file is refused with its line", "[io][host]") {
  for (const char* line : {"0x10,1", "nan,1", "1,inf", "0,5;1,2", "1e,2", "100,1,2", "100", "H,B", "A/m,T"}) {
    INFO(line);
    CHECK_THAT(read_text("H,B\n0,0\n" + std::string(line) + "\n1000,1.5\n").message,
               ContainsSubstring(
                   "steel.csv:3: problem.materials.core.bh_curve: expected two numbers, H in A/m and B in T, found"));
  }
  CHECK_THAT(read_text("0,o\n100,1\n").message,
             ContainsSubstring("steel.csv:1: problem.materials.core.bh_curve: expected two numbers"));
  CHECK(read_text("H,B\n0,0\n" + std::string(100000, '\a') + "\n").message.size() < 1000);
  CHECK_THAT(read_text("0,0\n1e-200,1e-200\n100,1\n").message,
             ContainsSubstring("steel.csv:2") && ContainsSubstring("at least 1e-12"));
}

TEST_CASE("a polarisation that no material has is noted", "[io][host]") {
  const Reading swapped = read_text("0,0\n0.5,20\n1,40\n");
  CHECK(swapped.message == "no error");
  REQUIRE(swapped.notes.size() == 1);
  CHECK_THAT(
      swapped.notes[0],
      ContainsSubstring(
          "steel.csv:2: problem.materials.core.bh_curve: B - mu0 H is more than 10 T (point 2: H = 0.5, B = 20)"));
  CHECK(read_text("0,0\n100,1\n1e7,14.5\n").notes.empty()); // a strong field in saturated steel
}

TEST_CASE("a saturated end that rises less than vacuum is raised, and nothing else", "[io][host]") {
  // Points of FEMM's M-43 and of its Supermalloy, where intervals that rise enough follow.
  BhTable steel = {{0., 0.}, {100., 1.}, {98033.7, 2.145}, {181684.2, 2.25}, {223103.6, 2.2999}};
  RaisedPoints raised = raise_saturated_end(steel);
  CHECK(raised.first == 3);
  CHECK(raised.last == 4);
  CHECK_THAT(steel[3][1],
             Catch::Matchers::WithinRel(2.145 + tessera::physics::vacuum_permeability * (181684.2 - 98033.7), 1e-15));
  CHECK_THAT(steel[4][1],
             Catch::Matchers::WithinRel(2.145 + tessera::physics::vacuum_permeability * (223103.6 - 98033.7), 1e-15));
  CHECK_THAT(raised.largest, Catch::Matchers::WithinRel(steel[4][1] - 2.2999, 1e-12));
  CHECK(tessera::physics::check_bh_table(steel).text.empty());
  BhTable later = {{0., 0.}, {10., 0.7}, {2e4, 0.7229}, {1e5, 0.826}};
  raised = raise_saturated_end(later);
  CHECK((raised.first == 2 && raised.last == 2));
  CHECK(later[3][1] == 0.826);
  CHECK(raise_saturated_end(later).largest == 0.);
  for (const BhTable& other : {BhTable{{0., 0.}, {100., 1.}, {1e5, 1.06}, {2e5, 1.5}},   // below half of vacuum's
                               BhTable{{0., 0.}, {100., 1.}, {1e5, 1.12}, {1.1e5, 1.4}}, // rises again after it
                               BhTable{{0., 0.}, {1e6, 1.}}}) {
    BhTable table = other;
    CHECK(raise_saturated_end(table).largest == 0.);
    CHECK(table == other);
    CHECK(tessera::physics::check_bh_table(table).text.find("less than in vacuum") != std::string::npos);
  }
}

TEST_CASE("a note says where a B-H curve was raised", "[io][host]") {
  const Reading reading = read_text("0,0\n100,1\n1e5,2.1\n2e5,2.2256\n");
  CHECK(reading.message == "no error");
  REQUIRE(reading.notes.size() == 1);
  CHECK_THAT(reading.notes[0],
             ContainsSubstring("steel.csv:4: problem.materials.core.bh_curve: at point 4 B rises less than "
                               "in vacuum") &&
                 ContainsSubstring("raised by up to 6.4e-05 T"));
  CHECK(reading.table[3][1] > 2.2256);
}

TEST_CASE("a B-H file is a regular file", "[io][host]") {
  const tessera::test::TemporaryFolder folder;
  CHECK_THAT(read_file("/dev/zero").message,
             ContainsSubstring("case.yaml:5") && ContainsSubstring("cannot be read: it is no regular file"));
  REQUIRE(::mkfifo(folder.file("pipe.csv").c_str(), 0600) == 0);
  CHECK_THAT(read_file(folder.file("pipe.csv")).message, ContainsSubstring("is no regular file"));
  CHECK_THAT(read_file(folder.file(".")).message, ContainsSubstring("is a folder"));
  CHECK_THAT(read_file(folder.file("none.csv")).message, ContainsSubstring("does not exist"));
}
