// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_problem.hpp"

#include "assembly/dg/form/coverable.hpp"
#include "assembly/dg/form/data_check.hpp"
#include "assembly/dg/form/form_part.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "core/transfer/upload.hpp"
#include "driver/dg/dg_part.hpp"
#include "driver/dg/element_numbers.hpp"
#include "driver/dg/given_parts.hpp"
#include "driver/mesh/box_groups.hpp"
#include "driver/mesh/divide_mesh.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "io/input/case.hpp"
#include "io/input/map_reader.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "mesh/edges.hpp"
#include "mesh/parts/elements_of_part.hpp"
#include "mesh/polytopes/agglomerate.hpp"
#include "mesh/polytopes/make_polytopic_mesh.hpp"
#include "physics/forms/advection_diffusion_reaction.hpp"
#include "physics/forms/diffusion_problem.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <vector>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

physics::Expression scaled(const io::Scalar& scalar, double factor) {
  if (factor == 1.)
    return to_expression(scalar);
  if (scalar.is_constant)
    return physics::Expression(factor * scalar.value);
  return parse_around(scalar, "(" + scalar.text + ")*" + io::number_text(factor));
}

/// The upper triangle row by row, from diagonal and off-diagonal entries.
std::vector<physics::Expression> tensor(const io::Coefficient& coefficient, double factor) {
  std::vector<physics::Expression> entries;
  const std::size_t n = coefficient.diagonal.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    entries.push_back(scaled(coefficient.diagonal[i], factor));
    if (!coefficient.off_diagonal.empty())
      for (std::size_t j = i + 1; j < n; ++j)
        entries.push_back(scaled(coefficient.off_diagonal[next++], factor));
  }
  return entries;
}

/// Binds materials, sources and boundaries to the groups of the imported mesh, or to those of a box; bind_problem() has
/// checked them. Electrostatics and diffusion are the case without advection and reaction. Throws an error of kind
/// input for a condition on a region, which only continuous elements support.
physics::AdvectionDiffusionReaction bind_advection(const io::Case& input, const io::ImportedMesh& imported) {
  const bool is_box = input.mesh.source == io::MeshSource::box;
  const io::JoinedGroups groups = is_box ? box_groups(input.mesh) : io::JoinedGroups();
  const auto& regions = is_box ? groups.regions.names : imported.region_names;
  const auto& boundaries = is_box ? groups.boundaries.names : imported.boundary_names;
  const io::ProblemOptions& options = input.problem;
  const double factor = options.physics == io::Physics::electrostatics ? physics::vacuum_permittivity : 1.;

  physics::AdvectionDiffusionReaction problem;
  problem.regions.resize(regions.size());
  for (const io::Material& material : options.materials) {
    physics::AdvectionRegion& region = problem.regions[find_name(regions, material.region.name)];
    region.diffusion = tensor(material.coefficient, factor);
    for (const io::Scalar& component : material.velocity)
      region.advection.push_back(to_expression(component));
    region.reaction = to_expression(material.reaction);
    region.where = material.region.where.text();
    region.initial = to_expression(options.time.initial);
  }
  for (const io::Source& source : options.sources)
    problem.regions[find_name(regions, source.region.name)].source = to_expression(source.density);
  io::InputErrors errors;
  for (const io::Boundary& boundary : options.boundaries) {
    const int group = find_name(boundaries, boundary.group.name);
    if (group < 0)
      errors.add(boundary.group.where, "'" + boundary.group.name +
                                           "' is a region; conditions of dg belong on boundaries. Boundaries are: " +
                                           io::joined(boundaries) + ".");
    if (boundary.kind == io::BoundaryKind::joint) {
      problem.joints.push_back(to_joint(boundary, options.physics, static_cast<group_t>(group)));
      continue;
    }
    problem.boundaries.push_back({static_cast<group_t>(group), boundary.group.name,
                                  boundary.kind == io::BoundaryKind::value ? physics::AdvectionCondition::dirichlet
                                                                           : physics::AdvectionCondition::neumann,
                                  to_expression(boundary.value), boundary.group.where.text()});
  }
  errors.throw_if_any();
  return problem;
}

