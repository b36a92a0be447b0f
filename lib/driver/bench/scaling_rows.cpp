// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/assembler.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "driver/bench/scaling.hpp"
#include "driver/bench/watched_transport.hpp"
#include "driver/dg/dg_distribution.hpp"
#include "driver/dg/dg_problem.hpp"
#include "driver/dg/dg_solver.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "driver/solution/distribution.hpp"
#include "driver/solution/linear_solver.hpp"
#include "driver/visit.hpp"
#include "linalg/vector_kernels.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Measures parts of the work, which all processes begin together.
template <class ExecutionSpace> class Rows {
public:
  Rows(const ExecutionSpace& exec, const comm::Communicator& world, comm::Messages messages, int repetitions)
      : exec_(exec), world_(world), repetitions_(repetitions) {
    const double free = free_memory(exec);
    if (free > 0.)
      reserve_memory(exec, 0.5 * free); // a run reserves its estimate
    if (world.size() > 1)
      transport_ =
          std::make_unique<WatchedTransport<ExecutionSpace>>(comm::make_transport(exec, world, messages), world);
  }
  WatchedTransport<ExecutionSpace>* transport() { return transport_.get(); } ///< null in a single process

  /// Runs the work once.
  void add_first(const std::string& what, const std::function<void()>& work) {
    const std::vector<double> times = world_.all_gather(seconds(work));
    rows_.push_back({what, *std::max_element(times.begin(), times.end()), mean_of(times), 0., 0., ""});
  }
  /// Runs the work several times after a first one. `n`: number of repetitions within the work, so that its time can be
  /// measured.
  void add(const std::string& what, const std::function<void()>& work, int n = 1) {
    work();
    std::vector<double> slowest;
    std::vector<double> mean;
    for (int k = 0; k < repetitions_; ++k) {
      const std::vector<double> times = world_.all_gather(seconds(work));
      slowest.push_back(*std::max_element(times.begin(), times.end()) / n);
      mean.push_back(mean_of(times) / n);
    }
    rows_.push_back({what, median(slowest), median(mean), 0., 0., ""});
    if (!transport_)
      return;
    transport_->watch(true);
    const double total = world_.added(seconds(work));
    transport_->watch(false);
    rows_.back().waiting = world_.added(transport_->waiting()) / total;
    rows_.back().messages = world_.added(transport_->exchanging()) / total;
  }
  void note(const std::string& text) { rows_.back().note = text; }
  /// One step of the work in the last row.
  void add_step(const std::string& what, int n_steps) {
    ScalingRow row = rows_.back();
    row.what = what;
    row.slowest /= n_steps;
    row.mean /= n_steps;
    row.note = "solution / iterations";
    rows_.push_back(row);
  }
  const std::vector<ScalingRow>& rows() const { return rows_; }

private:
  double mean_of(const std::vector<double>& times) const {
    double sum = 0.;
    for (const double time : times)
      sum += time;
    return sum / world_.size();
  }
  double seconds(const std::function<void()>& work) const {
    exec_.fence();
    world_.all_gather(0); // synchronises the processes
    const auto start = std::chrono::steady_clock::now();
    work();
    exec_.fence();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  ExecutionSpace exec_;
  const comm::Communicator& world_;
  int repetitions_;
  std::unique_ptr<WatchedTransport<ExecutionSpace>> transport_;
  std::vector<ScalingRow> rows_;
};

constexpr int several = 50; // number of exchanges, which are short

/// Product, exchange and sum for a system.
template <class ExecutionSpace>
void add_products(const ExecutionSpace& exec, Rows<ExecutionSpace>& rows, const std::string& name,
                  const linalg::LinearOperator<ExecutionSpace>& a,
                  const DistributedUnknowns<ExecutionSpace>& unknowns) {
  using Vector = linalg::Vector<ExecutionSpace>;
  const auto x = make_filled<Vector>(exec, "driver::x", a.size(), 1.);
  const auto y = make_filled<Vector>(exec, "driver::y", a.size(), 0.);
  const auto xy = make_filled<Vector>(exec, "driver::xy", 2, 0.);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, a.size(), 1);
  a.prepare_products(exec);
  rows.add(name + "product", [&] { a.apply(exec, x, y); });
  rows.add(name + "dot product", [&] { linalg::dot<ExecutionSpace>(exec, x, y, workspace, xy.data(), a.sums()); });
  if (!unknowns.is_distributed())
    return;
  const auto& owned = unknowns.layout();
  const auto values = make_filled<Vector>(exec, "driver::owned_and_ghosts", owned.size(), 1.);
  rows.add(
      name + "halo exchange",
      [&] {
        for (int k = 0; k < several; ++k)
          owned.update(exec, values);
      },
      several);
  if (a.sums().shared() == nullptr)
    rows.add(
        name + "global sum",
        [&] {
          for (int k = 0; k < several; ++k)
            a.sums().complete(exec, xy.data(), 2);
        },
        several);
}

} // namespace

