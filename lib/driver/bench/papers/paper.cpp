// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/papers/paper.hpp"

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/input_text.hpp"
#include "io/output/bench_table.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/reports/bench_charts.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

namespace tessera::driver {

namespace fs = std::filesystem;

namespace {

using io::YamlNode;

/// Reads the keys of a map; keys that nothing has read are an error.
class Keys {
public:
  explicit Keys(const YamlNode& node) : node_(node) {
    require(node.kind == YamlNode::Kind::map, node, "expected a map");
  }
  std::string text(const std::string& key, const std::string& standard = "") {
    const YamlNode* value = find(key);
    if (value == nullptr)
      return standard;
    require(value->kind == YamlNode::Kind::scalar, *value, key + ": expected a text");
    return value->text;
  }
  double number(const std::string& key) {
    const std::string value = text(key);
    char* end = nullptr;
    const double result = std::strtod(value.c_str(), &end);
    require(!value.empty() && end == value.c_str() + value.size(), node_, key + ": expected a number");
    return result;
  }
  std::vector<std::string> list(const std::string& key) {
    std::vector<std::string> texts;
    for (const YamlNode& item : items(key)) {
      require(item.kind == YamlNode::Kind::scalar, item, key + ": expected texts");
      texts.push_back(item.text);
    }
    return texts;
  }
  std::vector<YamlNode> items(const std::string& key) {
    const YamlNode* value = find(key);
    if (value == nullptr)
      return {};
    require(value->kind == YamlNode::Kind::sequence, *value, key + ": expected a list");
    return value->items;
  }
  const YamlNode* find(const std::string& key) {
    read_.push_back(key);
    return node_.find(key);
  }
  void end() const {
    for (std::size_t i = 0; i < node_.keys.size(); ++i)
      require(std::find(read_.begin(), read_.end(), node_.keys[i]) != read_.end(), node_.items[i],
              io::unknown_name_message("key", node_.keys[i], read_));
  }
  static void require(bool is_fine, const YamlNode& node, const std::string& message) {
    TESSERA_REQUIRE(is_fine, node.file << ':' << node.line << ": " << message);
  }

private:
  const YamlNode& node_;
  std::vector<std::string> read_;
};

io::pictures::PublishedValue read_published(const YamlNode& node) {
  Keys keys(node);
  io::pictures::PublishedValue value;
  value.what = keys.text("what");
  value.unit = keys.text("unit", "1");
  value.value = keys.number("value");
  value.case_name = keys.text("case");
  value.method = keys.text("method");
  value.part = keys.text("part");
  value.column = keys.text("column", "median");
  keys.end();
  return value;
}

std::string joined_list(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts)
    line += (line.empty() ? "" : ",") + text;
  return line;
}

Experiment read_experiment(const YamlNode& node, const fs::path& folder, const PaperOptions& paper) {
  Keys keys(node);
  Experiment experiment;
  experiment.name = keys.text("name");
  Keys::require(!experiment.name.empty() && fs::path(experiment.name).filename() == experiment.name, node,
                "name: expected the name of a folder");
  io::pictures::PaperSection& section = experiment.section;
  section.title = keys.text("title");
  section.source = keys.text("source");
  section.remark = keys.text("remark");
  section.columns = keys.list("columns");
  for (const YamlNode& value : keys.items("published"))
    section.published.push_back(read_published(value));

  BenchOptions& options = experiment.options;
  options.what = keys.text("bench");
  options.backend = keys.text("backend", paper.backend);
  options.strategies = keys.list("strategies");
  options.colorings = keys.list("colorings");
  options.iterations_only = keys.text("solves", "true") == "false";
  const std::string repetitions = keys.text("repetitions", "5");
  options.repetitions = paper.is_quick ? 1 : paper.repetitions > 0 ? paper.repetitions : std::atoi(repetitions.c_str());
  Keys::require(options.repetitions > 0, node, "repetitions: expected a number of 1 or more");
  std::vector<std::string> cases = keys.list("cases");
  std::string refine = keys.text("refine");
  if (!refine.empty() && !paper.refine.empty())
    refine = paper.refine;
  std::vector<std::string> set = keys.list("set");
  const YamlNode* quick = keys.find("quick");
  if (quick != nullptr && quick->kind == YamlNode::Kind::map) {
    Keys small(*quick);
    const std::vector<std::string> quick_cases = small.list("cases"), quick_set = small.list("set");
    const std::string quick_refine = small.text("refine", refine);
    small.end();
    if (paper.is_quick) {
      cases = quick_cases.empty() ? cases : quick_cases;
      set.insert(set.end(), quick_set.begin(), quick_set.end());
      refine = quick_refine;
    }
  }
  keys.end();
  Keys::require(!cases.empty(), node, "cases: expected the files to measure");

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
  for (const std::string& text : set) {
    overrides.push_back(io::parse_override(text, node.file + ": set"));
    add("--set", '"' + text + '"');
  }
  std::vector<int> refinements = refinements_of(refine, node.file + ": refine");
  for (const std::string& name : cases) {
    const std::string file = (folder / name).lexically_normal().string();
    add("--case", file);
    if (refinements.empty())
      options.inputs.push_back(io::read_case(file, overrides));
    for (const int n : refinements) {
      std::vector<io::Override> refined = overrides;
      refined.push_back({"mesh.refine", std::to_string(n), "refine"});
      options.inputs.push_back(io::read_case(file, refined));
    }
  }
  if (options.iterations_only)
    command += " --iterations-only";
  add("--repetitions", std::to_string(options.repetitions));
  return experiment;
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
  Keys keys(root);
  Paper paper;
  paper.facts.title = keys.text("title");
  paper.facts.authors = keys.text("authors");
  paper.facts.hardware = keys.text("hardware");
  for (const YamlNode& node : keys.items("experiments")) {
    const YamlNode* quick = node.find("quick");
    if (options.is_quick && quick != nullptr && quick->text == "false") // too long, or alike others
      continue;
    paper.experiments.push_back(read_experiment(node, fs::path(file).parent_path(), options));
  }
  keys.end();
  return paper;
}

int run_paper(Paper paper, const PaperOptions& options, const comm::Communicator& world) {
  std::vector<io::pictures::PaperSection> sections;
  for (Experiment& experiment : paper.experiments) {
    io::Console(!world.is_root()).line("\n" + experiment.section.source + ": " + experiment.section.title);
    io::BenchFiles files(options.output + '/' + experiment.name);
    files.description()["command"] = experiment.command;
    experiment.options.files = &files;
    experiment.options.world = &world;
    bench(experiment.options);
    io::pictures::PaperSection& section = experiment.section;
    section.command = experiment.command;
    section.results = io::pictures::read_bench_results(files.directory());
    if (*io::pictures::cairo_version() != '\0')
      io::pictures::draw_bench_charts(files.directory(), io::pictures::bench_chart_pixels);
    sections.push_back(section);
    // After each experiment, so that those before a failure can be read.
    io::pictures::write_paper_page(options.output + "/paper.html", paper.facts, sections);
  }
  return 0;
}

} // namespace tessera::driver
