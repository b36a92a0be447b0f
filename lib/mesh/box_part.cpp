// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/box_part.hpp"

#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "core/sort.hpp"
#include "core/tagged_loop.hpp"
#include "core/upload.hpp"
#include "mesh/box.hpp"
#include "mesh/box_cells.hpp"
#include "mesh/ordering.hpp"
#include "mesh/part_selection.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace tessera::mesh {

namespace {

/// A node's places along the axes.
template <int Dim> struct Place { index_t i[Dim]; };

/// Nodes and cells of the box by their places. Numbers of nodes and cells run row by row, x fastest.
template <int Dim, class Space> struct Grid {
  index_t cells[Dim];
  Array<const double*, Space> planes[Dim];      // coordinates, [cells + 1]
  Array<const std::uint64_t*, Space> code[Dim]; // what a place adds to the node's position on the curve
  MortonCurve<Dim> curve;

  KOKKOS_FUNCTION Place<Dim> node(std::int64_t number) const {
    Place<Dim> p;
    for (int d = 0; d < Dim; ++d) {
      p.i[d] = static_cast<index_t>(number % (cells[d] + 1));
      number /= cells[d] + 1;
    }
    return p;
  }
  KOKKOS_FUNCTION std::int64_t number(const Place<Dim>& p) const {
    std::int64_t number = 0;
    for (int d = Dim - 1; d >= 0; --d)
      number = number * (cells[d] + 1) + p.i[d];
    return number;
  }
  /// Lowest corner of a cell.
  KOKKOS_FUNCTION Place<Dim> cell(std::int64_t number) const {
    Place<Dim> p;
    for (int d = 0; d < Dim; ++d) {
      p.i[d] = static_cast<index_t>(number % cells[d]);
      number /= cells[d];
    }
    return p;
  }
  KOKKOS_FUNCTION static Place<Dim> corner(Place<Dim> p, int mask) {
    for (int d = 0; d < Dim; ++d)
      p.i[d] += mask >> d & 1;
    return p;
  }
  KOKKOS_FUNCTION std::uint64_t key(const Place<Dim>& p) const {
    std::uint64_t key = 0;
    for (int d = 0; d < Dim; ++d)
      key |= code[d](p.i[d]);
    return key;
  }
};

/// Nodes from a lowest place along each axis up to one before its end.
template <int Dim> struct Block {
  index_t lower[Dim];
  index_t end[Dim];

  KOKKOS_FUNCTION bool has(const Place<Dim>& p) const {
    bool is_inside = true;
    for (int d = 0; d < Dim; ++d)
      is_inside = is_inside && p.i[d] >= lower[d] && p.i[d] < end[d];
    return is_inside;
  }
};

/// Own nodes, positions [first, end) on the curve, or these with layers around; and those of whole sides of the box.
template <int Dim, class Space> struct Owned {
  Grid<Dim, Space> grid;
  std::uint64_t first;
  std::uint64_t end;
  Array<const Block<Dim>*, Space> blocks; // whose union has the nodes; empty: own ones alone
  Block<Dim> around;                      // all blocks
  int whole_sides;                        // a bit for each side
  index_t n_layers;                       // of cells, around either

  KOKKOS_FUNCTION bool has(const Place<Dim>& p) const {
    for (int side = 0; side < 2 * Dim && whole_sides != 0; ++side)
      if ((whole_sides >> side & 1) != 0 &&
          (side % 2 == 1 ? grid.cells[side / 2] - p.i[side / 2] : p.i[side / 2]) <= n_layers)
        return true;
    if (blocks.extent(0) == 0) {
      const std::uint64_t key = grid.key(p);
      return key >= first && key < end;
    }
    bool is_inside = false;
    for (std::size_t b = 0; b < blocks.extent(0) && !is_inside && around.has(p); ++b)
      is_inside = blocks(b).has(p);
    return is_inside;
  }
  /// Whether an element has the node and an own one: edges lead to the corners beyond along any of the axes.
  KOKKOS_FUNCTION bool is_beside(const Place<Dim>& p) const {
    for (int mask = 0; mask < 1 << Dim; ++mask)
      for (int sign = -1; sign <= 1; sign += 2) {
        Place<Dim> q = p;
        bool is_inside = true;
        for (int d = 0; d < Dim; ++d) {
          q.i[d] += sign * (mask >> d & 1);
          is_inside = is_inside && q.i[d] >= 0 && q.i[d] <= grid.cells[d];
        }
        if (is_inside && has(q))
          return true;
      }
    return false;
  }
  KOKKOS_FUNCTION bool has_any(const Place<Dim>& lowest, const int (&corner)[Dim + 1]) const {
    bool found = false;
    for (int a = 0; a <= Dim; ++a)
      found = found || has(grid.corner(lowest, corner[a]));
    return found;
  }
  /// Whether a simplex has a facet on a side of the box that touches an element at own nodes.
  KOKKOS_FUNCTION bool has_side(const Place<Dim>& lowest, const int (&corner)[Dim + 1]) const {
    for (int side = 0; side < 2 * Dim; ++side) {
      const int normal = side / 2;
      if (lowest.i[normal] != (side % 2 == 1 ? grid.cells[normal] - 1 : 0))
        continue;
      int n_on_side = 0;
      for (int a = 0; a <= Dim; ++a)
        n_on_side += (corner[a] >> normal & 1) == side % 2 ? 1 : 0;
      for (int a = 0; a <= Dim && n_on_side == Dim; ++a)
        if ((corner[a] >> normal & 1) == side % 2 && is_beside(grid.corner(lowest, corner[a])))
          return true;
    }
    return false;
  }
  KOKKOS_FUNCTION bool takes(const Place<Dim>& lowest, const int (&corner)[Dim + 1]) const {
    return has_any(lowest, corner) || has_side(lowest, corner);
  }
  /// Whether an element that is taken has the node.
  KOKKOS_FUNCTION bool takes(const Place<Dim>& p) const {
    if (is_beside(p))
      return true;
    bool is_near_side = false;
    for (int d = 0; d < Dim; ++d)
      is_near_side = is_near_side || p.i[d] <= 1 || p.i[d] >= grid.cells[d] - 1;
    for (int from = 0; from < 1 << Dim && is_near_side; ++from) { // corner of the cell that the node is
      Place<Dim> lowest = p;
      bool is_cell = true;
      for (int d = 0; d < Dim; ++d) {
        lowest.i[d] -= from >> d & 1;
        is_cell = is_cell && lowest.i[d] >= 0 && lowest.i[d] < grid.cells[d];
      }
      for (int t = 0; t < BoxCell<Dim>::n_simplices && is_cell; ++t) {
        int corner[Dim + 1];
        BoxCell<Dim>::simplex(t, corner);
        bool has_node = false;
        for (int a = 0; a <= Dim; ++a)
          has_node = has_node || corner[a] == from;
        if (has_node && has_side(lowest, corner))
          return true;
      }
    }
    return false;
  }
};

template <int Dim, class Space> struct SelectNodes {
  Owned<Dim, Space> owned;
  Array<index_t*, Space> numbers;
  Array<std::uint64_t*, Space> keys;
  KOKKOS_FUNCTION std::int64_t count(std::int64_t node) const { return owned.takes(owned.grid.node(node)) ? 1 : 0; }
  KOKKOS_FUNCTION void write(std::int64_t node, std::int64_t place) const {
    const Place<Dim> p = owned.grid.node(node);
    if (!owned.takes(p))
      return;
    numbers(place) = static_cast<index_t>(node);
    keys(place) = owned.grid.key(p);
  }
};

template <int Dim, class Space> struct SelectElements {
  using Cell = BoxCell<Dim>;
  Owned<Dim, Space> owned;
  Array<std::int64_t*, Space> numbers;
  KOKKOS_FUNCTION std::int64_t count(std::int64_t cell) const {
    const Place<Dim> lowest = owned.grid.cell(cell);
    std::int64_t n = 0;
    for (int t = 0; t < Cell::n_simplices; ++t) {
      int corner[Dim + 1];
      Cell::simplex(t, corner);
      n += owned.takes(lowest, corner) ? 1 : 0;
    }
    return n;
  }
  KOKKOS_FUNCTION void write(std::int64_t cell, std::int64_t place) const {
    const Place<Dim> lowest = owned.grid.cell(cell);
    for (int t = 0; t < Cell::n_simplices; ++t) {
      int corner[Dim + 1];
      Cell::simplex(t, corner);
      if (owned.takes(lowest, corner))
        numbers(place++) = cell * Cell::n_simplices + t;
    }
  }
};

/// Position of elements on the curve, by their centroids, as morton_element_order() has it.
template <int Dim, class Space> struct ElementPositions {
  Grid<Dim, Space> grid;
  Array<const std::int64_t*, Space> numbers;
  Array<std::uint64_t*, Space> keys;
  Array<index_t*, Space> order; // before sorting
  KOKKOS_FUNCTION void operator()(index_t e) const {
    order(e) = e;
    const Place<Dim> lowest = grid.cell(numbers(e) / BoxCell<Dim>::n_simplices);
    int corner[Dim + 1];
    BoxCell<Dim>::simplex(static_cast<int>(numbers(e) % BoxCell<Dim>::n_simplices), corner);
    double point[Dim] = {};
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d)
        point[d] += grid.planes[d](lowest.i[d] + (corner[a] >> d & 1));
    for (int d = 0; d < Dim; ++d)
      point[d] /= Dim + 1;
    keys(e) = grid.curve(point);
  }
};

