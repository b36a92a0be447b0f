// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_STRONG_CONDITIONS_HPP
#define TESSERA_DRIVER_PROBLEM_STRONG_CONDITIONS_HPP

/// \file
/// Strong conditions: natural conditions whose coefficients are so large that they are equivalent to fixed values. The
/// flow through them is computed from the residual of the elements, as for fixed values (docs/theory.md, "Flux through
/// natural conditions").

#include "comm/communicator.hpp"
#include "core/keep_alive.hpp"
#include "core/parallel.hpp"
#include "core/upload.hpp"
#include "fe/dof_map.hpp"
#include "mesh/mark_nodes.hpp"
#include "physics/facet_conductance.hpp"
#include "physics/natural_conditions.hpp"

#include <algorithm>
#include <vector>

namespace tessera::driver::detail {

/// Boundaries are numbered as constraints followed by natural conditions.
template <class ExecutionSpace> struct StrongConditions {
  std::vector<int> is_strong;                    ///< by natural condition; empty: none is strong
  Array<group_t*, ExecutionSpace> node_boundary; ///< [n_nodes]: strong condition or constraint
  Array<double*, ExecutionSpace> node_ratio;     ///< [n_nodes], physics::CoefficientRatios

  bool any() const { return !is_strong.empty(); }
};

/// Nodes of tied constraints, whose total is prescribed, keep their constraint.
template <class Space> struct TakeStrong {
  fe::DofKinds kinds;
  ConstArray<const index_t*, Space> node_dof;
  Array<const index_t*, Space> marks; // 1 + index of a strong condition; 0: none
  int n_constraints;
  Array<group_t*, Space> node_boundary;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (marks(n) > 0 && !kinds.is_tied(node_dof(n)))
      node_boundary(n) = static_cast<group_t>(n_constraints + marks(n) - 1);
  }
};

/// Weights of the rows of unknowns from the ratios at their nodes, so that their right-hand sides count like those of
/// other rows.
template <class Space> struct WeighRows {
  fe::DofKinds kinds;
  ConstArray<const index_t*, Space> node_dof;
  Array<const double*, Space> node_ratio;
  Array<double*, Space> weights;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t dof = node_dof(n);
    if (kinds.is_free(dof) && node_ratio(n) > physics::strong_coefficient_ratio)
      Kokkos::atomic_fetch_min(&weights(dof), 1. / node_ratio(n));
  }
};

/// Finds the strong ones of the conditions `natural`. Collective.
template <class ExecutionSpace, class Form, class Facets, class Mesh, class FacetNodes>
StrongConditions<ExecutionSpace>
find_strong_conditions(const ExecutionSpace& exec, const Form& form, const Facets& facets, const Mesh& mesh,
                       const FacetNodes& facet_nodes, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                       const std::vector<physics::NaturalData>& natural, int n_constraints,
                       const comm::Communicator& world) {
  using Space = typename ExecutionSpace::memory_space;
  StrongConditions<ExecutionSpace> strong;
  if (natural.empty())
    return strong;
  const auto n_nodes = static_cast<std::int64_t>(dofs.node_dof.extent(0));
  const auto ratios = physics::coefficient_ratios<ExecutionSpace, Form::dimension, Form::order>(
      exec, form, facets, static_cast<index_t>(natural.size()), static_cast<index_t>(n_nodes));
  std::vector<int> is_strong;
  for (const double ratio : ratios.of_datum)
    is_strong.push_back(world.largest(ratio) > physics::strong_coefficient_ratio ? 1 : 0);
  if (std::count(is_strong.begin(), is_strong.end(), 1) == 0)
    return strong;
  strong.is_strong = is_strong;
  strong.node_ratio = ratios.of_node;
  std::vector<index_t> mark_of_group(mesh.boundary_names.size() + 1, 0);
  for (std::size_t i = 0; i < natural.size(); ++i)
    if (is_strong[i] != 0)
      mark_of_group.at(natural[i].group) = static_cast<index_t>(i + 1);
  const auto table = uploaded(exec, "driver::marks_of_groups", mark_of_group);
  const auto marks = make_filled<Array<index_t*, ExecutionSpace>>(exec, "driver::marks_of_nodes", n_nodes, 0);
  // the last of several wins
  mesh::mark_nodes<ExecutionSpace>(exec, facet_nodes, mesh.facet_groups, table, marks);
  strong.node_boundary = make_array<Array<group_t*, ExecutionSpace>>(exec, "driver::node_boundaries", n_nodes);
  copy(exec, strong.node_boundary, dofs.node_constraint);
  for_each("tessera::driver::take_strong", exec, n_nodes,
           TakeStrong<Space>{dofs, dofs.node_dof, marks, n_constraints, strong.node_boundary});
  keep_alive(exec, table, marks);
  return strong;
}

/// Problem::row_weights.
template <class ExecutionSpace>
Array<double*, ExecutionSpace> weigh_rows(const ExecutionSpace& exec, const StrongConditions<ExecutionSpace>& strong,
                                          const fe::DofMap<typename ExecutionSpace::memory_space>& dofs) {
  if (!strong.any())
    return {};
  const auto weights = make_filled<Array<double*, ExecutionSpace>>(exec, "driver::row_weights", dofs.n_free, 1.);
  for_each("tessera::driver::weigh_rows", exec, static_cast<std::int64_t>(strong.node_ratio.extent(0)),
           WeighRows<typename ExecutionSpace::memory_space>{dofs, dofs.node_dof, strong.node_ratio, weights});
  return weights;
}

} // namespace tessera::driver::detail

#endif
