// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_REGION_VALUES_IMPL_HPP
#define TESSERA_PHYSICS_REGION_VALUES_IMPL_HPP

/// \file
/// Definition of region_values() of physics/derived.hpp: included only by the generated instantiations.

#include "physics/derived_impl.hpp"

namespace tessera::physics {

namespace detail {

enum class RegionSum { measure, value, energy };

/// A sum over the elements of each region.
template <class Form> struct SumRegion {
  static constexpr int Dim = Form::dimension;
  using rule = fe::ErrorQuadrature<Dim>;
  Form form;
  ConstArray<const double*, typename Form::memory_space> nodal;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  RegionSum what;

  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(elements(i));
    LocalField<Form> local(form, e, nodal);
    if (what == RegionSum::energy) {
      term[0] = form.energy(e, local.n, local.u);
      return;
    }
    term[0] = 0.;
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double fraction = rule::point(q, lambda);
      local.move_to(lambda);
      const double weight = fraction * local.map.measure * form.integral_weight(local.map, lambda);
      term[0] += what == RegionSum::measure ? weight : weight * local.value(lambda);
    }
  }
};

/// Smallest and largest value at the nodes of a region.
template <class Form> struct NodalExtremes {
  using Reducer = Kokkos::MinMax<double>;
  Form form;
  ConstArray<const double*, typename Form::memory_space> nodal;
  Array<const std::int64_t*, typename Form::memory_space> elements;

  KOKKOS_FUNCTION void operator()(std::int64_t i, typename Reducer::value_type& result) const {
    index_t n[Form::n_nodes];
    form.nodes(static_cast<index_t>(elements(i)), n);
    for (int a = 0; a < Form::n_nodes; ++a) {
      const double u = nodal(n[a]);
      result.min_val = u < result.min_val ? u : result.min_val;
      result.max_val = u > result.max_val ? u : result.max_val;
    }
  }
};

/// Largest square of the vector field, or of the flux, at quadrature points of a region.
template <class Form> struct LargestField {
  static constexpr int Dim = Form::dimension;
  using rule = fe::ErrorQuadrature<Dim>;
  Form form;
  ConstArray<const double*, typename Form::memory_space> nodal;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  bool of_flux;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    const auto e = static_cast<index_t>(elements(i));
    LocalField<Form> local(form, e, nodal);
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      rule::point(q, lambda);
      local.move_to(lambda);
      double v[Dim];
      local.vector(form, e, lambda, v);
      if (of_flux)
        flux_of(form, e, v);
      double square = 0.;
      for (int d = 0; d < Dim; ++d)
        square += v[d] * v[d];
      largest = square > largest ? square : largest;
    }
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<RegionValues> region_values(const ExecutionSpace& exec, const Form& form,
                                        const Array<const double*, ExecutionSpace>& nodal,
                                        const Array<const group_t*, ExecutionSpace>& regions, index_t n_regions) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  using Extremes = detail::NodalExtremes<Form>;
  const auto groups = group_items(exec, form.n_elements(), n_regions,
                                  detail::RegionOfElement<typename ExecutionSpace::memory_space>{regions}, "regions");
  const Array<const std::int64_t*, ExecutionSpace> elements = groups.items;
  std::vector<RegionValues> values(static_cast<std::size_t>(n_regions));
  std::vector<Segment> segments;
  for (index_t r = 0; r < n_regions; ++r)
    segments.push_back({groups.host_starts[r], groups.host_starts[r + 1], r});
  const SegmentedSums<ExecutionSpace> sums(exec, segments);
  const auto result = make_array<Array<double*, ExecutionSpace>>(exec, "physics::region_sums", n_regions);
  const auto sum = [&](detail::RegionSum what, double RegionValues::*entry) {
    sums.sum("tessera::physics::region_sums", exec, detail::SumRegion<Form>{form, nodal, elements, what},
             result.data());
    const auto host = to_host(exec, result);
    for (std::size_t r = 0; r < values.size(); ++r)
      values[r].*entry = host(r);
  };
  sum(detail::RegionSum::measure, &RegionValues::measure);
  sum(detail::RegionSum::value, &RegionValues::integral);
  sum(detail::RegionSum::energy, &RegionValues::energy);
  for (std::size_t r = 0; r < values.size(); ++r) {
    const Policy range(exec, segments[r].begin, segments[r].end);
    if (segments[r].begin == segments[r].end)
      continue;
    typename Extremes::Reducer::value_type extremes;
    Kokkos::parallel_reduce("tessera::physics::region_extremes", range, Extremes{form, nodal, elements},
                            typename Extremes::Reducer(extremes));
    values[r].smallest = extremes.min_val;
    values[r].largest = extremes.max_val;
    for (const bool of_flux : {false, true}) {
      double square = 0.;
      Kokkos::parallel_reduce("tessera::physics::region_field", range,
                              detail::LargestField<Form>{form, nodal, elements, of_flux}, Kokkos::Max<double>(square));
      (of_flux ? values[r].largest_flux : values[r].largest_field) = std::sqrt(square);
    }
  }
  return values;
}

} // namespace tessera::physics

#endif
