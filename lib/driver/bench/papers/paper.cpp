// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/papers/paper.hpp"

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/input_text.hpp"
#include "io/input/map_reader.hpp"
#include "io/output/bench_table.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/reports/bench_charts.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>

namespace tessera::driver {

namespace fs = std::filesystem;

namespace {

using io::MapReader;
using io::YamlNode;

std::vector<std::string> texts(MapReader& map, const std::string& key) {
  std::vector<std::string> result;
  const std::vector<const YamlNode*> items = map.list(key);
  for (std::size_t i = 0; i < items.size(); ++i)
    result.push_back(io::read_text(*items[i], map.item_location(key, i, *items[i]), map.errors()));
  return result;
}

/// Readers of the maps in a list.
std::vector<MapReader> maps(MapReader& map, const std::string& key) {
  std::vector<MapReader> result;
  const std::vector<const YamlNode*> items = map.list(key);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const io::Location where = map.item_location(key, i, *items[i]);
    result.emplace_back(items[i], where.path, where, map.errors());
  }
  return result;
}

io::pictures::PublishedValue read_published(MapReader& map) {
  io::pictures::PublishedValue value;
  value.what = map.text("what", "");
  value.unit = map.text("unit", "1");
  map.require("value", "the paper's value");
  value.value = map.number("value", 0.);
  value.case_name = map.text("case", "");
  value.method = map.text("method", "");
  value.part = map.text("part", "");
  value.column = map.text("column", "median");
  map.finish();
  return value;
}

std::string joined_list(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts)
    line += (line.empty() ? "" : ",") + text;
  return line;
}

Experiment read_experiment(MapReader& map, const fs::path& folder, const PaperOptions& paper) {
  constexpr int most_repetitions = 1000; // as for --repetitions
  Experiment experiment;
  experiment.name = map.text("name", "");
  experiment.mesh = map.text("mesh", "");
  if (map.exists() && (experiment.name.empty() || fs::path(experiment.name).filename() != experiment.name))
    map.fail("name", "expected the name of a folder.");
  io::pictures::PaperSection& section = experiment.section;
  section.title = map.text("title", "");
  section.source = map.text("source", "");
  section.remark = map.text("remark", "");
  section.columns = texts(map, "columns");
  for (MapReader& value : maps(map, "published"))
    section.published.push_back(read_published(value));

  BenchOptions& options = experiment.options;
  options.what = map.text("bench", "");
  options.backend = map.text("backend", paper.backend);
  options.strategies = texts(map, "strategies");
  options.colorings = texts(map, "colorings");
  options.iterations_only = !map.boolean("solves", true);
  const int repetitions = map.integer("repetitions", 5, 1, most_repetitions);
  options.repetitions = paper.is_quick ? 1 : paper.repetitions > 0 ? paper.repetitions : repetitions;
  std::vector<std::string> cases = texts(map, "cases");
  std::string refine = map.text("refine", "");
  if (!refine.empty() && !paper.refine.empty())
    refine = paper.refine;
  std::vector<std::string> set = texts(map, "set");
  if (const YamlNode* quick = map.find("quick"); quick != nullptr && quick->kind == YamlNode::Kind::map) {
    MapReader small = map.map("quick");
    const std::vector<std::string> quick_cases = texts(small, "cases"), quick_set = texts(small, "set");
    const std::string quick_refine = small.text("refine", refine);
    small.finish();
    if (paper.is_quick) {
      cases = quick_cases.empty() ? cases : quick_cases;
      set.insert(set.end(), quick_set.begin(), quick_set.end());
      refine = quick_refine;
    }
  }
  map.finish();
  if (map.exists() && cases.empty())
    map.fail("cases", "expected the files to measure.");
  map.errors().throw_if_any();

  std::string& command = experiment.command;
  command = "tessera bench " + options.what + " --backend " + options.backend;
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty())
      command += ' ' + option + ' ' + value;
  };
  add("--strategies", joined_list(options.strategies));
  add("--colorings", joined_list(options.colorings));
  add("--refine", refine);
  std::vector<io::Override> overrides{{"execution.backend", options.backend, "--backend"}};
  if (!experiment.mesh.empty()) {
    const std::string file = fs::absolute(fs::path(paper.output) / experiment.mesh).lexically_normal().string();
    for (const std::string& text :
         {std::string("mesh.geometry="), std::string("mesh.parameters="), "mesh.file=" + file})
      set.insert(set.begin(), text);
  }
  for (const std::string& text : set) {
    overrides.push_back(io::parse_override(text, map.location("set").text()));
    add("--set", '"' + text + '"');
  }
  const std::vector<int> refinements = refinements_of(refine, map.location("refine").text());
  for (std::string& name : cases) {
    name = (folder / name).lexically_normal().string();
    add("--case", name);
  }
  experiment.read_inputs = [cases, overrides, refinements] {
    std::vector<io::Case> inputs;
    for (const std::string& file : cases) {
      if (refinements.empty())
        inputs.push_back(io::read_case(file, overrides));
      for (const int n : refinements) {
        std::vector<io::Override> refined = overrides;
        refined.push_back({"mesh.refine", std::to_string(n), "refine"});
        inputs.push_back(io::read_case(file, refined));
      }
    }
    return inputs;
  };
  if (experiment.mesh.empty())
    options.inputs = experiment.read_inputs(); // mistakes are found before the first experiment
  if (options.iterations_only)
    command += " --iterations-only";
  add("--repetitions", std::to_string(options.repetitions));
  return experiment;
}

