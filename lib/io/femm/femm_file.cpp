// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/femm/femm_file.hpp"

#include "core/error.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace tessera::io {

namespace {

constexpr std::size_t max_bytes = std::size_t{64} << 20;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// The keys of a kind of property, in lower case.
struct PropertyKeys {
  const char* section; ///< "pointprops": its number of properties
  const char* begin;   ///< "beginpoint"
  const char* end;
  const char* name;
  std::set<std::string> values;
};

std::vector<PropertyKeys> property_keys(FemmKind kind) {
  std::set<std::string> point, boundary, block, circuit;
  if (kind == FemmKind::magnetics) {
    point = {"a_re", "a_im", "i_re", "i_im"};
    boundary = {"a_0", "a_1", "a_2",    "phi",       "c0",         "c0i",
                "c1",  "c1i", "mu_ssd", "sigma_ssd", "innerangle", "outerangle"};
    block = {"mu_x",  "mu_y",   "h_c",    "h_cangle", "j_re",    "j_im",  "sigma",   "d_lam",
             "phi_h", "phi_hx", "phi_hy", "lamtype",  "lamfill", "wired", "nstrands"};
    circuit = {"totalamps_re", "totalamps_im", "circuittype"};
  } else if (kind == FemmKind::electrostatics) {
    point = {"vp", "qp"};
    boundary = {"vs", "qs", "c0", "c1"};
    block = {"ex", "ey", "qv"};
    circuit = {"vc", "qc", "conductortype"};
  } else if (kind == FemmKind::heat) {
    point = {"tp", "qp"};
    boundary = {"tset", "qs", "beta", "h", "tinf", "tinfrad"};
    block = {"kx", "ky", "kt", "qv"};
    circuit = {"tc", "qc", "conductortype"};
  } else {
    point = {"vpr", "vpi", "qpr", "qpi"};
    boundary = {"vsr", "vsi", "qsr", "qsi", "c0r", "c0i", "c1r", "c1i"};
    block = {"ox", "oy", "ex", "ey", "ltx", "lty"};
    circuit = {"vcr", "vci", "qcr", "qci", "conductortype"};
  }
  boundary.insert("bdrytype");
  const bool has_circuits = kind == FemmKind::magnetics;
  return {{"pointprops", "beginpoint", "endpoint", "pointname", point},
          {"bdryprops", "beginbdry", "endbdry", "bdryname", boundary},
          {"blockprops", "beginblock", "endblock", "blockname", block},
          {has_circuits ? "circuitprops" : "conductorprops", has_circuits ? "begincircuit" : "beginconductor",
           has_circuits ? "endcircuit" : "endconductor", has_circuits ? "circuitname" : "conductorname", circuit}};
}

class Reader {
public:
  Reader(const std::string& text, FemmFile& file) : text_(text), file_(file), keys_(property_keys(file.kind)) {}

  void read() {
    std::vector<FemmProperty>* const properties[] = {&file_.point_properties, &file_.boundaries, &file_.materials,
                                                     &file_.circuits};
    while (next_line("")) {
      const std::string key = key_of('[', ']');
      require(seen_.insert(key).second, "[" + key + "] is given twice");
      const auto section =
          std::find_if(keys_.begin(), keys_.end(), [&](const PropertyKeys& k) { return key == k.section; });
      if (section != keys_.end())
        read_properties(*section, *properties[section - keys_.begin()]);
      else if (key == "numpoints")
        read_rows(key, [&](const Row& row) { add_point(row); });
      else if (key == "numsegments")
        read_rows(key, [&](const Row& row) { add_curve(row, false); });
      else if (key == "numarcsegments")
        read_rows(key, [&](const Row& row) { add_curve(row, true); });
      else if (key == "numholes")
        read_rows(key, [&](const Row& row) { add_hole(row); });
      else if (key == "numblocklabels")
        read_rows(key, [&](const Row& row) { add_label(row); });
      else
        read_setting(key);
    }
    for (const char* key : {"numpoints", "numsegments", "numarcsegments", "numblocklabels"})
      require(seen_.count(key) > 0, std::string("the file has no [") + key + "]: it is truncated, or not one of FEMM");
  }

private:
  /// A line of numbers, and a text in quotes at its end.
  struct Row {
    std::vector<double> numbers;
    std::string text;
  };