void require_simplices(const io::MeshOptions& input, std::int64_t n, std::int64_t n_simplices, int dimension) {
  TESSERA_REQUIRE(n <= n_simplices, input.agglomerate_where.text()
                                        << ": " << n << " elements are requested, but the mesh has only " << n_simplices
                                        << (dimension == 2 ? " triangles." : " tetrahedra."));
}

/// Number of elements requested by the input; throws if it exceeds the number of simplices.
template <int Dim, class ExecutionSpace>
std::int64_t number_of_elements(const ExecutionSpace& exec, const io::MeshOptions& input,
                                const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& simplices) {
  const io::AgglomerationInput& requested = input.agglomerate;
  const std::int64_t n = requested.elements > 0
                             ? requested.elements
                             : mesh::elements_of_mean_size<ExecutionSpace, Dim>(exec, simplices, requested.mean_size);
  require_simplices(input, n, simplices.n_elements(), Dim);
  return n;
}

template <class ExecutionSpace>
void print_elements(const mesh::Agglomeration<ExecutionSpace>& parts, const Context& context) {
  std::ostringstream text;
  text << parts.n_elements << " elements of " << parts.smallest << " to " << parts.largest << " simplices, "
       << parts.mean << " in the mean";
  context.console.item("elements", text.str());
}

template <class ExecutionSpace>
void report_agglomeration(const mesh::Agglomeration<ExecutionSpace>& parts, std::int64_t n_requested,
                          Context& context) {
  print_elements(parts, context);
  if (parts.n_empty + parts.n_disconnected > 0)
    context.notes.push_back("mesh.agglomerate: METIS left " + std::to_string(parts.n_empty) + " parts empty and " +
                            std::to_string(parts.n_disconnected) +
                            " disconnected; of these the smaller pieces went to neighbours, so that there are " +
                            std::to_string(parts.n_elements) + " elements.");
  if (parts.n_elements > n_requested)
    context.notes.push_back("mesh.agglomerate: " + std::to_string(parts.n_elements) + " elements instead of " +
                            std::to_string(n_requested) +
                            ": every one is connected and lies in one region, and the mesh " + "has " +
                            std::to_string(parts.n_pieces) + " connected pieces of regions.");
}

template <class ExecutionSpace>
void report_given_parts(const GivenParts& given, const mesh::Agglomeration<ExecutionSpace>& parts, Context& context) {
  const io::MeshOptions& input = context.input.mesh;
  print_elements(parts, context);
  if (given.n_empty > 0)
    context.notes.push_back("mesh.agglomerate.from: " + std::to_string(given.n_empty) + " of the numbers from 0 to " +
                            std::to_string(given.n_parts + given.n_empty - 1) + " have no simplices in " +
                            input.agglomerate.from + ".");
  if (parts.n_disconnected > 0)
    context.notes.push_back("mesh.agglomerate.from: " + std::to_string(parts.n_disconnected) + " of the " +
                            std::to_string(given.n_parts) +
                            " parts are not connected, or lie in several regions. Each connected piece within a region "
                            "is an element of its own, so that there are " +
                            std::to_string(parts.n_elements) + " elements.");
  TESSERA_REQUIRE(parts.n_elements >= context.world.size(),
                  input.agglomerate_where.text() << ": " << context.world.size() << " processes are more than the "
                                                 << parts.n_elements << " elements. Use fewer.");
}

/// Sizes as far as they are known before the mesh is agglomerated.
DgSizes expected_share(const Context& context, int dimension, std::int64_t n_elements, index_t n_simplices) {
  DgSizes sizes = expected_sizes(context.input.discretization, dimension, static_cast<double>(n_elements), n_simplices);
  sizes.share = has_parts(context) ? 1. : 1. / context.world.size();
  sizes.n_processes = context.world.size();
  return sizes;
}

