// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_SIDE_FIELDS_HPP
#define TESSERA_PHYSICS_FIELDS_SIDE_FIELDS_HPP

/// \file
/// Solution, vector field and flux of a form (physics/fields/derived.hpp) at the sides of nodes.
///
/// Fields jump between regions, so a node has a side for each region that touches it: a set of elements around it among
/// which the field is continuous (docs/theory.md, "Fields at points"). If a plate without thickness or a sheet of
/// charge divides a region there, the node has one side for each of the parts.

#include "core/parallel.hpp"
#include "physics/fields/point_values.hpp"

namespace tessera::physics {

/// Sides ascend by the original index of their node, then by region, then by their first element.
template <int Dim, class MemorySpace> struct SideFields {
  Array<index_t*, MemorySpace> of_elements;      ///< side of each node of each element, [n_elements * nodes per
                                                 ///< element]
  Array<index_t*, MemorySpace> nodes;            ///< [n_sides], original indices
  Array<double* [Dim], MemorySpace> coordinates; ///< m, [n_sides]
  Array<double*, MemorySpace> solution;          ///< [n_sides]
  Array<double* [Dim], MemorySpace> field;       ///< [n_sides] vector field: grad u, or B
  Array<double* [Dim], MemorySpace> flux;        ///< [n_sides] D grad u, or H
};

/// Computes field_scale * field, recovered on each side from its elements, and flux_scale * flux, the flux of the
/// recovered field in the material of the side at the node. `recovery.requested` is ignored. `original_node`:
/// [n_vertices] indices of the first nodes in the user's mesh, a permutation; empty: the same.
template <class ExecutionSpace, class Form>
SideFields<Form::dimension, typename ExecutionSpace::memory_space>
side_fields(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
            const FieldRecovery<ExecutionSpace>& recovery, const Array<const index_t*, ExecutionSpace>& original_node,
            double field_scale, double flux_scale);

} // namespace tessera::physics

#endif
