// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/box_part.hpp"

#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/box.hpp"
#include "mesh/box_cells.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/box_curve.hpp"
#include "mesh/parts/curve_pieces.hpp"
#include "mesh/parts/part_selection.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace tessera::mesh {

namespace {

/// Owned nodes, with positions [first, end) on the curve, or these with layers around them, and the nodes of whole
/// sides of the box.
template <int Dim, class Space> struct Owned {
  BoxGrid<Dim, Space> grid;
  std::uint64_t first;
  std::uint64_t end;
  Array<const BoxBlock<Dim>*, Space> blocks; // whose union contains the nodes; empty: owned nodes only
  BoxBlock<Dim> around;                      // bounding block of all blocks
  int whole_sides;                           // one bit per side
  index_t n_layers;                          // of cells, around owned nodes and sides

  KOKKOS_FUNCTION bool has(const GridIndex<Dim>& p) const {
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
  /// Whether an element contains both the node and an owned one: edges lead to the neighbours one step along any subset
  /// of the axes.
  KOKKOS_FUNCTION bool is_next_to(const GridIndex<Dim>& p) const {
    for (int mask = 0; mask < 1 << Dim; ++mask)
      for (int sign = -1; sign <= 1; sign += 2) {
        GridIndex<Dim> q = p;
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
  KOKKOS_FUNCTION bool has_any(const GridIndex<Dim>& lowest, const int (&corner)[Dim + 1]) const {
    bool found = false;
    for (int a = 0; a <= Dim; ++a)
      found = found || has(grid.corner(lowest, corner[a]));
    return found;
  }
  /// Whether a simplex has a facet on a side of the box that touches an element at owned nodes.
  KOKKOS_FUNCTION bool has_side(const GridIndex<Dim>& lowest, const int (&corner)[Dim + 1]) const {
    for (int side = 0; side < 2 * Dim; ++side) {
      const int normal = side / 2;
      if (lowest.i[normal] != (side % 2 == 1 ? grid.cells[normal] - 1 : 0))
        continue;
      int n_on_side = 0;
      for (int a = 0; a <= Dim; ++a)
        n_on_side += (corner[a] >> normal & 1) == side % 2 ? 1 : 0;
      for (int a = 0; a <= Dim && n_on_side == Dim; ++a)
        if ((corner[a] >> normal & 1) == side % 2 && is_next_to(grid.corner(lowest, corner[a])))
          return true;
    }
    return false;
  }
  KOKKOS_FUNCTION bool takes(const GridIndex<Dim>& lowest, const int (&corner)[Dim + 1]) const {
    return has_any(lowest, corner) || has_side(lowest, corner);
  }
  /// Whether a selected element contains the node.
  KOKKOS_FUNCTION bool takes(const GridIndex<Dim>& p) const {
    if (is_next_to(p))
      return true;
    bool is_near_side = false;
    for (int d = 0; d < Dim; ++d)
      is_near_side = is_near_side || p.i[d] <= 1 || p.i[d] >= grid.cells[d] - 1;
    for (int from = 0; from < 1 << Dim && is_near_side; ++from) { // corner of the cell at which the node is
      GridIndex<Dim> lowest = p;
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

/// Distance of selected places from the owned nodes of has(). A node that shares an element with owned ones is within
/// one step along each axis; a selected simplex at a side has such a node, and a cell's corners are up to one step
/// above its place; a node of such a simplex is in its cell.
constexpr Reach reach_of_cells{2, 1};
constexpr Reach reach_of_nodes{2, 2};

template <int Dim, class Space> struct SelectNodes {
  Owned<Dim, Space> owned;
  GridIndices<Dim, Space> indices;
  Array<index_t*, Space> numbers;
  Array<std::uint64_t*, Space> keys;
  KOKKOS_FUNCTION index_t count(std::int64_t i) const { return owned.takes(indices(static_cast<index_t>(i))) ? 1 : 0; }
  KOKKOS_FUNCTION void write(std::int64_t i, index_t position, index_t n_entries) const {
    if (n_entries == 0)
      return;
    const GridIndex<Dim> p = indices(static_cast<index_t>(i));
    numbers(position) = owned.grid.number(p);
    keys(position) = owned.grid.key(p);
  }
};

template <int Dim, class Space> struct SelectElements {
  using Cell = BoxCell<Dim>;
  Owned<Dim, Space> owned;
  GridIndices<Dim, Space> indices;
  Array<std::int64_t*, Space> numbers;
  KOKKOS_FUNCTION index_t count(std::int64_t i) const {
    const GridIndex<Dim> lowest = indices(static_cast<index_t>(i));
    index_t n = 0;
    for (int t = 0; t < Cell::n_simplices; ++t) {
      int corner[Dim + 1];
      Cell::simplex(t, corner);
      n += owned.takes(lowest, corner) ? 1 : 0;
    }
    return n;
  }
  KOKKOS_FUNCTION void write(std::int64_t i, index_t position, index_t n_entries) const {
    if (n_entries == 0)
      return;
    const GridIndex<Dim> lowest = indices(static_cast<index_t>(i));
    const std::int64_t first = std::int64_t(Cell::n_simplices) * owned.grid.cell_number(lowest);
    for (int t = 0; t < Cell::n_simplices; ++t) {
      int corner[Dim + 1];
      Cell::simplex(t, corner);
      // partly selected cells occur at the border only
      if (n_entries == Cell::n_simplices || owned.takes(lowest, corner))
        numbers(position++) = first + t;
    }
  }
};

/// Positions of elements on the curve, by their centroids, as in morton_element_order().
template <int Dim, class Space> struct ElementPositions {
  BoxGrid<Dim, Space> grid;
  Array<const std::int64_t*, Space> numbers;
  Array<std::uint64_t*, Space> keys;
  Array<index_t*, Space> order; // before sorting
  KOKKOS_FUNCTION void operator()(index_t e) const {
    order(e) = e;
    const GridIndex<Dim> lowest = grid.cell(static_cast<index_t>(numbers(e) / BoxCell<Dim>::n_simplices));
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

/// Local indices of nodes: by search, as nodes are ordered by position on the curve, and by number at equal positions.
template <int Dim, class Space> struct PartNodes {
  BoxGrid<Dim, Space> grid;
  Array<const std::uint64_t*, Space> keys;
  Array<const index_t*, Space> numbers;
  index_t n;
  CurvePieces<Space> pieces;

  KOKKOS_FUNCTION index_t operator()(const GridIndex<Dim>& p) const {
    const std::uint64_t key = grid.key(p);
    const index_t number = grid.number(p);
    const index_t piece = pieces.piece(key);
    index_t low = pieces.starts(piece);
    index_t high = pieces.starts(piece + 1);
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
  BoxGrid<Dim, Space> grid;
  Array<const index_t*, Space> numbers;
  Array<const std::uint64_t*, Space> keys;
  Array<const std::uint64_t*, Space> cuts; // first position of each process, and the end
  Owned<Dim, Space> owned;
  Array<double* [Dim], Space> coordinates;
  Array<int*, Space> owner;
  Array<std::uint8_t*, Space> is_surrounded; // empty: not requested
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const GridIndex<Dim> p = grid.node(numbers(n));
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
    const GridIndex<Dim> lowest = nodes.grid.cell(static_cast<index_t>(number / BoxCell<Dim>::n_simplices));
    int corner[Dim + 1];
    BoxCell<Dim>::simplex(static_cast<int>(number % BoxCell<Dim>::n_simplices), corner);
    for (int a = 0; a <= Dim; ++a)
      elements(e, a) = nodes(nodes.grid.corner(lowest, corner[a]));
    if (has_originals)
      original(e) = static_cast<index_t>(number);
  }
};

/// Nesting of owned nodes in coarser boxes, with the parents outside the part; two items per node. A node with odd
/// indices along some axes is between its even neighbours below and above along all of these (box_node_parents()).
template <int Dim, class Space> struct NestNodes {
  PartNodes<Dim, Space> nodes;
  index_t first_owned;
  NestedNodes<Space> nested;
  Array<const std::uint64_t*, Space> cuts;
  Array<index_t*, Space> outside;
  Array<int*, Space> owners;

  KOKKOS_FUNCTION int n_coarser(const GridIndex<Dim>& p) const {
    int level = 0;
    for (; level < nested.n_levels; ++level)
      for (int d = 0; d < Dim; ++d)
        if ((p.i[d] >> level & 1) != 0)
          return level;
    return level;
  }
  KOKKOS_FUNCTION GridIndex<Dim> position(std::int64_t item) const {
    return nodes.grid.node(nodes.numbers(first_owned + item / 2));
  }
  KOKKOS_FUNCTION GridIndex<Dim> parent(GridIndex<Dim> p, int level, int k) const {
    for (int d = 0; d < Dim; ++d)
      p.i[d] = ((p.i[d] >> level) + k) / 2 << (level + 1);
    return p;
  }
  /// Local index of a node; n if it is not in the part.
  KOKKOS_FUNCTION index_t find(const GridIndex<Dim>& p) const {
    const index_t found = nodes(p);
    return found < nodes.n && nodes.numbers(found) == nodes.grid.number(p) ? found : nodes.n;
  }
  KOKKOS_FUNCTION index_t count(std::int64_t item) const {
    const GridIndex<Dim> p = position(item);
    const int level = n_coarser(p);
    return level < nested.n_levels && find(parent(p, level, static_cast<int>(item % 2))) == nodes.n ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t item, index_t rank, index_t) const {
    const GridIndex<Dim> p = position(item);
    const int level = n_coarser(p);
    const auto node = static_cast<index_t>(item / 2);
    const auto k = static_cast<int>(item % 2);
    if (k == 0)
      nested.n_coarser(node) = level;
    nested.parents(node, k) = -1;
    if (level == nested.n_levels)
      return;
    const GridIndex<Dim> q = parent(p, level, k);
    nested.parents(node, k) = find(q);
    if (nested.parents(node, k) < nodes.n)
      return;
    nested.parents(node, k) += rank;
    outside(rank) = nodes.grid.number(q);
    owners(rank) = process_at(cuts, nodes.grid.key(q));
  }
};

/// Parents of all nodes of the part in the next coarser box, whose nodes have even indices. The order on the curve
/// along every edge is that of node numbers, as its ends differ by upward steps along some of the axes.
template <int Dim, class Space> struct CoarseParents {
  PartNodes<Dim, Space> nodes;
  Array<index_t*, Space> numbers; // by local node: 1 if it is a coarse one; after the scan the number of those before
  Array<index_t* [2], Space> parents;

  struct Mark {};
  struct Find {};

  KOKKOS_FUNCTION void operator()(Mark, index_t n) const {
    const GridIndex<Dim> p = nodes.grid.node(nodes.numbers(n));
    bool is_even = true;
    for (int d = 0; d < Dim; ++d)
      is_even = is_even && p.i[d] % 2 == 0;
    numbers(n) = is_even ? 1 : 0;
  }
  KOKKOS_FUNCTION void operator()(Find, index_t n) const {
    const GridIndex<Dim> p = nodes.grid.node(nodes.numbers(n));
    bool has_both = true;
    for (int k = 0; k < 2; ++k) {
      GridIndex<Dim> q = p;
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

/// Selects facets on the box's sides, in the order of make_box().
template <int Dim, class Space>
struct SelectFacets {
  using Cell = BoxCell<Dim>;
  PartNodes<Dim, Space> nodes;
  Owned<Dim, Space> owned;
  GridIndices<Dim, Space> indices; // cells side by side
  index_t begin[2 * Dim + 1];      // first of each side
  Array<index_t* [Dim], Space> facets;
  Array<group_t*, Space> groups;
  Array<index_t*, Space> opposite; // opposite node of the facet's element

  KOKKOS_FUNCTION GridIndex<Dim> find(std::int64_t i, int& side, int (&corner)[Dim + 1]) const {
    const auto cell = static_cast<index_t>(i / Cell::n_side_facets);
    side = 0;
    while (side < 2 * Dim - 1 && cell >= begin[side + 1])
      ++side;
    Cell::facet(side / 2, side % 2, static_cast<int>(i % Cell::n_side_facets), corner);
    return indices(cell);
  }
  KOKKOS_FUNCTION index_t count(std::int64_t i) const {
    int side;
    int corner[Dim + 1];
    const GridIndex<Dim> lowest = find(i, side, corner);
    bool touches = false;
    for (int a = 0; a < Dim; ++a)
      touches = touches || owned.is_next_to(owned.grid.corner(lowest, corner[a]));
    return touches ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t i, index_t position, index_t n_entries) const {
    if (n_entries == 0)
      return;
    int side;
    int corner[Dim + 1];
    const GridIndex<Dim> lowest = find(i, side, corner);
    for (int a = 0; a < Dim; ++a)
      facets(position, a) = nodes(owned.grid.corner(lowest, corner[a]));
    opposite(position) = nodes(owned.grid.corner(lowest, corner[Dim]));
    groups(position) = static_cast<group_t>(side);
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
    double point[Dim]; // at the lowest place in the other directions
    for (int d = 0; d < Dim; ++d)
      point[d] = d == direction ? planes(i) : curve.lower[d];
    code(i) = curve(point);
  }
};

/// Extends the blocks of owned nodes by layers.
template <int Dim, class ExecutionSpace>
void surround(const ExecutionSpace& exec, index_t n_layers, std::vector<BoxBlock<Dim>>& blocks,
              Owned<Dim, typename ExecutionSpace::memory_space>& owned) {
  owned.around = blocks.empty() ? BoxBlock<Dim>{} : blocks.front();
  for (BoxBlock<Dim>& block : blocks)
    for (int d = 0; d < Dim; ++d) {
      block.lower[d] -= n_layers;
      block.end[d] += n_layers;
      owned.around.lower[d] = std::min(owned.around.lower[d], block.lower[d]);
      owned.around.end[d] = std::max(owned.around.end[d], block.end[d]);
    }
  owned.blocks = uploaded(exec, "mesh::blocks_of_part", blocks);
}

/// All places of the box's cells or, with n_more = 1, of its nodes.
template <int Dim> BoxBlock<Dim> whole_block(const std::array<index_t, Dim>& cells, index_t n_more) {
  BoxBlock<Dim> block{};
  for (int d = 0; d < Dim; ++d)
    block.end[d] = cells[static_cast<std::size_t>(d)] + n_more;
  return block;
}

/// The part of a block on a side of the box, `n_positions` thick.
template <int Dim> BoxBlock<Dim> side_of(BoxBlock<Dim> block, int side, index_t n_positions) {
  const int normal = side / 2;
  if (side % 2 == 1)
    block.lower[normal] = std::max(block.lower[normal], block.end[normal] - n_positions);
  else
    block.end[normal] = std::min(block.end[normal], block.lower[normal] + n_positions);
  return block;
}

template <int Dim, class ExecutionSpace>
void nest_owned_nodes(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells,
                      NestNodes<Dim, typename ExecutionSpace::memory_space> work,
                      MeshPart<Dim, typename ExecutionSpace::memory_space>& part) {
  using Space = typename ExecutionSpace::memory_space;
  NestedPart<Space>& nested = part.nested;
  nested.n_levels = n_coarser_boxes<Dim>(cells);
  if (nested.n_levels == 0)
    return;
  nested.n_coarser = make_array<Array<index_t*, Space>>(exec, "mesh::coarser_meshes", part.n_owned);
  nested.parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::nested_parents", part.n_owned);
  work.nested = nested;
  list_selected(exec, std::int64_t(2) * part.n_owned, work, "parents outside of a part", [&](index_t n_outside) {
    work.outside = make_array<Array<index_t*, Space>>(exec, "mesh::parents_outside", n_outside);
    work.owners = make_array<Array<int*, Space>>(exec, "mesh::owners_outside", n_outside);
  });
  const auto outside = tessera::to_host(exec, work.outside);
  const auto owners = tessera::to_host(exec, work.owners);
  nested.outside.assign(outside.data(), outside.data() + outside.extent(0));
  nested.owners_of_outside.assign(owners.data(), owners.data() + owners.extent(0));
}

/// The places of owned nodes, of layers around them and of whole sides, and the selected places.
template <int Dim, class ExecutionSpace> struct PartExtent {
  using Space = typename ExecutionSpace::memory_space;
  Owned<Dim, Space> owned;
  std::vector<BoxBlock<Dim>> blocks; // containing all nodes of owned.has()
  BoxBlock<Dim> nodes;               // all nodes of the box
  BoxBlock<Dim> cells;
};

template <int Dim, class ExecutionSpace>
GridIndices<Dim, typename ExecutionSpace::memory_space> on_device(const ExecutionSpace& exec,
                                                                  const BoxSlabs<Dim>& listed) {
  return {uploaded(exec, "mesh::slabs_of_part", listed.slabs)};
}

/// Lists the nodes, in the order of the curve.
template <int Dim, class ExecutionSpace>
SelectNodes<Dim, typename ExecutionSpace::memory_space> list_nodes(const ExecutionSpace& exec,
                                                                   const PartExtent<Dim, ExecutionSpace>& extent) {
  BoxSlabs<Dim> listed;
  listed.add(extent.blocks, reach_of_nodes, extent.nodes);
  SelectNodes<Dim, typename ExecutionSpace::memory_space> nodes{extent.owned, on_device(exec, listed), {}, {}};
  const index_t n =
      list_selected(exec, listed.n_positions, nodes, "nodes of a process's part of the box", [&](index_t total) {
        nodes.numbers = make_array<decltype(nodes.numbers)>(exec, "mesh::original_node", total);
        nodes.keys = make_array<decltype(nodes.keys)>(exec, "mesh::node_positions", total);
      });
  sort_by_key(exec, nodes.keys, nodes.numbers, n, Dim * curve_bits<Dim>);
  return nodes;
}

/// Makes the elements, in the order of the curve.
template <int Dim, class ExecutionSpace>
void make_elements(const ExecutionSpace& exec, const PartExtent<Dim, ExecutionSpace>& extent,
                   const PartNodes<Dim, typename ExecutionSpace::memory_space>& nodes, bool has_originals,
                   Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  BoxSlabs<Dim> listed;
  listed.add(extent.blocks, reach_of_cells, extent.cells);
  SelectElements<Dim, Space> elements{extent.owned, on_device(exec, listed), {}};
  const index_t n =
      list_selected(exec, listed.n_positions, elements, "elements of a process's part of the box", [&](index_t total) {
        elements.numbers = make_array<decltype(elements.numbers)>(exec, "mesh::box_elements", total);
      });
  const auto positions = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::curve_keys", n);
  const auto order = make_array<Array<index_t*, Space>>(exec, "mesh::element_order", n);
  for_each("tessera::mesh::element_positions", exec, n,
           ElementPositions<Dim, Space>{nodes.grid, elements.numbers, positions, order});
  sort_by_key(exec, positions, order, n, Dim * curve_bits<Dim>);
  mesh.elements = make_array<decltype(mesh.elements)>(exec, "mesh::elements", n);
  mesh.regions = make_filled<decltype(mesh.regions)>(exec, "mesh::regions", n, 0);
  mesh.original_element =
      make_array<decltype(mesh.original_element)>(exec, "mesh::original_element", has_originals ? n : 0);
  for_each(
      "tessera::mesh::part_elements", exec, n,
      FillElements<Dim, Space>{nodes, elements.numbers, order, has_originals, mesh.elements, mesh.original_element});
  keep_alive(exec, elements, positions, order);
}

/// Makes the facets; returns the node of each facet's element that is opposite to it.
template <int Dim, class ExecutionSpace>
Array<index_t*, ExecutionSpace> make_facets(const ExecutionSpace& exec, const PartExtent<Dim, ExecutionSpace>& extent,
                                            const PartNodes<Dim, typename ExecutionSpace::memory_space>& nodes,
                                            Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  SelectFacets<Dim, Space> facets{nodes, extent.owned, {}, {}, {}, {}, {}};
  BoxSlabs<Dim> listed;
  for (int side = 0; side < 2 * Dim; ++side) {
    listed.add(extent.blocks, reach_of_cells, side_of<Dim>(extent.cells, side, 1));
    facets.begin[side + 1] = listed.n_positions;
  }
  facets.indices = on_device(exec, listed);
  list_selected(exec, std::int64_t(BoxCell<Dim>::n_side_facets) * listed.n_positions, facets,
                "facets of a process's part of the box", [&](index_t total) {
                  mesh.facets = make_array<decltype(mesh.facets)>(exec, "mesh::facets", total);
                  mesh.facet_groups = make_array<decltype(mesh.facet_groups)>(exec, "mesh::facet_groups", total);
                  facets.facets = mesh.facets;
                  facets.groups = mesh.facet_groups;
                  facets.opposite = make_array<decltype(facets.opposite)>(exec, "mesh::facet_opposites", total);
                });
  return facets.opposite;
}

} // namespace

template <int Dim, class ExecutionSpace>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_box_part(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
              const std::array<double, Dim>& upper, int rank, int n_parts, int n_layers, const WholeGroups& whole,
              CoarserMeshes coarser, const std::vector<std::uint64_t>& given_cuts) {
  using Space = typename ExecutionSpace::memory_space;
  check_box<Dim>(cells, lower, upper);
  MeshPart<Dim, Space> part;
  BoxGrid<Dim, Space> grid{};
  std::int64_t n_cells = 1;
  part.n_nodes_of_all = 1;
  for (int d = 0; d < Dim; ++d) {
    grid.cells[d] = cells[d];
    part.n_nodes_of_all *= static_cast<std::int64_t>(cells[d]) + 1;
    checked_index(part.n_nodes_of_all, "nodes of the box");
    n_cells *= cells[d];
  }
  part.n_elements_of_all = n_cells * BoxCell<Dim>::n_simplices;
  for (const index_t n : cells)
    part.n_facets_of_all += 2 * (n_cells / n) * BoxCell<Dim>::n_side_facets;
  grid.curve = curve_through<Dim>({lower, upper});
  part.curve = grid.curve;
  BoxCodes<Dim> codes;
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
      given_cuts.empty() ? cut_box_curve<Dim>(codes, part.n_nodes_of_all, n_parts) : given_cuts;
  const std::uint64_t first = cuts[static_cast<std::size_t>(rank)];
  const std::uint64_t end = cuts[static_cast<std::size_t>(rank) + 1];
  PartExtent<Dim, ExecutionSpace> extent{{grid, first, end, {}, {}, 0, n_layers},
                                         blocks_on_curve<Dim>(codes, first, end),
                                         whole_block<Dim>(cells, 1),
                                         whole_block<Dim>(cells, 0)};
  if (n_layers > 0)
    surround<Dim, ExecutionSpace>(exec, n_layers, extent.blocks, extent.owned);
  for (const group_t side : whole.boundaries) {
    extent.owned.whole_sides |= 1 << side;
    extent.blocks.push_back(side_of<Dim>(extent.nodes, side, n_layers + 1));
  }

  const SelectNodes<Dim, Space> nodes = list_nodes<Dim, ExecutionSpace>(exec, extent);
  const auto n_nodes = static_cast<index_t>(nodes.numbers.extent(0));
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
           FillNodes<Dim, Space>{grid, nodes.numbers, nodes.keys, cuts_of_curve, extent.owned, mesh.coordinates,
                                 part.owner, part.is_surrounded});
  set_owned_nodes(exec, part, rank, n_parts);

  const PartNodes<Dim, Space> find{grid, nodes.keys, nodes.numbers, n_nodes,
                                   cut_into_pieces<ExecutionSpace>(exec, nodes.keys, n_nodes, first, end)};
  if (coarser != CoarserMeshes::none)
    nest_owned_nodes<Dim, ExecutionSpace>(exec, cells, {find, part.first_owned, {}, cuts_of_curve, {}, {}}, part);
  if (coarser == CoarserMeshes::elements && n_coarser_boxes<Dim>(cells) > 0)
    mesh.node_parents = {coarse_parents<Dim, ExecutionSpace>(exec, find)};
  const bool has_originals = part.n_elements_of_all <= std::numeric_limits<index_t>::max();
  make_elements<Dim, ExecutionSpace>(exec, extent, find, has_originals, mesh);
  const Array<const index_t*, ExecutionSpace> opposite = make_facets<Dim, ExecutionSpace>(exec, extent, find, mesh);

  using Nodes = Array<const index_t* [Dim], Space>;
  using ElementNodes = Array<const index_t * [Dim + 1], Space>;
  part.owned_elements = owned_items(exec, "mesh::owned_elements", ElementNodes(mesh.elements), Dim + 1,
                                    Array<const index_t*, ExecutionSpace>(), part.first_owned, part.n_owned);
  part.owned_facets =
      owned_items(exec, "mesh::owned_facets", Nodes(mesh.facets), Dim, opposite, part.first_owned, part.n_owned);
  keep_alive(exec, nodes, extent, find, cuts_of_curve, opposite);
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
