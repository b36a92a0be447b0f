// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/run_strategies.hpp"

#include "assembly/dg/form/fluxes.hpp"
#include "core/available_memory.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "driver/dg/dg_quantities.hpp"
#include "driver/dg/dg_steps.hpp"
#include "driver/evaluation/quantities.hpp"
#include "driver/harmonic/harmonic_run.hpp"
#include "driver/visit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// A pseudo-random vector, the same on every backend.
template <class Space> struct FillTestVector {
  Array<double*, Space> x;
  double size = 1.;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const std::uint32_t hash = static_cast<std::uint32_t>(i) * 2654435761u;
    x(i) = size * (static_cast<double>(hash >> 8) / 16777216. - 0.5);
  }
};

template <class ExecutionSpace> linalg::Vector<ExecutionSpace> make_test_vector(const ExecutionSpace& exec, index_t n) {
  const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::test_vector", n);
  for_each("tessera::driver::fill_test_vector", exec, n, FillTestVector<typename ExecutionSpace::memory_space>{x});
  return x;
}

template <class ExecutionSpace, class ArrayType>
std::vector<typename ArrayType::non_const_value_type> to_vector(const ExecutionSpace& exec, const ArrayType& array) {
  const auto host = tessera::to_host(exec, array);
  return {host.data(), host.data() + host.extent(0)};
}

bool is_possible(const io::Case& input, const assembly::StrategyTraits& traits) {
  const bool needs_matrix = io::has_joints(input.problem) || io::is_harmonic(input.problem.physics);
  return (traits.is_deterministic || !input.execution.reproducible) && (traits.stores_matrix || !needs_matrix);
}
bool is_possible(const io::Case& input, const dg::StrategyTraits& traits) {
  return (traits.is_deterministic || !input.execution.reproducible) &&
         (traits.has_single_precision || input.assembly.precision != Precision::single_precision);
}

/// `table`: all strategies of the case's method, `auto` first.
template <class Table>
std::vector<std::string> names_in(const Table& table, const io::Case& input, const std::vector<std::string>& names) {
  const auto is_named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool all = names.empty() || is_named("all");
  std::vector<std::string> result;
  for (const auto& traits : table)
    if (traits.strategy != table[0].strategy && (is_named(traits.name) || (all && is_possible(input, traits)))) {
      check_reproducible(input, traits.strategy);
      result.emplace_back(traits.name);
    }
  if (is_named(table[0].name))
    result.emplace_back(table[0].name);
  return result;
}

/// Throws if a run does not fit into memory. On the host there are also the arrays of the first run, and those of the
/// run compared with it: `kept`.
template <class ExecutionSpace>
void require_comparison_memory(const ExecutionSpace& exec, const io::Case& input, const std::string& what, double bytes,
                               double kept) {
  constexpr bool on_gpu = !is_host_space<ExecutionSpace>;
  require_memory(input, on_gpu ? bytes : bytes + kept, free_memory(exec), what);
  if (on_gpu)
    require_memory(input, kept, available_host_memory(), what + ", of the host,");
}

template <class ExecutionSpace> std::string comparison_text(const ExecutionSpace& exec, const std::string& strategy) {
  return "Comparing by " + strategy + " on " + backend_name(exec) + " (--strategies)";
}

/// The quantities that `add` adds, except those that cannot be computed: a run reports the reason.
std::vector<QuantityValue> quantities_of(const ProblemSummary& problem, const std::function<void(Results&)>& add) {
  Results results;
  results.problem = problem;
  keep_failure(comm::alone(), results, [&] { add(results); });
  return results.findings.numbers({"quantities"});
}

/// The plan of the case with one strategy, and a solver that supports it.
Plan plan_to_compare(const io::Case& input, const ProblemSize& size, io::Strategy strategy) {
  Plan plan = plan_by(input, size, strategy);
  const SolverChoice solver = usable_solver(plan.solver, strategy, !why_multigrid_needs_matrix(input).empty());
  plan.solver.method = solver.method;
  plan.solver.preconditioner = solver.preconditioner;
  return plan;
}