/// Numbers of nodes within the part: by search, for nodes are in the order of the curve, and of numbers where several
/// have one position.
template <int Dim, class Space> struct PartNodes {
  Grid<Dim, Space> grid;
  Array<const std::uint64_t*, Space> keys;
  Array<const index_t*, Space> numbers;
  index_t n;

  KOKKOS_FUNCTION index_t operator()(const Place<Dim>& p) const {
    const std::uint64_t key = grid.key(p);
    const std::int64_t number = grid.number(p);
    index_t low = 0;
    index_t high = n;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (keys(middle) < key || (keys(middle) == key && numbers(middle) < number))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

template <int Dim, class Space> struct FillNodes {
  Grid<Dim, Space> grid;
  Array<const index_t*, Space> numbers;
  Array<const std::uint64_t*, Space> keys;
  Array<const std::uint64_t*, Space> cuts; // first position of each process, and the end
  Owned<Dim, Space> owned;
  Array<double* [Dim], Space> coordinates;
  Array<int*, Space> owner;
  Array<std::uint8_t*, Space> is_surrounded; // empty: not asked for
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const Place<Dim> p = grid.node(numbers(n));
    for (int d = 0; d < Dim; ++d)
      coordinates(n, d) = grid.planes[d](p.i[d]);
    owner(n) = process_at(cuts, keys(n));
    if (is_surrounded.extent(0) > 0)
      is_surrounded(n) = owned.has(p) ? 1 : 0;
  }
};

template <int Dim, class Space> struct FillElements {
  PartNodes<Dim, Space> nodes;
  Array<const std::int64_t*, Space> numbers;
  Array<const index_t*, Space> order;
  bool has_originals;
  Array<index_t * [Dim + 1], Space> elements;
  Array<index_t*, Space> original;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const std::int64_t number = numbers(order(e));
    const Place<Dim> lowest = nodes.grid.cell(number / BoxCell<Dim>::n_simplices);
    int corner[Dim + 1];
    BoxCell<Dim>::simplex(static_cast<int>(number % BoxCell<Dim>::n_simplices), corner);
    for (int a = 0; a <= Dim; ++a)
      elements(e, a) = nodes(nodes.grid.corner(lowest, corner[a]));
    if (has_originals)
      original(e) = static_cast<index_t>(number);
  }
};

