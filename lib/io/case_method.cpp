// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/backends.hpp"
#include "core/kokkos_ext/host_threads.hpp"
#include "graph/metis.hpp"
#include "io/case_sections.hpp"
#include "io/coarser_meshes.hpp"
#include "io/convergence_file.hpp"
#include "io/input_text.hpp"
#include "io/material_patterns.hpp"
#include "io/pictures/canvas.hpp"
#include "physics/expression.hpp"
#include "solvers/external/petsc.hpp"
#include "solvers/largest_residual.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace tessera::io::detail {

namespace {

/// Place of an item of a list of names, with its index in the key path.
Location item_location(MapReader& in, const std::string& key, const YamlNode& item, std::size_t index) {
  return location_of(item, in.join(key) + "[" + std::to_string(index) + "]");
}

/// Reads a list whose names depend on the physics, each at most once; `places` receives those of the result's entries.
template <class Enum>
std::vector<Enum> read_names(MapReader& in, const std::string& key, const std::string& what,
                             std::initializer_list<Enum> values, Physics physics,
                             std::vector<Location>* places = nullptr) {
  std::vector<std::string> names;
  for (const Enum value : values)
    if (!name_of(value, physics).empty())
      names.push_back(name_of(value, physics));
  std::vector<Enum> result;
  const std::vector<const YamlNode*> items = in.list(key);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Location where = item_location(in, key, *items[i], i);
    const std::string text = read_text(*items[i], where, in.errors());
    const auto value = std::find_if(values.begin(), values.end(), [&](Enum v) { return name_of(v, physics) == text; });
    if (text.empty())
      continue;
    if (value == values.end())
      in.errors().add_unknown(where, what, text, names);
    else if (std::find(result.begin(), result.end(), *value) != result.end())
      in.errors().add(where, "'" + text + "' is listed twice.");
    else {
      result.push_back(*value);
      if (places != nullptr)
        places->push_back(where);
    }
  }
  return result;
}

bool lists(const OutputOptions& output, Quantity quantity) {
  return std::find(output.quantities.begin(), output.quantities.end(), quantity) != output.quantities.end();
}

/// `is_dg`, `order`: of the elements, on which it depends which fields are told unless the input says so.
Probe read_probe(MapReader in, const std::string& name, int dimension, bool is_dg, int order) {
  Probe probe;
  probe.name = name;
  probe.where = in.where();
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
  if (!plain)
    in.fail("the name becomes a file's: only letters, digits, '_' and '-' are allowed.");
  // File systems allow 255 with the ending and with the additions of the temporary name.
  if (name.size() > 200)
    in.fail("the name becomes a file's: at most 200 characters are allowed, but it has " + std::to_string(name.size()) +
            ".");
  const std::size_t n_min = dimension == 3 ? 3 : 2;
  const std::size_t n_max = dimension == 2 ? 2 : 3;
  const YamlNode* points = in.require("points", "the number of points between from and to, or a list of points");
  probe.is_line = points == nullptr || points->kind != YamlNode::Kind::sequence;
  if (probe.is_line) {
    in.require("from", "first point of the line");
    in.require("to", "last point of the line");
    const std::vector<double> from = in.numbers("from", n_min, n_max);
    const std::vector<double> to = in.numbers("to", n_min, n_max);
    if (!from.empty() && !to.empty() && from.size() != to.size())
      in.fail("to",
              "has " + std::to_string(to.size()) + " coordinates, but from has " + std::to_string(from.size()) + ".");
    else if (!from.empty() && from == to)
      in.fail("to", "is the same point as from; a single point is written as a list, points: [[..]].");
    probe.from = to_point(from, dimension);
    probe.to = to_point(to, dimension);
    for (std::size_t k = 0; k < probe.from.size(); ++k)
      if (std::isinf(probe.to[k] - probe.from[k]))
        in.fail("to", "the length of the line is no finite number.");
    probe.n_points = in.integer("points", 2, 2, 10000000);
  } else {
    for (const char* key : {"from", "to"})
      if (in.has(key))
        in.fail(key, "does not go with a list of points.");
    if (points->items.empty())
      in.fail("points", "the list is empty.");
    for (std::size_t i = 0; i < points->items.size(); ++i) {
      const Location where = item_location(in, "points", points->items[i], i);
      if (const auto point = read_point(points->items[i], where, dimension, in.errors()))
        probe.list.push_back(*point);
    }
  }
  if (is_dg && in.has("recovered"))
    in.fail("recovered", "applies to discretization.method cg only.");
  probe.recovered = in.boolean("recovered", !is_dg && order == 1);
  in.finish();
  return probe;
}