  void require(bool condition, const std::string& message) const {
    TESSERA_REQUIRE(condition, file_.at(line_number_) << message << '.');
  }

  /// Moves to the next line that is not empty; false at the end. `within`: what must not end there.
  bool next_line(const std::string& within) {
    do {
      if (at_ >= text_.size()) {
        require(within.empty(), "the file ends within " + within + ": it is truncated");
        return false;
      }
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line_ = trimmed(text_.substr(at_, end - at_));
      at_ = end + 1;
      ++line_number_;
    } while (line_.empty());
    return true;
  }

  /// The key at the beginning of the line, "[Depth]" or "<Mu_x>", in lower case.
  std::string key_of(char open, char close) const {
    const std::size_t end = line_.find(close);
    require(line_[0] == open && end != std::string::npos,
            std::string("expected a key ") + open + "..." + close + ", found '" + printable(line_) + "'");
    return lower_case(line_.substr(1, end - 1));
  }

  /// What follows the equals sign; without quotes.
  std::string value() const {
    const std::size_t equals = line_.find('=');
    require(equals != std::string::npos, "'" + printable(line_) + "' has no value: '=' is missing");
    const std::string value = trimmed(line_.substr(equals + 1));
    const std::size_t first = value.find('"'), last = value.rfind('"');
    return first == std::string::npos || first == last ? value : value.substr(first + 1, last - first - 1);
  }

  double number_of(const std::string& word) const {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    require(!word.empty() && *end == '\0' && std::isfinite(number), "'" + printable(word) + "' is not a finite number");
    return number;
  }

  int integer_of(double number, int lowest, int highest, const std::string& what) const {
    require(number == std::floor(number) && number >= lowest && number <= highest,
            what + " " + number_text(number) + " is not a whole number from " + std::to_string(lowest) + " to " +
                std::to_string(highest));
    return static_cast<int>(number);
  }

  int count(const std::string& section) const {
    return integer_of(number_of(value()), 0, 10000000, "the number of [" + section + "],");
  }

  Row row() const {
    Row row;
    const std::size_t quote = line_.find('"');
    const std::string numbers = line_.substr(0, quote);
    if (quote != std::string::npos)
      row.text = line_.substr(quote + 1, std::max(line_.rfind('"'), quote + 1) - quote - 1);
    for (std::size_t begin = numbers.find_first_not_of(" \t"); begin != std::string::npos;) {
      const std::size_t end = std::min(numbers.find_first_of(" \t", begin), numbers.size());
      row.numbers.push_back(number_of(numbers.substr(begin, end - begin)));
      begin = numbers.find_first_not_of(" \t", end);
    }
    return row;
  }

  void read_setting(const std::string& key) {
    static const std::set<std::string> known = {"format",   "frequency",   "precision", "minangle",    "dosmartmesh",
                                                "depth",    "lengthunits", "extzo",     "problemtype", "coordinates",
                                                "acsolver", "prevtype",    "prevsoln",  "extro",       "extri",
                                                "comment",  "dt"};
    require(key != "solution", "the file holds a solution; give the problem file (.fem, .fee, .feh or .fec)");
    require(known.count(key) > 0, "unknown key '[" + printable(key) + "]'");
    const bool has_text = key == "comment" || key == "prevsoln";
    const bool is_name = key == "lengthunits" || key == "problemtype" || key == "coordinates";
    file_.settings[key] = is_name ? lower_case(value()) : value();
    if (!has_text && !is_name)
      number_of(value());
    const auto choose = [&](const char* of, const std::set<std::string>& names) {
      require(key != of || names.count(file_.settings[key]) > 0, "unknown value '" + printable(value()) + "'");
    };
    choose("lengthunits", {"inches", "millimeters", "centimeters", "meters", "mils", "microns", "micrometers"});
    choose("problemtype", {"planar", "axisymmetric"});
    choose("coordinates", {"cartesian", "polar"});
  }