/// What own nodes are in coarser boxes, with the parents that lie outside of the part; two items of each node. An odd
/// place along some axes is between its even neighbours below and above along all of these (box_node_parents()).
template <int Dim, class Space> struct NestNodes {
  PartNodes<Dim, Space> nodes;
  index_t first_own;
  NestedNodes<Space> nested;
  Array<const std::uint64_t*, Space> cuts;
  Array<index_t*, Space> outside;
  Array<int*, Space> owners;

  KOKKOS_FUNCTION int n_coarser(const Place<Dim>& p) const {
    int level = 0;
    for (; level < nested.n_levels; ++level)
      for (int d = 0; d < Dim; ++d)
        if ((p.i[d] >> level & 1) != 0)
          return level;
    return level;
  }
  KOKKOS_FUNCTION Place<Dim> place(std::int64_t item) const {
    return nodes.grid.node(nodes.numbers(first_own + item / 2));
  }
  KOKKOS_FUNCTION Place<Dim> parent(Place<Dim> p, int level, int k) const {
    for (int d = 0; d < Dim; ++d)
      p.i[d] = ((p.i[d] >> level) + k) / 2 << (level + 1);
    return p;
  }
  /// The part's node; n where it has none there.
  KOKKOS_FUNCTION index_t find(const Place<Dim>& p) const {
    const index_t found = nodes(p);
    return found < nodes.n && nodes.numbers(found) == nodes.grid.number(p) ? found : nodes.n;
  }
  KOKKOS_FUNCTION std::int64_t count(std::int64_t item) const {
    const Place<Dim> p = place(item);
    const int level = n_coarser(p);
    return level < nested.n_levels && find(parent(p, level, static_cast<int>(item % 2))) == nodes.n ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t item, std::int64_t rank) const {
    const Place<Dim> p = place(item);
    const int level = n_coarser(p);
    const auto node = static_cast<index_t>(item / 2);
    const auto k = static_cast<int>(item % 2);
    if (k == 0)
      nested.n_coarser(node) = level;
    nested.parents(node, k) = -1;
    if (level == nested.n_levels)
      return;
    const Place<Dim> q = parent(p, level, k);
    nested.parents(node, k) = find(q);
    if (nested.parents(node, k) < nodes.n)
      return;
    nested.parents(node, k) += static_cast<index_t>(rank);
    outside(rank) = static_cast<index_t>(nodes.grid.number(q));
    owners(rank) = process_at(cuts, nodes.grid.key(q));
  }
};

