// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/backends.hpp"
#include "core/kokkos_ext/host/host_threads.hpp"
#include "graph/partition/metis.hpp"
#include "io/input/sections/sections.hpp"
#include "io/input/temperature.hpp"
#include "io/mesh_files/coarser_meshes.hpp"
#include "physics/expressions/expression.hpp"
#include "solvers/external/petsc.hpp"
#include "solvers/largest_residual.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace tessera::io {

bool diffuses(const ProblemOptions& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(), [](const Material& material) {
    const Coefficient& a = material.coefficient;
    return !std::all_of(a.diagonal.begin(), a.diagonal.end(), is_zero) ||
           !std::all_of(a.off_diagonal.begin(), a.off_diagonal.end(), is_zero);
  });
}

namespace detail {

namespace {

void read_memory_limit(MapReader& in, ExecutionOptions& execution) {
  const YamlNode* node = in.find("memory_limit");
  if (node == nullptr || node->text == "free")
    return;
  if (node->text == "unlimited")
    execution.memory_limit = std::numeric_limits<double>::infinity();
  else if (!node->text.empty() &&
           std::all_of(node->text.begin(), node->text.end(), [](unsigned char c) { return std::isalpha(c) != 0; }))
    in.fail("memory_limit", "expected free, unlimited or a number of GiB, found '" + node->text + "'.");
  else
    execution.memory_limit = in.number("memory_limit", 0., Range::positive());
}

/// Reports features that dg does not support.
void check_dg(const ProblemOptions& problem, const Location& where, InputErrors& errors) {
  if (has_vector_potential(problem.physics) || is_harmonic(problem.physics))
    errors.add(where, "dg does not solve " + name_of(problem.physics) + "; use cg.");
  if (problem.symmetry == Symmetry::axisymmetric)
    errors.add(where, "dg solves planar and three-dimensional problems only; use cg for axisymmetric ones.");
  for (const Source& source : problem.sources)
    if (source.total)
      errors.add(source.region.where, "dg has no " + std::string(traits_of(problem.physics).source_total) +
                                          " of a region; give its density, " + traits_of(problem.physics).source +
                                          ", or use cg.");
  for (const Material& material : problem.materials)
    if (material.shell)
      errors.add(material.region.where, "dg has no shell that stands for open space; use cg.");
  if (depends_on_temperature(problem))
    errors.add(where, "dg has no materials that depend on temperature; use cg.");
  for (const PointSourceInput& source : problem.point_sources)
    errors.add(source.name.where, "dg has no sources at points; use cg.");
  for (const LineSourceInput& source : problem.line_sources)
    errors.add(source.name.where, "dg has no sources along lines; use cg.");
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind != BoundaryKind::value && boundary.kind != BoundaryKind::flux &&
        boundary.kind != BoundaryKind::joint)
      errors.add(boundary.group.where, "dg has no condition '" + name_of(boundary.kind, problem.physics) +
                                           "'. Available: " + name_of(BoundaryKind::value, problem.physics) + ", " +
                                           name_of(BoundaryKind::flux, problem.physics) + ", and joints.");
}

bool has_velocity(const ProblemOptions& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(), [](const Material& material) {
    return std::any_of(material.velocity.begin(), material.velocity.end(), [](const Scalar& v) { return !is_zero(v); });
  });
}

/// Whether a coefficient of diffusion or reaction depends on t.
bool has_transient_matrix(const ProblemOptions& problem) {
  const auto is_transient = [](const Scalar& value) {
    return !value.is_constant && physics::Expression::parse(value.text).depends_on(physics::Opcode::t);
  };
  return std::any_of(problem.materials.begin(), problem.materials.end(), [&](const Material& material) {
    const Coefficient& a = material.coefficient;
    const std::vector<Scalar>& b = material.velocity;
    return std::any_of(a.diagonal.begin(), a.diagonal.end(), is_transient) ||
           std::any_of(a.off_diagonal.begin(), a.off_diagonal.end(), is_transient) ||
           std::any_of(b.begin(), b.end(), is_transient) || is_transient(material.reaction);
  });
}

