// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/runtime.hpp"
#include "core/memory.hpp"
#include "driver/bench/bench_case.hpp"
#include "driver/bench/timing.hpp"
#include "driver/solution/linear_solver.hpp"
#include "solvers/krylov/ebe_pcg.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
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
void add_rows(const ExecutionSpace& exec, BenchTable& table, const std::string& label, const Rows& rows) {
  try {
    rows();
  } catch (const std::exception& error) {
    if (kind_of(error) != ErrorKind::resource)
      throw;
    exec.fence();
    table.rows.push_back({label, {}, 0., -1., "not measured: " + message_of(error)});
  }
}

/// Adds the rows of every strategy of a request by `add(strategy)`.
template <class ExecutionSpace, class Add>
void add_strategies(const ExecutionSpace& exec, BenchTable& table, const BenchRequest& request, const Add& add) {
  for (const assembly::Strategy strategy : request.strategies)
    add_rows(exec, table, io::name_of(strategy), [&] {
      request.require_fit(strategy);
      add(strategy);
    });
}

/// The largest memory use since this object was made.
class MemoryTaken {
public:
  template <class ExecutionSpace> explicit MemoryTaken(const ExecutionSpace& exec) {
    exec.fence();
    before_ = MemoryLedger::current_bytes();
  }
  double per(index_t n) const { return static_cast<double>(peak_.bytes() - before_) / static_cast<double>(n); }

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
void add_multigrid_rows(const ExecutionSpace& exec, const BenchRequest& request, BenchTable& table,
                        const std::string& label, const linalg::Vector<ExecutionSpace>& rhs,
                        const linalg::Vector<ExecutionSpace>& x, const std::shared_ptr<Multigrid>& m, const Make& make,
                        const Renew& renew) {
  BenchRow setup{label + ": set-up", {}, 0., -1., ""};
  setup.time = measure(exec, request.repetitions, make);
  std::int64_t bytes = 0;
  for (const solvers::LevelSummary& level : m->levels())
    bytes += level.n_bytes;
  setup.note = std::to_string(m->levels().size()) + " levels, " + format_bytes(static_cast<double>(bytes));
  table.rows.push_back(setup);
  table.rows.push_back({label + ": new values", measure(exec, request.repetitions, renew), 0., -1.,
                        m->levels().front().has_matrix ? "levels kept" : "finest level kept"});
  if (m->has_start())
    table.rows.push_back({label + ": full multigrid",
                          measure(exec, request.repetitions, [&] { m->start(exec, rhs, x); }), 0., -1.,
                          "one pass, a start for the iterations"});
}

/// Which multigrid levels are taken from the mesh: none, order 1 below order 2 (as without coarser meshes), or all.
enum class GivenTo { none, order_1, coarsest };

/// PCG with multigrid, whose levels are made as often as the other work of the table; adds rows for their set-up.
template <class ExecutionSpace>
Solver<ExecutionSpace> multigrid_solver(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                                        const BenchRequest& request, BenchTable& table, const std::string& label,
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
      given = problem.problem->prolongations(exec, options.coarsest_size, &coarser);
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
                                          const BenchRequest& request, BenchTable& table, const std::string& label,
                                          const assembly::Assembler<ExecutionSpace>& assembler,
                                          const linalg::Vector<ExecutionSpace>& x) {
  const std::string name = "multigrid without a matrix";
  std::shared_ptr<solvers::MatrixFreeMultigrid<ExecutionSpace>> m;
  const auto make = [&] {
    m.reset();
    m = make_matrix_free_multigrid(exec, io::SolverInput(), *problem.problem, assembler);
  };
  add_multigrid_rows(exec, request, table, label + ", " + name, assembler.rhs(), x, m, make, [&] { m->renew(exec); });
  return by_unknowns<ExecutionSpace>(exec, assembler, x, m, name);
}

/// The solvers of an assembled system, one by one, so that the memory of each is freed before the next one is made.
/// Those passed to take() include the peak memory since before their set-up.
template <class ExecutionSpace, class Take>
void for_each_solver(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                     const BenchRequest& request, BenchTable& table, const std::string& label,
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

/// Solves to the request's tolerance; `peak_bytes` receives the memory peak of a first solution.
template <class ExecutionSpace>
BenchRow whole_solve(const ExecutionSpace& exec, const std::string& label, const Solver<ExecutionSpace>& solver,
                     const BenchRequest& request, int repetitions, std::size_t* peak_bytes = nullptr) {
  solvers::PcgOptions options;
  options.relative_tolerance = request.relative_tolerance;
  options.max_iterations = request.max_iterations;
  const auto solve = solver.prepare(options);
  solvers::PcgResult result;
  std::ostringstream text;
  text << label << ": to " << request.relative_tolerance;
  BenchRow row{text.str(), {}, 0., -1., ""};
  bool is_first = true;
  row.time = measure(exec, repetitions, [&] {
    const MemoryPeak memory;
    result = solve();
    if (is_first && peak_bytes != nullptr) // as in a run, without vectors that are kept for the next solution
      *peak_bytes = memory.bytes();
    is_first = false;
  });
  row.note = std::to_string(result.iterations) + " iterations" +
             (result.status == solvers::SolverStatus::converged ? "" : ", not converged");
  return row;
}

} // namespace

template <class ExecutionSpace>
BenchTable bench_assembly(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request) {
  BenchTable table{"assembly, " + problem.name, problem.n_elements, problem.n_nodes, problem.n_unknowns, {}};
  const auto add = [&](assembly::Strategy strategy) {
    const MemoryTaken memory(exec);
    std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
    BenchRow symbolic{io::name_of(strategy) + " symbolic", {}, 0., -1., ""};
    symbolic.time = measure(exec, request.repetitions, [&] {
      assembler.reset(); // its memory is freed before the next one is made
      assembler = problem.make_assembler(options_of(request, strategy));
      assembler->symbolic(exec);
    });
    BenchRow numeric{io::name_of(strategy) + " numeric", {}, 0., -1., ""};
    numeric.time = measure(exec, request.repetitions, [&] { assembler->numeric(exec); });
    symbolic.model_bytes = assembler->symbolic_traffic().bytes;
    numeric.model_bytes = assembler->numeric_traffic().bytes;
    numeric.bytes_per_element = memory.per(table.n_elements);
    if (assembler->coloring().used)
      symbolic.note = std::to_string(assembler->coloring().n_colors) + " colours";
    table.rows.push_back(symbolic);
    table.rows.push_back(numeric);
  };
  add_strategies(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
BenchTable bench_operator(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request) {
  BenchTable table{"operator, " + problem.name, problem.n_elements, problem.n_nodes, problem.n_unknowns, {}};
  const index_t n = problem.n_unknowns;
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
    const double bytes = memory.per(table.n_elements);
    const std::string label =
        assembler->matrix() != nullptr ? "CRS (" + io::name_of(strategy) + ")" : io::name_of(strategy);
    const auto& system = assembler->system();
    system.prepare_products(exec); // as in solvers
    const double model = system.traffic().bytes;
    table.rows.push_back(
        {label + " apply", measure(exec, request.repetitions, [&] { system.apply(exec, x, y); }), model, bytes, ""});
    table.rows.push_back(
        {label + " apply + dot",
         measure(exec, request.repetitions, [&] { system.apply_dot(exec, x, y, workspace, xy.data()); }), model, -1.,
         ""});
  };
  add_strategies(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
BenchTable bench_estimate(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request) {
  BenchTable table{"estimate, " + problem.name, problem.n_elements, problem.n_nodes, problem.n_unknowns, {}};
  const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "driver::x", problem.n_unknowns, 1.);
  const auto y = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::y", problem.n_unknowns);
  const auto nodal = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::nodal", problem.problem->n_space_nodes);
  problem.problem->interpolate(exec, physics::Expression::parse("sin(3*x)*exp(y)"), nodal, "bench estimate");
  const auto add = [&](assembly::Strategy strategy) {
    const auto assembler = problem.make_assembler(options_of(request, strategy));
    assembler->symbolic(exec);
    assembler->numeric(exec);
    const auto& system = assembler->system();
    system.prepare_products(exec);
    const auto product = [&] { system.apply(exec, x, y); };
    table.rows.push_back({"CRS product", measure(exec, request.repetitions, product), system.traffic().bytes, -1., ""});
    const Timing of_product = table.rows.back().time;
    for (const auto& entry : io::enum_names<io::Estimator>()) {
      const auto estimate = [&] { problem.problem->estimate_error(exec, nodal, entry.value); };
      BenchRow row{std::string(entry.name), measure(exec, request.repetitions, estimate), 0., -1., ""};
      std::ostringstream text;
      text << std::fixed << std::setprecision(1) << row.time.median / of_product.median
           << " products; of the least times " << row.time.minimum / of_product.minimum;
      row.note = text.str();
      table.rows.push_back(row);
    }
  };
  add_strategies(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
BenchTable bench_coloring(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                          const BenchRequest& request) {
  BenchTable table{"coloring, " + problem.name, problem.n_elements, problem.n_nodes, problem.n_unknowns, {}};
  const auto add = [&](const std::string& label, graph::ColoringMethod method, bool deterministic) {
    graph::ColoringOptions options;
    options.deterministic = deterministic;
    const MemoryTaken memory(exec);
    graph::Coloring<typename ExecutionSpace::memory_space> coloring;
    BenchRow row{label, {}, 0., -1., ""};
    row.time = measure(exec, request.repetitions, [&] {
      coloring = {};
      coloring =
          graph::color_elements(exec, method, problem.vertices, problem.vertices_per_element, problem.n_nodes, options);
    });
    row.bytes_per_element = memory.per(table.n_elements);
    graph::verify_coloring(exec, coloring, problem.vertices, problem.vertices_per_element, problem.n_nodes);
    row.note = std::to_string(coloring.n_colors) + " colours of " + std::to_string(coloring.smallest_class()) + " / " +
               std::to_string(static_cast<index_t>(coloring.mean_class())) + " / " +
               std::to_string(coloring.largest_class());
    table.rows.push_back(row);
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
BenchTable bench_solve(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                       const BenchRequest& request) {
  BenchTable table{"solve, " + problem.name, problem.n_elements, problem.n_nodes, problem.n_unknowns, {}};
  exec.fence();
  const std::size_t before = MemoryLedger::current_bytes();
  const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::x", problem.n_unknowns);
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
      table.rows.push_back({label + ": iteration", per_iteration, solver.iteration_bytes(), -1., ""});
      fixed = nullptr; // its vectors are freed before those of the next one are allocated
      if (request.iterations_only)
        return;
      std::size_t of_solution = 0;
      table.rows.push_back(whole_solve(exec, label, solver, request, 1, &of_solution));
      std::ostringstream text;
      text << std::fixed << std::setprecision(1) << ", "
           << static_cast<double>(std::max(of_setup, of_solution) - before) / problem.n_unknowns
           << " bytes per unknown";
      table.rows.back().note += text.str();
    };
    for_each_solver(exec, problem, request, table, io::name_of(strategy), *assembler, x, take);
  };
  add_strategies(exec, table, request, add);
  return table;
}

template <class ExecutionSpace>
BenchTable bench_ebe(const ExecutionSpace& exec, const BenchProblem<ExecutionSpace>& problem,
                     const BenchRequest& request) {
  BenchTable table{"assembly and solve, " + problem.name, problem.n_elements, problem.n_nodes, problem.n_unknowns, {}};
  const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::x", problem.n_unknowns);
  const auto add = [&](const std::string& label, const assembly::AssemblyOptions& options) {
    std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
    BenchRow row{label + ": assembly", {}, 0., -1., ""};
    row.time = measure(exec, request.repetitions, [&] {
      assembler.reset();
      assembler = problem.make_assembler(options);
      assembler->symbolic(exec);
      assembler->numeric(exec);
    });
    if (assembler->coloring().used)
      row.note = "with " + std::to_string(assembler->coloring().n_colors) + " colours and their verification";
    table.rows.push_back(row);
    for (const Solver<ExecutionSpace>& solver : jacobi_solvers(exec, *assembler, x))
      table.rows.push_back(whole_solve(exec, label + ", " + solver.name, solver, request, request.repetitions));
  };
  for (const graph::ColoringMethod coloring : request.colorings) {
    assembly::AssemblyOptions options = options_of(request, assembly::Strategy::ebe_stored);
    options.coloring = coloring;
    const std::string label = io::name_of(options.strategy) + " by " + graph::coloring_method_name(coloring);
    add_rows(exec, table, label, [&] {
      request.require_fit(options.strategy);
      add(label, options);
    });
  }
  for (const assembly::Strategy strategy : {assembly::Strategy::row_gather, assembly::Strategy::a_coo})
    add_rows(exec, table, io::name_of(strategy), [&] {
      request.require_fit(strategy);
      add(io::name_of(strategy), options_of(request, strategy));
    });
  return table;
}

#define TESSERA_INSTANTIATE_TABLE(SPACE, TABLE)                                                                        \
  template BenchTable TABLE<SPACE>(const SPACE&, const BenchProblem<SPACE>&, const BenchRequest&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_assembly)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_operator)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_estimate)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_coloring)                                                                     \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_solve)                                                                        \
  TESSERA_INSTANTIATE_TABLE(SPACE, bench_ebe)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
