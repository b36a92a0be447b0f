// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_REGION_VALUES_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_REGION_VALUES_IMPL_HPP

/// \file
/// Definition of region_values() of physics/fields/derived.hpp: included only by the generated instantiations.

#include "core/kokkos_ext/math.hpp"
#include "physics/fields/derived_impl.hpp"
#include "physics/fields/extremes.hpp"
#include "physics/fields/first_point.hpp"

namespace tessera::physics {

namespace detail {

enum class RegionSum { measure, value, field, flux, energy };

/// Square of the vector field, or of the flux, at a point of an element.
template <class Form>
KOKKOS_INLINE_FUNCTION double square_of_field(LocalField<Form>& local, const Form& form, index_t e,
                                              const double (&lambda)[Form::dimension + 1], bool of_flux) {
  local.move_to(lambda);
  double v[Form::dimension];
  local.vector(form, e, lambda, v);
  if (of_flux)
    flux_of(form, e, local, lambda, v);
  double square = 0.;
  for (int d = 0; d < Form::dimension; ++d)
    square += v[d] * v[d];
  return square;
}

/// A sum over the elements of each region.
template <class Form> struct SumRegion {
  static constexpr int Dim = Form::dimension;
  using rule = fe::ErrorQuadrature<Dim>;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
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
      if (what == RegionSum::measure)
        term[0] += weight;
      else if (what == RegionSum::value)
        term[0] += weight * local.value(lambda);
      else
        term[0] += weight * math::sqrt(square_of_field(local, form, e, lambda, what == RegionSum::flux));
    }
  }
};

/// Smallest and largest value at the nodes of a region.
template <class Form> struct NodalExtremes {
  using Reducer = Kokkos::MinMax<double>;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
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
  Array<const double*, typename Form::memory_space> nodal;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  bool of_flux;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    const auto e = static_cast<index_t>(elements(i));
    LocalField<Form> local(form, e, nodal);
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      rule::point(q, lambda);
      const double square = square_of_field(local, form, e, lambda, of_flux);
      largest = square > largest ? square : largest;
    }
  }
};

enum class Extreme { smallest, largest, field, flux };

/// Finds the location of an extreme: the first value, in the user's mesh, beyond a limit.
template <class Form> struct FirstBeyond {
  static constexpr int Dim = Form::dimension;
  using rule = fe::ErrorQuadrature<Dim>;
  /// Index in the user's mesh, and local index, of a node or quadrature point of an element.
  using Reducer = Kokkos::MinLoc<std::int64_t, std::int64_t>;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  Array<const index_t*, typename Form::memory_space> original_element;
  Extreme what;
  double limit; // for the solution, or for the square of the field

  KOKKOS_FUNCTION static constexpr int n_places(Extreme what) {
    return what == Extreme::field || what == Extreme::flux ? rule::n_points : Form::n_nodes;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, typename Reducer::value_type& result) const {
    const auto e = static_cast<index_t>(elements(i));
    const int n = n_places(what);
    const std::int64_t original = original_element.extent(0) > 0 ? original_element(e) : e;
    if (original * n >= result.val)
      return;
    LocalField<Form> local(form, e, nodal);
    for (int k = 0; k < n; ++k)
      if (is_beyond(local, e, k) && original * n + k < result.val) {
        result.val = original * n + k;
        result.loc = static_cast<std::int64_t>(e) * n + k;
      }
  }

private:
  KOKKOS_FUNCTION bool is_beyond(LocalField<Form>& local, index_t e, int k) const {
    if (what == Extreme::smallest)
      return local.u[k] <= limit;
    if (what == Extreme::largest)
      return local.u[k] >= limit;
    double lambda[Dim + 1];
    rule::point(k, lambda);
    return square_of_field(local, form, e, lambda, what == Extreme::flux) >= limit;
  }
};

template <class Form> struct PositionOf {
  static constexpr int Dim = Form::dimension;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  std::int64_t point;
  Extreme what;
  Array<double*, typename Form::memory_space> position; // [3]
  KOKKOS_FUNCTION void operator()(index_t) const {
    const int n = FirstBeyond<Form>::n_places(what);
    const auto e = static_cast<index_t>(point / n);
    const int k = static_cast<int>(point % n);
    LocalField<Form> local(form, e, nodal);
    double lambda[Dim + 1];
    if (what == Extreme::field || what == Extreme::flux)
      FirstBeyond<Form>::rule::point(k, lambda);
    else
      Form::element::node_position(k, lambda);
    local.move_to(lambda);
    for (int d = 0; d < 3; ++d)
      position(d) = d < Dim ? local.map.coordinate(d, lambda) : 0.;
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<RegionValues>
region_values(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
              const Array<const group_t*, ExecutionSpace>& regions, index_t n_regions,
              const Array<const index_t*, ExecutionSpace>& original_element, const comm::Communicator& world) {
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
      values[r].*entry = world.added(host(r));
  };
  sum(detail::RegionSum::measure, &RegionValues::measure);
  sum(detail::RegionSum::value, &RegionValues::integral);
  sum(detail::RegionSum::field, &RegionValues::field_integral);
  sum(detail::RegionSum::flux, &RegionValues::flux_integral);
  sum(detail::RegionSum::energy, &RegionValues::energy);
  using First = detail::FirstBeyond<Form>;
  const auto position = make_array<Array<double*, ExecutionSpace>>(exec, "physics::extreme_position", 3);
  const auto find = [&](const Policy& range, detail::Extreme what, double limit, std::array<double, 3>& at) {
    detail::find_first_point(
        "tessera::physics::find_extreme", exec, world, range,
        First{form, nodal, elements, original_element, what, limit}, position,
        [&](std::int64_t point) {
          return detail::PositionOf<Form>{form, nodal, point, what, position};
        },
        at);
  };
  for (std::size_t r = 0; r < values.size(); ++r) {
    const Policy range(exec, segments[r].begin, segments[r].end);
    const bool has_elements = segments[r].begin < segments[r].end;
    if (world.largest(has_elements ? 1 : 0) == 0)
      continue;
    typename Extremes::Reducer::value_type extremes{std::numeric_limits<double>::max(),
                                                    std::numeric_limits<double>::lowest()};
    if (has_elements)
      Kokkos::parallel_reduce("tessera::physics::region_extremes", range, Extremes{form, nodal, elements},
                              typename Extremes::Reducer(extremes));
    values[r].smallest = -world.largest(-extremes.min_val);
    values[r].largest = world.largest(extremes.max_val);
    const double tie = solution_tie(values[r].smallest, values[r].largest);
    find(range, detail::Extreme::smallest, values[r].smallest + tie, values[r].smallest_at);
    find(range, detail::Extreme::largest, values[r].largest - tie, values[r].largest_at);
    for (const bool of_flux : {false, true}) {
      double square = 0.;
      if (has_elements)
        Kokkos::parallel_reduce("tessera::physics::region_field", range,
                                detail::LargestField<Form>{form, nodal, elements, of_flux},
                                Kokkos::Max<double>(square));
      square = world.largest(square);
      (of_flux ? values[r].largest_flux : values[r].largest_field) = std::sqrt(square);
      find(range, of_flux ? detail::Extreme::flux : detail::Extreme::field, (1. - 2. * extreme_tie) * square,
           of_flux ? values[r].largest_flux_at : values[r].largest_field_at);
    }
  }
  return values;
}

} // namespace tessera::physics

#endif
