// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

/// \file
/// Current flow and heat on one mesh: the losses of the one are sources of the other, whose temperatures determine the
/// conductivity. docs/theory.md, "Electro-thermal".

#include "core/keep_alive.hpp"
#include "driver/checksums.hpp"
#include "driver/coupled/fixed_point.hpp"
#include "driver/discretization.hpp"
#include "driver/evaluation/fields.hpp"
#include "driver/evaluation/paths/lines.hpp"
#include "driver/evaluation/paths/surfaces.hpp"
#include "driver/evaluation/quantities.hpp"
#include "driver/mesh/import.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/solution/run_plan.hpp"
#include "driver/solution/step_results.hpp"
#include "io/input/temperature.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

/// Conductivity of regions without one, as a share of the smallest one of the others: their potential is determined,
/// and what leaks is below rounding of the solver.
constexpr double leak = 1e-12;

/// The case of current flow with wildcards of materials spread: where heat has a material and it has none is an
/// insulator.
io::Case current_case(const io::Case& heat, const io::ImportedMesh& imported) {
  io::Case input = *heat.current;
  const std::vector<io::GroupName> given = input.problem.insulators;
  spread_materials(input, imported);
  const auto is_region = [](const std::string& name) {
    return [&name](const auto& entry) { return entry.name == name; };
  };
  std::vector<io::Material>& materials = input.problem.materials;
  materials.erase(std::remove_if(materials.begin(), materials.end(),
                                 [&](const io::Material& material) {
                                   return std::any_of(given.begin(), given.end(), is_region(material.region.name));
                                 }),
                  materials.end());
  input.problem.insulators.clear();
  for (const io::Material& material : heat.problem.materials)
    if (std::none_of(materials.begin(), materials.end(),
                     [&](const io::Material& one) { return one.region.name == material.region.name; }))
      input.problem.insulators.push_back(material.region);
  return input;
}

ProblemBinding bind_current(const io::Case& input, const io::ImportedMesh& imported, double rest_temperature) {
  ProblemBinding binding = bind_problem(input, imported);
  physics::DiffusionProblem& problem = binding.problem;
  problem.rest_temperature = rest_temperature;
  double least = 0.;
  for (const physics::RegionData& region : problem.regions)
    for (const physics::Expression& entry : region.coefficient)
      if (const physics::Expression at_rest = entry.at_time(rest_temperature);
          at_rest.is_constant() && at_rest.value() > 0.)
        least = least > 0. ? std::min(least, at_rest.value()) : at_rest.value();
  for (physics::RegionData& region : problem.regions)
    if (region.coefficient.empty())
      region.coefficient.assign(static_cast<std::size_t>(imported.dimension),
                                physics::Expression(leak * (least > 0. ? least : 1.)));
  return binding;
}

/// Whether data of current flow depend on T, or on t.
bool has_conductivity_of_temperature(const io::ProblemOptions& problem) {
  const auto depends = [](const std::vector<io::Scalar>& entries) {
    return std::any_of(entries.begin(), entries.end(), [](const io::Scalar& entry) {
      return !entry.is_constant && io::mentions_temperature(entry.text);
    });
  };
  return std::any_of(problem.materials.begin(), problem.materials.end(), [&](const io::Material& material) {
    return depends(material.coefficient.diagonal) || depends(material.coefficient.off_diagonal);
  });
}
bool has_transient_values(const ProblemBinding& binding) {
  return binding.problem.has_transient_loads() ||
         std::any_of(binding.fixed_values.begin(), binding.fixed_values.end(),
                     [](const physics::Expression& value) { return value.depends_on(physics::Opcode::t); });
}