Body read_body(MapReader in, const std::string& name, int dimension, const Location& where) {
  Body body;
  body.name = name;
  body.where = where;
  const std::vector<const YamlNode*> groups = in.list("groups");
  if (in.has("groups") && groups.empty())
    in.fail("groups", "the list is empty. Name regions or boundaries; without the key the body's own name is one.");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Location place = item_location(in, "groups", *groups[i], i);
    add_group(body.groups, {read_text(*groups[i], place, in.errors()), place}, in.errors());
  }
  if (!in.has("groups"))
    body.groups.push_back({name, where});
  if (in.has("about"))
    body.about = to_point(in.numbers("about", dimension == 3 ? 3 : 2, dimension == 2 ? 2 : 3), dimension);
  in.finish();
  return body;
}

/// "energy", "coenergy", "capacitance", "charge.<group>", "volume.<region>", of floating bodies "potential.<group>", of
/// coils "flux_linkage.<coil>" and "inductance.<coil>", of bodies "force.<body>.x", of matrices
/// "<matrix>.<row>.<column>"; of dg "mean", "mean.<region>" and fluxes through any boundary. dimension 0: unknown.
NameSet expected_names(const ProblemOptions& problem, const OutputOptions& output, bool is_dg, int dimension) {
  NameSet names;
  for (const Body& body : output.bodies)
    for (const char* method : {"", "_wide"}) {
      const std::string end = std::string(method) + "." + body.name + ".";
      if (problem.symmetry == Symmetry::axisymmetric) {
        names.add("force" + end + "axial");
        continue;
      }
      for (const char direction : {'x', 'y', 'z'}) {
        if (dimension != 2 || direction != 'z')
          names.add("force" + end + direction);
        if (dimension != 2 || direction == 'z') // in the plane about an axis across it
          names.add("torque" + end + direction);
      }
    }
  if (is_dg) {
    names.add(name_of(Quantity::mean, problem.physics));
    for (const Material& material : problem.materials)
      names.add(name_of(Quantity::mean, problem.physics) + "." + material.region.name);
  }
  if (!is_dg)
    for (const RegionQuantity quantity : region_quantities)
      for (const Material& material : problem.materials)
        if (!name_of(quantity, problem.physics).empty())
          names.add(name_of(quantity, problem.physics) + "." + material.region.name);
  for (const PathQuantity quantity : path_quantities) {
    const std::string head = name_of(quantity, problem.physics);
    for (const Line& line : output.lines)
      if (is_of_lines(quantity) && !head.empty())
        names.add(head + "." + line.name);
    for (const SurfaceInput& surface : output.surfaces)
      if (is_of_surfaces(quantity) && !head.empty())
        names.add(head + "." + surface.name);
  }
  const bool of_all = is_dg && problem.physics != Physics::electrostatics;
  for (const Quantity quantity :
       {Quantity::energy, Quantity::losses, Quantity::coenergy, Quantity::capacitance, Quantity::resistance})
    if (!name_of(quantity, problem.physics).empty())
      names.add(name_of(quantity, problem.physics));
  if (!name_of(Quantity::charge, problem.physics).empty())
    for (const Boundary& boundary : problem.boundaries)
      if (of_all || is_conductor(boundary) || is_natural(boundary))
        names.add(name_of(Quantity::charge, problem.physics) + "." + boundary.group.name);
  for (const CoilInput& coil : problem.coils)
    for (const Quantity quantity : {Quantity::flux_linkage, Quantity::inductance})
      names.add(name_of(quantity, problem.physics) + "." + coil.name.name);
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::floating)
      names.add(name_of(BoundaryKind::value, problem.physics) + "." + boundary.group.name);
  const auto add_matrix = [&](Quantity quantity, const char* second, const std::vector<std::string>& members) {
    if (is_dg || !lists(output, quantity))
      return;
    for (const std::string& row : members)
      for (const std::string& column : members)
        for (const std::string& head : {name_of(quantity, problem.physics), std::string(second)})
          names.add(head + "." + row + "." + column);
  };
  std::vector<std::string> coils;
  for (const CoilInput& coil : problem.coils)
    coils.push_back(coil.name.name);
  add_matrix(Quantity::capacitance_matrix, traits_of(problem.physics).matrix.mutual,
             matrix_conductors(problem, output));
  add_matrix(Quantity::inductance_matrix, coupling, coils);
  return names;
}

