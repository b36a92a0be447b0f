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
template <class ExecutionSpace> class Multigrid final : public Fused<ExecutionSpace> {
public:
  using typename Fused<ExecutionSpace>::vector_type;
  using typename Fused<ExecutionSpace>::const_vector_type;
  using Space = typename ExecutionSpace::memory_space;

  /// Makes the levels; `given` and `second` as in make_hierarchy(); objects used by `second` must outlive this one.
  /// Throws the errors of make_hierarchy(), and an Error of kind numerical if the coarsest matrix is singular.
  Multigrid(const ExecutionSpace& exec, linalg::CrsMatrix<Space> a, GivenLevels<ExecutionSpace> given = {},
            const MultigridOptions& options = {}, SecondLevel<ExecutionSpace> second = nullptr);

  /// The same for a matrix that is distributed over processes. The objects referred to by group and sums must outlive
  /// this one. Collective; then all functions are.
  Multigrid(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
            const linalg::GlobalSums<ExecutionSpace>& sums, FinestRows<ExecutionSpace> finest,
            GivenLevels<ExecutionSpace> given, const MultigridOptions& options,
            SecondLevel<ExecutionSpace> second = nullptr);

  /// Recomputes the levels for new values of the matrix (its owned rows) with the same transfers. Not with
  /// MultigridOptions::is_compact.
  void renew(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& a);

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  bool apply_dot(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z, const vector_type& work,
                 const ResidualProducts<ExecutionSpace>* products) const override;
  /// Full multigrid (Cycle::start), if the options' cycle includes it.
  bool has_start() const override;
  void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const override;
  linalg::Traffic traffic() const override;

  std::vector<LevelSummary> levels() const;

private:
  template <class, int> friend class MultigridColumns;

  /// The rows of all processes, if the matrix is so small that all levels are replicated; otherwise the owned ones.
  FinestRows<ExecutionSpace> whole_or_owned(const ExecutionSpace& exec, const FinestRows<ExecutionSpace>& finest) const;
  /// Calls second_ for these rows.
  SecondLevel<ExecutionSpace> second() const;
  void make_cycle(const ExecutionSpace& exec);
  /// Makes levels and cycle; matrices are freed as soon as the cycle has copied them, including the given ones.
  void make_compact(const ExecutionSpace& exec, FinestRows<ExecutionSpace>& finest, GivenLevels<ExecutionSpace> given);
  /// Calls `work(cycle)` with the cycle in its precision.
  template <class Work> void visit(const Work& work) const;
  template <class Work> void visit(const Work& work);
  /// Calls `work(b, x)` with vectors of all unknowns if the finest level is replicated, else with those given.
  template <class Work>
  void with_whole(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x, const Work& work) const;

  MultigridOptions options_;
  comm::ProcessGroup<ExecutionSpace> processes_; ///< of the solver's vectors
  comm::Layout<ExecutionSpace> owned_;           ///< numbering of these
  bool is_whole_;                                ///< whether several processes have the finest level replicated
  comm::ProcessGroup<ExecutionSpace> group_;     ///< of the levels
  const linalg::GlobalSums<ExecutionSpace>& sums_;
  SecondLevel<ExecutionSpace> second_;
  std::vector<MultigridLevel<ExecutionSpace>> levels_;
  vector_type whole_b_;
  vector_type whole_x_;
  std::variant<std::monostate, Cycle<ExecutionSpace, double>, Cycle<ExecutionSpace, float>> cycle_;
};

} // namespace tessera::solvers

#endif
