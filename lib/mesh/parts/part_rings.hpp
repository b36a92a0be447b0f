// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_PART_RINGS_HPP
#define TESSERA_MESH_PARTS_PART_RINGS_HPP

namespace tessera::mesh {

/// Number of rings of coarse elements needed around those at owned nodes for `n_layers` layers of refined elements: a
/// ring is 2^n_refinements refined layers wide.
inline int rings_around_part(int n_refinements, int n_layers) { return n_layers / (1 << n_refinements) + 1; }

} // namespace tessera::mesh

#endif
