// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_LOADS_LINE_LOADS_IMPL_HPP
#define TESSERA_PHYSICS_LOADS_LINE_LOADS_IMPL_HPP

/// \file
/// Definition of physics/loads/line_loads.hpp: included only by the generated instantiations.

#include "core/algorithms/lower_bound.hpp"
#include "core/transfer/upload.hpp"
#include "physics/fields/derived_impl.hpp"
#include "physics/loads/line_loads.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tessera::physics {

namespace detail {

constexpr double line_rounding = 1e-10; // of barycentric coordinates, and relative to the line's length

/// The line x(s) = from + s * way, 0 <= s <= 1.
struct StraightLine {
  double from[3];
  double way[3];
};

/// Identifies an element in all processes: its index in the user's mesh, or its vertices if such indices would be too
/// large.
struct ElementName {
  index_t numbers[4];

  bool operator<(const ElementName& other) const {
    return std::lexicographical_compare(numbers, numbers + 4, other.numbers, other.numbers + 4);
  }
};

/// Part of a line in an element.
struct LineInterval {
  double begin = 0.; ///< in 0 .. 1
  double end = 0.;
  index_t element = 0;
  int is_owned = 1; ///< whether this process owns the element
  ElementName name{};
};

/// Sets the interval of a line in an element whose edges are taken as straight; returns whether it has any length.
template <class Form>
KOKKOS_INLINE_FUNCTION bool clip(const Form& form, index_t e, const StraightLine& line, LineInterval& interval) {
  constexpr int Dim = Form::dimension;
  index_t n[Form::n_nodes];
  form.nodes(e, n);
  fe::ElementMap<typename Form::element> map;
  map.load(form.coordinates.data(), n, false);
  interval.begin = 0.;
  interval.end = 1.;
  interval.element = e;
  double first = 1.; // barycentric coordinate 0 at the begin of the line, and its rate of change
  double rate_of_first = 0.;
  for (int k = Dim; k >= 0; --k) {
    double value = first;
    double rate = rate_of_first;
    if (k > 0) {
      value = 0.;
      rate = 0.;
      for (int d = 0; d < Dim; ++d) {
        value += map.grad_lambda[k][d] * (line.from[d] - map.p[0][d]);
        rate += map.grad_lambda[k][d] * line.way[d];
      }
      first -= value;
      rate_of_first -= rate;
    }
    value += line_rounding;
    if (rate > 0.) {
      const double s = -value / rate;
      interval.begin = s > interval.begin ? s : interval.begin;
    } else if (rate < 0.) {
      const double s = -value / rate;
      interval.end = s < interval.end ? s : interval.end;
    } else if (value < 0.) {
      return false;
    }
  }
  return interval.end > interval.begin;
}

template <class Form> struct MarkCrossed {
  Form form;
  StraightLine line;
  Array<index_t*, typename Form::memory_space> marks;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    LineInterval interval;
    marks(e) = clip(form, e, line, interval) ? 1 : 0;
  }
};

template <class Form> struct ListCrossed {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  StraightLine line;
  Array<const index_t*, Space> original_element; // as in LineMesh
  Array<const index_t*, Space> original_node;
  Array<const index_t*, Space> owned_elements;
  bool is_part;
  Array<const index_t*, Space> positions; // scanned marks
  Array<LineInterval*, Space> list;

  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (positions(e + 1) == positions(e))
      return;
    LineInterval interval;
    clip(form, e, line, interval);
    interval.name = name_of(e);
    if (is_part) {
      const auto n_owned = static_cast<index_t>(owned_elements.extent(0));
      const index_t position = lower_bound(owned_elements, index_t(0), n_owned, e);
      interval.is_owned = position < n_owned && owned_elements(position) == e ? 1 : 0;
    }
    list(positions(e)) = interval;
  }

private:
  KOKKOS_FUNCTION ElementName name_of(index_t e) const {
    ElementName name{{e, 0, 0, 0}};
    if (original_element.extent(0) > 0) {
      name.numbers[0] = original_element(e);
    } else if (is_part) {
      index_t n[Form::n_nodes];
      form.nodes(e, n);
      for (int a = 0; a <= Dim; ++a) {
        const index_t number = original_node(n[a]);
        int position = a;
        for (; position > 0 && name.numbers[position - 1] > number; --position)
          name.numbers[position] = name.numbers[position - 1];
        name.numbers[position] = number;
      }
    }
    return name;
  }
};

/// Nodes of the pieces' elements, and integrals of their shape functions along the pieces, for a density of 1.
template <class Form> struct IntegratePieces {
  static constexpr int Dim = Form::dimension;
  static_assert(Form::element::order <= 2, "the rule is exact to degree 5");
  using Space = typename Form::memory_space;
  Form form;
  StraightLine line;
  double length; // m
  Array<const LineInterval*, Space> pieces;
  Array<index_t * [Form::n_nodes], Space> nodes;
  Array<double * [Form::n_nodes], Space> values;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const double offset[3] = {-0.77459666924148337704, 0., 0.77459666924148337704}; // sqrt(3/5)
    const double weight[3] = {5. / 18., 4. / 9., 5. / 18.};
    const LineInterval piece = pieces(i);
    index_t n[Form::n_nodes];
    form.nodes(piece.element, n);
    for (int a = 0; a < Form::n_nodes; ++a) {
      nodes(i, a) = n[a];
      values(i, a) = 0.;
    }
    fe::ElementMap<typename Form::element> map;
    map.load(form.coordinates.data(), n, form.is_curved(piece.element));
    for (int q = 0; q < 3; ++q) {
      const double s = 0.5 * (piece.begin + piece.end + offset[q] * (piece.end - piece.begin));
      double x[3];
      for (int d = 0; d < 3; ++d)
        x[d] = line.from[d] + s * line.way[d];
      double lambda[Dim + 1];
      barycentric<Form>(map, form.coordinates.data(), n, x, lambda);
      for (int a = 0; a < Form::n_nodes; ++a)
        values(i, a) += weight[q] * length * (piece.end - piece.begin) * Form::element::value(a, lambda);
    }
  }
};

