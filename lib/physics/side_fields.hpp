// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_SIDE_FIELDS_HPP
#define TESSERA_PHYSICS_SIDE_FIELDS_HPP

/// \file
/// Solution, vector field and flux of a form (physics/derived.hpp) at the sides of nodes.
///
/// Fields jump between regions, so a node has a side for each region that touches it: a set of elements around it
/// between which the field goes on (docs/theory.md, "Fields at points"). It has more in a region that a plate without
/// thickness or a sheet of charge divides there, one for each of the parts.

#include "core/parallel.hpp"
#include "physics/point_values.hpp"

namespace tessera::physics {

/// Sides ascend by the original number of their node, then by region, then by their first element.
template <int Dim, class MemorySpace> struct SideFields {
  Array<index_t*, MemorySpace> of_elements;      ///< at each node of each element, [n_elements * nodes per element]
  Array<index_t*, MemorySpace> nodes;            ///< [n_sides], original numbers
  Array<double* [Dim], MemorySpace> coordinates; ///< m, [n_sides]
  Array<double*, MemorySpace> solution;          ///< [n_sides]
  Array<double* [Dim], MemorySpace> field;       ///< [n_sides] vector field: grad u, or B
  Array<double* [Dim], MemorySpace> flux;        ///< [n_sides] D grad u, or H
};

/// Computes field_scale * field, recovered at each side from its elements, and flux_scale * flux, that of the recovered
/// field in the material of the side at the node. `recovery.asked` has no meaning here.
/// `original_node`: [n_vertices] numbers of the first nodes in the user's mesh, a permutation; empty: the same.
template <class ExecutionSpace, class Form>
SideFields<Form::dimension, typename ExecutionSpace::memory_space>
side_fields(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
            const FieldRecovery<ExecutionSpace>& recovery, const Array<const index_t*, ExecutionSpace>& original_node,
            double field_scale, double flux_scale);

} // namespace tessera::physics

#endif
