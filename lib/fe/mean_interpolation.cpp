// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/mean_interpolation.hpp"

namespace tessera::fe {

namespace {

template <class Space, bool Adds> struct Means {
  ConstArray<const index_t* [2], Space> columns;
  ConstArray<const signed char* [2], Space> signs;
  index_t n_coarse;
  ConstArray<const double*, Space> x;
  Array<double*, Space> y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    for (int k = 0; k < 2; ++k) {
      const index_t column = columns(i, k);
      const double value = column < n_coarse ? x(column) : 0.;
      sum += signs.extent(0) > 0 && signs(i, k) < 0 ? -value : value;
    }
    y(i) = (Adds ? y(i) : 0.) + 0.5 * sum;
  }
};

/// A term of the transpose.
template <class Space> struct HalfTerms {
  ConstArray<const offset_t*, Space> pairs;
  ConstArray<const signed char* [2], Space> signs;
  ConstArray<const double*, Space> x;
  KOKKOS_FUNCTION double term(std::int64_t place) const {
    const offset_t pair = pairs(place);
    const auto i = static_cast<index_t>(pair / 2);
    const double value = 0.5 * x(i);
    return signs.extent(0) > 0 && signs(i, static_cast<int>(pair % 2)) < 0 ? -value : value;
  }
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t place, double (&sum)[1]) const { sum[0] = term(place); }
};

template <class Space> struct SumRows {
  HalfTerms<Space> terms;
  ConstArray<const offset_t*, Space> offsets;
  Array<double*, Space> y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    for (offset_t place = offsets(i); place < offsets(i + 1); ++place)
      sum += terms.term(place);
    y(i) = sum;
  }
};

} // namespace

template <class ExecutionSpace>
MeanInterpolation<ExecutionSpace>::MeanInterpolation(const ExecutionSpace& exec,
                                                     const Array<const index_t* [2], Space>& columns,
                                                     const Array<const signed char* [2], Space>& signs,
                                                     const DofKinds& coarse)
    : columns_(columns), signs_(signs), coarse_(coarse),
      rows_(graph::build_incidence(exec, Array<const index_t*, ExecutionSpace>(columns.data(), columns.size()), 2,
                                   Array<const index_t*, ExecutionSpace>(), coarse.n_free)) {
  if (coarse.n_tied() == 0)
    return;
  const auto starts =
      tessera::to_host(exec, Kokkos::subview(rows_.offsets, std::make_pair(coarse.n_regular, coarse.n_free + 1)));
  std::vector<Segment> segments;
  for (index_t t = 0; t < coarse.n_tied(); ++t)
    segments.push_back({starts(t), starts(t + 1), t});
  tied_ = SegmentedSums<ExecutionSpace>(exec, segments);
}

template <class ExecutionSpace>
void MeanInterpolation<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                              const vector_type& y) const {
  for_each("tessera::fe::interpolate_means", exec, n_rows(),
           Means<Space, false>{columns_, signs_, coarse_.n_free, x, y});
}

template <class ExecutionSpace>
void MeanInterpolation<ExecutionSpace>::add(const ExecutionSpace& exec, const const_vector_type& x,
                                            const vector_type& y) const {
  for_each("tessera::fe::add_means", exec, n_rows(), Means<Space, true>{columns_, signs_, coarse_.n_free, x, y});
}

template <class ExecutionSpace>
void MeanInterpolation<ExecutionSpace>::apply_transpose(const ExecutionSpace& exec, const const_vector_type& x,
                                                        const vector_type& y) const {
  const HalfTerms<Space> terms{rows_.pairs, signs_, x};
  for_each("tessera::fe::restrict_means", exec, coarse_.n_regular, SumRows<Space>{terms, rows_.offsets, y});
  tied_.sum("tessera::fe::restrict_tied", exec, terms, y.data() + coarse_.n_regular);
}

template <class ExecutionSpace> linalg::Traffic MeanInterpolation<ExecutionSpace>::traffic() const {
  return {16. * n_rows() + (8. + sizeof(offset_t)) * n_cols(), 3. * n_rows()};
}

template <class ExecutionSpace> std::int64_t MeanInterpolation<ExecutionSpace>::bytes() const {
  return static_cast<std::int64_t>(columns_.span() * sizeof(index_t) + signs_.span() +
                                   (rows_.offsets.span() + rows_.pairs.span()) * sizeof(offset_t));
}

#define TESSERA_INSTANTIATE(Space) template class MeanInterpolation<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::fe
