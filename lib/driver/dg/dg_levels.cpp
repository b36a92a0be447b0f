// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_levels.hpp"

#include "core/keep_alive.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "fe/modal/modal_agglomerates.hpp"
#include "linalg/blocks/block_galerkin.hpp"
#include "linalg/distributed/distributed_blocks.hpp"
#include "linalg/distributed/row_exchange.hpp"
#include "solvers/multigrid/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace tessera::driver {

namespace {

/// Maximum number of unknowns of a level solved by its dense inverse: those of some elements of high degree.
constexpr index_t coarsest_unknowns = 256;

/// Strength of the coupling of elements: P^T A P for constants; for pure diffusion these are the integrals of the
/// penalty over the interfaces, which include the direction of anisotropic coefficients.
template <class Space> struct CoupleConstants {
  linalg::BlockCrsMatrix<Space> a;
  bool is_single; // precision of its values
  Array<double*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (offset_t b = a.row_offsets(i); b < a.row_offsets(i + 1); ++b) {
      const offset_t first = a.value_offsets(b);
      values(b) = is_single ? a.single_values(first) : a.values(first);
    }
  }
};

/// From P^T A P and the same with half the penalty: the coarser matrix with `factor` times the penalty, and with half
/// of that.
template <class Space> struct WeakenPenalty {
  double factor;
  Array<double*, Space> whole;
  Array<double*, Space> halved;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double penalty = 2. * (whole(i) - halved(i));
    const double rest = whole(i) - penalty;
    whole(i) = rest + factor * penalty;
    halved(i) = rest + 0.5 * factor * penalty;
  }
};

/// Global indices of the first unknowns of owned elements.
template <class Space> struct NumberUnknowns {
  std::uint64_t first;
  Array<const index_t*, Space> dof_offsets;
  Array<std::uint64_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t e) const { numbers(e) = first + static_cast<std::uint64_t>(dof_offsets(e)); }
};

template <class ExecutionSpace> struct Renumber {
  comm::GhostsMoved<ExecutionSpace> moved;
  Array<const index_t*, ExecutionSpace> from;
  Array<index_t*, ExecutionSpace> to; // may be the same array
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to(k) = moved(from(k)); }
};

template <class ExecutionSpace> struct Agglomerates {
  Array<index_t*, ExecutionSpace> of;                                ///< global indices, for owned elements and ghosts
  std::vector<std::int64_t> offsets;                                 ///< of the distribution over processes
  linalg::CrsMatrix<typename ExecutionSpace::memory_space> children; ///< elements of owned agglomerates
};

template <class ExecutionSpace, class T>
Array<std::remove_const_t<T>*, ExecutionSpace> copy_of(const ExecutionSpace& exec, const char* label,
                                                       const Array<T*, ExecutionSpace>& values) {
  const auto copied = make_array<Array<std::remove_const_t<T>*, ExecutionSpace>>(exec, label, values.extent(0));
  Kokkos::deep_copy(exec, copied, values);
  return copied;
}

template <int Dim, class ExecutionSpace>
Agglomerates<ExecutionSpace> make_agglomerates(const ExecutionSpace& exec, const DgLevel<Dim, ExecutionSpace>& level,
                                               double strength) {
  using Space = typename ExecutionSpace::memory_space;
  linalg::CrsMatrix<Space> couplings;
  couplings.offsets = level.a.row_offsets;
  couplings.columns = level.a.columns;
  couplings.values = make_array<Array<double*, Space>>(exec, "driver::couplings_of_constants", level.a.n_blocks());
  for_each("tessera::driver::couple_constants", exec, level.elements.n_owned,
           CoupleConstants<Space>{level.a, level.a.is_single(), couplings.values});
  const auto aggregates = solvers::make_aggregates<ExecutionSpace>(exec, level.shares.group, couplings, level.elements,
                                                                   strength, solvers::LoneVertices::alone);
  keep_alive(exec, couplings);
  return {aggregates.aggregate_of, aggregates.offsets, {}};
}

/// Threshold of strong couplings on the finest level, halved on each coarser one.
constexpr double finest_strength = 0.08;