/// Appends the rows of an experiment of one degree ("table-5-8k-p2") to those of all; false: there are none so far.
bool add_rows(io::BenchFiles& joint, const io::BenchFiles& files, const Experiment& experiment) {
  static const std::regex degree("-p[0-9]+$");
  for (io::BenchTable table : files.tables()) {
    if (!table.has_column("degree"))
      continue;
    table.over = "degree";
    for (io::BenchRow& row : table.rows)
      row.problem = std::regex_replace(experiment.name, degree, "");
    for (const char* key : {"commit", "kokkos", "backend", "device"})
      if (const io::ReportNode* value = files.description().find(key))
        joint.description()[key] = *value;
    joint.add(table);
  }
  return !joint.tables().empty();
}

/// Makes a mesh that is not there yet. One that cannot be made is what does not fit here.
void make_mesh(const std::vector<PaperMesh>& meshes, const std::string& name, const std::string& directory) {
  const std::string file = directory + '/' + name;
  const auto mesh = std::find_if(meshes.begin(), meshes.end(), [&](const PaperMesh& m) { return m.file == name; });
  if (mesh == meshes.end() || fs::exists(file))
    return;
  try {
    make_mesh_file(mesh->input, file);
  } catch (const Error& error) {
    ::tessera::detail::throw_error(ErrorKind::resource, error.what());
  }
}

/// The charts of the rows of all experiments.
io::pictures::PaperSection section_of_figures(const std::string& source, const std::string& directory) {
  io::pictures::PaperSection section;
  section.title = "All experiments over the degree, and over the arithmetic intensity";
  section.source = source;
  section.has_charts_only = true;
  section.results = io::pictures::read_bench_results(directory);
  if (*io::pictures::cairo_version() != '\0')
    io::pictures::draw_bench_charts(directory, io::pictures::bench_chart_pixels);
  return section;
}

} // namespace

std::vector<int> refinements_of(const std::string& text, const std::string& what) {
  constexpr int most = 12;
  std::vector<int> numbers;
  if (text.empty())
    return numbers;
  static const std::regex form("([0-9]{1,2})(\\.\\.([0-9]{1,2}))?");
  std::smatch match;
  const bool has_form = std::regex_match(text, match, form);
  const int first = has_form ? std::stoi(match[1]) : 0;
  const int last = has_form && match[3].matched ? std::stoi(match[3]) : first;
  TESSERA_REQUIRE(has_form && first <= last && last <= most, what << ": expected a number from 0 to " << most
                                                                  << ", or two such as 0..5, found '"
                                                                  << io::printable(text) << "'.");
  for (int n = first; n <= last; ++n)
    numbers.push_back(n);
  return numbers;
}

