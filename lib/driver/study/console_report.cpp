// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/console_report.hpp"

#include "core/place_text.hpp"
#include "io/input/input_text.hpp"
#include "solvers/external/petsc.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

std::string describe(const ProblemSummary& problem, bool is_dg) {
  std::ostringstream text;
  text << io::format_count(problem.n_nodes) << " nodes, " << io::format_count(problem.n_elements) << ' '
       << (is_dg                    ? "elements"
           : problem.dimension == 2 ? "triangles"
                                    : "tetrahedra");
  return text.str();
}

/// Corners of the mesh's bounding box, m.
std::array<std::vector<double>, 2> box_of(const io::Case& input, const io::ImportedMesh& imported) {
  const bool is_box = input.mesh.source == io::MeshSource::box;
  const auto dim = static_cast<std::size_t>(imported.dimension);
  std::array<std::vector<double>, 2> box;
  for (std::size_t d = 0; d < dim; ++d) {
    double lower = input.mesh.scale * input.mesh.box.lower[d], upper = input.mesh.scale * input.mesh.box.upper[d];
    for (std::size_t i = d; i < imported.coordinates.size() && !is_box; i += dim) {
      lower = i == d ? imported.coordinates[i] : std::min(lower, imported.coordinates[i]);
      upper = i == d ? imported.coordinates[i] : std::max(upper, imported.coordinates[i]);
    }
    box[0].push_back(lower);
    box[1].push_back(upper);
  }
  return box;
}

/// ", 0.04 x 0.016 m": reveals a mesh in other units than intended.
std::string size_text(const std::array<std::vector<double>, 2>& box) {
  std::ostringstream text;
  text << std::setprecision(4);
  for (std::size_t d = 0; d < box[0].size(); ++d)
    text << (d == 0 ? ", " : " x ") << box[1][d] - box[0][d];
  return text.str() + " m";
}

/// Significant digits for coordinates in a mesh with this box.
int digits_of_places(const std::array<std::vector<double>, 2>& box) {
  double farthest = 0., extent = 0.;
  for (std::size_t d = 0; d < box[0].size(); ++d) {
    farthest = std::max({farthest, std::fabs(box[0][d]), std::fabs(box[1][d])});
    extent = std::max(extent, box[1][d] - box[0][d]);
  }
  return tessera::digits_of_places(farthest, extent, 5);
}

/// Text on the levels of multigrid.
std::string describe(const std::vector<solvers::LevelSummary>& levels, double factor) {
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
       << std::fixed << std::setprecision(2) << solvers::operator_complexity(levels);
  if (factor > 0.)
    text << ", residuals times " << factor << " per iteration";
  return text.str();
}

/// Prints both forms as tables if they fit a line, or the place where they are.
void print_matrix(const QuantityMatrix& matrix, io::Console& console) {
  constexpr std::size_t most_columns = 6;
  const auto text_of = [](double value) {
    std::ostringstream text;
    text << std::setprecision(6) << value;
    return text.str();
  };
  if (matrix.members.size() > most_columns) {
    console.item(matrix.name, std::to_string(matrix.members.size()) + " " + matrix.of + ", in " + matrix.name + ".csv");
  } else {
    for (const bool second : {false, true}) {
      std::vector<std::string> headline{
          (second ? matrix.second_form + " [" + matrix.second_unit : matrix.form + " [" + matrix.unit) + "]"};
      headline.insert(headline.end(), matrix.members.begin(), matrix.members.end());
      std::vector<std::vector<std::string>> rows;
      for (std::size_t i = 0; i < matrix.members.size(); ++i) {
        rows.push_back({matrix.members[i]});
        for (const double value : (second ? matrix.second : matrix.values)[i])
          rows.back().push_back(text_of(value));
      }
      console.table(headline, rows);
    }
  }
  console.quantity("asymmetry", matrix.asymmetry, "");
}

/// "at (0.1, 0.2) m", or nothing.
std::string place_text(const QuantityValue& quantity, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits);
  if (!quantity.from.empty())
    text << "from " << quantity.from << " to " << quantity.towards;
  for (std::size_t d = 0; d < quantity.at.size(); ++d)
    text << (d == 0 ? "at (" : ", ") << quantity.at[d];
  if (!quantity.at.empty())
    text << ") m";
  return text.str();
}

