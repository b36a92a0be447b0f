// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_POLYTOPES_HPP
#define TESSERA_TESTS_SUPPORT_POLYTOPES_HPP

/// \file
/// Polytopic meshes of boxes with moved nodes.

#include "mesh/polytopes/make_polytopic_mesh.hpp"
#include "random_mesh.hpp"

#include <algorithm>

namespace tessera::test {

/// Agglomerate of each simplex of a random_box(): blocks of `width` cells per direction; in 2D with jagged sides, where
/// the upper triangles of a row of cells belong to the block of the next row. Width 0: every simplex is an agglomerate.
template <int Dim, class ExecutionSpace>
std::vector<index_t> block_parts(const ExecutionSpace& exec,
                                 const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                 const std::array<index_t, Dim>& cells, index_t width) {
  const auto original = to_host(exec, mesh.original_element);
  const index_t per_cell = Dim == 2 ? 2 : 6;
  std::vector<index_t> parts;
  for (index_t s = 0; s < mesh.n_elements(); ++s) {
    index_t cell = original(s) / per_cell;
    index_t part = 0;
    index_t stride = 1;
    for (int d = 0; width > 0 && d < Dim; ++d) {
      index_t position = cell % cells[d];
      cell /= cells[d];
      if (Dim == 2 && d == 1 && original(s) % per_cell == 1)
        position = std::min(position + 1, cells[d] - 1);
      part += stride * (position / width);
      stride *= (cells[d] + width - 1) / width;
    }
    parts.push_back(width > 0 ? part : s);
  }
  return parts;
}

/// random_box(), agglomerated to blocks.
template <int Dim, class ExecutionSpace>
mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
polytopic_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, index_t width, unsigned seed = 7) {
  const auto box = random_box<Dim>(exec, cells, seed);
  const Array<const index_t*, ExecutionSpace> parts = array_of(exec, block_parts<Dim>(exec, box, cells, width));
  return mesh::make_polytopic_mesh(exec, box, parts);
}

} // namespace tessera::test

#endif
