// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/solution/run_plan.hpp"

#include "core/kokkos_ext/device/free_memory.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "driver/advice/checks.hpp"
#include "driver/solution/kept_run.hpp"
#include "io/input/input_text.hpp"
#include "solvers/external/petsc.hpp"

namespace tessera::driver {

namespace {

/// Strategy, preconditioner and memory.
void print_plan(const Plan& plan, io::Console& console) {
  console.item("strategy", io::name_of(plan.strategy) + (plan.reason.empty() ? "" : ": " + plan.reason));
  if (!plan.preconditioner_reason.empty())
    console.item("preconditioner", io::name_of(plan.solver.preconditioner) + ": " + plan.preconditioner_reason);
  if (plan.solver.method == io::SolverMethod::petsc)
    console.item("petsc", std::string(solvers::petsc_version()) + " with " + io::printable(plan.solver.petsc, 200));
  console.item("memory", "about " + format_bytes(plan.estimated_bytes));
}

} // namespace

template <class ExecutionSpace>
Plan make_run_plan(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                   const KeptRun* kept, Context& context) {
  constexpr bool on_host = is_host_space<ExecutionSpace>;
  const io::Case& input = context.input;
  const comm::Communicator& world = context.world;
  const Plan plan = make_plan(input, problem_size(input, imported, !on_host, world.size()),
                              memory_of_each(world, free_memory(exec), on_host));
  print_plan(plan, context.console);
  run_checks(Known::plan, {input, world.size(), true, &imported, &binding, &plan}, context.notes);
  if (!on_host && (kept == nullptr || kept->allowed == Reuse::nothing))
    context.log.run("memory: reserve", exec, [&] { reserve_memory(exec, plan.estimated_bytes); });
  return plan;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template Plan make_run_plan<SPACE>(const SPACE&, const io::ImportedMesh&, const ProblemBinding&, const KeptRun*,     \
                                     Context&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
