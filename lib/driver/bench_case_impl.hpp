// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_CASE_IMPL_HPP
#define TESSERA_DRIVER_BENCH_CASE_IMPL_HPP

/// \file
/// Definitions of driver/bench_case.hpp: included only by the generated instantiations.

#include "assembly/assembler.hpp"
#include "core/memory.hpp"
#include "driver/bench_case.hpp"
#include "io/case.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refinement.hpp"
#include "physics/diffusion_problem.hpp"
#include "solvers/gauss_seidel.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/pcg.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>

namespace tessera::driver {

namespace detail {

/// Runs `work` once, then `repetitions` times, each between fences.
template <class ExecutionSpace, class Work>
Timing measure(const ExecutionSpace& exec, int repetitions, const Work& work) {
  const auto once = [&] {
    exec.fence();
    const auto start = std::chrono::steady_clock::now();
    work();
    exec.fence();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Timing timing;
  timing.first = once();
  std::vector<double> times(std::max(repetitions, 1));
  for (double& time : times)
    time = once();
  std::sort(times.begin(), times.end());
  timing.median = times[times.size() / 2];
  timing.minimum = times.front();
  timing.maximum = times.back();
  return timing;
}

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

/// Mesh, space, unknowns and form of the benchmark's problem.
template <class ExecutionSpace, int Dim, int Order> struct BenchProblem {
  using Space = typename ExecutionSpace::memory_space;
  using Form = physics::UniformDiffusion<Dim, Order, Space>;
  mesh::Mesh<Dim, Space> mesh;
  fe::FunctionSpace<Dim, Order, Space> space;
  fe::DofMap<Space> dofs;
  Form form;

  BenchProblem(const ExecutionSpace& exec, const BenchMesh& request)
      : mesh(make_bench_mesh<ExecutionSpace, Dim>(exec, request)),
        space(fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh)) {
    std::vector<fe::Constraint> constraints(mesh.boundary_names.size());
    for (std::size_t g = 0; g < constraints.size(); ++g)
      constraints[g].group = static_cast<group_t>(g);
    dofs = fe::number_dofs<ExecutionSpace, Dim, Order>(exec, mesh, space, constraints);
    physics::DiffusionProblem problem;
    problem.regions.resize(1);
    problem.regions[0].coefficient.assign(Dim, physics::Expression(1.));
    problem.regions[0].source = physics::Expression(1.);
    form = physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, mesh, space, problem);
  }

  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler(assembly::Strategy strategy,
                                                                 const BenchRequest& request) const {
    assembly::AssemblyOptions options;
    options.strategy = strategy;
    options.coloring = request.coloring;
    options.reproducible = request.reproducible;
    return assembly::make_assembler<ExecutionSpace, Form>(form, dofs, options);
  }

  BenchTable table(const std::string& what, const BenchMesh& request) const {
    return {what + ", " + request.name, mesh.n_elements(), dofs.n_free, {}};
  }
};

} // namespace detail

template <class ExecutionSpace, int Dim, int Order>
BenchTable bench_assembly(const ExecutionSpace& exec, const BenchRequest& request) {
  const detail::BenchProblem<ExecutionSpace, Dim, Order> problem(exec, request.mesh);
  BenchTable table = problem.table("assembly", request.mesh);
  for (const assembly::Strategy strategy : request.strategies) {
    exec.fence();
    MemoryLedger::reset_peak();
    const std::size_t before = MemoryLedger::current_bytes();
    std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
    BenchRow symbolic{io::name_of(strategy) + " symbolic", {}, 0., -1., ""};
    symbolic.time = detail::measure(exec, request.repetitions, [&] {
      assembler.reset(); // its memory goes before the next one's is taken
      assembler = problem.assembler(strategy, request);
      assembler->symbolic(exec);
    });
    BenchRow numeric{io::name_of(strategy) + " numeric", {}, 0., -1., ""};
    numeric.time = detail::measure(exec, request.repetitions, [&] { assembler->numeric(exec); });
    symbolic.model_bytes = assembler->symbolic_traffic().bytes;
    numeric.model_bytes = assembler->numeric_traffic().bytes;
    numeric.bytes_per_element =
        static_cast<double>(MemoryLedger::peak_bytes() - before) / static_cast<double>(table.n_elements);
    if (assembler->coloring().used)
      symbolic.note = std::to_string(assembler->coloring().n_colors) + " colours";
    table.rows.push_back(symbolic);
    table.rows.push_back(numeric);
  }
  return table;
}

