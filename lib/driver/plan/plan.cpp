// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/plan.hpp"

#include "core/error.hpp"
#include "driver/harmonic/cores/complex_permeability.hpp"
#include "driver/plan/anisotropy.hpp"
#include "driver/plan/form_choice.hpp"
#include "driver/plan/parts_check.hpp"
#include "driver/plan/quantity_list.hpp"
#include "io/input/temperature.hpp"
#include "mesh/parts/part_rings.hpp"
#include "solvers/krylov/column_counts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace tessera::driver {

namespace {

using assembly::Strategy;

/// Typical number of Newton steps for a material with a B-H curve.
constexpr double n_nonlinear_steps = 8.;

/// Number of solves for a matrix of capacitances or inductances, after the run's solution.
int n_matrix_solves(const io::Case& input) {
  std::size_t n = 0;
  if (wants(input, io::Quantity::capacitance_matrix))
    n = io::matrix_conductors(input.problem, input.output).size();
  if (wants(input, io::Quantity::inductance_matrix))
    n = input.problem.coils.size();
  return static_cast<int>(n);
}

/// Whether a material has a B-H curve.
bool has_iron(const io::ProblemOptions& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(),
                     [](const io::Material& material) { return !material.bh_curve.empty(); });
}

/// Right-hand sides of a pack of frequencies, with what takes as much memory: the loads of conductors, directions for
/// the multigrid cycle of several of them (driver/harmonic/harmonic_system.cpp), and solutions kept in sweeps.
int n_phasor_columns(const io::Case& input) {
  const io::ProblemOptions& problem = input.problem;
  const auto n_conductors = static_cast<int>(problem.conductors.size());
  const auto n_frequencies = static_cast<int>(problem.frequencies.size());
  const bool has_matrix = wants(input, io::Quantity::inductance_matrix);
  const auto n_driven =
      std::count_if(problem.conductors.begin(), problem.conductors.end(),
                    [&](const auto& conductor) {
                      return conductor.has_voltage || conductor.in_circuit || has_matrix ||
                             !conductor.boundaries.empty();
                    }) +
      std::count_if(problem.coils.begin(), problem.coils.end(), [](const auto& coil) { return coil.in_circuit; });
  const int at_each = 1 + static_cast<int>(n_driven) + n_matrix_solves(input);
  constexpr int of_pack = 4;
  constexpr int of_model = 18;  // directions, right-hand sides and solutions of a reduced model
  constexpr int of_newton = 20; // directions of GMRES in some ten iterations
  const int in_solution = problem.sweep.reduced ? of_model * at_each
                          : has_iron(problem)   ? of_newton
                                                : std::max(at_each, std::min(of_pack, n_frequencies));
  return in_solution + (n_conductors + 3) / 4 + (n_conductors > 2 ? of_pack * std::min(n_conductors, 16) : 0) +
         (n_frequencies > of_pack ? 5 : 0);
}

/// Matrices with a complex factor in eddy currents (driver/harmonic/added_matrix.hpp).
int n_added_matrices(const io::ProblemOptions& problem) {
  int n = has_iron(problem) ? 1 : 0; // driver/harmonic/cores/saturation.hpp
  for (const io::Material& material : problem.materials)
    if (lags(material))
      n += has_same_permeabilities(material) ? 1 : 2;
  for (const io::Boundary& boundary : problem.boundaries)
    n += boundary.impedance ? 1 : 0;
  return n;
}

/// Number of them that are solved together (driver/solution/column_solver.hpp).
int n_columns(const io::Case& input, int processes) {
  const bool suits = input.solver.method == io::SolverMethod::pcg && processes == 1;
  return suits ? solvers::columns_for(n_matrix_solves(input)) : 1;
}

/// "case.yaml:12: execution.reproducible"; for `bench --reproducible` without a place.
std::string reproducible_location(const io::ExecutionOptions& options) {
  const io::Location& where = options.reproducible_where;
  return where.path.empty() ? "execution.reproducible" : where.text();
}

