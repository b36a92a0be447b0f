// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BINDING_POINT_SOURCES_HPP
#define TESSERA_DRIVER_PROBLEM_BINDING_POINT_SOURCES_HPP

/// \file
/// Point and line sources of the input on a mesh: checks that need the mesh, and the work of their loads.

#include "assembly/nodal_loads.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "mesh/mesh.hpp"
#include "physics/loads/line_loads.hpp"

namespace tessera::driver {

/// The loads of a source on a mesh, one for each element with a part of it; empty for elements of other processes only.
struct SourceLoads {
  std::string head; ///< beginning of messages, with place and name
  std::string name;
  std::vector<physics::PointLoad> loads;
};

/// Throws the error for a source outside the mesh, with the distance to the nearest node. `world`: the processes with
/// parts of the mesh; collective.
template <class ExecutionSpace, int Dim>
[[noreturn]] void throw_outside(const ExecutionSpace& exec, const physics::PointSource& source,
                                const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                const comm::Communicator& world);

/// Throws an error if a part of a line source is outside the mesh.
void check_inside(const physics::LineSource& source, const physics::LineLoads& loads);

/// The loads of all sources, with those of one source at a node summed; the element is any of its elements there.
std::vector<assembly::NodalLoad> sum_at_nodes(const std::vector<SourceLoads>& sources);

/// Refuses sources in shells, and notes sources at fixed nodes only, where they have no effect. `regions`: region of
/// each element. With parts each load is in one of the processes of `world`; collective.
template <class ExecutionSpace>
void check_sources(const ExecutionSpace& exec, const io::Case& input, const std::vector<SourceLoads>& sources,
                   const Array<const group_t*, ExecutionSpace>& regions, const std::vector<std::string>& region_names,
                   const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const comm::Communicator& world,
                   std::vector<std::string>& notes);

/// Each load times the difference of two functions, given at all nodes.
template <class ExecutionSpace>
std::vector<double> works_of_loads(const ExecutionSpace& exec, const std::vector<assembly::NodalLoad>& loads,
                                   const Array<const double*, ExecutionSpace>& from,
                                   const Array<const double*, ExecutionSpace>& to);

} // namespace tessera::driver

#endif
