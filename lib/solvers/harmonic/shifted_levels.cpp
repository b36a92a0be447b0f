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
  return make_shifted_levels<ExecutionSpace>(exec, {}, linalg::GlobalSums<ExecutionSpace>::local(), {0, a.size()},
                                             comm::Layout<ExecutionSpace>::local(a.size()), a, std::move(given),
                                             options, guide);
}

template <class ExecutionSpace>
ShiftedLevels<ExecutionSpace>
make_shifted_levels(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                    const linalg::GlobalSums<ExecutionSpace>& sums, const std::vector<std::int64_t>& offsets,
                    const comm::Layout<ExecutionSpace>& columns,
                    const ShiftedMatrix<typename ExecutionSpace::memory_space>& a, GivenLevels<ExecutionSpace> given,
                    const MultigridOptions& options,
                    const Array<double*, typename ExecutionSpace::memory_space>& guide) {
  using Space = typename ExecutionSpace::memory_space;
  const bool has_guide = guide.extent(0) > 0;
  const FinestRows<ExecutionSpace> finest{{a.k.offsets, a.k.columns, has_guide ? guide : a.k.values}, offsets, columns};
  MultigridOptions keeping = options; // the patterns of the products serve M, too
  keeping.keeps_products = true;
  const auto of_guide = make_hierarchy<ExecutionSpace>(exec, group, finest, std::move(given), keeping);

  const auto sums_of = [&](const MultigridLevel<ExecutionSpace>& level, const linalg::CrsMatrix<Space>& matrix,
                           std::int64_t n_rows) {
    const auto n_entries = static_cast<double>(matrix.n_entries());
    return linalg::sums_of_rows(n_rows, level.is_distributed() ? group.world->added(n_entries) : n_entries);
  };
  std::vector<ShiftedMatrix<Space>> matrices{a};
  std::vector<linalg::CrsMatrix<Space>> in_use;
  std::vector<linalg::SliceSource<Space>> transfers;
  for (std::size_t l = 0; l + 1 < of_guide.size(); ++l) {
    const auto& fine = of_guide[l];
    const auto& pattern = of_guide[l + 1].a; // of both products
    const auto n_entries = pattern.columns.extent(0);
    const auto coarse_values = [&](const linalg::CrsMatrix<Space>& matrix) -> Array<double*, Space> {
      if (fine.is_distributed()) {
        const auto shared = shared_product(exec, group, fine, matrix, of_guide[l + 1]);
        in_use.push_back(shared);
        return shared.values;
      }
      const linalg::CrsMatrix<Space> coarse{
          pattern.offsets, pattern.columns,
          make_array<Array<double*, Space>>(exec, "solvers::level_values", n_entries)};
      linalg::renew_product(exec, matrix, fine.prolongation, fine.a_times_p); // whose values are not needed any more
      linalg::renew_product(exec, fine.restriction, fine.a_times_p, coarse);
      return coarse.values;
    };
    ShiftedMatrix<Space> coarse{{pattern.offsets, pattern.columns, pattern.values}, {}};
    if (has_guide)
      coarse.k.values = coarse_values(matrices[l].k);
    coarse.m = coarse_values(matrices[l].mass());
    matrices.push_back(coarse);
    transfers.push_back({fine.prolongation, {}, sums_of(fine, fine.prolongation, fine.n_unknowns())});
    transfers.push_back({fine.restriction, {}, sums_of(fine, fine.restriction, of_guide[l + 1].n_unknowns())});
  }

  ShiftedLevels<ExecutionSpace> result;
  result.group = group;
  result.degree = options.degree;
  result.k_unit = linalg::unit_of<ExecutionSpace>(exec, linalg::ConstVector<ExecutionSpace>(a.k.values), sums);
  result.m_unit = linalg::unit_of<ExecutionSpace>(exec, linalg::ConstVector<ExecutionSpace>(a.m), sums);
  result.coarsest = matrices.back();
  std::vector<int> n_sums;
  for (const auto& level : of_guide)
    n_sums.push_back(sums_of(level, level.a, level.n_unknowns()));
  const auto rows = make_shifted_rows<float>(exec, matrices, result.k_unit, result.m_unit, n_sums);
  const auto sliced = linalg::make_sliced<float>(exec, transfers);
  int n_algebraic = 0;
  for (std::size_t l = 0; l < rows.size(); ++l) {
    typename ShiftedLevels<ExecutionSpace>::Level level;
    const auto& from = of_guide[l];
    level.a = rows[l];
    level.offsets = from.offsets;
    if (from.is_distributed()) {
      level.a_ghosts = {group, from.offsets, from.columns};
      level.r_ghosts = {group, from.offsets, from.restriction_columns};
      if (of_guide[l + 1].is_distributed())
        level.p_ghosts = {group, of_guide[l + 1].offsets, from.prolongation_columns};
    }
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
                                                    const Array<double*, Space::memory_space>&);                       \
  template ShiftedLevels<Space> make_shifted_levels(                                                                   \
      const Space&, const comm::ProcessGroup<Space>&, const linalg::GlobalSums<Space>&,                                \
      const std::vector<std::int64_t>&, const comm::Layout<Space>&, const ShiftedMatrix<Space::memory_space>&,         \
      GivenLevels<Space>, const MultigridOptions&, const Array<double*, Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
