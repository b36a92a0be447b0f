// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "driver/bench/bench_case.hpp"
#include "driver/visit.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refine/refinement.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace tessera::driver {

namespace {

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
  if (request.with_parents)
    mesh.node_parents = mesh::box_node_parents<Dim>(exec, cells);
  for (int level = 0; level < request.refine; ++level)
    mesh = mesh::refine_uniform<ExecutionSpace, Dim>(exec, mesh, request.with_parents);
  if (request.shuffled) {
    const auto shuffled = [&](index_t n) {
      std::vector<index_t> order(n);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
      return uploaded(exec, "driver::shuffle", order);
    };
    mesh = mesh::permute_mesh<ExecutionSpace, Dim>(exec, mesh, shuffled(mesh.n_nodes()), shuffled(mesh.n_elements()));
  }
  if (request.ordered)
    mesh = mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh);
  return mesh;
}

/// The Poisson problem, with its boundary groups fixed at 0.
ProblemBinding poisson_binding(int dimension, const std::vector<std::string>& boundary_names) {
  ProblemBinding binding;
  binding.problem.regions.resize(1);
  binding.problem.regions[0].coefficient.assign(dimension, physics::Expression(1.));
  binding.problem.regions[0].source = physics::Expression(1.);
  for (std::size_t g = 0; g < boundary_names.size(); ++g) {
    fe::Constraint constraint;
    constraint.group = static_cast<group_t>(g);
    constraint.where = boundary_names[g];
    binding.constraints.push_back(constraint);
    binding.fixed_values.emplace_back(0.);
  }
  binding.constraint_names = boundary_names;
  return binding;
}

} // namespace

template <class ExecutionSpace>
BenchProblem<ExecutionSpace> make_box_problem(const ExecutionSpace& exec, const BenchMesh& request) {
  const io::Case input;
  io::Console quiet(true);
  PhaseLog log;
  std::vector<std::string> notes;
  Context context{input, quiet, log, notes};
  std::shared_ptr<Problem<ExecutionSpace>> problem;
  visit_discretization(request.dimension, request.order, [&](auto dimension, auto order) {
    constexpr int Dim = decltype(dimension)::value;
    const auto mesh = make_bench_mesh<ExecutionSpace, Dim>(exec, request);
    problem = make_problem_on_mesh<ExecutionSpace, Dim, decltype(order)::value>(
        exec, mesh, poisson_binding(Dim, mesh.boundary_names), FormKind::closed, context);
  });
  return bench_problem(request.name, problem);
}

#define TESSERA_INSTANTIATE(SPACE) template BenchProblem<SPACE> make_box_problem<SPACE>(const SPACE&, const BenchMesh&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