void print_rounds(const std::vector<AdaptiveRound>& rounds, io::Console& console) {
  std::ostringstream error;
  error << std::setprecision(3) << 100. * rounds.back().estimated_error << " %";
  console.item("adaptation", std::to_string(rounds.size()) + (rounds.size() == 1 ? " round" : " rounds") + " from " +
                                 io::format_count(rounds.front().n_elements) + " to " +
                                 io::format_count(rounds.back().n_elements) + " elements, estimated error " +
                                 error.str());
  std::vector<std::string> headline{"elements"};
  for (const AdaptiveRound& round : rounds)
    for (const SetupCost& cost : round.setups)
      if (std::find(headline.begin(), headline.end(), cost.strategy) == headline.end())
        headline.push_back(cost.strategy);
  if (headline.size() == 1)
    return;
  std::vector<std::vector<std::string>> rows;
  for (const AdaptiveRound& round : rounds) {
    rows.emplace_back(headline.size(), "-");
    rows.back()[0] = io::format_count(round.n_elements);
    for (const SetupCost& cost : round.setups)
      rows.back()[static_cast<std::size_t>(std::find(headline.begin(), headline.end(), cost.strategy) -
                                           headline.begin())] =
          io::format_seconds(cost.symbolic) + " + " + io::format_seconds(cost.numeric);
  }
  console.line("Set-up in each round, symbolic + numeric:");
  console.table(headline, rows);
}

} // namespace

void print_machine(const io::Case& input, const std::string& device, io::Console& console) {
  console.item("backend", input.execution.backend + " (" + device + ")");
}

void print_plan(const io::Case& input, const Plan& plan, const std::string& device, io::Console& console) {
  print_machine(input, device, console);
  console.item("strategy", io::name_of(plan.strategy) + (plan.reason.empty() ? "" : ": " + plan.reason));
  if (!plan.preconditioner_reason.empty())
    console.item("preconditioner", io::name_of(plan.solver.preconditioner) + ": " + plan.preconditioner_reason);
  if (plan.solver.method == io::SolverMethod::petsc)
    console.item("petsc", std::string(solvers::petsc_version()) + " with " + io::printable(plan.solver.petsc, 200));
  console.item("memory", "about " + format_bytes(plan.estimated_bytes));
}

void print_results(const io::Case& input, const io::ImportedMesh& imported, const Results& results, const PhaseLog& log,
                   io::Console& console) {
  const std::array<std::vector<double>, 2> box = box_of(input, imported);
  console.item("mesh", describe(results.problem, input.discretization.method == io::Method::dg) + size_text(box));
  std::ostringstream unknowns;
  unknowns << io::format_count(results.problem.n_unknowns) << " of order " << results.problem.smallest_order;
  if (results.problem.largest_order > results.problem.smallest_order)
    unknowns << " to " << results.problem.largest_order;
  if (results.problem.largest_local_steps > 1)
    unknowns << ", elements with up to " << results.problem.largest_local_steps << " steps of their own";
  console.item("unknowns", unknowns.str());
  if (!results.rounds.empty())
    print_rounds(results.rounds, console);
  console.item("solver", results.solve.solver.message());
  if (!results.solve.solver.levels.empty())
    console.item("multigrid", describe(results.solve.solver.levels, results.solve.solver.linear.mean_factor()));
  if (results.solve.solver.nonlinear) {
    std::ostringstream share;
    share << std::fixed << std::setprecision(0) << 100. * results.solve.assembly_share << " % of "
          << io::format_seconds(results.solve.nonlinear_seconds) << " in Newton's method";
    console.item("assembly", share.str());
  }
  if (const ProcessSummary& processes = results.processes; processes.number > 1)
    console.item("processes", std::to_string(processes.number) + " of " +
                                  io::format_count(static_cast<std::int64_t>(processes.smallest_part)) + " to " +
                                  io::format_count(static_cast<std::int64_t>(processes.largest_part)) +
                                  " unknowns, messages by " + processes.transport +
                                  "; the times are those of the first");
  console.phase_table(log.merged_phases());
  for (const QuantityValue& quantity : results.quantities)
    console.quantity(quantity.name, quantity.value, quantity.unit, place_text(quantity, digits_of_places(box)));
  for (const QuantityMatrix& matrix : results.matrices)
    print_matrix(matrix, console);
  for (const auto& error : results.errors)
    console.quantity("error." + error.first, error.second, "");
  for (const std::string& note : results.notes)
    console.line("note: " + note);
}

} // namespace tessera::driver