/// Throws if matrix and solver, in this process, do not fit into memory with the strategy of the input.
template <class ExecutionSpace>
void require_dg_memory(const ExecutionSpace& exec, const Context& context, const DgSizes& sizes) {
  const io::Case& input = context.input;
  std::string what = "The matrix of dg, with its solver";
  if (sizes.n_processes > 1)
    what += ", of each of " + std::to_string(sizes.n_processes) + " processes";
  if (may_take_multigrid(input)) {
    io::Case by_blocks = input;
    by_blocks.solver.preconditioner = io::Preconditioner::block_jacobi;
    what += " (about " + format_bytes(estimate_bytes(by_blocks, sizes)) +
            " with solver.preconditioner: block-jacobi, which takes far more iterations)";
  }
  require_memory(input, estimate_bytes(input, sizes),
                 memory_of_each(context.world, free_memory(exec), is_host_space<ExecutionSpace>), what + ',');
}

template <int Dim, class ExecutionSpace>
mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_mesh(const ExecutionSpace& exec, const io::ImportedMesh& imported, Context& context, const DgPhaseRunner& run) {
  using Space = typename ExecutionSpace::memory_space;
  const io::Case& input = context.input;
  auto simplices = prepare_mesh<ExecutionSpace, Dim>(exec, imported, false, context);
  if (input.execution.mesh == io::MeshOfProcess::parts && input.mesh.ordering == io::Ordering::morton &&
      !input.mesh.agglomerate.requested()) // as with parts of the mesh in several processes
    simplices = mesh::sort_by_lowest_nodes<ExecutionSpace, Dim>(exec, simplices);
  const auto node_incidence = mesh::build_node_incidence(exec, simplices);
  mesh::DualGraph<Dim, Space> dual;
  run(
      "mesh: dual graph", [&] { dual = mesh::build_dual_graph(exec, simplices, node_incidence); }, PhaseKind::resident);
  const bool is_agglomerated = input.mesh.agglomerate.requested();
  const bool is_given = !input.mesh.agglomerate.from.empty();
  GivenParts given;
  if (is_given)
    given = given_parts(input.mesh, imported,
                        static_cast<std::size_t>(simplices.n_elements() >> (Dim * input.mesh.refinements())));
  const std::int64_t n = is_given          ? given.n_parts
                         : is_agglomerated ? number_of_elements(exec, input.mesh, simplices)
                                           : simplices.n_elements();
  require_dg_memory(exec, context, expected_share(context, Dim, n, simplices.n_elements()));
  mesh::ElementNumbers<ExecutionSpace> elements;
  if (is_given) {
    mesh::Agglomeration<ExecutionSpace> parts;
    run(
        "mesh: agglomerate",
        [&] {
          const Array<const index_t*, ExecutionSpace> part =
              parts_on_mesh<Dim>(exec, given, imported, input.mesh.refinements(), simplices);
          parts = mesh::agglomerate_parts<ExecutionSpace, Dim>(exec, simplices, dual, part, given.n_parts); // waits
        },
        PhaseKind::with_host);
    report_given_parts(given, parts, context);
    elements = {parts.element_of, parts.n_elements};
  } else if (is_agglomerated) {
    const io::AgglomerationMethod method = input.mesh.agglomerate.method;
    mesh::Agglomeration<ExecutionSpace> parts;
    run(
        "mesh: agglomerate", [&] { parts = mesh::agglomerate<ExecutionSpace, Dim>(exec, simplices, dual, n, method); },
        method == io::AgglomerationMethod::metis ? PhaseKind::with_host : PhaseKind::resident);
    report_agglomeration(parts, n, context);
    elements = {parts.element_of, parts.n_elements};
  } else {
    elements = {mesh::simplicial_elements<ExecutionSpace, Dim>(exec, simplices), simplices.n_elements()};
  }
  mesh::PolytopicMesh<Dim, Space> mesh;
  run(
      "mesh: faces",
      [&] { mesh = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec, simplices, node_incidence, dual, elements); },
      PhaseKind::resident);
  return mesh;
}