std::string find_paper(const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored))
    return name;
  const std::string file = "inputs/papers/" + (name == "dg" ? "polytopic-dg" : name) + "/paper.yaml";
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {fs::path(), program / "../share/doc/tessera"})
    if (fs::is_regular_file(folder / file, ignored))
      return (folder / file).string();
  ::tessera::detail::throw_error(ErrorKind::input, "bench paper: there is no " + file +
                                                       " in this folder, and none is installed with the program. "
                                                       "Name a-fem, ebe, dg, or the file paper.yaml.");
}

Paper read_paper(const std::string& file, const PaperOptions& options) {
  const YamlNode root = io::read_yaml(file);
  io::InputErrors errors;
  MapReader map(&root, "", io::location_of(root, ""), errors);
  Paper paper;
  paper.facts.title = map.text("title", "");
  paper.facts.authors = map.text("authors", "");
  paper.facts.hardware = map.text("hardware", "");
  paper.figures = map.text("figures", "");
  for (MapReader& experiment : maps(map, "experiments")) {
    const YamlNode* quick = experiment.find("quick");
    if (options.is_quick && quick != nullptr && quick->text == "false") // too long, or alike others
      continue;
    paper.experiments.push_back(read_experiment(experiment, fs::path(file).parent_path(), options));
  }
  for (MapReader& mesh : maps(map, "meshes")) {
    const std::string name = mesh.text("name", ""), input = mesh.text("case", "");
    std::vector<io::Override> overrides{{"execution.backend", options.backend, "--backend"}};
    for (const std::string& text : texts(mesh, "set"))
      overrides.push_back(io::parse_override(text, mesh.location("set").text()));
    if (mesh.exists() && (name.empty() || fs::path(name).filename() != name))
      mesh.fail("name", "expected the name of a file.");
    mesh.require("case", "a case with the mesh");
    mesh.finish();
    errors.throw_if_any();
    paper.meshes.push_back(
        {name, io::read_case((fs::path(file).parent_path() / input).lexically_normal().string(), overrides)});
  }
  map.finish();
  errors.throw_if_any();
  for (const Experiment& experiment : paper.experiments)
    TESSERA_REQUIRE(experiment.mesh.empty() ||
                        std::any_of(paper.meshes.begin(), paper.meshes.end(),
                                    [&](const PaperMesh& mesh) { return mesh.file == experiment.mesh; }),
                    file << ": the mesh '" << io::printable(experiment.mesh) << "' of the experiment '"
                         << experiment.name << "' is none of `meshes`.");
  return paper;
}

int run_paper(Paper paper, const PaperOptions& options, const comm::Communicator& world) {
  std::vector<io::pictures::PaperSection> sections;
  std::optional<io::BenchFiles> joint; // the rows of all experiments with degrees
  if (!paper.figures.empty())
    joint.emplace(options.output + "/figures");
  for (Experiment& experiment : paper.experiments) {
    io::Console(!world.is_root()).line("\n" + experiment.section.source + ": " + experiment.section.title);
    io::BenchFiles files(options.output + '/' + experiment.name);
    files.description()["command"] = experiment.command;
    experiment.options.files = &files;
    experiment.options.world = &world;
    io::pictures::PaperSection& section = experiment.section;
    section.command = experiment.command;
    try {
      if (!experiment.mesh.empty()) {
        make_mesh(paper.meshes, experiment.mesh, options.output);
        experiment.options.inputs = experiment.read_inputs();
      }
      bench(experiment.options);
      section.results = io::pictures::read_bench_results(files.directory());
      if (*io::pictures::cairo_version() != '\0')
        io::pictures::draw_bench_charts(files.directory(), io::pictures::bench_chart_pixels);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resource)
        throw;
      const std::string why = std::string("Does not fit here: ") + error.what();
      io::Console(!world.is_root()).line(why);
      section.remark += (section.remark.empty() ? "" : " ") + why;
    }
    sections.push_back(section);
    std::vector<io::pictures::PaperSection> all = sections;
    if (joint && add_rows(*joint, files, experiment))
      all.push_back(section_of_figures(paper.figures, joint->directory()));
    // After each experiment, so that those before a failure can be read; what does not fit is no failure.
    io::pictures::write_paper_page(options.output + "/paper.html", paper.facts, all);
  }
  return 0;
}

} // namespace tessera::driver
