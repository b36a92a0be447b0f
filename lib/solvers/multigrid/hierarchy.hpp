// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_HIERARCHY_HPP
#define TESSERA_SOLVERS_MULTIGRID_HIERARCHY_HPP

/// \file
/// The matrices of all multigrid levels.

#include "comm/layout.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "solvers/multigrid/given_levels.hpp"
#include "solvers/multigrid/options.hpp"

#include <functional>
#include <vector>

namespace tessera::solvers {

/// A level and the transfers to the next coarser one, which the coarsest level lacks. With several processes each has
/// its rows of the matrices of a distributed level, with columns numbered owned first; coarser levels are replicated.
template <class ExecutionSpace> struct MultigridLevel {
  using Space = typename ExecutionSpace::memory_space;
  using Matrix = linalg::CrsMatrix<Space>;
  using Columns = comm::Layout<ExecutionSpace>;

  std::vector<std::int64_t> offsets; ///< process r owns the unknowns [offsets[r], offsets[r + 1])
  Matrix a;
  std::int64_t n_entries = 0;     ///< of a
  Columns columns;                ///< of a
  Array<double*, Space> diagonal; ///< of the columns
  double eigenvalue_bound = 0.;   ///< of D^-1 A, from (weighted) row sums
  /// The diagonal times the bounds of the rows, for the same unknowns: E with E^-1 A <= 1, for the smoother. Empty if
  /// the diagonal times the bound of all rows is as good.
  Array<double*, Space> row_scale;
  Matrix prolongation;
  Columns prolongation_columns;
  Matrix restriction; ///< transpose of the prolongation
  Columns restriction_columns;
  Matrix a_times_p; ///< empty unless MultigridOptions::keeps_products
  bool is_geometric = false;
  bool is_merged = false; ///< the coarser level only merges tied pairs (solvers/multigrid/tied_pairs.hpp)

  bool is_distributed() const { return columns.is_distributed(); }
  /// What cycles divide the equations by.
  const Array<double*, Space>& scale() const { return row_scale.extent(0) > 0 ? row_scale : diagonal; }
  std::int64_t n_unknowns() const { return offsets.back(); } ///< of all processes

  /// Frees matrices and diagonal, which no queued kernel may use any more.
  void release() {
    a = prolongation = restriction = a_times_p = Matrix();
    diagonal = row_scale = Array<double*, Space>();
  }
};

/// Memory of a level's arrays in bytes.
template <class ExecutionSpace> std::int64_t bytes_of(const MultigridLevel<ExecutionSpace>& level) {
  const auto bytes = [](const auto& matrix) {
    return matrix.offsets.span() * sizeof(offset_t) + matrix.columns.span() * sizeof(index_t) +
           matrix.values.span() * sizeof(double);
  };
  return static_cast<std::int64_t>(bytes(level.a) + bytes(level.prolongation) + bytes(level.restriction) +
                                   bytes(level.a_times_p) +
                                   (level.diagonal.span() + level.row_scale.span()) * sizeof(double));
}

/// Levels with at most this many unknowns are replicated; the coarsest level always is.
inline index_t replicated_size(const MultigridOptions& options) {
  return options.replicated_size > options.largest_direct ? options.replicated_size : options.largest_direct;
}

/// The owned rows of a level's matrix, and the numbering of their columns.
template <class ExecutionSpace> struct FinestRows {
  linalg::CrsMatrix<typename ExecutionSpace::memory_space> a;
  std::vector<std::int64_t> offsets; ///< as in MultigridLevel
  comm::Layout<ExecutionSpace> columns;
};

/// Makes the matrix of the level below the finest directly, if it can be assembled from elements.
template <class ExecutionSpace> using SecondLevel = std::function<FinestRows<ExecutionSpace>(const ExecutionSpace&)>;

/// Makes the levels from the finest to the coarsest: first by given interpolations (of coarser meshes, or with
/// MultigridType::algebraic that of merged pairs; with MultigridType::automatic only if few unknowns are loosely
/// coupled to those of the first coarser level, and none of them nearly isolated in lines or surfaces, leaves_errors()
/// in hierarchy.cpp), then by smoothed aggregation, until a level has at most MultigridOptions::coarsest_size unknowns
/// or does not get coarser. The matrices are Galerkin products P^T A P: the same bits for any number of processes.
/// Throws an Error of kind numerical if a diagonal entry of a level is not positive, or if the coarsest level is too
/// large to be solved directly. Collective.
///
/// `finished(levels, l)` may release level l, which is no longer needed: its coarser level has its matrix and diagonal.
/// `second`, if the first given interpolation leads to that level, makes P^T A P of the finest matrix instead of the
/// products.
template <class ExecutionSpace>
std::vector<MultigridLevel<ExecutionSpace>> make_hierarchy(
    const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
    const FinestRows<ExecutionSpace>& finest, GivenLevels<ExecutionSpace> given, const MultigridOptions& options,
    const std::function<void(std::vector<MultigridLevel<ExecutionSpace>>& levels, std::size_t l)>& finished = nullptr,
    const SecondLevel<ExecutionSpace>& second = nullptr);

/// P^T A P for the interpolation of a level and any matrix with the pattern of the level's: its values are in the
/// places of those of the coarser level's matrix. With several processes; collective.
template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
shared_product(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
               const MultigridLevel<ExecutionSpace>& fine,
               const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
               const MultigridLevel<ExecutionSpace>& coarse);

/// Recomputes the matrices for new values of the finest one, with the same transfers and the same `second`. Collective.
template <class ExecutionSpace>
void renew_hierarchy(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                     std::vector<MultigridLevel<ExecutionSpace>>& levels,
                     const SecondLevel<ExecutionSpace>& second = nullptr);

} // namespace tessera::solvers

#endif
