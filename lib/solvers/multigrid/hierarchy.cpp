// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/hierarchy.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "linalg/crs_product.hpp"
#include "solvers/diagonal.hpp"
#include "solvers/multigrid/aggregation.hpp"

namespace tessera::solvers {

namespace {

/// Writes the diagonal; the largest row sum of absolute values over the diagonal entry.
template <class Space> struct BoundRows {
  linalg::CrsMatrix<Space> a;
  Array<double*, Space> diagonal;
  KOKKOS_FUNCTION void operator()(index_t i, double& largest) const {
    double sum = 0.;
    double own = 0.;
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k) {
      sum += a.values(k) < 0. ? -a.values(k) : a.values(k);
      if (a.columns(k) == i)
        own = a.values(k);
    }
    diagonal(i) = own;
    const double bound = sum / own;
    largest = bound > largest ? bound : largest;
  }
};

template <class ExecutionSpace>
void bound_level(const ExecutionSpace& exec, MultigridLevel<typename ExecutionSpace::memory_space>& level,
                 std::size_t number) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = level.a.n_rows();
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>> rows(exec, 0, n);
  level.eigenvalue_bound = 1.;
  Kokkos::parallel_reduce("tessera::solvers::bound_rows", rows, BoundRows<Space>{level.a, level.diagonal},
                          Kokkos::Max<double>(level.eigenvalue_bound));
  const std::int64_t first = first_unusable_entry(exec, linalg::ConstVector<ExecutionSpace>(level.diagonal));
  TESSERA_REQUIRE_KIND(first >= n, ErrorKind::numerical,
                       "Preconditioner multigrid: the diagonal entry of unknown "
                           << first << " on level " << number
                           << " is not positive; the matrix is not positive definite.");
}

} // namespace

template <class ExecutionSpace>
std::vector<MultigridLevel<typename ExecutionSpace::memory_space>>
make_hierarchy(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
               const std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>& given,
               const MultigridOptions& options) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<MultigridLevel<Space>> levels(1);
  levels[0].a = a;
  double threshold = options.strength;
  for (;;) {
    MultigridLevel<Space>& fine = levels.back();
    const std::size_t number = levels.size() - 1;
    const index_t n = fine.a.n_rows();
    fine.diagonal = make_array<Array<double*, Space>>(exec, "solvers::level_diagonal", n);
    bound_level(exec, fine, number);
    if (n <= options.coarsest_size)
      break;
    index_t n_coarse = 0;
    if (number < given.size()) {
      fine.prolongation = given[number].matrix;
      n_coarse = given[number].n_coarse;
      fine.is_geometric = true;
    } else {
      const auto aggregates =
          make_aggregates(exec, fine.a, linalg::ConstVector<ExecutionSpace>(fine.diagonal), threshold);
      n_coarse = aggregates.n_aggregates;
      if (n_coarse == 0 || n_coarse > 0.9 * n)
        break;
      fine.prolongation = smoothed_prolongation(exec, fine.a, linalg::ConstVector<ExecutionSpace>(fine.diagonal),
                                                aggregates, threshold);
      threshold *= 0.5;
    }
    fine.restriction = linalg::transposed(exec, fine.prolongation, n_coarse);
    const auto a_times_p = linalg::product(exec, fine.a, fine.prolongation);
    MultigridLevel<Space> coarse;
    coarse.a = linalg::product(exec, fine.restriction, a_times_p);
    if (options.keeps_products)
      fine.a_times_p = a_times_p;
    else
      keep_alive(exec, a_times_p);
    levels.push_back(coarse);
  }
  TESSERA_REQUIRE_KIND(levels.back().a.n_rows() <= options.largest_direct, ErrorKind::numerical,
                       "Preconditioner multigrid: level "
                           << levels.size() - 1 << " still has " << levels.back().a.n_rows()
                           << " unknowns and gets no coarser: too few of them are coupled. Use jacobi.");
  return levels;
}

template <class ExecutionSpace>
void renew_hierarchy(const ExecutionSpace& exec,
                     std::vector<MultigridLevel<typename ExecutionSpace::memory_space>>& levels) {
  bound_level(exec, levels[0], 0);
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const auto& fine = levels[l - 1];
    auto a_times_p = fine.a_times_p;
    if (a_times_p.n_rows() > 0)
      linalg::renew_product(exec, fine.a, fine.prolongation, a_times_p);
    else
      a_times_p = linalg::product(exec, fine.a, fine.prolongation);
    linalg::renew_product(exec, fine.restriction, a_times_p, levels[l].a);
    bound_level(exec, levels[l], l); // waits
  }
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::vector<MultigridLevel<Space::memory_space>> make_hierarchy(                                            \
      const Space&, const linalg::CrsMatrix<Space::memory_space>&,                                                     \
      const std::vector<linalg::Prolongation<Space::memory_space>>&, const MultigridOptions&);                         \
  template void renew_hierarchy(const Space&, std::vector<MultigridLevel<Space::memory_space>>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