/// Lists the elements of owned agglomerates; those of other processes become ghosts of the level, and of the transfer
/// from the finer level if there is one.
template <int Dim, class ExecutionSpace>
void add_children(const ExecutionSpace& exec, DgLevel<Dim, ExecutionSpace>& level,
                  Agglomerates<ExecutionSpace>& agglomerates,
                  linalg::BlockTransfer<typename ExecutionSpace::memory_space>* from_finer) {
  const auto& group = level.shares.group;
  const auto owned_members = linalg::memberships<ExecutionSpace>(
      exec, Kokkos::subview(agglomerates.of, std::make_pair(index_t(0), level.elements.n_owned)));
  const auto members = linalg::transposed(exec, group, level.shares.offsets, agglomerates.offsets, owned_members);
  agglomerates.children = members.rows;
  keep_alive(exec, owned_members, members);
  if (!level.elements.is_distributed()) // there are no ghosts to add
    return;
  agglomerates.children = linalg::with_global_columns(exec, members.columns, members.rows);
  const auto moved = comm::add_ghosts(exec, level.shares, comm::ghosts_on_host(exec, members.columns), level.elements);
  comm::to_local_indices(exec, level.elements, agglomerates.children.columns);
  const auto of = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::agglomerates", level.elements.size());
  const auto owned = std::make_pair(index_t(0), level.elements.n_owned);
  copy(exec, Kokkos::subview(of, owned), Kokkos::subview(agglomerates.of, owned));
  level.elements.update(exec, of);

  const auto columns = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::level_columns", level.a.n_blocks());
  for_each<std::int64_t>("tessera::driver::move_ghosts", exec, static_cast<std::int64_t>(level.a.n_blocks()),
                         Renumber<ExecutionSpace>{moved, level.a.columns, columns});
  level.space = fe::space_with_ghosts<Dim, ExecutionSpace>(exec, level.space, 0, level.elements, *group.world);
  level.a.columns = level.halved.columns = columns;
  level.a.dof_offsets = level.halved.dof_offsets =
      copy_of<ExecutionSpace, const index_t>(exec, "driver::level_unknowns", level.space.dof_offsets);
  if (from_finer != nullptr) {
    for_each<std::int64_t>("tessera::driver::move_ghosts", exec, from_finer->n_owned,
                           Renumber<ExecutionSpace>{moved, from_finer->coarse_of, from_finer->coarse_of});
    from_finer->coarse_dof_offsets = level.a.dof_offsets;
  }
  keep_alive(exec, moved, agglomerates);
  agglomerates.of = of;
}

/// The level in the form that a cycle needs.
template <int Dim, class ExecutionSpace>
solvers::BlockLevel<ExecutionSpace> level_of_cycle(const ExecutionSpace& exec,
                                                   const DgLevel<Dim, ExecutionSpace>& level) {
  const auto& group = level.shares.group;
  if (!level.elements.is_distributed())
    return solvers::BlockLevel<ExecutionSpace>::whole(level.a);
  solvers::BlockLevel<ExecutionSpace> result;
  result.a = level.a;
  result.offsets = group.world->offsets_of(level.a.n_unknowns);
  const index_t n_owned = level.elements.n_owned;
  const auto numbers =
      make_array<Array<std::uint64_t*, ExecutionSpace>>(exec, "driver::numbers_of_unknowns", level.elements.size());
  const auto first = static_cast<std::uint64_t>(result.offsets[static_cast<std::size_t>(group.world->rank())]);
  for_each("tessera::driver::number_unknowns", exec, n_owned,
           NumberUnknowns<typename ExecutionSpace::memory_space>{first, level.a.dof_offsets, numbers});
  level.elements.update(exec, numbers);
  const auto ghosts = std::make_pair(n_owned, level.elements.size());
  const auto begins = to_host(exec, Kokkos::subview(numbers, ghosts));
  const auto offsets =
      to_host(exec, Kokkos::subview(level.a.dof_offsets, std::make_pair(ghosts.first, ghosts.second + 1)));
  std::vector<std::int64_t> unknowns;
  for (std::size_t i = 0; i < begins.extent(0); ++i)
    for (index_t k = 0; k < offsets(i + 1) - offsets(i); ++k)
      unknowns.push_back(static_cast<std::int64_t>(begins(i)) + k);
  result.unknowns = comm::make_layout(exec, group, result.offsets, unknowns);
  return result;
}

/// All rows of a level's matrix.
template <int Dim, class ExecutionSpace>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space> whole_matrix(const ExecutionSpace& exec,
                                                                           const DgLevel<Dim, ExecutionSpace>& level) {
  const auto space = fe::gathered_space<Dim, ExecutionSpace>(exec, level.space, level.shares);
  const auto unknowns = copy_of<ExecutionSpace, const index_t>(exec, "driver::level_unknowns", space.dof_offsets);
  keep_alive(exec, space);
  return linalg::gathered_blocks<ExecutionSpace>(exec, level.shares, level.elements, level.a, unknowns);
}

/// Replicates a level in each process, and extends the transfer to all of its unknowns.
template <int Dim, class ExecutionSpace>
void gather(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& agglomerate_of,
            solvers::BlockLevel<ExecutionSpace>& finer, DgLevel<Dim, ExecutionSpace>& level) {
  const auto space = fe::gathered_space<Dim, ExecutionSpace>(exec, level.space, level.shares);
  const auto unknowns = copy_of<ExecutionSpace, const index_t>(exec, "driver::level_unknowns", space.dof_offsets);
  level.a = linalg::gathered_blocks<ExecutionSpace>(exec, level.shares, level.elements, level.a, unknowns);
  level.halved = linalg::gathered_blocks<ExecutionSpace>(exec, level.shares, level.elements, level.halved, unknowns);
  finer.p.coarse_of = agglomerate_of;
  finer.p.coarse_dof_offsets = unknowns;
  finer.p.first_owned_coarse = level.elements.first;
  for (const std::int64_t element : level.shares.offsets)
    finer.coarse_offsets.push_back(read_entry(exec, unknowns, static_cast<index_t>(element)));
  const auto n = static_cast<index_t>(level.shares.offsets.back());
  keep_alive(exec, level.space);
  level.space = space;
  level.shares = {{}, {0, n}};
  level.elements = comm::Layout<ExecutionSpace>::local(n);
}

