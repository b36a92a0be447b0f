// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_REGION_PHASORS_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_REGION_PHASORS_IMPL_HPP

/// \file
/// Definition of region_phasors(): included only by the generated instantiations.

#include "core/kokkos_ext/math.hpp"
#include "physics/fields/derived_impl.hpp"
#include "physics/fields/region_phasors.hpp"

namespace tessera::physics {

namespace detail {

enum class PhasorSum { measure, value, field, flux, magnitude };

/// A sum over the elements of each region, of one part of a solution, or of both for the magnitude.
template <class Form> struct SumPhasors {
  static constexpr int Dim = Form::dimension;
  using rule = fe::ErrorQuadrature<Dim>;
  using Nodal = Array<const double*, typename Form::memory_space>;
  Form form;
  Nodal nodal, other; // other: for the magnitude
  Array<const std::int64_t*, typename Form::memory_space> elements;
  PhasorSum what;
  int component; // of fields

  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(elements(i));
    LocalField<Form> local(form, e, nodal);
    term[0] = 0.;
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double fraction = rule::point(q, lambda);
      local.move_to(lambda);
      const double weight = fraction * local.map.measure * form.integral_weight(local.map, lambda);
      term[0] += weight * at_point(local, e, lambda);
    }
  }

private:
  KOKKOS_FUNCTION double at_point(LocalField<Form>& local, index_t e, const double (&lambda)[Dim + 1]) const {
    if (what == PhasorSum::measure)
      return 1.;
    if (what == PhasorSum::value)
      return local.value(lambda);
    double v[Dim];
    local.vector(form, e, lambda, v);
    if (what == PhasorSum::flux)
      flux_of(form, e, local, lambda, v);
    if (what != PhasorSum::magnitude)
      return v[component];
    LocalField<Form> second(form, e, other);
    second.move_to(lambda);
    double w[Dim];
    second.vector(form, e, lambda, w);
    double square = 0.;
    for (int d = 0; d < Dim; ++d)
      square += v[d] * v[d] + w[d] * w[d];
    return math::sqrt(square);
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<RegionPhasors>
region_phasors(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& re,
               const Array<const double*, ExecutionSpace>& im, const Array<const group_t*, ExecutionSpace>& regions,
               index_t n_regions, const comm::Communicator& world) {
  const auto groups = group_items(exec, form.n_elements(), n_regions,
                                  detail::RegionOfElement<typename ExecutionSpace::memory_space>{regions}, "regions");
  std::vector<Segment> segments;
  for (index_t r = 0; r < n_regions; ++r)
    segments.push_back({groups.host_starts[r], groups.host_starts[r + 1], r});
  const SegmentedSums<ExecutionSpace> sums(exec, segments);
  const auto result = make_array<Array<double*, ExecutionSpace>>(exec, "physics::region_phasors", n_regions);
  const auto sum = [&](detail::PhasorSum what, int component, const Array<const double*, ExecutionSpace>& nodal,
                       const auto& add) {
    sums.sum("tessera::physics::region_phasors", exec,
             detail::SumPhasors<Form>{form, nodal, im, groups.items, what, component}, result.data());
    const auto host = to_host(exec, result);
    for (index_t r = 0; r < n_regions; ++r)
      add(static_cast<std::size_t>(r), world.added(host(r)));
  };
  std::vector<RegionPhasors> values(static_cast<std::size_t>(n_regions));
  sum(detail::PhasorSum::measure, 0, re, [&](std::size_t r, double total) { values[r].measure = total; });
  sum(detail::PhasorSum::magnitude, 0, re, [&](std::size_t r, double total) { values[r].field_magnitude = total; });
  for (const std::complex<double> unit : {std::complex<double>(1., 0.), std::complex<double>(0., 1.)}) {
    const auto& part = unit.real() != 0. ? re : im;
    sum(detail::PhasorSum::value, 0, part, [&](std::size_t r, double total) { values[r].value += unit * total; });
    for (int d = 0; d < Form::dimension; ++d) {
      const auto at = static_cast<std::size_t>(d);
      sum(detail::PhasorSum::field, d, part, [&](std::size_t r, double total) { values[r].field[at] += unit * total; });
      sum(detail::PhasorSum::flux, d, part, [&](std::size_t r, double total) { values[r].flux[at] += unit * total; });
    }
  }
  return values;
}

} // namespace tessera::physics

#endif