  void read_properties(const PropertyKeys& keys, std::vector<FemmProperty>& properties) {
    const std::string section = "[" + std::string(keys.section) + "]";
    const int n = count(keys.section);
    for (int i = 0; i < n; ++i) {
      next_line(section + " after " + std::to_string(i) + " of " + std::to_string(n) + " properties");
      require(line_[0] == '<' && key_of('<', '>') == keys.begin, section + " gives " + std::to_string(n) +
                                                                     " properties, but after " + std::to_string(i) +
                                                                     " of them follows '" + printable(line_) + "'");
      FemmProperty property;
      property.line = line_number_;
      while (next_line("a property") && key_of('<', '>') != keys.end)
        read_value(keys, property);
      require(!property.name.empty(), "the property has no <" + std::string(keys.name) + ">");
      properties.push_back(property);
    }
  }

  void read_value(const PropertyKeys& keys, FemmProperty& property) {
    const std::string key = key_of('<', '>');
    const bool has_table =
        std::string(keys.section) == "blockprops" && ((file_.kind == FemmKind::magnetics && key == "bhpoints") ||
                                                      (file_.kind == FemmKind::heat && key == "tkpoints"));
    if (key == keys.name) {
      property.name = value();
    } else if (has_table) {
      const int n = count(key);
      for (int i = 0; i < n; ++i) {
        next_line("a table after " + std::to_string(i) + " of " + std::to_string(n) + " points");
        const Row point = row();
        require(point.numbers.size() == 2, "expected a point of a table, two numbers");
        property.table.push_back({point.numbers[0], point.numbers[1]});
      }
    } else {
      require(keys.values.count(key) > 0, "unknown key '<" + printable(key) + ">'");
      property.values[key] = number_of(value());
    }
  }

  template <class Add> void read_rows(const std::string& section, const Add& add) {
    const int n = count(section);
    for (int i = 0; i < n; ++i) {
      next_line("[" + section + "] after " + std::to_string(i) + " of " + std::to_string(n));
      require(line_[0] != '[',
              "[" + section + "] gives " + std::to_string(n) + ", but only " + std::to_string(i) + " follow");
      add(row());
    }
  }

  /// Number `i` of a row, 0 if the row is shorter; the first `needed` numbers must be there.
  double at(const Row& row, std::size_t i, std::size_t needed) const {
    require(row.numbers.size() >= needed,
            "expected at least " + std::to_string(needed) + " numbers, found " + std::to_string(row.numbers.size()));
    return i < row.numbers.size() ? row.numbers[i] : 0.;
  }

  int index(double number, std::size_t size, const std::string& what) const {
    return integer_of(number, 0, static_cast<int>(size), "the number of a " + what + ",") - 1;
  }

  bool is_magnetics() const { return file_.kind == FemmKind::magnetics; }
  std::string circuit_name() const { return is_magnetics() ? "circuit" : "conductor"; }

  void add_point(const Row& row) {
    FemmPoint point;
    point.x = at(row, 0, 3);
    point.y = at(row, 1, 3);
    point.property = index(at(row, 2, 3), file_.point_properties.size(), "point property");
    if (!is_magnetics())
      point.conductor = index(at(row, 4, 3), file_.circuits.size(), circuit_name());
    point.line = line_number_;
    file_.points.push_back(point);
  }

  void add_curve(const Row& row, bool is_arc) {
    const std::size_t shift = is_arc ? 1 : 0, needed = 4 + shift;
    const int last = static_cast<int>(file_.points.size()) - 1;
    FemmCurve curve;
    curve.from = integer_of(at(row, 0, needed), 0, last, "the number of a point,");
    curve.to = integer_of(at(row, 1, needed), 0, last, "the number of a point,");
    if (is_arc) {
      curve.angle = at(row, 2, needed);
      require(curve.angle > 0. && curve.angle <= 180.,
              "the angle of an arc, " + number_text(curve.angle) + ", is not above 0 and at most 180 degrees");
    }
    curve.size = at(row, 2 + shift, needed);
    curve.property = index(at(row, 3 + shift, needed), file_.boundaries.size(), "boundary property");
    if (!is_magnetics())
      curve.conductor = index(at(row, 6 + shift, needed), file_.circuits.size(), circuit_name());
    curve.line = line_number_;
    const FemmPoint& a = file_.points[static_cast<std::size_t>(curve.from)];
    const FemmPoint& b = file_.points[static_cast<std::size_t>(curve.to)];
    require(a.x != b.x || a.y != b.y, "both ends are the same point");
    file_.curves.push_back(curve);
  }

