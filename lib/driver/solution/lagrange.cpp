// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/checksums.hpp"
#include "driver/discretization.hpp"
#include "driver/evaluation/fields.hpp"
#include "driver/evaluation/forces.hpp"
#include "driver/evaluation/matrices.hpp"
#include "driver/evaluation/paths/lines.hpp"
#include "driver/evaluation/paths/surfaces.hpp"
#include "driver/evaluation/quantities.hpp"
#include "driver/evaluation/system_files.hpp"
#include "driver/solution/adaptive_solve.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/solution/run_plan.hpp"
#include "driver/solution/step_results.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::driver {

namespace {

/// The problem of a run: the previous run's with other data, one on its mesh, or a new one. Returns what is reused.
template <class ExecutionSpace>
Reuse prepare(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              const Plan& plan, KeptProblem<ExecutionSpace>& state, KeptRun* kept, Context& context) {
  Reuse reuse = kept != nullptr ? kept->allowed : Reuse::nothing;
  // The last problem is on another mesh, or at another instant; with several processes the parts have copies of its
  // data.
  if (context.input.mesh.adapt.requested() || context.input.problem.time.requested() || state.transport)
    reuse = std::min(reuse, Reuse::mesh);
  if (has_parts(context))
    reuse = Reuse::nothing;
  bool is_renewed = false;
  if (reuse >= Reuse::pattern && state.problem)
    context.log.run("form", exec, [&] {
      is_renewed = state.problem->renew(exec, binding, plan.form, reuse == Reuse::matrix, context);
    });
  if (!is_renewed) {
    reuse = std::min(reuse, Reuse::mesh);
    state.solver.reset();
    state.distribution.reset();
    state.problem.reset();
    state.plan = plan;
    if (reuse == Reuse::nothing) {
      state.mesh = {};
      state.nodal = {};
      state.nodal_before = {};
    }
    state.problem = make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), context,
                                 kept != nullptr ? &state.mesh : nullptr);
  }
  if (kept != nullptr) // every step of Newton's method has another matrix
    kept->taken = state.problem->is_linear() ? reuse : std::min(reuse, Reuse::pattern);
  return reuse;
}

template <class Space> struct Extrapolate {
  Array<const double*, Space> last;
  Array<const double*, Space> before;
  double factor;
  Array<double*, Space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) = last(i) + factor * (last(i) - before(i)); }
};

/// Nodal values to start from: the last solution, or an extrapolation of the last two; empty if there is none, or if
/// the bits must not depend on it.
template <class ExecutionSpace>
linalg::ConstVector<ExecutionSpace> start_of(const ExecutionSpace& exec, const KeptProblem<ExecutionSpace>& state,
                                             double factor) {
  const auto n = static_cast<std::size_t>(state.problem->n_space_nodes);
  if (state.plan.reproducible || state.nodal.extent(0) != n)
    return {};
  if (factor == 0. || state.nodal_before.extent(0) != n)
    return state.nodal;
  const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::start", n);
  for_each("tessera::driver::extrapolate", exec, static_cast<std::int64_t>(n),
           Extrapolate<typename ExecutionSpace::memory_space>{state.nodal, state.nodal_before, factor, x});
  return x;
}