bool has_local_steps(const DiscretizationOptions& discretization) {
  const ElementNumbersInput& steps = discretization.local_steps;
  return steps.number != 1 || !steps.regions.empty() || steps.expression;
}

/// Multigrid if it takes far fewer iterations than block preconditioners and one hierarchy serves all time steps; in
/// time slabs `automatic`, which tries block Gauss-Seidel first (driver::DgSteps). Block Gauss-Seidel for flow without
/// diffusion, but not in reproducible runs, as its bits would depend on the processes.
Preconditioner choose_block_preconditioner(const ProblemOptions& problem, const DiscretizationOptions& discretization,
                                           bool reproducible) {
  constexpr int highest_degree = 4; // above it multigrid saves few iterations
  int degree = discretization.order.number;
  for (const RegionNumber& entry : discretization.order.regions)
    degree = std::max(degree, entry.number);
  if (diffuses(problem) && !has_local_steps(discretization) && degree <= highest_degree &&
      !discretization.order.expression && !has_transient_matrix(problem))
    return problem.time.requested() && !reproducible ? Preconditioner::automatic : Preconditioner::multigrid;
  const bool sweeps = problem.time.requested() || (has_velocity(problem) && !diffuses(problem) && !reproducible);
  return sweeps ? Preconditioner::block_gauss_seidel : Preconditioner::block_jacobi;
}

/// Reads method and preconditioner for the block matrices of dg.
void read_block_solver(MapReader& in, const ProblemOptions& problem, const DiscretizationOptions& discretization,
                       bool reproducible, SolverInput& solver) {
  const bool in_time = problem.time.requested();
  const bool symmetric = !in_time && !has_velocity(problem);
  // Circulating flow stalls restarted GMRES.
  const bool is_pure_advection = has_velocity(problem) && !diffuses(problem);
  solver.method = in.choice("method", symmetric                      ? SolverMethod::pcg
                                      : in_time || is_pure_advection ? SolverMethod::bicgstab
                                                                     : SolverMethod::gmres);
  if (solver.method == SolverMethod::petsc)
    in.fail("method", "petsc applies to discretization.method cg only; dg has pcg, gmres, bicgstab.");
  if (solver.method == SolverMethod::ebe_j_pcg || solver.method == SolverMethod::multigrid)
    in.fail("method",
            name_of(solver.method) + " needs element matrices of cg or their sum; dg has pcg, gmres, bicgstab.");
  if (solver.method == SolverMethod::pcg && !symmetric)
    in.fail("method", "pcg needs a symmetric matrix, but with a velocity or in time it is not. Use gmres or bicgstab.");
  solver.preconditioner = in.choice("preconditioner", Preconditioner::automatic);
  if (solver.preconditioner == Preconditioner::automatic)
    solver.preconditioner = choose_block_preconditioner(problem, discretization, reproducible);
  if (solver.preconditioner == Preconditioner::multigrid && !diffuses(problem))
    in.fail("preconditioner", "multigrid of dg is for diffusion, and there is none. Use block-gauss-seidel.");
  if (in.has("sweep_order") && solver.preconditioner != Preconditioner::block_gauss_seidel)
    in.fail("sweep_order", "applies to preconditioner block-gauss-seidel only.");
  // Without diffusion a downwind sweep nearly solves the problem; with diffusion it saves no iterations.
  solver.sweep_order =
      in.choice("sweep_order", has_velocity(problem) && !diffuses(problem) ? SweepOrder::downwind : SweepOrder::color);
  if (solver.sweep_order == SweepOrder::downwind && !has_velocity(problem))
    in.fail("sweep_order", "without a velocity there is no downwind direction. Use color.");
  if (in.has("restart") && solver.method != SolverMethod::gmres)
    in.fail("restart", "applies to gmres only.");
  solver.restart = in.integer("restart", solver.restart, 1, 1000);
}

/// Whether a value is an expression that varies in space. Errors in it are reported when it is read.
bool is_variable(const YamlNode& node) {
  InputErrors errors;
  return node.kind == YamlNode::Kind::scalar && !read_scalar(node, {}, errors, false).is_constant;
}

