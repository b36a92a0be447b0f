// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/errors.hpp"
#include "assembly/dg/form/estimate.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "driver/checksums.hpp"
#include "driver/dg/dg_adaptation.hpp"
#include "driver/dg/dg_fields.hpp"
#include "driver/dg/dg_quantities.hpp"
#include "driver/dg/dg_steps.hpp"
#include "driver/discretization.hpp"
#include "driver/evaluation/system_files.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "driver/solution/adaptive_solve.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/visit.hpp"

#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// Fraction of its bounding box that an element fills.
template <int Dim, class Space> struct LeastShare {
  Array<const double* [3], Space> measures;
  Array<const double* [2][Dim], Space> boxes;
  KOKKOS_FUNCTION void operator()(index_t e, double& least) const {
    double share = measures(e, 0);
    for (int d = 0; d < Dim; ++d)
      share /= boxes(e, 1, d) - boxes(e, 0, d);
    least = share < least ? share : least;
  }
};

template <class ExecutionSpace, int Dim> class DgDiscretization final : public Discretization<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;

  DgDiscretization(const ExecutionSpace& exec, const io::ImportedMesh& imported, Context& context, Results& results)
      : exec_(exec), context_(context), input_(context.input), problem_(make_dg_problem<Dim>(exec, imported, context)),
        form_(problem_.form), sums_(problem_.part ? context.world : comm::alone()),
        owned_(problem_.part ? problem_.part->owned() : dg::ElementRange()) {
    results.problem = summary_of(problem_);
    if (!input_.output.fields.empty() && input_.output.subdivisions > 1)
      require_memory(input_, field_bytes(input_.output, Dim, static_cast<double>(problem_.mesh.simplices.n_elements())),
                     free_memory(exec), "The file of fields with its output.subdivisions");
    context.log.run("form: check", exec, [&] { check_dg_data(exec, problem_, context); });
    steps_.emplace(exec, problem_, input_, context.log, progress_of(context.console), context.world);
    results.processes = steps_->processes();
    if (results.processes.number > 1 && input_.solver.preconditioner == io::Preconditioner::block_gauss_seidel)
      context.notes.push_back("block-gauss-seidel sweeps over the elements of each process by itself: iterations" +
                              std::string(input_.execution.reproducible ? " and the last bits of the results" : "") +
                              " depend on the number of processes. With block-jacobi they do not.");
    results.estimated_bytes =
        context.world.largest(static_cast<double>(steps_->problem_bytes()) + estimate_bytes(input_, problem_.sizes));
  }

  bool solve(Results& results) override {
    if (!input_.mesh.adapt.requested())
      return solve_step(results);
    solve_adaptively(results);
    return true;
  }

  bool solve_step(Results& results) {
    const bool assembled = steps_->assemble_next();
    if (assembled)
      results.solve.n_matrix_entries = steps_->assembler().matrix().n_values();
    const solvers::PcgResult result = steps_->solve();
    const assembly::dg::TimeSlab<Space>& slab = steps_->slab();
    results.step = {steps_->step(), steps_->n_steps(), slab.from, slab.to, steps_->step() == steps_->n_steps(), false};
    results.solve.solver.linear = result;
    results.histories.push_back(
        {"solution", 1, steps_->step(), io::relative_residuals(result.history, result.rhs_norm)});
    solution_ = {problem_.mesh, form_.space, steps_->coefficients()};
    if (input_.problem.time.requested() && input_.verification.has_exact)
      context_.log.run("errors", exec_, [&] { errors_.append(error_norms()); });
    return assembled;
  }

  void finish(Results& results) override {
    if (fields_)
      fields_->close();
    SolveReport& report = results.solve;
    SolverOutcome& solver = report.solver;
    report.strategy = io::name_of(dg::resolved(input_.assembly.dg_strategy));
    report.assembly_peak_bytes = steps_->assembly_peak_bytes();
    solver.levels = steps_->levels();
    solver.fallback = steps_->fallback();
    const bool fell_back = !solver.fallback.empty();
    solver.preconditioner = io::name_of(fell_back ? io::Preconditioner::block_jacobi : steps_->preconditioner());
    solver.replaced = "solver.preconditioner: block-jacobi replaced multigrid, which broke down.";
    note_many_iterations(solver.linear.iterations);
    if (!solver.converged())
      note_thin_elements();
    if (input_.execution.reproducible)
      context_.log.run("assembly: checksums", exec_,
                       [&] { add_checksums(results.processes.number == 1, report.checksums); });
  }

  void write_fields(const io::OutputDirectory* output) override {
    const int every = input_.output.every;
    const int steps = input_.problem.time.steps;
    if (!fields_)
      fields_.emplace(exec_, input_, solution_, summary_of(problem_).region_names, output,
                      steps == 0 ? 0 : (steps + every - 1) / every, sums_,
                      problem_.part ? problem_.part->first_element - problem_.part->first_owned : 0);
    fields_->write(exec_, solution_);
  }
  void write_matrix(const io::OutputDirectory& output) override {
    const dg::Assembler<ExecutionSpace>& assembler = steps_->assembler();
    write_system(exec_, assembler.matrix(), problem_.is_symmetric(), assembler.rhs(), input_, output);
  }
  std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points, bool) const override {
    return driver::values_at(exec_, solution_, points, sums_);
  }
  void add_quantities(Results& results) const override {
    add_dg_quantities<Dim, ExecutionSpace>(exec_, form_, solution_.coefficients, input_, results, owned_, sums_);
  }
  std::vector<NormError> errors(const physics::Expression&,
                                const std::vector<physics::Expression>& gradient) const override {
    const bool in_time = input_.problem.time.requested();
    const dg::ErrorNorms norms = in_time ? errors_ : error_norms();
    std::vector<NormError> list{{"l2", norms.l2, norms.exact_l2, "solution"}};
    if (in_time)
      list.push_back({"l2_at_end", norms.at_end, norms.exact_at_end, "solution"});
    if (!gradient.empty())
      list.push_back({"dg", norms.dg(), 0., "solution"});
    return list;
  }