std::string text_of(const ProcessSummary& summary) {
  return std::to_string(summary.number) + " processes, messages by " + summary.transport + ", largest part " +
         io::format_count(static_cast<std::int64_t>(summary.largest_part)) + " unknowns and " +
         io::format_count(static_cast<std::int64_t>(summary.largest_halo)) + " ghosts";
}

namespace {

std::string outcome(const solvers::PcgResult& result) {
  return std::to_string(result.iterations) + " iterations" +
         (result.status == solvers::SolverStatus::converged ? "" : ", not converged");
}

/// The work of continuous elements.
template <class ExecutionSpace> class ContinuousScaling {
public:
  ContinuousScaling(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                    Context& context, const ScalingRequest& request)
      : exec_(exec), context_(context),
        rows_(exec, context.world, context.input.execution.messages, request.repetitions) {
    const io::Case& input = context.input;
    const ProblemBinding binding = bind_problem(input, imported);
    constexpr bool on_host = is_host_space<ExecutionSpace>;
    const ProblemSize size = problem_size(input, imported, !on_host, context.world.size());
    require_memory(input, estimate_memory(size.memory, request.strategies.front()),
                   memory_of_each(context.world, free_memory(exec), on_host), "bench scaling: it");
    plan_ = plan_by(input, size, request.strategies.front());
    rows_.add_first("mesh and form", [&] {
      problem_ = make_problem(exec, imported, binding, plan_.form, plan_.coarser_meshes(), context);
    });
    TESSERA_REQUIRE(problem_->is_linear(),
                    input.file << ": bench scaling measures linear problems; this one needs Newton's method.");
    problem_->excite(exec, {});
    if (rows_.transport() != nullptr) {
      rows_.add_first("distribute", [&] {
        distribution_.emplace(exec, context.world, *rows_.transport(), *problem_, plan_.reproducible);
      });
      figures_.processes = text_of(distribution_->unknowns().summary());
    } else {
      distribution_.emplace(*problem_);
    }
    const ProblemSummary& summary = problem_->summary;
    figures_.title = name + ": " + io::format_count(summary.n_elements) + " elements, " +
                     io::format_count(summary.n_unknowns) + " unknowns";
    const bool several_strategies = request.strategies.size() > 1;
    for (const assembly::Strategy strategy : request.strategies) {
      plan_ = plan_by(input, size, strategy);
      add_strategy(several_strategies ? io::name_of(strategy) + ": " : "");
    }
    figures_.rows = rows_.rows();
  }
  const ScalingFigures& figures() const { return figures_; }

private:
  void add_strategy(const std::string& name) {
    std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
    rows_.add(name + "assembly, first", [&] {
      assembler.reset(); // its memory is freed before the next one is made
      assembler = distribution_->make_assembler(assembly_options(plan_));
      assembler->symbolic(exec_);
      assembler->numeric(exec_);
    });
    rows_.add(name + "assembly, refill", [&] { assembler->numeric(exec_); });
    add_products(exec_, rows_, name, assembler->system(), distribution_->unknowns());
    add_iteration(name, *assembler);
    add_solution(name, *assembler);
  }

  void add_iteration(const std::string& name, const assembly::Assembler<ExecutionSpace>& assembler) {
    constexpr int n_iterations = 100;
    solvers::PcgOptions options;
    options.relative_tolerance = 0.;
    options.look_for_constant_null_space = false;
    options.max_iterations = n_iterations;
    solvers::Pcg<ExecutionSpace> pcg(options);
    const solvers::Jacobi<ExecutionSpace> jacobi(exec_, assembler.system());
    const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec_, "driver::x", assembler.system().size());
    rows_.add(
        name + "PCG iteration",
        [&] {
          fill(exec_, x, 0.);
          pcg.solve(exec_, assembler.system(), jacobi, assembler.rhs(), x);
        },
        n_iterations);
    rows_.note("Jacobi");
  }

  void add_solution(const std::string& name, const assembly::Assembler<ExecutionSpace>& assembler) {
    std::optional<LinearSolver<ExecutionSpace>> solver;
    const solvers::PcgOptions options = pcg_options(plan_.solver);
    const auto all = make_array<linalg::Vector<ExecutionSpace>>(exec_, "driver::unknowns", problem_->dofs.n_free);
    const auto x = distribution_->unknowns().owned_of_all(all);
    rows_.add(name + "solver set-up", [&] {
      solver.emplace(*problem_, plan_, assembler, *distribution_);
      solver->set_up(exec_, options);
    });
    rows_.note(io::name_of(plan_.solver.preconditioner));
    solvers::PcgResult result;
    rows_.add(name + "solution", [&] {
      fill(exec_, x, 0.);
      result = solver->solve(exec_, options, assembler.rhs(), x);
      distribution_->unknowns().gather(exec_, all);
    });
    rows_.note(outcome(result));
  }