/// Reads an integer for all elements; for dg also a map by region, or an expression.
void read_numbers(MapReader& in, const std::string& key, const std::string& what, bool is_dg, int smallest, int largest,
                  ElementNumbersInput& numbers) {
  numbers.where = in.location(key);
  const YamlNode* node = in.find(key);
  if (is_dg && node != nullptr && node->kind == YamlNode::Kind::map) {
    MapReader map = in.map(key);
    numbers.number = map.integer("default", numbers.number, smallest, largest);
    map.require("regions", "the numbers of regions by their names");
    MapReader regions = map.map("regions");
    for (const std::string& name : regions.keys())
      numbers.regions.push_back({{name, regions.location(name)}, regions.integer(name, 1, smallest, largest)});
    map.finish();
  } else if (is_dg && node != nullptr && is_variable(*node)) {
    numbers.expression = in.scalar(key, {});
    if (physics::Expression::parse(node->text).depends_on(physics::Opcode::t))
      in.fail(key, what + " of an element cannot change with t.");
  } else {
    numbers.number = in.integer(key, numbers.number, smallest, largest);
  }
}

/// Solvers stop when the residual is small relative to a right-hand side that is proportional to the penalty.
void note_penalty(MapReader& in, double penalty) {
  constexpr double least = 1., most = 1e4; // with the default tolerance flows have four digits in this range
  if (penalty < least)
    in.errors().add_note(in.location("penalty"), "below 1 the matrix may be indefinite, and a solution of it wrong.");
  if (penalty > most)
    in.errors().add_note(in.location("penalty"),
                         "is so large that the solver's tolerance, which it multiplies, hides the solution: fields and "
                         "flows may be wrong by a share of both and more. Beyond some 10 they gain nothing by it.");
}

/// Checks that steps are powers of two, so that those of neighbours are nested.
void check_local_steps(const ElementNumbersInput& steps, InputErrors& errors) {
  const auto check = [&](int number, const Location& where) {
    if ((number & (number - 1)) != 0)
      errors.add(where, "must be a power of two, but is " + std::to_string(number) +
                            ": the steps of neighbouring elements must be nested.");
  };
  check(steps.number, steps.where);
  for (const RegionNumber& entry : steps.regions)
    check(entry.number, entry.region.where);
}

} // namespace

void read_discretization(MapReader in, const MeshOptions& mesh, const ProblemOptions& problem,
                         DiscretizationOptions& discretization) {
  const bool transport = problem.physics == Physics::advection_diffusion_reaction;
  discretization.method = in.choice("method", transport ? Method::dg : discretization.method);
  const bool is_dg = discretization.method == Method::dg;
  if (transport && !is_dg)
    in.fail("method", name_of(problem.physics) + " is solved by dg only.");
  read_numbers(in, "order", "the degree", is_dg, is_dg ? 0 : 1, is_dg ? largest_dg_order(mesh.dimension) : 2,
               discretization.order);
  for (const char* key : {"penalty", "covering", "extra_degree"})
    if (in.has(key) && !is_dg)
      in.fail(key, "applies to method dg only.");
  discretization.penalty = in.number("penalty", discretization.penalty, Range::positive());
  note_penalty(in, discretization.penalty);
  discretization.covering = in.choice("covering", discretization.covering);
  discretization.extra_degree =
      in.integer("extra_degree", discretization.extra_degree, 0, assembly::dg::largest_extra_degree);
  if (is_dg && !transport && problem.time.requested())
    in.fail("method",
            "dg has time in advection-diffusion-reaction only; " + name_of(problem.physics) + " in time needs cg.");
  if (in.has("time_polynomials") && !(is_dg && problem.time.requested()))
    in.fail("time_polynomials", "applies to method dg with problem.time only.");
  if (is_dg && problem.time.requested())
    discretization.time_polynomials = in.choice("time_polynomials", fe::TimePolynomials::p);
  if (in.has("local_steps") && !(is_dg && problem.time.requested()))
    in.fail("local_steps", "applies to method dg with problem.time only.");
  read_numbers(in, "local_steps", "the number of steps", is_dg, 1, largest_local_steps, discretization.local_steps);
  check_local_steps(discretization.local_steps, in.errors());
  if (is_dg)
    check_dg(problem, in.location("method"), in.errors());
  else if (mesh.agglomerate.requested())
    in.errors().add(mesh.agglomerate_where, "needs discretization.method dg: continuous elements are simplices.");
  in.finish();
}

