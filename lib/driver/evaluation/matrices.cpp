// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/matrices.hpp"

#include "driver/evaluation/boundary_totals.hpp"
#include "driver/evaluation/unit_solves.hpp"
#include "driver/plan/quantity_list.hpp"
#include "io/output/probes_file.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

/// A larger relative asymmetry is noted.
constexpr double large_asymmetry = 1e-6;

using SquareMatrix = std::vector<std::vector<double>>;

SquareMatrix zeros(std::size_t n) { return SquareMatrix(n, std::vector<double>(n, 0.)); }

/// |M - M^T| over |M|, by the largest entries.
double asymmetry(const SquareMatrix& matrix) {
  double difference = 0.;
  double largest = 0.;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      difference = std::max(difference, std::fabs(matrix[i][j] - matrix[j][i]));
      largest = std::max(largest, std::fabs(matrix[i][j]));
    }
  return largest > 0. ? difference / largest : 0.;
}

/// From y = H x to the relation in which x_p and y_p have changed places.
void exchange(SquareMatrix& h, std::size_t p) {
  const SquareMatrix old = h;
  const double pivot = old[p][p];
  for (std::size_t i = 0; i < h.size(); ++i)
    for (std::size_t j = 0; j < h.size(); ++j)
      h[i][j] = i == p && j == p ? 1. / pivot
                : i == p         ? -old[p][j] / pivot
                : j == p         ? old[i][p] / pivot
                                 : old[i][j] - old[i][p] * old[p][j] / pivot;
}

/// "F", or "F/m" ("W/(K m)" for "W/K") if the input gives no depth for its planar problem.
std::string unit_of(const io::ProblemOptions& problem, int dimension, const char* unit) {
  const bool per_metre = dimension == 2 && problem.symmetry == io::Symmetry::planar && problem.depth_where.line == 0 &&
                         problem.depth == 1.; // values from --set have no line
  const std::string text = unit;
  const std::size_t fraction = text.find('/');
  if (!per_metre)
    return text;
  return fraction == std::string::npos ? text + "/m"
                                       : text.substr(0, fraction) + "/(" + text.substr(fraction + 1) + " m)";
}

/// One form of a matrix over conductors or coils.
struct MatrixForm {
  std::string name; ///< of its entries, before those of the members: "mutual_capacitance"
  std::string key;  ///< in the report: "mutual"
  std::string unit;
  SquareMatrix values; ///< [row][column]
};

struct QuantityMatrix {
  std::string of;                   ///< kind of the members: "conductors"
  std::vector<std::string> members; ///< rows and columns
  std::vector<std::string> ground;  ///< groups held at zero
  MatrixForm first;                 ///< as computed, column by column; its name is the matrix's
  MatrixForm second;
  int iterations = 0; ///< of all solves
  int together = 1;   ///< maximum number of right-hand sides solved together
  double seconds = 0.;
};