/// Parents of all nodes of the part in the next coarser box, whose nodes have even places. Their order on the curve is
/// that of their numbers along every edge, whose ends differ by steps upwards along some of the axes.
template <int Dim, class Space> struct CoarseParents {
  PartNodes<Dim, Space> nodes;
  Array<index_t*, Space> numbers; // by node of the part: 1 if it is a coarse one; then the number of those before
  Array<index_t* [2], Space> parents;

  struct Mark {};
  struct Find {};

  KOKKOS_FUNCTION void operator()(Mark, index_t n) const {
    const Place<Dim> p = nodes.grid.node(nodes.numbers(n));
    bool is_even = true;
    for (int d = 0; d < Dim; ++d)
      is_even = is_even && p.i[d] % 2 == 0;
    numbers(n) = is_even ? 1 : 0;
  }
  KOKKOS_FUNCTION void operator()(Find, index_t n) const {
    const Place<Dim> p = nodes.grid.node(nodes.numbers(n));
    bool has_both = true;
    for (int k = 0; k < 2; ++k) {
      Place<Dim> q = p;
      for (int d = 0; d < Dim; ++d)
        q.i[d] = (p.i[d] + k) / 2 * 2;
      const index_t found = nodes(q);
      has_both = has_both && found < nodes.n && nodes.numbers(found) == nodes.grid.number(q);
      parents(n, k) = has_both ? numbers(found) : -1;
    }
    if (!has_both)
      parents(n, 0) = parents(n, 1) = -1;
  }
};

template <int Dim, class ExecutionSpace>
Array<index_t* [2], typename ExecutionSpace::memory_space>
coarse_parents(const ExecutionSpace& exec, const PartNodes<Dim, typename ExecutionSpace::memory_space>& nodes) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = CoarseParents<Dim, Space>;
  const Work work{nodes, make_array<Array<index_t*, Space>>(exec, "mesh::coarse_numbers", nodes.n + 1),
                  make_array<Array<index_t* [2], Space>>(exec, "mesh::node_parents", nodes.n)};
  for_each_tagged<typename Work::Mark>("tessera::mesh::mark_coarse_nodes", exec, nodes.n, work);
  counts_to_offsets(exec, work.numbers, nodes.n, "nodes of a coarser box");
  for_each_tagged<typename Work::Find>("tessera::mesh::coarse_parents", exec, nodes.n, work);
  keep_alive(exec, work);
  return work.parents;
}

