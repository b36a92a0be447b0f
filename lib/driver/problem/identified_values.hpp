// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_IDENTIFIED_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_IDENTIFIED_VALUES_HPP

#include "core/transfer/upload.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "driver/problem/node_coordinates.hpp"
#include "fe/dofs/dof_map.hpp"
#include "io/input/case.hpp"
#include "mesh/mesh.hpp"
#include "physics/expressions/expression_program.hpp"
#include "physics/forms/element_points.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tessera::driver::detail {

/// Finds nodes of fixed boundaries whose value, taken from an identified node, differs from the value that the boundary
/// prescribes at their location.
template <int Dim, class Space, class FacetNodes> struct FindContradiction {
  FacetNodes nodes;
  Array<const group_t*, Space> groups;
  Array<const int*, Space> constraint_of_group; // -1: none with fixed values
  fe::DofKinds kinds;
  Array<const index_t*, Space> node_dof;
  Array<const group_t*, Space> node_constraint;
  Array<const index_t*, Space> node_source;
  Array<const double*, Space> fixed_values;
  Array<const double* [Dim], Space> coordinates;
  physics::ExpressionProgram<Space> program;
  double tolerance;
  physics::detail::Offender<Space> offender;

  KOKKOS_FUNCTION double given(int constraint, index_t n) const {
    return program(constraint, coordinates(n, 0), coordinates(n, 1), Dim == 3 ? coordinates(n, Dim - 1) : 0., 0.);
  }
  KOKKOS_FUNCTION void operator()(index_t f) const {
    const int own = constraint_of_group(groups(f));
    const auto n_nodes = static_cast<int>(nodes.extent(1));
    for (int a = 0; own >= 0 && a < n_nodes; ++a) {
      const index_t n = nodes(f, a);
      if (node_source(n) == n || static_cast<int>(node_constraint(n)) != own || !kinds.is_fixed(node_dof(n)))
        continue;
      const double difference = given(own, n) - fixed_values(kinds.fixed_index(node_dof(n)));
      if (!(difference <= tolerance && -difference <= tolerance))
        offender.report(std::int64_t(f) * n_nodes + a);
    }
  }
};

/// Notes the first location, if any, where a boundary prescribes another value than a periodic or antiperiodic
/// condition takes from elsewhere.
template <class ExecutionSpace, int Dim, class FunctionSpace>
void note_identified_values(const ExecutionSpace& exec,
                            const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                            const FunctionSpace& space, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                            const ProblemBinding& binding, const char* unit, std::vector<std::string>& notes) {
  using Space = typename ExecutionSpace::memory_space;
  if (dofs.node_source.extent(0) == 0 || dofs.n_fixed() == 0 || mesh.boundary_names.empty())
    return;
  std::vector<int> constraint_of_group(mesh.boundary_names.size(), -1);
  for (std::size_t c = 0; c < binding.constraints.size(); ++c)
    if (const fe::Constraint& one = binding.constraints[c]; !one.is_region && !one.is_axis && !one.is_tied)
      constraint_of_group[one.group] = static_cast<int>(c);
  double largest = 0.;
  const auto values = to_host(exec, dofs.fixed_values);
  for (std::size_t i = 0; i < values.extent(0); ++i)
    largest = std::max(largest, std::max(values(i), -values(i)));
  // Identified nodes match to 1e-4 of an edge, and expressions of their coordinates to about that.
  const double tolerance = 1e-3 * largest;
  const auto table = uploaded(exec, "driver::constraints_of_boundaries", constraint_of_group);
  const auto program = physics::make_program(exec, binding.fixed_values);
  const auto offender = physics::detail::make_offender(exec);
  for_each("tessera::driver::find_contradiction", exec, static_cast<std::int64_t>(mesh.facet_groups.extent(0)),
           FindContradiction<Dim, Space, decltype(space.facet_nodes)>{
               space.facet_nodes, mesh.facet_groups, table, dofs, dofs.node_dof, dofs.node_constraint, dofs.node_source,
               dofs.fixed_values, space.coordinates, program, tolerance, offender});
  const std::int64_t found = read_entry(exec, offender.first, 0); // waits: program and table may be freed
  if (found == physics::detail::no_offender)
    return;
  const auto n_nodes = static_cast<std::int64_t>(space.facet_nodes.extent(1));
  const auto facet =
      Kokkos::subview(space.facet_nodes, std::make_pair(found / n_nodes, found / n_nodes + 1), Kokkos::ALL());
  const index_t node = to_host(exec, facet)(0, found % n_nodes);
  const index_t source = read_entry(exec, dofs.node_source, node);
  const auto places = coordinates_of_nodes(exec, space.coordinates, {node, source < 0 ? ~source : source});
  const std::array<double, 3>& at = places.front();
  const std::size_t c = read_entry(exec, dofs.node_constraint, node);
  const double held = values(dofs.fixed_index(read_entry(exec, dofs.node_dof, node)));
  notes.push_back(binding.constraints[c].where + ": '" + binding.constraint_names[c] + "' gives " +
                  io::number_text(binding.fixed_values[c](at[0], at[1], at[2])) + " " + unit + " at " +
                  physics::detail::point_text(at, Dim) +
                  ", but a periodic or antiperiodic condition ties this place to " +
                  physics::detail::point_text(places.back(), Dim) + " and makes it " + io::number_text(held) + " " +
                  unit + ". The latter holds.");
}

} // namespace tessera::driver::detail

#endif
