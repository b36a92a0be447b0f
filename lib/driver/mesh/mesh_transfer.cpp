// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/mesh_transfer.hpp"

#include "core/error.hpp"
#include "core/transfer/upload.hpp"

namespace tessera::driver {

namespace {

template <class ArrayType, class ExecutionSpace, class T>
ArrayType to_array(const ExecutionSpace& exec, const char* label, const std::vector<T>& values, std::size_t n_rows) {
  const auto array = make_array<ArrayType>(exec, label, n_rows);
  upload(exec, array, values);
  return array;
}

/// Entries of an array, row by row.
template <class ExecutionSpace, class ArrayType>
std::vector<typename ArrayType::non_const_value_type> to_vector(const ExecutionSpace& exec, const ArrayType& array) {
  using T = typename ArrayType::non_const_value_type;
  std::vector<T> values(array.span());
  const Kokkos::View<T*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(values.data(), values.size());
  copy(exec, host, array);
  return values;
}

} // namespace

template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space> upload_mesh(const ExecutionSpace& exec,
                                                                   const io::ImportedMesh& from) {
  TESSERA_REQUIRE(from.dimension == Dim,
                  "The mesh is " << from.dimension << "-dimensional, but a " << Dim << "-dimensional one is wanted.");
  checked_index(static_cast<std::int64_t>(from.n_nodes()), "mesh nodes");
  checked_index(static_cast<std::int64_t>(from.n_elements()), "mesh elements");
  checked_index(static_cast<std::int64_t>(from.n_facets()), "boundary facets");
  using Mesh = mesh::Mesh<Dim, typename ExecutionSpace::memory_space>;
  using Numbers = decltype(Mesh::original_node);
  using Groups = decltype(Mesh::regions);
  Mesh to;
  to.coordinates = to_array<decltype(to.coordinates)>(exec, "mesh::coordinates", from.coordinates, from.n_nodes());
  to.elements = to_array<decltype(to.elements)>(exec, "mesh::elements", from.elements, from.n_elements());
  to.regions = to_array<Groups>(exec, "mesh::regions", from.regions, from.n_elements());
  to.facets = to_array<decltype(to.facets)>(exec, "mesh::facets", from.facets, from.n_facets());
  to.facet_groups = to_array<Groups>(exec, "mesh::facet_groups", from.facet_groups, from.n_facets());
  to.original_node = to_array<Numbers>(exec, "mesh::original_node", from.original_node, from.original_node.size());
  to.original_element =
      to_array<Numbers>(exec, "mesh::original_element", from.original_element, from.original_element.size());
  if (from.n_curved() > 0) {
    std::vector<index_t> patch(from.n_curved());
    std::vector<double> position(from.n_curved() * Dim * Dim, 0.); // vertex k is corner k of the patch
    for (std::size_t f = 0; f < patch.size(); ++f) {
      patch[f] = static_cast<index_t>(f);
      for (std::size_t k = 0; k < Dim; ++k)
        position[(f * Dim + k) * Dim + k] = 1.;
    }
    auto& curved = to.curved;
    curved.degree = from.curved_degree;
    curved.points = uploaded(exec, "mesh::curved_points", from.curved_points);
    curved.nodes = to_array<decltype(curved.nodes)>(exec, "mesh::curved_nodes", from.curved_facets, patch.size());
    curved.patch = uploaded(exec, "mesh::curved_patch", patch);
    curved.position = to_array<decltype(curved.position)>(exec, "mesh::curved_position", position, patch.size());
  }
  to.region_names = from.region_names;
  to.boundary_names = from.boundary_names;
  return to;
}

template <int Dim, class ExecutionSpace>
io::ImportedMesh download_mesh(const ExecutionSpace& exec,
                               const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& from) {
  io::ImportedMesh to;
  to.dimension = Dim;
  to.coordinates = to_vector(exec, from.coordinates);
  to.elements = to_vector(exec, from.elements);
  to.regions = to_vector(exec, from.regions);
  to.facets = to_vector(exec, from.facets);
  to.facet_groups = to_vector(exec, from.facet_groups);
  to.original_node = to_vector(exec, from.original_node);
  to.original_element = to_vector(exec, from.original_element);
  to.curved_degree = from.curved.degree;
  const auto& curved = from.curved;
  if (curved.n_facets() > 0) {
    const auto points = mesh::curved_lattice<ExecutionSpace, Dim>(exec, curved);
    to.curved_facets = to_vector(exec, curved.nodes);
    to.curved_points = to_vector(exec, points);
    exec.fence();
  }
  to.region_names = from.region_names;
  to.boundary_names = from.boundary_names;
  exec.fence();
  return to;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template mesh::Mesh<Dim, Space::memory_space> upload_mesh<Dim>(const Space&, const io::ImportedMesh&);               \
  template io::ImportedMesh download_mesh<Dim>(const Space&, const mesh::Mesh<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space) TESSERA_INSTANTIATE_DIM(Space, 2) TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