/// The graph of a form's elements, connected by interfaces, on the host.
template <class ExecutionSpace, int Dim>
mesh::HostGraph element_graph_of(const ExecutionSpace& exec,
                                 const dg::Form<Dim, typename ExecutionSpace::memory_space>& form) {
  const auto offsets = to_host(exec, form.faces.neighbour_offsets);
  const auto interfaces = to_host(exec, form.faces.neighbour_interfaces);
  const auto elements = to_host(exec, form.faces.interface_elements);
  mesh::HostGraph graph;
  graph.offsets.assign(offsets.data(), offsets.data() + offsets.extent(0));
  for (index_t e = 0; e < form.n_elements(); ++e)
    for (index_t k = offsets(e); k < offsets(e + 1); ++k)
      graph.neighbours.push_back(elements(interfaces(k), elements(interfaces(k), 0) == e ? 1 : 0));
  return graph;
}

/// The mesh with its simplices, and hence the elements, in the order of the processes' parts; `first_element`: of each
/// part. The work of elements is that of their quadrature, given by the form.
template <class ExecutionSpace, int Dim>
mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
divided(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem, Context& context,
        std::vector<index_t>& first_element) {
  using Space = typename ExecutionSpace::memory_space;
  const int n_parts = context.world.size();
  const auto work = to_host(exec, dg::element_work<ExecutionSpace, Dim>(exec, problem.form));
  const std::vector<std::int64_t> weights(work.data(), work.data() + problem.mesh.n_elements());
  const std::vector<index_t> part_of =
      parts_for_processes(element_graph_of<ExecutionSpace, Dim>(exec, problem.form), weights, context);
  const auto element_of = to_host(exec, problem.mesh.element_of);
  std::vector<index_t> part_of_simplex;
  for (std::size_t s = 0; s < element_of.extent(0); ++s)
    part_of_simplex.push_back(part_of[static_cast<std::size_t>(element_of(s))]);
  const mesh::DividedMesh<Dim, Space> simplices =
      mesh::divide_mesh<ExecutionSpace, Dim>(exec, problem.mesh.simplices, part_of_simplex, n_parts);
  const auto before = to_host(exec, simplices.elements_of_before);
  std::vector<index_t> new_element_of;
  for (std::size_t s = 0; s < before.extent(0); ++s)
    new_element_of.push_back(element_of(before(s)));
  first_element.assign(static_cast<std::size_t>(n_parts) + 1, 0); // elements are numbered by their first simplices
  for (const index_t part : part_of)
    ++first_element[static_cast<std::size_t>(part) + 1];
  std::partial_sum(first_element.begin(), first_element.end(), first_element.begin());
  const auto numbers = uploaded(exec, "driver::element_of", new_element_of);
  auto mesh = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec, simplices.mesh, numbers);
  exec.fence(); // the old numbers may be freed
  return mesh;
}

bool diffuses(const physics::AdvectionDiffusionReaction& advection) {
  const auto is_zero = [](const physics::Expression& entry) { return entry.is_constant() && entry.value() == 0.; };
  return std::any_of(advection.regions.begin(), advection.regions.end(), [&](const physics::AdvectionRegion& region) {
    return !std::all_of(region.diffusion.begin(), region.diffusion.end(), is_zero);
  });
}

