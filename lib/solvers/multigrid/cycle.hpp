// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_CYCLE_HPP
#define TESSERA_SOLVERS_MULTIGRID_CYCLE_HPP

/// \file
/// One cycle through the levels, in single or double precision.

#include "core/kokkos_ext/recorded_kernels.hpp"
#include "linalg/global_sums.hpp"
#include "linalg/pack.hpp"
#include "linalg/sliced_matrix.hpp"
#include "solvers/multigrid/hierarchy.hpp"
#include "solvers/multigrid/smoother_factors.hpp"
#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

/// Approximates A^-1 by one cycle of multigrid, from zero. Symmetric positive definite if A is: the steps after the
/// coarser level are the transposes of those before it.
///
/// Smoother: Chebyshev polynomials (solvers/multigrid/smoother_factors.hpp), which need an upper bound of the
/// eigenvalues of D^-1 A alone; or damped Jacobi steps.
///
/// Of several processes each has its rows of distributed levels, and gets the ghosts of the vector that a product reads
/// just before it; levels below these run in every process alike. The same bits for any number of processes.
///
/// Traffic of a V-cycle with two steps: the matrix of each level four times, P and its transpose once, and some sixteen
/// vectors. For `N` vectors side by side (linalg/pack.hpp) the matrices are read once for all; each has the bits that
/// it has alone.
template <class ExecutionSpace, class Value, int N = 1> class Cycle {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Entry = linalg::EntryOf<Value, N>;
  using vector_type = Array<Entry*, Space>;
  using wide_type = linalg::MultiVector<N, ExecutionSpace>;
  using const_wide_type = linalg::ConstMultiVector<N, ExecutionSpace>;

  /// Copies the matrices of the levels, scaled with their diagonals. What the group and the sums, those of the finest
  /// unknowns, refer to must stay. Collective, like the other functions that compute.
  Cycle(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
        const linalg::GlobalSums<ExecutionSpace>& sums, const std::vector<MultigridLevel<ExecutionSpace>>& levels,
        const MultigridOptions& options);

  /// Without levels: append() those above the coarsest, [first, end), as make_hierarchy() finishes them, then finish().
  /// With MultigridOptions::is_compact these may be released afterwards.
  Cycle(const comm::Group<ExecutionSpace>& group, const linalg::GlobalSums<ExecutionSpace>& sums,
        const MultigridOptions& options);
  void append(const ExecutionSpace& exec, const std::vector<MultigridLevel<ExecutionSpace>>& levels, std::size_t first,
              std::size_t end);
  void finish(const ExecutionSpace& exec, const std::vector<MultigridLevel<ExecutionSpace>>& levels);

  /// With the matrices of a cycle for one vector, and vectors of its own; for one process. What sums refer to must
  /// stay.
  Cycle(const ExecutionSpace& exec, const Cycle<ExecutionSpace, Value>& one);

  /// z = M^-1 r, for r of any magnitude whose square is in the range of doubles. Does not wait.
  void apply(const ExecutionSpace& exec, const const_wide_type& r, const wide_type& z) const;
  /// The same for one vector whose square is known, with the product of both.
  void apply_dot(const ExecutionSpace& exec, const const_wide_type& r, const wide_type& z,
                 const ResidualProducts<ExecutionSpace>& products) const;

  /// Full multigrid: solves A x = b on the coarsest level, and on each finer one interpolates and runs a cycle, from
  /// its residual in double precision. With geometric levels the error is below that of the discretisation, as far as
  /// the solution is smooth. `levels` are those of the constructor; with MultigridOptions::is_compact the residual is
  /// that of the matrices that cycles read, rounded with their row sums kept. May allocate and wait.
  void start(const ExecutionSpace& exec, const std::vector<MultigridLevel<ExecutionSpace>>& levels,
             const const_wide_type& b, const wide_type& x) const;

  /// Memory of the arrays that level l has beside those of the hierarchy.
  std::int64_t bytes_of_level(std::size_t l) const;

  /// Minimum traffic of apply().
  linalg::Traffic traffic() const;

private:
  template <class, class, int> friend class Cycle;

  struct Level {
    linalg::SlicedMatrix<Value, Space> a; ///< D^-1 A without its diagonal of ones
    linalg::SlicedMatrix<Value, Space> p;
    linalg::SlicedMatrix<Value, Space> r; ///< D_c^-1 P^T D, with the diagonal of the coarser level
    Array<float*, Space> lost_row_sum;    ///< rounding has taken from the rows of D^-1 A; empty unless compact
    double damping = 0.;                  ///< 1 / (bound of the eigenvalues of D^-1 A)
    vector_type b, x, y;                  ///< b is divided by the diagonal; with room for ghosts
    int n_visits = 1;                     ///< of the coarser level, at each visit of this one
    bool is_distributed = false;
    std::vector<std::int64_t> offsets;                                      ///< as in MultigridLevel
    std::shared_ptr<const comm::Halo<ExecutionSpace>> halo, p_halo, r_halo; ///< for products with a, p and r
  };

  template <class Vector>
  void update(const ExecutionSpace& exec, const std::shared_ptr<const comm::Halo<ExecutionSpace>>& halo,
              const Vector& v) const {
    if constexpr (N == 1) // several vectors are of one process
      if (halo)
        halo->update(exec, v);
  }
  void update(const ExecutionSpace& exec, const linalg::OwnAndGhosts<ExecutionSpace>& columns,
              const wide_type& v) const {
    if constexpr (N == 1)
      columns.update(exec, v);
  }
  /// Appends a level without matrices, whose sources A, P and P^T are added.
  void append_sources(const ExecutionSpace& exec, const MultigridLevel<ExecutionSpace>& from,
                      const MultigridLevel<ExecutionSpace>& coarse, std::vector<linalg::SliceSource<Space>>& sources);
  /// Takes the memory of a level's vectors of n entries at once.
  void add_vectors(const ExecutionSpace& exec, Level& level, index_t n, bool is_coarsest) const;
  /// What of a level's vector this process computes when it restricts or interpolates from or to a distributed level.
  template <class Vector> Vector own_part(const std::vector<std::int64_t>& offsets, const Vector& v) const {
    const auto rank = static_cast<std::size_t>(group_.world->rank());
    return Kokkos::subview(v, std::make_pair(offsets[rank], offsets[rank + 1]));
  }
  /// Runs the smoother; x is the solution so far, and stands in level.x afterwards.
  void smooth(const ExecutionSpace& exec, Level& level, bool from_zero, ChebyshevKind kind) const;
  /// `kind` is that of level l.
  void run(const ExecutionSpace& exec, std::size_t l, bool from_zero, ChebyshevKind kind = ChebyshevKind::best) const;
  /// run() for a level below another one; where that is so by recorded kernels.
  void visit(const ExecutionSpace& exec, std::size_t l, bool from_zero) const;
  /// cycle_from() by recorded kernels, to result_.
  void run_recorded(const ExecutionSpace& exec, std::size_t l) const;
  void scale_finest(const ExecutionSpace& exec, const MultigridLevel<ExecutionSpace>& finest);
  void start_from_copies(const ExecutionSpace& exec, const const_wide_type& b, const wide_type& x) const;
  /// A cycle for r over the root of rr, which may be null; returns the array that holds its solution.
  vector_type solution_for(const ExecutionSpace& exec, const const_wide_type& r, const double* rr) const;
  /// Makes rr_.
  void set_norm(const ExecutionSpace& exec, const const_wide_type& r) const;
  /// A cycle from level l, for the right-hand side in its b; returns the array that holds its solution.
  vector_type cycle_from(const ExecutionSpace& exec, std::size_t l, ChebyshevKind kind = ChebyshevKind::best) const;

  MultigridOptions options_;
  comm::Group<ExecutionSpace> group_;
  const linalg::GlobalSums<ExecutionSpace>& sums_;
  double scale_ = 1.;                     ///< of the finest right-hand side: its magnitude is then of order 1
  Array<Value*, Space> inverse_diagonal_; ///< of the finest level, times the scale
  ReduceWorkspace<ExecutionSpace> workspace_;
  linalg::Vector<ExecutionSpace> rr_;               ///< single precision, which takes r / ||r||: (r, r) of each vector
  mutable std::vector<Level> levels_;               ///< mutable: their vectors
  Array<Value*, Space> inverse_;                    ///< of the coarsest matrix times its diagonal, row by row
  mutable vector_type result_;                      ///< of the cycle of the recorded kernels
  mutable RecordedKernels<ExecutionSpace> kernels_; ///< of recorded_level_ and those below
  std::size_t recorded_level_ = 0;                  ///< the finest whose exchanges, if any, can be recorded
};

} // namespace tessera::solvers

#endif
