// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_ELEMENT_POINTS_HPP
#define TESSERA_PHYSICS_FORMS_ELEMENT_POINTS_HPP

/// \file
/// Coordinates of points in elements, and the first point at which a check of values failed: for data that are
/// evaluated when a form is made.

#include "core/transfer/upload.hpp"
#include "fe/element_map.hpp"
#include "fe/quadrature.hpp"
#include "mesh/mesh.hpp"
#include "physics/expressions/expression_program.hpp"

#include <array>
#include <limits>
#include <sstream>
#include <string>

namespace tessera::physics::detail {

constexpr std::int64_t no_offender = std::numeric_limits<std::int64_t>::max();

KOKKOS_INLINE_FUNCTION bool is_finite(double value) { return value - value == 0.; }

/// Records the smallest index at which a check failed.
template <class Space> struct Offender {
  Array<std::int64_t*, Space> first;
  KOKKOS_FUNCTION void report(std::int64_t i) const { Kokkos::atomic_fetch_min(&first(0), i); }
};

template <class ExecutionSpace>
Offender<typename ExecutionSpace::memory_space> make_offender(const ExecutionSpace& exec) {
  return {make_filled<Array<std::int64_t*, ExecutionSpace>>(exec, "physics::offender", 1, no_offender)};
}

template <int Dim> struct Position {
  double x[3];
  KOKKOS_FUNCTION Position() : x{0., 0., 0.} {}
};

/// Coordinates of points in elements.
template <int Dim, int Order, class Space> struct ElementPoints {
  using element = fe::Lagrange<Dim, Order>;
  Array<const index_t * [element::n_nodes], Space> element_nodes;
  Array<const double* [Dim], Space> coordinates;
  Array<const std::uint8_t*, Space> curved_elements;

  KOKKOS_FUNCTION Position<Dim> at(index_t e, const double (&lambda)[Dim + 1]) const {
    Position<Dim> position;
    fe::ElementMap<element> map;
    index_t n[element::n_nodes];
    for (int a = 0; a < element::n_nodes; ++a)
      n[a] = element_nodes(e, a);
    map.load(coordinates.data(), n, curved_elements.extent(0) > 0 && curved_elements(e) != 0);
    map.move_to(coordinates.data(), n, lambda);
    for (int d = 0; d < Dim; ++d)
      position.x[d] = map.coordinate(d, lambda);
    return position;
  }
};

/// Values of expressions, one per region, at the quadrature points of every element.
template <int Dim, int Order, class Space> struct EvaluatePoints {
  using rule = fe::FormQuadrature<Dim, Order>;
  ElementPoints<Dim, Order, Space> points;
  Array<const group_t*, Space> regions;
  ExpressionProgram<Space> program;
  double t;
  Array<double*, Space> values;
  bool positive; ///< whether others are wrong
  Offender<Space> bad_value;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int first = 0; first < rule::n_points; first += points_at_once) {
      double x[4][points_at_once] = {};
      TESSERA_UNROLL
      for (int j = 0; j < points_at_once; ++j) {
        double lambda[Dim + 1];
        rule::point(first + j < rule::n_points ? first + j : first, lambda);
        const Position<Dim> p = points.at(e, lambda);
        for (int d = 0; d < Dim; ++d)
          x[d][j] = p.x[d];
        x[3][j] = t;
      }
      double value[points_at_once];
      program.evaluate(regions(e), x, value);
      for (int j = 0; j < points_at_once && first + j < rule::n_points; ++j) {
        values(static_cast<std::int64_t>(e) * rule::n_points + first + j) = value[j];
        if (!is_finite(value[j]) || (positive && !(value[j] > 0.)))
          bad_value.report(e);
      }
    }
  }
};

/// "(0.1, 0.2)"
inline std::string point_text(const std::array<double, 3>& point, int dimension) {
  std::ostringstream text;
  text << '(' << point[0] << ", " << point[1];
  if (dimension == 3)
    text << ", " << point[2];
  text << ')';
  return text.str();
}

/// "case.yaml:7: problem.materials.air: ", or nothing.
inline std::string prefix(const std::string& where) { return where.empty() ? "" : where + ": "; }

template <class ExecutionSpace, int Dim>
std::array<double, 3> node_position(const ExecutionSpace& exec, const Array<double* [Dim], ExecutionSpace>& coordinates,
                                    std::int64_t node) {
  std::array<double, 3> point{0., 0., 0.};
  const auto row = to_host(exec, Kokkos::subview(coordinates, std::make_pair(node, node + 1), Kokkos::ALL()));
  for (int d = 0; d < Dim; ++d)
    point[d] = row(0, d);
  return point;
}

template <class ExecutionSpace, int Dim>
std::array<double, 3> centroid(const ExecutionSpace& exec,
                               const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh, index_t element) {
  std::array<double, 3> point{0., 0., 0.};
  const auto nodes = to_host(exec, Kokkos::subview(mesh.elements, std::make_pair(element, element + 1), Kokkos::ALL()));
  for (int a = 0; a <= Dim; ++a) {
    const index_t n = nodes(0, a);
    const auto row = to_host(exec, Kokkos::subview(mesh.coordinates, std::make_pair(n, n + 1), Kokkos::ALL()));
    for (int d = 0; d < Dim; ++d)
      point[d] += row(0, d) / (Dim + 1);
  }
  return point;
}

/// Throws an error that states the region of the first element at which a check failed, and a point of it; returns if
/// none did. `where_of(region)` is the place in the input.
template <class ExecutionSpace, int Dim, class WhereOf>
void require_none(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const Offender<typename ExecutionSpace::memory_space>& offender, const WhereOf& where_of,
                  const char* what) {
  const std::int64_t element = read_entry(exec, offender.first, 0);
  if (element == no_offender)
    return;
  const group_t region = read_entry(exec, mesh.regions, element);
  TESSERA_REQUIRE(false,
                  prefix(where_of(region))
                      << what << " of region '" << mesh.region_names[region] << "' near "
                      << point_text(centroid<ExecutionSpace, Dim>(exec, mesh, static_cast<index_t>(element)), Dim)
                      << ".");
}

} // namespace tessera::physics::detail

#endif
