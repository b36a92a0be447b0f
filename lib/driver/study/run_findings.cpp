// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "core/memory.hpp"
#include "core/place_text.hpp"
#include "core/version.hpp"
#include "driver/study/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

using io::Findings;
using io::ReportNode;

ReportNode unless_empty(const std::string& text) { return ReportNode::unless_empty(text); }

/// Corners of the mesh's bounding box, m.
std::array<std::vector<double>, 2> box_of(const io::MeshOptions& options, const io::ImportedMesh& imported) {
  const bool is_box = options.source == io::MeshSource::box;
  const auto dim = static_cast<std::size_t>(imported.dimension);
  std::array<std::vector<double>, 2> box;
  for (std::size_t d = 0; d < dim; ++d) {
    double lower = options.scale * options.box.lower[d], upper = options.scale * options.box.upper[d];
    for (std::size_t i = d; i < imported.coordinates.size() && !is_box; i += dim) {
      lower = i == d ? imported.coordinates[i] : std::min(lower, imported.coordinates[i]);
      upper = i == d ? imported.coordinates[i] : std::max(upper, imported.coordinates[i]);
    }
    box[0].push_back(lower);
    box[1].push_back(upper);
  }
  return box;
}

/// The size on the console, "0.04 x 0.016 m", reveals a mesh in other units than intended.
void add_mesh(const io::MeshOptions& options, const ProblemSummary& problem, const io::ImportedMesh& imported,
              Findings& findings) {
  findings.add_facts("mesh", {{"dimension", problem.dimension},
                              {"nodes", problem.n_nodes},
                              {"elements", problem.n_elements},
                              {"boundary_facets", problem.n_facets},
                              {"regions", problem.region_names},
                              {"boundaries", problem.boundary_names}});
  const std::array<std::vector<double>, 2> box = box_of(options, imported);
  std::ostringstream text;
  text << io::format_count(problem.n_nodes) << " nodes, " << io::format_count(problem.n_elements) << ' '
       << problem.elements << std::setprecision(4);
  double farthest = 0., extent = 0.;
  for (std::size_t d = 0; d < box[0].size(); ++d) {
    text << (d == 0 ? ", " : " x ") << box[1][d] - box[0][d];
    farthest = std::max({farthest, std::fabs(box[0][d]), std::fabs(box[1][d])});
    extent = std::max(extent, box[1][d] - box[0][d]);
  }
  text << " m";
  findings.add_line("mesh", "mesh", text.str());
  findings.place_digits = digits_of_places(farthest, extent, 5);
}

void add_discretization(const io::DiscretizationOptions& options, const ProblemSummary& problem, Findings& findings) {
  const bool has_one_order = problem.smallest_order == problem.largest_order;
  const bool has_local_steps = problem.largest_local_steps > 1;
  findings.add_facts("discretization",
                     {{"method", io::name_of(options.method)},
                      {"order", has_one_order ? ReportNode(problem.largest_order)
                                              : ReportNode::row({{"smallest", problem.smallest_order},
                                                                 {"largest", problem.largest_order}})},
                      {"largest_local_steps", has_local_steps ? ReportNode(problem.largest_local_steps) : ReportNode()},
                      {"unknowns", problem.n_unknowns},
                      {"fixed_nodes", problem.n_fixed}});
  std::string text = io::format_count(problem.n_unknowns) + " of order " + std::to_string(problem.smallest_order);
  if (!has_one_order)
    text += " to " + std::to_string(problem.largest_order);
  if (has_local_steps)
    text += ", elements with up to " + std::to_string(problem.largest_local_steps) + " steps of their own";
  findings.add_line("discretization", "unknowns", text);
}

