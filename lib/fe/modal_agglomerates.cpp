// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/modal_agglomerates.hpp"

#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/math.hpp"
#include "core/kokkos_ext/spaces.hpp"

#include <limits>

namespace tessera::fe {

namespace {

/// Extremes do not depend on the order, so that atomic ones are repeatable.
template <int Dim, class Space> struct AddToAgglomerates {
  ModalSpace<Dim, Space> space;
  Array<const index_t*, Space> agglomerate_of;
  Array<double* [2][Dim], Space> boxes;
  Array<int*, Space> degrees;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const index_t a = agglomerate_of(e);
    for (int d = 0; d < Dim; ++d) {
      Kokkos::atomic_fetch_min(&boxes(a, 0, d), space.boxes(e, 0, d));
      Kokkos::atomic_fetch_max(&boxes(a, 1, d), space.boxes(e, 1, d));
    }
    Kokkos::atomic_fetch_min(&degrees(a), space.degrees(e));
  }
};

template <int Dim, class Space> struct BeginAgglomerates {
  Array<double* [2][Dim], Space> boxes;
  Array<int*, Space> degrees;
  int largest_degree;
  double largest;
  KOKKOS_FUNCTION void operator()(index_t a) const {
    degrees(a) = largest_degree;
    for (int d = 0; d < Dim; ++d) {
      boxes(a, 0, d) = largest;
      boxes(a, 1, d) = -largest;
    }
  }
};

/// Sets the block of an element.
template <int Dim, class Space> struct ExpandPolynomials {
  ModalSpace<Dim, Space> space;
  ModalSpace<Dim, Space> coarse;
  linalg::BlockTransfer<Space> p;

  static constexpr int n_factors = max_modal_degree<Dim> + 1;

  /// c[k][l]: coefficient of P_l(x) in P_k(a x + b), by (k + 1) P_{k+1} = (2 k + 1) (a x + b) P_k - k P_{k-1} and
  /// x P_l = ((l + 1) P_{l+1} + l P_{l-1}) / (2 l + 1); then scaled to the orthonormal polynomials.
  KOKKOS_FUNCTION static void expand(int degree, double a, double b, double (&c)[n_factors][n_factors]) {
    for (int k = 0; k <= degree; ++k)
      for (int l = 0; l <= degree; ++l)
        c[k][l] = 0.;
    c[0][0] = 1.;
    for (int k = 0; k < degree; ++k)
      for (int l = 0; l <= k + 1; ++l) {
        double times_x = 0.;
        if (l > 0)
          times_x += l / (2. * l - 1.) * c[k][l - 1];
        if (l + 1 <= k)
          times_x += (l + 1.) / (2. * l + 3.) * c[k][l + 1];
        const double before = k > 0 ? c[k - 1][l] : 0.;
        c[k + 1][l] = ((2. * k + 1.) * (a * times_x + b * c[k][l]) - k * before) / (k + 1.);
      }
    for (int k = 0; k <= degree; ++k)
      for (int l = 0; l <= k; ++l)
        c[k][l] *= math::sqrt((2. * k + 1.) / (2. * l + 1.));
  }

  KOKKOS_FUNCTION void operator()(index_t e) const {
    const index_t agglomerate = p.coarse_of(e);
    const int degree = coarse.degrees(agglomerate);
    double c[Dim][n_factors][n_factors];
    for (int d = 0; d < Dim; ++d) {
      const double width = coarse.boxes(agglomerate, 1, d) - coarse.boxes(agglomerate, 0, d);
      expand(degree, (space.boxes(e, 1, d) - space.boxes(e, 0, d)) / width,
             ((space.boxes(e, 0, d) - coarse.boxes(agglomerate, 0, d)) +
              (space.boxes(e, 1, d) - coarse.boxes(agglomerate, 1, d))) /
                 width,
             c[d]);
    }
    const int n = space.size(e);
    const int width = coarse.size(agglomerate);
    double* const block = p.values.data() + p.value_offsets(e);
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < n; ++i) {
        double entry = space.indices(i, Dim) == coarse.indices(j, Dim) ? 1. : 0.;
        for (int d = 0; d < Dim; ++d) {
          const int k = coarse.indices(j, d);
          const int l = space.indices(i, d);
          entry *= l <= k ? c[d][k][l] : 0.;
        }
        block[j * n + i] = entry;
      }
  }
};

} // namespace

template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
agglomerated_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                   const Array<index_t*, ExecutionSpace>& agglomerate_of, index_t n_agglomerates) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_ASSERT(space.largest_steps == 1);
  const auto boxes = make_array<Array<double* [2][Dim], ExecutionSpace>>(exec, "fe::agglomerate_boxes", n_agglomerates);
  const auto degrees = make_array<Array<int*, ExecutionSpace>>(exec, "fe::agglomerate_degrees", n_agglomerates);
  for_each("tessera::fe::begin_agglomerates", exec, n_agglomerates,
           BeginAgglomerates<Dim, Space>{boxes, degrees, space.largest_degree, std::numeric_limits<double>::max()});
  for_each("tessera::fe::add_to_agglomerates", exec, space.n_elements(),
           AddToAgglomerates<Dim, Space>{space, agglomerate_of, boxes, degrees});
  ModalSpace<Dim, Space> coarse = make_modal_space<Dim>(exec, boxes, degrees, space.time);
  coarse.from = space.from;
  coarse.to = space.to;
  return coarse;
}

template <int Dim, class ExecutionSpace>
linalg::BlockTransfer<typename ExecutionSpace::memory_space>
make_modal_transfer(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                    const ModalSpace<Dim, typename ExecutionSpace::memory_space>& coarse,
                    const Array<index_t*, ExecutionSpace>& agglomerate_of) {
  using Space = typename ExecutionSpace::memory_space;
  const auto sizes_of = [](const ModalSpace<Dim, Space>& of) {
    return linalg::BlockSizes<Space>{of.dof_offsets, of.largest_size, of.is_uniform};
  };
  const auto transfer = linalg::make_block_transfer(exec, agglomerate_of, sizes_of(space), sizes_of(coarse));
  for_each("tessera::fe::expand_polynomials", exec, space.n_elements(),
           ExpandPolynomials<Dim, Space>{space, coarse, transfer});
  return transfer;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template ModalSpace<DIM, SPACE::memory_space> agglomerated_space<DIM, SPACE>(                                        \
      const SPACE&, const ModalSpace<DIM, SPACE::memory_space>&, const Array<index_t*, SPACE>&, index_t);              \
  template linalg::BlockTransfer<SPACE::memory_space> make_modal_transfer<DIM, SPACE>(                                 \
      const SPACE&, const ModalSpace<DIM, SPACE::memory_space>&, const ModalSpace<DIM, SPACE::memory_space>&,          \
      const Array<index_t*, SPACE>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::fe
