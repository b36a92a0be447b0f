// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_COARSER_ROWS_HPP
#define TESSERA_DRIVER_SOLUTION_COARSER_ROWS_HPP

/// \file
/// The matrix of the level below the finest, assembled from elements.

#include "assembly/assembler.hpp"
#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "driver/problem/levels.hpp"
#include "driver/solution/distribution.hpp"
#include "linalg/distributed/distributed_rows.hpp"
#include "solvers/multigrid/hierarchy.hpp"

#include <memory>
#include <vector>

namespace tessera::driver {

/// Makes the owned rows of the level below the finest from elements, in one process or several; repeatable for new
/// values.
template <class ExecutionSpace> class CoarserRows {
public:
  using Space = typename ExecutionSpace::memory_space;

  /// The problem must outlive this object.
  CoarserRows(const Levels<ExecutionSpace>& problem, const fe::CoarserUnknowns<ExecutionSpace>& coarser,
              const comm::ProcessGroup<ExecutionSpace>& group)
      : problem_(problem), coarser_(coarser), group_(group) {
    coarser_.interpolation.reset();
  }

  /// With `owned_only`, uses the level's own elements only. Returns whether there is an assembler.
  bool make_assembler(const ExecutionSpace& exec, bool owned_only = false) {
    owned_only_ = owned_only;
    fe::DofPart<Space> part;
    assembler_ = problem_.make_coarser_assembler(exec, coarser_, owned_only, group_.is_distributed() ? &part : nullptr);
    if (assembler_ == nullptr)
      return false;
    owned_ = {0, coarser_.dofs.n_free};
    if (group_.is_distributed())
      owned_ = {part.first_owned, part.n_owned};
    for (std::int64_t& ghost : part.ghosts) {
      ghost = coarser_.number_of(ghost);
      TESSERA_ASSERT(ghost >= 0);
    }
    columns_ = comm::make_layout(exec, group_, coarser_.offsets, part.ghosts);
    assembler_->symbolic(exec);
    return true;
  }

  solvers::FinestRows<ExecutionSpace> make(const ExecutionSpace& exec) {
    if (assembler_ == nullptr)
      make_assembler(exec, owned_only_);
    assembler_->numeric(exec);
    solvers::FinestRows<ExecutionSpace> rows{*assembler_->matrix(), coarser_.offsets, columns_};
    if (owned_.n_owned < rows.a.n_rows())
      rows.a = linalg::cut_owned_rows(exec, *assembler_->matrix(), owned_);
    keep_alive(exec, assembler_);
    // Newton's method calls this at each step: data that depend only on the mesh are kept. Otherwise saving memory is
    // more important.
    if (problem_.is_linear())
      assembler_.reset();
    return rows;
  }

private:
  const Levels<ExecutionSpace>& problem_;
  fe::CoarserUnknowns<ExecutionSpace> coarser_;
  comm::ProcessGroup<ExecutionSpace> group_;
  std::shared_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
  linalg::OwnedFirst owned_{0, 0};
  comm::Layout<ExecutionSpace> columns_;
  bool owned_only_ = false; ///< as passed to make_assembler()
};

/// How multigrid makes the level below the finest of an assembled matrix: from the level's own elements if these give
/// the Galerkin matrix (physics::coarser_diffusion), else (null) by products of matrices. `distribution` as in
/// make_matrix_free_multigrid(). `coarser`, for a single process: the level's unknowns. The problem must outlive the
/// result. Collective.
template <class ExecutionSpace>
solvers::SecondLevel<ExecutionSpace> second_level(const ExecutionSpace& exec, const Levels<ExecutionSpace>& problem,
                                                  fe::CoarserUnknowns<ExecutionSpace> coarser,
                                                  const comm::Shares<ExecutionSpace>& shares = {}) {
  if (problem.form() != FormKind::closed || !problem.binding.joints.empty()) // elements have no joints
    return nullptr;
  if (shares.group.is_distributed())
    coarser = problem.coarser_unknowns(exec, shares, false);
  if (!coarser.any())
    return nullptr;
  const auto rows = std::make_shared<CoarserRows<ExecutionSpace>>(problem, coarser, shares.group);
  if (!rows->make_assembler(exec, true))
    return nullptr;
  return [rows](const ExecutionSpace& queue) { return rows->make(queue); };
}

} // namespace tessera::driver

#endif
