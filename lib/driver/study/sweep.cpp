// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/version.hpp"
#include "driver/driver.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/study/report.hpp"
#include "io/input/input_text.hpp"
#include "io/input/output_check.hpp"
#include "io/input/resolved.hpp"
#include "io/output/console.hpp"
#include "io/output/findings.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/report.hpp"
#include "io/output/sweep_table.hpp"
#include "io/pictures/reports/html_report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <sstream>

namespace tessera::driver {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Dates of the files that cases read, other than the input, as a text; looked up once for all points with the same
/// files.
class FileDates {
public:
  const std::string& of(const io::Case& input) {
    std::string key = input.mesh.path;
    for (const io::Material& material : input.problem.materials)
      key += '\n' + material.bh_file + '\n' + material.bh_across_file;
    const auto [found, is_new] = dates_.emplace(key, "");
    if (is_new)
      for (const io::InputFile& file : io::input_files(input)) {
        std::error_code error;
        const auto time = std::filesystem::last_write_time(file.path, error);
        if (!error && file.path != input.file) // its values are in the points
          found->second += ' ' + std::to_string(time.time_since_epoch().count());
      }
    return found->second;
  }

private:
  std::map<std::string, std::string> dates_;
};

/// Checksum by which a row of the table is recognised as belonging to a point: of its input, with the dates of the
/// files that it reads, and of the program.
std::string checksum(const io::Case& point, bool keeps_outputs, FileDates& dates) {
  io::Case input = point;
  input.output.directory.clear();
  if (!keeps_outputs) { // not written by any point
    input.output.report = false;
    input.output.fields.clear();
  }
  const std::string text = io::resolved_text(input) + git_hash() + dates.of(input);
  std::uint64_t sum = 14695981039346656037u; // FNV-1a
  for (const char c : text)
    sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(sum));
  return digits;
}

/// Indices of the points in an order that allows most reuse: points with the same mesh are consecutive, and among these
/// those with the same matrix.
std::vector<std::size_t> order_of_runs(const io::Sweep& sweep) {
  std::map<std::string, std::size_t> first_of_mesh;
  std::map<std::string, std::size_t> first_of_matrix;
  std::vector<std::array<std::size_t, 3>> ranks;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const io::Case& input = sweep.points[i].input;
    ranks.push_back({first_of_mesh.emplace(mesh_signature(input), i).first->second,
                     first_of_matrix.emplace(matrix_signature(input), i).first->second, i});
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::size_t> order;
  for (const auto& rank : ranks)
    order.push_back(rank[2]);
  return order;
}

/// KeptRun::extrapolation for the next of three points: 0 unless they differ in one number only.
double extrapolation(const io::Sweep& sweep, const std::vector<std::size_t>& done, std::size_t next) {
  if (done.size() < 2)
    return 0.;
  const std::vector<std::string>& before = sweep.points[done[done.size() - 2]].values;
  const std::vector<std::string>& last = sweep.points[done.back()].values;
  const std::vector<std::string>& now = sweep.points[next].values;
  double factor = 0.;
  int n_changed = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (now[k] == last[k] && now[k] == before[k])
      continue;
    ++n_changed;
    char* end = nullptr;
    double numbers[3];
    const std::string* texts[3] = {&before[k], &last[k], &now[k]};
    for (int i = 0; i < 3; ++i) {
      numbers[i] = std::strtod(texts[i]->c_str(), &end);
      if (*end != '\0')
        return 0.;
    }
    factor = (numbers[2] - numbers[1]) / (numbers[1] - numbers[0]);
  }
  constexpr double farthest = 4.; // steps: beyond, the last solution is the better guess for a nonlinear one
  return n_changed == 1 && std::fabs(factor) <= farthest ? factor : 0.;
}

std::string text_of(double value, int digits) {
  std::ostringstream text;
  text.precision(digits);
  text << value;
  return text.str();
}