/// Reads columns of probes' tables: probe, column, exact values.
void read_expected_probes(MapReader in, int dimension, Method method, const ProblemOptions& problem,
                          const OutputOptions& output, VerificationOptions& verification) {
  NameSet probes;
  for (const Probe& probe : output.probes)
    probes.add(probe.name);
  std::vector<std::string> columns;
  for (const auto& column : probe_columns(
           problem, method, dimension == 0 ? (problem.physics == Physics::magnetostatics ? 2 : 3) : dimension))
    columns.push_back(column.first);
  for (const std::string& probe : in.keys()) {
    if (!probes.has(probe))
      in.errors().add_unknown(in.location(probe), "probe of output.probes", probe, probes.list());
    MapReader table = in.map(probe);
    for (const std::string& column : table.keys()) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end())
        in.errors().add_unknown(table.location(column), "column", column, columns);
      MapReader entry = table.map(column);
      ExpectedProbe expected;
      expected.where = entry.where();
      expected.probe = probe;
      expected.column = column;
      entry.require("exact", "the exact values along the probe");
      expected.exact = entry.scalar("exact", {});
      if (entry.has("exact") && expected.exact.is_constant && expected.exact.value == 0.)
        entry.fail("exact", "must not be zero: errors are relative to it.");
      expected.tolerance = entry.number("tolerance", 0., Range::non_negative());
      entry.finish();
      verification.probes.push_back(expected);
    }
    table.finish();
  }
}

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

/// Reports what dg does not have.
void check_dg(const ProblemOptions& problem, const Location& where, InputErrors& errors) {
  if (problem.physics == Physics::magnetostatics)
    errors.add(where, "dg does not solve magnetostatics; use cg.");
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
  for (const PointSource& source : problem.point_sources)
    errors.add(source.name.where, "dg has no sources at points; use cg.");
  for (const LineSource& source : problem.line_sources)
    errors.add(source.name.where, "dg has no sources along lines; use cg.");
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind != BoundaryKind::value && boundary.kind != BoundaryKind::flux)
      errors.add(boundary.group.where, "dg has no condition '" + name_of(boundary.kind, problem.physics) +
                                           "'. Available: " + name_of(BoundaryKind::value, problem.physics) + ", " +
                                           name_of(BoundaryKind::flux, problem.physics) + ".");
}

bool has_velocity(const ProblemOptions& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(), [](const Material& material) {
    return std::any_of(material.velocity.begin(), material.velocity.end(), [](const Scalar& v) { return !is_zero(v); });
  });
}

/// Whether there is diffusion somewhere.
bool diffuses(const ProblemOptions& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(), [](const Material& material) {
    const Coefficient& a = material.coefficient;
    return !std::all_of(a.diagonal.begin(), a.diagonal.end(), is_zero) ||
           !std::all_of(a.off_diagonal.begin(), a.off_diagonal.end(), is_zero);
  });
}

