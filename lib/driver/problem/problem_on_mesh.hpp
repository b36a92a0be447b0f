// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PROBLEM_ON_MESH_HPP
#define TESSERA_DRIVER_PROBLEM_PROBLEM_ON_MESH_HPP

/// \file
/// Mesh, space, unknowns and form of a case: what run and compare share.

#include "driver/problem/open_space.hpp"
#include "driver/study/simulation.hpp"

namespace tessera::driver {

template <class Space, int Dim, int Order> struct ProblemOnMesh {
  mesh::Mesh<Dim, Space> mesh;
  Model model;
  fe::FunctionSpace<Dim, Order, Space> space;
  fe::DofMap<Space> dofs;
  std::vector<std::vector<double>> coil_densities; ///< turns per area, physics::coil_densities

  /// Makes the form of the model (driver/plan/form_choice.hpp) and calls `work(form)`.
  template <class ExecutionSpace, class Work>
  void with_form(const ExecutionSpace& exec, Context& context, const Work& work) const {
    if constexpr (Dim == 2) {
      if (model.form == FormKind::magnetic) {
        physics::Magnetostatics<Dim, Order, Space> form;
        context.log.run("form", exec, [&] {
          form = physics::make_magnetic_form<ExecutionSpace, Order>(exec, mesh, space, *model.magnetic, coil_densities);
          form.node_sign = dofs.node_sign;
        });
        work(form);
        return;
      }
    }
    if (model.form == FormKind::closed) {
      physics::UniformDiffusion<Dim, Order, Space> form;
      context.log.run("form", exec, [&] {
        form = physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, mesh, space, model.problem);
      });
      work(form);
    } else {
      physics::GeneralDiffusion<Dim, Order, Space> form;
      context.log.run("form", exec, [&] {
        form = physics::make_general_form<ExecutionSpace, Dim, Order>(exec, mesh, space, model.problem);
        form.node_sign = dofs.node_sign;
      });
      work(form);
    }
  }
};

/// Tells groups whose condition holds at no node, because all their nodes belong to others: an error for floating
/// bodies, which lack an unknown then, and a note for fixed ones.
template <class ExecutionSpace>
void check_bound_nodes(const ExecutionSpace& exec, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                       const Model& model, std::vector<std::string>& notes) {
  const std::vector<bool> has_nodes = fe::constraints_with_nodes(exec, dofs, model.constraints.size());
  for (std::size_t c = 0; c < model.constraints.size(); ++c) {
    if (model.constraints[c].is_axis || has_nodes[c])
      continue;
    const std::string text = model.constraint_places[c] + ": The " +
                             (model.constraints[c].is_tied ? "floating body '" : "group '") +
                             model.constraint_names[c] +
                             "' has no node of its own: all its nodes lie on boundaries that are listed after it";
    TESSERA_REQUIRE(!model.constraints[c].is_tied, text << '.');
    notes.push_back(text + ", whose conditions hold there. Its own holds nowhere.");
  }
}

/// Prepares the mesh, binds the input to its groups and numbers the unknowns; fills the counts of context.results.
template <class ExecutionSpace, int Dim, int Order>
ProblemOnMesh<typename ExecutionSpace::memory_space, Dim, Order>
prepare_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported, Context& context) {
  ProblemOnMesh<typename ExecutionSpace::memory_space, Dim, Order> problem;
  Results& results = context.results;
  check_model(context.input, imported); // before the mesh is made, refined and ordered
  problem.mesh = prepare_mesh<ExecutionSpace, Dim>(exec, imported, context);
  const auto& mesh = problem.mesh;
  results.dimension = Dim;
  results.n_nodes = mesh.n_nodes();
  results.n_elements = mesh.n_elements();
  results.n_facets = mesh.n_facets();
  results.region_names = mesh.region_names;
  results.boundary_names = mesh.boundary_names;
  problem.model = make_model(context.input, Dim, mesh.region_names, mesh.boundary_names);
  context.log.run("discretization", exec, [&] {
    problem.space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
    const auto classes =
        fe::identify_nodes<ExecutionSpace, Dim, Order>(exec, mesh, problem.space, problem.model.periodic);
    problem.dofs =
        fe::number_dofs<ExecutionSpace, Dim, Order>(exec, mesh, problem.space, problem.model.constraints, classes);
    physics::set_fixed_values<ExecutionSpace, Dim>(exec, problem.dofs, problem.space.coordinates,
                                                   problem.model.fixed_values, problem.model.constraint_names,
                                                   problem.model.constraint_places);
    if constexpr (Dim == 2)
      if (problem.model.magnetic) {
        problem.coil_densities = physics::coil_densities(exec, mesh, *problem.model.magnetic);
        check_open_space(exec, context.input, mesh, problem.model, results.notes);
      }
  });
  check_bound_nodes(exec, problem.dofs, problem.model, results.notes);
  results.n_unknowns = problem.dofs.n_free;
  results.n_fixed = problem.dofs.n_fixed();
  TESSERA_REQUIRE(!problem.model.needs_axis || problem.dofs.n_fixed() > 0,
                  context.input.problem.boundaries_where.text()
                      << ": nothing fixes the solution: no node of the mesh lies on the axis (x = 0), and no boundary "
                         "has a vector potential or an asymptotic condition.");
  TESSERA_REQUIRE(problem.dofs.n_free > 0,
                  context.input.problem.boundaries_where.text()
                      << ": Every node of the mesh has a fixed value: nothing is left to compute. Refine the mesh, or "
                         "fix the values of fewer groups.");
  return problem;
}

} // namespace tessera::driver

#endif
