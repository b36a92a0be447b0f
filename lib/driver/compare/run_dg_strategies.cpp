// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/run_dg_strategies.hpp"

#include "assembly/dg/form/fluxes.hpp"
#include "core/available_memory.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "driver/compare/run_arrays.hpp"
#include "driver/dg/dg_quantities.hpp"
#include "driver/dg/dg_steps.hpp"
#include "driver/plan/plan.hpp"
#include "driver/visit.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

io::Case with_strategy(const io::Case& input, io::DgStrategy strategy) {
  io::Case result = input;
  result.assembly.dg_strategy = strategy;
  return result;
}

/// Bytes of the arrays of one run on the host while they are made.
double host_bytes(const DgSizes& sizes) {
  return (2. * sizeof(double) + sizeof(index_t)) * sizes.assembly.entries + 32. * sizes.assembly.unknowns;
}

template <class ExecutionSpace>
void require_comparison_memory(const ExecutionSpace& exec, const io::Case& input,
                               const std::vector<io::DgStrategy>& strategies, const DgSizes& sizes) {
  constexpr bool on_gpu = !is_host_space<ExecutionSpace>;
  // On the host during a run: the arrays of the first run, and those of the run compared with it.
  const double kept = 2. * host_bytes(sizes);
  for (const io::DgStrategy strategy : strategies) {
    const std::string what = "Comparing by " + io::name_of(strategy) + " on " + backend_name(exec) + " (--strategies)";
    const double bytes = estimate_bytes(with_strategy(input, strategy), sizes);
    require_memory(input, on_gpu ? bytes : bytes + kept, free_memory(exec), what);
    if (on_gpu)
      require_memory(input, kept, available_host_memory(), what + ", of the host,");
  }
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
    candidate.relative_tolerance =
        result.rhs_norm > 0. ? result.threshold / result.rhs_norm : input.solver.relative_tolerance;
  }
  arrays.solution = to_vector(exec, steps.coefficients());
  log.run("quantities", exec, [&] { arrays.quantities = quantities(exec, problem, steps.coefficients()); });
  Results results;
  results.problem = summary_of(problem);
  keep_failure(comm::alone(), results, [&] {
    add_dg_quantities<Dim, ExecutionSpace>(exec, problem.form, steps.coefficients(), input, results);
  });
  candidate.quantities = results.findings.numbers({"quantities"});
  add_phase(log, "symbolic", {"assembly: symbolic"}, before, candidate.phases);
  add_phase(log, "numeric", {"assembly: numeric", "assembly: load", "form: "}, before, candidate.phases);
  add_phase(log, "solve", {"solver: "}, before, candidate.phases);
  add_phase(log, "quantities", {"quantities"}, before, candidate.phases);
  return candidate;
}

} // namespace

template <class ExecutionSpace>
ProblemSummary run_dg_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                 const std::vector<io::DgStrategy>& strategies, Context& context,
                                 const std::function<void(Candidate)>& found) {
  ProblemSummary summary;
  visit_dimension(imported.dimension, [&](auto dimension) {
    constexpr int Dim = decltype(dimension)::value;
    auto problem = make_dg_problem<Dim>(exec, imported, context,
                                        [&](const std::string& phase, const std::function<void()>& work,
                                            PhaseKind kind) { context.log.run(phase, exec, work, kind); });
    check_dg_data(exec, problem, context);
    require_comparison_memory(exec, context.input, strategies, problem.sizes);
    summary = summary_of(problem);
    const auto test_vector = make_test_vector(exec, problem.form.space.n_dofs);
    for (const io::DgStrategy strategy : strategies)
      found(run_strategy(exec, problem, with_strategy(context.input, strategy), test_vector));
  });
  return summary;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template ProblemSummary run_dg_strategies<SPACE>(const SPACE&, const io::ImportedMesh&,                              \
                                                   const std::vector<io::DgStrategy>&, Context&,                       \
                                                   const std::function<void(Candidate)>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