/// Makes the space and the form on the mesh of a problem; `share`: fraction of its matrix in this process.
/// `checks_memory`: checks the memory of the matrix after making the space.
template <int Dim, class ExecutionSpace>
void make_space_and_form(const ExecutionSpace& exec, Context& context, DgProblem<Dim, ExecutionSpace>& problem,
                         double share, const DgPhaseRunner& run, bool checks_memory = true,
                         const Array<int*, ExecutionSpace>& given_degrees = {}) {
  const io::Case& input = context.input;
  fe::ModalSpace<Dim, typename ExecutionSpace::memory_space> space;
  run(
      "form: space",
      [&] {
        const io::DiscretizationOptions& options = input.discretization;
        Array<int*, ExecutionSpace> local_steps;
        if (options.local_steps.number > 1 || !options.local_steps.is_one_number())
          local_steps = element_steps(exec, options, problem.mesh);
        const auto make = [&](const auto& degrees) {
          return fe::make_modal_space<Dim, ExecutionSpace>(exec, problem.mesh.boxes, degrees, options.time_polynomials,
                                                           local_steps);
        };
        space = given_degrees.extent(0) > 0     ? make(given_degrees)
                : options.order.is_one_number() ? make(options.order.number)
                                                : make(element_degrees(exec, options, problem.mesh));
      },
      PhaseKind::resident);
  if (has_parts(context))
    fe::share_extremes<Dim, ExecutionSpace>(exec, context.world, space);
  if (input.problem.time.requested()) {
    const std::vector<double> times = input.problem.time.nodes();
    space.from = times[0];
    space.to = times[1];
  }
  problem.sizes = sizes_of(exec, problem.mesh, space);
  problem.sizes.face_values = count_face_values<Dim, ExecutionSpace>(problem.mesh.faces, space, problem.advection);
  problem.sizes.share = share;
  problem.sizes.n_processes = context.world.size();
  if (checks_memory)
    require_dg_memory(exec, context, problem.sizes);
  dg::FormOptions options;
  options.penalty_constant = input.discretization.penalty;
  options.covering = input.discretization.covering;
  options.extra_degree = input.discretization.extra_degree;
  run(
      "form",
      [&] { problem.form = dg::make_form<ExecutionSpace, Dim>(exec, problem.mesh, space, problem.advection, options); },
      PhaseKind::resident);
  if (options.covering == dg::Covering::p_coverable && !has_parts(context)) {
    const index_t n_coverable = dg::count_coverable<ExecutionSpace, Dim>(exec, problem.form);
    context.console.item("p-coverable", std::to_string(n_coverable) + " of " +
                                            std::to_string(problem.form.n_elements()) + " elements");
  }
}

/// Statistics of the agglomerates of all processes.
template <class ExecutionSpace>
mesh::Agglomeration<ExecutionSpace> of_all(const comm::Communicator& world,
                                           const mesh::Agglomeration<ExecutionSpace>& owned, std::int64_t n_simplices) {
  const auto total = [&](std::int64_t n) { return static_cast<std::int64_t>(world.added(static_cast<double>(n))); };
  mesh::Agglomeration<ExecutionSpace> all;
  all.n_elements = checked_index(total(owned.n_elements), "mesh.agglomerate: elements of all processes");
  all.n_pieces = static_cast<index_t>(total(owned.n_pieces));
  all.n_empty = static_cast<index_t>(total(owned.n_empty));
  all.n_disconnected = static_cast<index_t>(total(owned.n_disconnected));
  all.smallest = -world.largest(-owned.smallest);
  all.largest = world.largest(owned.largest);
  all.mean = static_cast<double>(n_simplices) / all.n_elements;
  return all;
}

/// Number of elements of a process that has the simplices [first, first + n_owned) of the whole mesh.
template <int Dim, class ExecutionSpace>
std::int64_t share_of_elements(const ExecutionSpace& exec, const io::MeshOptions& input,
                               const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& owned, std::int64_t first,
                               std::int64_t n_of_all) {
  const std::int64_t n = input.agglomerate.elements;
  if (n == 0)
    return mesh::elements_of_mean_size<ExecutionSpace, Dim>(exec, owned, input.agglomerate.mean_size);
  require_simplices(input, n, n_of_all, Dim);
  const auto before = [&](std::int64_t s) {
    return static_cast<std::int64_t>(double(n) * double(s) / double(n_of_all));
  };
  const std::int64_t share = before(first + owned.n_elements()) - before(first);
  return std::min<std::int64_t>(std::max<std::int64_t>(share, 1), owned.n_elements());
}