/// Reads method and preconditioner for the matrices of blocks that dg makes.
void read_block_solver(MapReader& in, const ProblemOptions& problem, SolverOptions& solver) {
  const bool in_time = problem.time.asked();
  const bool symmetric = !in_time && !has_velocity(problem);
  solver.method = in.choice("method", symmetric ? SolverMethod::pcg
                                      : in_time ? SolverMethod::bicgstab
                                                : SolverMethod::gmres);
  if (solver.method == SolverMethod::petsc)
    in.fail("method", "petsc applies to discretization.method cg only; dg has pcg, gmres, bicgstab.");
  if (solver.method == SolverMethod::ebe_j_pcg || solver.method == SolverMethod::multigrid)
    in.fail("method",
            name_of(solver.method) + " needs element matrices of cg or their sum; dg has pcg, gmres, bicgstab.");
  if (solver.method == SolverMethod::pcg && !symmetric)
    in.fail("method", "pcg needs a symmetric matrix, but with a velocity or in time it is not. Use gmres or bicgstab.");
  solver.preconditioner =
      in.choice("preconditioner", in_time ? Preconditioner::block_gauss_seidel : Preconditioner::block_jacobi);
  if ((needs_matrix(solver.preconditioner) && solver.preconditioner != Preconditioner::multigrid) ||
      solver.preconditioner == Preconditioner::automatic)
    in.fail("preconditioner", "dg has none, jacobi, block-jacobi, block-gauss-seidel, and multigrid with pcg.");
  if (solver.preconditioner == Preconditioner::multigrid && solver.method != SolverMethod::pcg)
    in.fail("preconditioner",
            "multigrid of dg needs a symmetric matrix and pcg: no velocity, not in time. Use block-gauss-seidel.");
  if (in.has("sweep_order") && solver.preconditioner != Preconditioner::block_gauss_seidel)
    in.fail("sweep_order", "applies to preconditioner block-gauss-seidel only.");
  // Without diffusion a downwind sweep nearly solves the problem; with it, it saves no iterations.
  solver.sweep_order =
      in.choice("sweep_order", has_velocity(problem) && !diffuses(problem) ? SweepOrder::downwind : SweepOrder::color);
  if (solver.sweep_order == SweepOrder::downwind && !has_velocity(problem))
    in.fail("sweep_order", "without a velocity there is no downwind direction. Use color.");
  if (in.has("restart") && solver.method != SolverMethod::gmres)
    in.fail("restart", "applies to gmres only.");
  solver.restart = in.integer("restart", solver.restart, 1, 1000);
}

/// Whether a value is an expression that differs from place to place. Errors in it are told where it is read.
bool is_variable(const YamlNode& node) {
  InputErrors errors;
  return node.kind == YamlNode::Kind::scalar && !read_scalar(node, {}, errors, false).is_constant;
}

