// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_SIMULATION_IMPL_HPP
#define TESSERA_DRIVER_STUDY_SIMULATION_IMPL_HPP

/// \file
/// Definition of simulate(): included only by the generated instantiations.

#include "core/checksum.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "driver/linear_solver.hpp"
#include "driver/magnetic_newton.hpp"
#include "driver/problem/problem_on_mesh.hpp"
#include "io/field_file.hpp"
#include "io/probes_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace tessera::driver {

namespace detail {

inline std::string hexadecimal(std::uint64_t number) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(number));
  return text;
}

/// Checksum of a matrix: of its pattern and its values.
template <class ExecutionSpace, class Matrix>
std::string matrix_checksum(const ExecutionSpace& exec, const Matrix& matrix) {
  return hexadecimal(
      mix_bits(checksum(exec, matrix.offsets) ^ (checksum(exec, matrix.columns) + checksum(exec, matrix.values))));
}

/// Relative residuals above this are noted.
constexpr double loose_residual = 1e-5;

/// Does work whose errors shall not keep the report from being written.
template <class Work> void keep_failure(Results& results, const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    results.failures.push_back(error.what());
    results.failure_kind = kind_of(error);
  }
}

/// What is computed once the unknowns are known: everything that depends on the form.
template <class ExecutionSpace, class Form, int Order> class Evaluation {
public:
  static constexpr int Dim = Form::dimension;
  using Space = typename ExecutionSpace::memory_space;
  using Nodal = Array<const double*, Space>;

  Evaluation(const ExecutionSpace& exec, const Form& form, const ProblemOnMesh<Space, Dim, Order>& problem,
             Context& context, const Array<double*, Space>& unknowns)
      : exec_(exec), form_(form), problem_(problem), space_(problem.space), dofs_(problem.dofs), model_(problem.model),
        context_(context) {
    auto nodal = make_array<Array<double*, Space>>(exec, "driver::nodal_solution", space_.n_nodes());
    fe::expand(exec, dofs_, Nodal(unknowns), nodal);
    nodal_ = nodal;
    const auto tied = tessera::to_host(exec, Kokkos::subview(unknowns, std::make_pair(dofs_.n_regular, dofs_.n_free)));
    floating_.assign(tied.data(), tied.data() + tied.extent(0));
  }

  void quantities() {
    const io::Case& input = context_.input;
    const bool electrostatics = input.problem.physics == io::Physics::electrostatics;
    const auto wants = [&](io::Quantity quantity) {
      for (const io::Quantity entry : input.output.quantities)
        if (entry == quantity)
          return true;
      return false;
    };
    std::vector<double> totals(model_.conductors.size(), 0.);
    if (wants(io::Quantity::charge) || wants(io::Quantity::capacitance))
      totals = physics::constraint_totals(exec_, form_, nodal_, Array<const group_t*, Space>(dofs_.node_constraint),
                                          static_cast<index_t>(totals.size()));
    if (wants(io::Quantity::energy))
      add("energy", physics::field_energy(exec_, form_, nodal_),
          input.problem.physics == io::Physics::diffusion ? "" : "J");
    for (std::size_t c = 0; c < totals.size(); ++c) {
      const Conductor& conductor = model_.conductors[c];
      if (wants(io::Quantity::charge))
        add((electrostatics ? "charge." : "total_flux.") + conductor.name, totals[c], electrostatics ? "C" : "");
      if (conductor.is_floating)
        add((electrostatics ? "potential." : "value.") + conductor.name, potential(c), electrostatics ? "V" : "");
    }
    if (wants(io::Quantity::capacitance))
      capacitance(totals);
    if constexpr (Form::has_vector_potential) {
      if (wants(io::Quantity::coenergy))
        add("coenergy", physics::field_coenergy(exec_, form_, nodal_), "J");
      if (wants(io::Quantity::flux_linkage) || wants(io::Quantity::inductance))
        coils(wants(io::Quantity::flux_linkage), wants(io::Quantity::inductance));
      note_saturation();
    }
  }

  std::string solution_checksum() const { return hexadecimal(checksum(exec_, nodal_)); }

  void verification() {
    const io::VerificationOptions& expected = context_.input.verification;
    Results& results = context_.results;
    if (expected.has_exact) {
      std::vector<physics::Expression> gradient;
      for (const io::Scalar& entry : expected.gradient)
        gradient.push_back(to_expression(entry));
      const physics::ErrorNorms norms =
          physics::error_norms(exec_, form_, nodal_, to_expression(expected.exact), gradient);
      judge("l2", norms.l2 / (norms.exact_l2 > 0. ? norms.exact_l2 : 1.), 0., "solution");
      if (!gradient.empty())
        judge("h1", norms.h1 / (norms.exact_h1 > 0. ? norms.exact_h1 : 1.), 0., "gradient");
    }
    for (const io::ExpectedQuantity& entry : expected.quantities) {
      const Quantity* found = nullptr;
      for (const Quantity& quantity : results.quantities)
        if (quantity.name == entry.name)
          found = &quantity;
      if (found == nullptr) { // it could not be computed, as failures tell
        results.expectations_met = false;
        continue;
      }
      const double error = std::fabs(found->value - entry.value) / (entry.value != 0. ? std::fabs(entry.value) : 1.);
      std::ostringstream value;
      value << entry.value;
      judge(entry.name, error, entry.tolerance, value.str());
    }
    for (const io::ExpectedProbe& entry : expected.probes)
      for (std::size_t p = 0; p < context_.input.output.probes.size(); ++p)
        if (context_.input.output.probes[p].name == entry.probe)
          judge(entry.probe + "." + entry.column, largest_error(probe_values()[p], entry), entry.tolerance, "values");
  }

  void write_fields(const io::OutputDirectory& output, const mesh::Mesh<Dim, Space>& mesh) {
    const io::Physics kind = context_.input.problem.physics;
    const double sign = kind == io::Physics::electrostatics ? -1. : 1.; // E = -grad u
    const auto nodes = tessera::to_host(exec_, space_.element_nodes);
    const auto coordinates = tessera::to_host(exec_, space_.coordinates);
    const auto original_node = tessera::to_host(exec_, mesh.original_node);
    const auto original_element = tessera::to_host(exec_, mesh.original_element);
    io::FieldGrid grid;
    grid.dimension = Dim;
    grid.order = Order;
    grid.n_vertices = space_.n_vertices;
    grid.n_nodes = space_.n_nodes();
    grid.n_elements = space_.n_elements();
    grid.coordinates = coordinates.data();
    grid.element_nodes = nodes.data();
    grid.original_node = original_node.extent(0) > 0 ? original_node.data() : nullptr;
    grid.original_element = original_element.extent(0) > 0 ? original_element.data() : nullptr;
    io::FieldFile file(output.file("fields.vtkhdf"), grid);
    file.write_run_id(output.run_id());
    for (const io::Field field : context_.input.output.fields) {
      const std::string name = io::name_of(field, kind);
      if (field == io::Field::solution) {
        file.write_point_data(name, tessera::to_host(exec_, nodal_).data());
      } else if (field == io::Field::gradient) {
        file.write_cell_data(
            name, tessera::to_host(exec_, physics::element_gradients(exec_, form_, nodal_, sign)).data(), Dim);
        file.write_point_data(
            name,
            tessera::to_host(exec_, physics::nodal_gradients(exec_, form_, space_.n_nodes(), nodal_, sign)).data(),
            Dim);
      } else if (field == io::Field::flux) {
        // D = -eps grad u, but H = nu B.
        const double flux_sign = Form::has_vector_potential ? 1. : -1.;
        file.write_cell_data(
            name, tessera::to_host(exec_, physics::element_fluxes(exec_, form_, nodal_, flux_sign)).data(), Dim);
      } else {
        file.write_cell_data(name, tessera::to_host(exec_, mesh.regions).data());
      }
    }
    file.close();
  }

  void write_probes(const io::OutputDirectory& output) {
    for (std::size_t p = 0; p < context_.input.output.probes.size(); ++p) {
      const std::string& name = context_.input.output.probes[p].name;
      const ProbeValues& probe = probe_values()[p];
      const auto& values = probe.columns[0].values;
      const auto n_outside = std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
      if (n_outside > 0)
        context_.results.notes.push_back("probe '" + name + "': " + std::to_string(n_outside) + " of " +
                                         std::to_string(values.size()) + " points lie outside of the mesh.");
      io::write_probe_file(output.file(name + ".csv"), probe.positions, probe.columns);
    }
  }

private:
  struct ProbeValues {
    std::vector<std::array<double, 3>> positions;
    std::vector<io::ProbeColumn> columns;
  };

  /// Of every probe of the input; evaluated together, once, for verification and files.
  const std::vector<ProbeValues>& probe_values() {
    const io::ProblemOptions& problem = context_.input.problem;
    const auto& probes = context_.input.output.probes;
    if (probes_.size() == probes.size())
      return probes_;
    std::vector<std::array<double, 3>> points;
    for (const io::Probe& probe : probes) {
      probes_.push_back({probe.positions(), {}});
      points.insert(points.end(), probes_.back().positions.begin(), probes_.back().positions.end());
    }
    const double sign = problem.physics == io::Physics::electrostatics ? -1. : 1.; // E = -grad u
    const auto rows = physics::values_at(exec_, form_, nodal_, points, sign);
    auto row = rows.begin();
    for (ProbeValues& probe : probes_) {
      for (const auto& [name, unit] : io::probe_columns(problem, Dim))
        probe.columns.push_back({name, unit, {}});
      for (std::size_t i = 0; i < probe.positions.size(); ++i, ++row)
        for (std::size_t k = 0; k < probe.columns.size(); ++k)
          probe.columns[k].values.push_back((*row)[k]);
    }
    return probes_;
  }

  /// Largest relative error among the points of a probe; infinite where a point lies outside of the mesh.
  double largest_error(const ProbeValues& probe, const io::ExpectedProbe& expected) const {
    const auto& positions = probe.positions;
    const physics::Expression exact = to_expression(expected.exact);
    double largest = 0.;
    for (const io::ProbeColumn& column : probe.columns)
      for (std::size_t i = 0; column.name == expected.column && i < positions.size(); ++i) {
        const double value = exact(positions[i][0], positions[i][1], positions[i][2]);
        const double error = std::fabs(column.values[i] - value) / std::fabs(value);
        largest = std::isnan(error) ? INFINITY : std::max(largest, error); // a point outside, or the exact value
      }
    return largest;
  }

  /// Reports an error relative to an expected value. One that is no number misses any tolerance, and none as well.
  void judge(const std::string& name, double error, double tolerance, const std::string& expected) {
    context_.results.errors[name] = error;
    if (std::isfinite(error) && (tolerance <= 0. || error <= tolerance))
      return;
    context_.results.expectations_met = false;
    if (!std::isfinite(error)) {
      context_.results.notes.push_back("The error of " + name + " is " + io::number_text(error) + ": the expected " +
                                       expected + " or the computed one is zero, infinite or no number somewhere.");
      return;
    }
    std::ostringstream note;
    note << name << " differs from the expected " << expected << " by " << error << " of it; the tolerance is "
         << tolerance << '.';
    context_.results.notes.push_back(note.str());
  }

  void add(const std::string& name, double value, const std::string& unit) {
    context_.results.quantities.push_back({name, value, unit});
    if (!std::isfinite(value))
      context_.results.failures.push_back("The quantity " + name + " is " + io::number_text(value) +
                                          ": numbers on its way are too large for double precision.");
    else if (std::fpclassify(value) == FP_SUBNORMAL)
      context_.results.notes.push_back("The quantity " + name +
                                       " is so small that double precision keeps few of its digits.");
  }

  double potential(std::size_t c) const {
    if (!model_.conductors[c].is_floating)
      return model_.conductors[c].value;
    std::size_t tied = 0; // number among the floating ones
    for (std::size_t k = 0; k < c; ++k)
      tied += model_.constraints[k].is_tied ? 1 : 0;
    return floating_[tied];
  }

  /// Flux linkage and inductance of every coil.
  void coils(bool linkages, bool inductances) {
    for (std::size_t c = 0; c < problem_.coil_densities.size(); ++c) {
      const physics::Coil& coil = model_.magnetic->coils[c];
      const double linkage = physics::flux_linkage(exec_, form_, nodal_, problem_.coil_densities[c]);
      if (linkages)
        add("flux_linkage." + coil.name, linkage, "Wb");
      if (inductances)
        add("inductance." + coil.name, linkage / coil.current, "H");
    }
  }

  /// The reader has seen to it that there are two conductors of one potential each.
  void capacitance(const std::vector<double>& totals) {
    std::vector<std::size_t> pair;
    const auto& asked = context_.input.output.conductors;
    if (asked.empty())
      for (std::size_t c = 0; c < model_.conductors.size(); ++c)
        pair.push_back(c);
    for (const io::GroupName& name : asked) // the first one's charge counts
      for (std::size_t c = 0; c < model_.conductors.size(); ++c)
        if (name.name == model_.conductors[c].name)
          pair.push_back(c);
    const double first = potential(pair.at(0));
    const double second = potential(pair.at(1));
    // Potentials of floating conductors are known to the solver's tolerance.
    const bool floats = model_.conductors[pair[0]].is_floating || model_.conductors[pair[1]].is_floating;
    const double uncertain = floats ? 100. * context_.input.solver.relative_tolerance : 0.;
    if (std::fabs(first - second) <= uncertain * std::max(std::fabs(first), std::fabs(second))) {
      context_.results.failures.push_back("The conductors '" + model_.conductors[pair[0]].name + "' and '" +
                                          model_.conductors[pair[1]].name +
                                          "' came out at the same potential, so that no capacitance follows.");
      return;
    }
    add("capacitance", totals[pair[0]] / (first - second), "F");
  }

  /// Notes what lies beyond the tables of B-H curves, where H is extrapolated.
  void note_saturation() {
    const physics::MagneticProblem& problem = *model_.magnetic;
    for (std::size_t r = 0; r < problem.regions.size(); ++r) {
      const int curve = problem.regions[r].curve;
      if (curve < 0)
        continue;
      const double last = problem.curves[static_cast<std::size_t>(curve)].back()[1];
      const double largest = physics::largest_flux_density(exec_, form_, nodal_, static_cast<group_t>(r));
      if (!(largest > last))
        continue;
      std::ostringstream note;
      note
          << "Region '" << context_.results.region_names[r] << "': B reaches " << largest
          << " T, but its B-H curve ends at " << last
          << " T. Beyond, H is extrapolated with the slope of vacuum, which is right where a table ends in saturation.";
      context_.results.notes.push_back(note.str());
    }
  }

  ExecutionSpace exec_;
  const Form& form_;
  const ProblemOnMesh<Space, Dim, Order>& problem_;
  const fe::FunctionSpace<Dim, Order, Space>& space_;
  const fe::DofMap<Space>& dofs_;
  const Model& model_;
  Context& context_;
  std::vector<double> floating_; // potentials of the floating conductors
  Nodal nodal_;
  std::vector<ProbeValues> probes_;
};