  void add_hole(const Row& row) {
    FemmLabel label;
    label.x = at(row, 0, 2);
    label.y = at(row, 1, 2);
    label.is_hole = true;
    label.line = line_number_;
    file_.labels.push_back(label);
  }

  void add_label(const Row& row) {
    FemmLabel label;
    label.x = at(row, 0, 3);
    label.y = at(row, 1, 3);
    label.material = index(at(row, 2, 3), file_.materials.size(), "material");
    label.size = at(row, 3, 3);
    std::size_t i = 4;
    if (is_magnetics()) {
      label.circuit = index(at(row, 4, 3), file_.circuits.size(), circuit_name());
      label.direction = at(row, 5, 3);
      label.turns = row.numbers.size() > 7 ? integer_of(row.numbers[7], -10000000, 10000000, "the number of turns") : 1;
      i = 6;
      label.direction_expression = row.text;
    }
    label.group = static_cast<int>(at(row, i, 3));
    const int flags = integer_of(at(row, is_magnetics() ? 8 : 5, 3), 0, 3, "the flags of a label,");
    label.is_external = (flags & 1) != 0;
    label.is_default = (flags & 2) != 0;
    label.line = line_number_;
    require(label.material >= 0,
            "the block label at " + number_text(label.x) + ", " + number_text(label.y) + " has no material");
    file_.labels.push_back(label);
  }

  const std::string& text_;
  FemmFile& file_;
  std::vector<PropertyKeys> keys_;
  std::set<std::string> seen_;
  std::string line_;
  std::size_t at_ = 0;
  int line_number_ = 0;
};

} // namespace

double FemmProperty::get(const std::string& key, double otherwise) const {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : found->second;
}

double FemmFile::number(const std::string& key, double otherwise) const {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

std::string FemmFile::text(const std::string& key) const {
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second;
}

double FemmFile::metres_per_unit() const {
  static const std::map<std::string, double> units = {{"millimeters", 1e-3}, {"centimeters", 1e-2},
                                                      {"meters", 1.},        {"mils", 2.54e-5},
                                                      {"microns", 1e-6},     {"micrometers", 1e-6}};
  const auto unit = units.find(text("lengthunits"));
  return unit == units.end() ? 0.0254 : unit->second; // FEMM's default is the inch
}

FemmKind femm_kind_of(const std::string& path) {
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  static const std::map<std::string, FemmKind> kinds = {{".fem", FemmKind::magnetics},
                                                        {".fee", FemmKind::electrostatics},
                                                        {".feh", FemmKind::heat},
                                                        {".fec", FemmKind::current_flow}};
  const auto kind = kinds.find(ending);
  TESSERA_REQUIRE(kind != kinds.end(), printable(path)
                                           << " is not named like a problem file of FEMM: .fem (magnetics), "
                                              ".fee (electrostatics), .feh (heat flow), .fec (current flow).");
  return kind->second;
}

FemmFile read_femm_text(const std::string& text, const std::string& path) {
  FemmFile file;
  file.path = path;
  file.kind = femm_kind_of(path);
  Reader(text, file).read();
  return file;
}

FemmFile read_femm(const std::string& path) {
  femm_kind_of(path);
  const FileText content = read_small_file(path, max_bytes);
  TESSERA_REQUIRE(content.error.empty(), "The file '" << printable(path) << "' " << content.error << '.');
  return read_femm_text(content.text, path);
}

} // namespace tessera::io