  ExecutionSpace exec_;
  Context& context_;
  Rows<ExecutionSpace> rows_;
  Plan plan_;
  std::unique_ptr<Problem<ExecutionSpace>> problem_;
  std::optional<Distribution<ExecutionSpace>> distribution_;
  ScalingFigures figures_;
};

/// The work of dg, in its first time step.
template <class ExecutionSpace, int Dim> class DgScaling {
public:
  using Space = typename ExecutionSpace::memory_space;

  DgScaling(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported, Context& context,
            const ScalingRequest& request)
      : exec_(exec), input_(context.input),
        rows_(exec, context.world, context.input.execution.messages, request.repetitions) {
    rows_.add_first("mesh and form", [&] {
      problem_ = make_dg_problem<Dim>(exec, imported, context,
                                      [](const std::string&, const std::function<void()>& work, PhaseKind) { work(); });
    });
    const auto& form = problem_.form;
    slab_.from = form.space.from;
    slab_.to = form.space.to;
    if (rows_.transport() != nullptr) {
      rows_.add_first("distribute", [&] {
        distribution_.emplace(exec, context.world, *rows_.transport(), problem_, input_.execution.reproducible);
      });
      figures_.processes = text_of(distribution_->unknowns().summary());
    } else {
      distribution_.emplace(problem_);
    }
    const ProblemSummary summary = summary_of(problem_);
    figures_.title = name + ", dg: " + io::format_count(summary.n_elements) + " elements, " +
                     io::format_count(summary.n_unknowns) + " unknowns";
    const bool several_strategies = request.dg_strategies.size() > 1;
    for (const dg::Strategy strategy : request.dg_strategies)
      add_strategy(strategy, several_strategies ? std::string(dg::traits_of(strategy).name) + ": " : "");
    figures_.rows = rows_.rows();
  }
  const ScalingFigures& figures() const { return figures_; }

private:
  void add_strategy(dg::Strategy strategy, const std::string& name) {
    std::unique_ptr<dg::Assembler<ExecutionSpace>> assembler;
    rows_.add(name + "assembly, first", [&] {
      assembler.reset(); // its memory is freed before the next one is made
      assembler = dg::make_assembler<ExecutionSpace, Dim>(distribution_->form(), strategy, input_.assembly.precision);
      assembler->symbolic(exec_);
      assembler->numeric(exec_, slab_);
    });
    rows_.add(name + "assembly, refill", [&] { assembler->numeric(exec_, slab_); });
    if (has_solution_)
      return;
    has_solution_ = true; // the matrices of all strategies are equal
    const auto symmetry = problem_.is_symmetric() ? linalg::Symmetry::symmetric : linalg::Symmetry::general;
    BlockSolver<ExecutionSpace> solver(input_.solver, {});
    distribution_->set_matrix(exec_, assembler->matrix(), symmetry);
    const auto& unknowns = distribution_->unknowns();
    add_products<ExecutionSpace>(exec_, rows_, "", distribution_->system(), unknowns);
    rows_.add("solver set-up", [&] { solver.set_up(exec_, distribution_->square(), {}, &distribution_->system()); });
    rows_.note(may_take_multigrid(input_) ? "block-jacobi; multigrid of dg is not measured"
                                          : io::name_of(input_.solver.preconditioner));
    const auto all = make_array<linalg::Vector<ExecutionSpace>>(exec_, "driver::unknowns", problem_.form.space.n_dofs);
    const linalg::Vector<ExecutionSpace> x = unknowns.owned_of_all(all);
    const linalg::Vector<ExecutionSpace> b = distribution_->owned_of_part(assembler->rhs());
    solvers::PcgResult result;
    rows_.add("solution", [&] {
      fill(exec_, x, 0.);
      result = solver.solve(exec_, b, x);
      unknowns.gather(exec_, all);
    });
    rows_.note(outcome(result));
    if (result.iterations > 0)
      rows_.add_step(io::name_of(input_.solver.method) + " iteration", result.iterations);
  }

  ExecutionSpace exec_;
  const io::Case& input_;
  Rows<ExecutionSpace> rows_;
  DgProblem<Dim, ExecutionSpace> problem_;
  dg::TimeSlab<Space> slab_;
  std::optional<DgDistribution<Dim, ExecutionSpace>> distribution_;
  bool has_solution_ = false;
  ScalingFigures figures_;
};

} // namespace

template <class ExecutionSpace>
ScalingFigures measure_scaling(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                               Context& context, const ScalingRequest& request) {
  if (context.input.discretization.method != io::Method::dg)
    return ContinuousScaling<ExecutionSpace>(exec, name, imported, context, request).figures();
  ScalingFigures figures;
  visit_dimension(imported.dimension, [&](auto dimension) {
    figures = DgScaling<ExecutionSpace, decltype(dimension)::value>(exec, name, imported, context, request).figures();
  });
  return figures;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template ScalingFigures measure_scaling<SPACE>(const SPACE&, const std::string&, const io::ImportedMesh&, Context&,  \
                                                 const ScalingRequest&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