void add_rounds(const std::vector<AdaptiveRound>& rounds, Findings& findings) {
  io::TextRows table{{"elements"}};
  std::vector<std::string>& heads = table.front();
  for (const AdaptiveRound& round : rounds) {
    ReportNode item;
    item.set({{"elements", round.n_elements},
              {"unknowns", round.n_unknowns},
              {"estimated_error", round.estimated_error},
              {"iterations", round.iterations}});
    ReportNode& seconds = item["seconds"].set_map().flow();
    for (const auto& phase : round.seconds)
      seconds[phase.first] = phase.second;
    for (const SetupCost& cost : round.setups) {
      item["setup"][cost.strategy] =
          ReportNode::row({{"symbolic", cost.symbolic}, {"numeric", cost.numeric}, {"peak_bytes", cost.peak_bytes}});
      if (std::find(heads.begin(), heads.end(), cost.strategy) == heads.end())
        heads.push_back(cost.strategy);
    }
    findings.add_item("adaptation", item);
  }
  for (const AdaptiveRound& round : rounds) {
    std::vector<std::string> row(table.front().size(), "-");
    row[0] = io::format_count(round.n_elements);
    for (const SetupCost& cost : round.setups)
      row[static_cast<std::size_t>(std::find(table[0].begin(), table[0].end(), cost.strategy) - table[0].begin())] =
          io::format_seconds(cost.symbolic) + " + " + io::format_seconds(cost.numeric);
    table.push_back(row);
  }
  if (rounds.empty())
    return;
  std::ostringstream text;
  text << rounds.size() << (rounds.size() == 1 ? " round" : " rounds") << " from "
       << io::format_count(rounds.front().n_elements) << " to " << io::format_count(rounds.back().n_elements)
       << " elements, estimated error " << std::setprecision(3) << 100. * rounds.back().estimated_error << " %";
  findings.add_line("adaptation", "adaptation", text.str());
  if (table.front().size() > 1)
    findings.add_line("adaptation", "", "Set-up in each round, symbolic + numeric:", table);
}

void add_levels(const SolverOutcome& outcome, Findings& findings) {
  const std::vector<solvers::LevelSummary>& levels = outcome.levels;
  if (levels.empty())
    return;
  const double complexity = solvers::operator_complexity(levels), factor = outcome.linear.mean_factor();
  findings.add_facts("solver.multigrid",
                     {{"operator_complexity", complexity},
                      {"convergence_factor", outcome.linear.iterations > 0 ? ReportNode(factor) : ReportNode()}});
  for (const solvers::LevelSummary& level : levels)
    findings.add_item("solver.multigrid.levels",
                      ReportNode::row({{"unknowns", level.n_unknowns},
                                       {"entries", level.has_matrix ? ReportNode(level.n_entries) : ReportNode()},
                                       {"matrix", unless_empty(level.has_matrix ? "" : "none")},
                                       {"bytes", level.n_bytes},
                                       {"coarsening", unless_empty(&level == &levels.back() ? ""
                                                                   : level.is_geometric     ? "geometric"
                                                                                            : "algebraic")}}));
  const auto n_geometric = std::count_if(levels.begin(), levels.end(),
                                         [](const solvers::LevelSummary& level) { return level.is_geometric; });
  std::ostringstream text;
  text << levels.size() << (levels.size() == 1 ? " level" : " levels");
  if (n_geometric > 0)
    text << ", " << n_geometric << " of them coarsened geometrically,";
  text << " of " << io::format_count(levels.front().n_unknowns);
  if (levels.size() > 1)
    text << " to " << io::format_count(levels.back().n_unknowns);
  text << " unknowns" << (levels.front().has_matrix ? "" : ", the finest without a matrix") << ", operator complexity "
       << std::fixed << std::setprecision(2) << complexity;
  if (factor > 0.)
    text << ", residuals times " << factor << " per iteration";
  findings.add_line("solver", "multigrid", text.str());
}