/// Makes the problem on this process's part of the mesh, whose curve is cut at `cuts` or, without these, into equal
/// numbers of nodes. If other cuts give the processes more even work, returns them; the problem must then be made again
/// with these.
template <int Dim, class ExecutionSpace>
std::vector<std::uint64_t> make_problem_on_part(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                                Context& context, const DgPhaseRunner& run,
                                                const std::vector<std::uint64_t>& cuts,
                                                DgProblem<Dim, ExecutionSpace>& problem) {
  using Space = typename ExecutionSpace::memory_space;
  const io::Case& input = context.input;
  const comm::Communicator& world = context.world;
  std::vector<std::string> ignored_notes; // notes about the previous mesh
  Context again{context.input, context.console, context.log, ignored_notes, context.world};
  auto part = prepare_part<ExecutionSpace, Dim>(exec, imported, {}, mesh::CoarserMeshes::none,
                                                cuts.empty() ? context : again, cuts);
  index_t first_owned = 0;
  context.log.run("mesh: order", exec,
                  [&] { first_owned = mesh::sort_by_lowest_nodes<ExecutionSpace, Dim>(exec, part); });
  const auto n_owned = static_cast<index_t>(part.owned_elements.extent(0));
  const std::vector<index_t> n_of_all = world.all_gather(n_owned);
  std::int64_t n_before = 0;
  for (std::size_t r = 0; r < n_of_all.size(); ++r) {
    TESSERA_REQUIRE(n_of_all[r] > 0, "execution.mesh: parts leaves process " << r << " without elements (of "
                                                                             << part.n_elements_of_all
                                                                             << "). Use fewer processes, or whole.");
    n_before += static_cast<int>(r) < world.rank() ? n_of_all[r] : 0;
  }
  const auto owned = owned_simplices<Dim, ExecutionSpace>(exec, part, first_owned);
  const bool is_agglomerated = input.mesh.agglomerate.requested();
  const std::int64_t n_elements =
      is_agglomerated ? share_of_elements<Dim>(exec, input.mesh, owned, n_before, part.n_elements_of_all) : n_owned;
  require_dg_memory(exec, context, expected_share(context, Dim, n_elements, n_owned));
  Array<const index_t*, ExecutionSpace> owned_element_of = mesh::simplicial_elements<ExecutionSpace, Dim>(exec, owned);
  index_t n_owned_elements = n_owned;
  mesh::Agglomeration<ExecutionSpace> joined;
  if (is_agglomerated) { // each process agglomerates its own simplices
    const io::AgglomerationMethod method = input.mesh.agglomerate.method;
    run(
        "mesh: agglomerate", [&] { joined = mesh::agglomerate<ExecutionSpace, Dim>(exec, owned, n_elements, method); },
        method == io::AgglomerationMethod::metis ? PhaseKind::with_host : PhaseKind::resident);
    owned_element_of = joined.element_of;
    n_owned_elements = joined.n_elements;
  }
  mesh::PolytopesOfPart<ExecutionSpace> polytopes;
  run(
      "mesh: ghosts",
      [&] {
        polytopes = mesh::polytopes_of_part<ExecutionSpace, Dim>(exec, world, part, first_owned, owned_element_of,
                                                                 n_owned_elements);
      },
      PhaseKind::with_host);
  const auto node_incidence = mesh::build_node_incidence(exec, part.mesh);
  mesh::DualGraph<Dim, Space> dual;
  run(
      "mesh: dual graph", [&] { dual = mesh::build_dual_graph(exec, part.mesh, node_incidence); }, PhaseKind::resident);
  run(
      "mesh: faces",
      [&] {
        problem.mesh =
            mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec, part.mesh, node_incidence, dual, polytopes.numbers);
      },
      PhaseKind::resident);
  if (is_agglomerated)
    take_boxes_of_owners<Dim, ExecutionSpace>(exec, world, polytopes, problem.mesh);
  const bool may_be_cut_again = cuts.empty();
  make_space_and_form<Dim>(exec, context, problem, static_cast<double>(n_owned) / part.mesh.n_elements(), run,
                           !may_be_cut_again);
  if (may_be_cut_again) {
    std::vector<std::uint64_t> better;
    context.log.run(
        "mesh: parts by work", exec,
        [&] {
          better = better_cuts<Dim, ExecutionSpace>(exec, world, part, first_owned, owned_element_of, polytopes,
                                                    problem.form);
        },
        PhaseKind::with_host);
    if (!better.empty())
      return better;
    require_dg_memory(exec, context, problem.sizes);
  }
  if (is_agglomerated) {
    const auto n_requested = static_cast<std::int64_t>(world.added(static_cast<double>(n_elements)));
    report_agglomeration(of_all(world, joined, part.n_elements_of_all), n_requested, context);
    context.notes.push_back("mesh.agglomerate: each of " + std::to_string(world.size()) +
                            " processes joins the simplices of its part, so that the elements, and with them the "
                            "results within their error, depend on the number of processes.");
    take_measures_of_owners<Dim, ExecutionSpace>(exec, world, polytopes, problem.form);
  }
  DgProblem<Dim, ExecutionSpace> cut;
  run(
      "form: part",
      [&] {
        cut = problem; // the work may be repeated
        cut_to_part<Dim, ExecutionSpace>(exec, world, part, first_owned, polytopes, cut);
      },
      PhaseKind::with_host);
  problem = cut;
  return {};
}

} // namespace

