// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/cell_shapes.hpp"

#include <algorithm>

namespace tessera::io {

namespace {

/// Appends the triangles of a face, fans around its lowest vertex, each behind `first`.
void append_fan(const std::size_t* own, const std::vector<int>& face, const std::vector<int>& first,
                std::vector<int>& simplices) {
  const auto low = static_cast<std::size_t>(
      std::min_element(face.begin(), face.end(), [own](int a, int b) { return own[a] < own[b]; }) - face.begin());
  for (std::size_t k = 1; k + 1 < face.size(); ++k) {
    simplices.insert(simplices.end(), first.begin(), first.end());
    for (const std::size_t corner : {low, low + k, low + k + 1})
      simplices.push_back(face[corner % face.size()]);
  }
}

/// Area of a triangle, positive counterclockwise.
double area(const std::array<double, 2>& p, const std::array<double, 2>& q, const std::array<double, 2>& r) {
  return 0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
}

/// The two triangles whose smaller one is larger; of a concave quadrilateral the other diagonal lies outside.
std::vector<int> better_triangles(const std::array<std::array<double, 2>, 4>& at) {
  double smallest[2];
  for (std::size_t first = 0; first < 2; ++first) {
    const double one = area(at[first], at[first + 1], at[first + 2]);
    const double other = area(at[first], at[first + 2], at[(first + 3) % 4]);
    smallest[first] = one + other < 0. ? -std::max(one, other) : std::min(one, other);
  }
  return smallest[1] > smallest[0] ? std::vector<int>{1, 2, 3, 1, 3, 0} : std::vector<int>{0, 1, 2, 0, 2, 3};
}

} // namespace

const CellShape* find_cell_shape(int dim, int n_vertices) {
  static const std::array<CellShape, 4> shapes{
      {{2, 4, 2, {{0, 1, 2, 3}}},
       {3, 8, 6, {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}},
       {3, 6, 3, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}},
       {3, 5, 2, {{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}}}}};
  const auto* const found = std::find_if(shapes.begin(), shapes.end(), [&](const CellShape& known) {
    return known.dim == dim && known.n_vertices == static_cast<std::size_t>(n_vertices);
  });
  return found != shapes.end() ? &*found : nullptr;
}

// From the lowest vertex of all to the triangles of the faces that do not have it: those that have it are then split
// from it, too.
std::vector<int> split_cell(const CellShape& shape, const std::size_t* own,
                            const std::array<std::array<double, 2>, 4>* plane) {
  if (shape.dim == 2 && plane != nullptr)
    return better_triangles(*plane);
  std::vector<int> simplices;
  if (shape.dim == 2) {
    append_fan(own, shape.faces.front(), {}, simplices);
    return simplices;
  }
  const auto lowest = static_cast<int>(std::min_element(own, own + shape.n_vertices) - own);
  for (const std::vector<int>& face : shape.faces)
    if (std::find(face.begin(), face.end(), lowest) == face.end())
      append_fan(own, face, {lowest}, simplices);
  return simplices;
}

std::string split_note(std::size_t n_cells, int dimension) {
  return "Split " + std::to_string(n_cells) +
         (dimension == 2 ? " quadrilaterals into two triangles each."
                         : " hexahedra, prisms and pyramids into tetrahedra.");
}

} // namespace tessera::io
