// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/keep_alive.hpp"
#include "driver/discretization.hpp"
#include "driver/evaluation/forces.hpp"
#include "driver/evaluation/verification.hpp"
#include "driver/harmonic/conductors.hpp"
#include "driver/harmonic/harmonic_fields.hpp"
#include "driver/harmonic/harmonic_system.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/solution/run_plan.hpp"
#include "driver/solve.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

namespace tessera::driver {

namespace {

using Complex = std::complex<double>;

constexpr double pi = 3.14159265358979323846;

/// Index of each name.
std::vector<std::size_t> positions_of(const std::vector<io::GroupName>& names,
                                      const std::vector<std::string>& regions) {
  std::vector<std::size_t> positions;
  for (const io::GroupName& name : names) {
    const auto found = std::find(regions.begin(), regions.end(), name.name);
    TESSERA_REQUIRE(found != regions.end(), name.where.text() << ": the mesh has no region '" << name.name
                                                              << "'. Its regions are: " << io::joined(regions) << ".");
    positions.push_back(static_cast<std::size_t>(found - regions.begin()));
  }
  return positions;
}

/// to += factor * from, of complex vectors.
template <class Space> struct AddColumn {
  Array<const double*, Space> from_re, from_im;
  double re, im;
  Array<double*, Space> to_re, to_im;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double x = from_re(i);
    const double y = from_im(i);
    to_re(i) += re * x - im * y;
    to_im(i) += re * y + im * x;
  }
};

std::string convention_of(io::Phasors phasors) {
  const bool is_amplitude = phasors == io::Phasors::amplitude;
  return std::string(is_amplitude ? "amplitudes" : "RMS values") + ": x(t) = Re(" + (is_amplitude ? "" : "sqrt(2) ") +
         "X exp(j omega t)); energy and losses are averages over time";
}

template <class Space> struct SumOfParts {
  Array<const double*, Space> re, im;
  Array<double*, Space> sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sum(i) = re(i) + im(i); }
};