template <class ExecutionSpace, int Dim, int Order>
BenchTable bench_operator(const ExecutionSpace& exec, const BenchRequest& request) {
  const detail::BenchProblem<ExecutionSpace, Dim, Order> problem(exec, request.mesh);
  BenchTable table = problem.table("operator", request.mesh);
  const index_t n = problem.dofs.n_free;
  const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "driver::x", n, 1.);
  const auto y = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::y", n);
  const auto xy = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::xy", 1);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  for (const assembly::Strategy strategy : request.strategies) {
    exec.fence();
    MemoryLedger::reset_peak();
    const std::size_t before = MemoryLedger::current_bytes();
    const auto assembler = problem.assembler(strategy, request);
    assembler->symbolic(exec);
    assembler->numeric(exec);
    exec.fence();
    const double bytes =
        static_cast<double>(MemoryLedger::peak_bytes() - before) / static_cast<double>(table.n_elements);
    const std::string label =
        assembler->matrix() != nullptr ? "csr (" + io::name_of(strategy) + ")" : io::name_of(strategy);
    const auto& system = assembler->system();
    const double model = system.traffic().bytes;
    table.rows.push_back({label + " apply",
                          detail::measure(exec, request.repetitions, [&] { system.apply(exec, x, y); }), model, bytes,
                          ""});
    table.rows.push_back(
        {label + " apply + dot",
         detail::measure(exec, request.repetitions, [&] { system.apply_dot(exec, x, y, workspace, xy.data()); }), model,
         -1., ""});
  }
  return table;
}

template <class ExecutionSpace, int Dim, int Order>
BenchTable bench_coloring(const ExecutionSpace& exec, const BenchRequest& request) {
  const auto mesh = detail::make_bench_mesh<ExecutionSpace, Dim>(exec, request.mesh);
  BenchTable table{"coloring, " + request.mesh.name, mesh.n_elements(), mesh.n_nodes(), {}};
  const Array<const index_t*, ExecutionSpace> nodes(mesh.elements.data(), mesh.elements.size());
  for (const graph::ColoringMethod method : request.colorings)
    for (const bool deterministic : {false, true}) {
      if (deterministic && method != graph::ColoringMethod::node_claims)
        continue;
      graph::ColoringOptions options;
      options.deterministic = deterministic;
      exec.fence();
      MemoryLedger::reset_peak();
      const std::size_t before = MemoryLedger::current_bytes();
      graph::Coloring<typename ExecutionSpace::memory_space> coloring;
      BenchRow row{
          std::string(graph::coloring_method_name(method)) + (deterministic ? " deterministic" : ""), {}, 0., -1., ""};
      row.time = detail::measure(exec, request.repetitions, [&] {
        coloring = {};
        coloring = graph::color_elements(exec, method, nodes, Dim + 1, mesh.n_nodes(), options);
      });
      row.bytes_per_element =
          static_cast<double>(MemoryLedger::peak_bytes() - before) / static_cast<double>(table.n_elements);
      graph::verify_coloring(exec, coloring, nodes, Dim + 1, mesh.n_nodes());
      row.note = std::to_string(coloring.n_colors) + " colours of " + std::to_string(coloring.smallest_class()) +
                 " / " + std::to_string(static_cast<index_t>(coloring.mean_class())) + " / " +
                 std::to_string(coloring.largest_class());
      table.rows.push_back(row);
    }
  return table;
}

template <class ExecutionSpace, int Dim, int Order>
BenchTable bench_solve(const ExecutionSpace& exec, const BenchRequest& request) {
  const detail::BenchProblem<ExecutionSpace, Dim, Order> problem(exec, request.mesh);
  BenchTable table = problem.table("solve", request.mesh);
  const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::x", problem.dofs.n_free);
  for (const assembly::Strategy strategy : request.strategies) {
    const auto assembler = problem.assembler(strategy, request);
    assembler->symbolic(exec);
    assembler->numeric(exec);
    const auto run = [&](const solvers::Preconditioner<ExecutionSpace>& preconditioner, const std::string& name) {
      // A fixed number of iterations for the time of one, then the whole way to 1e-8.
      solvers::PcgOptions options;
      options.relative_tolerance = 0.;
      options.look_for_constant_null_space = false;
      constexpr int n_iterations = 100;
      options.max_iterations = n_iterations;
      solvers::Pcg<ExecutionSpace> fixed(options);
      const auto solve = [&](solvers::Pcg<ExecutionSpace>& pcg) {
        fill(exec, x, 0.);
        return pcg.solve(exec, assembler->system(), preconditioner, assembler->rhs(), x);
      };
      Timing per_iteration = detail::measure(exec, request.repetitions, [&] { solve(fixed); });
      for (double* time : {&per_iteration.first, &per_iteration.median, &per_iteration.minimum, &per_iteration.maximum})
        *time /= n_iterations;
      const std::string label = io::name_of(strategy) + ", " + name;
      table.rows.push_back({label + ": iteration", per_iteration,
                            solvers::Pcg<ExecutionSpace>::iteration_traffic(assembler->system(), preconditioner).bytes,
                            -1., ""});
      options.relative_tolerance = 1e-8;
      options.max_iterations = 100000;
      solvers::Pcg<ExecutionSpace> whole(options);
      solvers::PcgResult result;
      BenchRow row{label + ": to 1e-8", detail::measure(exec, 1, [&] { result = solve(whole); }), 0., -1., ""};
      row.note = std::to_string(result.iterations) + " iterations";
      table.rows.push_back(row);
    };
    run(solvers::Jacobi<ExecutionSpace>(exec, assembler->system()), "jacobi");
    if (assembler->matrix() != nullptr)
      run(solvers::SymmetricGaussSeidel<ExecutionSpace>(exec,
                                                        linalg::CrsOperator<ExecutionSpace>(*assembler->matrix())),
          "symmetric-gauss-seidel");
  }
  return table;
}

} // namespace tessera::driver

#endif
