// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/shifted_levels.hpp"

#include "core/keep_alive.hpp"
#include "linalg/products/crs_product.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/multigrid/hierarchy.hpp"

#include <utility>

namespace tessera::solvers {

template <class ExecutionSpace> std::int64_t ShiftedLevels<ExecutionSpace>::bytes() const {
  std::int64_t sum = static_cast<std::int64_t>(coarsest.k.values.span() * 2 * sizeof(double));
  for (const Level& level : levels)
    sum += level.a.bytes() + level.p.bytes() + level.r.bytes();
  return sum;
}

template <class ExecutionSpace>
ShiftedLevels<ExecutionSpace> make_shifted_levels(const ExecutionSpace& exec,
                                                  const ShiftedMatrix<typename ExecutionSpace::memory_space>& a,
                                                  GivenLevels<ExecutionSpace> given, const MultigridOptions& options,
                                                  const Array<double*, typename ExecutionSpace::memory_space>& guide) {
  using Space = typename ExecutionSpace::memory_space;
  const bool has_guide = guide.extent(0) > 0;
  const FinestRows<ExecutionSpace> finest{{a.k.offsets, a.k.columns, has_guide ? guide : a.k.values},
                                          {0, a.size()},
                                          comm::Layout<ExecutionSpace>::local(a.size())};
  const auto of_guide = make_hierarchy<ExecutionSpace>(exec, {}, finest, std::move(given), options);

  std::vector<ShiftedMatrix<Space>> matrices{a};
  std::vector<linalg::CrsMatrix<Space>> in_use;
  std::vector<linalg::SliceSource<Space>> transfers;
  for (std::size_t l = 0; l + 1 < of_guide.size(); ++l) {
    const auto& fine = of_guide[l];
    const auto& pattern = of_guide[l + 1].a; // of both products
    const auto n_entries = pattern.columns.extent(0);
    const auto coarse_values = [&](const linalg::CrsMatrix<Space>& matrix) {
      const auto times_p = linalg::product(exec, matrix, fine.prolongation);
      const linalg::CrsMatrix<Space> coarse{
          pattern.offsets, pattern.columns,
          make_array<Array<double*, Space>>(exec, "solvers::level_values", n_entries)};
      linalg::renew_product(exec, fine.restriction, times_p, coarse);
      in_use.push_back(times_p);
      return coarse.values;
    };
    ShiftedMatrix<Space> coarse{{pattern.offsets, pattern.columns, pattern.values}, {}};
    if (has_guide)
      coarse.k.values = coarse_values(matrices[l].k);
    coarse.m = coarse_values(matrices[l].mass());
    matrices.push_back(coarse);
    for (const auto* matrix : {&fine.prolongation, &fine.restriction})
      transfers.push_back(
          {*matrix, {}, linalg::sums_of_rows(matrix->n_rows(), static_cast<double>(matrix->n_entries()))});
  }

  ShiftedLevels<ExecutionSpace> result;
  result.degree = options.degree;
  result.k_unit = linalg::unit_of<ExecutionSpace>(exec, linalg::ConstVector<ExecutionSpace>(a.k.values));
  result.m_unit = linalg::unit_of<ExecutionSpace>(exec, linalg::ConstVector<ExecutionSpace>(a.m));
  result.coarsest = matrices.back();
  const auto rows = make_shifted_rows<float>(exec, matrices, result.k_unit, result.m_unit);
  const auto sliced = linalg::make_sliced<float>(exec, transfers);
  int n_algebraic = 0;
  for (std::size_t l = 0; l < rows.size(); ++l) {
    typename ShiftedLevels<ExecutionSpace>::Level level;
    level.a = rows[l];
    if (l + 1 < rows.size()) {
      level.p = sliced[2 * l];
      level.r = sliced[2 * l + 1];
    }
    n_algebraic += of_guide[l].is_geometric ? 0 : 1;
    const bool is_repeated = options.cycle == MultigridCycle::W || (options.cycle == MultigridCycle::automatic &&
                                                                    !of_guide[l].is_geometric && n_algebraic <= 2);
    if (is_repeated && l + 2 < rows.size()) // the coarsest level is solved exactly
      level.n_visits = 2;
    result.levels.push_back(level);
  }
  keep_alive(exec, of_guide, matrices, in_use);
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template struct ShiftedLevels<Space>;                                                                                \
  template ShiftedLevels<Space> make_shifted_levels(const Space&, const ShiftedMatrix<Space::memory_space>&,           \
                                                    GivenLevels<Space>, const MultigridOptions&,                       \
                                                    const Array<double*, Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
