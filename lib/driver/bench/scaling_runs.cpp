// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/scaling_runs.hpp"

#include "comm/launcher.hpp"
#include "core/error.hpp"
#include "driver/bench/scaling.hpp"
#include "io/child_process.hpp"
#include "io/output/console.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace tessera::driver {

namespace {

/// A file for the figures of other processes, removed by the destructor.
class FiguresFile {
public:
  FiguresFile() : path_((std::filesystem::temp_directory_path() / "tessera-scaling-XXXXXX").string()) {
    const int file = ::mkstemp(path_.data());
    TESSERA_REQUIRE_KIND(file >= 0, ErrorKind::resource,
                         "Cannot make the temporary file '" << path_ << "': " << std::strerror(errno) << '.');
    ::close(file);
  }
  ~FiguresFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  FiguresFile(const FiguresFile&) = delete;
  FiguresFile& operator=(const FiguresFile&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// The processes and threads of a measurement.
struct Team {
  int processes;
  int threads; ///< per process
  int units() const { return processes * threads; }
  std::string name() const { return std::to_string(processes) + " x " + std::to_string(threads); }
};

struct Measured {
  Team team;
  std::string failure; ///< empty if there are figures
  ScalingFigures figures;
};

Measured measure(const ScalingRuns& runs, const ScalingSubject& subject, const Team& team, int copies,
                 io::Console& console) {
  const FiguresFile file;
  io::detail::ChildCall call;
  call.program = "/usr/bin/env"; // finds the launcher on the user's PATH
  if (team.processes > 1)
    call.arguments = comm::launcher_command(team.processes, "--processes");
  call.arguments.insert(call.arguments.end(), {runs.program, "bench", "scaling", subject.option, subject.name,
                                               "--figures", file.path(), "--copies", std::to_string(copies)});
  if (runs.on_host)
    call.arguments.insert(call.arguments.end(), {"--threads", std::to_string(team.threads)});
  call.arguments.insert(call.arguments.end(), runs.arguments.begin(), runs.arguments.end());
  call.time_limit = runs.time_limit;
  call.watch = [&](double seconds, const std::string&) {
    console.progress(subject.name + ", " + team.name() + (copies > 1 ? ", lengthened" : "") + ": " +
                     io::format_seconds(seconds));
  };
  Measured measured{team, "", {}};
  const io::detail::ChildEnd end = io::detail::run_child(call);
  std::vector<ScalingFigures> figures;
  if (end.how == io::detail::ChildEnd::How::exited && end.code == 0)
    figures = read_figures(file.path());
  if (figures.size() == 1) {
    measured.figures = figures.front();
    return measured;
  }
  measured.failure = end.how == io::detail::ChildEnd::How::timed_out ? "no end within the time" : "failed";
  for (const std::string& line : end.lines) // the launcher adds its own text around ours
    if (line.find("error:") != std::string::npos)
      measured.failure = line.substr(line.find("error:"));
  return measured;
}

const ScalingRow* find(const ScalingFigures& figures, const std::string& what) {
  for (const ScalingRow& row : figures.rows)
    if (row.what == what)
      return &row;
  return nullptr;
}

/// All parts of the work, in the order of the last team.
io::BenchTable table_of(const std::string& case_name, const std::string& title, const std::vector<Measured>& list,
                        bool grows) {
  io::BenchTable table{grows ? "weak-scaling" : "strong-scaling", "processors", title, "", "processes x threads"};
  table.columns = {{"processors", "1"},
                   {"processes", "1"},
                   {"slowest", "s", "slowest ms", 1e3, 3},
                   {"mean", "s", "mean", 1e3, 3},
                   {"speed-up", "1", "speed-up", 1., 2},
                   {"efficiency", "1", "efficiency", 1e2, 0, " %"},
                   {"waiting", "1", "waiting", 1e2, 0, " %"},
                   {"messages", "1", "messages", 1e2, 0, " %"}};
  for (const Measured& measured : list)
    if (!measured.figures.processes.empty())
      table.details += (table.details.empty() ? "" : "\n") + measured.figures.processes;
  std::vector<std::string> names;
  for (auto measured = list.rbegin(); measured != list.rend(); ++measured)
    for (const ScalingRow& row : measured->figures.rows)
      if (std::find(names.begin(), names.end(), row.what) == names.end())
        names.push_back(row.what);
  for (const std::string& what : names) {
    const ScalingRow* one = list.front().team.units() == 1 ? find(list.front().figures, what) : nullptr;
    for (const Measured& measured : list) {
      const ScalingRow* row = find(measured.figures, what);
      if (row == nullptr)
        continue;
      const int n = measured.team.units();
      add_scaling_row(table, case_name, *row, measured.team.processes);
      table.rows.back().setting = measured.team.name();
      if (measured.team.processes == 1 && n > 1)
        table.rows.back().method = "threads";
      table.set("processors", n);
      if (one == nullptr)
        continue;
      const double gain = one->slowest / row->slowest * (grows ? n : 1);
      table.set("speed-up", gain);
      table.set("efficiency", gain / n);
    }
  }
  for (const Measured& measured : list)
    if (!measured.failure.empty()) {
      io::BenchRow& row = table.add(measured.team.name());
      row.case_name = case_name;
      row.setting = measured.team.name();
      row.is_measured = false;
      row.note = "not measured: " + measured.failure;
    }
  return table;
}

} // namespace

int run_scaling(const ScalingRuns& runs) {
  io::Console console;
  console.line(runs.machine);
  bool has_figures = false;
  for (const ScalingSubject& subject : runs.subjects) {
    std::vector<int> numbers;
    for (int n = 1; n < runs.most; n *= 2)
      numbers.push_back(n);
    numbers.push_back(runs.most);
    std::vector<Measured> strong;
    std::vector<Measured> weak;
    for (const int n : numbers) {
      strong.push_back(measure(runs, subject, {n, runs.threads}, 1, console));
      if (n > 1 && runs.on_host)
        strong.push_back(measure(runs, subject, {1, n * runs.threads}, 1, console));
      if (n == 1 || !subject.is_box)
        continue;
      if (weak.empty())
        weak.push_back(strong.front());
      weak.push_back(measure(runs, subject, {n, runs.threads}, n, console));
    }
    for (const auto* list : {&strong, &weak}) {
      if (list->empty())
        continue;
      const bool grows = list == &weak;
      const ScalingFigures& shown = grows ? list->back().figures : list->front().figures;
      const io::BenchTable table = table_of(
          subject.name,
          (grows ? "Weak scaling, a box as many times as long as there are processes, at last " : "Strong scaling, ") +
              (shown.title.empty() ? subject.name : shown.title),
          *list, grows);
      print_bench_table(console, table);
      if (runs.files != nullptr)
        runs.files->add(table);
    }
    for (const Measured& measured : strong)
      has_figures = has_figures || measured.failure.empty();
  }
  return has_figures ? 0 : static_cast<int>(ErrorKind::input);
}

} // namespace tessera::driver
