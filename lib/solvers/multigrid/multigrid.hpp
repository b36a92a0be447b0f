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

template <class ExecutionSpace, int N> class MultigridColumns;

/// M^-1 = one cycle of multigrid from zero (hierarchy.hpp, cycle.hpp).
template <class ExecutionSpace> class Multigrid final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;
  using Space = typename ExecutionSpace::memory_space;

  /// Makes the levels; `given` and `second` as in make_hierarchy(), what `second` refers to must stay. Throws what that
  /// throws, and an Error of kind numerical when the coarsest matrix is singular.
  Multigrid(const ExecutionSpace& exec, linalg::CrsMatrix<Space> a, GivenLevels<ExecutionSpace> given = {},
            const MultigridOptions& options = {}, SecondLevel<ExecutionSpace> second = nullptr);

  /// The same for a matrix that is distributed over processes. What group and sums refer to must stay. Collective, like
  /// all functions then.
  Multigrid(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
            const linalg::GlobalSums<ExecutionSpace>& sums, FinestRows<ExecutionSpace> finest,
            GivenLevels<ExecutionSpace> given, const MultigridOptions& options,
            SecondLevel<ExecutionSpace> second = nullptr);

  /// For new values of the matrix (its rows of this process) renews the levels with the same transfers. Not with
  /// MultigridOptions::is_compact.
  void renew(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& a);

  std::string name() const override { return "multigrid"; }
  bool is_symmetric() const override { return true; }
  bool excludes_constants() const override { return true; }
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  bool apply_dot(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z,
                 const ResidualProducts<ExecutionSpace>& products) const override;
  /// Full multigrid (Cycle::start), where the options' cycle has it.
  bool has_start() const override;
  void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const override;
  linalg::Traffic traffic() const override;

  std::vector<LevelSummary> levels() const;

private:
  template <class, int> friend class MultigridColumns;

  /// A matrix with the rows of all processes, where these are so few that each process has all levels whole.
  FinestRows<ExecutionSpace> whole_or_own(const ExecutionSpace& exec, const FinestRows<ExecutionSpace>& finest) const;
  /// second_ with these rows.
  SecondLevel<ExecutionSpace> second() const;
  void make_cycle(const ExecutionSpace& exec);
  /// Levels and cycle, whose matrices go as soon as the cycle has its copies, with those given.
  void make_compact(const ExecutionSpace& exec, FinestRows<ExecutionSpace>& finest, GivenLevels<ExecutionSpace> given);
  /// `work(cycle)` in the cycle's precision.
  template <class Work> void visit(const Work& work) const;
  template <class Work> void visit(const Work& work);
  /// `work(b, x)` with vectors of all unknowns where each process has the finest level whole, else those given.
  template <class Work>
  void with_whole(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x, const Work& work) const;

  MultigridOptions options_;
  comm::Group<ExecutionSpace> processes_;    ///< of the solver's vectors
  linalg::OwnAndGhosts<ExecutionSpace> own_; ///< of these
  bool is_whole_;                            ///< several processes have each the finest level whole
  comm::Group<ExecutionSpace> group_;        ///< of the levels
  const linalg::GlobalSums<ExecutionSpace>& sums_;
  SecondLevel<ExecutionSpace> second_;
  std::vector<MultigridLevel<ExecutionSpace>> levels_;
  vector_type whole_b_;
  vector_type whole_x_;
  std::variant<std::monostate, Cycle<ExecutionSpace, double>, Cycle<ExecutionSpace, float>> cycle_;
};

} // namespace tessera::solvers

#endif
