// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/reports/plot.hpp"

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"
#include "io/pictures/chart.hpp"
#include "io/pictures/field_picture.hpp"
#include "io/pictures/reports/bench_charts.hpp"
#include "io/pictures/reports/sweep_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tessera::io::pictures {

namespace {

constexpr const char* convergence_picture = "convergence";

PictureFormat format_of(const std::string& path) {
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  if (ending == ".png")
    return PictureFormat::png;
  if (ending == ".svg")
    return PictureFormat::svg;
  TESSERA_REQUIRE(ending == ".pdf", "-o: '" << printable(path) << "' does not end in .png, .svg or .pdf.");
  return PictureFormat::pdf;
}

/// Reads a number that is the whole text.
bool read_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && std::isfinite(value);
}

/// Reads comma-separated numbers.
template <std::size_t N> std::array<double, N> numbers_of(const std::string& text, const std::string& message) {
  std::array<double, N> numbers{};
  std::istringstream parts(text);
  std::string part;
  std::size_t n = 0;
  while (std::getline(parts, part, ','))
    TESSERA_REQUIRE(n < N && read_number(part, numbers[n++]), message << ", found '" << printable(text) << "'.");
  TESSERA_REQUIRE(n == N && text.back() != ',', message << ", found '" << printable(text) << "'.");
  return numbers;
}

std::array<double, 2> range_of(const std::string& text) {
  const std::string message = "--range: expected LOW,HIGH with LOW < HIGH";
  const auto range = numbers_of<2>(text, message);
  TESSERA_REQUIRE(range[0] < range[1], message << ", found '" << printable(text) << "'.");
  return range;
}

ColourScale scale_of(const std::string& text) {
  const std::vector<std::string> names{"auto", "linear", "logarithmic"};
  if (text.empty() || text == names[0])
    return ColourScale::automatic;
  TESSERA_REQUIRE(text == names[1] || text == names[2], "--scale: " << unknown_name_message("scale", text, names));
  return text == names[1] ? ColourScale::linear : ColourScale::logarithmic;
}

std::array<double, 4> window_of(const std::string& text) {
  const std::string message = "--window: expected X0,Y0,X1,Y1 in m with X0 < X1 and Y0 < Y1";
  const auto window = numbers_of<4>(text, message);
  TESSERA_REQUIRE(window[0] < window[2] && window[1] < window[3], message << ", found '" << printable(text) << "'.");
  return window;
}

Section section_of(const std::string& text) {
  Section section;
  const bool is_axis = text.size() > 2 && text[0] >= 'x' && text[0] <= 'z' && text[1] == '=';
  TESSERA_REQUIRE(is_axis && read_number(text.substr(2), section.position),
                  "--section: expected x=, y= or z= and a position in m, found '" << printable(text) << "'.");
  section.axis = text[0] - 'x';
  return section;
}

std::optional<int> component_of(const std::string& text, bool is_axisymmetric) {
  if (text.empty())
    return std::nullopt;
  const std::vector<std::string> names =
      is_axisymmetric ? std::vector<std::string>{"r", "z"} : std::vector<std::string>{"x", "y", "z"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i])
      return static_cast<int>(i);
  TESSERA_REQUIRE(false, "--component: " << unknown_name_message("component", text, names));
  return std::nullopt;
}

bool is_probe(const RunResults& results, const std::string& name) {
  std::error_code ignored;
  return !name.empty() && std::filesystem::path(name).filename() == name &&
         std::filesystem::is_regular_file(results.file(name + ".csv"), ignored);
}

/// Available pictures other than fields: the convergence, and the probes with a table.
std::vector<std::string> other_pictures(const RunResults& results) {
  std::vector<std::string> names{convergence_picture};
  const YamlNode resolved = parse_yaml(results.resolved_text, results.file("resolved.yaml"));
  if (const YamlNode* probes = node_at(resolved, {"output", "probes"}))
    for (const std::string& probe : probes->keys)
      if (is_probe(results, probe))
        names.push_back(probe);
  return names;
}

