// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/dofs/periodic.hpp"

#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/reduce.hpp"
#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/read_entries.hpp"
#include "core/transfer/upload.hpp"
#include "fe/dofs/periodic_jumps.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tessera::fe {

namespace {

/// The motion x -> rotation x + shift.
template <int Dim> struct Motion {
  double rotation[Dim][Dim];
  double shift[Dim];

  static Motion translation(const double (&vector)[Dim]) {
    Motion motion;
    for (int i = 0; i < Dim; ++i) {
      for (int j = 0; j < Dim; ++j)
        motion.rotation[i][j] = i == j ? 1. : 0.;
      motion.shift[i] = vector[i];
    }
    return motion;
  }
  static Motion rotation_about(double angle, double x, double y) {
    Motion motion = translation({});
    motion.rotation[0][0] = motion.rotation[1][1] = std::cos(angle);
    motion.rotation[1][0] = std::sin(angle);
    motion.rotation[0][1] = -std::sin(angle);
    motion.shift[0] = x - motion.rotation[0][0] * x - motion.rotation[0][1] * y;
    motion.shift[1] = y - motion.rotation[1][0] * x - motion.rotation[1][1] * y;
    return motion;
  }
  template <class Coordinates>
  KOKKOS_FUNCTION void apply(const Coordinates& coordinates, index_t n, double (&y)[Dim]) const {
    for (int i = 0; i < Dim; ++i) {
      y[i] = shift[i];
      for (int j = 0; j < Dim; ++j)
        y[i] += rotation[i][j] * coordinates(n, j);
    }
  }
};

/// Nodes of facets in a space of any order, so that the following code is compiled once for all orders.
template <class Space> using FacetNodes = Array<const index_t**, Space>;

template <class Space> struct FlagGroup {
  FacetNodes<Space> facet_nodes;
  Array<const group_t*, Space> facet_groups;
  group_t group;
  Array<index_t*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t f) const {
    if (facet_groups(f) == group)
      for (int a = 0; a < static_cast<int>(facet_nodes.extent(1)); ++a)
        Kokkos::atomic_fetch_or(&flags(facet_nodes(f, a)), index_t(1));
  }
};

/// Sum of (x_i - m_i) (x_j - m_j) over a list of nodes; of x_i if j < 0.
template <int Dim, class Space> struct Moment {
  Array<const index_t*, Space> list;
  Array<const double* [Dim], Space> coordinates;
  int i;
  int j;
  double mean_i;
  double mean_j;
  KOKKOS_FUNCTION void operator()(std::int64_t k, double (&term)[1]) const {
    const index_t n = list(k);
    term[0] = coordinates(n, i) - mean_i;
    if (j >= 0)
      term[0] *= coordinates(n, j) - mean_j;
  }
};

/// Length of the shortest edge between the vertices of a group's facets.
template <int Dim, class Space> struct ShortestEdge {
  FacetNodes<Space> facet_nodes;
  Array<const group_t*, Space> facet_groups;
  Array<const double* [Dim], Space> coordinates;
  group_t group;
  KOKKOS_FUNCTION void operator()(index_t f, double& shortest) const {
    if (facet_groups(f) != group)
      return;
    for (int a = 0; a < (Dim == 2 ? 1 : 3); ++a) {
      double square = 0.;
      for (int d = 0; d < Dim; ++d) {
        const double step = coordinates(facet_nodes(f, a), d) - coordinates(facet_nodes(f, (a + 1) % Dim), d);
        square += step * step;
      }
      const double length = std::sqrt(square);
      shortest = length < shortest ? length : shortest;
    }
  }
};

/// Finds the smallest coordinate in one direction, times a sign.
template <int Dim, class Space> struct Extreme {
  Array<const index_t*, Space> list;
  Array<const double* [Dim], Space> coordinates;
  int direction;
  double sign;
  KOKKOS_FUNCTION void operator()(index_t k, double& smallest) const {
    const double x = sign * coordinates(list(k), direction);
    smallest = x < smallest ? x : smallest;
  }
};

