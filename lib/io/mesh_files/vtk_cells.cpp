// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/vtk_cells.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::io {

const VtkCellType* find_vtk_cell(int number) {
  using Middles = std::vector<std::vector<int>>;
  const auto with = [](Middles edges, const Middles& inner) {
    edges.insert(edges.end(), inner.begin(), inner.end());
    return edges;
  };
  static const Middles triangle = {{0, 1}, {1, 2}, {2, 0}};
  static const Middles tetrahedron = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static const Middles quadrilateral = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  static const Middles hexahedron = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                     {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  static const Middles prism = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  static const Middles pyramid = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
  static const Middles sides_of_hexahedron = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}};
  static const std::vector<VtkCellType> types{
      {1, 0, 1, {}},
      {2, 0, 1, {}},
      {3, 1, 2, {}},
      {5, 2, 3, {}},
      {9, 2, 4, {}},
      {10, 3, 4, {}},
      {12, 3, 8, {}},
      {13, 3, 6, {}},
      {14, 3, 5, {}},
      {21, 1, 2, {{0, 1}}},
      {22, 2, 3, triangle},
      {23, 2, 4, quadrilateral},
      {24, 3, 4, tetrahedron},
      {25, 3, 8, hexahedron},
      {26, 3, 6, prism},
      {27, 3, 5, pyramid},
      {28, 2, 4, with(quadrilateral, {{0, 1, 2, 3}})},
      {29, 3, 8, with(with(hexahedron, sides_of_hexahedron), {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}})},
      {32, 3, 6, with(prism, {{0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}})},
      {33, 3, 8, with(hexahedron, sides_of_hexahedron)},
      {34, 2, 3, with(triangle, {{0, 1, 2}})},
      {37, 3, 5, with(pyramid, {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {0, 1, 2, 3, 4}})}};
  const auto found =
      std::find_if(types.begin(), types.end(), [number](const VtkCellType& type) { return type.number == number; });
  return found != types.end() ? &*found : nullptr;
}

std::string name_of_vtk_type(int number) {
  static const std::map<int, const char*> names{{4, "a poly-line"},
                                                {6, "a triangle strip"},
                                                {30, "a quadratic-linear quadrilateral"},
                                                {31, "a quadratic-linear prism"},
                                                {35, "a cubic line"},
                                                {36, "a quadratic polygon"},
                                                {42, "a polyhedron"}};
  if (const auto found = names.find(number); found != names.end())
    return found->second;
  return number >= 68 && number <= 74 ? "a Lagrange cell" : number >= 75 && number <= 81 ? "a Bezier cell" : "unknown";
}

void unify_vtk_cells(std::vector<std::uint8_t>& types, const std::vector<std::int64_t>& offsets,
                     std::vector<std::int64_t>& nodes) {
  const auto n_nodes = static_cast<std::int64_t>(nodes.size());
  for (std::size_t cell = 0; cell < types.size(); ++cell) {
    const std::int64_t begin = offsets[cell], end = offsets[cell + 1];
    if (begin < 0 || end < begin || end > n_nodes)
      continue;
    std::int64_t* const own = nodes.data() + begin;
    if (types[cell] == 8 && end - begin == 4) {
      types[cell] = 9;
      std::swap(own[2], own[3]);
    } else if (types[cell] == 11 && end - begin == 8) {
      types[cell] = 12;
      std::swap(own[2], own[3]);
      std::swap(own[6], own[7]);
    } else if (types[cell] == vtk_polygon && (end - begin == 3 || end - begin == 4)) {
      types[cell] = end - begin == 3 ? 5 : 9;
    }
  }
}

} // namespace tessera::io
