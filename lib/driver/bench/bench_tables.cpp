// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/runtime.hpp"
#include "core/memory.hpp"
#include "driver/bench/bench_case.hpp"
#include "driver/solution/linear_solver.hpp"
#include "graph/incidence.hpp"
#include "solvers/krylov/ebe_pcg.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::driver {

namespace {

assembly::AssemblyOptions options_of(const BenchRequest& request, assembly::Strategy strategy) {
  assembly::AssemblyOptions options;
  options.strategy = strategy;
  options.coloring = request.coloring;
  options.reproducible = request.reproducible;
  return options;
}

/// Adds the rows of one strategy or colouring. If counts or memory do not suffice for it, a row says so, and the others
/// continue.
template <class ExecutionSpace, class Rows>
void add_rows(const ExecutionSpace& exec, TimeTable& table, const std::string& label, const Rows& rows) {
  try {
    rows();
  } catch (const std::exception& error) {
    if (kind_of(error) != ErrorKind::resource)
      throw;
    exec.fence();
    table.skip(label, message_of(error));
  }
}

/// Adds the rows of every strategy of a request by `add(strategy)`.
template <class ExecutionSpace, class Add>
void add_strategies(const ExecutionSpace& exec, TimeTable& table, const BenchRequest& request, const Add& add) {
  for (const assembly::Strategy strategy : request.strategies)
    add_rows(exec, table, io::name_of(strategy), [&] {
      request.require_fit(strategy);
      add(strategy);
    });
}

/// Adds the rows of every strategy, with each colouring if these are compared, by `add(name, options)`.
template <class ExecutionSpace, class Add>
void add_methods(const ExecutionSpace& exec, TimeTable& table, const BenchRequest& request, const Add& add) {
  for (const assembly::Strategy strategy : request.strategies) {
    const bool by_each = request.compares_colorings && assembly::uses_coloring(strategy);
    const std::vector<graph::ColoringMethod> one{request.coloring};
    for (const graph::ColoringMethod coloring : by_each ? request.colorings : one) {
      const std::string name =
          io::name_of(strategy) + (by_each ? std::string(" by ") + graph::coloring_method_name(coloring) : "");
      add_rows(exec, table, name, [&] {
        request.require_fit(strategy);
        assembly::AssemblyOptions options = options_of(request, strategy);
        options.coloring = coloring;
        add(name, options);
      });
    }
  }
}

/// The largest memory use since this object was made.
class MemoryTaken {
public:
  template <class ExecutionSpace> explicit MemoryTaken(const ExecutionSpace& exec) {
    exec.fence();
    before_ = MemoryLedger::current_bytes();
  }
  double peak() const { return static_cast<double>(peak_.bytes() - before_); }
  double now() const { return static_cast<double>(MemoryLedger::current_bytes() - before_); }

private:
  MemoryPeak peak_;
  std::size_t before_ = 0;
};

/// A way to solve an assembled system from a zero initial guess.
template <class ExecutionSpace> struct Solver {
  std::string name;
  /// Traffic of an iteration, once the solver has prepared its operator.
  std::function<double()> iteration_bytes;
  /// Makes a solver that keeps its vectors between calls.
  std::function<std::function<solvers::PcgResult()>(const solvers::PcgOptions&)> prepare;
};

template <class ExecutionSpace>
Solver<ExecutionSpace> by_unknowns(const ExecutionSpace& exec, const assembly::Assembler<ExecutionSpace>& assembler,
                                   const linalg::Vector<ExecutionSpace>& x,
                                   std::shared_ptr<solvers::Preconditioner<ExecutionSpace>> m,
                                   const std::string& name) {
  using Pcg = solvers::Pcg<ExecutionSpace>;
  return {name,
          [&assembler, m] { return solvers::Pcg<ExecutionSpace>::iteration_traffic(assembler.system(), *m).bytes; },
          [exec, &assembler, x, m](const solvers::PcgOptions& options) {
            return [exec, &assembler, x, m, pcg = std::make_shared<Pcg>(options)] {
              fill(exec, x, 0.);
              return pcg->solve(exec, assembler.system(), *m, assembler.rhs(), x);
            };
          }};
}

template <class ExecutionSpace>
Solver<ExecutionSpace> by_elements(const ExecutionSpace& exec, const assembly::Assembler<ExecutionSpace>& assembler,
                                   const linalg::Vector<ExecutionSpace>& x,
                                   std::shared_ptr<solvers::Jacobi<ExecutionSpace>> m) {
  using EbePcg = solvers::EbePcg<ExecutionSpace>;
  return {io::name_of(io::SolverMethod::ebe_j_pcg),
          [&assembler] { return EbePcg::iteration_traffic(*assembler.elements()).bytes; },
          [exec, &assembler, x, m](const solvers::PcgOptions& options) {
            return [exec, &assembler, x, m, pcg = std::make_shared<EbePcg>(options)] {
              fill(exec, x, 0.);
              return pcg->solve(exec, *assembler.elements(), *m, assembler.rhs(), x);
            };
          }};
}

/// PCG with Jacobi, or EBE-J-PCG if element matrices are stored.
template <class ExecutionSpace>
std::vector<Solver<ExecutionSpace>> jacobi_solvers(const ExecutionSpace& exec,
                                                   const assembly::Assembler<ExecutionSpace>& assembler,
                                                   const linalg::Vector<ExecutionSpace>& x) {
  const auto jacobi = std::make_shared<solvers::Jacobi<ExecutionSpace>>(exec, assembler.system());
  std::vector<Solver<ExecutionSpace>> list{by_unknowns<ExecutionSpace>(exec, assembler, x, jacobi, jacobi->name())};
  if (assembler.elements() != nullptr)
    list.push_back(by_elements(exec, assembler, x, jacobi));
  return list;
}

/// Adds rows for the set-up of multigrid by `make`, which frees the previous one, for new values, and for a start.
template <class ExecutionSpace, class Multigrid, class Make, class Renew>
void add_multigrid_rows(const ExecutionSpace& exec, const BenchRequest& request, TimeTable& table,
                        const std::string& label, const linalg::Vector<ExecutionSpace>& rhs,
                        const linalg::Vector<ExecutionSpace>& x, const std::shared_ptr<Multigrid>& m, const Make& make,
                        const Renew& renew) {
  table.add(label, "set-up", measure(exec, request.repetitions, make));
  std::int64_t bytes = 0;
  for (const solvers::LevelSummary& level : m->levels())
    bytes += level.n_bytes;
  table.note(std::to_string(m->levels().size()) + " levels, " + format_bytes(static_cast<double>(bytes)));
  table.add(label, "new values", measure(exec, request.repetitions, renew));
  table.note(m->levels().front().has_matrix ? "levels kept" : "finest level kept");
  if (!m->has_start())
    return;
  table.add(label, "full multigrid", measure(exec, request.repetitions, [&] { m->start(exec, rhs, x); }));
  table.note("one pass, a start for the iterations");
}

/// Which multigrid levels are taken from the mesh: none, order 1 below order 2 (as without coarser meshes), or all.
enum class GivenTo { none, order_1, coarsest };

/// PCG with multigrid, whose levels are made as often as the other work of the table; adds rows for their set-up.
template <class ExecutionSpace>
Solver<ExecutionSpace> multigrid_solver(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                                        const BenchRequest& request, TimeTable& table, const std::string& label,
                                        const assembly::Assembler<ExecutionSpace>& assembler,
                                        const linalg::Vector<ExecutionSpace>& x, GivenTo given_to) {
  const std::string name = std::string("multigrid ") + (given_to == GivenTo::none      ? "algebraic"
                                                        : given_to == GivenTo::order_1 ? "algebraic from order 1 on"
                                                                                       : "geometric");
  std::shared_ptr<solvers::Multigrid<ExecutionSpace>> m;
  const auto make = [&] {
    m.reset(); // its memory is freed before the next one is made
    const solvers::MultigridOptions options;
    std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>> given;
    solvers::SecondLevel<ExecutionSpace> second;
    if (given_to != GivenTo::none) {
      fe::CoarserUnknowns<ExecutionSpace> coarser;
      given = problem.problem->prolongations(exec, nullptr, options.coarsest_size, &coarser);
      second = second_level(exec, *problem.problem, coarser);
    }
    if (given_to == GivenTo::order_1)
      given.resize(1);
    m = std::make_shared<solvers::Multigrid<ExecutionSpace>>(exec, *assembler.matrix(), std::move(given), options,
                                                             second);
  };
  add_multigrid_rows(exec, request, table, label + ", " + name, assembler.rhs(), x, m, make,
                     [&] { m->renew(exec, *assembler.matrix()); });
  return by_unknowns<ExecutionSpace>(exec, assembler, x, m, name);
}

/// The same with a matrix-free finest level.
template <class ExecutionSpace>
Solver<ExecutionSpace> matrix_free_solver(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                                          const BenchRequest& request, TimeTable& table, const std::string& label,
                                          const assembly::Assembler<ExecutionSpace>& assembler,
                                          const linalg::Vector<ExecutionSpace>& x) {
  const std::string name = "multigrid without a matrix";
  std::shared_ptr<solvers::MatrixFreeMultigrid<ExecutionSpace>> m;
  const auto make = [&] {
    m.reset();
    m = make_matrix_free_multigrid(exec, io::SolverInput(), *problem.problem, assembler,
                                   DistributedUnknowns<ExecutionSpace>(problem.problem->dofs.n_free));
  };
  add_multigrid_rows(exec, request, table, label + ", " + name, assembler.rhs(), x, m, make, [&] { m->renew(exec); });
  return by_unknowns<ExecutionSpace>(exec, assembler, x, m, name);
}

/// The solvers of an assembled system, one by one, so that the memory of each is freed before the next one is made.
/// Those passed to take() include the peak memory since before their set-up.
template <class ExecutionSpace, class Take>
void for_each_solver(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                     const BenchRequest& request, TimeTable& table, const std::string& label,
                     const assembly::Assembler<ExecutionSpace>& assembler, const linalg::Vector<ExecutionSpace>& x,
                     const Take& take) {
  for (const io::Preconditioner kind : request.preconditioners) {
    constexpr int few = 8; // of multigrid; more would reach rounding
    const auto by_levels = [&](GivenTo given_to) {
      const MemoryPeak memory;
      take(multigrid_solver(exec, problem, request, table, label, assembler, x, given_to), few, memory);
    };
    const std::size_t n_coarser = // before memory is measured
        kind == io::Preconditioner::multigrid ? problem.problem->prolongations(exec).size() : 0;
    const bool has_coarser = n_coarser > 0;
    const bool is_quadratic = problem.problem->element_table.nodes_per_element > problem.vertices_per_element;
    const MemoryPeak memory;
    if (kind == io::Preconditioner::jacobi) {
      for (const Solver<ExecutionSpace>& solver : jacobi_solvers(exec, assembler, x))
        take(solver, 100, memory);
    } else if (assembler.matrix() == nullptr) {
      if (has_coarser)
        take(matrix_free_solver(exec, problem, request, table, label, assembler, x), few, memory);
    } else {
      if (has_coarser)
        by_levels(GivenTo::coarsest);
      if (n_coarser > 1 && is_quadratic) // otherwise the same
        by_levels(GivenTo::order_1);
      by_levels(GivenTo::none);
    }
  }
}

/// Adds a row for the solution to the request's tolerance; returns the memory peak of a first solution.
template <class ExecutionSpace>
std::size_t add_solution(const ExecutionSpace& exec, TimeTable& table, const std::string& label,
                         const Solver<ExecutionSpace>& solver, const BenchRequest& request, int repetitions) {
  solvers::PcgOptions options;
  options.relative_tolerance = request.relative_tolerance;
  options.max_iterations = request.max_iterations;
  const auto solve = solver.prepare(options);
  solvers::PcgResult result;
  std::size_t peak_bytes = 0; // as in a run, without vectors that are kept for the next solution
  const Timing time = measure(exec, repetitions, [&] {
    const MemoryPeak memory;
    result = solve();
    if (peak_bytes == 0)
      peak_bytes = memory.bytes();
  });
  std::ostringstream part;
  part << "to " << request.relative_tolerance;
  table.add(label, part.str(), time);
  table.set("iterations", result.iterations);
  table.note(std::to_string(result.iterations) + " iterations" +
             (result.status == solvers::SolverStatus::converged ? "" : ", not converged"));
  return peak_bytes;
}

} // namespace