/// The memory request of a plan; nothing is written.
MemoryRequest request_of(const ProblemSize& size, const Plan& plan) {
  MemoryRequest request = size.memory;
  request.preconditioner = plan.solver.preconditioner;
  request.works_by_element = plan.solver.method == io::SolverMethod::ebe_j_pcg;
  request.writes_fields = false;
  return request;
}

/// An iterate with about 2 T in all directions, where reluctivities differ from those at rest and from element to
/// element, or with temperatures up to 1000 K.
template <class ExecutionSpace>
void set_test_iterate(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem) {
  const auto iterate = problem.iterate();
  const double mean_area = problem.measure(exec) / static_cast<double>(problem.summary.n_elements);
  for_each("tessera::driver::fill_test_vector", exec, static_cast<std::int64_t>(iterate.extent(0)),
           FillTestVector<typename ExecutionSpace::memory_space>{
               iterate, problem.binding.magnetic ? 2. * std::sqrt(mean_area) : 1000.});
  problem.linearize(exec);
}

/// Energy, and the total of every constraint.
template <class ExecutionSpace>
std::vector<double> quantities(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                               const linalg::Vector<ExecutionSpace>& unknowns) {
  const auto nodal = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::nodal_solution", problem.n_space_nodes);
  problem.expand(exec, linalg::ConstVector<ExecutionSpace>(unknowns), nodal);
  std::vector<double> values{problem.energy(exec, nodal)};
  const std::vector<double> totals = problem.totals(exec, nodal).inflow;
  values.insert(values.end(), totals.begin(), totals.end());
  return values;
}

/// Runs the problem by one plan: `test_vector` is the vector of the product.
template <class ExecutionSpace>
Candidate run_strategy(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                       const io::Case& input, const linalg::Vector<ExecutionSpace>& test_vector) {
  Candidate candidate;
  candidate.backend = backend_name(exec);
  candidate.strategy = io::name_of(plan.strategy);
  candidate.solver = {plan.solver.method, plan.solver.preconditioner};
  const std::size_t before = MemoryLedger::current_bytes();
  auto assembler = problem.make_assembler(assembly_options(plan));
  PhaseLog log;
  if (!problem.is_linear())
    set_test_iterate(exec, problem);
  log.run("symbolic", exec, [&] { assembler->symbolic(exec); });
  log.run("numeric", exec, [&] { assembler->numeric(exec); });
  const index_t n = problem.dofs.n_free;
  const auto product = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::product", n);
  assembler->system().apply(exec, test_vector, product);
  Candidate::Arrays& arrays = candidate.arrays;
  if (assembler->matrix() != nullptr) {
    arrays.offsets = to_vector(exec, assembler->matrix()->offsets);
    arrays.columns = to_vector(exec, assembler->matrix()->columns);
    arrays.values = to_vector(exec, assembler->matrix()->values);
  }
  arrays.rhs = to_vector(exec, assembler->rhs());
  arrays.product = to_vector(exec, product);

  ProblemSolver<ExecutionSpace> solver(problem, plan, nullptr, std::move(assembler));
  const PhaseRunner within_solve = [](const std::string&, const std::function<void()>& work) { work(); };
  log.run("solve", exec, [&] {
    const SolverOutcome outcome = solver.solve_assembled(exec, excitation_of(input), within_solve);
    const solvers::PcgResult& linear = outcome.linear;
    if (!outcome.fallback.empty())
      candidate.solver.preconditioner = io::Preconditioner::jacobi;
    candidate.converged = outcome.converged();
    candidate.iterations = outcome.iterations();
    candidate.relative_tolerance = outcome.nonlinear ? std::max(plan.solver.nonlinear.relative_tolerance,
                                                                // at rounding
                                                                outcome.nonlinear->history.back())
                                                     : (linear.rhs_norm > 0. ? linear.threshold / linear.rhs_norm
                                                                             : plan.solver.relative_tolerance);
  });
  const linalg::Vector<ExecutionSpace>& unknowns = solver.unknowns();
  log.run("quantities", exec, [&] { arrays.quantities = quantities(exec, problem, unknowns); });
  candidate.quantities = quantities_of(problem.summary, [&](Results& results) {
    add_quantities(exec, problem, input, solution_of(exec, problem, unknowns), results);
  });
  if (candidate.quantities.empty())
    candidate.quantities = {{"energy", arrays.quantities.front(), io::traits_of(input.problem.physics).energy.unit}};
  arrays.solution = to_vector(exec, unknowns);
  candidate.phases = log.phases();
  for (Phase& phase : candidate.phases)
    phase.peak_bytes -= std::min(phase.peak_bytes, before);
  return candidate;
}