/// Returns the path.
std::string write_picture(const PlotRequest& request, const std::string& name, const std::string& bytes) {
  const std::string path = request.path.empty() ? request.directory + "/" + name + ".png" : request.path;
  AtomicFile file(path);
  file.stream() << bytes;
  file.commit();
  return path;
}

/// A chart of a benchmark; `name` empty: the first, whose name it receives.
std::string bench_chart(const std::string& directory, std::string& name, const PictureSize& size) {
  const std::vector<BenchChart> charts = read_bench_results(directory).charts();
  TESSERA_REQUIRE(!charts.empty(), directory << ": no table has two sizes of a mesh, over which a chart is drawn.");
  std::vector<std::string> names;
  for (const BenchChart& drawn : charts)
    names.push_back(drawn.name);
  if (name.empty())
    name = names.front();
  const auto found = std::find(names.begin(), names.end(), name);
  TESSERA_REQUIRE(found != names.end(), unknown_name_message("chart", name, names));
  return draw_chart(charts[static_cast<std::size_t>(found - names.begin())].chart, size);
}

} // namespace

std::vector<std::string> make_plot(const PlotRequest& request) {
  require_cairo("plot");
  TESSERA_REQUIRE(request.pixels >= PlotRequest::fewest_pixels && request.pixels <= PlotRequest::most_pixels,
                  "A picture is " << PlotRequest::fewest_pixels << " to " << PlotRequest::most_pixels
                                  << " pixels wide, not " << request.pixels << ".");
  PictureSize size;
  size.pixels = request.pixels;
  size.format = request.path.empty() ? PictureFormat::png : format_of(request.path);
  FieldPicture wanted;
  wanted.field = request.show;
  wanted.n_lines = request.n_lines;
  wanted.with_mesh = request.with_mesh;
  wanted.is_cut_open = request.cut_open;
  wanted.scale = scale_of(request.scale);
  if (!request.phase.empty()) {
    double phase = 0.;
    TESSERA_REQUIRE(read_number(request.phase, phase),
                    "--phase: expected degrees, found '" << printable(request.phase) << "'.");
    wanted.phase = phase;
  }
  if (!request.range.empty())
    wanted.range = range_of(request.range);
  if (!request.window.empty())
    wanted.window = window_of(request.window);
  if (!request.section.empty())
    wanted.section = section_of(request.section);
  if (!request.path.empty())
    check_writable(request.path);

  std::string name = request.show, bytes;
  if (is_bench(request.directory)) {
    if (name.empty() && request.path.empty())
      return draw_bench_charts(request.directory, request.pixels);
    return {write_picture(request, name, bench_chart(request.directory, name, size))};
  }
  if (is_sweep(request.directory)) {
    const Chart chart = sweep_chart(table_of_sweep(request.directory), name_of_directory(request.directory), name);
    return {write_picture(request, name, draw_chart(chart, size))};
  }
  const RunResults results = read_results(request.directory);
  if (name == convergence_picture) {
    Chart chart;
    TESSERA_REQUIRE(convergence_chart(results, chart), results.file("report.yaml")
                                                           << " names no residuals: the solver made no iteration, "
                                                              "or output.convergence is false.");
    chart.title = results.title;
    bytes = draw_chart(chart, size);
  } else if (is_probe(results, name)) {
    bytes = draw_chart(probe_chart(results, name, request.component), size);
  } else {
    TESSERA_REQUIRE(results.has_fields(), results.directory << " has no fields.vtkhdf: the run wrote no fields.");
    const ResultFile file = open_fields(results);
    wanted.component = component_of(request.component, results.is_axisymmetric);
    wanted.other_pictures = other_pictures(results);
    if (name.empty())
      wanted.field = name = main_field(results, file);
    bytes = draw_field(results, file, wanted, size);
  }
  return {write_picture(request, name, bytes)};
}

} // namespace tessera::io::pictures