template <int Dim, class ExecutionSpace> std::int64_t n_unknowns_of_all(const DgLevel<Dim, ExecutionSpace>& level) {
  return static_cast<std::int64_t>(level.shares.group.world->added(level.a.n_unknowns));
}

/// Factor for the penalty sigma ~ 1 / h: larger than the ratio of the sizes, as agglomerates of irregular shape need
/// more to be coercive, and 1 for high degrees. The correction of a function with jumps grows by up to the inverse of
/// the factor: by less than 2 if W-cycles repeat the correction, which would otherwise not be positive definite.
template <int Dim>
double penalty_factor(std::int64_t n_fine, std::int64_t n_coarse, int degree, solvers::MultigridCycle cycle) {
  constexpr double for_shape = 1.25;
  constexpr int highest_weakened_degree = 4;
  const double factor = for_shape * std::pow(static_cast<double>(n_coarse) / static_cast<double>(n_fine), 1. / Dim);
  return degree > highest_weakened_degree
             ? 1.
             : std::min(1., cycle == solvers::MultigridCycle::W ? std::max(0.6, factor) : factor);
}

} // namespace

template <int Dim, class ExecutionSpace>
std::vector<solvers::BlockLevel<ExecutionSpace>> make_dg_levels(const ExecutionSpace& exec,
                                                                DgLevel<Dim, ExecutionSpace> level,
                                                                const solvers::MultigridOptions& options) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<solvers::BlockLevel<ExecutionSpace>> levels;
  for (double strength = finest_strength;; strength *= 0.5) {
    Agglomerates<ExecutionSpace> agglomerates;
    bool is_coarsest = n_unknowns_of_all(level) <= coarsest_unknowns;
    if (!is_coarsest) {
      agglomerates = make_agglomerates(exec, level, strength);
      is_coarsest = agglomerates.offsets.back() >= level.shares.offsets.back(); // true if nothing is coupled
    }
    if (!is_coarsest)
      add_children(exec, level, agglomerates, levels.empty() ? nullptr : &levels.back().p);
    levels.push_back(level_of_cycle(exec, level));
    if (is_coarsest) {
      if (levels.back().is_distributed() && levels.back().is_solved())
        levels.back().whole_a = whole_matrix(exec, level);
      break;
    }
    solvers::BlockLevel<ExecutionSpace>& finer = levels.back();
    const auto& group = level.shares.group;
    auto pattern = linalg::make_galerkin_pattern(exec, level.shares, level.elements, agglomerates.offsets, level.a,
                                                 agglomerates.of, agglomerates.children);
    DgLevel<Dim, ExecutionSpace> coarse;
    coarse.shares = {group, agglomerates.offsets};
    coarse.elements = pattern.coarse;
    coarse.space = fe::agglomerated_space<Dim, ExecutionSpace>(exec, level.space, agglomerates.children, pattern.coarse,
                                                               *group.world);
    const auto agglomerate_of =
        copy_of<ExecutionSpace, index_t>(exec, "driver::agglomerates_of_process", agglomerates.of);
    comm::to_local_indices(exec, pattern.coarse, agglomerate_of);
    finer.p = fe::make_modal_transfer<Dim, ExecutionSpace>(exec, level.space, coarse.space, agglomerate_of,
                                                           level.elements.n_owned, agglomerates.children);
    coarse.halved = linalg::make_galerkin_matrix(exec, pattern, finer.p);
    linalg::multiply_galerkin(exec, pattern, level.halved, finer.p, coarse.halved);
    level.halved = {}; // its memory is reused by the next ones
    coarse.a = coarse.halved;
    coarse.a.values = make_array<Array<double*, Space>>(exec, "driver::galerkin_values", coarse.a.n_values());
    linalg::multiply_galerkin(exec, pattern, level.a, finer.p, coarse.a);
    stream("tessera::driver::weaken_penalty", exec, coarse.a.n_values(),
           WeakenPenalty<Space>{penalty_factor<Dim>(level.shares.offsets.back(), agglomerates.offsets.back(),
                                                    level.space.largest_degree, options.cycle),
                                coarse.a.values, coarse.halved.values});
    keep_alive(exec, level, pattern, agglomerates);
    if (coarse.elements.is_distributed() &&
        n_unknowns_of_all(coarse) <= std::max(options.replicated_size, coarsest_unknowns))
      gather(exec, agglomerates.of, finer, coarse);
    level = coarse;
  }
  keep_alive(exec, level);
  return levels;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template std::vector<solvers::BlockLevel<SPACE>> make_dg_levels<DIM, SPACE>(const SPACE&, DgLevel<DIM, SPACE>,       \
                                                                              const solvers::MultigridOptions&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::driver
