// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_BENCH_CASE_IMPL_HPP
#define TESSERA_DRIVER_BENCH_BENCH_CASE_IMPL_HPP

/// \file
/// Definitions of make_box_problem() and make_case_problem(): included only by the generated instantiations.

#include "driver/bench/bench_case.hpp"
#include "driver/problem/problem_on_mesh.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refinement.hpp"

#include <numeric>
#include <random>

namespace tessera::driver {

namespace detail {

template <class ExecutionSpace, int Dim>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space> make_bench_mesh(const ExecutionSpace& exec,
                                                                       const BenchMesh& request) {
  std::array<index_t, Dim> cells;
  std::array<double, Dim> lower;
  std::array<double, Dim> upper;
  cells.fill(request.cells);
  lower.fill(0.);
  upper.fill(1.);
  auto mesh = mesh::make_box<Dim>(exec, cells, lower, upper);
  for (int level = 0; level < request.refine; ++level)
    mesh = mesh::refine_uniform<ExecutionSpace, Dim>(exec, mesh);
  if (request.shuffled) {
    const auto shuffled = [&](index_t n) {
      std::vector<index_t> order(n);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
      auto array = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::shuffle", order.size());
      Kokkos::View<const index_t*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(order.data(),
                                                                                             order.size());
      Kokkos::deep_copy(exec, array, host);
      exec.fence();
      return array;
    };
    mesh = mesh::permute_mesh<ExecutionSpace, Dim>(exec, mesh, shuffled(mesh.n_nodes()), shuffled(mesh.n_elements()));
  }
  if (request.ordered)
    mesh = mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh);
  return mesh;
}

/// What the tables need of a problem whose parts `on_mesh` holds.
template <class ExecutionSpace, class OnMesh, class Form>
BenchProblem<ExecutionSpace> bench_problem(const std::string& name, const std::shared_ptr<OnMesh>& on_mesh,
                                           const Form& form) {
  const auto& mesh = on_mesh->mesh;
  BenchProblem<ExecutionSpace> problem;
  problem.name = name;
  problem.n_elements = mesh.n_elements();
  problem.n_nodes = mesh.n_nodes();
  problem.n_unknowns = on_mesh->dofs.n_free;
  problem.vertices = Array<const index_t*, ExecutionSpace>(mesh.elements.data(), mesh.elements.size());
  problem.vertices_per_element = mesh.nodes_per_element;
  problem.make_assembler = [on_mesh, form](const assembly::AssemblyOptions& options) {
    return assembly::make_assembler<ExecutionSpace, Form>(form, on_mesh->dofs, options);
  };
  return problem;
}

} // namespace detail

template <class ExecutionSpace, int Dim, int Order>
BenchProblem<ExecutionSpace> make_box_problem(const ExecutionSpace& exec, const BenchMesh& request) {
  auto on_mesh = std::make_shared<ProblemOnMesh<typename ExecutionSpace::memory_space, Dim, Order>>();
  on_mesh->mesh = detail::make_bench_mesh<ExecutionSpace, Dim>(exec, request);
  on_mesh->space = fe::make_space<Order, ExecutionSpace, Dim>(exec, on_mesh->mesh);
  std::vector<fe::Constraint> constraints(on_mesh->mesh.boundary_names.size());
  for (std::size_t g = 0; g < constraints.size(); ++g)
    constraints[g].group = static_cast<group_t>(g);
  on_mesh->dofs = fe::number_dofs<ExecutionSpace, Dim, Order>(exec, on_mesh->mesh, on_mesh->space, constraints);
  physics::DiffusionProblem problem;
  problem.regions.resize(1);
  problem.regions[0].coefficient.assign(Dim, physics::Expression(1.));
  problem.regions[0].source = physics::Expression(1.);
  return detail::bench_problem<ExecutionSpace>(
      request.name, on_mesh,
      physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, on_mesh->mesh, on_mesh->space, problem));
}

template <class ExecutionSpace, int Dim, int Order>
BenchProblem<ExecutionSpace> make_case_problem(const ExecutionSpace& exec, const std::string& name,
                                               const io::ImportedMesh& imported, Context& context) {
  using OnMesh = ProblemOnMesh<typename ExecutionSpace::memory_space, Dim, Order>;
  const auto on_mesh = std::make_shared<OnMesh>(prepare_problem<ExecutionSpace, Dim, Order>(exec, imported, context));
  BenchProblem<ExecutionSpace> problem;
  on_mesh->with_form(exec, context,
                     [&](const auto& form) { problem = detail::bench_problem<ExecutionSpace>(name, on_mesh, form); });
  return problem;
}

} // namespace tessera::driver

#endif
