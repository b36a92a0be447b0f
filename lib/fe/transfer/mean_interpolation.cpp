// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/transfer/mean_interpolation.hpp"

#include "core/keep_alive.hpp"
#include "linalg/distributed/owned_first.hpp"

#include <algorithm>

namespace tessera::fe {

namespace {

template <class Space, bool Adds> struct TakeMeans {
  Array<const index_t*, Space> columns;
  Array<const signed char*, Space> signs;
  index_t n_owned;
  index_t n_reached; // including ghosts
  Array<const double*, Space> x;
  Array<const double*, Space> ghosts;
  Array<double*, Space> y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    for (int k = 0; k < 2; ++k) {
      const std::int64_t position = std::int64_t(2) * i + k;
      const index_t column = columns(position);
      const double value = column < n_owned ? x(column) : column < n_reached ? ghosts(column - n_owned) : 0.;
      sum += signs.extent(0) > 0 && signs(position) < 0 ? -value : value;
    }
    y(i) = (Adds ? y(i) : 0.) + 0.5 * sum;
  }
};

/// A term of the transpose.
template <class Space> struct HalfTerms {
  Array<const offset_t*, Space> pairs;
  Array<const signed char*, Space> signs;
  index_t n_owned;
  Array<const double*, Space> x;
  Array<const double*, Space> ghosts;
  KOKKOS_FUNCTION double term(std::int64_t position) const {
    const offset_t pair = pairs(position);
    const auto i = static_cast<index_t>(pair / 2);
    const double value = 0.5 * (i < n_owned ? x(i) : ghosts(i - n_owned));
    return signs.extent(0) > 0 && signs(pair) < 0 ? -value : value;
  }
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t position, double (&sum)[1]) const { sum[0] = term(position); }
};

template <class Space> struct SumRows {
  HalfTerms<Space> terms;
  Array<const offset_t*, Space> offsets;
  Array<double*, Space> y;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    for (offset_t position = offsets(i); position < offsets(i + 1); ++position)
      sum += terms.term(position);
    y(i) = sum;
  }
};

/// Numbers coarse unknowns starting from the first owned one.
struct FromFirst {
  const index_t* columns;
  index_t first;
  index_t* from_first;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { from_first[k] = columns[k] - first; }
};

/// Renumbers the fine unknowns of pairs: owned first.
struct RenumberPairs {
  linalg::OwnedFirst owned;
  offset_t* pairs;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const offset_t pair = pairs[k];
    pairs[k] = 2 * static_cast<offset_t>(owned(static_cast<index_t>(pair / 2))) + pair % 2;
  }
};

/// Reorders the signs of fine unknowns accordingly.
struct ReorderSigns {
  linalg::OwnedFirst owned;
  const signed char* signs;
  signed char* owned_first;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (int k = 0; k < 2; ++k)
      owned_first[std::int64_t(2) * owned(i) + k] = signs[std::int64_t(2) * i + k];
  }
};

/// The pairs of owned coarse unknowns, in global order, with local indices.
template <class ExecutionSpace>
graph::Incidence<typename ExecutionSpace::memory_space>
owned_pairs(const ExecutionSpace& exec, const Means<ExecutionSpace>& means, index_t first_coarse, index_t n_coarse) {
  if (first_coarse == 0)
    return graph::build_incidence<ExecutionSpace>(exec, means.columns, 2, {}, n_coarse);
  const auto from_first = make_array<Array<index_t*, ExecutionSpace>>(exec, "fe::mean_rows", means.columns.extent(0));
  for_each<std::int64_t>("tessera::fe::mean_rows", exec, from_first.extent(0),
                         FromFirst{means.columns.data(), first_coarse, from_first.data()});
  const auto pairs = graph::build_incidence<ExecutionSpace>(exec, from_first, 2, {}, n_coarse);
  keep_alive(exec, from_first);
  return pairs;
}

} // namespace