/// Time-harmonic magnetic fields with eddy currents; all frequencies are one step.
template <class ExecutionSpace> class EddyCurrents final : public Discretization<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = linalg::Vector<ExecutionSpace>;
  using Column = ComplexVector<ExecutionSpace>;
  using Phasor = physics::PhasorValue;

  EddyCurrents(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
               const Plan& plan, Context& context, Results& results)
      : exec_(exec), context_(context), input_(context.input), options_(input_.problem),
        problem_(make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), context)),
        regions_(problem_->summary.region_names), n_conductors_(options_.conductors.size()) {
    results.problem = problem_->summary;
    results.findings.add_facts("", {{"phasors", convention_of(options_.phasors)}});
    check_bodies(exec, *problem_, input_);
    conductivity_.resize(regions_.size(), 0.);
    permeability_.resize(regions_.size(), 1.);
    for (const io::Material& material : options_.materials) {
      const std::size_t region = positions_of({material.region}, regions_).front();
      conductivity_[region] = material.conductivity;
      permeability_[region] = material.relative_permeability;
    }
    for (const io::SolidConductor& conductor : options_.conductors)
      members_.push_back(positions_of(conductor.regions, regions_));
    conduction_ = problem_->make_conduction(exec, conductivity_);
    system_.emplace(exec, *problem_, *conduction_, plan, context.log);
    results.solve.n_matrix_entries = system_->n_matrix_entries();
    context.log.run("solver: right-hand sides", exec, [&] { make_loads(); });
    const double largest = *std::max_element(conductivity_.begin(), conductivity_.end());
    if (largest == 0.)
      context.notes.push_back("No region has a conductivity: there are no eddy currents, and the field is that of "
                              "magnetostatics at every instant.");
  }

  bool solve(Results& results) override {
    const std::vector<double>& frequencies = options_.frequencies;
    const std::size_t at_once = std::max<std::size_t>(1, 4 / (1 + n_conductors_)); // in one pack of columns
    for (std::size_t first = 0; first < frequencies.size(); first += at_once) {
      const std::size_t end = std::min(first + at_once, frequencies.size());
      std::vector<std::vector<Column>> x = solve_columns(first, end, results);
      for (std::size_t f = first; f < end; ++f) {
        omega_ = 2. * pi * frequencies[f];
        context_.log.run("solution", exec_, [&] { combine(x[f - first]); });
        x[f - first].clear();
        if (f == 0)
          written_ = {nodal_.re, nodal_.im, omega_, voltages_of_regions()};
        keep_failure(context_.world, results,
                     [&] { context_.log.run("quantities", exec_, [&] { add_quantities_at(frequencies[f]); }); });
      }
    }
    const solvers::PcgResult& linear = results.solve.solver.linear;
    results.histories.push_back({"solution", 1, 1, io::relative_residuals(linear.history, linear.rhs_norm)});
    return true;
  }
  void write_fields(const io::OutputDirectory* output) override {
    write_harmonic_fields(exec_, *problem_, *conduction_, written_, input_, *output);
  }
  std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points,
                                             bool recovered) const override {
    std::vector<physics::PointValue> re = problem_->values_at(exec_, written_.re, points, recovered);
    std::vector<physics::PointValue> im = problem_->values_at(exec_, written_.im, points, recovered);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (re[i].region < 0)
        continue;
      const auto region = static_cast<std::size_t>(re[i].region);
      const bool is_planar = options_.symmetry == io::Symmetry::planar;
      const double length = is_planar ? options_.depth : 2. * pi * points[i][0];
      const Phasor voltage = written_.voltages[region]; // 0 on the axis of a conductor that goes around it
      const double per_length = length > 0. ? 1. / length : 0.;
      re[i].flux[2] = conductivity_[region] * (voltage.re * per_length + written_.omega * im[i].value);
      im[i].flux[2] = conductivity_[region] * (voltage.im * per_length - written_.omega * re[i].value);
    }
    re.insert(re.end(), im.begin(), im.end());
    return re;
  }
  void add_quantities(Results& results) const override {
    for (const io::Finding& finding : quantities_.findings.list())
      results.findings.add(finding);
    if (options_.frequencies.size() > 1)
      results.findings.add({"quantities", "", {}, {}, "", "", {}, "frequencies.csv", table_});
  }
  std::vector<NormError> errors(const physics::Expression&, const std::vector<physics::Expression>&) const override {
    return {};
  }

