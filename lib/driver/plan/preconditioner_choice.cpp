// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/preconditioner_choice.hpp"

#include "assembly/strategy.hpp"
#include "io/console.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

/// Whether the mesh knows coarser ones.
bool has_coarser_meshes(const io::Case& input, int dimension) {
  if (input.solver.multigrid.type == solvers::MultigridType::algebraic)
    return false;
  bool is_even_box = input.mesh.source == io::MeshSource::box;
  for (int d = 0; d < dimension && is_even_box; ++d)
    is_even_box = input.mesh.box.cells[d] % 2 == 0;
  return is_even_box || input.mesh.refine > 0;
}

/// Nodes of the space from which multigrid, with its set-up, is faster than Jacobi on 2 cores (docs/guide.md). In 3D
/// Jacobi takes few iterations and aggregates take long to make.
std::int64_t nodes_for_multigrid(const io::Case& input, int dimension) {
  if (dimension == 2)
    return 10000;
  return has_coarser_meshes(input, dimension) ? 50000 : 1000000;
}

} // namespace

PreconditionerChoice choose_preconditioner(const io::Case& input, int dimension, std::int64_t n_space_nodes) {
  using io::Preconditioner;
  const Preconditioner named = input.solver.preconditioner;
  if (named != Preconditioner::automatic)
    return {named, ""};
  if (input.solver.method != io::SolverMethod::pcg)
    return {Preconditioner::jacobi, "method " + io::name_of(input.solver.method) + " goes with it only"};
  const io::Strategy strategy = input.assembly.strategy;
  if (strategy != io::Strategy::automatic && !assembly::stores_matrix(strategy))
    return {Preconditioner::jacobi, "strategy " + io::name_of(strategy) + " has no matrix, which multigrid needs"};
  const auto& materials = input.problem.materials;
  const auto is_shell = [](const auto& material) { return material.shell.has_value(); };
  if (std::any_of(materials.begin(), materials.end(), is_shell))
    return {Preconditioner::jacobi, "multigrid does not suit a shell that stands for open space"};
  const std::int64_t needed = nodes_for_multigrid(input, dimension);
  const bool pays = n_space_nodes >= needed;
  return {pays ? Preconditioner::multigrid : Preconditioner::jacobi,
          io::format_count(n_space_nodes) + " nodes, multigrid pays from about " + io::format_count(needed)};
}

} // namespace tessera::driver
