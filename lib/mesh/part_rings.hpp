// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PART_RINGS_HPP
#define TESSERA_MESH_PART_RINGS_HPP

namespace tessera::mesh {

/// Coarse elements at own nodes that a process's part of a refined mesh is cut from have so many rings of coarse
/// elements around them, for `n_layers` layers of refined ones: a ring is 2^n_refinements of these wide.
inline int rings_around_part(int n_refinements, int n_layers) { return n_layers / (1 << n_refinements) + 1; }

} // namespace tessera::mesh

#endif
