// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/bench_frequencies.hpp"

#include "core/constants.hpp"
#include "core/memory.hpp"
#include "driver/harmonic/harmonic_run.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/binding/problem_binding.hpp"

#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

/// A run of a case in memory. Its phases are those after mesh and problem.
template <class ExecutionSpace> struct RunInMemory {
  io::Console quiet{true};
  PhaseLog log;
  std::vector<std::string> notes;
  Context context;
  Results results;
  std::unique_ptr<HarmonicRun<ExecutionSpace>> run;

  /// Assembles the matrices and sets the solver up, with kernels measured if there is an object for their times.
  RunInMemory(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              const Plan& plan, const Context& of_bench, std::optional<KernelTimes>* kernels = nullptr)
      : context{of_bench.input, quiet, log, notes, of_bench.world} {
    PhaseLog before;
    Context preparing{of_bench.input, quiet, before, notes, of_bench.world};
    auto problem = make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), preparing);
    if (kernels != nullptr)
      kernels->emplace();
    run = make_harmonic_run(exec, std::move(problem), plan, context, results);
    TESSERA_REQUIRE(
        run->system().serves_all_frequencies(),
        of_bench.input.file
            << ": bench solve measures problems whose matrices serve all frequencies. Those of this case "
               "depend on the frequency: by losses of laminations or of a dielectric, a lag_angle, impedance "
               "boundaries or a bh_curve.");
  }
};

