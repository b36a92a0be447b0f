// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/run_strategies.hpp"

#include "core/kokkos_ext/runtime.hpp"
#include "driver/compare/run_arrays.hpp"
#include "driver/evaluation/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::driver {

namespace {

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
  fe::expand(exec, problem.dofs, linalg::ConstVector<ExecutionSpace>(unknowns), nodal);
  std::vector<double> values{problem.energy(exec, nodal)};
  const std::vector<double> totals = problem.totals(exec, nodal).inflow;
  values.insert(values.end(), totals.begin(), totals.end());
  return values;
}

/// The quantities requested by the case, or the energy. Quantities that cannot be computed are missing: a run reports
/// the reason.
template <class ExecutionSpace>
std::vector<QuantityValue> requested_quantities(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                                const io::Case& input, const linalg::Vector<ExecutionSpace>& unknowns,
                                                double energy) {
  Results results;
  keep_failure(comm::alone(), results, [&] {
    const Solution<ExecutionSpace> solution = solution_of(exec, problem, unknowns);
    add_quantities(exec, problem, input, solution, results);
  });
  const std::vector<QuantityValue> found = results.findings.numbers({"quantities"});
  return found.empty()
             ? std::vector<QuantityValue>{{"energy", energy, io::traits_of(input.problem.physics).energy.unit}}
             : found;
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
  candidate.quantities = requested_quantities(exec, problem, input, unknowns, arrays.quantities.front());
  arrays.solution = to_vector(exec, unknowns);
  candidate.phases = log.phases();
  for (Phase& phase : candidate.phases)
    phase.peak_bytes -= std::min(phase.peak_bytes, before);
  return candidate;
}

} // namespace

template <class ExecutionSpace>
ProblemSummary run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                              const ProblemBinding& binding, const std::vector<Plan>& plans, Context& context,
                              const std::function<void(Candidate)>& found) {
  mesh::CoarserMeshes coarser = mesh::CoarserMeshes::none;
  for (const Plan& plan : plans)
    coarser = std::max(coarser, plan.coarser_meshes());
  const auto problem = make_problem(exec, imported, binding, plans.front().form, coarser, context);
  const auto test_vector = make_test_vector(exec, problem->dofs.n_free);
  for (const Plan& plan : plans)
    found(run_strategy(exec, *problem, plan, context.input, test_vector));
  return problem->summary;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template ProblemSummary run_strategies<SPACE>(const SPACE&, const io::ImportedMesh&, const ProblemBinding&,          \
                                                const std::vector<Plan>&, Context&,                                    \
                                                const std::function<void(Candidate)>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
