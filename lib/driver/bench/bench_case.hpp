// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_BENCH_CASE_HPP
#define TESSERA_DRIVER_BENCH_BENCH_CASE_HPP

/// \file
/// Benchmarks of one mesh on one execution space.

#include "assembly/assembler.hpp"
#include "driver/bench/timing.hpp"
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

struct BenchRow {
  std::string label;
  Timing time;                   ///< zero: not measured, for the reason in the note
  double model_bytes = 0.;       ///< minimum traffic; 0: no model
  double bytes_per_element = -1; ///< peak of memory in addition to mesh and dof map; -1: not measured
  std::string note;
  double flops = 0.; ///< floating-point operations; 0: not counted
};

struct BenchTable {
  std::string title;
  std::int64_t n_elements = 0;
  std::int64_t n_nodes = 0; ///< of the mesh
  std::int64_t n_unknowns = 0;
  std::vector<BenchRow> rows;
  std::string details = {}; ///< further counts, as text
};

struct BenchRequest {
  std::vector<assembly::Strategy> strategies;
  std::vector<graph::ColoringMethod> colorings;
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;         ///< of coloured strategies
  bool reproducible = false;                                                   ///< deterministic colourings only
  bool iterations_only = false;                                                ///< of the solvers; no solutions
  std::vector<io::Preconditioner> preconditioners{io::Preconditioner::jacobi}; ///< of the solvers
  int repetitions = 5;
  double relative_tolerance = 1e-8; ///< of whole solves
  int max_iterations = 100000;
  /// Throws an error of kind resource if a strategy needs more memory than is available.
  std::function<void(assembly::Strategy)> require_fit = [](assembly::Strategy) {};
};

/// The data of a problem for the tables.
template <class ExecutionSpace> struct BenchProblem {
  std::string name;
  index_t n_elements = 0;
  index_t n_nodes = 0; ///< of the mesh
  index_t n_unknowns = 0;
  Array<const index_t*, ExecutionSpace> vertices; ///< of each element, row-major
  int vertices_per_element = 0;
  std::function<std::unique_ptr<assembly::Assembler<ExecutionSpace>>(const assembly::AssemblyOptions&)> make_assembler;
  std::shared_ptr<const Problem<ExecutionSpace>> problem; ///< for multigrid with a matrix-free finest level
};

/// The returned data own the problem.
template <class ExecutionSpace>
BenchProblem<ExecutionSpace> bench_problem(const std::string& name, std::shared_ptr<Problem<ExecutionSpace>> problem) {
  const ProblemSummary& summary = problem->summary;
  return {name,
          static_cast<index_t>(summary.n_elements),
          static_cast<index_t>(summary.n_nodes),
          static_cast<index_t>(summary.n_unknowns),
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
BenchTable bench_assembly(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request);
/// Products.
template <class ExecutionSpace>
BenchTable bench_operator(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request);
/// Error estimates, and a product with the assembled matrix for comparison.
template <class ExecutionSpace>
BenchTable bench_estimate(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request);
/// Each colouring.
template <class ExecutionSpace>
BenchTable bench_coloring(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request);
/// Iterations and whole solves of each strategy with each preconditioner.
template <class ExecutionSpace>
BenchTable bench_solve(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                       const BenchRequest& request);
/// The tables of the EBE paper: assembly and solve with ebe-stored by each colouring, row-gather and a-coo.
template <class ExecutionSpace>
BenchTable bench_ebe(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                     const BenchRequest& request);

} // namespace tessera::driver

#endif