/// Why a reproducible run may not use the strategy; "" if it may, and for other runs.
std::string why_not_reproducible(const io::Case& input, Strategy strategy) {
  if (!input.execution.reproducible)
    return "";
  if (!assembly::is_deterministic(strategy))
    return "strategy '" + io::name_of(strategy) + "' adds in an order that changes from run to run. Use " +
           assembly::strategy_names(assembly::is_deterministic) + '.';
  if (assembly::uses_coloring(strategy) && input.assembly.coloring == io::Coloring::kokkos_kernels)
    return "the colours of kokkos-kernels may change from run to run. Use node-claims, ccm, fcm or ofcm.";
  return "";
}

bool needs_matrix(const io::Case& input) {
  if (io::has_joints(input.problem) || !input.output.matrix.empty()) // entries of joints are added to it
    return true;
  if (input.solver.preconditioner == io::Preconditioner::multigrid)
    return !why_multigrid_needs_matrix(input).empty();
  return input.solver.method == io::SolverMethod::petsc;
}

/// Whether a strategy is compiled for matrices that are not symmetric (assembly::FewStrategies).
bool serves_temperature(Strategy strategy) {
  return strategy == Strategy::reference || strategy == Strategy::row_gather || strategy == Strategy::ebe_atomic;
}

bool is_allowed(const io::Case& input, Strategy strategy) {
  const bool has_matrix = assembly::stores_matrix(strategy);
  if (io::depends_on_temperature(input.problem) &&
      (!serves_temperature(strategy) || (!has_matrix && input.solver.preconditioner == io::Preconditioner::multigrid)))
    return false;
  return (has_matrix || !needs_matrix(input)) && why_not_reproducible(input, strategy).empty();
}

/// Memory limit of a run: execution.memory_limit, or the free memory; negative: unlimited.
double allowed_bytes(const io::ExecutionOptions& options, double free) {
  const std::optional<double>& limit = options.memory_limit;
  if (!limit)
    return free;
  return std::isinf(*limit) ? -1. : *limit * 1024. * 1024. * 1024.;
}

/// "but 2.8 GiB are free"
std::string allowed_text(const io::ExecutionOptions& options, double free) {
  if (options.memory_limit)
    return "but execution.memory_limit allows " + format_bytes(allowed_bytes(options, free));
  return "but " + format_bytes(free) + " are free";
}

/// Sets the preconditioner and the data that depend on it.
void set_preconditioner(const io::Case& input, const PreconditionerChoice& choice, ProblemSize& size) {
  const io::Preconditioner kind = choice.preconditioner;
  Workload& work = size.work;
  size.preconditioner = choice;
  size.memory.preconditioner = kind;
  size.memory.columns = n_columns(input, size.memory.processes);
  const double factor = kind == io::Preconditioner::jacobi ? 1. : (kind == io::Preconditioner::multigrid ? 0.75 : 1.2);
  const double iterations =
      predicted_iterations(work.dimension, work.order, work.unknowns, input.solver.relative_tolerance, factor);
  // For multigrid about 15 iterations with as many products each as the cycle has.
  const double products = kind == io::Preconditioner::multigrid ? std::min(iterations, 90.) : iterations;
  constexpr double few_steps = 50.; // of controlled steps of time there are more
  const io::TimeOptions& time = input.problem.time;
  const double n_steps = time.is_controlled() ? few_steps : std::max(1, time.steps);
  work.n_products = n_steps * work.n_assemblies * (1. + n_matrix_solves(input)) *
                    std::min(products, static_cast<double>(input.solver.max_iterations));
}

const char* const limit_hint = " execution.memory_limit (GiB, or unlimited) takes the place of what is free.";

} // namespace

std::string needs_text(const ProblemSize& size, const std::function<bool(Strategy, double bytes)>& passes) {
  std::vector<std::pair<double, Strategy>> needs;
  for (const auto& entry : io::enum_names<io::Strategy>())
    if (entry.value != Strategy::automatic && entry.value != Strategy::reference) {
      const double bytes = estimate_memory(size.memory, entry.value);
      if (passes(entry.value, bytes))
        needs.emplace_back(bytes, entry.value);
    }
  std::stable_sort(needs.begin(), needs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& need : needs)
    text += (text.empty() ? "" : ", ") + io::name_of(need.second) + ' ' + format_bytes(need.first);
  return text.empty() ? "none" : text;
}