std::string text_of(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

/// The form for report and comparisons, and as a table on the console if that fits a line.
io::Finding finding_of(const QuantityMatrix& matrix, const MatrixForm& form) {
  constexpr std::size_t most_columns = 6;
  io::Finding finding{matrix.first.name, form.key};
  io::TextRows table{{form.key + " [" + form.unit + "]"}};
  table[0].insert(table[0].end(), matrix.members.begin(), matrix.members.end());
  for (std::size_t i = 0; i < matrix.members.size(); ++i) {
    finding.value.append() = form.values[i];
    table.push_back({matrix.members[i]});
    for (std::size_t j = 0; j < matrix.members.size(); ++j) {
      finding.numbers.push_back(
          {form.name + "." + matrix.members[i] + "." + matrix.members[j], form.values[i][j], form.unit});
      table.back().push_back(text_of(form.values[i][j], 6));
    }
  }
  if (matrix.members.size() <= most_columns)
    finding.table = std::move(table);
  else if (&form == &matrix.first) {
    finding.label = form.name;
    finding.text = std::to_string(matrix.members.size()) + " " + matrix.of + ", in " + form.name + ".csv";
  }
  return finding;
}

/// <name>.csv: both forms, one below the other.
io::Finding file_of(const QuantityMatrix& matrix) {
  io::Finding finding{matrix.first.name};
  finding.file = matrix.first.name + ".csv";
  finding.rows = {{"form", matrix.of}};
  finding.rows[0].insert(finding.rows[0].end(), matrix.members.begin(), matrix.members.end());
  for (const MatrixForm* form : {&matrix.first, &matrix.second})
    for (std::size_t i = 0; i < matrix.members.size(); ++i) {
      finding.rows.push_back({form->key + " [" + form->unit + "]", matrix.members[i]});
      for (const double value : form->values[i])
        finding.rows.back().push_back(io::csv_number(value));
    }
  return finding;
}

void add_matrix(Results& results, const QuantityMatrix& matrix) {
  const std::string& name = matrix.first.name;
  io::Findings& findings = results.findings;
  findings.add_facts(name, {{"unit", matrix.first.unit},
                            {matrix.of, matrix.members},
                            {"ground", io::ReportNode::unless_empty(matrix.ground)}});
  findings.add(finding_of(matrix, matrix.first));
  findings.add(finding_of(matrix, matrix.second));
  const double difference = asymmetry(matrix.first.values);
  findings.add({name, "asymmetry", difference, {}, "asymmetry", text_of(difference, 10)});
  findings.add_facts(
      name,
      {{"iterations", matrix.iterations}, {"solved_together", matrix.together}, {"solver_seconds", matrix.seconds}});
  findings.add(file_of(matrix));
  for (const QuantityValue& entry : findings.numbers({name}))
    if (!std::isfinite(entry.value)) {
      results.failures.push_back(name + ": entry " + entry.name + " is " + io::number_text(entry.value) + ".");
      break;
    }
  if (difference > large_asymmetry) {
    std::ostringstream note;
    note << name << ": the computed matrix differs from its transpose by " << difference
         << " of its largest entry, which is the size of the error that the solver leaves. A smaller "
            "solver.relative_tolerance lowers it.";
    results.notes.push_back(note.str());
  }
}

template <class ExecutionSpace>
void add_capacitance_matrix(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                            const ProblemSolver<ExecutionSpace>& solver, Results& results) {
  const ProblemBinding& binding = problem.binding;
  QuantityMatrix matrix;
  const std::string name = io::name_of(io::Quantity::capacitance_matrix, input.problem.physics);
  const io::PhysicsTraits::Matrix& traits = io::traits_of(input.problem.physics).matrix;
  const std::string unit = unit_of(input.problem, problem.summary.dimension, traits.unit);
  matrix.of = traits.members;
  matrix.members = io::matrix_conductors(input.problem, input.output);
  std::vector<std::size_t> constraint;
  std::vector<index_t> tied; // -1: fixed
  for (const std::string& name : matrix.members) {
    index_t number = 0;
    for (std::size_t c = 0; c < binding.conductors.size(); ++c) {
      if (binding.conductors[c].name == name) {
        constraint.push_back(c);
        tied.push_back(binding.conductors[c].is_floating ? number : -1);
      }
      number += binding.conductors[c].is_floating ? 1 : 0;
    }
  }
  for (const Conductor& conductor : binding.conductors)
    if (!conductor.is_floating && find_name(matrix.members, conductor.name) < 0)
      matrix.ground.push_back(conductor.name);

  const std::size_t n = matrix.members.size();
  std::vector<UnitExcitation> excitations;
  for (std::size_t k = 0; k < n; ++k)
    excitations.push_back({matrix.members[k], tied[k] < 0 ? static_cast<int>(constraint[k]) : -1, tied[k]});
  UnitSolves<ExecutionSpace> solves(exec, problem, solver, excitations, name, results);
  const std::vector<double> given = problem.totals(exec, solves.zero()).inflow;
  SquareMatrix h = zeros(n); // fixed: charge per potential; floating: potential per charge
  const bool has_multipole = !problem.multipole_ends.empty();
  const double given_net = has_multipole ? net_inflow(exec, problem, solves.zero()) : 0.;
  double net = 0.;
  double largest = 0.;
  for (std::size_t k = 0; k < n; ++k) {
    const auto nodal = solves.solve(k);
    const std::vector<double> totals = problem.totals(exec, nodal).inflow;
    if (has_multipole)
      net = std::max(net, std::fabs(net_inflow(exec, problem, nodal) - given_net));
    for (std::size_t c = 0; c < totals.size(); ++c)
      largest = std::max(largest, std::fabs(totals[c] - given[c]));
    for (std::size_t i = 0; i < n; ++i)
      h[i][k] = tied[i] < 0 ? totals[constraint[i]] - given[constraint[i]] : solves.tied_value(tied[i]);
  }
  const std::string note = has_multipole ? net_inflow_note(problem, input, net, largest, "Entries of " + name) : "";
  if (!note.empty())
    results.notes.push_back(note);
  for (std::size_t k = 0; k < n; ++k)
    if (tied[k] >= 0)
      exchange(h, k);
  SquareMatrix mutual = zeros(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      mutual[i][i] += h[i][j];
      if (i != j)
        mutual[i][j] = -h[i][j];
    }
  matrix.first = {name, traits.form, unit, h};
  matrix.second = {traits.mutual, "mutual", unit, mutual};
  matrix.iterations = solves.iterations();
  matrix.together = solves.together();
  matrix.seconds = solves.seconds();
  add_matrix(results, matrix);
}

template <class ExecutionSpace>
void add_inductance_matrix(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                           const io::ProblemOptions& options, const ProblemSolver<ExecutionSpace>& solver,
                           Results& results) {
  const ProblemBinding& binding = problem.binding;
  const std::vector<physics::Coil>& coils = binding.magnetic->coils;
  QuantityMatrix matrix;
  const std::string name = io::name_of(io::Quantity::inductance_matrix, options.physics);
  matrix.of = "coils";
  const std::size_t n = coils.size();
  std::vector<UnitExcitation> excitations;
  for (std::size_t k = 0; k < n; ++k) {
    matrix.members.push_back(coils[k].name);
    excitations.push_back({coils[k].name, -1, -1, static_cast<int>(k)});
  }
  UnitSolves<ExecutionSpace> solves(exec, problem, solver, excitations, name, results);
  SquareMatrix inductances = zeros(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto nodal = solves.solve(k);
    for (std::size_t i = 0; i < n; ++i)
      inductances[i][k] = problem.flux_linkage(exec, nodal, i);
  }
  SquareMatrix couplings = inductances;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      couplings[i][j] /= std::sqrt(inductances[i][i] * inductances[j][j]);
  matrix.first = {name, "inductance", unit_of(options, problem.summary.dimension, "H"), inductances};
  matrix.second = {io::coupling, io::coupling, "1", couplings};
  matrix.iterations = solves.iterations();
  matrix.together = solves.together();
  matrix.seconds = solves.seconds();
  add_matrix(results, matrix);
}

} // namespace

template <class ExecutionSpace>
void add_matrices(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                  const ProblemSolver<ExecutionSpace>& solver, const Context& context, Results& results) {
  const io::Case& input = context.input;
  const bool capacitances = wants(input, io::Quantity::capacitance_matrix);
  if (!problem.is_linear() || (!capacitances && !wants(input, io::Quantity::inductance_matrix)))
    return;
  context.log.run("quantities: matrix", exec, [&] {
    keep_failure(context.world, results, [&] { // the solves are those of all processes, whatever mesh each has
      if (capacitances)
        add_capacitance_matrix(exec, problem, input, solver, results);
      else
        add_inductance_matrix(exec, problem, input.problem, solver, results);
    });
    problem.excite(exec, {});
  });
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void add_matrices<SPACE>(const SPACE&, const Problem<SPACE>&, const ProblemSolver<SPACE>&, const Context&,  \
                                    Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