/// Grid cells for sorting and finding nodes.
template <int Dim> struct Grid {
  static constexpr int bits = 21;
  double origin[Dim];
  double size;
  KOKKOS_FUNCTION std::int64_t cell(double x, int d) const {
    const double c = (x - origin[d]) / size;
    return c < 0. ? 0 : (c > 2097151. ? 2097151 : static_cast<std::int64_t>(c));
  }
  KOKKOS_FUNCTION static std::uint64_t key(const std::int64_t (&cell)[Dim]) {
    std::uint64_t key = 0;
    for (int d = 0; d < Dim; ++d)
      key = (key << bits) | static_cast<std::uint64_t>(cell[d]);
    return key;
  }
};

template <int Dim, class Space> struct CellKeys {
  Array<const index_t*, Space> list;
  Array<const double* [Dim], Space> coordinates;
  Grid<Dim> grid;
  Array<std::uint64_t*, Space> keys;
  Array<index_t*, Space> nodes;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    std::int64_t cell[Dim];
    for (int d = 0; d < Dim; ++d)
      cell[d] = grid.cell(coordinates(list(k), d), d);
    keys(k) = Grid<Dim>::key(cell);
    nodes(k) = list(k);
  }
};

/// Position of a node in an ascending list that contains it.
template <class Space> KOKKOS_FUNCTION index_t position_in(const Array<const index_t*, Space>& list, index_t node) {
  index_t low = 0;
  auto high = static_cast<index_t>(list.extent(0)) - 1;
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (list(middle) < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Adds the centroid of a group's facet to the sums of its nodes.
template <int Dim, class Space> struct AddCentroids {
  FacetNodes<Space> facet_nodes;
  Array<const group_t*, Space> facet_groups;
  Array<const double* [Dim], Space> coordinates;
  group_t group;
  Array<const index_t*, Space> list;
  Array<double* [Dim], Space> sums;
  Array<index_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t f) const {
    if (facet_groups(f) != group)
      return;
    const int n = static_cast<int>(facet_nodes.extent(1));
    for (int a = 0; a < n; ++a) {
      const index_t position = position_in<Space>(list, facet_nodes(f, a));
      Kokkos::atomic_fetch_add(&counts(position), index_t(1));
      for (int d = 0; d < Dim; ++d) {
        double centroid = 0.;
        for (int k = 0; k < Dim; ++k) // the vertices
          centroid += coordinates(facet_nodes(f, k), d) / Dim;
        Kokkos::atomic_add(&sums(position, d), centroid);
      }
    }
  }
};

template <int Dim, class Space> struct DivideByCounts {
  Array<const index_t*, Space> counts;
  Array<double* [Dim], Space> sums;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    for (int d = 0; d < Dim; ++d)
      sums(k, d) /= counts(k);
  }
};

/// Finds the partner of each node of a list: the node within the tolerance, or -1. At the end of a joint several nodes
/// lie at one place; of these the one whose facets correspond.
template <int Dim, class Space> struct FindPartners {
  Array<const index_t*, Space> list;
  Array<const double* [Dim], Space> coordinates;
  Motion<Dim> motion;
  Grid<Dim> grid;
  double tolerance;
  Array<const std::uint64_t*, Space> keys; // ascending
  Array<const index_t*, Space> nodes;
  Array<const double* [Dim], Space> facets; // means of the centroids of the facets at each node of the list
  Array<const index_t*, Space> to_list;
  Array<const double* [Dim], Space> to_facets;
  Array<index_t*, Space> partner;

  KOKKOS_FUNCTION void operator()(index_t k) const {
    double x[Dim];
    double facet[Dim];
    motion.apply(coordinates, list(k), x);
    motion.apply(facets, k, facet);
    std::int64_t low[Dim];
    std::int64_t high[Dim];
    std::int64_t cell[Dim];
    for (int d = 0; d < Dim; ++d) {
      low[d] = grid.cell(x[d] - tolerance, d);
      high[d] = grid.cell(x[d] + tolerance, d);
      cell[d] = low[d];
    }
    double nearest = 1e300; // of the facets
    partner(k) = -1;
    for (;;) {
      visit(Grid<Dim>::key(cell), x, facet, nearest, partner(k));
      int d = 0;
      while (d < Dim && cell[d] == high[d]) {
        cell[d] = low[d];
        ++d;
      }
      if (d == Dim)
        return;
      ++cell[d];
    }
  }

  KOKKOS_FUNCTION void visit(std::uint64_t key, const double (&x)[Dim], const double (&facet)[Dim], double& nearest,
                             index_t& found) const {
    std::int64_t first = 0;
    std::int64_t last = static_cast<std::int64_t>(keys.extent(0));
    while (first < last) {
      const std::int64_t middle = first + (last - first) / 2;
      if (keys(middle) < key)
        first = middle + 1;
      else
        last = middle;
    }
    for (; first < static_cast<std::int64_t>(keys.extent(0)) && keys(first) == key; ++first) {
      double square = 0.;
      for (int d = 0; d < Dim; ++d)
        square += (coordinates(nodes(first), d) - x[d]) * (coordinates(nodes(first), d) - x[d]);
      if (!(square < tolerance * tolerance))
        continue;
      const index_t position = position_in<Space>(to_list, nodes(first));
      double apart = 0.;
      for (int d = 0; d < Dim; ++d)
        apart += (to_facets(position, d) - facet[d]) * (to_facets(position, d) - facet[d]);
      if (apart < nearest) {
        nearest = apart;
        found = nodes(first);
      }
    }
  }
};