void check_reproducible(const io::Case& input, Strategy strategy) {
  const std::string reason = why_not_reproducible(input, strategy);
  TESSERA_REQUIRE(reason.empty(), reproducible_location(input.execution) << ": " << reason);
}

void check_reproducible(const io::Case& input, assembly::dg::Strategy strategy) {
  TESSERA_REQUIRE(!input.execution.reproducible || assembly::dg::traits_of(strategy).is_deterministic,
                  reproducible_location(input.execution)
                      << ": strategy '" << io::name_of(strategy)
                      << "' adds in an order that changes from run to run. Use auto, block-rows or triplets.");
}

void check_reproducible(const io::Case& input) {
  TESSERA_REQUIRE(!input.execution.reproducible || input.solver.method != io::SolverMethod::petsc,
                  reproducible_location(input.execution) << ": method petsc does not promise the same bits. Use pcg.");
  if (input.discretization.method == io::Method::dg)
    check_reproducible(input, input.assembly.dg_strategy);
  else if (input.assembly.strategy != Strategy::automatic)
    check_reproducible(input, input.assembly.strategy);
}

namespace {

void refuse_processes(const std::string& what, int n_processes, const std::string& instead) {
  TESSERA_REQUIRE(false, what << " runs with one process; " << n_processes << " are requested. " << instead);
}

} // namespace

void check_processes(assembly::dg::Strategy strategy, int n_processes) {
  if (n_processes > 1 && strategy == assembly::dg::Strategy::reference)
    refuse_processes("The strategy reference", n_processes, "Use auto, block-rows, triplets or atomic.");
}

namespace {

/// An upper bound of what is divided over processes: unknowns or, with dg, elements.
struct Divisible {
  std::int64_t most;
  const char* text;
};
Divisible divisible(const io::Case& input, const MeshCounts& mesh) {
  if (input.discretization.method == io::Method::dg) {
    const std::int64_t requested = input.mesh.agglomerate.elements;
    return {requested > 0 ? std::min(mesh.elements, requested) : mesh.elements, "mesh has elements"};
  }
  const int edges_of_element = mesh.dimension == 2 ? 3 : 6;
  return {input.discretization.order.number == 1 ? mesh.nodes : mesh.nodes + edges_of_element * mesh.elements,
          "problem has unknowns"};
}

/// Refuses more processes than a mesh, refined by mesh.refine, has items for.
void require_enough(const io::Case& input, MeshCounts mesh, int n_processes) {
  for (int level = 0; level < input.mesh.refinements() && divisible(input, mesh).most < n_processes; ++level)
    mesh = mesh.refined();
  const auto [most, text] = divisible(input, mesh);
  TESSERA_REQUIRE(n_processes <= most, input.mesh.where.text() << ": " << n_processes << " processes are more than the "
                                                               << text << " (at most " << most << "). Use fewer.");
}

} // namespace

void check_processes(const io::Case& input, const io::ImportedMesh& imported, int n_processes) {
  if (n_processes > 1 && input.mesh.source != io::MeshSource::box)
    require_enough(input,
                   {imported.dimension, static_cast<std::int64_t>(imported.n_nodes()),
                    static_cast<std::int64_t>(imported.n_elements()), 0},
                   n_processes);
}

void check_processes(const io::Case& input, int n_processes) {
  if (n_processes == 1)
    return;
  if (input.mesh.source == io::MeshSource::box)
    require_enough(input, MeshCounts::box(input.mesh.dimension, input.mesh.box.cells.data(), input.mesh.where.text()),
                   n_processes);
  const auto refuse = [&](const std::string& what, const std::string& instead) {
    refuse_processes(what, n_processes, instead);
  };
  if (input.mesh.adapt.requested())
    refuse("mesh.adapt", "Use a mesh that is fine enough, or mesh.refine.");
  if (!input.output.matrix.empty())
    refuse("output.matrix", "Each has its rows. Use one process, or leave it out.");
  if (io::writes_colors(input.output))
    refuse("output.fields: colour", "Each colours its part. Use one process, or leave it out.");
  if (input.execution.mesh == io::MeshOfProcess::parts) {
    const std::string why = why_not_in_parts(input);
    TESSERA_REQUIRE(why.empty(), input.execution.mesh_where.text()
                                     << ": parts cannot be combined with " << why << ". Use execution.mesh: whole.");
  }
  const io::SolverInput& solver = input.solver;
  if (input.discretization.method == io::Method::dg) {
    check_processes(input.assembly.dg_strategy, n_processes);
    return;
  }
  if (solver.method == io::SolverMethod::ebe_j_pcg && input.execution.reproducible)
    refuse("solver.method: ebe-j-pcg with execution.reproducible: true",
           "Its sums over elements, and the colours of each part, depend on the number of processes. Use pcg.");
}