void read_assembly(MapReader in, const DiscretizationOptions& discretization, AssemblyInput& assembly) {
  if (discretization.method == Method::dg) {
    assembly.dg_strategy = in.choice("strategy", assembly.dg_strategy);
    assembly.precision = in.choice("precision", assembly.precision);
    if (assembly.precision == Precision::single_precision &&
        !assembly::dg::traits_of(assembly.dg_strategy).has_single_precision)
      in.fail("precision", "the strategy '" + name_of(assembly.dg_strategy) + "' has double precision only.");
    if (in.has("coloring"))
      in.fail("coloring", "applies to discretization.method cg only.");
  } else {
    if (in.has("precision"))
      in.fail("precision", "applies to discretization.method dg only: matrices of continuous elements are in double "
                           "precision.");
    assembly.strategy = in.choice("strategy", assembly.strategy);
    assembly.coloring = in.choice("coloring", assembly.coloring);
  }
  in.finish();
}

namespace {

void read_multigrid(MapReader in, const MeshOptions& mesh, int order, solvers::MultigridOptions& options) {
  options.type = in.choice("type", options.type);
  if (options.type == solvers::MultigridType::geometric && !has_coarser_meshes(mesh) && order == 1)
    in.fail("type",
            "geometric needs coarser meshes: those of mesh.refine, or of a box of even numbers of cells (from 4 "
            "on). Use auto.");
  options.cycle = in.choice("cycle", options.cycle);
  options.precision = in.choice("precision", options.precision);
  options.replicated_size = static_cast<index_t>(in.integer("replicated_size", options.replicated_size, 1, 100000000));
  in.finish();
}

/// Reads the options of method petsc; PETSc checks them when it is set up.
void read_petsc(MapReader& in, SolverInput& solver) {
  solver.petsc = in.text("petsc", solvers::default_petsc_options);
  solver.petsc_where = in.location("petsc");
  if (*solvers::petsc_version() == '\0')
    in.fail("method",
            "petsc needs a build with PETSc, which this one lacks. Use pcg, or install PETSc (Debian: petsc-dev) "
            "and build again.");
  const std::size_t first = solver.petsc.find_first_not_of(" \t\n");
  const bool is_option = first != std::string::npos && solver.petsc[first] == '-';
  if (in.has("petsc") && !is_option)
    in.fail("petsc",
            "expected options as on PETSc's command lines, for example \"-ksp_type cg -pc_type gamg\", found '" +
                solver.petsc + "'.");
}

/// Default tolerance of Newton's method with materials of temperature.
constexpr double tolerance_with_temperature = 1e-11;

/// Reads method and preconditioner for continuous elements.
void read_nodal_solver(MapReader& in, const AssemblyInput& assembly, SolverInput& solver) {
  solver.method = in.choice("method", solver.method);
  const bool is_multigrid = solver.method == SolverMethod::multigrid;
  const bool is_petsc = solver.method == SolverMethod::petsc;
  solver.preconditioner = in.choice("preconditioner", is_multigrid ? Preconditioner::multigrid
                                                      : is_petsc   ? Preconditioner::none
                                                                   : Preconditioner::automatic);
  if (is_petsc && solver.preconditioner != Preconditioner::none)
    in.fail("preconditioner", "method petsc allows only none: set PETSc's preconditioner by -pc_type in solver.petsc.");
  if (is_multigrid && solver.preconditioner != Preconditioner::multigrid)
    in.fail("preconditioner", "method multigrid allows only multigrid.");
  if (solver.method == SolverMethod::gmres || solver.method == SolverMethod::bicgstab)
    in.fail("method", name_of(solver.method) +
                          " applies to discretization.method dg only; matrices of cg are symmetric. Use pcg.");
  if (solver.preconditioner == Preconditioner::block_jacobi ||
      solver.preconditioner == Preconditioner::block_gauss_seidel)
    in.fail("preconditioner", name_of(solver.preconditioner) + " applies to discretization.method dg only.");
  if (solver.method == SolverMethod::ebe_j_pcg && solver.preconditioner != Preconditioner::jacobi &&
      solver.preconditioner != Preconditioner::automatic)
    in.fail("preconditioner", "method ebe-j-pcg allows only jacobi.");
  const bool is_auto = assembly.strategy == Strategy::automatic;
  if (solver.method == SolverMethod::ebe_j_pcg && !is_auto && assembly.strategy != Strategy::ebe_stored)
    in.fail("method", "ebe-j-pcg works on stored element matrices, but assembly.strategy is '" +
                          name_of(assembly.strategy) + "'. Use ebe-stored or auto, or method pcg.");
  if (is_petsc && !is_auto && !assembly::stores_matrix(assembly.strategy))
    in.fail("method", "petsc needs an assembled matrix, but strategy '" + name_of(assembly.strategy) +
                          "' has none. Use auto, or a strategy with a matrix: " +
                          assembly::strategy_names(assembly::stores_matrix) + '.');
}

/// Called after the options of multigrid are read.
void check_multigrid_strategy(MapReader& in, const MeshOptions& mesh, int order, const AssemblyInput& assembly,
                              const SolverInput& solver) {
  if (assembly.strategy == Strategy::automatic || assembly::stores_matrix(assembly.strategy))
    return;
  const std::string why = why_multigrid_needs_matrix(mesh, order, solver.multigrid);
  if (why.empty())
    return;
  const bool is_method = solver.method == SolverMethod::multigrid;
  in.fail(is_method ? "method" : "preconditioner",
          "multigrid needs an assembled matrix, " + why + ". But strategy '" + name_of(assembly.strategy) +
              "' has none. Use " + (is_method ? "method pcg with preconditioner jacobi" : "jacobi") +
              ", or a strategy with a matrix: " + assembly::strategy_names(assembly::stores_matrix) + '.');
}

} // namespace