void add_newton(const io::SolverInput& options, const SolveReport& solve, Findings& findings) {
  if (!solve.solver.nonlinear)
    return;
  const solvers::NewtonResult& newton = *solve.solver.nonlinear;
  findings.add_facts("solver.nonlinear",
                     {{"method", io::name_of(options.nonlinear.method)},
                      {"status", std::string(solvers::to_string(newton.status))},
                      {"converged", solve.solver.converged()},
                      {"iterations", newton.iterations},
                      {"line_search_steps", newton.line_search_steps},
                      {"linear_iterations", newton.linear_iterations},
                      {"relative_residual", newton.history.back()},
                      {"rounding", newton.rounding > 0. ? ReportNode(newton.rounding) : ReportNode()},
                      {"step_length", newton.step_length},
                      {"seconds", solve.nonlinear_seconds},
                      {"assembly_share", solve.assembly_share}});
  std::ostringstream share;
  share << std::fixed << std::setprecision(0) << 100. * solve.assembly_share << " % of "
        << io::format_seconds(solve.nonlinear_seconds) << " in Newton's method";
  findings.add_line("solver", "assembly", share.str());
}

void add_solver(const io::Case& input, const SolveReport& solve, Findings& findings) {
  const SolverOutcome& outcome = solve.solver;
  const solvers::PcgResult& linear = outcome.linear;
  const bool by_petsc = input.solver.method == io::SolverMethod::petsc;
  const bool is_harmonic = io::is_harmonic(input.problem.physics);
  findings.add_facts(
      "solver", {{"method", is_harmonic ? (outcome.nonlinear ? "gmres" : "cocg") : io::name_of(input.solver.method)},
                 {"petsc", by_petsc ? ReportNode(input.solver.petsc) : ReportNode()},
                 {"preconditioner", by_petsc ? ReportNode() : ReportNode(outcome.preconditioner)},
                 {"preconditioner_chosen_because", unless_empty(solve.preconditioner_reason)},
                 {"status", std::string(solvers::to_string(linear.status))},
                 {"converged", outcome.converged()},
                 {"iterations", linear.iterations},
                 {"rhs_norm", linear.rhs_norm},
                 {"initial_residual", linear.initial_residual},
                 {"residual", linear.residual},
                 {"true_residual", linear.true_residual},
                 {"rounding", linear.rounding > 0. ? ReportNode(linear.rounding) : ReportNode()},
                 {"history", unless_empty(input.output.convergence ? io::convergence_file_name : "")}});
  findings.add_line("solver", "solver", outcome.message());
  add_levels(outcome, findings);
  add_newton(input.solver, solve, findings);
}

void add_processes(const ProcessSummary& processes, Findings& findings) {
  if (processes.number == 1)
    return;
  const auto smallest = static_cast<std::int64_t>(processes.smallest_part);
  const auto largest = static_cast<std::int64_t>(processes.largest_part);
  findings.add_facts("processes", {{"number", processes.number},
                                   {"messages", processes.transport},
                                   {"smallest_part", smallest},
                                   {"largest_part", largest},
                                   {"largest_halo", static_cast<std::int64_t>(processes.largest_halo)}});
  findings.add_line("processes", "processes",
                    std::to_string(processes.number) + " of " + io::format_count(smallest) + " to " +
                        io::format_count(largest) + " unknowns, messages by " + processes.transport +
                        "; the times are those of the first");
}

void add_assembly(const SolveReport& solve, Findings& findings) {
  findings.add_facts(
      "assembly", {{"strategy", solve.strategy},
                   {"chosen_because", unless_empty(solve.strategy_reason)},
                   {"matrix_entries", solve.n_matrix_entries > 0 ? ReportNode(solve.n_matrix_entries) : ReportNode()}});
  if (solve.coloring.used)
    findings.add_facts("coloring", {{"method", solve.coloring.method},
                                    {"colors", solve.coloring.n_colors},
                                    {"smallest_class", solve.coloring.smallest},
                                    {"mean_class", solve.coloring.mean},
                                    {"largest_class", solve.coloring.largest},
                                    {"seconds", solve.coloring.seconds}});
}