template <class ExecutionSpace>
MeanInterpolation<ExecutionSpace>::MeanInterpolation(const ExecutionSpace& exec, const Means<ExecutionSpace>& means,
                                                     const DofKinds& coarse)
    : fine_(comm::make_layout(exec, means.fine.group, means.fine.offsets, means.others)) {
  const auto n_below = std::lower_bound(means.others.begin(), means.others.end(), fine_.first) - means.others.begin();
  const linalg::OwnedFirst owned{static_cast<index_t>(n_below), fine_.n_owned};
  Array<index_t*, ExecutionSpace> owned_columns = Kokkos::subview(
      means.columns, std::make_pair(std::int64_t(2) * owned.first, std::int64_t(2) * (owned.first + owned.n_owned)));
  coarse_ = comm::number_owned_first<ExecutionSpace>(exec, means.fine.group, means.coarse_offsets, {&owned_columns});
  columns_ = owned_columns;
  signs_ = means.signs;
  rows_ = owned_pairs(exec, means, coarse_.first, coarse_.n_owned);
  fine_ghosts_ = make_array<vector_type>(exec, "fe::fine_ghosts", fine_.n_ghosts());
  coarse_ghosts_ = make_array<vector_type>(exec, "fe::coarse_ghosts", coarse_.n_ghosts());
  if (owned.first > 0) // otherwise the owned ones are first already
    for_each<std::int64_t>("tessera::fe::renumber_pairs", exec, rows_.pairs.extent(0),
                           RenumberPairs{owned, rows_.pairs.data()});
  if (owned.first > 0 && means.signs.extent(0) > 0) {
    const auto owned_first = make_array<Array<signed char*, Space>>(exec, "fe::mean_signs", means.signs.extent(0));
    for_each("tessera::fe::reorder_signs", exec, fine_.size(),
             ReorderSigns{owned, means.signs.data(), owned_first.data()});
    signs_ = owned_first;
    keep_alive(exec, means.signs);
  }
  n_regular_ = std::min(std::max(coarse.n_regular - coarse_.first, 0), coarse_.n_owned);
  if (n_regular_ == coarse_.n_owned)
    return;
  const auto starts =
      tessera::to_host(exec, Kokkos::subview(rows_.offsets, std::make_pair(n_regular_, coarse_.n_owned + 1)));
  std::vector<Segment> segments;
  for (index_t t = 0; t < coarse_.n_owned - n_regular_; ++t)
    segments.push_back({starts(t), starts(t + 1), t});
  tied_ = SegmentedSums<ExecutionSpace>(exec, segments);
}

template <class ExecutionSpace>
void MeanInterpolation<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                              const vector_type& y) const {
  coarse_.receive(exec, x, coarse_ghosts_);
  for_each("tessera::fe::interpolate_means", exec, n_rows(),
           TakeMeans<Space, false>{columns_, signs_, coarse_.n_owned, coarse_.size(), x, coarse_ghosts_, y});
}

template <class ExecutionSpace>
void MeanInterpolation<ExecutionSpace>::add(const ExecutionSpace& exec, const const_vector_type& x,
                                            const vector_type& y) const {
  coarse_.receive(exec, x, coarse_ghosts_);
  for_each("tessera::fe::add_means", exec, n_rows(),
           TakeMeans<Space, true>{columns_, signs_, coarse_.n_owned, coarse_.size(), x, coarse_ghosts_, y});
}

template <class ExecutionSpace>
void MeanInterpolation<ExecutionSpace>::apply_transpose(const ExecutionSpace& exec, const const_vector_type& x,
                                                        const vector_type& y) const {
  fine_.receive(exec, x, fine_ghosts_);
  const HalfTerms<Space> terms{rows_.pairs, signs_, fine_.n_owned, x, fine_ghosts_};
  for_each("tessera::fe::restrict_means", exec, n_regular_, SumRows<Space>{terms, rows_.offsets, y});
  tied_.sum("tessera::fe::restrict_tied", exec, terms, y.data() + n_regular_);
}

template <class ExecutionSpace> linalg::Traffic MeanInterpolation<ExecutionSpace>::traffic() const {
  return {16. * n_rows() + (8. + sizeof(offset_t)) * n_cols(), 3. * n_rows()};
}

template <class ExecutionSpace> std::int64_t MeanInterpolation<ExecutionSpace>::bytes() const {
  return static_cast<std::int64_t>(columns_.span() * sizeof(index_t) + signs_.span() +
                                   (rows_.offsets.span() + rows_.pairs.span()) * sizeof(offset_t) +
                                   (fine_ghosts_.span() + coarse_ghosts_.span()) * sizeof(double));
}

#define TESSERA_INSTANTIATE(Space) template class MeanInterpolation<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::fe