/// Covers the line once by intervals of elements, from begin to end; calls `gap(begin, end)` for each part without
/// elements.
template <class Gap> std::vector<LineInterval> cover(std::vector<LineInterval> intervals, const Gap& gap) {
  std::sort(intervals.begin(), intervals.end(), [](const LineInterval& a, const LineInterval& b) {
    return a.begin < b.begin || (a.begin == b.begin && a.name < b.name);
  });
  std::vector<LineInterval> pieces;
  std::vector<LineInterval> open; // intervals that begin before the current position
  std::size_t next = 0;
  double s = 0.;
  while (s < 1. - line_rounding) {
    for (; next < intervals.size() && intervals[next].begin <= s + line_rounding; ++next)
      open.push_back(intervals[next]);
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](const LineInterval& interval) { return interval.end <= s + line_rounding; }),
               open.end());
    if (open.empty()) {
      const double end = next < intervals.size() ? intervals[next].begin : 1.;
      gap(s, end);
      s = end;
      continue;
    }
    LineInterval best = open.front(); // the longest; among equal ones that of the smallest element
    for (const LineInterval& other : open)
      if (other.end > best.end + line_rounding || (other.end > best.end - line_rounding && other.name < best.name))
        best = other;
    best.begin = s;
    pieces.push_back(best);
    s = best.end;
  }
  if (!pieces.empty() && pieces.back().end > 1. - line_rounding)
    pieces.back().end = 1.;
  return pieces;
}

/// The intervals of all processes, without duplicates. Collective.
inline std::vector<LineInterval> of_all_processes(const comm::Communicator& world,
                                                  const std::vector<LineInterval>& intervals) {
  std::vector<LineInterval> own;
  for (const LineInterval& interval : intervals)
    if (interval.is_owned != 0)
      own.push_back(interval);
  return world.gather_lists(own);
}

} // namespace detail

template <class ExecutionSpace, class Form>
LineLoads line_loads(const ExecutionSpace& exec, const Form& form, const LineSource& source,
                     const LineMesh<ExecutionSpace>& mesh) {
  static_assert(Form::dimension == 3 && !Form::has_vector_potential);
  using Space = typename ExecutionSpace::memory_space;
  LineLoads result;
  detail::StraightLine line{};
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    line.from[d] = source.from[at];
    line.way[d] = source.to[at] - source.from[at];
    result.length = std::hypot(result.length, line.way[d]);
  }
  const index_t n_elements = form.n_elements();
  const auto positions =
      make_array<Array<index_t*, Space>>(exec, "physics::crossed_elements", static_cast<std::int64_t>(n_elements) + 1);
  for_each("tessera::physics::mark_crossed", exec, n_elements, detail::MarkCrossed<Form>{form, line, positions});
  const std::int64_t n_crossed = counts_to_offsets(exec, positions, n_elements, "elements on a line");
  const auto list = make_array<Array<detail::LineInterval*, Space>>(exec, "physics::line_intervals", n_crossed);
  for_each("tessera::physics::list_crossed", exec, n_elements,
           detail::ListCrossed<Form>{form, line, mesh.original_element, mesh.original_node, mesh.owned_elements,
                                     mesh.is_part, positions, list});
  const auto host_list = to_host(exec, list); // waits: the other arrays may be freed
  std::vector<detail::LineInterval> intervals;
  std::map<detail::ElementName, index_t> element_here;
  for (std::int64_t i = 0; i < n_crossed; ++i) {
    intervals.push_back(host_list(i));
    element_here.emplace(host_list(i).name, host_list(i).element);
  }
  const auto add_gap = [&](double begin, double end) {
    if (result.outside == 0.)
      for (std::size_t d = 0; d < 3; ++d)
        result.first_outside[d] = line.from[d] + begin * line.way[d];
    result.outside += (end - begin) * result.length;
  };
  std::vector<detail::LineInterval> pieces; // of this process
  std::vector<std::size_t> places;          // their indices among all pieces
  for (detail::LineInterval piece : detail::cover(detail::of_all_processes(*mesh.world, intervals), add_gap)) {
    if (const auto here = element_here.find(piece.name); here != element_here.end()) {
      piece.element = here->second;
      pieces.push_back(piece);
      places.push_back(result.pieces.size());
    }
    result.pieces.emplace_back();
  }
  const auto n = static_cast<std::int64_t>(pieces.size());
  const auto on_device = uploaded(exec, "physics::line_pieces", pieces);
  const auto nodes = make_array<Array<index_t * [Form::n_nodes], Space>>(exec, "physics::source_nodes", n);
  const auto values = make_array<Array<double * [Form::n_nodes], Space>>(exec, "physics::source_shapes", n);
  for_each("tessera::physics::integrate_pieces", exec, n,
           detail::IntegratePieces<Form>{form, line, result.length, on_device, nodes, values});
  const auto host_nodes = to_host(exec, nodes);
  const auto host_values = to_host(exec, values); // waits: the other arrays may be freed
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    PointLoad& load = result.pieces[places[i]];
    load.element = pieces[i].element;
    for (int a = 0; a < Form::n_nodes; ++a) {
      load.nodes.push_back(host_nodes(i, a));
      load.values.push_back(source.density * host_values(i, a));
    }
  }
  return result;
}

} // namespace tessera::physics

#endif
