// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/modal/modal_agglomerates.hpp"

#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/math.hpp"
#include "core/kokkos_ext/spaces.hpp"

#include <type_traits>

namespace tessera::fe {

namespace {

template <int Dim, class Space> struct SurroundElements {
  ModalSpace<Dim, Space> space;
  linalg::CrsMatrix<Space> children;
  Array<double* [2][Dim], Space> boxes;
  Array<int*, Space> degrees;
  KOKKOS_FUNCTION void operator()(index_t a) const {
    const index_t first = children.columns(children.offsets(a));
    double box[2][Dim];
    for (int d = 0; d < Dim; ++d)
      for (int side = 0; side < 2; ++side)
        box[side][d] = space.boxes(first, side, d);
    int degree = space.degrees(first);
    for (offset_t k = children.offsets(a) + 1; k < children.offsets(a + 1); ++k) {
      const index_t e = children.columns(k);
      for (int d = 0; d < Dim; ++d) {
        box[0][d] = space.boxes(e, 0, d) < box[0][d] ? space.boxes(e, 0, d) : box[0][d];
        box[1][d] = space.boxes(e, 1, d) > box[1][d] ? space.boxes(e, 1, d) : box[1][d];
      }
      degree = space.degrees(e) < degree ? space.degrees(e) : degree;
    }
    for (int d = 0; d < Dim; ++d)
      for (int side = 0; side < 2; ++side)
        boxes(a, side, d) = box[side][d];
    degrees(a) = degree;
  }
};

/// Copies an entry of the boxes of elements from or to a vector.
template <int Dim, class Space> struct CopyCorner {
  Array<double* [2][Dim], Space> boxes;
  int side;
  int d;
  Array<double*, Space> values;
  bool to_boxes;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (to_boxes)
      boxes(e, side, d) = values(e);
    else
      values(e) = boxes(e, side, d);
  }
};

/// Data of elements. `exchange(values)` completes a vector of doubles or integers whose owned entries are set.
template <int Dim, class ExecutionSpace> struct Elements {
  Array<double* [2][Dim], ExecutionSpace> boxes;
  Array<int*, ExecutionSpace> degrees;

  Elements(const ExecutionSpace& exec, index_t n)
      : boxes(make_array<decltype(boxes)>(exec, "fe::agglomerate_boxes", n)),
        degrees(make_array<decltype(degrees)>(exec, "fe::agglomerate_degrees", n)) {}

  template <class Exchange> void exchange_all(const ExecutionSpace& exec, const Exchange& exchange) const {
    const auto n = static_cast<index_t>(degrees.extent(0));
    const auto values = make_array<Array<double*, ExecutionSpace>>(exec, "fe::corners", n);
    for (int side = 0; side < 2; ++side)
      for (int d = 0; d < Dim; ++d) {
        CopyCorner<Dim, typename ExecutionSpace::memory_space> corner{boxes, side, d, values, false};
        for_each("tessera::fe::copy_corners", exec, n, corner);
        exchange(values);
        corner.to_boxes = true;
        for_each("tessera::fe::copy_corners", exec, n, corner);
      }
    exchange(degrees);
    keep_alive(exec, values);
  }

  /// Like `from`, but for these elements.
  ModalSpace<Dim, typename ExecutionSpace::memory_space>
  make_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& from,
             const comm::Communicator& world) const {
    auto space = make_modal_space<Dim>(exec, boxes, degrees, from.time);
    space.from = from.from;
    space.to = from.to;
    share_extremes(exec, world, space);
    return space;
  }
};

/// Copies the data of elements, from `first` on, to positions from `position` on.
template <int Dim, class Space> struct CopyElements {
  ModalSpace<Dim, Space> from;
  index_t first;
  index_t position;
  Array<double* [2][Dim], Space> boxes;
  Array<int*, Space> degrees;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    degrees(position + e) = from.degrees(first + e);
    for (int d = 0; d < Dim; ++d)
      for (int side = 0; side < 2; ++side)
        boxes(position + e, side, d) = from.boxes(first + e, side, d);
  }
};