io::SweepRow row_of(const RunSummary& summary) {
  io::SweepRow row;
  for (const auto& [name, value] : summary.quantities)
    row.numbers.emplace_back(io::column_name({name, value, summary.units.at(name)}), io::number_text(value));
  for (const auto& [name, value] : summary.errors)
    row.numbers.emplace_back(io::column_name({"error." + name}), io::number_text(value));
  row.iterations = std::to_string(summary.iterations);
  row.state = summary.exit_code == 0 ? io::sweep_done : summary.message;
  return row;
}

/// "point 3 of 200: gap = 1.0e-3: 5 iterations, 12 ms, mesh kept"
std::string line_of(const io::Sweep& sweep, std::size_t point, const io::SweepRow& row) {
  std::ostringstream text;
  text << "point " << point + 1 << " of " << sweep.points.size() << ": ";
  const char* comma = "";
  for (std::size_t k = 0; k < sweep.keys.size(); ++k)
    if (!io::is_exact_value(sweep.keys[k])) {
      text << comma << io::short_name(sweep.keys[k]) << " = " << io::printable(row.values[k], 40);
      comma = ", ";
    }
  if (!row.iterations.empty())
    text << ": " << row.iterations << " iterations, " << io::format_seconds(std::atof(row.seconds.c_str()));
  if (row.taken != to_string(Reuse::nothing))
    text << ", " << row.taken << " kept";
  return text.str();
}

/// Prints the first rows and columns that fit a screen.
void print_table(const io::SweepTable& table, io::Console& console) {
  constexpr std::size_t most_rows = 30;
  constexpr std::size_t most_columns = 6;
  std::vector<std::string> numbers = table.numbers();
  const std::size_t n_numbers = numbers.size();
  numbers.resize(std::min(n_numbers, most_columns));
  std::vector<std::string> headline{"point"};
  for (const std::string& key : table.keys)
    if (!io::is_exact_value(key))
      headline.push_back(io::short_name(key));
  for (const std::string& number : numbers)
    headline.push_back(
        number.size() > 4 && number.rfind(" [1]") == number.size() - 4 ? number.substr(0, number.size() - 4) : number);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [point, row] : table.rows) {
    if (rows.size() == most_rows)
      break;
    rows.push_back({std::to_string(point)});
    for (std::size_t k = 0; k < row.values.size(); ++k)
      if (!io::is_exact_value(table.keys[k]))
        rows.back().push_back(io::printable(row.values[k], 20));
    for (const std::string& number : numbers) {
      const std::string* text = row.find(number);
      rows.back().push_back(text == nullptr ? "" : text_of(std::atof(text->c_str()), 8));
    }
  }
  console.table(headline, rows);
  if (table.rows.size() > most_rows || n_numbers > most_columns)
    console.line("  and more in " + std::string(io::sweep_table_name));
}

/// Writes the table from time to time, so that little is lost if the program is killed.
class TableFile {
public:
  TableFile(const std::string& path, const io::SweepTable& table) : path_(path), table_(table) {}
  void rows_changed() {
    if (seconds_since(last_) <= 1.)
      return;
    write();
    last_ = Clock::now();
  }
  void write() { io::write_sweep_table(path_, table_); }

private:
  std::string path_;
  const io::SweepTable& table_;
  Clock::time_point last_{};
};

