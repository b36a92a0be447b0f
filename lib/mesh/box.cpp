// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/box.hpp"

#include "core/tagged_loop.hpp"
#include "mesh/box_cells.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct BoxBuilder {
  using Cell = BoxCell<Dim>;
  static constexpr int per_cell = Cell::n_simplices;
  static constexpr int per_face_cell = Cell::n_side_facets;

  Array<double* [Dim], Space> coordinates;
  Array<index_t * [Dim + 1], Space> elements;
  Array<index_t* [Dim], Space> facets;
  Array<group_t*, Space> facet_groups;
  index_t cells[Dim];
  index_t strides[Dim]; // of node indices
  double lower[Dim];
  double upper[Dim];
  index_t face_begin[2 * Dim + 1]; // first facet of each side

  struct Nodes {};
  struct Elements {};
  struct Facets {};

  KOKKOS_FUNCTION void operator()(Nodes, index_t node) const {
    index_t rest = node;
    for (int d = 0; d < Dim; ++d) {
      const index_t i = rest % (cells[d] + 1);
      rest /= cells[d] + 1;
      coordinates(node, d) = box_plane(lower[d], upper[d], cells[d], i);
    }
  }

  KOKKOS_FUNCTION index_t node_at(index_t lowest, int corner) const {
    index_t node = lowest;
    for (int d = 0; d < Dim; ++d)
      node += (corner >> d & 1) * strides[d];
    return node;
  }

  KOKKOS_FUNCTION void operator()(Elements, index_t cell) const {
    index_t rest = cell;
    index_t lowest = 0;
    for (int d = 0; d < Dim; ++d) {
      lowest += (rest % cells[d]) * strides[d];
      rest /= cells[d];
    }
    for (int t = 0; t < per_cell; ++t) {
      int corner[Dim + 1];
      Cell::simplex(t, corner);
      for (int a = 0; a <= Dim; ++a)
        elements(cell * per_cell + t, a) = node_at(lowest, corner[a]);
    }
  }

  KOKKOS_FUNCTION void operator()(Facets, index_t facet) const {
    int side = 0;
    while (side < 2 * Dim - 1 && facet >= face_begin[side + 1])
      ++side;
    const int normal = side / 2;
    index_t rest = (facet - face_begin[side]) / per_face_cell;
    const int t = (facet - face_begin[side]) % per_face_cell;
    index_t lowest = side % 2 == 1 ? (cells[normal] - 1) * strides[normal] : 0;
    for (int d = 0; d < Dim; ++d) {
      if (d == normal)
        continue;
      lowest += (rest % cells[d]) * strides[d];
      rest /= cells[d];
    }
    int corner[Dim + 1];
    Cell::facet(normal, side % 2, t, corner);
    for (int a = 0; a < Dim; ++a)
      facets(facet, a) = node_at(lowest, corner[a]);
    facet_groups(facet) = static_cast<group_t>(side);
  }
};

/// A node with odd indices in some directions is the midpoint of the edge between its even neighbours below and above
/// in all of these, as cells are cut along the diagonal from the lowest to the highest corner.
template <int Dim, class Space> struct BoxParents {
  index_t cells[Dim];
  Array<index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    index_t rest = node;
    index_t stride = 1; // of the coarse box
    index_t ends[2] = {0, 0};
    for (int d = 0; d < Dim; ++d) {
      const index_t i = rest % (cells[d] + 1);
      rest /= cells[d] + 1;
      ends[0] += i / 2 * stride;
      ends[1] += (i + 1) / 2 * stride;
      stride *= cells[d] / 2 + 1;
    }
    parents(node, 0) = ends[0];
    parents(node, 1) = ends[1];
  }
};

} // namespace

std::vector<std::string> box_regions() { return {"domain"}; }

std::vector<std::string> box_boundaries(int dimension) {
  std::vector<std::string> names{"left", "right", "bottom", "top"};
  if (dimension == 3)
    names.insert(names.end(), {"back", "front"});
  return names;
}

template <int Dim>
void check_box(const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
               const std::array<double, Dim>& upper) {
  const char* axis_names[] = {"x", "y", "z"};
  for (std::size_t d = 0; d < Dim; ++d) {
    TESSERA_REQUIRE(cells[d] >= 1, "A box needs at least one cell in " << axis_names[d] << ", not " << cells[d] << ".");
    TESSERA_REQUIRE(std::isfinite(lower[d]) && std::isfinite(upper[d]) && lower[d] < upper[d],
                    "A box's lower corner (" << lower[d] << ") must lie below its upper corner (" << upper[d] << ") in "
                                             << axis_names[d] << ".");
  }
}