template <class Space> struct CountAlone {
  Array<const index_t*, Space> partner;
  KOKKOS_FUNCTION void operator()(std::int64_t k, double (&term)[1]) const { term[0] = partner(k) < 0 ? 1. : 0.; }
};

template <class Space> struct FirstAlone {
  Array<const index_t*, Space> partner;
  KOKKOS_FUNCTION void operator()(index_t k, index_t& first) const { first = partner(k) < 0 && k < first ? k : first; }
};

/// Computes the squared distance from a point to the nearest node of a list.
template <int Dim, class Space> struct NearestSquare {
  Array<const index_t*, Space> list;
  Array<const double* [Dim], Space> coordinates;
  double x[Dim];
  KOKKOS_FUNCTION void operator()(index_t k, double& nearest) const {
    double square = 0.;
    for (int d = 0; d < Dim; ++d)
      square += (coordinates(list(k), d) - x[d]) * (coordinates(list(k), d) - x[d]);
    nearest = square < nearest ? square : nearest;
  }
};

// --- classes
// --------------------------------------------------------------------------------------------------------------

template <class Space> struct OwnLabel {
  Array<index_t*, Space> label;
  KOKKOS_FUNCTION void operator()(index_t n) const { label(n) = 2 * n; }
};

/// Passes the smaller label of two identified nodes to the other; the fixed point does not depend on the order of
/// threads.
template <class Space> struct SpreadLabels {
  Array<const index_t*, Space> nodes;
  Array<const index_t*, Space> partners;
  index_t parity;
  Array<index_t*, Space> label;
  Array<index_t*, Space> changed;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    lower(partners(k), Kokkos::atomic_fetch_or(&label(nodes(k)), index_t(0)) ^ parity);
    lower(nodes(k), Kokkos::atomic_fetch_or(&label(partners(k)), index_t(0)) ^ parity);
  }
  KOKKOS_FUNCTION void lower(index_t n, index_t candidate) const {
    if (Kokkos::atomic_fetch_min(&label(n), candidate) > candidate)
      Kokkos::atomic_exchange(&changed(0), index_t(1)); // several threads write the same value
  }
};

/// Marks classes in which a value would have to be its own opposite.
template <class Space> struct FindContradictions {
  Array<const index_t*, Space> nodes;
  Array<const index_t*, Space> partners;
  index_t parity;
  Array<const index_t*, Space> label;
  Array<index_t*, Space> is_zero;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    if ((label(nodes(k)) ^ label(partners(k))) != parity)
      Kokkos::atomic_fetch_or(&is_zero(label(nodes(k)) >> 1), index_t(1));
  }
};

template <class Space> struct MarkZeros {
  Array<const index_t*, Space> is_zero;
  Array<index_t*, Space> label;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t root = label(n) >> 1;
    if (is_zero(root) != 0)
      label(n) = ~root;
  }
};

/// Makes a class one of fixed values.
template <class Space> struct PinClass {
  index_t root;
  Array<index_t*, Space> label;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (NodeClasses<Space>::root(label(n)) == root)
      label(n) = ~root;
  }
};

template <class Space> struct AddJumps {
  DofView<Space> dofs;
  Array<const double*, Space> jumps;
  Array<double*, Space> nodal;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (dofs.is_free(dofs.node_dof(n)))
      nodal(n) += jumps(n);
  }
};