namespace {

/// Whether with some strategy that the input allows multigrid uses the elements of the next coarser mesh.
bool may_take_coarser_elements(const io::Case& input, io::Preconditioner preconditioner, FormKind form) {
  const Strategy strategy = input.assembly.strategy;
  const bool may_lack_matrix =
      strategy == Strategy::automatic ? !input.execution.reproducible : !assembly::stores_matrix(strategy);
  return takes_coarser_elements(input, preconditioner, form, !may_lack_matrix);
}

/// Number of pairs of a node and a region that touches it, in excess of one per node.
std::int64_t count_more_sides(const io::ImportedMesh& mesh) {
  constexpr std::int32_t none = -1;
  const std::size_t nodes_per_element = static_cast<std::size_t>(mesh.dimension) + 1;
  std::vector<std::int32_t> region_of(mesh.n_nodes(), none); // the first region at each node
  std::set<std::pair<index_t, group_t>> others;
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    const index_t node = mesh.elements[i];
    const group_t region = mesh.regions[i / nodes_per_element];
    std::int32_t& first = region_of[static_cast<std::size_t>(node)];
    if (first == none)
      first = region;
    else if (first != region)
      others.emplace(node, region);
  }
  return static_cast<std::int64_t>(others.size());
}

} // namespace

namespace {

ProblemSize size_of(const io::Case& input, const MeshCounts& mesh, int refine, bool is_curved, bool on_gpu,
                    int n_processes, double anisotropic_share);

} // namespace

ProblemSize problem_size(const io::Case& input, const io::ImportedMesh& imported, bool on_gpu, int n_processes) {
  MeshCounts mesh;
  if (input.mesh.source == io::MeshSource::box)
    mesh = MeshCounts::box(imported.dimension, input.mesh.box.cells.data(), input.mesh.where.text());
  else
    mesh = {imported.dimension, static_cast<std::int64_t>(imported.n_nodes()),
            static_cast<std::int64_t>(imported.n_elements()), static_cast<std::int64_t>(imported.n_facets())};
  ProblemSize size = size_of(input, mesh, input.mesh.refinements(), imported.n_curved() > 0, on_gpu, n_processes,
                             anisotropic_share(input, imported));
  if (size.memory.writes_sides)
    size.memory.n_more_sides = count_more_sides(imported);
  return size;
}

ProblemSize problem_size(const io::Case& input, const MeshCounts& mesh, int refine, bool is_curved, bool on_gpu,
                         int n_processes) {
  return size_of(input, mesh, refine, is_curved, on_gpu, n_processes, 0.);
}

