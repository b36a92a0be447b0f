// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_run.hpp"

#include "assembly/dg/assembler.hpp"
#include "assembly/dg/data_check.hpp"
#include "assembly/dg/errors.hpp"
#include "core/kokkos_ext/free_memory.hpp"
#include "driver/dg/dg_memory.hpp"
#include "driver/dg/dg_solution.hpp"
#include "driver/dg/dg_solver.hpp"
#include "driver/dg/element_degrees.hpp"
#include "driver/dg/transport_binding.hpp"
#include "driver/discretization.hpp"
#include "driver/evaluation/probes.hpp"
#include "driver/evaluation/verification.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/input_values.hpp"
#include "io/field_file.hpp"
#include "mesh/agglomerate.hpp"
#include "mesh/edges.hpp"
#include "mesh/make_polytopic_mesh.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

template <class ExecutionSpace, int Dim> class DgRun {
public:
  using Space = typename ExecutionSpace::memory_space;

  DgRun(const ExecutionSpace& exec, const io::ImportedMesh& imported, Context& context, Results& results)
      : exec_(exec), context_(context), input_(context.input), results_(results),
        transport_(bind_transport(context.input, imported)) {
    make_mesh(imported);
    make_form();
  }

  void solve() {
    PhaseLog& log = context_.log;
    auto assembler = dg::make_assembler<ExecutionSpace, Dim>(form_, input_.assembly.dg_strategy);
    log.run("assembly: symbolic", exec_, [&] { assembler->symbolic(exec_); });
    const bool on_host = input_.assembly.dg_strategy == dg::Strategy::reference;
    log.run(
        "assembly: numeric", exec_, [&] { assembler->numeric(exec_); },
        on_host ? PhaseKind::with_host : PhaseKind::resident);
    results_.solve.n_matrix_entries = assembler->matrix().n_values();
    const linalg::BlockCrsOperator<ExecutionSpace> a(exec_, assembler->matrix(),
                                                     transport_.is_symmetric() ? linalg::Symmetry::symmetric
                                                                               : linalg::Symmetry::general);
    const auto u = make_filled<linalg::Vector<ExecutionSpace>>(exec_, "driver::unknowns", solution_.space.n_dofs, 0.);
    const PhaseRunner run = [&](const std::string& phase, const std::function<void()>& work) {
      log.run(phase, exec_, work);
    };
    results_.solve.solver.linear =
        solve_blocks<ExecutionSpace>(exec_, input_.solver, a, assembler->rhs(), u, run, progress_of(context_.console));
    note_solver(input_, results_.solve.solver, context_.notes);
    solution_.coefficients = u;
  }

  void write(const io::OutputDirectory& output) {
    output.begin_writing();
    PhaseLog& log = context_.log;
    if (!input_.output.fields.empty())
      log.run(
          "output: fields", exec_, [&] { write_fields(output); }, PhaseKind::with_host);
    if (!input_.output.probes.empty())
      log.run(
          "output: probes", exec_,
          [&] {
            probes_ = probe_values(input_, Dim, [&](const auto& points, double scale) {
              return values_at(exec_, solution_, points, scale);
            });
            write_probes(input_, probes_, output, context_.notes);
          },
          PhaseKind::with_host);
  }

  void evaluate() {
    context_.log.run("quantities", exec_, [&] {
      verify(
          input_, probes_,
          [&](const physics::Expression& exact, const std::vector<physics::Expression>& gradient) {
            return errors(exact, gradient);
          },
          results_);
    });
  }

  double estimated_bytes() const { return estimated_bytes_; }

private:
  void make_mesh(const io::ImportedMesh& imported) {
    const auto simplices = prepare_mesh<ExecutionSpace, Dim>(exec_, imported, context_);
    const auto node_incidence = mesh::build_node_incidence(exec_, simplices);
    const auto dual = mesh::build_dual_graph(exec_, simplices, node_incidence);
    Array<index_t*, ExecutionSpace> element_of;
    if (input_.mesh.agglomerate.asked()) {
      const bool on_host = input_.mesh.agglomerate.method == io::AgglomerationMethod::metis;
      context_.log.run(
          "mesh: agglomerate", exec_, [&] { element_of = agglomerate(simplices, dual); },
          on_host ? PhaseKind::with_host : PhaseKind::resident);
    } else {
      require_bytes(expected_sizes(input_.discretization, Dim, simplices.n_elements(), simplices.n_elements()));
      element_of = mesh::simplicial_elements<ExecutionSpace, Dim>(exec_, simplices);
    }
    context_.log.run("mesh: faces", exec_, [&] {
      solution_.mesh = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(
          exec_, simplices, node_incidence, dual, Array<const index_t*, ExecutionSpace>(element_of));
    });
  }

  Array<index_t*, ExecutionSpace> agglomerate(const mesh::Mesh<Dim, Space>& simplices,
                                              const mesh::DualGraph<Dim, Space>& dual) {
    const io::Agglomeration& asked = input_.mesh.agglomerate;
    const std::int64_t n = asked.elements > 0
                               ? asked.elements
                               : mesh::elements_of_mean_size<ExecutionSpace, Dim>(exec_, simplices, asked.mean_size);
    TESSERA_REQUIRE(n <= simplices.n_elements(), input_.mesh.agglomerate_where.text()
                                                     << ": " << n << " elements are asked for, but the mesh has only "
                                                     << simplices.n_elements()
                                                     << (Dim == 2 ? " triangles." : " tetrahedra."));
    require_bytes(expected_sizes(input_.discretization, Dim, static_cast<double>(n), simplices.n_elements()));
    const auto parts = mesh::agglomerate<ExecutionSpace, Dim>(exec_, simplices, dual, n, asked.method);
    std::ostringstream note;
    note << parts.n_elements << " elements of " << parts.smallest << " to " << parts.largest << " simplices, "
         << parts.mean << " in the mean";
    context_.console.item("elements", note.str());
    if (parts.n_empty + parts.n_disconnected > 0)
      context_.notes.push_back("mesh.agglomerate: METIS left " + std::to_string(parts.n_empty) + " parts empty and " +
                               std::to_string(parts.n_disconnected) +
                               " disconnected; of these the smaller pieces went to neighbours, so that there are " +
                               std::to_string(parts.n_elements) + " elements.");
    if (parts.n_elements > n)
      context_.notes.push_back("mesh.agglomerate: " + std::to_string(parts.n_elements) + " elements instead of " +
                               std::to_string(n) +
                               ": every one is connected and lies in one region, and the mesh has " +
                               std::to_string(parts.n_pieces) + " connected pieces of regions.");
    return parts.element_of;
  }

  void make_form() {
    context_.log.run("form", exec_, [&] {
      solution_.space = fe::make_modal_space<Dim, ExecutionSpace>(
          exec_, solution_.mesh.boxes, element_degrees(exec_, input_.discretization, solution_.mesh));
      require_bytes(sizes_of(exec_, solution_.mesh, solution_.space));
      dg::FormOptions options;
      options.penalty_constant = input_.discretization.penalty;
      form_ = dg::make_form<ExecutionSpace, Dim>(exec_, solution_.mesh, solution_.space, transport_, options);
    });
    ProblemSummary& summary = results_.problem;
    const auto& simplices = solution_.mesh.simplices;
    summary.dimension = Dim;
    summary.smallest_order = lowest_degree(exec_, Array<const int*, ExecutionSpace>(solution_.space.degrees));
    summary.largest_order = solution_.space.largest_degree;
    summary.n_nodes = simplices.n_nodes();
    summary.n_elements = solution_.mesh.n_elements();
    summary.n_facets = simplices.n_facets();
    summary.n_unknowns = solution_.space.n_dofs;
    summary.region_names = simplices.region_names;
    summary.boundary_names = simplices.boundary_names;
    context_.log.run("form: check", exec_, [&] { check_data(); });
  }

  bool diffuses() const {
    const auto is_zero = [](const physics::Expression& entry) { return entry.is_constant() && entry.value() == 0.; };
    return std::any_of(transport_.regions.begin(), transport_.regions.end(),
                       [&](const physics::TransportRegion& region) {
                         return !std::all_of(region.diffusion.begin(), region.diffusion.end(), is_zero);
                       });
  }

  void check_data() {
    const dg::DataSummary summary =
        dg::check_data<ExecutionSpace, Dim>(exec_, form_, solution_.mesh.simplices.region_names, transport_);
    const io::ProblemOptions& problem = input_.problem;
    if (results_.problem.smallest_order == 0 && diffuses())
      context_.notes.push_back(input_.discretization.order_where.text() +
                               ": there are elements of degree 0, whose solution does not converge where something "
                               "diffuses.");
    if (summary.least_reaction < -1e-6)
      context_.notes.push_back(problem.materials_where.text() + ": reaction - div(velocity)/2 is negative somewhere (" +
                               io::number_text(summary.least_reaction) +
                               "), where no theory promises that the problem has one solution.");
    if (summary.n_inflow_without_data > 0)
      context_.notes.push_back(problem.boundaries_where.text() + ": at " +
                               std::to_string(summary.n_inflow_without_data) +
                               " points of the boundary something flows in, but no value is given; 0 is taken.");
    if (summary.n_neumann_inflow > 0)
      context_.notes.push_back(problem.boundaries_where.text() + ": at " + std::to_string(summary.n_neumann_inflow) +
                               " points of a boundary without a given value the velocity points inwards, where the "
                               "method is not known to be stable.");
  }

  void require_bytes(const DgSizes& sizes) {
    estimated_bytes_ = estimate_bytes(input_, sizes);
    require_memory(input_, estimated_bytes_, free_memory(exec_), "The matrix of dg, with its solver,");
  }

  void write_fields(const io::OutputDirectory& output) {
    const CornerValues<Dim, ExecutionSpace> corners = corner_values(exec_, solution_);
    const auto points = tessera::to_host(exec_, corners.points);
    const auto rows = tessera::to_host(exec_, corners.rows);
    const auto& mesh = solution_.mesh;
    const auto n = static_cast<index_t>(points.extent(0));
    std::vector<index_t> nodes(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i)
      nodes[static_cast<std::size_t>(i)] = i;
    const auto original = tessera::to_host(exec_, mesh.simplices.original_element);
    io::FieldGrid grid;
    grid.dimension = Dim;
    grid.n_vertices = n;
    grid.n_nodes = n;
    grid.n_elements = mesh.simplices.n_elements();
    grid.coordinates = points.data();
    grid.element_nodes = nodes.data();
    grid.original_element = original.extent(0) > 0 ? original.data() : nullptr;
    io::FieldFile file(output.file("fields.vtkhdf"), grid);
    file.write_run_id(output.run_id());
    const bool is_electric = input_.problem.physics == io::Physics::electrostatics;
    for (const io::Field field : input_.output.fields) {
      const std::string name = io::name_of(field, input_.problem.physics);
      if (field == io::Field::material) {
        file.write_cell_data(name, tessera::to_host(exec_, mesh.simplices.regions).data());
      } else {
        const int first = field == io::Field::solution ? 0 : 1;
        const int count = field == io::Field::solution ? 1 : Dim;
        std::vector<double> values(static_cast<std::size_t>(n) * count);
        for (index_t i = 0; i < n; ++i)
          for (int k = 0; k < count; ++k)
            values[static_cast<std::size_t>(i) * count + k] =
                (first > 0 && is_electric ? -1. : 1.) * rows(i, first + k);
        file.write_point_data(name, values.data(), count);
      }
    }
    const auto element_of = tessera::to_host(exec_, mesh.element_of);
    const std::vector<double> elements(element_of.data(), element_of.data() + element_of.extent(0));
    file.write_cell_data("element", elements.data());
    if (!solution_.space.is_uniform) {
      const auto degrees = tessera::to_host(exec_, solution_.space.degrees);
      std::vector<double> of_simplices;
      for (std::size_t s = 0; s < element_of.extent(0); ++s)
        of_simplices.push_back(degrees(element_of(s)));
      file.write_cell_data("degree", of_simplices.data());
    }
    file.close();
  }

  std::vector<NormError> errors(const physics::Expression& exact, const std::vector<physics::Expression>& gradient) {
    dg::ExactSolution solution{exact, gradient};
    solution.gradient.resize(Dim);
    const dg::ErrorNorms norms = dg::error_norms<ExecutionSpace, Dim>(exec_, form_, solution_.coefficients, solution);
    std::vector<NormError> list{{"l2", norms.l2, norms.exact_l2, "solution"}};
    if (!gradient.empty())
      list.push_back({"dg", norms.dg(), 0., "solution"});
    return list;
  }

  ExecutionSpace exec_;
  Context& context_;
  const io::Case& input_;
  Results& results_;
  physics::AdvectionDiffusionReaction transport_;
  DgSolution<Dim, ExecutionSpace> solution_;
  dg::Form<Dim, Space> form_;
  std::vector<ProbeValues> probes_;
  double estimated_bytes_ = 0.;
};

} // namespace

template <class ExecutionSpace>
double run_dg(const ExecutionSpace& exec, const io::ImportedMesh& imported, const io::OutputDirectory& output,
              Context& context, Results& results) {
  double estimate = 0.;
  visit_dimension(imported.dimension, [&](auto dimension) {
    DgRun<ExecutionSpace, decltype(dimension)::value> run(exec, imported, context, results);
    run.solve();
    run.write(output);
    keep_failure(results, [&] { run.evaluate(); });
    estimate = run.estimated_bytes();
  });
  return estimate;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template double run_dg<SPACE>(const SPACE&, const io::ImportedMesh&, const io::OutputDirectory&, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