template <int Dim, class ExecutionSpace>
DgProblem<Dim, ExecutionSpace> make_dg_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                               Context& context, const DgPhaseRunner& runner) {
  const io::Case& input = context.input;
  const DgPhaseRunner in_log = [&](const std::string& phase, const std::function<void()>& work, PhaseKind kind) {
    context.log.run(phase, exec, work, kind);
  };
  const DgPhaseRunner& run = runner ? runner : in_log;
  DgProblem<Dim, ExecutionSpace> problem;
  problem.advection = bind_advection(input, imported);
  if (has_parts(context)) {
    const auto cuts = make_problem_on_part<Dim>(exec, imported, context, run, {}, problem);
    if (!cuts.empty()) {
      problem.mesh = {};
      problem.form = {};
      make_problem_on_part<Dim>(exec, imported, context, run, cuts, problem);
    }
    return problem;
  }
  problem.mesh = make_mesh<Dim>(exec, imported, context, run);
  make_space_and_form<Dim>(exec, context, problem, 1. / context.world.size(), run);
  if (divides_by_metis(context)) {
    mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space> mesh;
    std::vector<std::string> notes;
    run(
        "mesh: divide",
        [&] {
          notes.clear(); // the work may be repeated
          Context of_work{context.input, context.console, context.log, notes, context.world};
          mesh = divided<ExecutionSpace, Dim>(exec, problem, of_work, problem.part_elements);
        },
        PhaseKind::with_host);
    problem.mesh = mesh;
    context.notes.insert(context.notes.end(), notes.begin(), notes.end());
    make_space_and_form<Dim>(exec, context, problem, 1. / context.world.size(), run);
  }
  return problem;
}

template <int Dim, class ExecutionSpace>
DgProblem<Dim, ExecutionSpace> make_dg_problem(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& before,
                                               const DgElements<Dim, ExecutionSpace>& elements, Context& context) {
  DgProblem<Dim, ExecutionSpace> problem;
  problem.advection = before.advection;
  problem.mesh = elements.mesh;
  const DgPhaseRunner in_log = [&](const std::string& phase, const std::function<void()>& work, PhaseKind kind) {
    context.log.run(phase, exec, work, kind);
  };
  make_space_and_form<Dim>(exec, context, problem, 1., in_log, true,
                           uploaded(exec, "driver::degrees", elements.degrees));
  return problem;
}

