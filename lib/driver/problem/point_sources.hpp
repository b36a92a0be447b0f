// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_POINT_SOURCES_HPP
#define TESSERA_DRIVER_PROBLEM_POINT_SOURCES_HPP

/// \file
/// Point sources of the input on a mesh: what only the mesh shows of them, and the work of their loads.

#include "assembly/nodal_loads.hpp"
#include "driver/problem/problem_binding.hpp"
#include "mesh/mesh.hpp"
#include "physics/point_loads.hpp"

namespace tessera::driver {

/// Throws the error about a source outside of the mesh, with the distance to its nearest node.
template <class ExecutionSpace, int Dim>
[[noreturn]] void throw_outside(const ExecutionSpace& exec, const physics::PointSource& source,
                                const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Refuses sources in shells, and notes those that are at fixed nodes alone, where they have no effect. `loads` are
/// those of the sources, `regions` has that of each element.
template <class ExecutionSpace>
void check_sources(const ExecutionSpace& exec, const io::Case& input, const ProblemBinding& binding,
                   const std::vector<physics::PointLoad>& loads, const Array<const group_t*, ExecutionSpace>& regions,
                   const std::vector<std::string>& region_names,
                   const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, std::vector<std::string>& notes);

/// Sum of the loads times the difference of two functions, given at all nodes.
template <class ExecutionSpace>
double work_of_loads(const ExecutionSpace& exec, const std::vector<assembly::NodalLoad>& loads,
                     const Array<const double*, ExecutionSpace>& from, const Array<const double*, ExecutionSpace>& to);

} // namespace tessera::driver

#endif
