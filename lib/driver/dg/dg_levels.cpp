// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_levels.hpp"

#include "core/keep_alive.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/scan.hpp"
#include "core/tagged_loop.hpp"
#include "fe/modal_agglomerates.hpp"
#include "solvers/multigrid/aggregation.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace {

/// Unknowns up to which a level is solved by its dense inverse: those of some elements of high degree.
constexpr index_t coarsest_unknowns = 256;

/// How strongly elements are coupled: P^T A P for constants, of pure diffusion the integrals of the penalty over their
/// interfaces, which know the direction of anisotropic coefficients.
template <class Space> struct CoupleConstants {
  linalg::BlockCrsMatrix<Space> a;
  bool is_single; // its values
  Array<double*, Space> values;
  Array<double*, Space> diagonal;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (offset_t b = a.row_offsets(i); b < a.row_offsets(i + 1); ++b) {
      const offset_t first = a.value_offsets(b);
      values(b) = is_single ? a.single_values(first) : a.values(first);
      if (a.columns(b) == i)
        diagonal(i) = values(b);
    }
  }
};

/// Makes an agglomerate of each element that is in none.
template <class Space> struct AddLone {
  Array<index_t*, Space> agglomerate_of;
  Array<index_t*, Space> numbers; // of lone elements, after the others
  index_t n_others;
  struct Mark {};
  struct Add {};
  KOKKOS_FUNCTION void operator()(Mark, index_t e) const { numbers(e) = agglomerate_of(e) < 0 ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(Add, index_t e) const {
    if (agglomerate_of(e) < 0)
      agglomerate_of(e) = n_others + numbers(e);
  }
};

/// From P^T A P and the same of half the penalty: the coarser matrix with `factor` times the penalty, and with half of
/// that.
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

template <class ExecutionSpace> struct Agglomerates {
  Array<index_t*, ExecutionSpace> of;
  index_t n = 0;
};

template <class ExecutionSpace>
Agglomerates<ExecutionSpace> make_agglomerates(const ExecutionSpace& exec,
                                               const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                                               double strength) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = a.n_block_rows();
  linalg::CrsMatrix<Space> couplings;
  couplings.offsets = a.row_offsets;
  couplings.columns = a.columns;
  couplings.values = make_array<Array<double*, Space>>(exec, "driver::couplings_of_constants", a.n_blocks());
  const auto diagonal = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::diagonal_of_constants", n);
  for_each("tessera::driver::couple_constants", exec, n,
           CoupleConstants<Space>{a, a.is_single(), couplings.values, diagonal});
  const auto aggregates = solvers::make_aggregates<ExecutionSpace>(
      exec, {}, couplings, linalg::all_own<ExecutionSpace>(n), diagonal, strength);
  const auto n_others = static_cast<index_t>(aggregates.offsets.back());
  const AddLone<Space> lone{aggregates.aggregate_of,
                            make_array<Array<index_t*, Space>>(exec, "driver::lone_elements", n + 1), n_others};
  for_each_tagged<typename AddLone<Space>::Mark>("tessera::driver::mark_lone_elements", exec, n, lone);
  const std::int64_t n_lone = counts_to_offsets(exec, lone.numbers, n, "agglomerates");
  if (n_lone > 0)
    for_each_tagged<typename AddLone<Space>::Add>("tessera::driver::add_lone_elements", exec, n, lone);
  keep_alive(exec, couplings, diagonal, lone);
  return {aggregates.aggregate_of, n_others + static_cast<index_t>(n_lone)};
}

/// What becomes of the penalty sigma ~ 1 / h: more than the ratio of the sizes, for agglomerates of irregular shape
/// need more to be coercive, and with high degrees the whole. A function with jumps is corrected by up to its inverse:
/// by less than 2 where W-cycles repeat the correction, else they would not be positive definite.
template <int Dim> double penalty_factor(index_t n_fine, index_t n_coarse, int degree, solvers::MultigridCycle cycle) {
  constexpr double for_shape = 1.25;
  constexpr int highest_weakened_degree = 4;
  const double factor = for_shape * std::pow(static_cast<double>(n_coarse) / n_fine, 1. / Dim);
  return degree > highest_weakened_degree
             ? 1.
             : std::min(1., cycle == solvers::MultigridCycle::W ? std::max(0.6, factor) : factor);
}

} // namespace

template <class ExecutionSpace, int Dim>
std::vector<solvers::BlockLevel<typename ExecutionSpace::memory_space>>
make_dg_levels(const ExecutionSpace& exec, const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
               const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
               const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& halved,
               const solvers::MultigridOptions& options) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<solvers::BlockLevel<Space>> levels{{a, {}}};
  fe::ModalSpace<Dim, Space> level_space = space;
  linalg::BlockCrsMatrix<Space> level_halved = halved;
  double strength = options.strength;
  while (levels.back().a.n_unknowns > coarsest_unknowns) {
    solvers::BlockLevel<Space>& level = levels.back();
    const auto agglomerates = make_agglomerates(exec, level.a, strength);
    const index_t n = level_space.n_elements();
    if (agglomerates.n >= n)
      break; // nothing is coupled
    const auto coarse = fe::agglomerated_space<Dim, ExecutionSpace>(exec, level_space, agglomerates.of, agglomerates.n);
    level.p = fe::make_modal_transfer<Dim, ExecutionSpace>(exec, level_space, coarse, agglomerates.of);
    linalg::BlockCrsMatrix<Space> whole = linalg::make_galerkin_pattern(exec, level.a, level.p);
    linalg::BlockCrsMatrix<Space> half = whole;
    half.values = make_array<Array<double*, Space>>(exec, "driver::halved_galerkin_values", whole.n_values());
    linalg::multiply_galerkin(exec, level.a, level.p, whole);
    linalg::multiply_galerkin(exec, level_halved, level.p, half);
    stream("tessera::driver::weaken_penalty", exec, whole.n_values(),
           WeakenPenalty<Space>{penalty_factor<Dim>(n, agglomerates.n, space.largest_degree, options.cycle),
                                whole.values, half.values});
    keep_alive(exec, level_space, level_halved);
    level_space = coarse;
    level_halved = half;
    levels.push_back({whole, {}});
    strength *= 0.5;
  }
  keep_alive(exec, level_space, level_halved);
  return levels;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template std::vector<solvers::BlockLevel<SPACE::memory_space>> make_dg_levels<SPACE, DIM>(                           \
      const SPACE&, const fe::ModalSpace<DIM, SPACE::memory_space>&,                                                   \
      const linalg::BlockCrsMatrix<SPACE::memory_space>&, const linalg::BlockCrsMatrix<SPACE::memory_space>&,          \
      const solvers::MultigridOptions&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::driver
