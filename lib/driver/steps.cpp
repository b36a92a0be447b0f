// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/steps.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/solve.hpp"
#include "io/signals.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::driver {

namespace {

template <class ExecutionSpace> class Steps {
public:
  Steps(const ExecutionSpace& exec, Discretization<ExecutionSpace>& problem, const io::OutputDirectory* output,
        Context& context, Results& results)
      : exec_(exec), problem_(problem), output_(output), context_(context), input_(context.input),
        time_(context.input.problem.time), results_(results) {}

  void solve() {
    std::optional<io::PostponedSignals> signals; // so that the results of completed steps are kept
    if (time_.is_controlled() || time_.steps > 1)
      signals.emplace();
    for (bool ends = false; !ends;) {
      const bool assembled = problem_.solve(results_);
      const TimeStep& step = results_.step;
      results_.iterations += results_.solve.solver.iterations();
      if (time_.requested())
        add_step(step, assembled);
      const bool converged = results_.solve.solver.converged();
      const int signal = signals ? context_.world.largest(signals->received()) : 0; // all processes end together
      if (converged && !step.is_last && signal != 0)
        end_by_signal(signal, step);
      ends = !converged || step.is_last || results_.ended_by_signal != 0;
      const bool is_due = step.number % input_.output.every == 0;
      if (ends || is_due || step.is_output) // controlled steps are many: their fields are written on request
        evaluate_step(ends || step.is_output || !time_.is_controlled());
    }
    for (const io::Finding& quantity : last_quantities_.list())
      results_.findings.add(quantity);
    problem_.finish(results_);
    note_solver(input_, results_.solve.solver, context_.notes);
    write();
  }

  /// Computes the quantities of a steady problem, and verifies the final solution.
  void evaluate() {
    if (results_.ended_by_signal != 0)
      return;
    context_.log.run("quantities", exec_, [&] {
      const std::size_t n_written = results_.findings.list().size();
      if (!time_.requested())
        problem_.add_quantities(results_);
      verify(
          input_, probes_, [&](const auto& exact, const auto& gradient) { return problem_.errors(exact, gradient); },
          results_);
      if (output_ != nullptr &&
          output_->writes_files()) // last: if the disk is full, the other processes need not be waited for
        write_tables(results_.findings, n_written, *output_);
    });
  }

private:
  /// "12 of 40", or "12, to 0.5 s"
  static std::string text_of(const TimeStep& step) {
    return std::to_string(step.number) +
           (step.n_steps > 0 ? " of " + std::to_string(step.n_steps) : ", to " + io::number_text(step.to) + " s");
  }

  void add_step(const TimeStep& step, bool assembled) {
    solvers::PcgResult& linear = results_.solve.solver.linear;
    now_ = step.to;
    results_.findings.add_item(
        "time_steps",
        io::ReportNode::row({{"from", step.from},
                             {"to", now_},
                             {"iterations", linear.iterations},
                             {"relative_residual", linear.rhs_norm > 0. ? linear.true_residual / linear.rhs_norm : 0.},
                             {"assembled", assembled}}));
    linear.message = "time step " + text_of(step) + ": " + linear.message;
  }

  void end_by_signal(int signal, const TimeStep& step) {
    results_.ended_by_signal = signal;
    results_.findings.add_facts("", {{"interrupted", io::ReportNode::row({{"signal", io::signal_name(signal)},
                                                                          {"after_step", step.number},
                                                                          {"of", step.n_steps}})}});
    context_.notes.push_back("Ended by " + io::signal_name(signal) + " after time step " + text_of(step) +
                             ": all results are those of the finished steps, and nothing was verified.");
  }

  /// Writes the fields of a step, if anything is written, and evaluates probes and, in time-dependent problems,
  /// quantities.
  void evaluate_step(bool with_fields) {
    if (output_ != nullptr)
      output_->begin_writing();
    bool writes = output_ != nullptr;
    if (has_parts(context_)) // each process writes its piece
      writes = context_.world.largest(writes ? 1 : 0) == 1;
    if (writes && with_fields && !input_.output.fields.empty())
      context_.log.run(
          "output: fields", exec_, [&] { problem_.write_fields(output_); }, PhaseKind::with_host);
    problem_.begin_evaluation();
    if (!input_.output.probes.empty())
      context_.log.run(
          "output: probes", exec_,
          [&] {
            const auto values =
                probe_values(input_, results_.problem.dimension, results_.problem.region_names,
                             [&](const auto& points, bool recovered) { return problem_.values_at(points, recovered); });
            keep_columns(values);
            if (time_.requested())
              append_probe_values(now_, values, probes_);
            else
              probes_ = values;
          },
          PhaseKind::with_host);
    if (time_.requested() && !input_.output.quantities.empty())
      context_.log.run("quantities", exec_, [&] { add_step_quantities(); });
  }

  /// For the estimates of their errors.
  void keep_columns(const std::vector<ProbeValues>& values) {
    results_.probes.clear();
    for (std::size_t p = 0; p < values.size(); ++p)
      for (const io::TableColumn& column : values[p].columns)
        if (!column.values.empty() && column.unit != "deg") // angles of phasors jump
          results_.probes.push_back(
              {input_.output.probes[p].name, column.name + " [" + column.unit + "]", column.values});
  }

  /// Computes the quantities of a time step: the last ones are in the report, all of them in a table.
  void add_step_quantities() {
    Results of_step;
    of_step.problem = results_.problem;
    keep_failure(context_.world, of_step, [&] { problem_.add_quantities(of_step); });
    if (!of_step.failures.empty())
      results_.failure_kind = of_step.failure_kind;
    for (const std::string& failure : of_step.failures)
      results_.failures.push_back("At t = " + io::number_text(now_) + " s: " + failure);
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
    quantities_[0].values.push_back(now_);
    for (io::TableColumn& column : quantities_)
      column.values.resize(quantities_[0].values.size(), std::nan(""));
  }

  /// Writes tables and probes.
  void write() {
    if (output_ == nullptr)
      return;
    if (output_->writes_files())
      write_tables(results_.findings, 0, *output_);
    if (!input_.output.matrix.empty() && output_->writes_files())
      context_.log.run(
          "output: matrix", exec_, [&] { problem_.write_matrix(*output_); }, PhaseKind::with_host);
    if (!probes_.empty())
      context_.log.run(
          "output: probes", exec_, [&] { write_probes(input_.output, probes_, *output_, context_.notes); },
          PhaseKind::with_host);
    if (!quantities_.empty() && output_->writes_files())
      io::write_table(output_->file(quantities_file_name), quantities_);
    if (!quantities_.empty() && output_->arrays() != nullptr)
      output_->arrays()->tables[quantities_file_name] = quantities_;
  }

  ExecutionSpace exec_;
  Discretization<ExecutionSpace>& problem_;
  const io::OutputDirectory* output_;
  Context& context_;
  const io::Case& input_;
  const io::TimeOptions& time_;
  Results& results_;
  double now_ = 0.; // s, end of the current time step
  std::vector<ProbeValues> probes_;
  std::vector<io::TableColumn> quantities_; // of the written time steps
  io::Findings last_quantities_;            // of the last one of them
};

} // namespace

template <class ExecutionSpace>
void run_steps(const ExecutionSpace& exec, Discretization<ExecutionSpace>& problem, const io::OutputDirectory* output,
               Context& context, Results& results) {
  Steps<ExecutionSpace> steps(exec, problem, output, context, results);
  steps.solve();
  keep_failure(context.world, results, [&] { steps.evaluate(); });
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void run_steps<SPACE>(const SPACE&, Discretization<SPACE>&, const io::OutputDirectory*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
