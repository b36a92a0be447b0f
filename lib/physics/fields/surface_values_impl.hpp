// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_SURFACE_VALUES_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_SURFACE_VALUES_IMPL_HPP

/// \file
/// Definition of physics/fields/surface_values.hpp: included only by the generated instantiations.

#include "core/kokkos_ext/math.hpp"
#include "core/transfer/upload.hpp"
#include "physics/fields/first_point.hpp"
#include "physics/fields/point_values_impl.hpp"
#include "physics/fields/surface_values.hpp"

namespace tessera::physics {

namespace detail {

/// Points on a side of a facet: the quadrature points, then the facet's vertices.
template <int Dim> struct FacetPoints {
  using rule = fe::FacetQuadrature<Dim>;
  static constexpr int n = rule::n_points + Dim;

  /// Sets the barycentric coordinates of a point in the element; returns the weight of a quadrature point, 0 for a
  /// vertex.
  KOKKOS_FUNCTION static double set(int face, int point, double (&lambda)[Dim + 1]) {
    double on_facet[Dim];
    double fraction = 0.;
    if (point < rule::n_points)
      fraction = rule::point(point, on_facet);
    else
      for (int k = 0; k < Dim; ++k)
        on_facet[k] = k == point - rule::n_points ? 1. : 0.;
    lambda[face] = 0.;
    for (int k = 0; k < Dim; ++k)
      lambda[(face + 1 + k) % (Dim + 1)] = on_facet[k];
    return fraction;
  }
};

template <class Form> struct PlaceOnSides {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Array<const SurfaceSide*, Space> sides;
  Array<index_t*, Space> element;
  Array<double * [Dim + 1], Space> lambda;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const SurfaceSide& side = sides(i / FacetPoints<Dim>::n);
    double point[Dim + 1];
    FacetPoints<Dim>::set(side.face, static_cast<int>(i % FacetPoints<Dim>::n), point);
    element(i) = side.element;
    for (int k = 0; k <= Dim; ++k)
      lambda(i, k) = point[k];
  }
};

/// Values at points used here (indices of point_entries).
enum class PointQuantity { solution, field_length, flux_length };

template <int Dim, class Values>
KOKKOS_INLINE_FUNCTION double point_quantity(const Values& values, std::int64_t row, PointQuantity what) {
  if (what == PointQuantity::solution)
    return values(row, 0);
  const int first = what == PointQuantity::field_length ? 1 : 4;
  double square = 0.;
  for (int d = 0; d < Dim; ++d)
    square += values(row, first + d) * values(row, first + d);
  return math::sqrt(square);
}

/// Integral over a side of a facet: of one, of the solution, of the flux out of the element, or of magnitudes.
template <class Form> struct SumSides {
  static constexpr int Dim = Form::dimension;
  using LocalPoints = FacetPoints<Dim>;
  using Space = typename Form::memory_space;
  enum class What { area, solution, flux, field_length, flux_length };
  Form form;
  Array<const double*, Space> nodal;
  Array<const SurfaceSide*, Space> sides;
  Array<const double* [point_entries], Space> values; // at the points of all sides
  What what;

  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    const SurfaceSide side = sides(i);
    index_t n[Form::n_nodes];
    form.nodes(side.element, n);
    if constexpr (Form::has_vector_potential)
      if (what == What::flux) {
        term[0] = side.outward_weight * circulation(n, side.face);
        return;
      }
    fe::ElementMap<typename Form::element> map;
    map.load(form.coordinates.data(), n, form.is_curved(side.element));
    term[0] = 0.;
    for (int q = 0; q < LocalPoints::rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double fraction = LocalPoints::set(side.face, q, lambda);
      map.move_to(form.coordinates.data(), n, lambda);
      const double weight = fraction * map.facet_size(side.face) * form.integral_weight(map, lambda);
      term[0] += weight * integrand(map, side, i * LocalPoints::n + q);
    }
  }

private:
  KOKKOS_FUNCTION double integrand(const fe::ElementMap<typename Form::element>& map, const SurfaceSide& side,
                                   std::int64_t row) const {
    switch (what) {
    case What::area:
      return side.area_weight;
    case What::solution:
      return side.area_weight * values(row, 0);
    case What::flux:
      return side.outward_weight * normal_component(map, side.face, row);
    case What::field_length:
      return side.field_weight * point_quantity<Dim>(values, row, PointQuantity::field_length);
    case What::flux_length:
      return side.field_weight * point_quantity<Dim>(values, row, PointQuantity::flux_length);
    }
    return 0.;
  }