template <class ExecutionSpace> class FrequencyBench {
  using Run = RunInMemory<ExecutionSpace>;
  using Column = ComplexVector<ExecutionSpace>;

public:
  FrequencyBench(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                 const Context& context, const BenchRequest& request, double free)
      : exec_(exec), imported_(imported), context_(context), binding_(bind_problem(context.input, imported)),
        plan_(make_plan(context.input, problem_size(context.input, imported, !is_host_space<ExecutionSpace>), free)),
        request_(request), table_("frequencies", "unknowns", "", {}, ", ", request.copy_bandwidth) {
    run_ = make();
    const ProblemSummary& summary = run_->run->summary();
    table_.describe("frequencies, " + name,
                    {name, family_of(name), summary.n_elements, summary.n_nodes, summary.n_unknowns});
    table_.details = "strategy " + io::name_of(plan_.strategy) + "; " + levels_text();
  }

  const TimeTable& table() {
    if (!request_.iterations_only) {
      add_runs();
      add_kernels_of_set_up();
    }
    add_pack<1>();
    const std::size_t n = context_.input.problem.frequencies.size();
    if (n == 2)
      add_pack<2>();
    else if (n > 2)
      add_pack<4>();
    return table_;
  }

private:
  std::unique_ptr<Run> make(std::optional<KernelTimes>* kernels = nullptr) {
    run_.reset(); // its memory is freed before the next one is made
    return std::make_unique<Run>(exec_, imported_, binding_, plan_, context_, kernels);
  }

  std::string levels_text() const {
    const auto& levels = run_->run->system().levels();
    std::string text = std::to_string(levels.levels.size()) + " levels of";
    for (const auto& level : levels.levels)
      text += (&level == levels.levels.data() ? " " : ", ") + io::format_count(level.a.size());
    return text + " unknowns, " + format_bytes(static_cast<double>(levels.bytes()));
  }

  /// The phases of whole runs, and their sums.
  void add_runs() {
    std::vector<std::string> names; // of the phases
    std::vector<std::vector<double>> seconds;
    std::size_t peak = 0;
    for (int k = 0; k <= std::max(request_.repetitions, 1); ++k) {
      run_.reset();
      exec_.fence();
      const std::size_t before = MemoryLedger::current_bytes();
      const MemoryPeak memory;
      run_ = make();
      run_->run->solve(run_->results);
      peak = std::max(peak, memory.bytes() - before);
      const std::vector<Phase> phases = run_->log.merged_phases();
      for (const Phase& phase : phases) {
        if (k == 0) {
          names.push_back(phase.name);
          seconds.emplace_back();
        }
        const auto at = static_cast<std::size_t>(&phase - phases.data());
        seconds.at(at).push_back(phase.seconds);
      }
    }
    Timing solver, total;
    for (std::size_t p = 0; p < names.size(); ++p) {
      const Timing time = timing_of(seconds[p]);
      table_.add("run", names[p], time);
      total = total + time;
      if (names[p].rfind("solver: ", 0) == 0)
        solver = solver + time;
      if (names[p] == "solver: set-up")
        set_up_ = time;
    }
    const SolverOutcome& outcome = run_->results.solve.solver;
    const int n_iterations = run_->results.iterations + outcome.iterations();
    table_.add("run", "solver in all", solver);
    table_.set("iterations", n_iterations);
    table_.note(std::to_string(context_.input.problem.frequencies.size()) + " frequencies, " +
                std::to_string(n_iterations) + " iterations in all" + (outcome.converged() ? "" : ", not converged"));
    table_.add("run", "total", total);
    const double per_unknown = static_cast<double>(peak) / static_cast<double>(run_->run->summary().n_unknowns);
    table_.set("memory per unknown", per_unknown);
    table_.note(io::format_fixed(per_unknown, 1) + " bytes per unknown, with mesh and problem");
  }

  /// Adds the kernels that take at least 2 % of the time of all, of which there were `n` equal sequences.
  void add_kernels(const std::string& method, const std::vector<KernelTime>& all, int n) {
    double seconds = 0.;
    int calls = 0;
    for (const KernelTime& kernel : all) {
      seconds += kernel.seconds / n;
      calls += kernel.calls;
    }
    std::string& note = table_.rows.back().note;
    note += (note.empty() ? "" : ", ") + std::to_string(calls / n) + " kernels of " +
            io::format_fixed(1e3 * seconds, 3) + " ms";
    for (KernelTime kernel : main_kernels(all, 0.02)) {
      kernel.seconds /= n;
      table_.add_kernel(method, kernel);
      table_.note(std::to_string(kernel.calls / n) + (kernel.calls / n == 1 ? " call" : " calls"));
    }
  }

  void add_kernels_of_set_up() {
    std::vector<double> seconds;
    for (int k = 0; k <= std::max(request_.repetitions, 1); ++k) {
      run_ = make();
      seconds.push_back(run_->log.total_seconds());
    }
    table_.add("run", "until the solution", timing_of(seconds));
    std::optional<KernelTimes> kernels;
    run_ = make(&kernels);
    exec_.fence();
    const std::vector<KernelTime> times = kernels->times();
    kernels.reset();
    add_kernels("set-up", times, 1);
  }

  /// Work with N columns: the frequencies that the first pack of a run has, and their first right-hand sides.
  template <int N> void add_pack() {
    const std::string method = N == 1 ? "1 frequency" : std::to_string(N) + " frequencies";
    const std::vector<double>& frequencies = context_.input.problem.frequencies;
    const std::size_t n_packs = (frequencies.size() + N - 1) / N;
    std::vector<double> omegas;
    std::vector<Column> b;
    solvers::Shifts<N> shifts{};
    for (std::size_t f = 0; f < frequencies.size() && b.size() < N; f += n_packs) {
      omegas.push_back(2. * pi * frequencies[f]);
      b.push_back(run_->run->right_hand_sides(omegas.back()).front());
    }
    for (std::size_t c = 0; c < N; ++c)
      shifts[c] = {0., omegas[std::min(c, omegas.size() - 1)]};
    const auto pack = run_->run->system().template make_pack<N>(exec_, shifts);
    const auto change = [&] { pack->multigrid.set_shifts(exec_, shifts); };
    table_.add(method, "change of frequency", measure(exec_, request_.repetitions, change));
    add_kernels_of(method, 1, change);
    add_iteration<N>(method, *pack);
    if (request_.iterations_only)
      return;
    std::vector<solvers::CocgResult> outcomes;
    std::vector<Column> x;
    const Timing solution =
        measure(exec_, request_.repetitions, [&] { outcomes = run_->run->system().solve(exec_, omegas, b, false, x); });
    std::ostringstream to;
    to << "to " << context_.input.solver.relative_tolerance;
    table_.add(method, to.str(), solution);
    int most = 0;
    bool has_converged = true;
    for (const solvers::CocgResult& outcome : outcomes) {
      most = std::max(most, outcome.iterations);
      has_converged = has_converged && outcome.status == solvers::CocgStatus::converged;
    }
    table_.set("iterations", most);
    table_.note(std::to_string(most) + " iterations" + (has_converged ? "" : ", not converged"));
    table_.add(method, "with set-up", set_up_ + solution);
  }

  template <int N> void add_iteration(const std::string& method, const HarmonicPack<ExecutionSpace, N>& pack) {
    constexpr int few = 8; // more would reach rounding
    solvers::CocgOptions options = run_->run->system().cocg_options();
    options.relative_tolerance = options.absolute_tolerance = 0.;
    options.max_iterations = few;
    solvers::Cocg<ExecutionSpace, N> cocg(options);
    using Vector = solvers::ComplexColumns<N, typename ExecutionSpace::memory_space>;
    using Entry = linalg::Pack<double, 2 * N>;
    const Entry one = Entry::of([](int) { return 1.; });
    const auto b = make_filled<Vector>(exec_, "driver::bench_rhs", pack.a.size(), one);
    const auto x = make_array<Vector>(exec_, "driver::bench_solution", pack.a.size());
    const auto iterate = [&] {
      fill(exec_, x, Entry{});
      cocg.solve(exec_, pack.a, pack.preconditioner(), b, x);
    };
    Timing time = measure(exec_, request_.repetitions, iterate);
    for (double* seconds : {&time.first, &time.median, &time.minimum, &time.maximum})
      *seconds /= few;
    const double model = pack.deflated ? 0.
                                       : solvers::Cocg<ExecutionSpace, N>::iteration_traffic(pack.a).bytes +
                                             pack.multigrid.traffic().bytes;
    table_.add(method, "iteration", time, model);
    add_kernels_of(method, few, iterate);
  }

  template <class Work> void add_kernels_of(const std::string& method, int n, const Work& work) {
    std::vector<KernelTime> times;
    {
      const KernelTimes kernels;
      for (int k = 0; k < request_.repetitions; ++k)
        work();
      exec_.fence();
      times = kernels.times();
    }
    add_kernels(method, times, n * request_.repetitions);
  }

  ExecutionSpace exec_;
  const io::ImportedMesh& imported_;
  const Context& context_;
  ProblemBinding binding_;
  Plan plan_;
  const BenchRequest& request_;
  TimeTable table_;
  std::unique_ptr<Run> run_;
  Timing set_up_;
};

} // namespace

template <class ExecutionSpace>
TimeTable bench_frequencies(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                            const Context& context, const BenchRequest& request, double free) {
  return FrequencyBench<ExecutionSpace>(exec, name, imported, context, request, free).table();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template TimeTable bench_frequencies<SPACE>(const SPACE&, const std::string&, const io::ImportedMesh&,               \
                                              const Context&, const BenchRequest&, double);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
