// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_PREPARE_MESH_HPP
#define TESSERA_DRIVER_MESH_PREPARE_MESH_HPP

/// \file
/// Meshes of cases in the memory of an execution space.

#include "driver/context.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "mesh/parts/box_part.hpp"
#include "mesh/refine/straight_edges.hpp"

#include <variant>

namespace tessera::driver {

/// The mesh of a case in the memory of an execution space: read or made, checked, refined, ordered. `with_parents`:
/// stores the coarser meshes from which it was refined (Mesh::node_parents).
template <class ExecutionSpace, int Dim>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
prepare_mesh(const ExecutionSpace& exec, const io::ImportedMesh& imported, bool with_parents, Context& context);

/// Whether each of several processes makes only its part of the mesh (execution.mesh: parts).
inline bool has_parts(const Context& context) {
  return context.world.size() > 1 && context.input.execution.mesh == io::MeshOfProcess::parts;
}

/// The process's part of the mesh of a case, refined and ordered. No process stores more of the whole mesh than the
/// mesh before refinement; for unrefined boxes not even that. `whole`: groups of the imported mesh. `cuts`: of the
/// curve, instead of those that give all processes about equal numbers of nodes (mesh::make_box_part()).
template <class ExecutionSpace, int Dim>
mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>
prepare_part(const ExecutionSpace& exec, const io::ImportedMesh& imported, const mesh::WholeGroups& whole,
             mesh::CoarserMeshes coarser, Context& context, const std::vector<std::uint64_t>& cuts = {});

/// Throws if nodes moved to a curved boundary have inverted elements; `key` is the cause ("mesh.refine").
template <class ExecutionSpace, int Dim>
void check_refined(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const io::MeshOptions& options, const char* key);

/// Notes edges on curved boundaries that stay straight because of elements that would be `what` ("inverted"), unless
/// there are none or the note exists; `key` is the cause.
void note_straight_edges(const mesh::StraightEdges& straight, int dimension, const char* key, const char* what,
                         std::vector<std::string>& notes);

/// A prepared mesh, for further problems on it.
template <class Space> struct PreparedMesh {
  std::variant<std::monostate, mesh::Mesh<2, Space>, mesh::Mesh<3, Space>> mesh;
  bool with_parents = false;
};

} // namespace tessera::driver

#endif