io::Case with_strategy(const io::Case& input, const std::string& strategy) {
  io::Case result = input;
  result.assembly.dg_strategy = io::parse_name<io::DgStrategy>(strategy, "strategy");
  return result;
}

/// Bytes of the arrays of one run on the host while they are made.
double host_bytes(const DgSizes& sizes) {
  return (2. * sizeof(double) + sizeof(index_t)) * sizes.assembly.entries + 32. * sizes.assembly.unknowns;
}

/// Expands the block matrix to scalar entries, on the host.
template <class ExecutionSpace>
void set_matrix(const ExecutionSpace& exec, const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                Candidate::Arrays& arrays) {
  const Kokkos::DefaultHostExecutionSpace host;
  linalg::BlockCrsMatrix<HostMemory> copy;
  copy.dof_offsets = tessera::to_host(exec, matrix.dof_offsets);
  copy.row_offsets = tessera::to_host(exec, matrix.row_offsets);
  copy.columns = tessera::to_host(exec, matrix.columns);
  copy.value_offsets = tessera::to_host(exec, matrix.value_offsets);
  copy.values = tessera::to_host(exec, matrix.values);
  copy.single_values = tessera::to_host(exec, matrix.single_values);
  copy.n_unknowns = matrix.n_unknowns;
  copy.block_size = matrix.block_size;
  copy.largest_block = matrix.largest_block;
  const auto expanded = linalg::expand_blocks(host, copy);
  arrays.offsets = to_vector(host, expanded.offsets);
  arrays.columns = to_vector(host, expanded.columns);
  arrays.values = to_vector(host, expanded.values);
}

/// Adds one phase that combines all phases whose names have given beginnings: sums of times, maxima of memory above
/// `before`.
void add_phase(const PhaseLog& log, const std::string& name, const std::vector<std::string>& beginnings,
               std::size_t before, std::vector<Phase>& phases) {
  Phase sum{name, 0., "", before};
  for (const Phase& phase : log.phases())
    if (std::any_of(beginnings.begin(), beginnings.end(),
                    [&](const std::string& beginning) { return phase.name.rfind(beginning, 0) == 0; })) {
      sum.seconds += phase.seconds;
      sum.where = phase.where;
      sum.peak_bytes = std::max(sum.peak_bytes, phase.peak_bytes);
    }
  sum.peak_bytes -= before;
  phases.push_back(sum);
}

template <int Dim, class ExecutionSpace>
std::vector<double> quantities(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem,
                               const linalg::Vector<ExecutionSpace>& u) {
  const auto& simplices = problem.mesh.simplices;
  std::vector<double> values;
  for (const dg::RegionIntegrals& region : dg::region_integrals<ExecutionSpace, Dim>(
           exec, problem.form, u, static_cast<int>(simplices.region_names.size())))
    values.insert(values.end(), {region.value, region.energy});
  const std::vector<double> fluxes = dg::boundary_fluxes<ExecutionSpace, Dim>(
      exec, problem.form, u, static_cast<int>(simplices.boundary_names.size()));
  values.insert(values.end(), fluxes.begin(), fluxes.end());
  return values;
}

