// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_BENCH_CASE_HPP
#define TESSERA_DRIVER_BENCH_BENCH_CASE_HPP

/// \file
/// Benchmarks of one mesh on one execution space.

#include "assembly/assembler.hpp"
#include "driver/bench/time_table.hpp"
#include "driver/problem/problem.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::driver {

/// A box mesh by name: "tri-p1-1000" has 1000 x 1000 cells of 2 triangles, "tet-p2-64" 64^3 cells of 6 tetrahedra; the
/// suffix "+2" refines twice, "-shuffled" numbers nodes and elements at random, "-ordered" orders them along a Morton
/// curve.
struct BenchMesh {
  std::string name;
  int dimension = 2;
  int order = 1;
  int cells = 0;
  int refine = 0;
  bool shuffled = false;
  bool ordered = false;
  bool with_parents = false; ///< stores its coarser meshes, for multigrid
};

/// Throws if the name does not have that form.
BenchMesh parse_bench_mesh(const std::string& name);

struct BenchRequest {
  std::vector<assembly::Strategy> strategies;
  std::vector<graph::ColoringMethod> colorings;
  bool compares_colorings = false; ///< assembly, methods: coloured strategies by each of `colorings`
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;         ///< of coloured strategies
  bool reproducible = false;                                                   ///< deterministic colourings only
  bool iterations_only = false;                                                ///< of the solvers; no solutions
  std::vector<io::Preconditioner> preconditioners{io::Preconditioner::jacobi}; ///< of the solvers
  int repetitions = 5;
  double relative_tolerance = 1e-8; ///< of whole solves
  int max_iterations = 100000;
  double copy_bandwidth = 0.; ///< of the device, in B/s; 0: not measured
  /// Throws an error of kind resource if a strategy needs more memory than is available.
  std::function<void(assembly::Strategy)> require_fit = [](assembly::Strategy) {};
};

/// The data of a problem for the tables.
template <class ExecutionSpace> struct BenchProblem : BenchSubject {
  Array<const index_t*, ExecutionSpace> vertices; ///< of each element, row-major
  int vertices_per_element = 0;
  std::function<std::unique_ptr<assembly::Assembler<ExecutionSpace>>(const assembly::AssemblyOptions&)> make_assembler;
  std::shared_ptr<const Problem<ExecutionSpace>> problem; ///< for multigrid with a matrix-free finest level
  std::size_t bytes = 0;                                  ///< memory of mesh, dof map and form; 0: not measured
};

/// The returned data own the problem.
template <class ExecutionSpace>
BenchProblem<ExecutionSpace> bench_problem(const std::string& name, std::shared_ptr<Problem<ExecutionSpace>> problem) {
  const ProblemSummary& summary = problem->summary;
  return {{name, family_of(name), summary.n_elements, summary.n_nodes, summary.n_unknowns},
          problem->vertices,
          summary.dimension + 1,
          [problem](const assembly::AssemblyOptions& options) { return problem->make_assembler(options); },
          problem};
}

/// -div grad u = 1 on the unit box with u = 0 on its boundary.
template <class ExecutionSpace>
BenchProblem<ExecutionSpace> make_box_problem(const ExecutionSpace& exec, const BenchMesh& mesh);

/// Symbolic and numeric phase of each strategy.
template <class ExecutionSpace>
TimeTable bench_assembly(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request);
/// Products.
template <class ExecutionSpace>
TimeTable bench_operator(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request);
/// Error estimates, and a product with the assembled matrix for comparison.
template <class ExecutionSpace>
TimeTable bench_estimate(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request);
/// Each colouring.
template <class ExecutionSpace>
TimeTable bench_coloring(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request);
/// Iterations and whole solves of each strategy with each preconditioner.
template <class ExecutionSpace>
TimeTable bench_solve(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                      const BenchRequest& request);
/// Assembly, and solution with Jacobi, by each strategy.
template <class ExecutionSpace>
TimeTable bench_methods(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                        const BenchRequest& request);

} // namespace tessera::driver

#endif
