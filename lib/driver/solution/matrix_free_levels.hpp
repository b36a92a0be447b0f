// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_MATRIX_FREE_LEVELS_HPP
#define TESSERA_DRIVER_SOLUTION_MATRIX_FREE_LEVELS_HPP

/// \file
/// Multigrid with a matrix-free finest level, for a problem on its mesh.

#include "assembly/assembler.hpp"
#include "core/error.hpp"
#include "driver/problem/levels.hpp"
#include "driver/solution/coarser_rows.hpp"
#include "driver/solution/distribution.hpp"
#include "io/input/case.hpp"
#include "solvers/multigrid/matrix_free_multigrid.hpp"

#include <memory>
#include <vector>

namespace tessera::driver {

/// Multigrid for a matrix-free system. `distribution`: for several processes, which have the whole mesh or a part each;
/// else null. The arguments must outlive the result. Collective.
template <class ExecutionSpace>
std::unique_ptr<solvers::MatrixFreeMultigrid<ExecutionSpace>>
make_matrix_free_multigrid(const ExecutionSpace& exec, const io::SolverInput& options,
                           const Levels<ExecutionSpace>& problem, const assembly::Assembler<ExecutionSpace>& assembler,
                           const DistributedUnknowns<ExecutionSpace>& unknowns) {
  solvers::MatrixFreeLevel<ExecutionSpace> level;
  level.shares = unknowns.shares();
  const comm::ProcessGroup<ExecutionSpace>& group = level.shares.group;
  const auto coarser = problem.coarser_unknowns(exec, level.shares);
  TESSERA_REQUIRE_KIND(coarser.any(), ErrorKind::numerical,
                       "Preconditioner multigrid: without a matrix it needs a coarser level with unknowns, and this "
                       "mesh has none. Refine it once more, or use jacobi or a strategy with a matrix.");
  level.a = &assembler.system();
  level.interpolation = coarser.interpolation;
  const comm::Communicator& world = *group.world;
  level.eigenvalue_bound = [&problem, &world](const ExecutionSpace& queue) {
    return world.largest(problem.bound_eigenvalues(queue, world.rank(), world.size()));
  };
  fe::CoarserUnknowns<ExecutionSpace> from = coarser;
  from.interpolation.reset();
  level.below = [&problem, from, shares = level.shares,
                 layout = unknowns.layout()](const ExecutionSpace& queue) -> solvers::GivenLevels<ExecutionSpace> {
    if (!shares.group.is_distributed())
      return problem.prolongations(queue, &from);
    if (!problem.part)
      return problem.nested_unknowns(queue, shares, &from);
    auto nested = problem.nested_unknowns(queue, shares);
    linalg::coarsen(queue, shares.group, layout, nested); // this interpolation exists already
    return nested;
  };
  const auto rows = std::make_shared<CoarserRows<ExecutionSpace>>(problem, coarser, group);
  level.coarse_rows = [rows](const ExecutionSpace& queue) { return rows->make(queue); };
  if (unknowns.is_distributed())
    level.coarse_sums = std::make_shared<linalg::DistributedSums<ExecutionSpace>>(exec, group, coarser.offsets,
                                                                                  unknowns.sums().shared() != nullptr);
  solvers::MultigridOptions multigrid = options.multigrid;
  multigrid.keeps_products = !problem.is_linear();
  return std::make_unique<solvers::MatrixFreeMultigrid<ExecutionSpace>>(exec, std::move(level), multigrid);
}

} // namespace tessera::driver

#endif