template <int Dim, class ExecutionSpace>
Candidate run_strategy(const ExecutionSpace& exec, DgProblem<Dim, ExecutionSpace>& problem, const io::Case& input,
                       const linalg::Vector<ExecutionSpace>& test_vector) {
  const dg::StrategyTraits& traits = dg::traits_of(input.assembly.dg_strategy);
  Candidate candidate;
  candidate.backend = backend_name(exec);
  candidate.strategy = traits.name;
  candidate.has_fixed_bits = traits.is_deterministic;
  candidate.solver = {input.solver.method, input.solver.preconditioner};
  candidate.converged = true;
  Candidate::Arrays& arrays = candidate.arrays;
  const std::size_t before = MemoryLedger::current_bytes();
  PhaseLog log;
  DgSteps<Dim, ExecutionSpace> steps(exec, problem, input, log);
  while (candidate.converged && steps.step() < steps.n_steps()) {
    steps.assemble_next();
    if (steps.step() == 1) {
      const auto& matrix = steps.assembler().matrix();
      set_matrix(exec, matrix, arrays);
      arrays.rhs = to_vector(exec, steps.assembler().rhs());
      const auto product =
          make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::product", problem.form.space.n_dofs);
      linalg::BlockCrsOperator<ExecutionSpace>(exec, matrix, linalg::Symmetry::general)
          .apply(exec, test_vector, product);
      arrays.product = to_vector(exec, product);
    }
    const solvers::PcgResult result = steps.solve();
    candidate.converged = result.status == solvers::SolverStatus::converged;
    candidate.iterations += result.iterations;
    candidate.solver.preconditioner = steps.preconditioner();
    candidate.relative_tolerance =
        result.rhs_norm > 0. ? result.threshold / result.rhs_norm : input.solver.relative_tolerance;
  }
  arrays.solution = to_vector(exec, steps.coefficients());
  log.run("quantities", exec, [&] { arrays.quantities = quantities(exec, problem, steps.coefficients()); });
  candidate.quantities = quantities_of(summary_of(problem), [&](Results& results) {
    add_dg_quantities<Dim, ExecutionSpace>(exec, problem.form, steps.coefficients(), input, results);
  });
  add_phase(log, "symbolic", {"assembly: symbolic"}, before, candidate.phases);
  add_phase(log, "numeric", {"assembly: numeric", "assembly: load", "form: "}, before, candidate.phases);
  add_phase(log, "solve", {"solver: "}, before, candidate.phases);
  add_phase(log, "quantities", {"quantities"}, before, candidate.phases);
  return candidate;
}

template <class ExecutionSpace>
ProblemSummary run_dg_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                 const std::vector<std::string>& strategies, Context& context,
                                 const std::function<void(Candidate)>& found) {
  ProblemSummary summary;
  visit_dimension(imported.dimension, [&](auto dimension) {
    constexpr int Dim = decltype(dimension)::value;
    auto problem = make_dg_problem<Dim>(exec, imported, context);
    check_dg_data(exec, problem, context);
    for (const std::string& strategy : strategies)
      require_comparison_memory(exec, context.input, comparison_text(exec, strategy),
                                estimate_bytes(with_strategy(context.input, strategy), problem.sizes),
                                2. * host_bytes(problem.sizes));
    summary = summary_of(problem);
    const auto test_vector = make_test_vector(exec, problem.form.space.n_dofs);
    for (const std::string& strategy : strategies)
      found(run_strategy(exec, problem, with_strategy(context.input, strategy), test_vector));
  });
  return summary;
}

