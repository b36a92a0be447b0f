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

/// Number of the region of that name. An error (kind input) lists the names there are if none has it.
template <int Dim, class MemorySpace> group_t find_region(const Mesh<Dim, MemorySpace>& mesh, const std::string& name) {
  return detail::find_group(mesh.region_names, name, "region");
}

/// Number of the boundary of that name, in the same way.
template <int Dim, class MemorySpace>
group_t find_boundary(const Mesh<Dim, MemorySpace>& mesh, const std::string& name) {
  return detail::find_group(mesh.boundary_names, name, "boundary");
}

} // namespace tessera::mesh

#endif