template <class ExecutionSpace, int Dim, int Order, class Form>
void simulate_form(const ExecutionSpace& exec, const Form& form,
                   const ProblemOnMesh<typename ExecutionSpace::memory_space, Dim, Order>& problem,
                   const io::OutputDirectory& output, Context& context) {
  using Space = typename ExecutionSpace::memory_space;
  const io::Case& input = context.input;
  Results& results = context.results;
  PhaseLog& log = context.log;
  const auto& dofs = problem.dofs;

  assembly::AssemblyOptions options;
  options.strategy = results.strategy;
  options.coloring = input.assembly.coloring;
  options.reproducible = input.execution.reproducible;
  const std::size_t before = MemoryLedger::current_bytes();
  auto assembler = assembly::make_assembler<ExecutionSpace, Form>(form, dofs, options);
  const bool colors_on_host = assembly::uses_coloring(options.strategy) &&
                              options.coloring != graph::ColoringMethod::kokkos_kernels &&
                              options.coloring != graph::ColoringMethod::node_claims;
  const bool is_reference = options.strategy == assembly::Strategy::reference;
  log.run(
      "assembly: symbolic", exec, [&] { assembler->symbolic(exec); },
      colors_on_host ? PhaseKind::with_host : PhaseKind::resident);
  std::size_t peak = log.phases().back().peak_bytes;
  log.run(
      "assembly: numeric", exec, [&] { assembler->numeric(exec); },
      is_reference ? PhaseKind::with_host : PhaseKind::resident);
  peak = std::max(peak, log.phases().back().peak_bytes);
  results.assembly_peak_bytes = peak > before ? peak - before : 0;
  results.coloring = assembler->coloring();
  results.n_matrix_entries = assembler->matrix() != nullptr ? assembler->matrix()->n_entries() : 0;
  if (options.reproducible)
    log.run("assembly: checksums", exec, [&] {
      if (assembler->matrix() != nullptr)
        results.checksums["matrix"] = matrix_checksum(exec, *assembler->matrix());
      results.checksums["right_hand_side"] = hexadecimal(checksum(exec, assembler->rhs()));
    });

  auto unknowns = make_array<Array<double*, Space>>(exec, "driver::unknowns", dofs.n_free);
  std::unique_ptr<solvers::Preconditioner<ExecutionSpace>> preconditioner;
  const auto make_preconditioner_of_input = [&](const ExecutionSpace& instance) {
    return make_preconditioner(instance, input.solver.preconditioner, *assembler, options.strategy);
  };
  log.run("solver: set-up", exec, [&] {
    set_initial_guess<Dim>(exec, input.solver.initial_guess, problem, unknowns);
    preconditioner = make_preconditioner_of_input(exec);
  });
  solvers::PcgOptions pcg = pcg_options(input.solver);
  pcg.monitor = [&](int iterations, double residual) {
    std::ostringstream text;
    text << "iteration " << iterations << ", residual " << residual;
    context.console.progress(text.str());
  };
  bool is_linear = true;
  if constexpr (Form::has_vector_potential)
    is_linear = problem.model.magnetic->is_linear();
  if (is_linear) {
    log.run("solver: " + io::name_of(input.solver.method), exec, [&] {
      results.solver = solve_system(exec, input.solver.method, pcg, *assembler, *preconditioner, unknowns);
    });
    if (results.converged() && results.solver.true_residual > loose_residual * results.solver.rhs_norm) {
      std::ostringstream note;
      note << "The solver's residual is " << results.solver.true_residual / results.solver.rhs_norm
           << " of the right-hand side: enough for pictures, but quantities may be wrong by per cents on fine meshes.";
      results.notes.push_back(note.str());
    }
    if (!results.converged() && results.solver.constants_in_null_space)
      results.solver.message += " See " + input.problem.boundaries_where.text() + ".";
  } else if constexpr (Form::has_vector_potential) {
    preconditioner.reset();
    const std::size_t first_phase = log.phases().size();
    MagneticSystem<ExecutionSpace, Form> system(
        exec, form, dofs, *assembler, make_preconditioner_of_input, input.solver.method, pcg,
        [&](const std::string& phase, const std::function<void()>& work) {
          log.run(phase, exec, work,
                  is_reference && phase == "assembly: numeric" ? PhaseKind::with_host : PhaseKind::resident);
        });
    results.nonlinear = solvers::newton(exec, system, unknowns, newton_options(input.solver));
    results.solver = results.nonlinear->linear;
    double assembly_seconds = 0.;
    for (std::size_t i = first_phase; i < log.phases().size(); ++i) {
      const Phase& phase = log.phases()[i];
      results.nonlinear_seconds += phase.seconds;
      assembly_seconds += phase.name == "assembly: numeric" ? phase.seconds : 0.;
    }
    results.assembly_share = assembly_seconds / results.nonlinear_seconds;
  }
  preconditioner.reset();
  assembler.reset();

  std::unique_ptr<Evaluation<ExecutionSpace, Form, Order>> evaluation;
  log.run("solution", exec, [&] {
    evaluation = std::make_unique<Evaluation<ExecutionSpace, Form, Order>>(exec, form, problem, context, unknowns);
  });
  // Written first: whatever becomes of the quantities, the solution is not lost.
  output.begin_writing();
  if (!input.output.fields.empty())
    log.run(
        "output: fields", exec, [&] { evaluation->write_fields(output, problem.mesh); }, PhaseKind::with_host);
  if (!input.output.probes.empty())
    log.run(
        "output: probes", exec, [&] { evaluation->write_probes(output); }, PhaseKind::with_host);
  keep_failure(results, [&] {
    log.run("quantities", exec, [&] {
      evaluation->quantities();
      evaluation->verification();
      if (options.reproducible)
        results.checksums["solution"] = evaluation->solution_checksum();
    });
  });
}

} // namespace detail

template <class ExecutionSpace, int Dim, int Order>
void simulate(const ExecutionSpace& exec, const io::ImportedMesh& imported, const io::OutputDirectory& output,
              Context& context) {
  const auto problem = prepare_problem<ExecutionSpace, Dim, Order>(exec, imported, context);
  problem.with_form(exec, context, [&](const auto& form) {
    detail::simulate_form<ExecutionSpace, Dim, Order>(exec, form, problem, output, context);
  });
}

} // namespace tessera::driver

#endif