/// Facets of the box's sides, in the order of make_box().
template <int Dim, class Space>
struct SelectFacets {
  using Cell = BoxCell<Dim>;
  PartNodes<Dim, Space> nodes;
  Owned<Dim, Space> owned;
  std::int64_t begin[2 * Dim + 1]; // first facet of each side
  Array<index_t* [Dim], Space> facets;
  Array<group_t*, Space> groups;
  Array<index_t*, Space> opposite; // node of the facet's element

  KOKKOS_FUNCTION Place<Dim> find(std::int64_t facet, int& side, int (&corner)[Dim + 1]) const {
    side = 0;
    while (side < 2 * Dim - 1 && facet >= begin[side + 1])
      ++side;
    const int normal = side / 2;
    std::int64_t rest = (facet - begin[side]) / Cell::n_side_facets;
    Place<Dim> lowest;
    for (int d = 0; d < Dim; ++d) {
      lowest.i[d] = side % 2 == 1 ? owned.grid.cells[d] - 1 : 0;
      if (d == normal)
        continue;
      lowest.i[d] = static_cast<index_t>(rest % owned.grid.cells[d]);
      rest /= owned.grid.cells[d];
    }
    Cell::facet(normal, side % 2, static_cast<int>((facet - begin[side]) % Cell::n_side_facets), corner);
    return lowest;
  }
  KOKKOS_FUNCTION std::int64_t count(std::int64_t facet) const {
    int side;
    int corner[Dim + 1];
    const Place<Dim> lowest = find(facet, side, corner);
    bool touches = false;
    for (int a = 0; a < Dim; ++a)
      touches = touches || owned.is_beside(owned.grid.corner(lowest, corner[a]));
    return touches ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t facet, std::int64_t place) const {
    if (count(facet) == 0)
      return;
    int side;
    int corner[Dim + 1];
    const Place<Dim> lowest = find(facet, side, corner);
    for (int a = 0; a < Dim; ++a)
      facets(place, a) = nodes(owned.grid.corner(lowest, corner[a]));
    opposite(place) = nodes(owned.grid.corner(lowest, corner[Dim]));
    groups(place) = static_cast<group_t>(side);
  }
};

template <int Dim, class Space> struct Planes {
  MortonCurve<Dim> curve;
  double lower;
  double upper;
  index_t cells;
  int direction;
  Array<double*, Space> planes;
  Array<std::uint64_t*, Space> code;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    planes(i) = box_plane(lower, upper, cells, i);
    double point[Dim]; // at the lowest place of the other directions
    for (int d = 0; d < Dim; ++d)
      point[d] = d == direction ? planes(i) : curve.lower[d];
    code(i) = curve(point);
  }
};

template <int Dim> constexpr int n_position_bits = Dim* curve_bits<Dim>;
/// Codes of the places along each axis.
template <int Dim> using Codes = std::array<std::vector<std::uint64_t>, static_cast<std::size_t>(Dim)>;
/// First of some places along the axes, and the one after their last.
template <int Dim> using Ranges = std::array<std::pair<std::size_t, std::size_t>, static_cast<std::size_t>(Dim)>;

/// The places of the whole curve.
template <int Dim> Ranges<Dim> whole_ranges(const Codes<Dim>& code) {
  Ranges<Dim> range;
  for (std::size_t d = 0; d < code.size(); ++d)
    range[d] = {0, code[d].size()};
  return range;
}

/// Halves a block of the curve at a bit: the first place along the axis of that bit in its half from `half` on.
template <int Dim>
std::size_t middle_of(const Codes<Dim>& code, const Ranges<Dim>& range, std::uint64_t half, int bit) {
  const auto axis = static_cast<std::size_t>(bit % Dim);
  std::uint64_t axis_mask = 0; // bits of the axis
  for (int b = bit % Dim; b < n_position_bits<Dim>; b += Dim)
    axis_mask |= std::uint64_t(1) << b;
  return static_cast<std::size_t>(std::lower_bound(code[axis].begin() + static_cast<std::ptrdiff_t>(range[axis].first),
                                                   code[axis].begin() + static_cast<std::ptrdiff_t>(range[axis].second),
                                                   half & axis_mask) -
                                  code[axis].begin());
}