/// Writes report.html if requested, then report.yaml, the last file. Returns the error that prevented report.html, if
/// any.
std::optional<Error> write_report(const io::Sweep& sweep, const io::SweepTable& table, std::size_t n_earlier,
                                  double seconds, const std::string& resolved, const io::OutputDirectory& output) {
  const io::Case& input = sweep.points.front().input;
  io::ReportNode report;
  report["title"] = input.title;
  report["run_id"] = output.run_id();
  report["versions"] = versions();
  report["backend"] = input.execution.backend;
  io::ReportNode& node = report["sweep"];
  node.set(
      {{"varied", sweep.keys}, {"points", sweep.points.size()}, {"of_earlier_runs", n_earlier}, {"seconds", seconds}});
  std::map<std::string, int> taken;
  for (const auto& row : table.rows) {
    ++taken[row.second.taken];
    if (!row.second.is_done()) {
      node["failed"].append().set({{"point", row.first}, {"because", row.second.state}});
    }
  }
  for (const auto& entry : taken)
    node["points_by_what_was_taken_over"][entry.first] = entry.second;
  std::optional<Error> failure;
  std::vector<std::string> files{io::sweep_table_name, "resolved.yaml"};
  if (input.output.report)
    try {
      io::pictures::write_html_report(
          io::pictures::sweep_results_of(output.path(), table, io::to_yaml(report), resolved));
      files.emplace_back(io::pictures::html_report_name);
    } catch (const Error& error) {
      failure = error;
      report["failures"] = std::vector<std::string>{error.what()};
    }
  for (const std::string& name : files)
    io::describe_file(output.file(name), report["files"][name].flow());
  io::write_yaml(output.file("report.yaml"), report);
  return failure;
}

/// Runs a point and returns its row; errors become its state. With several processes one may fail alone, while the
/// others wait for it in the middle of a point: errors then end the sweep.
io::SweepRow run_point(KeptRun& kept, const io::Case& input, const RunOptions& options, bool writes, int& exit_code) {
  const auto start = Clock::now();
  io::SweepRow row;
  try {
    const RunSummary summary = run_with(kept, input, options, writes);
    row = row_of(summary);
    exit_code = summary.exit_code;
  } catch (const std::exception& error) {
    if (options.world != nullptr && options.world->size() > 1)
      throw;
    row.state = io::printable(message_of(error), 1000);
    exit_code = static_cast<int>(kind_of(error));
    kept.on_backend.reset(); // it may be incomplete
    kept.imported.reset();
    kept.taken = Reuse::nothing;
  }
  row.seconds = text_of(seconds_since(start), 4);
  row.taken = to_string(kept.taken);
  return row;
}

/// Makes a row for each point, and reuses rows of an earlier run with the same checksums.
void make_rows(const io::Sweep& sweep, const std::vector<std::string>& checksums, io::SweepTable earlier,
               io::SweepTable& table, std::vector<char>& is_known) {
  std::map<std::string, io::SweepRow*> known;
  for (auto& entry : earlier.rows)
    if (entry.second.is_done())
      known[entry.second.input] = &entry.second;
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    io::SweepRow& row = table.rows[static_cast<int>(i) + 1];
    row.state = io::sweep_not_run;
    row.input = checksums[i];
    if (const auto found = known.find(checksums[i]); found != known.end()) {
      row = *found->second;
      is_known[i] = 1;
    }
    row.values = sweep.points[i].values;
  }
}

/// The case of a point, with a separate output directory.
io::Case input_of_point(const io::Sweep& sweep, std::size_t i) {
  io::Case input = sweep.points[i].input;
  char name[32];
  std::snprintf(name, sizeof(name), "/point-%05d", static_cast<int>(i) + 1);
  input.output.directory = sweep.points.front().input.output.directory + name;
  input.output.report = input.output.report && sweep.keeps_outputs;
  return input;
}

/// Rank 0's values.
std::vector<char> of_root(const comm::Communicator& world, const std::vector<char>& own) {
  std::vector<char> all(own.size() * static_cast<std::size_t>(world.size()));
  world.all_gather(own.data(), own.size(), all.data());
  all.resize(own.size());
  return all;
}

} // namespace

