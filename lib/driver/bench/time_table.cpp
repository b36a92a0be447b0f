// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/time_table.hpp"

#include <regex>

namespace tessera::driver {

std::string family_of(const std::string& name) {
  static const std::regex box("((dg-)?(tri|tet)-p[0-9])-[0-9]+(\\+[0-9])?(.*)");
  std::smatch match;
  if (std::regex_match(name, match, box))
    return match[1].str() + match[5].str();
  static const std::regex size("(-[0-9]+[kM])?(\\+[0-9]+)?$");
  return std::regex_replace(name, size, "", std::regex_constants::format_first_only);
}

std::string kernel_name(const KernelTime& kernel) { return kernel.label.substr(kernel.label.rfind(':') + 1); }

std::vector<KernelTime> main_kernels(const std::vector<KernelTime>& kernels, double least_share) {
  double total = 0.;
  for (const KernelTime& kernel : kernels)
    total += kernel.seconds;
  std::vector<KernelTime> found;
  for (const KernelTime& kernel : kernels)
    if (kernel.seconds >= least_share * total)
      found.push_back(kernel);
  return found;
}

TimeTable::TimeTable(const std::string& name, const std::string& over, const std::string& title,
                     const BenchSubject& subject, const std::string& joint, double copy_bandwidth)
    : BenchTable{name, over, "", ""}, joint_(joint), copy_bandwidth_(copy_bandwidth) {
  describe(title, subject);
  columns = {{"elements", "1"},
             {"nodes", "1"},
             {"unknowns", "1"},
             {"median", "s", "median ms", 1e3, 3},
             {"minimum", "s", "min", 1e3, 3},
             {"maximum", "s", "max", 1e3, 3},
             {"first", "s", "first", 1e3, 3},
             {"model", "B", "model MB", 1e-6, 1},
             {"rate", "B/s", "GB/s", 1e-9, 1},
             {"share of copy", "1", "of copy", 1e2, 0, " %"},
             {"memory per element", "B", "B/element", 1., 1},
             {"memory with mesh per element", "B"},
             {"kept memory per element", "B"},
             {"freed share", "1"},
             {"memory per unknown", "B"},
             {"colours", "1"},
             {"smallest class", "1"},
             {"largest class", "1"},
             {"iterations", "1"},
             {"time per unknown", "s"},
             {"operations", "1"},
             {"operation rate", "1/s"},
             {"share of peak", "1"},
             {"arithmetic intensity", "1/B"},
             {"registers", "1"},
             {"occupancy", "1"},
             {"degree", "1"}};
}

void TimeTable::describe(const std::string& heading, const BenchSubject& subject) {
  subject_ = subject;
  title = heading + ": " + io::format_count(subject.n_elements) + " elements, " + io::format_count(subject.n_nodes) +
          " nodes, " + io::format_count(subject.n_unknowns) + " unknowns";
  for (io::BenchRow& row : rows)
    set_subject(row);
}

void TimeTable::set_subject(io::BenchRow& row) const {
  row.case_name = subject_.name;
  row.problem = subject_.family;
  row.values[column("elements")] = static_cast<double>(subject_.n_elements);
  row.values[column("nodes")] = static_cast<double>(subject_.n_nodes);
  row.values[column("unknowns")] = static_cast<double>(subject_.n_unknowns);
}

void TimeTable::add_row(const std::string& label, const std::string& method, const std::string& part) {
  io::BenchRow& row = BenchTable::add(label);
  set_subject(row);
  row.method = method;
  row.part = part;
}

void TimeTable::add(const std::string& method, const std::string& part, const Timing& time, double model_bytes) {
  add_row(method + (method.empty() || part.empty() ? "" : joint_) + part, method, part);
  set("median", time.median);
  set("minimum", time.minimum);
  set("maximum", time.maximum);
  set("first", time.first);
  if (!(model_bytes > 0.))
    return;
  set("model", model_bytes);
  set("rate", model_bytes / time.median);
  if (copy_bandwidth_ > 0.)
    set("share of copy", model_bytes / time.median / copy_bandwidth_);
}

void TimeTable::add_kernel(const std::string& method, const KernelTime& kernel, double model_bytes) {
  const double seconds = kernel.seconds;
  const std::string name = kernel_name(kernel);
  add(method, name, {seconds, seconds, seconds, seconds}, model_bytes);
  rows.back().label = "  " + name;
  if (kernel.registers == 0)
    return;
  set("registers", kernel.registers);
  set("occupancy", kernel.occupancy);
}

void TimeTable::skip(const std::string& method, const std::string& reason) {
  add_row(method, method, "");
  rows.back().is_measured = false;
  rows.back().note = "not measured: " + reason;
}

} // namespace tessera::driver
