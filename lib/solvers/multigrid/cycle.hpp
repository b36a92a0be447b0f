// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_CYCLE_HPP
#define TESSERA_SOLVERS_MULTIGRID_CYCLE_HPP

/// \file
/// One multigrid cycle, in single or double precision.

#include "core/kokkos_ext/device/recorded_kernels.hpp"
#include "linalg/crs/sliced_matrix.hpp"
#include "linalg/global_sums.hpp"
#include "linalg/pack.hpp"
#include "solvers/multigrid/hierarchy.hpp"
#include "solvers/multigrid/options.hpp"
#include "solvers/multigrid/smoother_factors.hpp"
#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

/// Approximates A^-1 by one cycle of multigrid, from zero. Symmetric positive definite if A is: the steps after the
/// coarser level are the transposes of those before it.
///
/// Smoother: Chebyshev polynomials (solvers/multigrid/smoother_factors.hpp), which need only an upper bound of the
/// eigenvalues of D^-1 A; or damped Jacobi steps.
///
/// With several processes each has its owned rows of distributed levels, and receives the ghosts of a vector just
/// before the product that reads it; coarser levels are replicated and computed by every process. The bits are the same
/// for any number of processes.
///
/// Traffic of a V-cycle with two steps: the matrix of each level four times, P and its transpose once, and some sixteen
/// vectors. For `N` vectors stored together (linalg/pack.hpp) the matrices are read once for all; the results have the
/// bits of single vectors.
template <class ExecutionSpace, class Value, int N = 1> class Cycle {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Entry = linalg::EntryOf<Value, N>;
  using vector_type = Array<Entry*, Space>;
  using wide_type = linalg::MultiVector<N, ExecutionSpace>;
  using const_wide_type = linalg::ConstMultiVector<N, ExecutionSpace>;

  /// Copies the matrices of the levels, scaled by their diagonals. The objects referred to by the group and by `sums`,
  /// which are over the finest unknowns, must outlive the cycle. Collective, like the other functions that compute.
  Cycle(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
        const linalg::GlobalSums<ExecutionSpace>& sums, const std::vector<MultigridLevel<ExecutionSpace>>& levels,
        const MultigridOptions& options);

  /// Without levels: call append() for those above the coarsest, [first, end), as make_hierarchy() finishes them, then
  /// finish(). With MultigridOptions::is_compact the levels may be released afterwards.
  Cycle(const comm::ProcessGroup<ExecutionSpace>& group, const linalg::GlobalSums<ExecutionSpace>& sums,
        const MultigridOptions& options);
  void append(const ExecutionSpace& exec, const std::vector<MultigridLevel<ExecutionSpace>>& levels, std::size_t first,
              std::size_t end);
  void finish(const ExecutionSpace& exec, const std::vector<MultigridLevel<ExecutionSpace>>& levels);

  /// Shares the matrices of a cycle for one vector, and allocates separate vectors; for one process. The object of sums
  /// must outlive the cycle.
  Cycle(const ExecutionSpace& exec, const Cycle<ExecutionSpace, Value>& one);

  /// z = M^-1 r, for r of any magnitude whose square is in the range of doubles. Does not wait.
  void apply(const ExecutionSpace& exec, const const_wide_type& r, const wide_type& z) const;
  /// The same for one vector whose squared norm is known; also computes the product of both.
  void apply_dot(const ExecutionSpace& exec, const const_wide_type& r, const wide_type& z,
                 const ResidualProducts<ExecutionSpace>& products) const;

  /// Full multigrid: solves A x = b on the coarsest level, and on each finer one interpolates and performs a cycle for
  /// the residual in double precision. With geometric levels the error is below that of the discretisation if the
  /// solution is smooth. `levels` are those of the constructor; with MultigridOptions::is_compact the residual is
  /// computed with the rounded matrices of the cycle, with the original row sums. May allocate and wait.
  void start(const ExecutionSpace& exec, const std::vector<MultigridLevel<ExecutionSpace>>& levels,
             const const_wide_type& b, const wide_type& x) const;

  /// Memory of level l's arrays, in bytes, in addition to those of the hierarchy.
  std::int64_t bytes_of_level(std::size_t l) const;

  /// Minimum traffic of apply().
  linalg::Traffic traffic() const;

private:
  template <class, class, int> friend class Cycle;

  struct Level {
    linalg::SlicedMatrix<Value, Space> a; ///< E^-1 A - unit, with the E of MultigridLevel::scale()
    Value unit = 1;                       ///< 1 if E = D, otherwise 0
    linalg::SlicedMatrix<Value, Space> p;
    linalg::SlicedMatrix<Value, Space> r; ///< E_c^-1 P^T E, with the scale of the coarser level
    Array<float*, Space> lost_row_sum;    ///< change of the row sums of E^-1 A by rounding; empty unless compact
    double damping = 0.;                  ///< 1 / (bound of the eigenvalues of E^-1 A)
    vector_type b, x, y;                  ///< b is divided by the scale; with room for ghosts
    int n_visits = 1;                     ///< visits of the coarser level per visit of this one
    double correction = 1.;               ///< factor of the coarser level's correction
    bool is_distributed = false;
    std::vector<std::int64_t> offsets;                                      ///< as in MultigridLevel
    std::shared_ptr<const comm::Halo<ExecutionSpace>> halo, p_halo, r_halo; ///< for products with a, p and r
  };

  template <class Vector>
  void update(const ExecutionSpace& exec, const std::shared_ptr<const comm::Halo<ExecutionSpace>>& halo,
              const Vector& v) const {
    if constexpr (N == 1) // only one process supports several vectors
      if (halo)
        halo->update(exec, v);
  }
  void update(const ExecutionSpace& exec, const comm::Layout<ExecutionSpace>& columns, const wide_type& v) const {
    if constexpr (N == 1)
      columns.update(exec, v);
  }
  /// Appends a level without matrices, and adds the sources of A, P and P^T.
  void append_sources(const ExecutionSpace& exec, const MultigridLevel<ExecutionSpace>& from,
                      const MultigridLevel<ExecutionSpace>& coarse, std::vector<linalg::SliceSource<Space>>& sources);
  /// Allocates all vectors of n entries of a level at once.
  void add_vectors(const ExecutionSpace& exec, Level& level, index_t n, bool is_coarsest) const;
  /// The part of a level's vector that this process computes when it restricts or interpolates from or to a distributed
  /// level.
  template <class Vector> Vector owned_part(const std::vector<std::int64_t>& offsets, const Vector& v) const {
    const auto rank = static_cast<std::size_t>(group_.world->rank());
    return Kokkos::subview(v, std::make_pair(offsets[rank], offsets[rank + 1]));
  }
  /// Performs the smoother's steps; x is the current solution, in level.x on return.
  void smooth(const ExecutionSpace& exec, Level& level, bool from_zero, ChebyshevKind kind) const;
  /// `kind` applies to level l.
  void run(const ExecutionSpace& exec, std::size_t l, bool from_zero, ChebyshevKind kind = ChebyshevKind::best) const;
  /// run() for a level below another one, by recorded kernels where possible.
  void visit(const ExecutionSpace& exec, std::size_t l, bool from_zero) const;
  /// cycle_from() by recorded kernels, with the result in result_.
  void run_recorded(const ExecutionSpace& exec, std::size_t l) const;
  void scale_finest(const ExecutionSpace& exec, const MultigridLevel<ExecutionSpace>& finest);
  void start_from_copies(const ExecutionSpace& exec, const const_wide_type& b, const wide_type& x) const;
  /// A cycle for r divided by the square root of rr, which may be null; returns the array of its solution.
  vector_type solution_for(const ExecutionSpace& exec, const const_wide_type& r, const double* rr) const;
  /// Computes rr_.
  void set_norm(const ExecutionSpace& exec, const const_wide_type& r) const;
  /// A cycle from level l, for the right-hand side in its b; returns the array of its solution.
  vector_type cycle_from(const ExecutionSpace& exec, std::size_t l, ChebyshevKind kind = ChebyshevKind::best) const;

  MultigridOptions options_;
  comm::ProcessGroup<ExecutionSpace> group_;
  const linalg::GlobalSums<ExecutionSpace>& sums_;
  double scale_ = 1.;                  ///< factor that brings the finest right-hand side to order 1
  Array<Value*, Space> inverse_scale_; ///< of the finest level's equations, multiplied by scale_
  ReduceWorkspace<ExecutionSpace> workspace_;
  linalg::Vector<ExecutionSpace> rr_;               ///< for single precision, which uses r / ||r||: (r, r) of each
                                                    ///< vector
  mutable std::vector<Level> levels_;               ///< mutable because of their vectors
  Array<Value*, Space> inverse_;                    ///< of the coarsest matrix, multiplied by its diagonal, row by row
  mutable vector_type result_;                      ///< of the cycle of the recorded kernels
  mutable RecordedKernels<ExecutionSpace> kernels_; ///< of recorded_level_ and coarser levels
  std::size_t recorded_level_ = 0;                  ///< the finest level whose kernels, and exchanges if any, are
                                                    ///< recorded
};

} // namespace tessera::solvers

#endif