template <int Dim, class ExecutionSpace>
void check_dg_data(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem, Context& context) {
  dg::DataSummary summary =
      dg::check_data<ExecutionSpace, Dim>(exec, problem.form, problem.mesh.simplices.region_names, problem.advection);
  if (problem.part) { // boundary faces are those of owned elements
    const auto total = [&](std::int64_t owned) {
      return static_cast<std::int64_t>(context.world.added(static_cast<double>(owned)));
    };
    summary.least_reaction = -context.world.largest(-summary.least_reaction);
    summary.n_inflow_without_data = total(summary.n_inflow_without_data);
    summary.n_neumann_inflow = total(summary.n_neumann_inflow);
  }
  const io::Case& input = context.input;
  const io::ProblemOptions& options = input.problem;
  if (problem.form.space.smallest_degree == 0 && diffuses(problem.advection))
    context.notes.push_back(input.discretization.order.where.text() +
                            ": there are elements of degree 0, whose solution does not converge where something "
                            "diffuses.");
  if (input.assembly.precision == Precision::single_precision)
    context.notes.push_back("assembly.precision: the matrix has numbers of 7 digits; fewer digits of the solution "
                            "are correct the finer the mesh and the higher the degree.");
  // In time-dependent problems exp(k t) u solves a problem with c + k.
  if (summary.least_reaction < -1e-6 && !options.time.requested())
    context.notes.push_back(options.materials_where.text() + ": reaction - div(velocity)/2 is negative somewhere (" +
                            io::number_text(summary.least_reaction) +
                            "), where no theory promises that the problem has one solution.");
  if (summary.n_inflow_without_data > 0)
    context.notes.push_back(options.boundaries_where.text() + ": at " + std::to_string(summary.n_inflow_without_data) +
                            " points of the boundary there is inflow, but no value is given; 0 is used.");
  if (summary.n_neumann_inflow > 0)
    context.notes.push_back(options.boundaries_where.text() + ": at " + std::to_string(summary.n_neumann_inflow) +
                            " points of a boundary without a given value the velocity points inwards, where the "
                            "method is not known to be stable.");
}

template <int Dim, class ExecutionSpace> ProblemSummary summary_of(const DgProblem<Dim, ExecutionSpace>& problem) {
  const auto& simplices = problem.mesh.simplices;
  ProblemSummary summary;
  summary.dimension = Dim;
  summary.largest_local_steps = problem.form.space.largest_steps;
  summary.smallest_order = problem.form.space.smallest_degree;
  summary.largest_order = problem.form.space.largest_degree;
  summary.n_nodes = simplices.n_nodes();
  summary.n_elements = problem.mesh.n_elements();
  summary.n_facets = simplices.n_facets();
  summary.n_unknowns = problem.form.space.n_dofs;
  if (problem.part) {
    summary.n_nodes = problem.part->n_nodes_of_all;
    summary.n_elements = problem.part->n_elements_of_all;
    summary.n_facets = problem.part->n_facets_of_all;
    summary.n_unknowns = problem.part->offsets.back();
  }
  summary.region_names = simplices.region_names;
  summary.boundary_names = simplices.boundary_names;
  return summary;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template DgProblem<DIM, SPACE> make_dg_problem<DIM, SPACE>(const SPACE&, const io::ImportedMesh&, Context&,          \
                                                             const DgPhaseRunner&);                                    \
  template DgProblem<DIM, SPACE> make_dg_problem<DIM, SPACE>(const SPACE&, const DgProblem<DIM, SPACE>&,               \
                                                             const DgElements<DIM, SPACE>&, Context&);                 \
  template void check_dg_data<DIM, SPACE>(const SPACE&, const DgProblem<DIM, SPACE>&, Context&);                       \
  template ProblemSummary summary_of<DIM, SPACE>(const DgProblem<DIM, SPACE>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
