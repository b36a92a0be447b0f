// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/tied_pairs.hpp"

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"

namespace tessera::solvers {

namespace {

constexpr double tied_share = 0.9; ///< of the geometric mean of both diagonal entries

/// The most negative entry of each row, and the diagonal. Minimum traffic: the matrix once.
template <class Space> struct FindPartner {
  linalg::CrsMatrix<Space> a;
  Array<index_t*, Space> partner; ///< -1: none
  Array<double*, Space> coupling;
  Array<double*, Space> diagonal;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double least = 0.;
    double own = 0.;
    index_t at = -1;
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k) {
      const index_t j = a.columns(k);
      const double value = a.values(k);
      if (j == i)
        own = value;
      else if (value < least) {
        least = value;
        at = j;
      }
    }
    partner(i) = at;
    coupling(i) = -least;
    diagonal(i) = own;
  }
};

/// 1 for unknowns that are the first ones of a pair or alone.
template <class Space> struct CountMerged {
  Array<const index_t*, Space> partner;
  Array<const double*, Space> coupling;
  Array<const double*, Space> diagonal;
  Array<index_t*, Space> other; ///< of the pair; the unknown itself if it is alone
  Array<index_t*, Space> is_first;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t j = partner(i);
    const bool is_tied = j >= 0 && partner(j) == i && diagonal(i) > 0. && diagonal(j) > 0. &&
                         coupling(i) * coupling(i) > tied_share * tied_share * diagonal(i) * diagonal(j);
    other(i) = is_tied ? j : i;
    is_first(i) = other(i) < i ? 0 : 1;
  }
};

template <class Space> struct FillMerged {
  Array<const index_t*, Space> other;
  Array<const index_t*, Space> number; ///< of first unknowns
  linalg::CrsMatrix<Space> to;
  index_t n;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    to.offsets(i) = i;
    to.columns(i) = number(other(i) < i ? other(i) : i);
    to.values(i) = 1.;
    if (i + 1 == n)
      to.offsets(n) = n;
  }
};

} // namespace

template <class ExecutionSpace>
linalg::Prolongation<typename ExecutionSpace::memory_space>
merge_tied_pairs(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = a.n_rows();
  const auto partner = make_array<Array<index_t*, Space>>(exec, "solvers::partner", n);
  const auto other = make_array<Array<index_t*, Space>>(exec, "solvers::other_of_pair", n);
  const auto coupling = make_array<Array<double*, Space>>(exec, "solvers::coupling_of_pair", n);
  const auto diagonal = make_array<Array<double*, Space>>(exec, "solvers::diagonal_of_pair", n);
  const auto number =
      make_array<Array<index_t*, Space>>(exec, "solvers::number_of_pair", static_cast<std::int64_t>(n) + 1);
  for_each("tessera::solvers::find_partner", exec, n, FindPartner<Space>{a, partner, coupling, diagonal});
  for_each("tessera::solvers::count_merged", exec, n, CountMerged<Space>{partner, coupling, diagonal, other, number});
  linalg::Prolongation<Space> merged;
  merged.n_coarse = static_cast<index_t>(counts_to_offsets(exec, number, n, "merged unknowns"));
  merged.matrix.offsets =
      make_array<Array<offset_t*, Space>>(exec, "solvers::merged_offsets", static_cast<std::int64_t>(n) + 1);
  merged.matrix.columns = make_array<Array<index_t*, Space>>(exec, "solvers::merged_columns", n);
  merged.matrix.values = make_array<Array<double*, Space>>(exec, "solvers::merged_values", n);
  for_each("tessera::solvers::fill_merged", exec, n, FillMerged<Space>{other, number, merged.matrix, n});
  keep_alive(exec, partner, other, coupling, diagonal, number);
  return merged;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template linalg::Prolongation<Space::memory_space> merge_tied_pairs(const Space&,                                    \
                                                                      const linalg::CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
