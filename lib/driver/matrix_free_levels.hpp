// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MATRIX_FREE_LEVELS_HPP
#define TESSERA_DRIVER_MATRIX_FREE_LEVELS_HPP

/// \file
/// Multigrid without a matrix on the finest level, for a problem on its mesh.

#include "assembly/assembler.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "driver/distribution.hpp"
#include "driver/problem/problem.hpp"
#include "io/case.hpp"
#include "linalg/distributed_rows.hpp"
#include "solvers/multigrid/matrix_free_multigrid.hpp"

#include <memory>
#include <vector>

namespace tessera::driver {

/// Makes the own rows of the level below one without a matrix, of one process or several; again for new values.
template <class ExecutionSpace> class CoarserRows {
public:
  using Space = typename ExecutionSpace::memory_space;

  /// The problem must stay.
  CoarserRows(const Problem<ExecutionSpace>& problem, const fe::CoarserUnknowns<ExecutionSpace>& coarser,
              const comm::Group<ExecutionSpace>& group)
      : problem_(problem), dofs_(coarser.dofs), offsets_(coarser.offsets), group_(group) {}

  solvers::FinestRows<ExecutionSpace> make(const ExecutionSpace& exec) {
    if (assembler_ == nullptr)
      make_assembler(exec);
    assembler_->numeric(exec);
    solvers::FinestRows<ExecutionSpace> rows{*assembler_->matrix(), offsets_, columns_};
    if (!group_.is_alone())
      rows.a = linalg::cut_own_rows(exec, *assembler_->matrix(), own_);
    keep_alive(exec, assembler_);
    // Newton's method comes back at each step: what depends on the mesh alone stays. Otherwise memory counts for more.
    if (problem_.is_linear())
      assembler_.reset();
    return rows;
  }

private:
  void make_assembler(const ExecutionSpace& exec) {
    if (group_.is_alone()) {
      assembler_ = problem_.make_coarser_assembler(exec, dofs_);
      columns_ = linalg::all_own<ExecutionSpace>(dofs_.n_free);
    } else {
      const auto rank = static_cast<std::size_t>(group_.world->rank());
      fe::DofPart<Space> part;
      assembler_ = problem_.make_coarser_part_assembler(exec, dofs_, static_cast<index_t>(offsets_[rank]),
                                                        static_cast<index_t>(offsets_[rank + 1]), part);
      own_ = {part.first_own, part.n_own};
      columns_ = linalg::make_own_and_ghosts(exec, group_, offsets_, part.ghosts);
    }
    assembler_->symbolic(exec);
  }

  const Problem<ExecutionSpace>& problem_;
  fe::DofMap<Space> dofs_;
  std::vector<std::int64_t> offsets_;
  comm::Group<ExecutionSpace> group_;
  std::shared_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
  linalg::OwnFirst own_{0, 0};
  linalg::OwnAndGhosts<ExecutionSpace> columns_;
};

/// Multigrid for a system without a matrix. `distribution`: of several processes, which have the whole mesh; else null.
/// What is given must stay.
template <class ExecutionSpace>
std::unique_ptr<solvers::MatrixFreeMultigrid<ExecutionSpace>>
make_matrix_free_multigrid(const ExecutionSpace& exec, const io::SolverOptions& options,
                           const Problem<ExecutionSpace>& problem, const assembly::Assembler<ExecutionSpace>& assembler,
                           const Distribution<ExecutionSpace>* distribution = nullptr) {
  solvers::MatrixFreeLevel<ExecutionSpace> level;
  if (distribution != nullptr)
    level.shares = {distribution->unknowns().group(), distribution->unknowns().offsets()};
  const comm::Group<ExecutionSpace>& group = level.shares.group;
  const auto coarser = problem.coarser_unknowns(exec, level.shares);
  TESSERA_REQUIRE_KIND(coarser.interpolation != nullptr, ErrorKind::numerical,
                       "Preconditioner multigrid: without a matrix it needs a coarser level with unknowns, and this "
                       "mesh has none. Refine it once more, or use jacobi or a strategy with a matrix.");
  level.a = &assembler.system();
  level.interpolation = coarser.interpolation;
  const comm::Communicator& world = *group.world;
  level.eigenvalue_bound = [&problem, &world](const ExecutionSpace& queue) {
    return world.largest(problem.bound_eigenvalues(queue, world.rank(), world.size()));
  };
  const fe::DofMap<typename ExecutionSpace::memory_space> dofs = coarser.dofs;
  level.below = [&problem, dofs](const ExecutionSpace& queue) { return problem.prolongations_below(queue, dofs); };
  const auto rows = std::make_shared<CoarserRows<ExecutionSpace>>(problem, coarser, group);
  level.coarse_rows = [rows](const ExecutionSpace& queue) { return rows->make(queue); };
  if (distribution != nullptr)
    level.coarse_sums = std::make_shared<linalg::DistributedSums<ExecutionSpace>>(
        exec, world, *group.transport, coarser.offsets, distribution->unknowns().sums().shared() != nullptr);
  solvers::MultigridOptions multigrid = options.multigrid;
  multigrid.keeps_products = !problem.is_linear();
  return std::make_unique<solvers::MatrixFreeMultigrid<ExecutionSpace>>(exec, std::move(level), multigrid);
}

} // namespace tessera::driver

#endif