namespace {

ProblemSize size_of(const io::Case& input, const MeshCounts& mesh, int refine, bool is_curved, bool on_gpu,
                    int n_processes, double anisotropic_share) {
  ProblemSize size;
  MemoryRequest& memory = size.memory;
  memory.mesh = mesh;
  memory.has_joints = io::has_joints(input.problem);
  memory.works_by_element = input.solver.method == io::SolverMethod::ebe_j_pcg;
  memory.hands_over_matrix = input.solver.method == io::SolverMethod::petsc;
  memory.refine = refine;
  memory.adapts = input.mesh.adapt.requested();
  memory.ordered = input.mesh.ordering == io::Ordering::morton;
  memory.order = input.discretization.method == io::Method::cg ? input.discretization.order.number : 1;
  memory.form = choose_form(input.problem, memory.order == 2 && is_curved);
  memory.solves_for_matrix = n_matrix_solves(input) > 0;
  memory.phasor_terms += n_added_matrices(input.problem);
  const auto has_loss_tangent = [](const io::Material& material) { return material.loss_tangent != 0.; };
  memory.has_guide = input.problem.physics == io::Physics::electro_quasistatics;
  if (std::any_of(input.problem.materials.begin(), input.problem.materials.end(), has_loss_tangent))
    memory.phasor_terms = 3;
  if (io::is_harmonic(input.problem.physics))
    memory.phasor_columns = n_phasor_columns(input);
  memory.processes = n_processes;
  memory.cycle_in_double = memory.has_joints || input.solver.multigrid.precision == Precision::double_precision;
  memory.replicated_size = input.solver.multigrid.replicated_size;
  memory.coloring = input.assembly.coloring;
  memory.deterministic_coloring = input.execution.reproducible;
  memory.writes_fields = !input.output.fields.empty();
  memory.writes_gradient = std::any_of(input.output.fields.begin(), input.output.fields.end(), [](io::Field field) {
    return field == io::Field::gradient || field == io::Field::flux;
  });
  memory.writes_sides = input.output.recovered;

  const std::string place = memory.refine > 0 ? "mesh.refine" : input.mesh.where.text();
  memory.is_part = n_processes > 1 && input.execution.mesh == io::MeshOfProcess::parts;
  if (!memory.is_part)
    checked_index(memory.final_mesh().elements, (place + ": elements").c_str());
  checked_index(memory.final_mesh().nodes, (place + ": nodes").c_str());
  checked_index(memory.n_space_nodes(), "discretization.order: nodes of order 2");
  Workload& work = size.work;
  work.on_gpu = on_gpu;
  work.dimension = mesh.dimension;
  work.order = memory.order;
  work.unknowns = memory.n_space_nodes();
  work.needs_quadrature = memory.form.needs_quadrature();
  work.n_assemblies = memory.form.has_iterate() ? n_nonlinear_steps : 1.;
  const PreconditionerChoice choice = choose_preconditioner(input, work.dimension, work.unknowns, anisotropic_share);
  if (memory.is_part) {
    const int n_layers =
        layers_around_part(input, may_take_coarser_elements(input, choice.preconditioner, memory.form.kind));
    const bool has_whole_groups = has_shared_unknowns(input.problem);
    memory.n_elements_of_all = memory.final_mesh().elements;
    memory.mesh = memory.final_mesh().of_part(n_processes, n_layers, has_whole_groups);
    memory.refine = 0;
    if (input.mesh.source != io::MeshSource::box || refine > 0) { // coarse elements at owned nodes, and rings around
                                                                  // them
      memory.cut_from = mesh.of_part(n_processes, 1 + mesh::rings_around_part(refine, n_layers), has_whole_groups);
      for (int level = 0; level < refine; ++level)
        memory.cut_from = memory.cut_from.refined();
    }
  }
  set_preconditioner(input, choice, size);
  return size;
}

} // namespace

Plan plan_by(const io::Case& input, const ProblemSize& size, Strategy strategy) {
  Plan plan;
  plan.strategy = strategy;
  plan.coloring = input.assembly.coloring;
  plan.keep_colors = io::writes_colors(input.output);
  plan.reproducible = input.execution.reproducible;
  plan.form = size.memory.form.kind;
  plan.solver = input.solver;
  plan.solver.preconditioner = size.preconditioner.preconditioner;
  plan.preconditioner_reason = size.preconditioner.reason;
  const bool is_symmetric =
      !size.memory.form.has_temperature || input.problem.coupling == io::Coupling::depends_on_heat;
  if (!is_symmetric && plan.solver.method == io::SolverMethod::pcg)
    plan.solver.method = io::SolverMethod::bicgstab; // its matrix is not symmetric
  if (size.memory.has_joints) // whose large entries, or weak hold on a part, single precision loses
    plan.solver.multigrid.precision = Precision::double_precision;
  plan.estimated_bytes = estimate_memory(size.memory, strategy);
  plan.columns = assembly::stores_matrix(strategy) ? size.memory.columns : 1;
  plan.takes_coarser_elements = takes_coarser_elements(input, plan.solver.preconditioner, size.memory.form.kind,
                                                       assembly::stores_matrix(strategy));
  return plan;
}

