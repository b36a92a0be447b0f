// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/preconditioner_choice.hpp"

#include "assembly/strategy.hpp"
#include "io/mesh_files/coarser_meshes.hpp"
#include "io/output/console.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

/// Fraction of anisotropic elements above which Jacobi takes many more iterations.
constexpr double large_share = 0.1;
/// Number of nodes above which multigrid pays for these: below, any solver takes only some milliseconds.
constexpr std::int64_t nodes_where_stretched = 2000;

/// Number of nodes of the space above which multigrid, including its set-up, is faster than Jacobi on 2 cores
/// (docs/running.md). In 3D Jacobi takes few iterations and aggregates take long to make. With shells both take many
/// iterations.
std::int64_t nodes_for_multigrid(const io::Case& input, int dimension, bool has_shell) {
  if (has_shell)
    return 150000;
  if (dimension == 2)
    return 10000;
  const bool is_geometric =
      input.solver.multigrid.type != solvers::MultigridType::algebraic && io::has_coarser_meshes(input.mesh);
  return is_geometric ? 50000 : 1000000;
}

} // namespace

std::string why_multigrid_needs_matrix(const io::Case& input) {
  return io::why_multigrid_needs_matrix(input.mesh, input.discretization.order.number, input.solver.multigrid);
}

PreconditionerChoice choose_preconditioner(const io::Case& input, int dimension, std::int64_t n_space_nodes,
                                           double anisotropic_share) {
  using io::Preconditioner;
  const Preconditioner named = input.solver.preconditioner;
  if (named != Preconditioner::automatic)
    return {named, ""};
  if (input.solver.method != io::SolverMethod::pcg)
    return {Preconditioner::jacobi, "method " + io::name_of(input.solver.method) + " goes with it only"};
  const io::Strategy strategy = input.assembly.strategy;
  if (strategy != io::Strategy::automatic && !assembly::stores_matrix(strategy)) {
    const std::string why = why_multigrid_needs_matrix(input);
    if (!why.empty())
      return {Preconditioner::jacobi,
              "strategy " + io::name_of(strategy) + " has no matrix, which multigrid needs, " + why};
  }
  const auto& materials = input.problem.materials;
  const auto is_shell = [](const auto& material) { return material.shell.has_value(); };
  const bool has_shell = std::any_of(materials.begin(), materials.end(), is_shell);
  std::int64_t needed = nodes_for_multigrid(input, dimension, has_shell);
  std::string where = has_shell ? " where a shell stands for open space" : "";
  if (!has_shell && anisotropic_share > large_share && nodes_where_stretched < needed) {
    needed = nodes_where_stretched;
    where = " where elements are stretched or coefficients anisotropic";
  }
  const bool pays = n_space_nodes >= needed;
  return {pays ? Preconditioner::multigrid : Preconditioner::jacobi,
          io::format_count(n_space_nodes) + " nodes, multigrid pays from about " + io::format_count(needed) + where};
}

} // namespace tessera::driver