private:
  /// The rounds of mesh.adapt.
  void solve_adaptively(Results& results) {
    const io::Adaptation& adapt = input_.mesh.adapt;
    DgAdaptation<Dim, ExecutionSpace> adaptation(adapt.max_order, adapt.share);
    for (std::size_t first_phase = context_.log.phases().size();; first_phase = context_.log.phases().size()) {
      const std::size_t n_histories = results.histories.size();
      solve_step(results);
      for (std::size_t i = n_histories; i < results.histories.size(); ++i)
        results.histories[i].round = static_cast<int>(results.rounds.size()) + 1;
      if (!results.solve.solver.converged())
        return;
      dg::Estimate<Space> estimate;
      context_.log.run("estimate", exec_, [&] {
        estimate = dg::estimate_error<ExecutionSpace, Dim>(exec_, form_, solution_.coefficients);
      });
      const double error = estimate.relative();
      results.rounds.push_back(describe_round(results.problem, results.solve.solver, error, context_.log, first_phase));
      print_round(results, context_);
      if (error <= adapt.target_error || !(error > 0.))
        return;
      std::string ended_by;
      if (static_cast<int>(results.rounds.size()) == adapt.max_rounds)
        ended_by = "max_rounds: " + std::to_string(adapt.max_rounds) + '.';
      else
        try {
          DgElements<Dim, ExecutionSpace> elements;
          context_.log.run(
              "mesh: refine", exec_,
              [&] {
                elements = adaptation.refined(exec_, problem_, Array<const double*, ExecutionSpace>(estimate.squares),
                                              context_);
              },
              PhaseKind::with_host);
          if (adapt.max_elements > 0 && elements.mesh.n_elements() > adapt.max_elements)
            ended_by = "max_elements: " + std::to_string(adapt.max_elements) + '.';
          else
            take(make_dg_problem<Dim, ExecutionSpace>(exec_, problem_, elements, context_), results);
        } catch (const std::exception& failure) { // this solution is valid whether or not the next mesh can be used
          note_unusable_mesh(failure, results.rounds.size(), context_);
          ended_by = "the next mesh, see above.";
        }
      if (!ended_by.empty()) {
        note_missed_target(results, ended_by, context_);
        return;
      }
    }
  }
  /// Goes on with a problem on other elements.
  void take(DgProblem<Dim, ExecutionSpace> next, Results& results) {
    results.estimated_bytes = std::max(results.estimated_bytes, estimate_bytes(input_, next.sizes));
    exec_.fence();
    steps_.reset();
    problem_ = std::move(next);
    steps_.emplace(exec_, problem_, input_, context_.log, progress_of(context_.console), context_.world);
    results.problem = summary_of(problem_);
  }

  /// Suggests multigrid if block preconditioners take many iterations, and sweeps if there is no diffusion.
  void note_many_iterations(int iterations) {
    constexpr int many = 300;
    constexpr int highest_degree = 4; // above it multigrid saves few iterations
    const auto& space = problem_.form.space;
    if (io::diffuses(input_.problem) && space.largest_steps == 1 && space.largest_degree <= highest_degree &&
        steps_->preconditioner() != io::Preconditioner::multigrid && iterations > many)
      context_.notes.push_back(io::name_of(steps_->preconditioner()) +
                               " takes the more iterations the finer the mesh is; solver.preconditioner: multigrid "
                               "takes far fewer.");
    if (!io::diffuses(input_.problem) && !problem_.is_symmetric() &&
        steps_->preconditioner() != io::Preconditioner::block_gauss_seidel && iterations > many)
      context_.notes.push_back(
          "Where nothing diffuses, solver.preconditioner: block-gauss-seidel takes far fewer iterations than " +
          io::name_of(steps_->preconditioner()) + '.');
  }

  /// Warns of thin elements whose bounding-box bases may have caused the solver's failure.
  void note_thin_elements() {
    constexpr double little = 0.02; // well-shaped tetrahedra fill 0.1 to 0.3 of their boxes
    const index_t n = form_.n_elements();
    if (form_.space.largest_degree < 2 || form_.measures.extent(0) == 0)
      return;
    double least = 1.;
    Kokkos::parallel_reduce("tessera::driver::least_share",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec_, 0, n),
                            LeastShare<Dim, Space>{form_.measures, form_.space.boxes}, Kokkos::Min<double>(least));
    if (problem_.part)
      least = -context_.world.largest(-least);
    if (least >= little)
      return;
    std::ostringstream note;
    note << std::setprecision(2) << "An element fills only " << least << " of its bounding box: polynomials of degree "
         << form_.space.largest_degree
         << " on it are nearly dependent, and rounding may be why the solver failed. A lower discretization.order, a "
            "mesh without such elements, or mesh.agglomerate helps.";
    context_.notes.push_back(note.str());
  }

  /// `has_all_rows`: otherwise each process has its rows.
  void add_checksums(bool has_all_rows, std::map<std::string, std::string>& checksums) const {
    const auto& matrix = steps_->assembler().matrix();
    if (has_all_rows) {
      checksums["matrix"] = matrix.is_single()
                                ? matrix_checksum(exec_, matrix.row_offsets, matrix.columns, matrix.single_values)
                                : matrix_checksum(exec_, matrix.row_offsets, matrix.columns, matrix.values);
      checksums["right_hand_side"] = checksum_text(exec_, steps_->assembler().rhs());
    }
    if (!problem_.part)
      checksums["solution"] = checksum_text(exec_, steps_->coefficients());
  }

  dg::ErrorNorms error_norms() const {
    dg::ExactSolution exact{to_expression(input_.verification.exact), {}};
    for (const io::Scalar& entry : input_.verification.gradient)
      exact.gradient.push_back(to_expression(entry));
    exact.gradient.resize(Dim);
    dg::ErrorNorms norms = dg::error_norms<ExecutionSpace, Dim>(exec_, form_, solution_.coefficients, exact, owned_);
    if (problem_.part)
      for (double* norm : {&norms.l2, &norms.exact_l2, &norms.diffusion, &norms.jumps, &norms.advection, &norms.at_end,
                           &norms.exact_at_end})
        *norm = std::sqrt(sums_.added(*norm * *norm));
    return norms;
  }

  ExecutionSpace exec_;
  Context& context_;
  const io::Case& input_;
  DgProblem<Dim, ExecutionSpace> problem_;
  const dg::Form<Dim, Space>& form_; // of the time step
  const comm::Communicator& sums_;   // processes over which sums are taken, with a part each
  dg::ElementRange owned_;           // elements counted in this process
  std::optional<DgSteps<Dim, ExecutionSpace>> steps_;
  DgSolution<Dim, ExecutionSpace> solution_;
  dg::ErrorNorms errors_; // of the completed time steps
  std::optional<DgFields<Dim, ExecutionSpace>> fields_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>> make_dg(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                                        KeptRun* kept, Context& context, Results& results) {
  if (kept != nullptr)
    kept->taken = std::min(kept->allowed, Reuse::mesh);
  std::unique_ptr<Discretization<ExecutionSpace>> result;
  visit_dimension(imported.dimension, [&](auto dimension) {
    result = std::make_unique<DgDiscretization<ExecutionSpace, decltype(dimension)::value>>(exec, imported, context,
                                                                                            results);
  });
  return result;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Discretization<SPACE>> make_dg<SPACE>(const SPACE&, const io::ImportedMesh&, KeptRun*,      \
                                                                 Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