template <class Space> struct AddJumpsToFixed {
  DofKinds kinds;
  Array<const index_t*, Space> node_dof;
  Array<const group_t*, Space> node_constraint;
  Array<const double*, Space> jumps;
  Array<double*, Space> fixed_values;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (kinds.is_free(node_dof(n)))
      return;
    double& value = fixed_values(kinds.fixed_index(node_dof(n)));
    const bool is_pinned = node_constraint(n) == DofMap<Space>::unconstrained;
    value = (is_pinned ? 0. : value) + jumps(n);
  }
};

template <class Space> struct SetJumps {
  Array<const index_t*, Space> nodes;
  Array<const double*, Space> values;
  Array<double*, Space> jumps;
  KOKKOS_FUNCTION void operator()(index_t i) const { jumps(nodes(i)) = values(i); }
};

/// Identified nodes as a graph, on the host: [node] neighbours, each with the value of the neighbour minus the node's.
using JumpGraph = std::map<index_t, std::vector<std::pair<index_t, double>>>;

/// Values of all nodes relative to the sources. Throws if they depend on the path; `place` says where a node is.
template <class Place>
std::map<index_t, double> values_in_classes(const JumpGraph& graph, const std::map<index_t, index_t>& source_of,
                                            const std::string& where, double largest, const Place& place) {
  std::map<index_t, double> values;
  for (const auto& [node, source] : source_of)
    if (node == source)
      values.emplace(node, 0.);
  std::vector<index_t> reached;
  for (const auto& entry : values)
    reached.push_back(entry.first);
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const auto& [next, step] : graph.at(reached[i])) {
      const double value = values.at(reached[i]) + step;
      const auto [found, is_new] = values.emplace(next, value);
      if (is_new)
        reached.push_back(next);
      TESSERA_REQUIRE(std::fabs(found->second - value) <= 1e-9 * largest,
                      where << ": The jumps of the periodic boundaries contradict each other at " << place(next)
                            << ": along one chain of pairs the solution there exceeds that at another place by "
                            << value << ", along another chain by " << found->second << '.');
    }
  return values;
}

/// Moments of a group's nodes.
template <int Dim, class Space> struct Side {
  Array<index_t*, Space> list;
  double mean[Dim];
  double xx = 0.; // central second moments, 2D
  double xy = 0.;
  double yy = 0.;
};

template <int Dim, class ExecutionSpace>
Side<Dim, typename ExecutionSpace::memory_space>
make_side(const ExecutionSpace& exec, const FacetNodes<ExecutionSpace>& facet_nodes,
          const Array<group_t*, ExecutionSpace>& facet_groups, const Array<double* [Dim], ExecutionSpace>& coordinates,
          group_t group, const std::string& what) {
  using Space = typename ExecutionSpace::memory_space;
  const std::int64_t n_nodes = static_cast<std::int64_t>(coordinates.extent(0));
  auto flags = make_filled<Array<index_t*, Space>>(exec, "fe::periodic_flags", n_nodes + 1, 0);
  for_each("tessera::fe::flag_periodic_group", exec, static_cast<std::int64_t>(facet_groups.extent(0)),
           FlagGroup<Space>{facet_nodes, facet_groups, group, flags});
  const std::int64_t n = counts_to_offsets(exec, flags, n_nodes, "nodes of a boundary");
  TESSERA_REQUIRE(n > 0, what << " of a periodic pair has no facets in the mesh.");
  Side<Dim, Space> side;
  side.list = list_marked(exec, "fe::periodic_nodes", flags, n_nodes, n);
  const auto moment = [&](int i, int j, double mean_i, double mean_j) {
    return ordered_sum("tessera::fe::periodic_moment", exec, n,
                       Moment<Dim, Space>{side.list, coordinates, i, j, mean_i, mean_j}) /
           static_cast<double>(n);
  };
  for (int d = 0; d < Dim; ++d) {
    const double rough = moment(d, -1, 0., 0.);
    side.mean[d] = rough + moment(d, -1, rough, 0.); // removes the rounding error of the first sum
  }
  if (Dim == 2) {
    side.xx = moment(0, 0, side.mean[0], side.mean[0]);
    side.xy = moment(0, 1, side.mean[0], side.mean[1]);
    side.yy = moment(1, 1, side.mean[1], side.mean[1]);
  }
  return side;
}

