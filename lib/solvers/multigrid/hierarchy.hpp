// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_HIERARCHY_HPP
#define TESSERA_SOLVERS_MULTIGRID_HIERARCHY_HPP

/// \file
/// The matrices of multigrid.

#include "linalg/prolongation.hpp"
#include "solvers/multigrid/options.hpp"

#include <vector>

namespace tessera::solvers {

/// A level and the transfers to the next coarser one, which the coarsest does not have.
template <class MemorySpace> struct MultigridLevel {
  linalg::CrsMatrix<MemorySpace> a;
  Array<double*, MemorySpace> diagonal;
  double eigenvalue_bound = 0.; ///< of D^-1 A, by Gershgorin
  linalg::CrsMatrix<MemorySpace> prolongation;
  linalg::CrsMatrix<MemorySpace> restriction; ///< its transpose
  linalg::CrsMatrix<MemorySpace> a_times_p;   ///< empty unless MultigridOptions::keeps_products
  bool is_geometric = false;
};

/// Memory of a level's arrays.
template <class MemorySpace> std::int64_t bytes_of(const MultigridLevel<MemorySpace>& level) {
  const auto bytes = [](const linalg::CrsMatrix<MemorySpace>& matrix) {
    return matrix.offsets.span() * sizeof(offset_t) + matrix.columns.span() * sizeof(index_t) +
           matrix.values.span() * sizeof(double);
  };
  return static_cast<std::int64_t>(bytes(level.a) + bytes(level.prolongation) + bytes(level.restriction) +
                                   bytes(level.a_times_p) + level.diagonal.span() * sizeof(double));
}

/// Levels from the finest to the coarsest: by given prolongations as far as there are any, then by smoothed
/// aggregation, until a level has at most MultigridOptions::coarsest_size unknowns or does not get coarser. The
/// matrices are Galerkin products P^T A P. Throws an Error of kind numerical when a diagonal entry of a level is not
/// positive, or when the coarsest level stays too large to be solved directly.
template <class ExecutionSpace>
std::vector<MultigridLevel<typename ExecutionSpace::memory_space>>
make_hierarchy(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
               const std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>& given,
               const MultigridOptions& options);

/// Renews the matrices for new values of the finest one, with the same transfers.
template <class ExecutionSpace>
void renew_hierarchy(const ExecutionSpace& exec,
                     std::vector<MultigridLevel<typename ExecutionSpace::memory_space>>& levels);

} // namespace tessera::solvers

#endif