/// `of_processes`: of the first phases; later ones belong to this process only.
void add_phases(const PhaseLog& log, const std::vector<ProcessTimes>& of_processes, Findings& findings) {
  const std::vector<Phase> phases = log.merged_phases();
  for (std::size_t k = 0; k < phases.size(); ++k) {
    ReportNode row = ReportNode::row({{"name", phases[k].name},
                                      {"seconds", phases[k].seconds},
                                      {"where", phases[k].where},
                                      {"peak_bytes", phases[k].peak_bytes}});
    if (k < of_processes.size())
      row.set({{"slowest", of_processes[k].slowest},
               {"mean", of_processes[k].mean},
               {"largest_peak_bytes", static_cast<std::int64_t>(of_processes[k].largest_peak_bytes)}});
    findings.add_item("phases", row);
  }
  findings.add_facts("", {{"total_seconds", log.total_seconds()}});
}

/// A phase in a form that processes of one program can exchange.
struct Record {
  std::uint64_t key;
  double seconds;
  double peak_bytes;
};

std::uint64_t key_of(const Phase& phase) { return std::hash<std::string>()(phase.name + '\n' + phase.where); }

} // namespace

io::ReportNode versions() {
  io::ReportNode node;
  node.set({{"tessera", TESSERA_VERSION_STRING}, {"commit", git_hash()}, {"kokkos", kokkos_version()}});
  return node;
}

std::vector<ProcessTimes> gather_times(const comm::Communicator& world, const std::vector<Phase>& phases) {
  const auto longest = static_cast<std::size_t>(world.largest(static_cast<std::int64_t>(phases.size())));
  std::vector<Record> own(longest, Record{0, -1., 0.});
  for (std::size_t k = 0; k < phases.size(); ++k)
    own[k] = {key_of(phases[k]), phases[k].seconds, static_cast<double>(phases[k].peak_bytes)};
  std::vector<Record> all(longest * static_cast<std::size_t>(world.size()));
  world.all_gather(own.data(), longest * sizeof(Record), all.data());
  std::vector<ProcessTimes> times;
  for (const Phase& phase : phases) {
    ProcessTimes of_phase;
    int n = 0;
    for (const Record& record : all)
      if (record.seconds >= 0. && record.key == key_of(phase)) {
        of_phase.slowest = std::max(of_phase.slowest, record.seconds);
        of_phase.mean += record.seconds;
        of_phase.largest_peak_bytes = std::max(of_phase.largest_peak_bytes, record.peak_bytes);
        ++n;
      }
    of_phase.mean /= std::max(n, 1);
    times.push_back(of_phase);
  }
  return times;
}

void describe_run(const io::Case& input, const io::ImportedMesh& imported, const ThreadChoice& threads,
                  const PhaseLog& log, Results& results) {
  const ProblemSummary& problem = results.problem;
  const SolveReport& solve = results.solve;
  Findings& findings = results.findings;
  findings.add_facts("", {{"versions", versions()}, {"backend", input.execution.backend}});
  if (threads.count > 0)
    findings.add_facts("threads", {{"number", threads.count}, {"chosen_because", threads.reason}});
  add_mesh(input.mesh, problem, imported, findings);
  add_discretization(input.discretization, problem, findings);
  add_assembly(solve, findings);
  add_phases(log, results.processes.number > 1 ? results.process_times : std::vector<ProcessTimes>(), findings);
  findings.add_facts("memory", {{"estimated_peak_bytes", static_cast<std::int64_t>(results.estimated_bytes)},
                                {"peak_bytes", MemoryLedger::overall_peak_bytes()},
                                {"assembly_peak_bytes", solve.assembly_peak_bytes},
                                {"assembly_bytes_per_element",
                                 static_cast<double>(solve.assembly_peak_bytes) /
                                     static_cast<double>(std::max<std::int64_t>(problem.n_elements, 1))}});
  add_rounds(results.rounds, findings);
  add_solver(input, solve, findings);
  add_processes(results.processes, findings);
  for (const auto& [name, checksum] : solve.checksums)
    findings.add_facts("checksums", {{name, checksum}});
}

} // namespace tessera::driver
