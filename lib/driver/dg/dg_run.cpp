// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_run.hpp"

#include "assembly/dg/assembler.hpp"
#include "assembly/dg/data_check.hpp"
#include "assembly/dg/errors.hpp"
#include "core/kokkos_ext/free_memory.hpp"
#include "driver/dg/dg_fields.hpp"
#include "driver/dg/dg_memory.hpp"
#include "driver/dg/dg_quantities.hpp"
#include "driver/dg/dg_solver.hpp"
#include "driver/dg/element_degrees.hpp"
#include "driver/dg/transport_binding.hpp"
#include "driver/discretization.hpp"
#include "driver/evaluation/probes.hpp"
#include "driver/evaluation/verification.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/input_values.hpp"
#include "mesh/agglomerate.hpp"
#include "mesh/edges.hpp"
#include "mesh/make_polytopic_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
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

  /// Solves, in time step by step, and writes fields and probes.
  void solve(const io::OutputDirectory& output) {
    PhaseLog& log = context_.log;
    const io::TimeOptions& time = input_.problem.time;
    auto assembler = dg::make_assembler<ExecutionSpace, Dim>(form_, input_.assembly.dg_strategy);
    log.run("assembly: symbolic", exec_, [&] { assembler->symbolic(exec_); });
    BlockSolver<ExecutionSpace> solver(input_.solver, progress_of(context_.console));
    dg::TimeSlab<Space> slab;
    for (int step = 1; step <= std::max(1, time.steps); ++step) {
      const bool assembled = begin_step(step, slab);
      assemble(*assembler, slab, assembled, solver);
      const auto u = make_filled<linalg::Vector<ExecutionSpace>>(exec_, "driver::unknowns", solution_.space.n_dofs, 0.);
      if (step > 1)
        fe::extend_from_end<Dim, ExecutionSpace>(exec_, solution_.space, slab.previous, u);
      solvers::PcgResult& result = results_.solve.solver.linear;
      log.run("solver: " + io::name_of(input_.solver.method), exec_,
              [&] { result = solver.solve(exec_, assembler->rhs(), u); });
      const bool converged = results_.solve.solver.converged();
      if (time.asked()) {
        results_.steps.push_back({slab.from, slab.to, result.iterations,
                                  result.rhs_norm > 0. ? result.true_residual / result.rhs_norm : 0., assembled});
        result.message =
            "time step " + std::to_string(step) + " of " + std::to_string(time.steps) + ": " + result.message;
      }
      solution_.coefficients = u;
      slab.previous = u;
      if (time.asked() && input_.verification.has_exact)
        log.run("errors", exec_, [&] { errors_.append(error_norms()); });
      if (!converged || step >= time.steps || step % input_.output.every == 0)
        write(output);
      if (!converged)
        break;
    }
    note_solver(input_, results_.solve.solver, context_.notes);
    finish_output(output);
  }

  void evaluate() {
    context_.log.run("quantities", exec_, [&] {
      add_dg_quantities<Dim, ExecutionSpace>(exec_, form_, solution_.coefficients, input_, results_);
      verify(
          input_, probes_, [&](const physics::Expression&, const auto& gradient) { return errors(gradient); },
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
          exec_, solution_.mesh.boxes, element_degrees(exec_, input_.discretization, solution_.mesh),
          input_.discretization.time_polynomials);
      dg::TimeSlab<Space> first;
      begin_step(1, first);
      require_bytes(sizes_of(exec_, solution_.mesh, solution_.space));
      dg::FormOptions options;
      options.penalty_constant = input_.discretization.penalty;
      form_ = dg::make_form<ExecutionSpace, Dim>(exec_, solution_.mesh, solution_.space, transport_, options);
    });
    ProblemSummary& summary = results_.problem;
    const auto& simplices = solution_.mesh.simplices;
    summary.dimension = Dim;
    summary.smallest_order = solution_.space.smallest_degree;
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
    // In time exp(k t) u has a problem with c + k.
    if (summary.least_reaction < -1e-6 && !problem.time.asked())
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

  /// Goes on to a time step; true if its matrix is another one than that of the step before.
  bool begin_step(int step, dg::TimeSlab<Space>& slab) {
    const io::TimeOptions& time = input_.problem.time;
    if (!time.asked())
      return true;
    const double length = slab.to - slab.from;
    slab.from = times_[static_cast<std::size_t>(step - 1)];
    slab.to = times_[static_cast<std::size_t>(step)];
    solution_.space.from = slab.from;
    solution_.space.to = slab.to;
    form_.set_slab(slab);
    if (step > 1 && transport_.has_transient_operator())
      context_.log.run("form: time step", exec_, [&] {
        dg::check_data<ExecutionSpace, Dim>(exec_, form_, solution_.mesh.simplices.region_names, transport_);
        dg::update_penalty(exec_, form_);
      });
    // Equal steps differ in rounding.
    return step == 1 || transport_.has_transient_operator() || std::fabs(slab.to - slab.from - length) > 1e-10 * length;
  }

  /// Computes the load of a slab, with its matrix and preconditioner if they change.
  void assemble(dg::Assembler<ExecutionSpace>& assembler, const dg::TimeSlab<Space>& slab, bool with_matrix,
                BlockSolver<ExecutionSpace>& solver) {
    PhaseLog& log = context_.log;
    const bool on_host = input_.assembly.dg_strategy == dg::Strategy::reference;
    const PhaseKind kind = on_host ? PhaseKind::with_host : PhaseKind::resident;
    if (!with_matrix) {
      log.run(
          "assembly: load", exec_, [&] { assembler.load(exec_, slab); }, kind);
      return;
    }
    log.run(
        "assembly: numeric", exec_, [&] { assembler.numeric(exec_, slab); }, kind);
    results_.solve.n_matrix_entries = assembler.matrix().n_values();
    const bool is_symmetric = transport_.is_symmetric() && !input_.problem.time.asked();
    log.run("solver: set-up", exec_, [&] {
      solver.set_up(exec_, linalg::BlockCrsOperator<ExecutionSpace>(exec_, assembler.matrix(),
                                                                    is_symmetric ? linalg::Symmetry::symmetric
                                                                                 : linalg::Symmetry::general));
    });
  }

  /// Writes the fields and evaluates the probes at the end of the slab.
  void write(const io::OutputDirectory& output) {
    output.begin_writing();
    const io::TimeOptions& time = input_.problem.time;
    if (!input_.output.fields.empty())
      context_.log.run(
          "output: fields", exec_,
          [&] {
            const int every = input_.output.every;
            if (!fields_)
              fields_.emplace(exec_, input_, solution_, output, time.steps == 0 ? 0 : (time.steps + every - 1) / every);
            fields_->write(exec_, solution_);
          },
          PhaseKind::with_host);
    if (!input_.output.probes.empty())
      context_.log.run(
          "output: probes", exec_,
          [&] {
            const auto values = probe_values(input_, Dim, [&](const auto& points, double scale) {
              return values_at(exec_, solution_, points, scale);
            });
            if (time.asked())
              append_probe_values(solution_.space.to, values, probes_);
            else
              probes_ = values;
          },
          PhaseKind::with_host);
  }

  void finish_output(const io::OutputDirectory& output) {
    if (fields_)
      fields_->close();
    if (!probes_.empty())
      write_probes(input_, probes_, output, context_.notes);
  }

  dg::ErrorNorms error_norms() {
    dg::ExactSolution exact{to_expression(input_.verification.exact), {}};
    for (const io::Scalar& entry : input_.verification.gradient)
      exact.gradient.push_back(to_expression(entry));
    exact.gradient.resize(Dim);
    return dg::error_norms<ExecutionSpace, Dim>(exec_, form_, solution_.coefficients, exact);
  }

  std::vector<NormError> errors(const std::vector<physics::Expression>& gradient) {
    const bool in_time = input_.problem.time.asked();
    const dg::ErrorNorms norms = in_time ? errors_ : error_norms();
    std::vector<NormError> list{{"l2", norms.l2, norms.exact_l2, "solution"}};
    if (in_time)
      list.push_back({"l2_at_end", norms.at_end, norms.exact_at_end, "solution"});
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
  const std::vector<double> times_ = input_.problem.time.nodes(); // of the steps
  dg::ErrorNorms errors_;                                         // of the time steps so far
  std::optional<DgFields<Dim, ExecutionSpace>> fields_;
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
    run.solve(output);
    keep_failure(results, [&] { run.evaluate(); });
    estimate = run.estimated_bytes();
  });
  return estimate;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template double run_dg<SPACE>(const SPACE&, const io::ImportedMesh&, const io::OutputDirectory&, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