/// Finds the direction of a straight row of nodes; returns false if it is not straight.
bool direction_of(const Side<2, HostMemory>& side, std::array<double, 2>& direction) {
  const double angle = 0.5 * std::atan2(2. * side.xy, side.xx - side.yy);
  direction = {std::cos(angle), std::sin(angle)};
  const double along = side.xx * direction[0] * direction[0] + 2. * side.xy * direction[0] * direction[1] +
                       side.yy * direction[1] * direction[1];
  return side.xx + side.yy - along <= 1e-10 * along;
}

/// Finds the motion from one side to the other if the user has not specified it.
Motion<2> find_motion(const Side<2, HostMemory>& from, const Side<2, HostMemory>& to, const std::string& what) {
  std::array<double, 2> d{};
  std::array<double, 2> e{};
  const double step[2] = {to.mean[0] - from.mean[0], to.mean[1] - from.mean[1]};
  if (!direction_of(from, d) || !direction_of(to, e))
    return Motion<2>::translation(step);
  const double sine = d[0] * e[1] - d[1] * e[0];
  const double length = std::hypot(step[0], step[1]);
  if (std::fabs(sine) < 1e-6) {
    TESSERA_REQUIRE(std::fabs(d[0] * step[1] - d[1] * step[0]) > 1e-6 * length,
                    what << " lie on one line, so that a translation and a half turn are both possible. Give one: "
                            "{with: ..., translation: [..]} or {with: ..., rotation: 180, center: [..]}.");
    return Motion<2>::translation(step);
  }
  const double s = (step[0] * e[1] - step[1] * e[0]) / sine; // from.mean + s d: intersection of the lines
  const double x = from.mean[0] + s * d[0];
  const double y = from.mean[1] + s * d[1];
  const double before[2] = {from.mean[0] - x, from.mean[1] - y};
  const double after[2] = {to.mean[0] - x, to.mean[1] - y};
  TESSERA_REQUIRE(std::hypot(before[0], before[1]) > 1e-6 * std::sqrt(from.xx + from.yy),
                  what << " cross in their middle, so that the rotation is not unique. Give it: {with: ..., rotation: "
                          "degrees, center: [..]}.");
  const double angle =
      std::atan2(before[0] * after[1] - before[1] * after[0], before[0] * after[0] + before[1] * after[1]);
  return Motion<2>::rotation_about(angle, x, y);
}

Motion<3> find_motion(const Side<3, HostMemory>& from, const Side<3, HostMemory>& to, const std::string&) {
  double step[3];
  for (int d = 0; d < 3; ++d)
    step[d] = to.mean[d] - from.mean[d];
  return Motion<3>::translation(step);
}

template <int Dim, class Space> Side<Dim, HostMemory> without_list(const Side<Dim, Space>& side) {
  Side<Dim, HostMemory> plain;
  for (int d = 0; d < Dim; ++d)
    plain.mean[d] = side.mean[d];
  plain.xx = side.xx;
  plain.xy = side.xy;
  plain.yy = side.yy;
  return plain;
}

template <class ExecutionSpace, class Functor>
double smallest(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  double result = std::numeric_limits<double>::max();
  Kokkos::parallel_reduce(label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n), functor,
                          Kokkos::Min<double>(result));
  return result;
}

/// Finds the identified nodes of one pair.
template <class Space> struct MatchedNodes {
  Array<index_t*, Space> nodes;
  Array<index_t*, Space> partners;
  index_t parity;
};