private:
  /// Solves for the sources and for 1 V at each conductor at frequencies first to end - 1; returns the columns of each.
  std::vector<std::vector<Column>> solve_columns(std::size_t first, std::size_t end, Results& results) {
    std::vector<Column> b;
    std::vector<double> omegas;
    for (std::size_t f = first; f < end; ++f) {
      omega_ = 2. * pi * options_.frequencies[f];
      b.push_back(source_column());
      for (const Vector& load : drives_)
        b.push_back({load, zero_});
      omegas.resize(b.size(), omega_);
    }
    std::vector<Column> x;
    std::vector<solvers::CocgResult> outcomes;
    context_.log.run("solver: cocg", exec_, [&] { outcomes = system_->solve(exec_, omegas, b, x); });
    std::vector<std::vector<Column>> columns;
    const auto n = static_cast<std::ptrdiff_t>(1 + n_conductors_);
    for (std::size_t f = first; f < end; ++f) {
      const auto at = static_cast<std::ptrdiff_t>(f - first) * n;
      columns.emplace_back(x.begin() + at, x.begin() + at + n);
      add_results(results, options_.frequencies[f], {outcomes.begin() + at, outcomes.begin() + at + n});
    }
    return columns;
  }

  /// The solution at the voltages of all conductors, of which it computes those that are not given.
  void combine(std::vector<Column>& x) {
    add_conductors(x);
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      const Complex v = state_.voltage[k];
      for_each("tessera::driver::add_column", exec_, static_cast<std::int64_t>(zero_.extent(0)),
               AddColumn<Space>{x[k + 1].re, x[k + 1].im, v.real(), v.imag(), x[0].re, x[0].im});
    }
    nodal_ = nodal_of(x[0]);
    exec_.fence();
  }

  void add_quantities_at(double frequency) {
    begin_row(frequency);
    end_ = options_.frequencies.size() > 1 ? "." + io::number_text(frequency) + "Hz" : "";
    const double factor = average_factor();
    double by_terminals = 0.;
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      const std::string& name = options_.conductors[k].name.name;
      add_terminal(name, state_.voltage[k], state_.current[k]);
      by_terminals += factor * (state_.voltage[k] * std::conj(state_.current[k])).real();
    }
    for (std::size_t c = 0; c < options_.coils.size(); ++c) {
      const io::CoilInput& coil = options_.coils[c];
      const Complex linkage{problem_->flux_linkage(exec_, nodal_.re, c), problem_->flux_linkage(exec_, nodal_.im, c)};
      const Complex induced = Complex(0., omega_) * linkage;
      const Complex current = phasor(coil.current, coil.phase);
      add_terminal(coil.name.name, induced, current);
      by_terminals += factor * (induced * std::conj(current)).real();
    }
    const std::vector<double> squares =
        conduction_->squares(exec_, nodal_.re, nodal_.im, omega_, voltages_of_regions());
    if (wants(input_, io::Quantity::losses)) {
      double total = 0.;
      for (std::size_t r = 0; r < regions_.size(); ++r)
        if (conductivity_[r] != 0.) {
          add("losses." + regions_[r], factor * squares[r], "W");
          total += factor * squares[r];
        }
      add("losses", total, "W");
      if (only_terminals_feed())
        compare_losses(total, by_terminals);
    }
    if (wants(input_, io::Quantity::energy)) // the time average: half of that at the instant of the amplitude
      add("energy", factor * (problem_->energy(exec_, nodal_.re) + problem_->energy(exec_, nodal_.im)), "J");
    add_forces_at();
    add_skin_depths(frequency, squares);
  }

  /// Forces are quadratic in the field: time average, and amplitude of the part with twice the frequency.
  void add_forces_at() {
    if (!wants(input_, io::Quantity::force) && !wants(input_, io::Quantity::torque))
      return;
    const auto sum = make_array<Vector>(exec_, "driver::nodal_sum", nodal_.re.extent(0));
    for_each("tessera::driver::sum_of_parts", exec_, static_cast<std::int64_t>(sum.extent(0)),
             SumOfParts<Space>{nodal_.re, nodal_.im, sum});
    const double factor = average_factor();
    Results forces;
    add_forces<ExecutionSpace>(
        exec_, *problem_, input_, {"", "_amplitude"},
        [&](const auto& weight, const auto& about) {
          const auto load = [&](const Vector& nodal) { return problem_->body_load(exec_, nodal, weight, about); };
          const physics::BodyLoad re = load(nodal_.re);
          const physics::BodyLoad im = load(nodal_.im);
          const physics::BodyLoad both = load(sum);
          const auto amplitude = [&](double r, double i, double b) { return factor * std::hypot(r - i, b - r - i); };
          std::vector<physics::BodyLoad> loads(2);
          for (std::size_t d = 0; d < 3; ++d) {
            loads[0].force[d] = factor * (re.force[d] + im.force[d]);
            loads[0].torque[d] = factor * (re.torque[d] + im.torque[d]);
            loads[1].force[d] = amplitude(re.force[d], im.force[d], both.force[d]);
            loads[1].torque[d] = amplitude(re.torque[d], im.torque[d], both.torque[d]);
          }
          return loads;
        },
        forces);
    for (const QuantityValue& force : forces.findings.numbers({"quantities"}))
      add(force.name, force.value, force.unit);
    for (const std::string& note : forces.notes)
      if (std::find(context_.notes.begin(), context_.notes.end(), note) == context_.notes.end())
        context_.notes.push_back(note);
    TESSERA_REQUIRE(forces.failures.empty(), io::joined(forces.failures));
  }

  void make_loads() {
    std::vector<double> real;
    std::vector<double> imaginary;
    for (const io::CoilInput& coil : options_.coils) {
      real.push_back(phasor(coil.current, coil.phase).real());
      imaginary.push_back(phasor(coil.current, coil.phase).imag());
    }
    const std::size_t n = static_cast<std::size_t>(problem_->dofs.n_free);
    zero_ = make_filled<Vector>(exec_, "driver::zero", n, 0.);
    const bool have_no_phase =
        std::all_of(options_.coils.begin(), options_.coils.end(), [](const auto& coil) { return coil.phase == 0.; });
    load_ = {have_no_phase ? system_->first_load() : system_->load(exec_, real), zero_};
    if (std::any_of(imaginary.begin(), imaginary.end(), [](double i) { return i != 0.; })) {
      load_.im = system_->load(exec_, imaginary);
      const Vector others = system_->load(exec_, std::vector<double>(imaginary.size(), 0.));
      for_each("tessera::driver::add_column", exec_, static_cast<std::int64_t>(n),
               AddColumn<Space>{others, zero_, -1., 0., load_.im, zero_});
      exec_.fence();
    }
    problem_->excite(exec_, {});
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      drives_.push_back(system_->conduction_load(exec_, unit_voltage(k)));
      for_each("tessera::driver::add_column", exec_, static_cast<std::int64_t>(n),
               AddColumn<Space>{system_->fixed_load(), zero_, -1., 0., drives_.back(), zero_});
      conductance_.push_back(conduction_->conductance(exec_));
    }
    exec_.fence();
  }

  /// All sources but the voltages; the fixed values are real.
  Column source_column() const {
    const auto n = static_cast<std::int64_t>(zero_.extent(0));
    Column b{make_filled<Vector>(exec_, "driver::source_re", zero_.extent(0), 0.),
             make_filled<Vector>(exec_, "driver::source_im", zero_.extent(0), 0.)};
    for_each("tessera::driver::add_column", exec_, n, AddColumn<Space>{load_.re, load_.im, 1., 0., b.re, b.im});
    for_each("tessera::driver::add_column", exec_, n,
             AddColumn<Space>{system_->fixed_load(), zero_, 0., omega_, b.re, b.im});
    return b;
  }

  std::vector<double> unit_voltage(std::size_t conductor) const {
    std::vector<double> voltages(regions_.size(), 0.);
    for (const std::size_t region : members_[conductor])
      voltages[region] = 1.;
    return voltages;
  }

  std::vector<Phasor> voltages_of_regions() const {
    std::vector<Phasor> voltages(regions_.size());
    for (std::size_t k = 0; k < n_conductors_; ++k)
      for (const std::size_t region : members_[k])
        voltages[region] = {state_.voltage[k].real(), state_.voltage[k].imag()};
    return voltages;
  }

  /// Values at all nodes; `with_fixed`: the fixed values are added to the real part.
  Column nodal_of(const Column& unknowns, bool with_fixed = true) const {
    const auto n = static_cast<std::size_t>(problem_->n_space_nodes);
    Column nodal{make_array<Vector>(exec_, "driver::nodal_re", n), make_array<Vector>(exec_, "driver::nodal_im", n)};
    Excitation zero;
    zero.fixed_values.resize(problem_->binding.constraints.size());
    problem_->excite(exec_, with_fixed ? Excitation{} : zero);
    fe::expand(exec_, problem_->dofs, linalg::ConstVector<ExecutionSpace>(unknowns.re), nodal.re);
    problem_->excite(exec_, zero);
    fe::expand(exec_, problem_->dofs, linalg::ConstVector<ExecutionSpace>(unknowns.im), nodal.im);
    problem_->excite(exec_, {});
    return nodal;
  }

  /// Currents of all conductors for the sources and for unit voltages, then their state.
  void add_conductors(const std::vector<Column>& x) {
    std::vector<Complex> induced(n_conductors_);
    std::vector<Complex> admittance(n_conductors_ * n_conductors_);
    for (std::size_t l = 0; l < x.size() && n_conductors_ > 0; ++l) {
      const Column nodal = nodal_of(x[l], l == 0);
      for (std::size_t k = 0; k < n_conductors_; ++k) {
        conduction_->set_voltages(exec_, unit_voltage(k));
        const Complex linkage{conduction_->linkage(exec_, nodal.re), conduction_->linkage(exec_, nodal.im)};
        const Complex current = -Complex(0., omega_) * linkage;
        if (l == 0)
          induced[k] = current;
        else
          admittance[k * n_conductors_ + l - 1] = current + (k == l - 1 ? conductance_[k] : 0.);
      }
    }
    state_ = solve_conductors(options_.conductors, admittance, induced);
  }

  /// Keeps the outcome that is worst.
  void add_results(Results& results, double frequency, const std::vector<solvers::CocgResult>& outcomes) {
    solvers::PcgResult& kept = results.solve.solver.linear;
    for (std::size_t c = 0; c < outcomes.size(); ++c) {
      const solvers::CocgResult& outcome = outcomes[c];
      results.iterations += outcome.iterations;
      const bool has_converged = outcome.status == solvers::CocgStatus::converged;
      const bool is_worse =
          is_first_ || (results.solve.solver.converged() && (!has_converged || outcome.iterations > kept.iterations));
      if (!is_worse)
        continue;
      is_first_ = false;
      kept.status = has_converged ? solvers::SolverStatus::converged
                    : outcome.status == solvers::CocgStatus::inaccurate
                        ? solvers::SolverStatus::inaccurate
                        : (outcome.status == solvers::CocgStatus::max_iterations ? solvers::SolverStatus::max_iterations
                                                                                 : solvers::SolverStatus::breakdown);
      kept.iterations = outcome.iterations;
      kept.initial_residual = outcome.initial_residual;
      kept.residual = outcome.residual;
      kept.true_residual = outcome.true_residual;
      kept.rhs_norm = outcome.rhs_norm;
      kept.threshold = outcome.threshold;
      kept.history = outcome.history;
      kept.seconds = outcome.seconds;
      kept.message = "At " + io::number_text(frequency) + " Hz: " + outcome.message;
    }
  }

  /// Of the time average of a product of two phasors.
  double average_factor() const { return options_.phasors == io::Phasors::amplitude ? 0.5 : 1.; }

  void begin_row(double frequency) {
    if (table_.empty())
      table_.push_back({"frequency [Hz]"});
    table_.push_back({io::number_text(frequency)});
  }

  void add(const std::string& name, double value, const std::string& unit) {
    add_quantity(quantities_, name + end_, value, unit);
    if (table_.size() == 2)
      table_[0].push_back(io::column_name({name, value, unit}));
    table_.back().push_back(io::number_text(value));
  }

  /// Voltage, current and impedance of a conductor, or of a coil without the resistance of its wire.
  void add_terminal(const std::string& name, Complex voltage, Complex current) {
    add("voltage_real." + name, voltage.real(), "V");
    add("voltage_imaginary." + name, voltage.imag(), "V");
    add("current_real." + name, current.real(), "A");
    add("current_imaginary." + name, current.imag(), "A");
    if (current == 0.)
      return;
    const Complex impedance = voltage / current;
    add("resistance." + name, impedance.real(), "Ohm");
    add("inductance." + name, impedance.imag() / omega_, "H");
  }

  /// Whether power enters through conductors and coils only.
  bool only_terminals_feed() const {
    const auto is_passive = [](const io::Boundary& boundary) {
      const bool is_given = boundary.kind == io::BoundaryKind::value || boundary.kind == io::BoundaryKind::flux;
      return !is_given || (boundary.value.is_constant && boundary.value.value == 0.);
    };
    return options_.sources.empty() && options_.point_sources.empty() &&
           std::all_of(options_.boundaries.begin(), options_.boundaries.end(), is_passive);
  }

  void compare_losses(double by_field, double by_terminals) {
    constexpr double doubtful = 1e-2;
    add("losses_by_terminals", by_terminals, "W");
    const double size = std::max(std::fabs(by_field), std::fabs(by_terminals));
    if (std::fabs(by_field - by_terminals) <= doubtful * size)
      return;
    std::ostringstream note;
    note << std::setprecision(3) << "Energy balance: the losses are " << by_field
         << " W by the field, but the terminals supply " << by_terminals
         << " W. The second value is the more accurate one; refine the mesh, or lower solver.relative_tolerance.";
    context_.notes.push_back(note.str());
  }

  void add_skin_depths(double frequency, const std::vector<double>& squares) {
    const std::vector<double> by_size =
        conduction_->squares_by_size(exec_, nodal_.re, nodal_.im, omega_, voltages_of_regions());
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (conductivity_[r] == 0.)
        continue;
      const double depth =
          std::sqrt(2. / (omega_ * physics::vacuum_permeability * permeability_[r] * conductivity_[r]));
      add("skin_depth." + regions_[r], depth, "m");
      const double size = squares[r] > 0. ? by_size[r] / squares[r] : 0.; // where the losses are
      if (size <= 0.5 * depth)
        continue;
      std::ostringstream note;
      note << std::setprecision(2) << "At " << io::number_text(frequency) << " Hz the skin depth of '" << regions_[r]
           << "' is " << depth << " m, but where its losses are, nodes are " << size
           << " m apart: currents near surfaces are resolved with at most half the skin depth between nodes there, "
           << 0.5 * depth << " m (mesh.sizes).";
      context_.notes.push_back(note.str());
    }
  }

  ExecutionSpace exec_;
  Context& context_;
  const io::Case& input_;
  const io::ProblemOptions& options_;
  std::unique_ptr<Problem<ExecutionSpace>> problem_;
  const std::vector<std::string>& regions_;
  std::size_t n_conductors_;
  std::vector<double> conductivity_;              // of each region, S/m
  std::vector<double> permeability_;              // relative
  std::vector<std::vector<std::size_t>> members_; // regions of each conductor
  std::unique_ptr<Conduction<ExecutionSpace>> conduction_;
  std::optional<HarmonicSystem<ExecutionSpace>> system_;
  Vector zero_;
  Column load_;                     // of the sources of magnetostatics
  std::vector<Vector> drives_;      // of 1 V at each conductor
  std::vector<double> conductance_; // of each conductor to direct current, S
  double omega_ = 0.;               // 1/s
  ConductorState state_;
  Column nodal_;
  bool is_first_ = true;
  HarmonicSolution<ExecutionSpace> written_; // of the first frequency
  std::string end_;                          // of the names of quantities
  Results quantities_;
  io::TextRows table_; // of the quantities, a row per frequency
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_eddy_currents(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                   KeptRun* kept, Context& context, Results& results) {
  const Plan plan = make_run_plan(exec, imported, binding, kept, context);
  results.estimated_bytes = plan.estimated_bytes;
  if (kept != nullptr)
    kept->taken = Reuse::nothing;
  return std::make_unique<EddyCurrents<ExecutionSpace>>(exec, imported, binding, plan, context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Discretization<SPACE>> make_eddy_currents<SPACE>(                                           \
      const SPACE&, const io::ImportedMesh&, const ProblemBinding&, KeptRun*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