mesh::CoarserMeshes Plan::coarser_meshes() const {
  if (solver.preconditioner != io::Preconditioner::multigrid ||
      solver.multigrid.type == solvers::MultigridType::algebraic)
    return mesh::CoarserMeshes::none;
  return takes_coarser_elements ? mesh::CoarserMeshes::elements : mesh::CoarserMeshes::nodes;
}

void check_strategy(const io::Case& input, Strategy strategy) {
  TESSERA_REQUIRE(input.solver.method != io::SolverMethod::ebe_j_pcg || strategy == Strategy::ebe_stored,
                  "solver.method: ebe-j-pcg works on stored element matrices, but assembly.strategy is '"
                      << io::name_of(strategy) << "'. Use ebe-stored or auto, or method pcg.");
  const std::string why =
      input.solver.preconditioner == io::Preconditioner::multigrid ? why_multigrid_needs_matrix(input) : "";
  TESSERA_REQUIRE(why.empty() || assembly::stores_matrix(strategy),
                  "solver.preconditioner: multigrid needs an assembled matrix, "
                      << why << ". But strategy '" << io::name_of(strategy)
                      << "' has none. Use jacobi, or a strategy with a matrix: "
                      << assembly::strategy_names(assembly::stores_matrix) << '.');
  TESSERA_REQUIRE(!io::depends_on_temperature(input.problem) || serves_temperature(strategy),
                  "assembly.strategy: '" << io::name_of(strategy)
                                         << "' needs a symmetric matrix, which materials that depend on temperature do "
                                            "not give. Use auto, or "
                                         << assembly::strategy_names(serves_temperature) << '.');
  TESSERA_REQUIRE(
      !io::depends_on_temperature(input.problem) || assembly::stores_matrix(strategy) ||
          input.solver.preconditioner != io::Preconditioner::multigrid,
      "solver.preconditioner: with materials that depend on temperature multigrid needs an assembled matrix, "
      "but strategy '"
          << io::name_of(strategy) << "' has none. Use jacobi, or the strategy row-gather.");
  TESSERA_REQUIRE(!io::has_joints(input.problem) || assembly::stores_matrix(strategy),
                  "assembly.strategy: joints (contact, layer) are added to an assembled matrix, but strategy '"
                      << io::name_of(strategy) << "' has none. Use auto, or "
                      << assembly::strategy_names(assembly::stores_matrix) << '.');
  check_reproducible(input, strategy);
}

namespace {

/// make_plan() with the preconditioner of `size`, which must be that of the input, and its columns.
Plan make_plan_with_columns(const io::Case& input, const ProblemSize& size, double free) {
  Strategy strategy = input.assembly.strategy;
  std::string reason;
  const bool needs_elements = input.solver.method == io::SolverMethod::ebe_j_pcg;
  const bool is_auto = strategy == Strategy::automatic;
  if (!is_auto)
    check_strategy(input, strategy);
  const double allowed = allowed_bytes(input.execution, free);
  const auto fits_memory = [&](Strategy s) { return allowed < 0. || estimate_memory(size.memory, s) <= allowed; };
  const auto fits = [&](Strategy s) { return fits_offsets(size.memory, s) && fits_memory(s); };
  const auto refuse = [&](const std::string& what) {
    const auto all = [](Strategy, double) { return true; };
    const auto fitting = [&](Strategy s, double) { return fits(s) && is_allowed(input, s); };
    detail::throw_error(ErrorKind::resource,
                        what + ". Estimated needs: " + needs_text(size, all) +
                            ". Of those that this case allows, these fit: " + needs_text(size, fitting) +
                            ". Otherwise: a coarser mesh, fewer output.fields, mesh.ordering: none, or the host." +
                            limit_hint);
  };
  if (is_auto && needs_elements) {
    strategy = Strategy::ebe_stored;
    reason = "solver.method ebe-j-pcg works on stored element matrices";
  } else if (is_auto && input.execution.reproducible) {
    strategy = Strategy::row_gather;
    reason = "execution.reproducible: the same strategy on every backend and machine";
  } else if (is_auto) {
    const auto may_be = [&](Strategy s) { return is_allowed(input, s) && fits(s); };
    const std::vector<Strategy> preferred = preferred_strategies(size.work);
    // Multigrid reads the matrix of the finest level several times per iteration.
    const bool takes_matrix = input.solver.preconditioner == io::Preconditioner::multigrid &&
                              std::any_of(preferred.begin(), preferred.end(),
                                          [&](Strategy s) { return assembly::stores_matrix(s) && may_be(s); });
    const auto usable = [&](Strategy s) { return may_be(s) && (!takes_matrix || assembly::stores_matrix(s)); };
    if (std::none_of(preferred.begin(), preferred.end(), usable))
      refuse(allowed < 0.
                 ? "No strategy that this case allows fits " + std::to_string(8 * sizeof(offset_t)) + "-bit offsets"
                 : "No strategy fits, " + allowed_text(input.execution, free));
    const StrategyChoice choice = choose_strategy(size.work, usable);
    strategy = choice.strategy;
    reason = choice.reason;
  }
  check_reproducible(input, strategy);
  Plan plan = plan_by(input, size, strategy);
  plan.reason = reason;
  if (!fits_memory(strategy))
    refuse("This run needs about " + format_bytes(plan.estimated_bytes) + " by " + io::name_of(strategy) + ", " +
           allowed_text(input.execution, free));
  return plan;
}

/// The same with as many columns as fit.
Plan make_plan_with_preconditioner(const io::Case& input, const ProblemSize& size, double free) {
  ProblemSize fewer = size;
  for (int& columns = fewer.memory.columns; columns > 1; columns = solvers::columns_for(columns, columns - 1)) {
    try {
      return make_plan_with_columns(input, fewer, free);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resource)
        throw;
    }
  }
  return make_plan_with_columns(input, fewer, free);
}

} // namespace