template <class ExecutionSpace, int Dim>
MatchedNodes<typename ExecutionSpace::memory_space>
match_nodes(const ExecutionSpace& exec, const FacetNodes<ExecutionSpace>& facet_nodes,
            const Array<group_t*, ExecutionSpace>& facet_groups,
            const Array<double* [Dim], ExecutionSpace>& coordinates, const PeriodicPair& pair) {
  using Space = typename ExecutionSpace::memory_space;
  const std::string prefix = pair.where.empty() ? "" : pair.where + ": ";
  const std::string what = prefix + "The periodic boundaries '" + pair.name + "' and '" + pair.partner_name + "'";
  const auto side_of = [&](group_t group, const std::string& name) {
    return make_side<Dim>(exec, facet_nodes, facet_groups, coordinates, group, prefix + "Boundary '" + name + "'");
  };
  const auto from = side_of(pair.group, pair.name);
  const auto to = side_of(pair.partner, pair.partner_name);
  const index_t n = static_cast<index_t>(from.list.extent(0));
  const index_t n_to = static_cast<index_t>(to.list.extent(0));
  TESSERA_REQUIRE(n == n_to, what << " have " << n << " and " << n_to
                                  << " nodes. Periodic boundaries need matching meshes (Gmsh: Periodic Curve or "
                                     "Periodic Surface).");
  Motion<Dim> motion;
  if (pair.map == PeriodicPair::Map::rotation) {
    TESSERA_REQUIRE(Dim == 2, what << ": a rotation needs a mesh of dimension 2.");
    motion = Motion<Dim>::rotation_about(pair.angle, pair.center[0], pair.center[1]);
  } else if (pair.map == PeriodicPair::Map::translation) {
    double vector[Dim];
    for (int d = 0; d < Dim; ++d)
      vector[d] = pair.translation[static_cast<std::size_t>(d)];
    motion = Motion<Dim>::translation(vector);
  } else {
    motion = find_motion(without_list(from), without_list(to), what);
  }

  const double edge =
      smallest("tessera::fe::shortest_periodic_edge", exec, static_cast<std::int64_t>(facet_groups.extent(0)),
               ShortestEdge<Dim, Space>{facet_nodes, facet_groups, coordinates, pair.group});
  Grid<Dim> grid;
  grid.size = edge;
  for (int d = 0; d < Dim; ++d) {
    grid.origin[d] =
        smallest("tessera::fe::periodic_extent", exec, n, Extreme<Dim, Space>{to.list, coordinates, d, 1.});
    const double upper =
        -smallest("tessera::fe::periodic_extent", exec, n, Extreme<Dim, Space>{to.list, coordinates, d, -1.});
    grid.size = std::fmax(grid.size, (upper - grid.origin[d]) / 1e6);
  }
  auto keys = make_array<Array<std::uint64_t*, Space>>(exec, "fe::periodic_keys", n);
  auto sorted = make_array<Array<index_t*, Space>>(exec, "fe::periodic_sorted", n);
  for_each("tessera::fe::periodic_keys", exec, n, CellKeys<Dim, Space>{to.list, coordinates, grid, keys, sorted});
  sort_by_key(exec, keys, sorted, n, Grid<Dim>::bits * Dim);
  auto partner = make_array<Array<index_t*, Space>>(exec, "fe::periodic_partners", n);
  const auto facets_of = [&](const Side<Dim, Space>& side, group_t group) {
    const auto means = make_filled<Array<double* [Dim], Space>>(exec, "fe::periodic_facets", n, 0.);
    const auto counts = make_filled<Array<index_t*, Space>>(exec, "fe::periodic_facet_counts", n, 0);
    for_each("tessera::fe::periodic_facets", exec, static_cast<std::int64_t>(facet_groups.extent(0)),
             AddCentroids<Dim, Space>{facet_nodes, facet_groups, coordinates, group, side.list, means, counts});
    for_each("tessera::fe::periodic_facet_means", exec, n, DivideByCounts<Dim, Space>{counts, means});
    keep_alive(exec, counts);
    return means;
  };
  const auto facets = facets_of(from, pair.group);
  const auto to_facets = facets_of(to, pair.partner);
  for_each("tessera::fe::find_partners", exec, n,
           FindPartners<Dim, Space>{from.list, coordinates, motion, grid, periodic_tolerance * edge, keys, sorted,
                                    facets, to.list, to_facets, partner});

  const auto n_alone =
      static_cast<std::int64_t>(ordered_sum("tessera::fe::count_alone", exec, n, CountAlone<Space>{partner}));
  if (n_alone > 0) {
    index_t first = n;
    Kokkos::parallel_reduce("tessera::fe::first_alone",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                            FirstAlone<Space>{partner}, Kokkos::Min<index_t>(first));
    const index_t node = read_entry(exec, from.list, first);
    const auto position =
        tessera::to_host(exec, Kokkos::subview(coordinates, std::make_pair(node, node + 1), Kokkos::ALL()));
    NearestSquare<Dim, Space> nearest{to.list, coordinates, {}};
    motion.apply(position, 0, nearest.x);
    const double distance = std::sqrt(smallest("tessera::fe::nearest_partner", exec, n, nearest));
    std::ostringstream point;
    for (int d = 0; d < Dim; ++d)
      point << (d == 0 ? "(" : ", ") << position(0, d);
    TESSERA_REQUIRE(false, what << " do not match: " << n_alone << " of " << n << " nodes have no partner. The node at "
                                << point.str() << ") is carried to a point that is " << distance
                                << " m away from the nearest node of '" << pair.partner_name
                                << "'; the shortest edge is " << edge
                                << " m. Make the meshes of both match (Gmsh: Periodic Curve or Periodic Surface), or "
                                   "give the translation or rotation when another one is meant.");
  }
  keep_alive(exec, keys, sorted, to, facets, to_facets);
  return {from.list, partner, pair.is_antiperiodic ? 1 : 0};
}