/// Adds the blocks that make up the positions [first, end), among those that agree with `position` above `bit`.
template <int Dim>
void add_blocks(const Codes<Dim>& code, const Ranges<Dim>& range, std::uint64_t position, int bit, std::uint64_t first,
                std::uint64_t end, std::vector<Block<Dim>>& blocks) {
  for (const auto& [begin, after] : range)
    if (begin == after)
      return;
  const std::uint64_t after = position + (std::uint64_t(1) << (bit + 1));
  if (after <= first || position >= end)
    return;
  if (position >= first && after <= end) {
    Block<Dim> block;
    for (int d = 0; d < Dim; ++d) {
      block.lower[d] = static_cast<index_t>(range[static_cast<std::size_t>(d)].first);
      block.end[d] = static_cast<index_t>(range[static_cast<std::size_t>(d)].second);
    }
    blocks.push_back(block);
    return;
  }
  const std::uint64_t half = position | std::uint64_t(1) << bit;
  const auto axis = static_cast<std::size_t>(bit % Dim);
  const std::size_t middle = middle_of<Dim>(code, range, half, bit);
  Ranges<Dim> lower = range;
  Ranges<Dim> upper = range;
  lower[axis].second = middle;
  upper[axis].first = middle;
  add_blocks<Dim>(code, lower, position, bit - 1, first, end, blocks);
  add_blocks<Dim>(code, upper, half, bit - 1, first, end, blocks);
}

/// Makes the blocks of own nodes with layers around.
template <int Dim, class ExecutionSpace>
void surround(const ExecutionSpace& exec, const Codes<Dim>& code, index_t n_layers,
              Owned<Dim, typename ExecutionSpace::memory_space>& owned) {
  std::vector<Block<Dim>> blocks;
  add_blocks<Dim>(code, whole_ranges<Dim>(code), 0, n_position_bits<Dim> - 1, owned.first, owned.end, blocks);
  owned.around = blocks.empty() ? Block<Dim>{} : blocks.front();
  for (Block<Dim>& block : blocks)
    for (int d = 0; d < Dim; ++d) {
      block.lower[d] -= n_layers;
      block.end[d] += n_layers;
      owned.around.lower[d] = std::min(owned.around.lower[d], block.lower[d]);
      owned.around.end[d] = std::max(owned.around.end[d], block.end[d]);
    }
  owned.blocks = uploaded(exec, "mesh::blocks_of_part", blocks);
}

/// Cuts the curve: first position of each part, and the end. Nodes before a position are counted cube by cube, as
/// products of counts along the axes.
template <int Dim> std::vector<std::uint64_t> cut_curve(const Codes<Dim>& code, std::int64_t n_nodes, int n_parts) {
  std::vector<std::uint64_t> cuts{0};
  for (int part = 1; part < n_parts; ++part) {
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(n_nodes) / n_parts * part);
    Ranges<Dim> range = whole_ranges<Dim>(code); // of places in the cube
    std::uint64_t position = 0;
    std::int64_t before = 0;
    for (int bit = n_position_bits<Dim> - 1; bit >= 0; --bit) {
      const auto axis = static_cast<std::size_t>(bit % Dim);
      const std::uint64_t half = position | std::uint64_t(1) << bit;
      const std::size_t middle = middle_of<Dim>(code, range, half, bit);
      std::int64_t n_lower = 1;
      for (std::size_t d = 0; d < Dim; ++d)
        n_lower *= static_cast<std::int64_t>(d == axis ? middle - range[d].first : range[d].second - range[d].first);
      if (before + n_lower <= wanted) {
        before += n_lower;
        position = half;
        range[axis].first = middle;
      } else {
        range[axis].second = middle;
      }
    }
    cuts.push_back(position);
  }
  cuts.push_back(std::uint64_t(1) << n_position_bits<Dim>);
  return cuts;
}

