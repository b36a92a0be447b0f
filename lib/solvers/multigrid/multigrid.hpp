// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_MULTIGRID_HPP
#define TESSERA_SOLVERS_MULTIGRID_MULTIGRID_HPP

/// \file
/// Multigrid as a preconditioner.

#include "solvers/multigrid/cycle.hpp"
#include "solvers/multigrid/level_summary.hpp"
#include "solvers/preconditioner.hpp"

#include <variant>

namespace tessera::solvers {

/// M^-1 = one cycle of multigrid from zero (hierarchy.hpp, cycle.hpp).
template <class ExecutionSpace> class Multigrid final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;
  using Space = typename ExecutionSpace::memory_space;

  /// Makes the levels; `given` as in make_hierarchy(). Throws what that throws, and an Error of kind numerical when the
  /// coarsest matrix is singular.
  Multigrid(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& a,
            const std::vector<linalg::Prolongation<Space>>& given = {}, const MultigridOptions& options = {});

  /// After the matrix got new values: renews the levels with the same transfers.
  void renew(const ExecutionSpace& exec);

  std::string name() const override { return "multigrid"; }
  bool is_symmetric() const override { return true; }
  bool excludes_constants() const override { return true; }
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  /// Full multigrid (Cycle::start), where the options' cycle has it.
  bool has_start() const override;
  void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const override;
  linalg::Traffic traffic() const override;

  std::vector<LevelSummary> levels() const;

private:
  void make_cycle(const ExecutionSpace& exec);
  /// `work(cycle)` in the cycle's precision.
  template <class Work> void visit(const Work& work) const;

  MultigridOptions options_;
  std::vector<MultigridLevel<Space>> levels_;
  std::variant<std::monostate, Cycle<ExecutionSpace, double>, Cycle<ExecutionSpace, float>> cycle_;
};

} // namespace tessera::solvers

#endif
