// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"
#include "io/materials/bh_table.hpp"
#include "physics/expressions/bh_curve.hpp"
#include "physics/expressions/expression.hpp"
#include "target.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tessera::fuzz {

namespace {

/// Keywords of a case.
const std::vector<std::string>& case_words() {
  static const std::vector<std::string> words{"tessera: 1\n",
                                              "mesh:",
                                              "box: {cells: [2, 2]}",
                                              "refine: 2",
                                              "problem:",
                                              "physics: magnetostatics",
                                              "materials:",
                                              "boundaries:",
                                              "{potential: 1}",
                                              "{robin: {coefficient: 1, reference: 0}}",
                                              "floating: {charge: 0}",
                                              "periodic: right",
                                              "coils:",
                                              "sources:",
                                              "&a ",
                                              "*a",
                                              "<<: *a",
                                              "!!float ",
                                              "? ",
                                              "- ",
                                              "---\n",
                                              "...\n",
                                              "#",
                                              "\"",
                                              "'",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              ", ",
                                              ": ",
                                              "|\n",
                                              ">\n",
                                              "\t",
                                              "\xff\xfe",
                                              "\xef\xbb\xbf",
                                              "\xc3\x28",
                                              "\r\n",
                                              "null",
                                              "~",
                                              ".inf",
                                              ".nan",
                                              "sin(x)",
                                              "x^2^3",
                                              "((((",
                                              "1/0",
                                              "log(-1)",
                                              "order: 2",
                                              "reproducible: true",
                                              "strategy: auto"};
  return words;
}

class CaseTarget : public Target {
public:
  CaseTarget() {
    for (const std::string& file : seed_files("inputs", ".yaml")) {
      std::string text = read_file(file);
      const std::string folder = std::filesystem::path(file).parent_path().string() + "/";
      for (const char* key : {"geometry: ", "bh_curve: "}) // cases name files in their folder
        if (const std::size_t at = text.find(key); at != std::string::npos && text[at + 10] != '[')
          text.insert(at + 10, folder);
      seeds_.push_back(text);
    }
  }
  std::string make(Random& random) const override { return mutate_text(random.pick(seeds_), case_words(), random); }

  /// The resolved case must read back as the same case.
  Outcome take(const std::string& input, const std::string& folder) const override {
    const io::Case first = io::read_case_text(input, folder + "/case.yaml");
    const std::string resolved = io::resolved_text(first);
    try {
      const io::Case second = io::read_case_text(resolved, folder + "/case.yaml");
      if (io::resolved_text(second) != resolved)
        return Outcome::refuted("the resolved case reads back as another one");
    } catch (const Error& error) {
      return Outcome::refuted(std::string("the resolved case is refused: ") + error.what());
    }
    return {};
  }

private:
  std::vector<std::string> seeds_;
};

/// "H, B" lines that every reader must interpret in the same way.
std::vector<std::array<double, 2>> plain_rows(const std::string& text) {
  std::vector<std::array<double, 2>> rows;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    double h = 0., b = 0.;
    int length = -1;
    const std::string line = text.substr(begin, end - begin);
    if (line.find_first_not_of("0123456789.,eE+- \r") == std::string::npos &&
        std::sscanf(line.c_str(), "%lf , %lf %n", &h, &b, &length) == 2 && length == static_cast<int>(line.size()))
      rows.push_back({h, b});
    begin = end + 1;
  }
  return rows;
}

class TableTarget : public Target {
public:
  std::string make(Random& random) const override {
    std::string table = random.chance(50) ? "H,B\n" : "# H in A/m, B in T\n";
    double h = 0., b = 0.;
    const std::size_t n = 2 + random.below(8);
    char line[80];
    for (std::size_t i = 0; i < n; ++i) {
      std::snprintf(line, sizeof(line), "%.6g, %.6g\n", h, b);
      table += line;
      h += 50. * static_cast<double>(1 + random.below(20)) * static_cast<double>(i + 1);
      b += 0.3 / static_cast<double>(i + 1);
    }
    static const std::vector<std::string> words{"H,B\n", "B,H\n", ";",  "\t", "#", "\r\n",     "\xef\xbb\xbf",
                                                "T",     "A/m",   "\"", ",,", " ", "1e5, 3\n", "0, 0\n"};
    return random.chance(10) ? table : mutate_text(table, words, random);
  }