/// Reads a number for all elements; for dg also a map by region, or an expression.
void read_numbers(MapReader& in, const std::string& key, const std::string& what, bool is_dg, int smallest, int largest,
                  ElementNumbers& numbers) {
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

/// Solvers stop where the residual is small beside a right-hand side that the penalty multiplies.
void note_penalty(MapReader& in, double penalty) {
  constexpr double least = 1., most = 1e4; // with the default tolerance flows have four digits there
  if (penalty < least)
    in.errors().add_note(in.location("penalty"), "below 1 the matrix may be indefinite, and a solution of it wrong.");
  if (penalty > most)
    in.errors().add_note(in.location("penalty"),
                         "is so large that the solver's tolerance, which it multiplies, hides the solution: fields and "
                         "flows may be wrong by a share of both and more. Beyond some 10 they gain nothing by it.");
}

/// Steps halve, so that those of neighbours lie within each other.
void check_local_steps(const ElementNumbers& steps, InputErrors& errors) {
  const auto check = [&](int number, const Location& where) {
    if ((number & (number - 1)) != 0)
      errors.add(where, "must be a power of two, but is " + std::to_string(number) +
                            ": the steps of an element lie within those of its neighbours.");
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
  if (in.has("penalty") && !is_dg)
    in.fail("penalty", "applies to method dg only.");
  discretization.penalty = in.number("penalty", discretization.penalty, Range::positive());
  note_penalty(in, discretization.penalty);
  if (in.has("time_polynomials") && !problem.time.asked())
    in.fail("time_polynomials", "applies to problems with problem.time only.");
  if (problem.time.asked())
    discretization.time_polynomials = in.choice("time_polynomials", fe::TimePolynomials::p);
  if (in.has("local_steps") && !(is_dg && problem.time.asked()))
    in.fail("local_steps", "applies to method dg with problem.time only.");
  read_numbers(in, "local_steps", "the number of steps", is_dg, 1, largest_local_steps, discretization.local_steps);
  check_local_steps(discretization.local_steps, in.errors());
  if (is_dg)
    check_dg(problem, in.location("method"), in.errors());
  else if (mesh.agglomerate.asked())
    in.errors().add(mesh.agglomerate_where, "needs discretization.method dg: continuous elements are simplices.");
  in.finish();
}

void read_assembly(MapReader in, const DiscretizationOptions& discretization, AssemblyInput& assembly) {
  if (discretization.method == Method::dg) {
    assembly.dg_strategy = in.choice("strategy", assembly.dg_strategy);
    assembly.precision = in.choice("precision", assembly.precision);
    if (assembly.precision == Precision::single_precision &&
        !assembly::dg::traits_of(assembly.dg_strategy).has_single_precision)
      in.fail("precision",
              "single needs strategy auto or block-rows, but strategy is '" + name_of(assembly.dg_strategy) + "'.");
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
  options.smoother = in.choice("smoother", options.smoother);
  options.degree = in.integer("degree", options.degree, 1, 10);
  options.precision = in.choice("precision", options.precision);
  options.strength = in.number("strength", options.strength, Range::non_negative());
  options.replicated_size = static_cast<index_t>(in.integer("replicated_size", options.replicated_size, 1, 100000000));
  if (options.strength >= 0.25)
    in.fail("strength", "must be below 0.25: from there on hardly any coupling of an even mesh is strong.");
  in.finish();
}

/// Reads what goes with method petsc, after the method; PETSc itself checks its options when it is set up.
void read_petsc(MapReader& in, SolverOptions& solver) {
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

/// Reads method and preconditioner for continuous elements.
void read_nodal_solver(MapReader& in, const AssemblyInput& assembly, SolverOptions& solver) {
  solver.method = in.choice("method", solver.method);
  const bool is_multigrid = solver.method == SolverMethod::multigrid;
  const bool is_petsc = solver.method == SolverMethod::petsc;
  solver.preconditioner = in.choice("preconditioner", is_multigrid ? Preconditioner::multigrid
                                                      : is_petsc   ? Preconditioner::none
                                                                   : Preconditioner::automatic);
  if (is_petsc && solver.preconditioner != Preconditioner::none)
    in.fail("preconditioner",
            "method petsc goes without, or with none: PETSc has its own, by -pc_type in solver.petsc.");
  if (is_multigrid && solver.preconditioner != Preconditioner::multigrid)
    in.fail("preconditioner", "method multigrid goes without one, or with multigrid.");
  if (solver.method == SolverMethod::gmres || solver.method == SolverMethod::bicgstab)
    in.fail("method", name_of(solver.method) +
                          " applies to discretization.method dg only; matrices of cg are symmetric. Use pcg.");
  if (solver.preconditioner == Preconditioner::block_jacobi ||
      solver.preconditioner == Preconditioner::block_gauss_seidel)
    in.fail("preconditioner", name_of(solver.preconditioner) + " applies to discretization.method dg only.");
  if (solver.method == SolverMethod::ebe_j_pcg && solver.preconditioner != Preconditioner::jacobi &&
      solver.preconditioner != Preconditioner::automatic)
    in.fail("preconditioner", "method ebe-j-pcg goes with jacobi only.");
  const bool is_auto = assembly.strategy == Strategy::automatic;
  if (solver.method == SolverMethod::ebe_j_pcg && !is_auto && assembly.strategy != Strategy::ebe_stored)
    in.fail("method", "ebe-j-pcg works on stored element matrices, but assembly.strategy is '" +
                          name_of(assembly.strategy) + "'. Use ebe-stored or auto, or method pcg.");
  if (is_petsc && !is_auto && !assembly::stores_matrix(assembly.strategy))
    in.fail("method", "petsc needs an assembled matrix, but strategy '" + name_of(assembly.strategy) +
                          "' has none. Use auto, or a strategy with a matrix: " +
                          assembly::strategy_names(assembly::stores_matrix) + '.');
  if (solver.preconditioner == Preconditioner::symmetric_gauss_seidel && !is_auto &&
      !assembly::stores_matrix(assembly.strategy))
    in.fail("preconditioner", name_of(solver.preconditioner) + " needs an assembled matrix, but strategy '" +
                                  name_of(assembly.strategy) + "' has none. Use jacobi, or a strategy with a matrix: " +
                                  assembly::strategy_names(assembly::stores_matrix) + '.');
}

/// After the options of multigrid.
void check_multigrid_strategy(MapReader& in, const MeshOptions& mesh, int order, const AssemblyInput& assembly,
                              const SolverOptions& solver) {
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
                 const DiscretizationOptions& discretization, const AssemblyInput& assembly, SolverOptions& solver) {
  if (discretization.method == Method::dg)
    read_block_solver(in, problem, solver);
  else
    read_nodal_solver(in, assembly, solver);
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
      (solver.multigrid.type == solvers::MultigridType::geometric ||
       solver.multigrid.cycle == solvers::MultigridCycle::full))
    in.fail("multigrid", "dg has type algebraic and the cycles V and W: its levels are aggregates of elements.");
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
    in.fail("nonlinear", "applies to magnetostatics and to heat with radiation only.");
  MapReader nonlinear = in.map("nonlinear");
  NonlinearOptions& options = solver.nonlinear;
  options.method = nonlinear.choice("method", options.method);
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
    const std::vector<std::string> known{"serial", "openmp", "cuda", "hip"};
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
    in.fail("messages", "this build has no NCCL. Use mpi, or build with -DTessera_ENABLE_NCCL=ON.");
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

namespace {

/// Conductors of the capacitance and of its matrix, and the matrix's ground; needs the quantities.
void read_conductors(MapReader& in, const ProblemOptions& problem, OutputOptions& output) {
  NameSet allowed;
  NameSet fixed;
  for (const Boundary& boundary : problem.boundaries) {
    if (is_conductor(boundary))
      allowed.add(boundary.group.name);
    if (boundary.kind == BoundaryKind::value)
      fixed.add(boundary.group.name);
  }
  NameSet found;
  const std::vector<const YamlNode*> conductors = in.list("conductors");
  for (std::size_t i = 0; i < conductors.size(); ++i) {
    const Location where = item_location(in, "conductors", *conductors[i], i);
    const std::string name = read_text(*conductors[i], where, in.errors());
    if (!name.empty() && !allowed.has(name))
      in.errors().add_unknown(where, "conductor", name, allowed.list());
    if (found.has(name))
      in.errors().add(where, "'" + name + "' is listed twice.");
    found.add(name);
    output.conductors.push_back({name, where});
  }
  const bool of_matrix = lists(output, Quantity::capacitance_matrix);
  const PhysicsTraits& traits = traits_of(problem);
  const std::string matrix = *traits.matrix.name != '\0' ? traits.matrix.name : "capacitance_matrix";
  const Quantity single = lists(output, Quantity::resistance) ? Quantity::resistance : Quantity::capacitance;
  if (in.has("conductors") && !of_matrix && found.list().size() != 2)
    in.fail("conductors", "expected two different groups, between which the capacitance is.");
  if (in.has("conductors") && !of_matrix && !lists(output, single))
    in.errors().add_note(in.location("conductors"), "has no effect: output.quantities lists neither " +
                                                        name_of(single, problem.physics) + " nor " + matrix + '.');
  if (in.has("conductors") && of_matrix && conductors.empty())
    in.fail("conductors", "the list is empty. Name groups with a potential; without the key all of them count: " +
                              joined(allowed.list()) + ".");
  if (of_matrix && lists(output, single) && in.has("conductors") && found.list().size() != 2)
    in.fail("conductors", "the " + name_of(single, problem.physics) + " is between two conductors, but " +
                              std::to_string(found.list().size()) + " are listed. List " + matrix +
                              " alone: it has that of every pair.");
  if (in.has("ground") && !of_matrix)
    in.fail("ground", "applies to the quantity " + matrix + " only.");
  output.ground = {in.text("ground", ""), in.location("ground")};
  const std::string& ground = output.ground.name;
  if (!ground.empty() && allowed.has(ground) && !fixed.has(ground))
    in.fail("ground", "'" + ground + "' is floating, but the ground is held at 0 " + traits.solution.unit +
                          ". Give it a " + traits.solution.name + ", or choose of: " + joined(fixed.list()) + ".");
  else if (!ground.empty() && !fixed.has(ground))
    in.errors().add_unknown(output.ground.where, "ground", ground, fixed.list());
  else if (found.has(ground))
    in.fail("ground", "'" + ground + "' is one of output.conductors; it cannot be the ground as well.");
}

} // namespace

void read_output(MapReader in, int dimension, const ProblemOptions& problem,
                 const DiscretizationOptions& discretization, OutputOptions& output) {
  output.directory = in.text("directory", output.directory);
  output.where = in.location("directory");
  output.report = in.boolean("report", output.report);
  output.convergence = in.boolean("convergence", output.convergence);
  if (output.report && *pictures::cairo_version() == '\0')
    in.fail("report", "this build has no Cairo, which draws the pictures (tessera info).");
  if (output.report) // what its pictures show
    output.fields = {Field::solution, Field::gradient, Field::material};
  const bool is_dg = discretization.method == Method::dg;
  output.recovered = in.boolean("recovered", output.recovered);
  if (is_dg && in.has("recovered"))
    in.fail("recovered", "applies to discretization.method cg only.");
  else if (output.recovered)
    output.fields = {Field::solution, Field::gradient, Field::flux, Field::material};
  if (in.has("fields"))
    output.fields = read_names(in, "fields", "field", {Field::solution, Field::gradient, Field::flux, Field::material},
                               problem.physics);
  // Pictures draw materials, and fields apart where these change.
  if (output.report && !output.fields.empty() &&
      std::find(output.fields.begin(), output.fields.end(), Field::material) == output.fields.end())
    output.fields.push_back(Field::material);
  if (output.recovered && !is_dg && std::none_of(output.fields.begin(), output.fields.end(), [](Field field) {
        return field == Field::gradient || field == Field::flux;
      }))
    in.fail("recovered", "there is nothing to recover: output.fields has neither " +
                             name_of(Field::gradient, problem.physics) + " nor " +
                             name_of(Field::flux, problem.physics) + ". Add one, or leave out output.fields.");
  std::vector<Location> places;
  output.quantities =
      is_dg
          ? read_names(in, "quantities", "quantity",
                       {Quantity::energy, Quantity::losses, Quantity::charge, Quantity::capacitance,
                        Quantity::resistance, Quantity::mean},
                       problem.physics, &places)
          : read_names(in, "quantities", "quantity",
                       {Quantity::energy, Quantity::losses, Quantity::coenergy, Quantity::charge, Quantity::capacitance,
                        Quantity::resistance, Quantity::flux_linkage, Quantity::inductance, Quantity::force,
                        Quantity::torque, Quantity::capacitance_matrix, Quantity::inductance_matrix, Quantity::regions},
                       problem.physics, &places);
  read_conductors(in, problem, output);
  if (in.has("bodies") && (is_dg || name_of(Quantity::force, problem.physics).empty()))
    in.fail("bodies", "is for forces, which continuous elements have in electrostatics and magnetostatics.");
  MapReader bodies = in.map("bodies");
  for (const std::string& name : bodies.keys())
    output.bodies.push_back(read_body(bodies.map(name), name, dimension, bodies.location(name)));
  if (!output.bodies.empty() && !lists(output, Quantity::force) && !lists(output, Quantity::torque))
    in.errors().add_note(bodies.where(), "has no effect: output.quantities lists neither force nor torque.");
  check_quantities(problem, output, places, in.errors());
  if (in.has("every") && !problem.time.asked())
    in.fail("every", "applies to problems with problem.time only.");
  output.every = in.integer("every", output.every, 1, 1000000);
  if (in.has("subdivisions") && !is_dg)
    in.fail("subdivisions", "applies to discretization.method dg only.");
  output.subdivisions = in.integer("subdivisions", output.subdivisions, 1, 32);
  if (is_dg && std::find(output.fields.begin(), output.fields.end(), Field::flux) != output.fields.end())
    in.fail("fields", "dg does not write '" + name_of(Field::flux, problem.physics) + "' in this version.");
  read_integrals(in, dimension, discretization.method, output);
  MapReader probes = in.map("probes");
  for (const std::string& name : probes.keys()) {
    for (const Probe& other : output.probes)
      if (lower_case(name) == lower_case(other.name))
        probes.fail(name, "differs from the probe '" + other.name +
                              "' by upper and lower case only: some file systems would keep one of the two files.");
    for (const std::string& table : table_names(output, problem))
      if (lower_case(name) == table)
        probes.fail(name, "the file " + table + ".csv is that of " +
                              (table == "lines" || table == "surfaces" ? "output." + table
                               : table == "quantities"                 ? "the quantities"
                                                                       : "the quantity") +
                              '.');
    if (output.convergence && lower_case(name) + ".csv" == convergence_file_name)
      probes.fail(name, "the file " + convergence_file_name + " has the residuals (output.convergence).");
    output.probes.push_back(read_probe(probes.map(name), name, dimension, is_dg, discretization.order.number));
  }
  in.finish();
}

void read_verification(MapReader in, int dimension, const ProblemOptions& problem,
                       const DiscretizationOptions& discretization, const OutputOptions& output,
                       VerificationOptions& verification) {
  verification.has_exact = in.has("exact");
  verification.exact = in.scalar("exact", {});
  if (verification.has_exact && is_zero(verification.exact))
    in.fail("exact", "must not be zero: the error is relative to it. Probes show a field that has to vanish.");
  const std::vector<const YamlNode*> gradient = in.list("gradient");
  if (in.has("gradient") && in.find("gradient")->kind == YamlNode::Kind::sequence && gradient.empty())
    in.fail("gradient", "the list is empty.");
  for (std::size_t i = 0; i < gradient.size(); ++i)
    verification.gradient.push_back(
        read_scalar(*gradient[i], item_location(in, "gradient", *gradient[i], i), in.errors(), false));
  if (!gradient.empty() && dimension != 0 && gradient.size() != static_cast<std::size_t>(dimension))
    in.fail("gradient", "expected " + std::to_string(dimension) + " expressions, one per direction, found " +
                            std::to_string(gradient.size()) + ".");
  if (!gradient.empty() && !verification.has_exact)
    in.fail("gradient", "needs the key 'exact' beside it.");
  MapReader quantities = in.map("quantities");
  const NameSet known = expected_names(problem, output, discretization.method == Method::dg, dimension);
  for (const std::string& name : quantities.keys()) {
    ExpectedQuantity expected;
    expected.name = name;
    expected.where = quantities.location(name);
    if (!known.has(name) && !is_listed(known.list(), name)) // wildcards
      in.errors().add_unknown(expected.where, "quantity", name, known.list());
    check_listed(name, expected.where, problem, output, in.errors());
    MapReader entry = quantities.map(name);
    entry.require("value", "the exact value");
    expected.value = entry.number("value", 0.);
    if (entry.has("value") && expected.value == 0.)
      entry.fail("value", "must not be zero: the error is relative to it.");
    expected.tolerance = entry.number("tolerance", 0., Range::non_negative());
    entry.finish();
    verification.quantities.push_back(expected);
  }
  read_expected_probes(in.map("probes"), dimension, discretization.method, problem, output, verification);
  in.finish();
}

} // namespace tessera::io::detail