/// Labels of the classes of identified nodes.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace>
label_classes(const ExecutionSpace& exec, index_t n_nodes,
              const std::vector<MatchedNodes<typename ExecutionSpace::memory_space>>& matches, bool has_signs) {
  using Space = typename ExecutionSpace::memory_space;
  const auto label = make_array<Array<index_t*, Space>>(exec, "fe::node_classes", n_nodes);
  for_each("tessera::fe::own_label", exec, n_nodes, OwnLabel<Space>{label});
  const auto changed = make_array<Array<index_t*, Space>>(exec, "fe::labels_changed", 1);
  do {
    fill(exec, changed, 0);
    for (const MatchedNodes<Space>& match : matches)
      for_each("tessera::fe::spread_labels", exec, static_cast<std::int64_t>(match.nodes.extent(0)),
               SpreadLabels<Space>{match.nodes, match.partners, match.parity, label, changed});
  } while (read_entry(exec, changed, 0) != 0);
  if (has_signs) {
    const auto is_zero = make_filled<Array<index_t*, Space>>(exec, "fe::zero_classes", n_nodes, 0);
    for (const MatchedNodes<Space>& match : matches)
      for_each("tessera::fe::find_contradictions", exec, static_cast<std::int64_t>(match.nodes.extent(0)),
               FindContradictions<Space>{match.nodes, match.partners, match.parity, label, is_zero});
    for_each("tessera::fe::mark_zeros", exec, n_nodes, MarkZeros<Space>{is_zero, label});
    keep_alive(exec, is_zero);
  }
  return label;
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
NodeClasses<typename ExecutionSpace::memory_space>
identify_nodes(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
               const std::vector<PeriodicPair>& pairs) {
  using Space = typename ExecutionSpace::memory_space;
  NodeClasses<Space> classes;
  if (pairs.empty())
    return classes;
  const index_t n_nodes = space.n_nodes();
  TESSERA_REQUIRE_KIND(n_nodes < std::numeric_limits<index_t>::max() / 2, ErrorKind::resource,
                       "Periodic boundaries need a mesh of fewer than 2^30 nodes, this one has " << n_nodes << ".");
  const FacetNodes<Space> facet_nodes = space.facet_nodes;
  std::vector<MatchedNodes<Space>> matches;
  for (const PeriodicPair& pair : pairs) {
    matches.push_back(match_nodes<ExecutionSpace, Dim>(exec, facet_nodes, mesh.facet_groups, space.coordinates, pair));
    classes.has_signs = classes.has_signs || pair.is_antiperiodic;
  }
  classes.label = label_classes(exec, n_nodes, matches, classes.has_signs);
  keep_alive(exec, matches);
  return classes;
}

template <class ExecutionSpace, int Dim, int Order>
Array<double*, typename ExecutionSpace::memory_space>
jumps_of_nodes(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
               const std::vector<PeriodicPair>& pairs, const std::vector<double>& jumps,
               const DofMap<typename ExecutionSpace::memory_space>& dofs) {
  using Space = typename ExecutionSpace::memory_space;
  const FacetNodes<Space> facet_nodes = space.facet_nodes;
  JumpGraph graph;
  std::string where;
  double largest = 0.;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto match =
        match_nodes<ExecutionSpace, Dim>(exec, facet_nodes, mesh.facet_groups, space.coordinates, pairs[p]);
    const auto nodes = tessera::to_host(exec, match.nodes);
    const auto partners = tessera::to_host(exec, match.partners);
    for (std::size_t i = 0; i < nodes.extent(0); ++i) {
      graph[partners(i)].emplace_back(nodes(i), jumps[p]);
      graph[nodes(i)].emplace_back(partners(i), -jumps[p]);
    }
    where = jumps[p] != 0. ? pairs[p].where : where;
    largest = std::fmax(largest, std::fabs(jumps[p]));
  }
  std::vector<std::int64_t> nodes;
  for (const auto& entry : graph)
    nodes.push_back(entry.first);
  const std::vector<index_t> sources = read_entries(exec, dofs.node_source, nodes);
  std::map<index_t, index_t> source_of;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    source_of.emplace(static_cast<index_t>(nodes[i]), sources[i]);
  const auto place = [&](index_t node) {
    const auto position =
        tessera::to_host(exec, Kokkos::subview(space.coordinates, std::make_pair(node, node + 1), Kokkos::ALL()));
    std::ostringstream text;
    for (int d = 0; d < Dim; ++d)
      text << (d == 0 ? "(" : ", ") << position(0, d);
    text << ')';
    return text.str();
  };
  const std::map<index_t, double> values = values_in_classes(graph, source_of, where, largest, place);
  std::vector<index_t> list;
  std::vector<double> of_list;
  for (const auto& [node, value] : values) {
    list.push_back(node);
    of_list.push_back(value);
  }
  const auto result = make_filled<Array<double*, Space>>(exec, "fe::jumps_of_nodes", space.n_nodes(), 0.);
  const auto list_table = uploaded(exec, "fe::jump_nodes", list);
  const auto value_table = uploaded(exec, "fe::jump_values", of_list);
  for_each("tessera::fe::set_jumps", exec, static_cast<std::int64_t>(list.size()),
           SetJumps<Space>{list_table, value_table, result});
  keep_alive(exec, list_table, value_table);
  return result;
}

