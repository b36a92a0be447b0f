// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/box_groups.hpp"

#include "core/keep_alive.hpp"
#include "core/parallel.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/box.hpp"

#include <algorithm>
#include <array>

namespace tessera::driver {

namespace {

/// A box of one cell. Bit d of a node's index is set at the upper end of axis d.
io::ImportedMesh one_cell(const io::MeshOptions& options) {
  const int dim = options.dimension;
  io::ImportedMesh mesh;
  mesh.dimension = dim;
  mesh.region_names = mesh::box_regions();
  mesh.boundary_names = mesh::box_boundaries(dim);
  for (index_t node = 0; node < 1 << dim; ++node)
    for (int d = 0; d < dim; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      mesh.coordinates.push_back(options.scale *
                                 ((node >> d & 1) != 0 ? options.box.upper[axis] : options.box.lower[axis]));
    }
  std::array<int, 3> axes{0, 1, 2}; // every order of the axes is a path from the lowest to the highest node
  do {
    index_t node = 0;
    mesh.elements.push_back(node);
    for (int k = 0; k < dim; ++k)
      mesh.elements.push_back(node += 1 << axes[static_cast<std::size_t>(k)]);
    mesh.regions.push_back(0);
  } while (std::next_permutation(axes.begin(), axes.begin() + dim));
  for (int side = 0; side < 2 * dim; ++side) {
    const int normal = side / 2;
    const index_t corner = side % 2 << normal;
    const index_t u = 1 << (normal == 0 ? 1 : 0), v = 1 << (normal == 2 ? 1 : 2);
    if (dim == 2)
      mesh.facets.insert(mesh.facets.end(), {corner, corner + u});
    else
      mesh.facets.insert(mesh.facets.end(), {corner, corner + u, corner + u + v, corner, corner + v, corner + u + v});
    mesh.facet_groups.insert(mesh.facet_groups.end(), dim == 2 ? 1 : 2, static_cast<group_t>(side));
  }
  return mesh;
}

} // namespace

io::JoinedGroups box_groups(const io::MeshOptions& options) {
  return io::plan_groups(one_cell(options), options.groups, options.scale, options.where.text());
}

io::ImportedMesh box_of_one_cell(const io::MeshOptions& options) {
  io::ImportedMesh mesh = one_cell(options);
  io::join_groups(mesh, options.groups, options.scale, options.where.text());
  return mesh;
}

template <class ExecutionSpace, int Dim>
void set_box_groups(const ExecutionSpace& exec, const io::JoinedGroups& joined,
                    mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const auto numbers = uploaded(exec, "driver::joined_groups", joined.boundaries.number);
  const auto groups = mesh.facet_groups;
  for_each(
      "tessera::driver::set_box_groups", exec, mesh.n_facets(),
      KOKKOS_LAMBDA(const index_t f) { groups(f) = numbers(groups(f)); });
  keep_alive(exec, numbers);
  mesh.region_names = joined.regions.names; // a box has one region
  mesh.boundary_names = joined.boundaries.names;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template void set_box_groups<SPACE, DIM>(const SPACE&, const io::JoinedGroups&,                                      \
                                           mesh::Mesh<DIM, typename SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
