// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_problem.hpp"

#include "assembly/dg/data_check.hpp"
#include "core/kokkos_ext/free_memory.hpp"
#include "driver/dg/element_numbers.hpp"
#include "driver/dg/transport_binding.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/plan.hpp"
#include "mesh/agglomerate.hpp"
#include "mesh/edges.hpp"
#include "mesh/make_polytopic_mesh.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// Number of elements that the input asks for; more than there are simplices are refused.
template <int Dim, class ExecutionSpace>
std::int64_t number_of_elements(const ExecutionSpace& exec, const io::MeshOptions& input,
                                const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& simplices) {
  const io::Agglomeration& asked = input.agglomerate;
  const std::int64_t n = asked.elements > 0
                             ? asked.elements
                             : mesh::elements_of_mean_size<ExecutionSpace, Dim>(exec, simplices, asked.mean_size);
  TESSERA_REQUIRE(n <= simplices.n_elements(), input.agglomerate_where.text()
                                                   << ": " << n << " elements are asked for, but the mesh has only "
                                                   << simplices.n_elements()
                                                   << (Dim == 2 ? " triangles." : " tetrahedra."));
  return n;
}

template <class ExecutionSpace>
void tell_agglomeration(const mesh::Agglomeration<ExecutionSpace>& parts, std::int64_t n_asked, Context& context) {
  std::ostringstream note;
  note << parts.n_elements << " elements of " << parts.smallest << " to " << parts.largest << " simplices, "
       << parts.mean << " in the mean";
  context.console.item("elements", note.str());
  if (parts.n_empty + parts.n_disconnected > 0)
    context.notes.push_back("mesh.agglomerate: METIS left " + std::to_string(parts.n_empty) + " parts empty and " +
                            std::to_string(parts.n_disconnected) +
                            " disconnected; of these the smaller pieces went to neighbours, so that there are " +
                            std::to_string(parts.n_elements) + " elements.");
  if (parts.n_elements > n_asked)
    context.notes.push_back("mesh.agglomerate: " + std::to_string(parts.n_elements) + " elements instead of " +
                            std::to_string(n_asked) + ": every one is connected and lies in one region, and the mesh " +
                            "has " + std::to_string(parts.n_pieces) + " connected pieces of regions.");
}

template <int Dim, class ExecutionSpace>
mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_mesh(const ExecutionSpace& exec, const io::ImportedMesh& imported, Context& context, const DgPhaseRunner& run) {
  using Space = typename ExecutionSpace::memory_space;
  const io::Case& input = context.input;
  const auto simplices = prepare_mesh<ExecutionSpace, Dim>(exec, imported, false, context);
  const auto node_incidence = mesh::build_node_incidence(exec, simplices);
  mesh::DualGraph<Dim, Space> dual;
  run(
      "mesh: dual graph", [&] { dual = mesh::build_dual_graph(exec, simplices, node_incidence); }, PhaseKind::resident);
  const bool is_agglomerated = input.mesh.agglomerate.asked();
  const std::int64_t n = is_agglomerated ? number_of_elements(exec, input.mesh, simplices) : simplices.n_elements();
  require_dg_memory(exec, input,
                    expected_sizes(input.discretization, Dim, static_cast<double>(n), simplices.n_elements()),
                    context.world);
  Array<const index_t*, ExecutionSpace> element_of;
  if (is_agglomerated) {
    const io::AgglomerationMethod method = input.mesh.agglomerate.method;
    mesh::Agglomeration<ExecutionSpace> parts;
    run(
        "mesh: agglomerate", [&] { parts = mesh::agglomerate<ExecutionSpace, Dim>(exec, simplices, dual, n, method); },
        method == io::AgglomerationMethod::metis ? PhaseKind::with_host : PhaseKind::resident);
    tell_agglomeration(parts, n, context);
    element_of = parts.element_of;
  } else {
    element_of = mesh::simplicial_elements<ExecutionSpace, Dim>(exec, simplices);
  }
  mesh::PolytopicMesh<Dim, Space> mesh;
  run(
      "mesh: faces",
      [&] { mesh = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec, simplices, node_incidence, dual, element_of); },
      PhaseKind::resident);
  return mesh;
}

bool diffuses(const physics::AdvectionDiffusionReaction& transport) {
  const auto is_zero = [](const physics::Expression& entry) { return entry.is_constant() && entry.value() == 0.; };
  return std::any_of(transport.regions.begin(), transport.regions.end(), [&](const physics::TransportRegion& region) {
    return !std::all_of(region.diffusion.begin(), region.diffusion.end(), is_zero);
  });
}

} // namespace

