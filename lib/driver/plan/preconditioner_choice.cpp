// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/preconditioner_choice.hpp"

#include "assembly/strategy.hpp"
#include "io/console.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

/// Nodes of the space from which multigrid, with its set-up, is faster than Jacobi (docs/guide.md).
constexpr std::int64_t nodes_for_multigrid = 10000;

} // namespace

PreconditionerChoice choose_preconditioner(const io::Case& input, std::int64_t n_space_nodes) {
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
  const bool pays = n_space_nodes >= nodes_for_multigrid;
  return {pays ? Preconditioner::multigrid : Preconditioner::jacobi, io::format_count(n_space_nodes) +
                                                                         " nodes, multigrid pays from about " +
                                                                         io::format_count(nodes_for_multigrid)};
}

} // namespace tessera::driver