void read_solver(MapReader in, const MeshOptions& mesh, const ProblemOptions& problem,
                 const DiscretizationOptions& discretization, const AssemblyInput& assembly,
                 const ExecutionOptions& execution, SolverInput& solver) {
  if (discretization.method == Method::dg)
    read_block_solver(in, problem, discretization, execution.reproducible, solver);
  else
    read_nodal_solver(in, assembly, solver);
  if (discretization.method == Method::cg && depends_on_temperature(problem) && solver.method != SolverMethod::pcg &&
      solver.method != SolverMethod::petsc)
    in.fail("method", name_of(solver.method) +
                          " needs a symmetric matrix, which materials that depend on temperature do "
                          "not give. Use pcg, which then takes BiCGStab, or petsc.");
  if (solver.method == SolverMethod::petsc)
    read_petsc(in, solver);
  else if (in.has("petsc"))
    in.fail("petsc", "applies to method petsc only.");
  solver.multigrid_given = in.has("multigrid");
  if (solver.preconditioner == Preconditioner::multigrid || solver.preconditioner == Preconditioner::automatic)
    read_multigrid(in.map("multigrid"), mesh, discretization.order.number, solver.multigrid);
  else if (solver.multigrid_given)
    in.fail("multigrid", "applies to the preconditioners multigrid and auto only.");
  if (solver.preconditioner == Preconditioner::multigrid && discretization.method == Method::dg &&
      has_local_steps(discretization))
    in.fail("preconditioner",
            "multigrid of dg does not go with discretization.local_steps. Use block-gauss-seidel, or equal steps.");
  if ((solver.preconditioner == Preconditioner::multigrid || solver.preconditioner == Preconditioner::automatic) &&
      discretization.method == Method::dg &&
      (solver.multigrid.type == solvers::MultigridType::geometric ||
       solver.multigrid.cycle == solvers::MultigridCycle::full))
    in.fail("multigrid", "dg has type algebraic and the cycles V and W: its levels are agglomerates of elements.");
  if (solver.preconditioner == Preconditioner::multigrid && discretization.method == Method::cg)
    check_multigrid_strategy(in, mesh, discretization.order.number, assembly, solver);
  solver.relative_tolerance = in.number(
      "relative_tolerance", solver.relative_tolerance,
      {0., false, solvers::largest_residual,
       " A larger residual leaves fields and capacitances wrong by several per cent; for pictures 1e-6 is enough."});
  solver.absolute_tolerance = in.number("absolute_tolerance", solver.absolute_tolerance, Range::non_negative());
  if (solver.relative_tolerance == 0. && solver.absolute_tolerance == 0.)
    in.fail("relative_tolerance", "this or absolute_tolerance must be positive.");
  solver.max_iterations = in.integer("max_iterations", solver.max_iterations, 1, 2000000000);
  const YamlNode* guess = in.find("initial_guess");
  if (guess == nullptr || guess->text != "zero")
    solver.initial_guess = in.scalar("initial_guess", {});
  if (discretization.method == Method::dg && !(solver.initial_guess.is_constant && solver.initial_guess.value == 0.))
    in.fail("initial_guess", "applies to discretization.method cg only; dg starts from zero.");
  if (in.has("nonlinear") && !may_be_nonlinear(problem))
    in.fail("nonlinear",
            "applies to magnetostatics and to eddy-currents with a bh_curve, and to heat with radiation or "
            "materials of temperature only.");
  MapReader nonlinear = in.map("nonlinear");
  NonlinearOptions& options = solver.nonlinear;
  options.method = nonlinear.choice("method", options.method);
  if (depends_on_temperature(problem)) // what flows may be small next to the load of temperatures far from zero
    options.relative_tolerance = tolerance_with_temperature;
  options.relative_tolerance =
      nonlinear.number("relative_tolerance", options.relative_tolerance, {0., true, solvers::largest_residual});
  options.max_iterations = nonlinear.integer("max_iterations", options.max_iterations, 1, 100000);
  options.line_search = nonlinear.boolean("line_search", options.line_search);
  nonlinear.finish();
  in.finish();
}