template <int Dim, class ExecutionSpace>
void nest_own_nodes(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells,
                    NestNodes<Dim, typename ExecutionSpace::memory_space> work,
                    MeshPart<Dim, typename ExecutionSpace::memory_space>& part) {
  using Space = typename ExecutionSpace::memory_space;
  NestedPart<Space>& nested = part.nested;
  nested.n_levels = n_coarser_boxes<Dim>(cells);
  if (nested.n_levels == 0)
    return;
  nested.n_coarser = make_array<Array<index_t*, Space>>(exec, "mesh::coarser_meshes", part.n_own);
  nested.parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::nested_parents", part.n_own);
  work.nested = nested;
  const std::int64_t n_items = std::int64_t(2) * part.n_own;
  const std::int64_t n_outside = count_selected(exec, n_items, work);
  work.outside = make_array<Array<index_t*, Space>>(exec, "mesh::parents_outside", n_outside);
  work.owners = make_array<Array<int*, Space>>(exec, "mesh::owners_outside", n_outside);
  list_selected(exec, n_items, work);
  const auto outside = tessera::to_host(exec, work.outside);
  const auto owners = tessera::to_host(exec, work.owners);
  nested.outside.assign(outside.data(), outside.data() + n_outside);
  nested.owners_of_outside.assign(owners.data(), owners.data() + n_outside);
}

} // namespace