template <int Dim, class ExecutionSpace>
Mesh<Dim, typename ExecutionSpace::memory_space>
make_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
         const std::array<double, Dim>& upper) {
  using Space = typename ExecutionSpace::memory_space;
  using Builder = BoxBuilder<Dim, Space>;
  check_box<Dim>(cells, lower, upper);
  Builder builder{};
  std::int64_t n_nodes = 1;
  std::int64_t n_cells = 1;
  for (int d = 0; d < Dim; ++d) {
    builder.cells[d] = cells[d];
    builder.strides[d] = checked_index(n_nodes, "nodes of the box");
    builder.lower[d] = lower[d];
    builder.upper[d] = upper[d];
    n_nodes *= static_cast<std::int64_t>(cells[d]) + 1;
    n_cells *= cells[d];
    checked_index(n_nodes, "nodes of the box");
    checked_index(n_cells * Builder::per_cell, "elements of the box");
  }
  builder.face_begin[0] = 0;
  for (int side = 0; side < 2 * Dim; ++side)
    builder.face_begin[side + 1] = checked_index(
        builder.face_begin[side] + n_cells / cells[side / 2] * Builder::per_face_cell, "facets of the box");
  const index_t n_elements = static_cast<index_t>(n_cells * Builder::per_cell);
  const index_t n_facets = builder.face_begin[2 * Dim];

  Mesh<Dim, Space> mesh;
  mesh.coordinates = make_array<decltype(mesh.coordinates)>(exec, "mesh::coordinates", n_nodes);
  mesh.elements = make_array<decltype(mesh.elements)>(exec, "mesh::elements", n_elements);
  mesh.regions = make_filled<decltype(mesh.regions)>(exec, "mesh::regions", n_elements, 0);
  mesh.facets = make_array<decltype(mesh.facets)>(exec, "mesh::facets", n_facets);
  mesh.facet_groups = make_array<decltype(mesh.facet_groups)>(exec, "mesh::facet_groups", n_facets);
  mesh.region_names = box_regions();
  mesh.boundary_names = box_boundaries(Dim);

  builder.coordinates = mesh.coordinates;
  builder.elements = mesh.elements;
  builder.facets = mesh.facets;
  builder.facet_groups = mesh.facet_groups;
  for_each_tagged<typename Builder::Nodes>("tessera::mesh::box_nodes", exec, static_cast<index_t>(n_nodes), builder);
  for_each_tagged<typename Builder::Elements>("tessera::mesh::box_elements", exec, static_cast<index_t>(n_cells),
                                              builder);
  for_each_tagged<typename Builder::Facets>("tessera::mesh::box_facets", exec, n_facets, builder);
  return mesh;
}

template <int Dim> int n_coarser_boxes(std::array<index_t, Dim> cells) {
  const auto can_be_halved = [](index_t n) { return n % 2 == 0 && n / 2 >= 2; };
  int n_boxes = 0;
  for (; std::all_of(cells.begin(), cells.end(), can_be_halved); ++n_boxes)
    for (index_t& n : cells)
      n /= 2;
  return n_boxes;
}

template <int Dim, class ExecutionSpace>
std::vector<Array<index_t* [2], typename ExecutionSpace::memory_space>>
box_node_parents(const ExecutionSpace& exec, std::array<index_t, Dim> cells) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<Array<index_t* [2], Space>> levels;
  for (int n_boxes = n_coarser_boxes<Dim>(cells); n_boxes > 0; --n_boxes) {
    BoxParents<Dim, Space> finder;
    std::int64_t n_nodes = 1;
    for (int d = 0; d < Dim; ++d) {
      finder.cells[d] = cells[d];
      n_nodes *= static_cast<std::int64_t>(cells[d]) + 1;
      cells[d] /= 2;
    }
    finder.parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::node_parents", n_nodes);
    for_each("tessera::mesh::box_parents", exec, n_nodes, finder);
    levels.push_back(finder.parents);
  }
  return levels;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Mesh<Dim, Space::memory_space> make_box<Dim, Space>(                                                        \
      const Space&, const std::array<index_t, Dim>&, const std::array<double, Dim>&, const std::array<double, Dim>&);  \
  template std::vector<Array<index_t* [2], Space::memory_space>> box_node_parents<Dim, Space>(                         \
      const Space&, std::array<index_t, Dim>);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM
    template void check_box<2>(const std::array<index_t, 2>&, const std::array<double, 2>&,
                               const std::array<double, 2>&);
template int n_coarser_boxes<2>(std::array<index_t, 2>);
template int n_coarser_boxes<3>(std::array<index_t, 3>);
template void check_box<3>(const std::array<index_t, 3>&, const std::array<double, 3>&, const std::array<double, 3>&);

} // namespace tessera::mesh