template <class ExecutionSpace> class ElectroThermal final : public Discretization<ExecutionSpace> {
public:
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;

  ElectroThermal(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                 KeptRun* kept, Context& context, Results& results)
      : exec_(exec), context_(context), input_(context.input),
        current_input_(current_case(input_, imported)), current_context_{current_input_, context.console, context.log,
                                                                         context.notes, context.world} {
    if (kept != nullptr)
      kept->taken = Reuse::nothing;
    const ProblemBinding of_current = bind_current(current_input_, imported, binding.problem.rest_temperature);
    conductivity_varies_ = has_conductivity_of_temperature(current_input_.problem);
    current_changes_ = conductivity_varies_ || has_transient_values(of_current);
    context.console.item("physics", io::name_of(input_.problem.physics));
    plan_ = make_run_plan(exec, imported, binding, nullptr, context);
    context.console.item("physics", io::name_of(current_input_.problem.physics));
    current_plan_ = make_run_plan(exec, imported, of_current, nullptr, current_context_);
    results.estimated_bytes = plan_.estimated_bytes + current_plan_.estimated_bytes;
    PreparedMesh<typename ExecutionSpace::memory_space> mesh;
    const mesh::CoarserMeshes coarser = std::max(plan_.coarser_meshes(), current_plan_.coarser_meshes());
    heat_ = make_problem(exec, imported, binding, plan_.form, coarser, context, &mesh);
    current_ = make_problem(exec, imported, of_current, current_plan_.form, coarser, current_context_, &mesh);
    results.problem = heat_->summary;
    check_lines(exec, *heat_, input_);
    check_surfaces(exec, *heat_, input_);
    results.processes = distribute(exec, context.world, input_.execution.messages, *heat_, plan_.reproducible,
                                   context.log, transport_, distribution_);
    distribute(exec, context.world, input_.execution.messages, *current_, current_plan_.reproducible, context.log,
               transport_, current_distribution_);
    current_solver_ =
        std::make_unique<ProblemSolver<ExecutionSpace>>(*current_, current_plan_, &*current_distribution_);
    if (input_.problem.time.requested()) {
      steps_.emplace(exec, *heat_, plan_, *distribution_, input_, context.log, progress_of(context.console));
      steps_->set_sources([this](const ConstVector& temperature) { update_losses(temperature, inner_log_); });
    } else {
      heat_solver_ = std::make_unique<ProblemSolver<ExecutionSpace>>(*heat_, plan_, &*distribution_);
    }
  }

  bool solve(Results& results) override {
    if (steps_)
      return solve_step(results);
    solve_steady(results);
    results.solve = heat_solution_.report;
    return true;
  }

  void write_fields(const io::OutputDirectory* output) override {
    if (!fields_)
      fields_.emplace(exec_, *heat_, input_, output, steps_ ? steps_->n_outputs(input_.output.every) : 0,
                      typename NodalFields<ExecutionSpace>::Second{&*current_, &current_input_, &current_solution_});
    fields_->write(heat_solution_, now_);
  }
  void finish(Results& results) override {
    if (fields_)
      fields_->close();
    fields_.reset();
    if (steps_)
      add_outcome(*steps_, input_.problem.time, context_.notes, results);
    for (const Problem<ExecutionSpace>* problem : {&*heat_, &*current_})
      for (const std::string& note : problem->material_notes())
        context_.notes.push_back(note);
  }
  std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points,
                                             bool recovered) const override {
    return heat_->values_at(exec_, heat_solution_.nodal, points, recovered);
  }
  void add_quantities(Results& results) const override {
    driver::add_quantities(exec_, *heat_, input_, heat_solution_, results);
    Results of_current;
    driver::add_quantities(exec_, *current_, current_input_, current_solution_, of_current);
    std::vector<std::string> names;
    for (const QuantityValue& quantity : results.findings.numbers({"quantities"}))
      names.push_back(quantity.name);
    for (const io::Finding& finding : of_current.findings.list()) {
      const bool is_there = std::find(names.begin(), names.end(), finding.name) != names.end(); // volumes of regions
      if (!is_there && (finding.file.empty() || !results.findings.has_file(finding.file)))
        results.findings.add(finding);
    }
    for (auto list : {&Results::notes, &Results::failures})
      (results.*list).insert((results.*list).end(), (of_current.*list).begin(), (of_current.*list).end());
    add_rise(results);
    check_power(results);
  }
  /// Of temperatures.
  std::vector<NormError> errors(const physics::Expression& exact,
                                const std::vector<physics::Expression>& gradient) const override {
    return norm_errors(exec_, *heat_, heat_solution_.nodal, now_, exact, gradient);
  }