template <int Dim, class ExecutionSpace>
DgProblem<Dim, ExecutionSpace> make_dg_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                               Context& context, const DgPhaseRunner& run) {
  const io::Case& input = context.input;
  DgProblem<Dim, ExecutionSpace> problem;
  problem.transport = bind_transport(input, imported);
  problem.mesh = make_mesh<Dim>(exec, imported, context, run);
  fe::ModalSpace<Dim, typename ExecutionSpace::memory_space> space;
  run(
      "form: space",
      [&] {
        const io::DiscretizationOptions& options = input.discretization;
        Array<int*, ExecutionSpace> local_steps;
        if (options.local_steps.number > 1 || options.local_steps.expression || !options.local_steps.regions.empty())
          local_steps = element_steps(exec, options, problem.mesh);
        space = fe::make_modal_space<Dim, ExecutionSpace>(exec, problem.mesh.boxes,
                                                          element_degrees(exec, options, problem.mesh),
                                                          options.time_polynomials, local_steps);
      },
      PhaseKind::resident);
  if (input.problem.time.asked()) {
    const std::vector<double> times = input.problem.time.nodes();
    space.from = times[0];
    space.to = times[1];
  }
  problem.sizes = sizes_of(exec, problem.mesh, space);
  require_dg_memory(exec, input, problem.sizes, context.world);
  dg::FormOptions options;
  options.penalty_constant = input.discretization.penalty;
  run(
      "form",
      [&] { problem.form = dg::make_form<ExecutionSpace, Dim>(exec, problem.mesh, space, problem.transport, options); },
      PhaseKind::resident);
  return problem;
}

template <int Dim, class ExecutionSpace>
void check_dg_data(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem, Context& context) {
  const dg::DataSummary summary =
      dg::check_data<ExecutionSpace, Dim>(exec, problem.form, problem.mesh.simplices.region_names, problem.transport);
  const io::Case& input = context.input;
  const io::ProblemOptions& options = input.problem;
  if (problem.form.space.smallest_degree == 0 && diffuses(problem.transport))
    context.notes.push_back(input.discretization.order.where.text() +
                            ": there are elements of degree 0, whose solution does not converge where something "
                            "diffuses.");
  if (input.assembly.precision == Precision::single_precision)
    context.notes.push_back("assembly.precision: the matrix has numbers of 7 digits; the fewer digits of the solution "
                            "hold, the finer the mesh and the higher the degree.");
  // In time exp(k t) u has a problem with c + k.
  if (summary.least_reaction < -1e-6 && !options.time.asked())
    context.notes.push_back(options.materials_where.text() + ": reaction - div(velocity)/2 is negative somewhere (" +
                            io::number_text(summary.least_reaction) +
                            "), where no theory promises that the problem has one solution.");
  if (summary.n_inflow_without_data > 0)
    context.notes.push_back(options.boundaries_where.text() + ": at " + std::to_string(summary.n_inflow_without_data) +
                            " points of the boundary something flows in, but no value is given; 0 is taken.");
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
  summary.region_names = simplices.region_names;
  summary.boundary_names = simplices.boundary_names;
  return summary;
}

template <class ExecutionSpace>
double require_dg_memory(const ExecutionSpace& exec, const io::Case& input, const DgSizes& sizes,
                         const comm::Communicator& world) {
  const double bytes = estimate_bytes(input, sizes) / world.size();
  const std::string whose = world.is_alone() ? "" : " of each of " + std::to_string(world.size()) + " processes";
  const int sharing = is_host_space<ExecutionSpace> ? world.local_size() : 1; // of the memory that is free
  require_memory(input, bytes, free_memory(exec) / sharing, "The matrix of dg, with its solver," + whose);
  return bytes;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template DgProblem<DIM, SPACE> make_dg_problem<DIM, SPACE>(const SPACE&, const io::ImportedMesh&, Context&,          \
                                                             const DgPhaseRunner&);                                    \
  template void check_dg_data<DIM, SPACE>(const SPACE&, const DgProblem<DIM, SPACE>&, Context&);                       \
  template ProblemSummary summary_of<DIM, SPACE>(const DgProblem<DIM, SPACE>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_DIM(SPACE, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(SPACE, 3)                                                                                    \
  template double require_dg_memory<SPACE>(const SPACE&, const io::Case&, const DgSizes&, const comm::Communicator&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