  KOKKOS_FUNCTION double normal_component(const fe::ElementMap<typename Form::element>& map, int face,
                                          std::int64_t row) const {
    double square = 0.;
    double product = 0.;
    for (int d = 0; d < Dim; ++d) {
      square += map.grad_lambda[face][d] * map.grad_lambda[face][d];
      product -= map.grad_lambda[face][d] * values(row, 4 + d);
    }
    return product / math::sqrt(square);
  }

  /// Flux of B out of an element through an edge, by Stokes' theorem: exact for the element's B, in shells for B in
  /// space.
  KOKKOS_FUNCTION double circulation(const index_t (&n)[Form::n_nodes], int face) const {
    const index_t apex = n[face];
    index_t p = n[(face + 1) % (Dim + 1)];
    index_t q = n[(face + 2) % (Dim + 1)];
    const auto x = [&](index_t node, int d) { return form.coordinates(node, d); };
    const double turn = (x(q, 0) - x(p, 0)) * (x(apex, 1) - x(p, 1)) - (x(q, 1) - x(p, 1)) * (x(apex, 0) - x(p, 0));
    if (turn < 0.) { // orient the edge so that the element is to the left of the way from p to q
      const index_t first = p;
      p = q;
      q = first;
    }
    return form.medium.factor *
           (form.medium.axisymmetric ? x(p, 0) * nodal(p) - x(q, 0) * nodal(q) : nodal(q) - nodal(p));
  }
};

/// Smallest and largest value at the points of a range of sides.
template <class Form> struct SideExtremes {
  static constexpr int Dim = Form::dimension;
  using Reducer = Kokkos::MinMax<double>;
  Array<const SurfaceSide*, typename Form::memory_space> sides;
  Array<const double* [point_entries], typename Form::memory_space> values;
  PointQuantity what;

  KOKKOS_FUNCTION static bool counts(const SurfaceSide& side, PointQuantity what) {
    return what == PointQuantity::solution || side.field_weight != 0.;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, typename Reducer::value_type& result) const {
    if (!counts(sides(i / FacetPoints<Dim>::n), what))
      return;
    const double value = point_quantity<Dim>(values, i, what);
    result.min_val = value < result.min_val ? value : result.min_val;
    result.max_val = value > result.max_val ? value : result.max_val;
  }
};

/// Finds the location of an extreme: the first one, in the user's mesh, between two limits.
template <class Form> struct FirstPointBetween {
  static constexpr int Dim = Form::dimension;
  /// Index in the user's mesh, and local index, of a point.
  using Reducer = Kokkos::MinLoc<std::int64_t, std::int64_t>;
  Array<const SurfaceSide*, typename Form::memory_space> sides;
  Array<const double* [point_entries], typename Form::memory_space> values;
  Array<const index_t*, typename Form::memory_space> original_element;
  PointQuantity what;
  double lower;
  double upper;

  KOKKOS_FUNCTION void operator()(std::int64_t i, typename Reducer::value_type& result) const {
    const SurfaceSide& side = sides(i / FacetPoints<Dim>::n);
    if (!SideExtremes<Form>::counts(side, what))
      return;
    const std::int64_t element = original_element.extent(0) > 0 ? original_element(side.element) : side.element;
    const std::int64_t number = (element * (Dim + 1) + side.face) * FacetPoints<Dim>::n + i % FacetPoints<Dim>::n;
    const double value = point_quantity<Dim>(values, i, what);
    if (value >= lower && value <= upper && number < result.val) {
      result.val = number;
      result.loc = i;
    }
  }
};