Plan make_plan(const io::Case& input, const ProblemSize& size, double free) {
  if (input.solver.preconditioner != io::Preconditioner::automatic)
    return make_plan_with_preconditioner(input, size, free);
  io::Case resolved = input;
  resolved.solver.preconditioner = size.preconditioner.preconditioner;
  try {
    return make_plan_with_preconditioner(resolved, size, free);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::resource || size.preconditioner.preconditioner == io::Preconditioner::jacobi)
      throw;
  }
  ProblemSize with_jacobi = size;
  resolved.solver.preconditioner = io::Preconditioner::jacobi;
  set_preconditioner(resolved, {io::Preconditioner::jacobi, "multigrid does not fit"}, with_jacobi);
  return make_plan_with_preconditioner(resolved, with_jacobi, free);
}

void require_cg(const io::Case& input, const std::string& command) {
  TESSERA_REQUIRE(input.discretization.method == io::Method::cg,
                  input.file << ": discretization.method: '" << command
                             << "' measures continuous elements; bench dg measures those of dg.");
}

void require_steady(const io::Case& input, const std::string& command) {
  TESSERA_REQUIRE(!input.current, input.file << ": problem.physics: '" << command
                                             << "' does not support electro-thermal in this version.");
  TESSERA_REQUIRE(!input.problem.time.requested() || input.discretization.method == io::Method::dg,
                  input.problem.time.where.text() << ": '" << command
                                                  << "' does not support steps of time with continuous elements in "
                                                     "this version. --set problem.time= problem.initial= takes them "
                                                     "away.");
}

void require_no_adaptation(const io::Case& input, const std::string& command) {
  TESSERA_REQUIRE(!input.mesh.adapt.requested(),
                  input.mesh.adapt.where.text()
                      << ": '" << command << "' works on one mesh. --set mesh.adapt= takes the refinement away.");
}

double memory_of_each(const comm::Communicator& world, double free, bool on_host) {
  return -world.largest(-free / (on_host ? world.local_size() : 1));
}

void require_memory(const io::Case& input, double bytes, double free, const std::string& what) {
  const double allowed = allowed_bytes(input.execution, free);
  TESSERA_REQUIRE_KIND(allowed < 0. || bytes <= allowed, ErrorKind::resource,
                       what << " needs about " << format_bytes(bytes) << ", " << allowed_text(input.execution, free)
                            << "." << (input.file.empty() ? "" : limit_hint)); // no file: not a case
}

} // namespace tessera::driver
