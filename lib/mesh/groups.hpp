// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_GROUPS_HPP
#define TESSERA_MESH_GROUPS_HPP

/// \file
/// Physical groups of a mesh by their names.

#include "mesh/mesh.hpp"

namespace tessera::mesh {

namespace detail {
group_t find_group(const std::vector<std::string>& names, const std::string& name, const char* kind);
} // namespace detail

/// Index of the region with this name. Throws an error (kind input) that lists the existing names if there is none.
template <int Dim, class MemorySpace> group_t find_region(const Mesh<Dim, MemorySpace>& mesh, const std::string& name) {
  return detail::find_group(mesh.region_names, name, "region");
}

/// Index of the boundary with this name, likewise.
template <int Dim, class MemorySpace>
group_t find_boundary(const Mesh<Dim, MemorySpace>& mesh, const std::string& name) {
  return detail::find_group(mesh.boundary_names, name, "boundary");
}

} // namespace tessera::mesh

#endif