private:
  /// Solves current flow at these temperatures, and makes its losses a source of heat.
  void update_losses(const ConstVector& temperature, PhaseLog& log) {
    using Changed = typename ProblemSolver<ExecutionSpace>::Changed;
    const bool is_first = current_solution_.nodal.extent(0) == 0;
    if (steps_)
      current_->set_time(exec_, heat_->binding.problem.time);
    if (is_first || current_changes_) {
      copy(exec_, current_->iterate(), temperature);
      current_->linearize(exec_);
      const ConstVector start = plan_.reproducible ? ConstVector() : current_solution_.nodal;
      current_solution_ =
          current_solver_->solve(exec_, excitation_of(current_input_), log, progress_of(context_.console),
                                 is_first || conductivity_varies_ ? Changed::form : Changed::nothing, start);
      current_iterations_ += current_solution_.report.solver.iterations();
    }
    heat_->take_losses(exec_, *current_, current_solution_.nodal);
  }

  /// Iterates T = G(T), where G solves current flow at T and then heat with its losses.
  void solve_steady(Results& results) {
    using Changed = typename ProblemSolver<ExecutionSpace>::Changed;
    constexpr int most = 50;
    const double tolerance = std::max(1e-9, 10. * input_.solver.relative_tolerance);
    const auto n = static_cast<std::size_t>(heat_->n_space_nodes);
    const auto x = make_filled<Vector>(exec_, "driver::temperatures", n, heat_->binding.problem.rest_temperature);
    const auto rest = make_filled<Vector>(exec_, "driver::rest", n, heat_->binding.problem.rest_temperature);
    FixedPoint<ExecutionSpace> iteration(exec_, n);
    double rise = 0.;
    double excess = 0.; // first feedback above 1
    bool converged = false;
    int iterations = 0;
    int k = 0;
    while (!converged && k < most) {
      update_losses(x, context_.log);
      if (!current_solution_.report.solver.converged()) {
        heat_solution_ = std::move(current_solution_);
        heat_solution_.report.solver.linear.message = "Current flow: " + heat_solution_.report.solver.linear.message;
        heat_solution_.nodal = x;
        return;
      }
      const ConstVector start = k == 0 || plan_.reproducible ? ConstVector() : heat_solution_.nodal;
      heat_solution_ = heat_solver_->solve(exec_, excitation_of(input_), context_.log, progress_of(context_.console),
                                           k == 0 ? Changed::form : Changed::nothing, start);
      ++k;
      iterations += heat_solution_.report.solver.iterations();
      for (const io::ResidualHistory& history : heat_solution_.report.solver.histories)
        results.histories.push_back(history);
      if (!heat_solution_.report.solver.converged())
        break;
      rise = std::max(rise, iteration.distance(heat_solution_.nodal, ConstVector(rest)));
      if (!conductivity_varies_) {
        converged = true;
        break;
      }
      iteration.advance(x, heat_solution_.nodal);
      if (excess == 0. && iteration.feedback() > 1.)
        excess = iteration.feedback();
      changes_.push_back(rise > 0. ? iteration.residual() / rise : 0.);
      converged = changes_.back() <= tolerance;
      if (!std::isfinite(changes_.back()) || rise > largest_rise)
        break;
    }
    results.iterations += iterations + current_iterations_;
    // Far beyond a steady state that does not exist, steps show nothing: the first excess does.
    const double feedback = converged || excess == 0. ? iteration.feedback() : excess;
    describe(k, feedback, results);
    solvers::PcgResult& linear = heat_solution_.report.solver.linear;
    const bool is_unstable = conductivity_varies_ && feedback > 1.;
    if (heat_solution_.report.solver.converged() && (!converged || is_unstable)) {
      std::ostringstream text;
      text << std::setprecision(3) << "Thermal runaway: " << k << " iterations have found no stable steady state";
      if (is_unstable)
        text << ". A rise of the temperature changes the losses so that they raise it by " << feedback
             << " times as much, more than once: it grows without end. ";
      else
        text << ", or none of conductivities that make sense at its temperatures. ";
      text << "A run in time (problem.time) shows how fast. Less current or voltage, or better cooling, avoids it.";
      linear.message = text.str();
      linear.status = solvers::SolverStatus::max_iterations;
      heat_solution_.report.solver.nonlinear.reset();
    } else if (converged) {
      copy(exec_, current_->iterate(), ConstVector(heat_solution_.nodal));
      current_->linearize(exec_);
      current_->check_materials(exec_);
      heat_->check_materials(exec_);
    }
    if (plan_.reproducible)
      heat_solution_.report.checksums["potential"] = checksum_text(exec_, current_solution_.nodal);
    exec_.fence();
  }

  bool solve_step(Results& results) {
    const bool assembled = take_step(exec_, plan_, *steps_, heat_solution_, results);
    now_ = results.step.to;
    if (conductivity_varies_)
      current_->check_materials(exec_);
    if (!current_solution_.report.solver.converged()) {
      solvers::PcgResult& linear = heat_solution_.report.solver.linear;
      linear.status = current_solution_.report.solver.linear.status;
      linear.message = "Current flow: " + current_solution_.report.solver.linear.message;
    }
    results.iterations += std::exchange(current_iterations_, 0);
    results.solve = heat_solution_.report;
    return assembled;
  }

  void describe(int k, double feedback, Results& results) const {
    if (!conductivity_varies_)
      return;
    results.findings.add_facts(
        "coupling",
        {{"iterations", k}, {"relative_change", changes_.empty() ? 0. : changes_.back()}, {"feedback", feedback}});
    std::ostringstream text;
    text << k << " iterations of current flow and heat, the last with a change of " << std::setprecision(2)
         << (changes_.empty() ? 0. : changes_.back()) << " of the rise; feedback of temperatures on losses "
         << std::setprecision(3) << feedback << " (thermal runaway from 1 on)";
    results.findings.add_line("solver", "coupling", text.str());
  }

  /// The hottest spot, and its rise above the lowest temperature that is given.
  void add_rise(Results& results) const {
    const io::PhysicsTraits& traits = io::traits_of(input_.problem);
    const std::vector<physics::RegionValues> regions = heat_->region_values(exec_, heat_solution_.nodal);
    const physics::RegionValues* hottest = nullptr;
    for (const physics::RegionValues& region : regions)
      if (region.measure > 0. && (hottest == nullptr || region.largest > hottest->largest))
        hottest = &region;
    if (hottest == nullptr)
      return;
    io::Place place;
    place.at.assign(hottest->largest_at.begin(), hottest->largest_at.begin() + heat_->summary.dimension);
    add_quantity(results, "largest_temperature", hottest->largest, traits.solution.unit, place);
    std::optional<double> lowest;
    const auto consider = [&](const io::Scalar& given) {
      if (given.is_constant)
        lowest = lowest ? std::min(*lowest, given.value) : given.value;
    };
    for (const io::Boundary& boundary : input_.problem.boundaries)
      if (boundary.kind == io::BoundaryKind::value)
        consider(boundary.value);
      else if (boundary.kind == io::BoundaryKind::robin || boundary.kind == io::BoundaryKind::radiation)
        consider(boundary.reference);
    if (steps_)
      consider(input_.problem.time.initial);
    if (lowest)
      add_quantity(results, "temperature_rise", hottest->largest - *lowest, "K", place);
  }

  /// Compares the losses with what the terminals supply, if all have one potential each.
  void check_power(Results& results) const {
    const ProblemBinding& binding = current_->binding;
    const bool is_alone = binding.problem.natural.empty() && binding.periodic.empty() &&
                          !binding.problem.has_lumped_sources() &&
                          std::none_of(binding.problem.regions.begin(), binding.problem.regions.end(),
                                       [](const physics::RegionData& region) { return region.has_source(); });
    const bool has_constants = std::all_of(binding.fixed_values.begin(), binding.fixed_values.end(),
                                           [](const physics::Expression& value) { return value.is_constant(); });
    if (!is_alone || !has_constants || !current_solution_.report.solver.converged())
      return;
    const std::vector<double> currents = current_->totals(exec_, current_solution_.nodal).inflow;
    double supplied = 0.;
    std::size_t next = 0;
    for (std::size_t c = 0; c < currents.size(); ++c)
      supplied += currents[c] * (binding.conductors[c].is_floating ? current_solution_.floating.at(next++)
                                                                   : binding.conductors[c].value);
    const double losses = 2. * current_->energy(exec_, current_solution_.nodal);
    const double missing = std::fabs(supplied - losses) / std::max(std::fabs(losses), 1e-300);
    results.findings.add_facts("coupling", {{"supplied", supplied}, {"losses", losses}});
    std::ostringstream text;
    text << std::setprecision(6) << "terminals supply " << supplied << " W, losses heat with " << losses << " W ("
         << std::setprecision(2) << missing << " of it apart)";
    results.findings.add_line("quantities", "power", text.str());
    constexpr double noted = 1e-6;
    if (losses > 0. && missing > noted)
      results.notes.push_back("Electro-thermal: " + text.str() +
                              ". The cause is the error of the solver: a smaller solver.relative_tolerance lowers it.");
  }

  static constexpr double largest_rise = 1e9; ///< K

  ExecutionSpace exec_;
  Context& context_;
  const io::Case& input_;
  const io::Case current_input_;
  Context current_context_;
  Plan plan_, current_plan_;
  std::unique_ptr<Problem<ExecutionSpace>> heat_, current_;
  std::unique_ptr<comm::Transport<ExecutionSpace>> transport_;
  std::optional<Distribution<ExecutionSpace>> distribution_, current_distribution_;
  std::unique_ptr<ProblemSolver<ExecutionSpace>> heat_solver_, current_solver_;
  std::optional<TimeSteps<ExecutionSpace>> steps_;
  std::optional<NodalFields<ExecutionSpace>> fields_;
  PhaseLog inner_log_; ///< of current flow within residuals of heat
  Solution<ExecutionSpace> heat_solution_, current_solution_;
  bool conductivity_varies_ = false; ///< with temperature
  bool current_changes_ = false;     ///< with temperature or time
  std::vector<double> changes_;      ///< of temperatures in each iteration, relative to their rise
  int current_iterations_ = 0;
  double now_ = 0.; ///< s
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_electro_thermal(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                     KeptRun* kept, Context& context, Results& results) {
  return std::make_unique<ElectroThermal<ExecutionSpace>>(exec, imported, binding, kept, context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Discretization<SPACE>> make_electro_thermal<SPACE>(                                         \
      const SPACE&, const io::ImportedMesh&, const ProblemBinding&, KeptRun*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
