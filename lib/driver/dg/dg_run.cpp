// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_run.hpp"

#include "assembly/dg/form/errors.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "driver/checksums.hpp"
#include "driver/dg/dg_fields.hpp"
#include "driver/dg/dg_quantities.hpp"
#include "driver/dg/dg_steps.hpp"
#include "driver/discretization.hpp"
#include "driver/evaluation/paths/probes.hpp"
#include "driver/evaluation/verification.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "io/output/probes_file.hpp"
#include "io/signals.hpp"

#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// Fraction of its bounding box that an element fills.
template <int Dim, class Space> struct LeastShare {
  Array<const double* [2], Space> measures;
  Array<const double* [2][Dim], Space> boxes;
  KOKKOS_FUNCTION void operator()(index_t e, double& least) const {
    double share = measures(e, 0);
    for (int d = 0; d < Dim; ++d)
      share /= boxes(e, 1, d) - boxes(e, 0, d);
    least = share < least ? share : least;
  }
};

template <class ExecutionSpace, int Dim> class DgRun {
public:
  using Space = typename ExecutionSpace::memory_space;

  DgRun(const ExecutionSpace& exec, const io::ImportedMesh& imported, Context& context, Results& results)
      : exec_(exec), context_(context), input_(context.input), results_(results),
        problem_(make_dg_problem<Dim>(exec, imported, context,
                                      [&](const std::string& phase, const std::function<void()>& work, PhaseKind kind) {
                                        context.log.run(phase, exec, work, kind);
                                      })),
        form_(problem_.form), sums_(problem_.part ? context.world : comm::alone()),
        own_(problem_.part ? problem_.part->own() : dg::ElementRange()) {
    results_.problem = summary_of(problem_);
    if (!input_.output.fields.empty() && input_.output.subdivisions > 1)
      require_memory(input_, field_bytes(input_.output, Dim, static_cast<double>(problem_.mesh.simplices.n_elements())),
                     free_memory(exec), "The file of fields with its output.subdivisions");
    context.log.run("form: check", exec, [&] { check_dg_data(exec, problem_, context); });
  }

  /// Solves, for each time step, and writes fields and probes.
  void solve(const io::OutputDirectory* output) {
    const io::TimeOptions& time = input_.problem.time;
    std::optional<io::PostponedSignals> signals; // so that the results of completed steps are kept
    if (time.steps > 1)
      signals.emplace();
    DgSteps<Dim, ExecutionSpace> steps(exec_, problem_, input_, context_.log, progress_of(context_.console),
                                       context_.world);
    results_.processes = steps.processes();
    held_bytes_ = static_cast<double>(steps.problem_bytes());
    if (results_.processes.number > 1 && input_.solver.preconditioner == io::Preconditioner::block_gauss_seidel)
      context_.notes.push_back("block-gauss-seidel sweeps over the elements of each process by itself: iterations" +
                               std::string(input_.execution.reproducible ? " and the last bits of the results" : "") +
                               " depend on the number of processes. With block-jacobi they do not.");
    while (steps.step() < steps.n_steps()) {
      const bool assembled = steps.assemble_next();
      if (assembled)
        results_.solve.n_matrix_entries = steps.assembler().matrix().n_values();
      solvers::PcgResult& result = results_.solve.solver.linear;
      result = steps.solve();
      results_.iterations += result.iterations;
      const bool converged = results_.solve.solver.converged();
      const int step = steps.step();
      results_.histories.push_back({"solution", 1, step, io::relative_residuals(result.history, result.rhs_norm)});
      if (time.asked()) {
        // A variable, because nvcc 13 in C++20 mode leaves out the type of the list in a call here.
        const io::ReportNode::Entries entries = {
            {"from", steps.slab().from},
            {"to", steps.slab().to},
            {"iterations", result.iterations},
            {"relative_residual", result.rhs_norm > 0. ? result.true_residual / result.rhs_norm : 0.},
            {"assembled", assembled}};
        results_.findings.add_item("time_steps", io::ReportNode::row(entries));
        result.message =
            "time step " + std::to_string(step) + " of " + std::to_string(time.steps) + ": " + result.message;
      }
      solution_ = {problem_.mesh, form_.space, steps.coefficients()};
      if (time.asked() && input_.verification.has_exact)
        context_.log.run("errors", exec_, [&] { errors_.append(error_norms()); });
      const int signal = signals ? context_.world.largest(signals->received()) : 0; // all processes end together
      if (converged && step < time.steps && signal != 0)
        end_by_signal(signal, step);
      const bool ends = !converged || results_.ended_by_signal != 0;
      if (ends || step >= time.steps || step % input_.output.every == 0)
        evaluate_step(output);
      if (ends)
        break;
    }
    for (const io::Finding& quantity : last_quantities_.list())
      results_.findings.add(quantity);
    results_.solve.solver.levels = steps.levels();
    results_.solve.solver.fallback = steps.fallback();
    note_many_iterations();
    note_thin_elements();
    results_.solve.assembly_peak_bytes = steps.assembly_peak_bytes();
    if (input_.execution.reproducible && output != nullptr)
      context_.log.run("assembly: checksums", exec_, [&] { add_checksums(steps); });
    note_solver(input_, results_.solve.solver, context_.notes);
    finish_output(output);
  }

  /// Computes the quantities of a steady problem, and verifies the final solution.
  void evaluate() {
    if (results_.ended_by_signal != 0)
      return;
    context_.log.run("quantities", exec_, [&] {
      if (!input_.problem.time.asked())
        add_dg_quantities<Dim, ExecutionSpace>(exec_, form_, solution_.coefficients, input_, results_, own_, sums_);
      verify(
          input_, probes_, [&](const physics::Expression&, const auto& gradient) { return errors(gradient); },
          results_);
    });
  }

  /// Suggests multigrid if block preconditioners take many iterations, and sweeps if there is no diffusion.
  void note_many_iterations() {
    constexpr int many = 300;
    constexpr int highest_degree = 4; // above it multigrid saves few iterations
    const auto& space = problem_.form.space;
    if (io::diffuses(input_.problem) && space.largest_steps == 1 && space.largest_degree <= highest_degree &&
        input_.solver.preconditioner != io::Preconditioner::multigrid && results_.solve.solver.linear.iterations > many)
      context_.notes.push_back(io::name_of(input_.solver.preconditioner) +
                               " takes the more iterations the finer the mesh is; solver.preconditioner: multigrid "
                               "takes far fewer.");
    if (!io::diffuses(input_.problem) && !problem_.is_symmetric() &&
        input_.solver.preconditioner != io::Preconditioner::block_gauss_seidel &&
        results_.solve.solver.linear.iterations > many)
      context_.notes.push_back(
          "Where nothing diffuses, solver.preconditioner: block-gauss-seidel takes far fewer iterations than " +
          io::name_of(input_.solver.preconditioner) + '.');
  }

  /// Warns of thin elements whose bounding-box bases may have caused the solver's failure.
  void note_thin_elements() {
    constexpr double little = 0.02; // well-shaped tetrahedra fill 0.1 to 0.3 of their boxes
    const index_t n = form_.n_elements();
    if (results_.solve.solver.converged() || form_.space.largest_degree < 2 || form_.measures.extent(0) == 0)
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

  /// Memory of the problem, its matrix and the solver, in the process with most.
  double estimated_bytes() const {
    return context_.world.largest(held_bytes_ + estimate_bytes(input_, problem_.sizes));
  }

private:
  void add_checksums(const DgSteps<Dim, ExecutionSpace>& steps) {
    const auto& matrix = steps.assembler().matrix();
    auto& checksums = results_.solve.checksums;
    if (results_.processes.number == 1) { // with several processes each has its rows
      checksums["matrix"] = matrix.is_single()
                                ? matrix_checksum(exec_, matrix.row_offsets, matrix.columns, matrix.single_values)
                                : matrix_checksum(exec_, matrix.row_offsets, matrix.columns, matrix.values);
      checksums["right_hand_side"] = checksum_text(exec_, steps.assembler().rhs());
    }
    if (!problem_.part)
      checksums["solution"] = checksum_text(exec_, steps.coefficients());
  }

  void end_by_signal(int signal, int step) {
    results_.ended_by_signal = signal;
    results_.findings.add_facts("", {{"interrupted", io::ReportNode::row({{"signal", io::signal_name(signal)},
                                                                          {"after_step", step},
                                                                          {"of", input_.problem.time.steps}})}});
    context_.notes.push_back("Ended by " + io::signal_name(signal) + " after time step " + std::to_string(step) +
                             " of " + std::to_string(input_.problem.time.steps) +
                             ": all results are those of the finished steps, and nothing was verified.");
  }

  /// Computes the quantities of a time step: the last ones are in the report, all of them in a table.
  void add_step_quantities() {
    Results of_step;
    of_step.problem = results_.problem;
    keep_failure(context_.world, of_step, [&] {
      add_dg_quantities<Dim, ExecutionSpace>(exec_, form_, solution_.coefficients, input_, of_step, own_, sums_);
    });
    if (!of_step.failures.empty())
      results_.failure_kind = of_step.failure_kind;
    for (const std::string& failure : of_step.failures)
      results_.failures.push_back("At t = " + io::number_text(solution_.space.to) + " s: " + failure);
    last_quantities_ = of_step.findings;
    if (quantities_.empty())
      quantities_.push_back({"t", "s", {}});
    const std::vector<QuantityValue> now = of_step.findings.numbers({"quantities"});
    for (std::size_t k = 0; k < now.size(); ++k) {
      const QuantityValue& quantity = now[k];
      if (quantities_.size() == k + 1)
        quantities_.push_back({quantity.name, quantity.unit.empty() ? "1" : quantity.unit, {}});
      quantities_[k + 1].values.resize(quantities_[0].values.size(), std::nan(""));
      quantities_[k + 1].values.push_back(quantity.value);
    }
    quantities_[0].values.push_back(solution_.space.to);
    for (io::TableColumn& column : quantities_)
      column.values.resize(quantities_[0].values.size(), std::nan(""));
  }

  /// Evaluates probes and, in time-dependent problems, quantities at the end of the slab, and writes the fields, if
  /// anything is written.
  void evaluate_step(const io::OutputDirectory* output) {
    if (output != nullptr)
      output->begin_writing();
    const io::TimeOptions& time = input_.problem.time;
    bool writes = output != nullptr;
    if (problem_.part) // each process writes its piece
      writes = context_.world.largest(writes ? 1 : 0) == 1;
    if (writes && !input_.output.fields.empty())
      context_.log.run(
          "output: fields", exec_,
          [&] {
            const int every = input_.output.every;
            if (!fields_)
              fields_.emplace(exec_, input_, solution_, output, time.steps == 0 ? 0 : (time.steps + every - 1) / every,
                              sums_, problem_.part ? problem_.part->first_element - problem_.part->first_own : 0);
            fields_->write(exec_, solution_);
          },
          PhaseKind::with_host);
    if (!input_.output.probes.empty())
      context_.log.run(
          "output: probes", exec_,
          [&] {
            const auto values = probe_values(input_, Dim, results_.problem.region_names, [&](const auto& points, bool) {
              return values_at(exec_, solution_, points, sums_);
            });
            if (time.asked())
              append_probe_values(solution_.space.to, values, probes_);
            else
              probes_ = values;
          },
          PhaseKind::with_host);
    if (time.asked() && !input_.output.quantities.empty())
      context_.log.run("quantities", exec_, [&] { add_step_quantities(); });
  }

  void finish_output(const io::OutputDirectory* output) {
    if (fields_)
      fields_->close();
    if (output == nullptr)
      return;
    if (!probes_.empty())
      write_probes(input_, probes_, *output, context_.notes);
    if (!quantities_.empty())
      io::write_table(output->file(quantities_file_name), quantities_);
  }

  dg::ErrorNorms error_norms() {
    dg::ExactSolution exact{to_expression(input_.verification.exact), {}};
    for (const io::Scalar& entry : input_.verification.gradient)
      exact.gradient.push_back(to_expression(entry));
    exact.gradient.resize(Dim);
    dg::ErrorNorms norms = dg::error_norms<ExecutionSpace, Dim>(exec_, form_, solution_.coefficients, exact, own_);
    if (problem_.part)
      for (double* norm : {&norms.l2, &norms.exact_l2, &norms.diffusion, &norms.jumps, &norms.advection, &norms.at_end,
                           &norms.exact_at_end})
        *norm = std::sqrt(sums_.added(*norm * *norm));
    return norms;
  }

  std::vector<NormError> errors(const std::vector<physics::Expression>& gradient) {
    const bool in_time = input_.problem.time.asked();
    const dg::ErrorNorms norms = in_time ? errors_ : error_norms();
    std::vector<NormError> list{{"l2", norms.l2, norms.exact_l2, "solution"}};
    if (in_time)
      list.push_back({"l2_at_end", norms.at_end, norms.exact_at_end, "solution"});
    if (!gradient.empty())
      list.push_back({"dg", norms.dg(), 0., "solution"});
    return list;
  }

  ExecutionSpace exec_;
  Context& context_;
  const io::Case& input_;
  Results& results_;
  DgProblem<Dim, ExecutionSpace> problem_;
  const dg::Form<Dim, Space>& form_; // of the time step
  const comm::Communicator& sums_;   // processes over which sums are taken, with a part each
  dg::ElementRange own_;             // elements counted in this process
  double held_bytes_ = 0.;
  DgSolution<Dim, ExecutionSpace> solution_;
  dg::ErrorNorms errors_; // of the completed time steps
  std::optional<DgFields<Dim, ExecutionSpace>> fields_;
  std::vector<ProbeValues> probes_;
  std::vector<io::TableColumn> quantities_; // of the written steps
  io::Findings last_quantities_;            // of the last one of them
};

} // namespace

template <class ExecutionSpace>
double run_dg(const ExecutionSpace& exec, const io::ImportedMesh& imported, const io::OutputDirectory* output,
              Context& context, Results& results) {
  double estimate = 0.;
  visit_dimension(imported.dimension, [&](auto dimension) {
    DgRun<ExecutionSpace, decltype(dimension)::value> run(exec, imported, context, results);
    run.solve(output);
    keep_failure(context.world, results, [&] { run.evaluate(); });
    estimate = run.estimated_bytes();
  });
  return estimate;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template double run_dg<SPACE>(const SPACE&, const io::ImportedMesh&, const io::OutputDirectory*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