  /// An accepted curve must rise from (0, 0), contain every plain line, and pass through it.
  Outcome take(const std::string& input, const std::string& folder) const override {
    const std::string path = folder + "/curve.csv";
    write_file(path, input);
    io::InputErrors errors;
    io::Location where;
    where.file = "case.yaml";
    const io::BhCurve curve = io::read_bh_file(path, where, errors);
    const physics::BhTable& table = curve.table;
    errors.throw_if_any();
    const std::vector<std::array<double, 2>> rows = plain_rows(input);
    for (const auto& [h, b] : rows)
      if (std::find(table.begin(), table.end(), std::array<double, 2>{h + curve.coercive_field, b}) == table.end())
        return Outcome::refuted("a line of the file is not in the table");
    if (table.size() < 2 || table[0] != std::array<double, 2>{0., 0.})
      return Outcome::refuted("the table does not begin at (0, 0)");
    const std::vector<physics::BhPiece> pieces = physics::make_bh_pieces(table);
    for (std::size_t i = 0; i + 1 < table.size(); ++i) {
      const double dh = table[i + 1][0] - table[i][0], db = table[i + 1][1] - table[i][1];
      if (!(dh > 0. && db > 0. && std::isfinite(dh) && std::isfinite(db)))
        return Outcome::refuted("the table does not rise");
      const physics::BhPiece& piece = pieces[i];
      const double end = piece.h + db * (piece.c1 + db * (piece.c2 + db * piece.c3));
      if (!(std::fabs(end - table[i + 1][0]) <= 1e-9 * table[i + 1][0])) // rounding of a cubic in Horner's form
        return Outcome::refuted("the curve misses a point of the table");
      for (int k = 0; k <= 8; ++k) {
        const double t = db * k / 8.;
        if (!(piece.c1 + t * (2. * piece.c2 + 3. * t * piece.c3) >= 0.))
          return Outcome::refuted("the curve falls between two points");
      }
    }
    return {};
  }
};

class ExpressionTarget : public Target {
public:
  std::string make(Random& random) const override {
    static const std::vector<std::string> words{"x",  "y",    "z",     "t",     "+",  "-",      "*",    "/",      "^",
                                                "(",  ")",    "sin(",  "log(",  "1",  "2.",     ".5",   "1e3",    "pi",
                                                "e",  "<",    "<=",    "==",    "&&", "||",     "!",    "?",      ":",
                                                ",",  "min(", " ",     "1e308", "0",  "hypot(", "abs(", "atan2(", "!=",
                                                "16", "-1",   "step(", "((",    "))", "ceil(",  "e5",   "\xc3"};
    std::string text;
    const std::size_t n = 1 + random.below(random.chance(2) ? 20000 : 16);
    for (std::size_t i = 0; i < n; ++i)
      text += random.pick(words);
    return random.chance(50)
               ? text
               : mutate_text("(x > 0 ? sqrt(x)*" + text.substr(0, 40) + " : atan2(y, 1 + z^2))", words, random);
  }

  /// Enclosing brackets change nothing, and neither does reading it twice.
  Outcome take(const std::string& input, const std::string&) const override {
    const physics::Expression plain = physics::Expression::parse(input);
    if (input.size() > 200) // brackets may exceed the length limit
      return {};
    const physics::Expression bracketed = physics::Expression::parse("(" + input + ")");
    for (const double x : {0., 0.7, -3., 1e10}) {
      const double a = plain(x, 0.3, 2. * x), b = bracketed(x, 0.3, 2. * x);
      if (std::memcmp(&a, &b, sizeof(a)) != 0 && !(std::isnan(a) && std::isnan(b)))
        return Outcome::refuted("'" + input + "' in brackets has another value");
    }
    return {};
  }
};

} // namespace

std::unique_ptr<Target> make_case_target() { return std::make_unique<CaseTarget>(); }
std::unique_ptr<Target> make_table_target() { return std::make_unique<TableTarget>(); }
std::unique_ptr<Target> make_expression_target() { return std::make_unique<ExpressionTarget>(); }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path); // some file systems flush a file that is truncated and rewritten
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<std::string> seed_files(const std::string& folder, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TESSERA_SOURCE_DIR "/" + folder))
    if (entry.path().extension() == ending)
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end()); // a folder lists them in any order
  return files;
}

} // namespace tessera::fuzz
