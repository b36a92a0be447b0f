// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_GIVEN_PARTS_HPP
#define TESSERA_DRIVER_DG_GIVEN_PARTS_HPP

/// \file
/// Elements of dg that the input gives (mesh.agglomerate.from).

#include "core/transfer/upload.hpp"
#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "mesh/mesh.hpp"

#include <vector>

namespace tessera::driver {

struct GivenParts {
  std::vector<index_t> part_of; ///< of each simplex before refinement, in [0, n_parts), in the order of the mesh's file
  index_t n_parts = 0;
  index_t n_empty = 0; ///< numbers below the largest of a partition file that do not occur
};

/// Reads the parts from the partition file or takes those of the imported mesh; `n_simplices`: before refinement.
/// Throws an error of kind input if they do not fit the mesh.
GivenParts given_parts(const io::MeshOptions& options, const io::ImportedMesh& imported, std::size_t n_simplices);

/// Part of each simplex of the mesh made from the imported one; parts are inherited in refinement.
template <int Dim, class ExecutionSpace>
Array<index_t*, ExecutionSpace> parts_on_mesh(const ExecutionSpace& exec, const GivenParts& parts,
                                              const io::ImportedMesh& imported, int n_refinements,
                                              const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const auto original = to_host(exec, mesh.original_element);
  std::vector<index_t> place; // of each number of the file
  place.resize(imported.original_element.size());
  for (std::size_t e = 0; e < place.size(); ++e)
    place[static_cast<std::size_t>(imported.original_element[e])] = static_cast<index_t>(e);
  index_t n_children = 1;
  for (int level = 0; level < n_refinements; ++level)
    n_children *= Dim == 2 ? 4 : 8;
  std::vector<index_t> part(static_cast<std::size_t>(mesh.n_elements()));
  for (index_t s = 0; s < mesh.n_elements(); ++s) {
    const auto number = static_cast<std::size_t>((original.extent(0) > 0 ? original(s) : s) / n_children);
    part[static_cast<std::size_t>(s)] = parts.part_of[place.empty() ? number : static_cast<std::size_t>(place[number])];
  }
  return uploaded(exec, "driver::given_parts", part);
}

} // namespace tessera::driver

#endif