template <class ExecutionSpace, int Dim, int Order>
index_t pin_first_node(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                       const PeriodicPair& pair, NodeClasses<typename ExecutionSpace::memory_space>& classes) {
  using Space = typename ExecutionSpace::memory_space;
  const FacetNodes<Space> facet_nodes = space.facet_nodes;
  const auto side = make_side<Dim>(exec, facet_nodes, mesh.facet_groups, space.coordinates, pair.group,
                                   pair.where + ": Boundary '" + pair.name + "'");
  const index_t first = read_entry(exec, side.list, 0);
  const index_t root = NodeClasses<Space>::root(read_entry(exec, classes.label, first));
  for_each("tessera::fe::pin_class", exec, space.n_nodes(), PinClass<Space>{root, classes.label});
  return root;
}

template <class ExecutionSpace>
void add_jumps(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
               const Array<const double*, ExecutionSpace>& jumps, const Array<double*, ExecutionSpace>& nodal) {
  using Space = typename ExecutionSpace::memory_space;
  for_each("tessera::fe::add_jumps", exec, static_cast<std::int64_t>(nodal.extent(0)),
           AddJumps<Space>{DofView<Space>(dofs), jumps, nodal});
}

template <class ExecutionSpace>
void add_jumps_to_fixed(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                        const Array<const double*, ExecutionSpace>& jumps) {
  using Space = typename ExecutionSpace::memory_space;
  for_each("tessera::fe::add_jumps_to_fixed", exec, static_cast<std::int64_t>(dofs.node_dof.extent(0)),
           AddJumpsToFixed<Space>{dofs, dofs.node_dof, dofs.node_constraint, jumps, dofs.fixed_values});
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template NodeClasses<typename SPACE::memory_space> identify_nodes<SPACE, DIM, ORDER>(                                \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const std::vector<PeriodicPair>&);               \
  template Array<double*, typename SPACE::memory_space> jumps_of_nodes<SPACE, DIM, ORDER>(                             \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const std::vector<PeriodicPair>&,                \
      const std::vector<double>&, const DofMap<typename SPACE::memory_space>&);                                        \
  template index_t pin_first_node<SPACE, DIM, ORDER>(const SPACE&,                                                     \
                                                     const mesh::Mesh<DIM, typename SPACE::memory_space>&,             \
                                                     const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&,   \
                                                     const PeriodicPair&, NodeClasses<typename SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void add_jumps<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&,                            \
                                 const Array<const double*, SPACE>&, const Array<double*, SPACE>&);                    \
  template void add_jumps_to_fixed<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&,                   \
                                          const Array<const double*, SPACE>&);                                         \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
