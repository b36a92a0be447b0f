// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_ELEMENT_NUMBERS_HPP
#define TESSERA_DRIVER_DG_ELEMENT_NUMBERS_HPP

#include "io/input/case.hpp"
#include "mesh/polytopes/polytopic_mesh.hpp"

namespace tessera::driver {

/// Degree of each element, [n_elements]: that of its region, or the value of the expression at the centre of its
/// bounding box, rounded to the nearest integer. Throws an error of kind input that states the location for a value out
/// of range. bind_problem() has checked the regions' names.
template <int Dim, class ExecutionSpace>
Array<int*, ExecutionSpace>
element_degrees(const ExecutionSpace& exec, const io::DiscretizationOptions& input,
                const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Number of steps of each element within a time step, likewise; values of the expression are raised to powers of two.
template <int Dim, class ExecutionSpace>
Array<int*, ExecutionSpace> element_steps(const ExecutionSpace& exec, const io::DiscretizationOptions& input,
                                          const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::driver

#endif