/// Sets the block of an element.
template <int Dim, class Space> struct ExpandPolynomials {
  ModalSpace<Dim, Space> space;
  ModalSpace<Dim, Space> coarse;
  linalg::BlockTransfer<Space> p;

  static constexpr int n_factors = max_modal_degree<Dim> + 1;

  /// Computes c[k][l], the coefficient of P_l(x) in P_k(a x + b), by (k + 1) P_{k+1} = (2 k + 1) (a x + b) P_k - k
  /// P_{k-1} and x P_l = ((l + 1) P_{l+1} + l P_{l-1}) / (2 l + 1); then scales it to the orthonormal polynomials.
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
    if (agglomerate == static_cast<index_t>(coarse.degrees.extent(0)))
      return; // a ghost without a block
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
                   const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& children,
                   const comm::Layout<ExecutionSpace>& agglomerates, const comm::Communicator& world) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_ASSERT(space.largest_steps == 1);
  const Elements<Dim, ExecutionSpace> coarse(exec, agglomerates.size());
  for_each("tessera::fe::surround_elements", exec, agglomerates.n_owned,
           SurroundElements<Dim, Space>{space, children, coarse.boxes, coarse.degrees});
  if (agglomerates.is_distributed()) // each exchange copies a corner of the boxes
    coarse.exchange_all(exec, [&](const auto& values) { agglomerates.update(exec, values); });
  return coarse.make_space(exec, space, world);
}

template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
space_with_ghosts(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                  index_t first_owned, const comm::Layout<ExecutionSpace>& elements, const comm::Communicator& world) {
  const Elements<Dim, ExecutionSpace> all(exec, elements.size());
  for_each("tessera::fe::copy_elements", exec, elements.n_owned,
           CopyElements<Dim, typename ExecutionSpace::memory_space>{space, first_owned, 0, all.boxes, all.degrees});
  all.exchange_all(exec, [&](const auto& values) { elements.update(exec, values); });
  return all.make_space(exec, space, world);
}

template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
gathered_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
               const comm::Shares<ExecutionSpace>& shares) {
  const auto rank = static_cast<std::size_t>(shares.group.world->rank());
  const auto first = static_cast<index_t>(shares.offsets[rank]);
  const Elements<Dim, ExecutionSpace> all(exec, static_cast<index_t>(shares.offsets.back()));
  for_each("tessera::fe::copy_elements", exec, static_cast<index_t>(shares.offsets[rank + 1]) - first,
           CopyElements<Dim, typename ExecutionSpace::memory_space>{space, 0, first, all.boxes, all.degrees});
  all.exchange_all(exec, [&](const auto& values) {
    shares.group.all_gather_parts(exec, values.data(), shares.offsets,
                                  sizeof(typename std::decay_t<decltype(values)>::value_type));
  });
  return all.make_space(exec, space, comm::alone());
}

template <int Dim, class ExecutionSpace>
linalg::BlockTransfer<typename ExecutionSpace::memory_space>
make_modal_transfer(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                    const ModalSpace<Dim, typename ExecutionSpace::memory_space>& coarse,
                    const Array<index_t*, ExecutionSpace>& agglomerate_of, index_t n_owned,
                    const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& children) {
  using Space = typename ExecutionSpace::memory_space;
  const auto sizes_of = [](const ModalSpace<Dim, Space>& of) {
    return linalg::BlockSizes<Space>{of.dof_offsets, of.largest_size, of.is_uniform};
  };
  const auto transfer =
      linalg::make_block_transfer(exec, agglomerate_of, n_owned, children, sizes_of(space), sizes_of(coarse));
  for_each("tessera::fe::expand_polynomials", exec, space.n_elements(),
           ExpandPolynomials<Dim, Space>{space, coarse, transfer});
  return transfer;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template ModalSpace<DIM, SPACE::memory_space> agglomerated_space<DIM, SPACE>(                                        \
      const SPACE&, const ModalSpace<DIM, SPACE::memory_space>&, const linalg::CrsMatrix<SPACE::memory_space>&,        \
      const comm::Layout<SPACE>&, const comm::Communicator&);                                                          \
  template ModalSpace<DIM, SPACE::memory_space> space_with_ghosts<DIM, SPACE>(                                         \
      const SPACE&, const ModalSpace<DIM, SPACE::memory_space>&, index_t, const comm::Layout<SPACE>&,                  \
      const comm::Communicator&);                                                                                      \
  template ModalSpace<DIM, SPACE::memory_space> gathered_space<DIM, SPACE>(                                            \
      const SPACE&, const ModalSpace<DIM, SPACE::memory_space>&, const comm::Shares<SPACE>&);                          \
  template linalg::BlockTransfer<SPACE::memory_space> make_modal_transfer<DIM, SPACE>(                                 \
      const SPACE&, const ModalSpace<DIM, SPACE::memory_space>&, const ModalSpace<DIM, SPACE::memory_space>&,          \
      const Array<index_t*, SPACE>&, index_t, const linalg::CrsMatrix<SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::fe