template <class ExecutionSpace>
TimeTable bench_assembly(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request) {
  TimeTable table("assembly", "elements", "assembly, " + problem.name, problem, " ", request.copy_bandwidth);
  const double n = static_cast<double>(problem.n_elements);
  const double of_problem = static_cast<double>(problem.bytes) / n;
  if (problem.bytes > 0)
    table.details = "mesh, numbering and form: " + io::format_fixed(of_problem, 1) + " B/element";
  const auto add = [&](const std::string& name, const assembly::AssemblyOptions& options) {
    const MemoryTaken memory(exec);
    std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
    const Timing symbolic = measure(exec, request.repetitions, [&] {
      assembler.reset(); // its memory is freed before the next one is made
      assembler = problem.make_assembler(options);
      assembler->symbolic(exec);
    });
    const auto numeric = [&] { assembler->numeric(exec); };
    const Timing time = measure(exec, request.repetitions, numeric);
    table.add(name, "symbolic", symbolic, assembler->symbolic_traffic().bytes);
    if (assembler->coloring().used) {
      table.set("colours", assembler->coloring().n_colors);
      table.note(std::to_string(assembler->coloring().n_colors) + " colours");
    }
    table.add(name, "numeric", time, assembler->numeric_traffic().bytes);
    table.set("memory per element", memory.peak() / n);
    table.set("kept memory per element", memory.now() / n);
    if (problem.bytes > 0) {
      table.set("memory with mesh per element", memory.peak() / n + of_problem);
      table.set("freed share", (memory.peak() - memory.now()) / (memory.peak() + of_problem * n));
    }
    const KernelTimes kernels;
    for (int k = 0; k < request.repetitions; ++k)
      numeric();
    for (KernelTime kernel : main_kernels(kernels.times(), 0.02)) {
      kernel.seconds /= request.repetitions;
      table.add_kernel(name, kernel);
    }
  };
  add_methods(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
TimeTable bench_operator(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request) {
  TimeTable table("operator", "unknowns", "operator, " + problem.name, problem, " ", request.copy_bandwidth);
  const auto n = static_cast<index_t>(problem.n_unknowns);
  const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "driver::x", n, 1.);
  const auto y = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::y", n);
  const auto xy = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::xy", 1);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  const auto add = [&](assembly::Strategy strategy) {
    const MemoryTaken memory(exec);
    const auto assembler = problem.make_assembler(options_of(request, strategy));
    assembler->symbolic(exec);
    assembler->numeric(exec);
    exec.fence();
    const double bytes = memory.peak() / static_cast<double>(problem.n_elements);
    const std::string label =
        assembler->matrix() != nullptr ? "CRS (" + io::name_of(strategy) + ")" : io::name_of(strategy);
    const auto& system = assembler->system();
    system.prepare_products(exec); // as in solvers
    const double model = system.traffic().bytes;
    table.add(label, "apply", measure(exec, request.repetitions, [&] { system.apply(exec, x, y); }), model);
    table.set("memory per element", bytes);
    table.add(label, "apply + dot",
              measure(exec, request.repetitions, [&] { system.apply_dot(exec, x, y, workspace, xy.data()); }), model);
  };
  add_strategies(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
TimeTable bench_estimate(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request) {
  TimeTable table("estimate", "elements", "estimate, " + problem.name, problem, " ", request.copy_bandwidth);
  const auto n = static_cast<index_t>(problem.n_unknowns);
  const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "driver::x", n, 1.);
  const auto y = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::y", n);
  const auto nodal = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::nodal", problem.problem->n_space_nodes);
  problem.problem->interpolate(exec, physics::Expression::parse("sin(3*x)*exp(y)"), nodal, "bench estimate");
  const auto add = [&](assembly::Strategy strategy) {
    const auto assembler = problem.make_assembler(options_of(request, strategy));
    assembler->symbolic(exec);
    assembler->numeric(exec);
    const auto& system = assembler->system();
    system.prepare_products(exec);
    const Timing of_product = measure(exec, request.repetitions, [&] { system.apply(exec, x, y); });
    table.add("CRS product", "", of_product, system.traffic().bytes);
    for (const auto& entry : io::enum_names<io::Estimator>()) {
      const Timing time =
          measure(exec, request.repetitions, [&] { problem.problem->estimate_error(exec, nodal, entry.value); });
      table.add(std::string(entry.name), "", time);
      table.note(io::format_fixed(time.median / of_product.median, 1) + " products; of the least times " +
                 io::format_fixed(time.minimum / of_product.minimum, 1));
    }
  };
  add_strategies(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
TimeTable bench_coloring(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                         const BenchRequest& request) {
  TimeTable table("coloring", "elements", "coloring, " + problem.name, problem, " ", request.copy_bandwidth);
  const auto n_nodes = static_cast<index_t>(problem.n_nodes);
  const double n = static_cast<double>(problem.n_elements);
  add_rows(exec, table, "adjacency", [&] {
    const MemoryTaken memory(exec);
    graph::Incidence<typename ExecutionSpace::memory_space> incidence;
    table.add("adjacency", "", measure(exec, request.repetitions, [&] {
                incidence = {};
                incidence = graph::build_incidence(exec, problem.vertices, problem.vertices_per_element, {}, n_nodes);
              }));
    table.set("memory per element", memory.peak() / n);
    table.note("the elements of each node");
  });
  const auto add = [&](const std::string& label, graph::ColoringMethod method, bool deterministic) {
    graph::ColoringOptions options;
    options.deterministic = deterministic;
    const MemoryTaken memory(exec);
    graph::Coloring<typename ExecutionSpace::memory_space> coloring;
    table.add(label, "", measure(exec, request.repetitions, [&] {
                coloring = {};
                coloring = graph::color_elements(exec, method, problem.vertices, problem.vertices_per_element, n_nodes,
                                                 options);
              }));
    table.set("memory per element", memory.peak() / n);
    graph::verify_coloring(exec, coloring, problem.vertices, problem.vertices_per_element, n_nodes);
    table.set("colours", coloring.n_colors);
    table.set("smallest class", coloring.smallest_class());
    table.set("largest class", coloring.largest_class());
    table.note(std::to_string(coloring.n_colors) + " colours of " + std::to_string(coloring.smallest_class()) + " / " +
               std::to_string(static_cast<index_t>(coloring.mean_class())) + " / " +
               std::to_string(coloring.largest_class()));
  };
  for (const graph::ColoringMethod method : request.colorings)
    for (const bool deterministic : {false, true}) {
      if (deterministic && method != graph::ColoringMethod::node_claims)
        continue;
      const std::string label =
          std::string(graph::coloring_method_name(method)) + (deterministic ? " deterministic" : "");
      add_rows(exec, table, label, [&] { add(label, method, deterministic); });
    }
  return table;
}

template <class ExecutionSpace>
TimeTable bench_solve(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                      const BenchRequest& request) {
  TimeTable table("solve", "unknowns", "solve, " + problem.name, problem, ": ", request.copy_bandwidth);
  exec.fence();
  const std::size_t before = MemoryLedger::current_bytes();
  const auto x =
      make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::x", static_cast<index_t>(problem.n_unknowns));
  const auto add = [&](assembly::Strategy strategy) {
    const auto assembler = problem.make_assembler(options_of(request, strategy));
    assembler->symbolic(exec);
    assembler->numeric(exec);
    const auto take = [&](const Solver<ExecutionSpace>& solver, int n_iterations, const MemoryPeak& memory) {
      const std::size_t of_setup = memory.bytes();
      // A fixed number of iterations to measure one, then a complete solve.
      solvers::PcgOptions options;
      options.relative_tolerance = 0.;
      options.look_for_constant_null_space = false;
      options.max_iterations = n_iterations;
      auto fixed = solver.prepare(options);
      Timing per_iteration = measure(exec, request.repetitions, [&] { fixed(); });
      for (double* time : {&per_iteration.first, &per_iteration.median, &per_iteration.minimum, &per_iteration.maximum})
        *time /= n_iterations;
      const std::string label = io::name_of(strategy) + ", " + solver.name;
      table.add(label, "iteration", per_iteration, solver.iteration_bytes());
      fixed = nullptr; // its vectors are freed before those of the next one are allocated
      if (request.iterations_only)
        return;
      const std::size_t of_solution = add_solution(exec, table, label, solver, request, 1);
      const double per_unknown =
          static_cast<double>(std::max(of_setup, of_solution) - before) / static_cast<double>(problem.n_unknowns);
      table.set("memory per unknown", per_unknown);
      table.rows.back().note += ", " + io::format_fixed(per_unknown, 1) + " bytes per unknown";
    };
    for_each_solver(exec, problem, request, table, io::name_of(strategy), *assembler, x, take);
  };
  add_strategies(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
TimeTable bench_methods(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                        const BenchRequest& request) {
  TimeTable table("assembly-and-solve", "elements", "assembly and solve, " + problem.name, problem, ": ",
                  request.copy_bandwidth);
  const auto x =
      make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::x", static_cast<index_t>(problem.n_unknowns));
  const auto add = [&](const std::string& label, const assembly::AssemblyOptions& options) {
    std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
    table.add(label, "assembly", measure(exec, request.repetitions, [&] {
                assembler.reset();
                assembler = problem.make_assembler(options);
                assembler->symbolic(exec);
                assembler->numeric(exec);
              }));
    if (assembler->coloring().used)
      table.note("with " + std::to_string(assembler->coloring().n_colors) + " colours and their verification");
    const Timing assembly = table.last();
    for (const Solver<ExecutionSpace>& solver : jacobi_solvers(exec, *assembler, x)) {
      add_solution(exec, table, label + ", " + solver.name, solver, request, request.repetitions);
      table.add(label + ", " + solver.name, "total", assembly + table.last());
    }
  };
  add_methods(exec, table, request, add);
  return table;
}

#define TESSERA_INSTANTIATE_TABLE(SPACE, TABLE)                                                                        \
  template TimeTable TABLE<SPACE>(const SPACE&, const BenchProblem<SPACE>&, const BenchRequest&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_assembly)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_operator)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_estimate)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_coloring)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_solve)                                                                        \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_methods)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