void read_execution(MapReader in, ExecutionOptions& execution) {
  const std::vector<std::string> available = backend_names();
  execution.backend = in.text("backend", available.back());
  if (std::find(available.begin(), available.end(), execution.backend) == available.end() &&
      !execution.backend.empty()) {
    const std::vector<std::string> known{"serial", "openmp", "cuda", "hip", "sycl", "openmptarget", "openacc"};
    if (std::find(known.begin(), known.end(), execution.backend) != known.end())
      in.fail("backend", "this build has no backend '" + execution.backend + "'; it has " + joined(available) + ".");
    else
      in.fail("backend", unknown_name_message("backend", execution.backend, available));
  }
  if (in.has("threads"))
    execution.threads = in.integer("threads", 0, 1, max_host_threads());
  execution.reproducible = in.boolean("reproducible", execution.reproducible);
  execution.reproducible_where = in.location("reproducible");
  execution.messages = in.choice("messages", execution.messages);
  if (execution.messages == comm::Messages::nccl && !comm::has_nccl())
    in.fail("messages", "this build has no NCCL (RCCL with HIP). Use mpi, or build with -DTessera_ENABLE_NCCL=ON.");
  const bool for_gpus = execution.messages == comm::Messages::nccl || execution.messages == comm::Messages::peer;
  if (for_gpus && (execution.backend == "serial" || execution.backend == "openmp"))
    in.fail("messages",
            name_of(execution.messages) + " connects GPUs, but the backend is " + execution.backend + ". Use mpi.");
  execution.partition = in.choice("partition", execution.partition);
  if (execution.partition == Partition::metis && *graph::metis_version() == '\0')
    in.fail("partition",
            "this build has no METIS. Use morton, or install METIS (Debian: libmetis-dev) and build again.");
  else if (execution.partition == Partition::metis && execution.reproducible)
    in.fail("partition", "metis numbers the unknowns part by part, so that the bits of the results would depend on the "
                         "number of processes, which reproducible: true rules out. Use morton.");
  execution.mesh = in.choice("mesh", execution.mesh);
  execution.mesh_where = in.location("mesh");
  read_memory_limit(in, execution);
  in.finish();
}

} // namespace detail
} // namespace tessera::io