template <class Form> struct PositionOnSide {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  LocalPoints<Dim, Space> local_points;
  std::int64_t point;
  Array<double*, Space> position; // [3]
  KOKKOS_FUNCTION void operator()(index_t) const {
    const index_t e = local_points.element(point);
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    fe::ElementMap<typename Form::element> map;
    map.load(form.coordinates.data(), n, form.is_curved(e));
    double lambda[Dim + 1];
    for (int k = 0; k <= Dim; ++k)
      lambda[k] = local_points.lambda(point, k);
    map.move_to(form.coordinates.data(), n, lambda);
    for (int d = 0; d < 3; ++d)
      position(d) = d < Dim ? map.coordinate(d, lambda) : 0.;
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<SurfaceValues>
surface_values(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
               const std::vector<SurfaceSide>& sides, int n_surfaces, const FieldRecovery<ExecutionSpace>& recovery,
               const Array<const index_t*, ExecutionSpace>& original_element, const comm::Communicator& world) {
  static_assert(detail::check_elements<ExecutionSpace, Form>());
  constexpr int Dim = Form::dimension;
  constexpr int n_places = detail::FacetPoints<Dim>::n;
  using Space = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  using Sum = detail::SumSides<Form>;
  using detail::PointQuantity;
  const auto n_sides = static_cast<std::int64_t>(sides.size());
  const std::int64_t n = n_sides * n_places;
  const auto on_device = uploaded(exec, "physics::surface_sides", sides);
  const auto element = make_array<Array<index_t*, Space>>(exec, "physics::surface_elements", n);
  const auto lambda = make_array<Array<double * [Dim + 1], Space>>(exec, "physics::barycentric_coordinates", n);
  for_each("tessera::physics::place_on_sides", exec, n, detail::PlaceOnSides<Form>{on_device, element, lambda});
  const detail::LocalPoints<Dim, Space> local_points{element, lambda};
  const auto values = detail::evaluate_points(exec, form, nodal, local_points, recovery);
  std::vector<Segment> segments;
  std::int64_t end = 0;
  for (int s = 0; s < n_surfaces; ++s) {
    const std::int64_t begin = end;
    while (end < n_sides && sides[static_cast<std::size_t>(end)].surface == s)
      ++end;
    segments.push_back({begin, end, s});
  }
  const SegmentedSums<ExecutionSpace> sums(exec, segments);
  const auto result = make_array<Array<double*, ExecutionSpace>>(exec, "physics::surface_integrals", n_surfaces);
  std::vector<SurfaceValues> surfaces(static_cast<std::size_t>(n_surfaces));
  const auto sum = [&](typename Sum::What what, double SurfaceValues::*entry) {
    sums.sum("tessera::physics::surface_integrals", exec, Sum{form, nodal, on_device, values, what}, result.data());
    const auto host = to_host(exec, result); // waits
    for (std::size_t s = 0; s < surfaces.size(); ++s)
      surfaces[s].*entry = world.added(host(s));
  };
  sum(Sum::What::area, &SurfaceValues::area);
  sum(Sum::What::solution, &SurfaceValues::integral);
  sum(Sum::What::flux, &SurfaceValues::flux);
  sum(Sum::What::field_length, &SurfaceValues::field_integral);
  sum(Sum::What::flux_length, &SurfaceValues::flux_integral);

  using First = detail::FirstPointBetween<Form>;
  using Range = detail::SideExtremes<Form>;
  const auto position = make_array<Array<double*, ExecutionSpace>>(exec, "physics::extreme_position", 3);
  const auto find = [&](const Policy& range, PointQuantity what, double lower, double upper,
                        std::array<double, 3>& at) {
    detail::find_first_point(
        "tessera::physics::find_surface_extreme", exec, world, range,
        First{on_device, values, original_element, what, lower, upper}, position,
        [&](std::int64_t point) {
          return detail::PositionOnSide<Form>{form, local_points, point, position};
        },
        at);
  };
  const auto find_both = [&](const Policy& range, PointQuantity what, Extremes& extremes) {
    typename Range::Reducer::value_type found{std::numeric_limits<double>::max(),
                                              std::numeric_limits<double>::lowest()};
    if (range.begin() < range.end())
      Kokkos::parallel_reduce("tessera::physics::surface_extremes", range, Range{on_device, values, what},
                              typename Range::Reducer(found));
    extremes.smallest = -world.largest(-found.min_val);
    extremes.largest = world.largest(found.max_val);
    const double tie = what == PointQuantity::solution ? solution_tie(extremes.smallest, extremes.largest)
                                                       : field_tie(extremes.largest);
    find(range, what, extremes.smallest, extremes.smallest + tie, extremes.smallest_at);
    find(range, what, extremes.largest - tie, extremes.largest, extremes.largest_at);
  };
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    const Policy range(exec, segments[s].begin * n_places, segments[s].end * n_places);
    if (world.largest(segments[s].begin < segments[s].end ? 1 : 0) == 0)
      continue;
    find_both(range, PointQuantity::solution, surfaces[s].solution);
    find_both(range, PointQuantity::field_length, surfaces[s].field_length);
    find_both(range, PointQuantity::flux_length, surfaces[s].flux_length);
  }
  keep_alive(exec, on_device, element, lambda, values);
  return surfaces;
}

} // namespace tessera::physics

#endif