int run_sweep(const io::Sweep& sweep, const RunOptions& options) {
  const comm::Communicator& world = options.world != nullptr ? *options.world : comm::alone();
  const auto start = Clock::now();
  io::Console console(options.quiet || !world.is_root());
  const io::Case& first = sweep.points.front().input;
  std::vector<std::string> files{io::sweep_table_name, "resolved.yaml", "report.yaml"};
  if (first.output.report)
    files.emplace_back(io::pictures::html_report_name);
  io::check_outputs(first, files);
  std::optional<io::OutputDirectory> output; // of the process that writes
  if (world.is_root())
    output.emplace(first.output.directory);
  if (!first.title.empty())
    console.line(io::printable(first.title, 200));
  console.item("sweep", std::to_string(sweep.points.size()) + " points of " + io::joined(sweep.keys));

  io::SweepTable table;
  table.keys = sweep.keys;
  std::vector<std::string> checksums;
  FileDates dates;
  for (const io::SweepPoint& point : sweep.points)
    checksums.push_back(checksum(point.input, sweep.keeps_outputs, dates));
  std::vector<char> is_known(sweep.points.size(), 0);
  if (output)
    make_rows(sweep, checksums, io::read_sweep_table(output->file(io::sweep_table_name)), table, is_known);
  is_known = of_root(world, is_known);
  const auto n_earlier = static_cast<std::size_t>(std::count(is_known.begin(), is_known.end(), 1));
  if (n_earlier > 0)
    console.item("continued", std::to_string(n_earlier) + " points are in the table of an earlier run");

  std::optional<TableFile> file;
  io::ReportNode resolved;
  if (output) {
    output->begin_writing();
    resolved =
        io::resolved_tree(sweep, output->path())
            .comment("The input of the first point, with its defaults, and the sweep, of run " + output->run_id());
    io::write_yaml(output->file("resolved.yaml"), resolved);
    file.emplace(output->file(io::sweep_table_name), table);
    file->write(); // it includes points that are not reached
  }
  KeptRun kept;
  std::vector<std::size_t> done; // since the mesh was made
  RunOptions quiet = options;
  quiet.quiet = true;
  int exit_code = 0;
  std::size_t n_failed = 0;
  for (const std::size_t i : order_of_runs(sweep)) {
    const int number = static_cast<int>(i) + 1;
    if (is_known[i] != 0)
      continue;
    const io::Case input = input_of_point(sweep, i);
    kept.allowed = done.empty() ? Reuse::nothing : reusable(sweep.points[done.back()].input, input);
    kept.extrapolation = extrapolation(sweep, done, i);
    int code = 0;
    io::SweepRow row;
    try {
      row = run_point(kept, input, quiet, sweep.keeps_outputs, code);
    } catch (const Error& error) {
      if (file) {
        table.rows[number].state = io::printable(error.what(), 1000);
        file->write();
      }
      throw Error(error.kind(), io::point_text(sweep, i) + ": " + error.what() +
                                    " The sweep of several processes ends here; one process continues after points "
                                    "that fail.");
    }
    row.values = sweep.points[i].values;
    row.input = checksums[i];
    if (!kept.imported || kept.taken == Reuse::nothing)
      done.clear();
    if (kept.imported)
      done.push_back(i);
    console.line(line_of(sweep, i, row));
    if (code != 0) {
      if (world.is_root())
        io::Console::warning(io::point_text(sweep, i) + ": " + row.state);
      exit_code = exit_code == 0 ? code : exit_code;
      ++n_failed;
    }
    table.rows[number] = std::move(row);
    if (file)
      file->rows_changed();
  }
  if (!output)
    return exit_code;
  file->write();
  print_table(table, console);
  const std::optional<Error> failure =
      write_report(sweep, table, n_earlier, seconds_since(start), io::to_yaml(resolved), *output);
  if (failure) {
    io::Console::warning(failure->what());
    exit_code = exit_code == 0 ? static_cast<int>(failure->kind()) : exit_code;
  }
  console.line(std::to_string(sweep.points.size() - n_failed) + " of " + std::to_string(sweep.points.size()) +
               " points done in " + io::format_seconds(seconds_since(start)) + ". Their table is " +
               output->file(io::sweep_table_name));
  return exit_code;
}

} // namespace tessera::driver