template <class ArrayType> void append(std::vector<typename ArrayType::value_type>& to, const ArrayType& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Both matrices as one, M times the first angular frequency below K, with the product and the right-hand sides.
template <class ExecutionSpace>
void set_system(const ExecutionSpace& exec, HarmonicRun<ExecutionSpace>& run, double omega, Candidate::Arrays& arrays) {
  const linalg::CrsMatrix<typename ExecutionSpace::memory_space> k = run.system().k();
  const auto n = k.n_rows();
  const auto test_vector = make_test_vector(exec, n);
  const auto product = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::product", n);
  arrays.offsets = {0};
  const auto add = [&](const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix, double factor) {
    const std::vector<offset_t> offsets = to_vector(exec, matrix.offsets);
    const offset_t before = arrays.offsets.back();
    for (index_t row = 0; row < n; ++row)
      arrays.offsets.push_back(before + offsets[static_cast<std::size_t>(row) + 1]);
    append(arrays.columns, to_vector(exec, matrix.columns));
    linalg::CrsOperator<ExecutionSpace>(matrix).apply(exec, test_vector, product);
    for (const double value : to_vector(exec, matrix.values))
      arrays.values.push_back(factor * value);
    for (const double value : to_vector(exec, product))
      arrays.product.push_back(factor * value);
  };
  add(k, 1.);
  add(run.system().m(), omega);
  for (const auto& column : run.right_hand_sides(omega)) {
    append(arrays.rhs, to_vector(exec, column.re));
    append(arrays.rhs, to_vector(exec, column.im));
  }
}

/// A problem at frequencies by one plan: K and M, the right-hand sides at the first frequency, and the solutions at
/// all.
template <class ExecutionSpace>
Candidate run_at_frequencies(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>> problem,
                             const Plan& plan, const Context& context) {
  const std::vector<double>& frequencies = context.input.problem.frequencies;
  Candidate candidate;
  candidate.backend = backend_name(exec);
  candidate.strategy = io::name_of(plan.strategy);
  candidate.solver = {plan.solver.method, plan.solver.preconditioner};
  const std::size_t before = MemoryLedger::current_bytes();
  PhaseLog log;
  Context own{context.input, context.console, log, context.notes};
  Results results;
  const auto run = make_harmonic_run(exec, std::move(problem), plan, own, results);
  Candidate::Arrays& arrays = candidate.arrays;
  set_system(exec, *run, 2. * pi * frequencies.front(), arrays);
  std::vector<std::vector<double>> solutions(frequencies.size());
  run->found = [&](std::size_t frequency, const ComplexVector<ExecutionSpace>& nodal) {
    append(solutions[frequency], to_vector(exec, nodal.re));
    append(solutions[frequency], to_vector(exec, nodal.im));
  };
  run->solve(results);
  for (const std::vector<double>& solution : solutions)
    append(arrays.solution, solution);
  run->add_quantities(results);
  candidate.quantities = results.findings.numbers({"quantities"});
  for (const QuantityValue& quantity : candidate.quantities)
    arrays.quantities.push_back(quantity.value);
  const SolverOutcome& outcome = results.solve.solver;
  candidate.method = outcome.nonlinear ? "gmres" : "cocg";
  candidate.converged = outcome.converged();
  candidate.iterations = results.iterations;
  candidate.relative_tolerance = outcome.linear.rhs_norm > 0. ? outcome.linear.threshold / outcome.linear.rhs_norm
                                                              : plan.solver.relative_tolerance;
  add_phase(log, "symbolic", {"assembly: symbolic"}, before, candidate.phases);
  add_phase(log, "numeric", {"assembly: numeric"}, before, candidate.phases);
  add_phase(log, "solve", {"solver: ", "solution"}, before, candidate.phases);
  add_phase(log, "quantities", {"quantities"}, before, candidate.phases);
  return candidate;
}

template <class ExecutionSpace>
ProblemSummary run_harmonic_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                       const ProblemBinding& binding, const StrategyRuns& runs, Context& context,
                                       const std::function<void(Candidate)>& found) {
  ProblemSummary summary;
  for (const Plan& plan : runs.plans) {
    auto problem = make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), context);
    summary = problem->summary;
    found(run_at_frequencies(exec, std::move(problem), plan, context));
  }
  return summary;
}

/// Names of strategies for a problem at frequencies, whose `auto` is that of runs.
std::vector<std::string> harmonic_strategies(const io::Case& input, std::vector<std::string> names) {
  std::replace(names.begin(), names.end(), io::name_of(io::Strategy::automatic), io::name_of(io::Strategy::row_gather));
  const std::vector<std::string> strategies = names_in(assembly::strategy_table, input, names);
  for (const std::string& name : strategies)
    TESSERA_REQUIRE(assembly::stores_matrix(io::parse_name<io::Strategy>(name, "strategy")),
                    "compare: strategy '" << name << "' makes no matrix, which " << io::name_of(input.problem.physics)
                                          << " needs. Leave it out of --strategies.");
  return strategies;
}

} // namespace