template <class ExecutionSpace> class Lagrange final : public Discretization<ExecutionSpace> {
public:
  Lagrange(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding, KeptRun* kept,
           Context& context, Results& results)
      : exec_(exec), context_(context), input_(context.input), kept_(kept),
        state_(kept != nullptr ? kept->on<ExecutionSpace>() : of_one_) {
    const Plan plan = make_run_plan(exec, imported, binding, kept, context);
    results.estimated_bytes = plan.estimated_bytes;
    reuse_ = prepare(exec, imported, binding, plan, state_, kept, context);
    results.problem = state_.problem->summary;
    check_lines(exec, *state_.problem, input_);
    check_surfaces(exec, *state_.problem, input_);
    check_bodies(exec, *state_.problem, input_);
    results.processes = distribute(exec, context.world, input_.execution.messages, *state_.problem,
                                   state_.plan.reproducible, context.log, state_.transport, state_.distribution);
    if (input_.problem.time.requested())
      steps_.emplace(exec, *state_.problem, state_.plan, *state_.distribution, input_, context.log,
                     progress_of(context.console));
    else if (!state_.solver)
      state_.solver =
          std::make_unique<ProblemSolver<ExecutionSpace>>(*state_.problem, state_.plan, &*state_.distribution);
  }

  bool solve(Results& results) override {
    if (steps_)
      return solve_step(results);
    if (input_.mesh.adapt.requested()) {
      state_.solver.reset();
      solution_ = solve_adaptively(exec_, state_.problem, state_.plan, context_, results);
      results.estimated_bytes = std::max(results.estimated_bytes, state_.plan.estimated_bytes); // of all rounds
      results.problem = state_.problem->summary;
    } else {
      using Changed = typename ProblemSolver<ExecutionSpace>::Changed;
      solution_ = state_.solver->solve(exec_, excitation_of(input_), context_.log, progress_of(context_.console),
                                       reuse_ == Reuse::matrix ? Changed::nothing : Changed::form,
                                       kept_ != nullptr ? start_of(exec_, state_, kept_->extrapolation)
                                                        : linalg::ConstVector<ExecutionSpace>());
      results.histories = solution_.report.solver.histories;
      if (!input_.output.matrix.empty()) { // the matrices of capacitance have other right-hand sides
        rhs_ = make_array<linalg::Vector<ExecutionSpace>>(exec_, "driver::written_rhs", state_.problem->dofs.n_free);
        copy(exec_, rhs_, state_.solver->assembler().rhs());
      }
      add_matrices(exec_, *state_.problem, *state_.solver, context_, results);
    }
    results.solve = solution_.report;
    note_materials();
    if (kept_ != nullptr)
      keep(results.solve.solver.converged());
    if ((kept_ == nullptr && input_.output.matrix.empty()) || has_parts(context_)) // frees assembler and solver
      state_.solver.reset();
    if (has_parts(context_))
      state_.distribution.reset();
    return reuse_ != Reuse::matrix;
  }

  void write_fields(const io::OutputDirectory* output) override {
    if (!fields_)
      fields_.emplace(exec_, *state_.problem, input_, output, steps_ ? steps_->n_outputs(input_.output.every) : 0);
    fields_->write(solution_, now_);
  }
  void write_matrix(const io::OutputDirectory& output) override {
    const assembly::Assembler<ExecutionSpace>& assembler = state_.solver->assembler();
    write_system(exec_, *assembler.matrix(), assembler.system().is_symmetric(), rhs_, input_, output);
  }
  void finish(Results& results) override {
    if (fields_)
      fields_->close();
    fields_.reset();
    if (steps_) {
      add_outcome(*steps_, input_.problem.time, context_.notes, results);
      note_materials();
    }
  }
  void begin_evaluation() override {
    if (!has_parts(context_))
      return;
    context_.log.run("quantities: own elements", exec_, [&] {
      linalg::ConstVector<ExecutionSpace> nodal = solution_.nodal;
      auto owned = state_.problem->of_owned_elements(exec_, nodal, context_);
      owned->around = std::move(state_.problem);
      owned->nodal_around = std::exchange(solution_.nodal, nodal);
      state_.problem = std::move(owned);
    });
  }
  std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points,
                                             bool recovered) const override {
    return state_.problem->values_at(exec_, solution_.nodal, points, recovered);
  }
  void add_quantities(Results& results) const override {
    driver::add_quantities(exec_, *state_.problem, input_, solution_, results);
  }
  std::vector<NormError> errors(const physics::Expression& exact,
                                const std::vector<physics::Expression>& gradient) const override {
    return norm_errors(exec_, *state_.problem, solution_.nodal, now_, exact, gradient);
  }

private:
  /// The next step of time.
  bool solve_step(Results& results) {
    const bool assembled = take_step(exec_, state_.plan, *steps_, solution_, results);
    now_ = results.step.to;
    results.solve = solution_.report;
    return assembled;
  }

  /// Notes temperatures beyond tables.
  void note_materials() const {
    for (const std::string& note : state_.problem->material_notes())
      context_.notes.push_back(note);
  }

  /// Keeps the solution for the next run.
  void keep(bool converged) {
    state_.nodal_before = std::exchange(state_.nodal, solution_.nodal);
    if (!converged || input_.mesh.adapt.requested())
      state_.nodal = state_.nodal_before = {};
  }

  ExecutionSpace exec_;
  Context& context_;
  const io::Case& input_;
  KeptRun* kept_;
  KeptProblem<ExecutionSpace> of_one_;
  KeptProblem<ExecutionSpace>& state_;
  Reuse reuse_ = Reuse::nothing;
  Solution<ExecutionSpace> solution_;
  linalg::Vector<ExecutionSpace> rhs_; // if the matrix is written
  std::optional<TimeSteps<ExecutionSpace>> steps_;
  double now_ = 0.; ///< s, of the solution
  std::optional<NodalFields<ExecutionSpace>> fields_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_lagrange(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              KeptRun* kept, Context& context, Results& results) {
  return std::make_unique<Lagrange<ExecutionSpace>>(exec, imported, binding, kept, context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Discretization<SPACE>> make_lagrange<SPACE>(                                                \
      const SPACE&, const io::ImportedMesh&, const ProblemBinding&, KeptRun*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