template <int Dim, class ExecutionSpace>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_box_part(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
              const std::array<double, Dim>& upper, int rank, int n_parts, int n_layers, const WholeGroups& whole,
              CoarserMeshes coarser, const std::vector<std::uint64_t>& given_cuts) {
  using Space = typename ExecutionSpace::memory_space;
  using Cell = BoxCell<Dim>;
  check_box<Dim>(cells, lower, upper);
  MeshPart<Dim, Space> part;
  Grid<Dim, Space> grid{};
  std::int64_t n_cells = 1;
  part.n_nodes_of_all = 1;
  for (int d = 0; d < Dim; ++d) {
    grid.cells[d] = cells[d];
    part.n_nodes_of_all *= static_cast<std::int64_t>(cells[d]) + 1;
    checked_index(part.n_nodes_of_all, "nodes of the box");
    n_cells *= cells[d];
  }
  part.n_elements_of_all = n_cells * Cell::n_simplices;
  grid.curve = curve_through<Dim>({lower, upper});
  part.curve = grid.curve;
  Codes<Dim> codes;
  for (int d = 0; d < Dim; ++d) {
    const auto planes = make_array<Array<double*, Space>>(exec, "mesh::box_planes", cells[d] + 1);
    const auto code = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::box_codes", cells[d] + 1);
    for_each("tessera::mesh::box_planes", exec, cells[d] + 1,
             Planes<Dim, Space>{grid.curve, lower[d], upper[d], cells[d], d, planes, code});
    grid.planes[d] = planes;
    grid.code[d] = code;
    const auto host = tessera::to_host(exec, code);
    codes[static_cast<std::size_t>(d)].assign(host.data(), host.data() + host.extent(0));
  }
  const std::vector<std::uint64_t> cuts =
      given_cuts.empty() ? cut_curve<Dim>(codes, part.n_nodes_of_all, n_parts) : given_cuts;
  const auto r = static_cast<std::size_t>(rank);
  Owned<Dim, Space> owned{grid, cuts[r], cuts[r + 1], {}, {}, 0, n_layers};
  for (const group_t side : whole.boundaries)
    owned.whole_sides |= 1 << side;
  if (n_layers > 0)
    surround<Dim, ExecutionSpace>(exec, codes, n_layers, owned);

  SelectNodes<Dim, Space> nodes{owned, {}, {}};
  const index_t n_nodes =
      checked_index(count_selected(exec, part.n_nodes_of_all, nodes), "nodes of a process's part of the box");
  nodes.numbers = make_array<decltype(nodes.numbers)>(exec, "mesh::original_node", n_nodes);
  nodes.keys = make_array<decltype(nodes.keys)>(exec, "mesh::node_positions", n_nodes);
  list_selected(exec, part.n_nodes_of_all, nodes);
  sort_by_key(exec, nodes.keys, nodes.numbers, n_nodes, Dim * curve_bits<Dim>);

  Mesh<Dim, Space>& mesh = part.mesh;
  mesh.region_names = box_regions();
  mesh.boundary_names = box_boundaries(Dim);
  mesh.original_node = nodes.numbers;
  mesh.coordinates = make_array<decltype(mesh.coordinates)>(exec, "mesh::coordinates", n_nodes);
  part.owner = make_array<decltype(part.owner)>(exec, "mesh::node_owners", n_nodes);
  part.is_surrounded = make_array<decltype(part.is_surrounded)>(exec, "mesh::surrounded_nodes",
                                                                n_layers > 0 || whole.any() ? n_nodes : 0);
  const auto cuts_of_curve = uploaded(exec, "mesh::curve_cuts", cuts);
  for_each("tessera::mesh::part_nodes", exec, n_nodes,
           FillNodes<Dim, Space>{grid, nodes.numbers, nodes.keys, cuts_of_curve, owned, mesh.coordinates, part.owner,
                                 part.is_surrounded});
  set_own_nodes(exec, part, rank, n_parts);

  SelectElements<Dim, Space> elements{owned, {}};
  const index_t n_elements =
      checked_index(count_selected(exec, n_cells, elements), "elements of a process's part of the box");
  elements.numbers = make_array<decltype(elements.numbers)>(exec, "mesh::box_elements", n_elements);
  list_selected(exec, n_cells, elements);
  const auto positions = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::curve_keys", n_elements);
  const auto order = make_array<Array<index_t*, Space>>(exec, "mesh::element_order", n_elements);
  for_each("tessera::mesh::element_positions", exec, n_elements,
           ElementPositions<Dim, Space>{grid, elements.numbers, positions, order});
  sort_by_key(exec, positions, order, n_elements, Dim * curve_bits<Dim>);
  const PartNodes<Dim, Space> find{grid, nodes.keys, nodes.numbers, n_nodes};
  if (coarser != CoarserMeshes::none)
    nest_own_nodes<Dim, ExecutionSpace>(exec, cells, {find, part.first_own, {}, cuts_of_curve, {}, {}}, part);
  if (coarser == CoarserMeshes::elements && n_coarser_boxes<Dim>(cells) > 0)
    mesh.node_parents = {coarse_parents<Dim, ExecutionSpace>(exec, find)};
  const bool has_originals = part.n_elements_of_all <= std::numeric_limits<index_t>::max();
  mesh.elements = make_array<decltype(mesh.elements)>(exec, "mesh::elements", n_elements);
  mesh.regions = make_filled<decltype(mesh.regions)>(exec, "mesh::regions", n_elements, 0);
  mesh.original_element =
      make_array<decltype(mesh.original_element)>(exec, "mesh::original_element", has_originals ? n_elements : 0);
  for_each(
      "tessera::mesh::part_elements", exec, n_elements,
      FillElements<Dim, Space>{find, elements.numbers, order, has_originals, mesh.elements, mesh.original_element});

  SelectFacets<Dim, Space> facets{find, owned, {}, {}, {}, {}};
  for (int side = 0; side < 2 * Dim; ++side)
    facets.begin[side + 1] =
        facets.begin[side] + n_cells / cells[static_cast<std::size_t>(side / 2)] * Cell::n_side_facets;
  part.n_facets_of_all = facets.begin[2 * Dim];
  const std::int64_t n_facets = count_selected(exec, part.n_facets_of_all, facets);
  mesh.facets = make_array<decltype(mesh.facets)>(exec, "mesh::facets", n_facets);
  mesh.facet_groups = make_array<decltype(mesh.facet_groups)>(exec, "mesh::facet_groups", n_facets);
  facets.facets = mesh.facets;
  facets.groups = mesh.facet_groups;
  facets.opposite = make_array<decltype(facets.opposite)>(exec, "mesh::facet_opposites", n_facets);
  list_selected(exec, part.n_facets_of_all, facets);

  using Nodes = Array<const index_t* [Dim], Space>;
  using ElementNodes = Array<const index_t * [Dim + 1], Space>;
  part.own_elements = own_items(exec, "mesh::own_elements", ElementNodes(mesh.elements), Dim + 1,
                                Array<const index_t*, ExecutionSpace>(), part.first_own, part.n_own);
  part.own_facets = own_items(exec, "mesh::own_facets", Nodes(mesh.facets), Dim,
                              Array<const index_t*, ExecutionSpace>(facets.opposite), part.first_own, part.n_own);
  keep_alive(exec, nodes.keys, elements.numbers, positions, order, cuts_of_curve, facets.opposite);
  return part;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template MeshPart<DIM, SPACE::memory_space> make_box_part<DIM, SPACE>(                                               \
      const SPACE&, const std::array<index_t, DIM>&, const std::array<double, DIM>&, const std::array<double, DIM>&,   \
      int, int, int, const WholeGroups&, CoarserMeshes, const std::vector<std::uint64_t>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_DIM(SPACE, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
