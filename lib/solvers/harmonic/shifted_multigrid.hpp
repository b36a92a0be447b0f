// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_SHIFTED_MULTIGRID_HPP
#define TESSERA_SOLVERS_HARMONIC_SHIFTED_MULTIGRID_HPP

/// \file
/// Multigrid for K + s M with complex shifts.

#include "core/kokkos_ext/device/recorded_kernels.hpp"
#include "solvers/harmonic/shifted_levels.hpp"
#include "solvers/harmonic/shifted_operator.hpp"

#include <memory>

namespace tessera::solvers {

namespace detail {

constexpr int most_degree = 4;

/// What the kernels of a level read about the shifts, so that recorded kernels serve all of them.
template <int N> struct LevelShifts {
  using Entry = linalg::Pack<float, 2 * N>;
  Entry shift;
  Entry step[most_degree]; ///< factors of the smoother's steps, the same for both parts of a column
};

} // namespace detail

/// One multigrid cycle in single precision for N columns, each with its own shift. Smoother: the complex Jacobi
/// diagonal k_ii + s m_ii with Chebyshev's polynomial of the fourth kind (J. Lottes, Numer. Linear Algebra Appl. 30,
/// 2023, e2518), whose bound is Gershgorin's with moduli, max_i sum_j |k_ij + s m_ij| / |k_ii + s m_ii|: a smaller
/// value than the largest modulus of an eigenvalue would make iterations several times as many. Transposes are plain,
/// so the cycle is complex symmetric. The coarsest level is solved by its inverse. With several processes, which share
/// levels as those of Cycle do, the bits are those of one; then all functions are collective.
///
/// Traffic of a V-cycle with two steps: K and M of each level four times, P and its transpose once, some twenty
/// vectors.
template <class ExecutionSpace, int N> class ShiftedMultigrid final : public ShiftedPreconditioner<ExecutionSpace, N> {
public:
  using typename ShiftedPreconditioner<ExecutionSpace, N>::Space;
  using typename ShiftedPreconditioner<ExecutionSpace, N>::vector_type;
  using typename ShiftedPreconditioner<ExecutionSpace, N>::const_vector_type;
  using Levels = ShiftedLevels<ExecutionSpace>;

  /// Allocates the vectors; the levels may be shared by several objects.
  ShiftedMultigrid(const ExecutionSpace& exec, std::shared_ptr<const Levels> levels, const Shifts<N>& shifts);

  /// Changes the shifts: computes the bounds of all levels and the inverse of the coarsest. Costs about a product on
  /// each level per column. Throws an Error of kind numerical if K + s M is singular on the coarsest level. Waits.
  void set_shifts(const ExecutionSpace& exec, const Shifts<N>& shifts);

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const double* rr,
             const vector_type& z) const override;
  ScaledColumns<N> apply_scaled(const ExecutionSpace& exec, const const_vector_type& r,
                                const double* rr) const override;

  /// Minimum traffic of apply_scaled(), with all slices of M.
  linalg::Traffic traffic() const;

private:
  using Entry = linalg::Pack<float, 2 * N>;
  using Vector = Array<Entry*, Space>;
  struct Work {
    Vector b, x, y;
  };

  void invert_coarsest(const ExecutionSpace& exec, const Shifts<N>& shifts);
  void step(const ExecutionSpace& exec, std::size_t l, int number) const;
  void run(const ExecutionSpace& exec, std::size_t l, bool from_zero) const;

  std::shared_ptr<const Levels> levels_;
  mutable std::vector<Work> work_; ///< of each level; steps exchange x and y
  Array<detail::LevelShifts<N>*, Space> shifts_;
  Vector inverse_; ///< of the coarsest matrix, row by row
  mutable Vector result_;
  mutable RecordedKernels<ExecutionSpace> kernels_;
};

} // namespace tessera::solvers

#endif