std::vector<std::string> strategies_to_compare(const io::Case& input, const std::vector<std::string>& names) {
  if (io::is_harmonic(input.problem.physics))
    return harmonic_strategies(input, names);
  if (input.discretization.method == io::Method::cg)
    return names_in(assembly::strategy_table, input, names);
  std::vector<std::string> resolved = names;
  const auto selected = dg::traits_of(dg::resolved(io::DgStrategy::automatic)).name;
  std::replace(resolved.begin(), resolved.end(), io::name_of(io::DgStrategy::automatic), std::string(selected));
  return names_in(dg::strategy_table, input, resolved);
}

template <class ExecutionSpace>
StrategyRuns plan_runs(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                       const std::vector<std::string>& strategies, Context& context) {
  const io::Case& input = context.input;
  if (input.discretization.method == io::Method::dg)
    return {strategies, {}};
  const std::string backend = backend_name(exec);
  const ProblemSize size = problem_size(input, imported, !is_host_space<ExecutionSpace>);
  if (!size.preconditioner.reason.empty())
    context.console.line("preconditioner auto on " + backend + ": " + io::name_of(size.preconditioner.preconditioner) +
                         ", " + size.preconditioner.reason);
  StrategyRuns runs;
  for (const std::string& name : strategies) {
    auto strategy = io::parse_name<io::Strategy>(name, "strategy");
    if (strategy == io::Strategy::automatic) {
      io::Case automatic = input;
      automatic.assembly.strategy = strategy;
      const Plan chosen = make_plan(automatic, size, free_memory(exec));
      strategy = chosen.strategy;
      context.console.line("auto on " + backend + ": " + io::name_of(strategy) + ", " + chosen.reason);
    }
    if (std::find(runs.strategies.begin(), runs.strategies.end(), io::name_of(strategy)) == runs.strategies.end()) {
      runs.strategies.push_back(io::name_of(strategy));
      runs.plans.push_back(plan_to_compare(input, size, strategy));
    }
  }
  const auto kept_system = [&](const Plan& plan) { // K and M, and solutions at all frequencies with a copy
    const double system = estimate_system_memory(request_of(size, plan), plan.strategy);
    const double solution = 32. * static_cast<double>(size.memory.n_space_nodes());
    return io::is_harmonic(input.problem.physics)
               ? 2. * system + solution * static_cast<double>(input.problem.frequencies.size())
               : system;
  };
  for (const Plan& plan : runs.plans) {
    const std::string what = comparison_text(exec, io::name_of(plan.strategy));
    TESSERA_REQUIRE_KIND(fits_offsets(size.memory, plan.strategy), ErrorKind::resource,
                         what << " does not fit " << 8 * sizeof(offset_t) << "-bit offsets.");
    require_comparison_memory(exec, input, what, estimate_memory(request_of(size, plan), plan.strategy),
                              kept_system(runs.plans.front()) + kept_system(plan));
  }
  return runs;
}

template <class ExecutionSpace>
ProblemSummary run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                              const ProblemBinding& binding, const StrategyRuns& runs, Context& context,
                              const std::function<void(Candidate)>& found) {
  if (runs.plans.empty())
    return run_dg_strategies(exec, imported, runs.strategies, context, found);
  if (io::is_harmonic(context.input.problem.physics))
    return run_harmonic_strategies(exec, imported, binding, runs, context, found);
  mesh::CoarserMeshes coarser = mesh::CoarserMeshes::none;
  for (const Plan& plan : runs.plans)
    coarser = std::max(coarser, plan.coarser_meshes());
  const auto problem = make_problem(exec, imported, binding, runs.plans.front().form, coarser, context);
  const auto test_vector = make_test_vector(exec, problem->dofs.n_free);
  for (const Plan& plan : runs.plans)
    found(run_strategy(exec, *problem, plan, context.input, test_vector));
  return problem->summary;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template StrategyRuns plan_runs<SPACE>(const SPACE&, const io::ImportedMesh&, const std::vector<std::string>&,       \
                                         Context&);                                                                    \
  template ProblemSummary run_strategies<SPACE>(const SPACE&, const io::ImportedMesh&, const ProblemBinding&,          \
                                                const StrategyRuns&, Context&, const std::function<void(Candidate)>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
