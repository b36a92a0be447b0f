// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/mean_couplings.hpp"

#include <cmath>

namespace tessera::assembly::dg {

namespace {

/// Couplings are between those of the penalty and this share of them: where elements surround one another their centres
/// tell nothing of the distance between them.
constexpr double least_share = 1e-4;

template <int Dim, class Space> struct CoupleMeans {
  linalg::BlockCrsMatrix<Space> a;
  fe::ModalSpace<Dim, Space> space;
  Array<double*, Space> values;
  bool is_single; ///< of the blocks' values

  KOKKOS_FUNCTION double entry(offset_t at) const { return is_single ? a.single_values(at) : a.values(at); }
  KOKKOS_FUNCTION double width(index_t e, int d) const { return space.boxes(e, 1, d) - space.boxes(e, 0, d); }

  KOKKOS_FUNCTION double coupling(index_t i, index_t j, offset_t first) const {
    const double penalty = -entry(first);
    const int rows = space.size(i);
    if (rows <= Dim || space.size(j) <= Dim || !(penalty > 0.))
      return penalty > 0. ? penalty : 0.;
    // x - c of a box of width h is h / (2 sqrt(3)) times basis function 1 + d.
    const double scale = 0.5 / std::sqrt(3.);
    double along = 0.;
    double square = 0.;
    for (int d = 0; d < Dim; ++d) {
      const double of_j = entry(first + static_cast<offset_t>(1 + d) * rows) * (scale * width(j, d));
      const double of_i = entry(first + 1 + d) * (scale * width(i, d));
      const double distance =
          0.5 * (space.boxes(j, 0, d) + space.boxes(j, 1, d)) - 0.5 * (space.boxes(i, 0, d) + space.boxes(i, 1, d));
      along += (of_i - of_j + penalty * distance) * distance;
      square += distance * distance;
    }
    const double flux = square > 0. ? along / square : penalty;
    return flux < least_share * penalty ? least_share * penalty : flux < penalty ? flux : penalty;
  }

  KOKKOS_FUNCTION void operator()(index_t i) const {
    double diagonal = 0.;
    double sum = 0.;
    offset_t own = 0;
    for (offset_t b = a.row_offsets(i); b < a.row_offsets(i + 1); ++b) {
      const index_t j = a.columns(b);
      const offset_t first = a.value_offsets(b);
      sum += entry(first);
      if (j == i) {
        own = b;
        continue;
      }
      values(b) = -coupling(i, j, first);
      diagonal -= values(b);
    }
    const double rounding = 1e-12 * entry(a.value_offsets(own));
    values(own) = diagonal + (sum > rounding ? sum : 0.);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
mean_couplings(const ExecutionSpace& exec, const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
               const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space) {
  using Space = typename ExecutionSpace::memory_space;
  linalg::CrsMatrix<Space> means;
  means.offsets = a.row_offsets;
  means.columns = a.columns;
  means.values = make_array<decltype(means.values)>(exec, "assembly::dg::mean_couplings", a.n_blocks());
  for_each("tessera::assembly::dg::couple_means", exec, a.n_block_rows(),
           CoupleMeans<Dim, Space>{a, space, means.values, a.is_single()});
  return means;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template linalg::CrsMatrix<SPACE::memory_space> mean_couplings<SPACE, DIM>(                                          \
      const SPACE&, const linalg::BlockCrsMatrix<SPACE::memory_space>&,                                                \
      const fe::ModalSpace<DIM, SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
