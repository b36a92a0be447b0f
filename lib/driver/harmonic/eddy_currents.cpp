// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/circuits/circuit.hpp"
#include "driver/harmonic/circuits/drives.hpp"
#include "driver/harmonic/circuits/foster_network.hpp"
#include "driver/harmonic/circuits/surface_conductors.hpp"
#include "driver/harmonic/cores/complex_cores.hpp"
#include "driver/harmonic/cores/harmonic_newton.hpp"
#include "driver/harmonic/cores/saturated_cores.hpp"
#include "driver/harmonic/harmonic_run.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/solution/newton_times.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>

namespace tessera::driver {

namespace {

/// Time-harmonic magnetic fields with eddy currents.
template <class ExecutionSpace> class EddyCurrents final : public HarmonicRun<ExecutionSpace> {
  using Run = HarmonicRun<ExecutionSpace>;
  using typename Run::Column;
  using typename Run::Complex;
  using typename Run::Vector;
  using Phasor = physics::PhasorValue;
  using Run::add_forces_at;
  using Run::add_paths;
  using Run::context_;
  using Run::distribution_;
  using Run::exec_;
  using Run::first_;
  using Run::input_;
  using Run::nodal_of;
  using Run::note;
  using Run::now_;
  using Run::options_;
  using Run::problem_;
  using Run::quantities_;
  using Run::regions_;
  using Run::system_;
  using Run::zero_column;
  using Run::zero_values;

public:
  EddyCurrents(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>> problem, const Plan& plan,
               Context& context, Results& results)
      : Run(exec, std::move(problem), plan, context, results), n_conductors_(options_.conductors.size()) {
    conductivity_.resize(regions_.size(), 0.);
    permeability_.resize(regions_.size(), 1.);
    for (const io::Material& material : options_.materials) {
      const std::size_t region = positions_of({material.region}, regions_).front();
      conductivity_[region] = material.conductivity;
      permeability_[region] = std::max(material.relative_permeability[0], material.relative_permeability[1]);
    }
    for (const io::SolidConductor& conductor : options_.conductors)
      members_.push_back(positions_of(conductor.regions, regions_));
    conduction_ = problem_->make_conduction(exec, conductivity_);
    assembler_ = problem_->make_assembler(assembly_options(plan));
    problem_->excite(exec, {});
    context.log.run("assembly: numeric", exec, [&] {
      cores_.emplace(exec, *problem_, options_.materials, assembly_options(plan));
      surfaces_.emplace(exec, *problem_, options_, assembly_options(plan));
      iron_.emplace(exec, *problem_, *conduction_, options_);
    });
    HarmonicTraits traits;
    traits.adds_terms = has_terms();
    system_.emplace(exec, *problem_, distribution_->unknowns(), *assembler_, conduction_->assembler(), plan, traits,
                    context.log);
    results.solve.n_matrix_entries = system_->n_matrix_entries();
    context.log.run("solver: right-hand sides", exec, [&] { make_loads(); });
    const double largest = *std::max_element(conductivity_.begin(), conductivity_.end());
    if (largest == 0. && !has_terms())
      context.notes.push_back("No region has a conductivity: there are no eddy currents, and the field is that of "
                              "magnetostatics at every instant.");
  }

  void add_quantities(Results& results) const override {
    Run::add_quantities(results);
    if (input_.output.netlist && !impedances_.empty())
      add_netlist(results);
  }

  std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points,
                                             bool recovered) const override {
    std::vector<physics::PointValue> re = problem_->values_at(exec_, first_.nodal.re, points, recovered);
    std::vector<physics::PointValue> im = problem_->values_at(exec_, first_.nodal.im, points, recovered);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (re[i].region < 0)
        continue;
      const auto region = static_cast<std::size_t>(re[i].region);
      const bool is_planar = options_.symmetry == io::Symmetry::planar;
      const double length = is_planar ? options_.depth : 2. * pi * points[i][0];
      const Phasor voltage = first_voltages_[region]; // 0 on the axis of a conductor that goes around it
      const double per_length = length > 0. ? 1. / length : 0.;
      re[i].flux[2] = conductivity_[region] * (voltage.re * per_length + first_.omega * im[i].value);
      im[i].flux[2] = conductivity_[region] * (voltage.im * per_length - first_.omega * re[i].value);
    }
    cores_->set_strengths(first_.omega, re, im);
    iron_->set_strengths(re, im);
    re.insert(re.end(), im.begin(), im.end());
    return re;
  }

private:
  /// Whether K and M depend on the frequency.
  bool has_terms() const { return cores_->any() || surfaces_->any() || iron_->any(); }

  /// As many frequencies as fill a pack of columns.
  std::size_t n_at_once() const override {
    return has_terms() ? 1 : std::max<std::size_t>(1, 4 / (1 + driven_.size()));
  }

  void set_frequency(double omega) override {
    if (has_terms() && !iron_->any())
      set_matrices(omega);
  }

  void set_matrices(double omega) {
    std::vector<typename HarmonicSystem<ExecutionSpace>::Term> of_k, of_m;
    if (iron_->any())
      context_.log.run("assembly: numeric", exec_, [&] { of_k.push_back({1., iron_->matrix(exec_)}); });
    context_.log.run("solver: set-up", exec_, [&] {
      cores_->add_terms(omega, of_k, of_m);
      surfaces_->add_terms(omega, of_k, of_m);
      system_->set_terms(exec_, of_k, of_m);
    });
  }

  std::vector<solvers::CocgResult> solve_columns(const std::vector<double>& omegas, const std::vector<Column>& b,
                                                 bool keeps, std::vector<Column>& x, Results& results) override {
    if (!iron_->any())
      return Run::solve_columns(omegas, b, keeps, x, results);
    const double omega = omegas.front(); // the only one
    const typename HarmonicNewton<ExecutionSpace>::Drives drives = [&](const std::vector<Column>& parts) {
      return solve_terminals(omega, parts);
    };
    const std::function<void()> set_matrix = [&] { set_matrices(omega); };
    const std::size_t first_phase = context_.log.phases().size();
    solvers::NewtonResult newton =
        HarmonicNewton<ExecutionSpace>(*system_, *iron_, set_matrix, input_.solver, context_.log)
            .solve(exec_, omega, b, drives, last_, x);
    set_times_of_newton(context_.log, first_phase, results.solve);
    solvers::CocgResult outcome;
    outcome.status = newton.converged() ? solvers::CocgStatus::converged : solvers::CocgStatus::max_iterations;
    outcome.iterations = static_cast<int>(newton.linear_iterations);
    outcome.rhs_norm = newton.reference;
    for (const double relative : newton.history)
      outcome.history.push_back(relative * newton.reference);
    outcome.residual = outcome.true_residual = outcome.history.back();
    outcome.threshold = input_.solver.nonlinear.relative_tolerance * newton.reference;
    outcome.message = newton.message;
    newton.message = "At " + io::number_text(omega / (2. * pi)) + " Hz: " + newton.message;
    std::optional<solvers::NewtonResult>& kept = results.solve.solver.nonlinear;
    if (!kept || (kept->converged() && (!newton.converged() || newton.iterations > kept->iterations)))
      kept = newton;
    return {outcome};
  }

  bool wants_impedances() const { return wants(input_, io::Quantity::inductance_matrix); }

  /// Whether a conductor has impedance boundaries.
  bool is_on_surface(std::size_t k) const { return !options_.conductors[k].boundaries.empty(); }

  /// Whether the field takes a conductor's voltage instead of its current. With iron, solutions cannot be added to find
  /// the current for a given voltage.
  bool takes_voltage(std::size_t k) const {
    return is_on_surface(k) || (iron_->any() && options_.conductors[k].has_voltage);
  }

  /// The sources with the given currents and voltages of what takes them; 1 A, at surfaces 1 V, of each driven
  /// terminal. In all of them other solid conductors have a current and no voltage. The fixed values are real.
  std::vector<Column> right_hand_sides(double omega) override {
    std::vector<Column> b{zero_column()};
    add_multiple(exec_, load_, 1., b[0]);
    add_multiple(exec_, {fixed_load_, zero_}, {0., omega}, b[0]);
    cores_->add_loads(exec_, omega, b[0]);
    surfaces_->add_loads(exec_, omega, b[0]);
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      if (takes_voltage(k))
        add_drive(k, omega, given_drive(k), b[0]);
      else // the voltage without the field of the unknowns, times c
        add_multiple(exec_, {drives_[k], zero_},
                     (given_drive(k) + Complex(0., omega) * fixed_linkage_[k]) / conductance_[k], b[0]);
    }
    for (const std::size_t k : driven_) {
      b.push_back(zero_column());
      if (k < n_conductors_)
        add_drive(k, omega, 1., b.back());
      else
        add_multiple(exec_, {coil_loads_[k - n_conductors_], zero_}, 1., b.back());
    }
    return b;
  }

  /// Adds the right-hand side of a conductor's current, or of its voltage.
  void add_drive(std::size_t k, double omega, Complex value, const Column& b) const {
    if (!is_on_surface(k)) {
      add_multiple(exec_, {drives_[k], zero_}, takes_voltage(k) ? value : value / conductance_[k], b);
      return;
    }
    for (const io::GroupName& boundary : options_.conductors[k].boundaries) {
      const Column unit = zero_column();
      surfaces_->add_drive(exec_, surfaces_->position(boundary.name), omega, unit);
      add_multiple(exec_, unit, value, b);
    }
  }

  /// The solution with the drives of all terminals, of which it computes those that are not in the sources.
  Column solution_of(double omega, std::vector<Column>& x) override {
    const std::vector<Complex> drives = solve_terminals(omega, x);
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      if (terminals_[driven_[j]].is_in_sources())
        continue;
      if (iron_->any()) {
        add_multiple(exec_, x[1 + 2 * j], drives[j].real(), x[0]);
        add_multiple(exec_, x[2 + 2 * j], drives[j].imag(), x[0]);
      } else {
        add_multiple(exec_, x[1 + j], drives[j], x[0]);
      }
    }
    return nodal_of(x[0], problem_->binding.fixed_values, zero_values());
  }

  /// Sets voltages and currents of terminals and circuit for the solutions x; returns what drives the driven ones.
  std::vector<Complex> solve_terminals(double omega, const std::vector<Column>& x) {
    find_responses(omega, x);
    const auto states = solve_circuit(terminals_, field_, options_.circuit, omega);
    state_ = states[0];
    circuit_ = states[1];
    std::vector<Complex> drives;
    for (const std::size_t k : driven_)
      drives.push_back(terminals_[k].drive == Terminal::Drive::current ? state_.current[k] : state_.voltage[k]);
    return drives;
  }

  /// What drives a terminal in the sources.
  Complex given_drive(std::size_t k) const { return terminals_[k].is_in_sources() ? terminals_[k].value : Complex(); }

  void keep_state() override { first_voltages_ = voltages_of_regions(); }

  PhasorField written_flux() const override {
    const auto densities =
        conduction_->densities(exec_, first_.nodal.re, first_.nodal.im, first_.omega, first_voltages_);
    PhasorField field{1, {}};
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t e = 0; e < densities.extent(0); ++e)
        field.parts[p].push_back(densities(e, p));
    return field;
  }

  void add_quantities_at(double frequency) override {
    const double factor = average_factor(options_.phasors);
    double by_terminals = 0.;
    double apparent_power = 0.;
    for (std::size_t k = 0; k < terminals_.size(); ++k) {
      add_terminal(terminals_[k].name, state_.voltage[k], state_.current[k]);
      const Complex power = factor * state_.voltage[k] * std::conj(state_.current[k]);
      by_terminals += power.real();
      apparent_power += std::abs(power);
    }
    add_circuit();
    const auto squares = conduction_->squares(exec_, now_.nodal.re, now_.nodal.im, now_.omega, voltages_of_regions());
    if (wants(input_, io::Quantity::losses)) {
      const std::vector<double> in_cores = cores_->squares(exec_, now_.omega, now_.nodal);
      double total = 0.;
      for (std::size_t r = 0; r < regions_.size(); ++r)
        if (conductivity_[r] != 0. || cores_->has_region(r)) {
          const double losses = factor * (squares.total[r] + in_cores[r]);
          quantities_.add("losses." + regions_[r], losses, "W");
          total += losses;
        }
      for (std::size_t s = 0; s < surfaces_->size(); ++s) {
        const double losses = factor * surfaces_->square(exec_, s, now_.omega, now_.nodal, voltage_of_surface(s));
        quantities_.add("losses." + surfaces_->name(s), losses, "W");
        total += losses;
      }
      quantities_.add("losses", total, "W");
      if (only_terminals_feed())
        note(quantities_.add_balance(total, by_terminals, apparent_power));
    }
    add_core_losses(frequency);
    if (wants(input_, io::Quantity::energy)) // the time average: half of that at the instant of the amplitude
      quantities_.add("energy",
                      factor * (problem_->energy(exec_, now_.nodal.re) + problem_->energy(exec_, now_.nodal.im) +
                                cores_->energy(exec_, now_.omega, now_.nodal) + iron_->energy(exec_)),
                      "J");
    if (wants_impedances())
      add_impedances();
    Run::add_regions({});
    add_forces_at();
    std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>> terms{{problem_.get(), 1.}};
    for (const auto& term : cores_->terms(now_.omega))
      terms.push_back(term);
    add_paths(terms);
    add_skin_depths(frequency, squares);
  }

  /// The losses of coefficients, which the field does not contain.
  void add_core_losses(double frequency) {
    const double amplitude = options_.phasors == io::Phasors::amplitude ? 1. : std::sqrt(2.);
    for (const io::Material& material : options_.materials) {
      if (material.core_losses.empty())
        continue;
      const std::size_t region = positions_of({material.region}, regions_).front();
      double losses = 0.;
      for (const io::LossTerm& term : material.core_losses)
        losses += term.k * std::pow(frequency, term.alpha) *
                  conduction_->power(exec_, now_.nodal.re, now_.nodal.im, region, amplitude, term.beta);
      quantities_.add("core_losses." + material.region.name, losses, "W");
    }
  }

  /// Right-hand side of magnetostatics for currents of the coils in A, with the other sources and the fixed values.
  Vector load_of(const std::vector<double>& currents) const {
    Excitation excitation;
    excitation.currents = currents;
    problem_->excite(exec_, excitation);
    assembler_->load(exec_);
    return copy_of_load(exec_, *assembler_);
  }

  /// With the right-hand sides that were assembled with the matrices.
  void make_loads() {
    std::vector<double> real;
    std::vector<double> imaginary;
    for (const io::CoilInput& coil : options_.coils) {
      real.push_back(phasor(coil.current, coil.phase).real());
      imaginary.push_back(phasor(coil.current, coil.phase).imag());
    }
    const auto has_phase = [](const io::CoilInput& coil) { return coil.phase != 0.; };
    const bool have_phases = std::any_of(options_.coils.begin(), options_.coils.end(), has_phase);
    zero_ = zero_column().re;
    load_ = {copy_of_load(exec_, *assembler_), zero_};
    fixed_load_ = copy_of_load(exec_, conduction_->assembler());
    if (have_phases)
      load_.re = load_of(real);
    if (std::any_of(imaginary.begin(), imaginary.end(), [](double i) { return i != 0.; })) {
      load_.im = zero_column().re;
      add_multiple(exec_, {load_of(imaginary), zero_}, 1., {load_.im, zero_});
      add_multiple(exec_, {load_of(std::vector<double>(imaginary.size(), 0.)), zero_}, -1., {load_.im, zero_});
      exec_.fence();
    }
    set_terminals();
    coil_loads_.resize(options_.coils.size());
    const bool drives_coils =
        std::any_of(driven_.begin(), driven_.end(), [&](std::size_t k) { return k >= n_conductors_; });
    const Vector without = drives_coils ? load_of(std::vector<double>(options_.coils.size(), 0.)) : Vector();
    for (const std::size_t k : driven_) {
      if (k < n_conductors_)
        continue;
      std::vector<double> currents(options_.coils.size(), 0.);
      currents[k - n_conductors_] = 1.;
      coil_loads_[k - n_conductors_] = load_of(currents);
      add_multiple(exec_, {without, zero_}, -1., {coil_loads_[k - n_conductors_], zero_});
      exec_.fence();
    }
    problem_->excite(exec_, {});
    if (n_conductors_ > 0)
      make_conductors();
  }

  /// Right-hand sides of solid conductors, their conductances, and rows of those of given current.
  void make_conductors() {
    drives_ = make_drives(exec_, *conduction_, members_, regions_.size(), fixed_load_);
    const std::vector<double> conductances = conduction_->conductances(exec_);
    conductance_.assign(n_conductors_, 0.);
    for (std::size_t k = 0; k < n_conductors_; ++k)
      for (const std::size_t region : members_[k])
        conductance_[k] += conductances[region];
    const Column fixed = nodal_of(zero_column(), problem_->binding.fixed_values, zero_values());
    const std::vector<Complex> of_fixed = linkages_of(fixed);
    std::vector<solvers::Conductor> rows;
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      fixed_linkage_.push_back(of_fixed[k].real());
      if (takes_voltage(k))
        continue;
      const Nonzeros c = nonzeros(exec_, drives_[k]);
      rows.push_back({c.positions, c.values, conductance_[k]});
    }
    if (!rows.empty())
      system_->set_conductors(exec_, rows);
  }

  void set_terminals() {
    using Given = Terminal::Given;
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      const io::SolidConductor& conductor = options_.conductors[k];
      const Given given = conductor.in_circuit    ? Given::circuit
                          : conductor.has_voltage ? Given::voltage
                                                  : Given::current;
      terminals_.push_back({conductor.name.name, takes_voltage(k) ? Terminal::Drive::voltage : Terminal::Drive::current,
                            given, phasor(conductor.value, conductor.phase)});
    }
    for (const io::CoilInput& coil : options_.coils)
      terminals_.push_back({coil.name.name, Terminal::Drive::current, coil.in_circuit ? Given::circuit : Given::current,
                            phasor(coil.current, coil.phase)});
    for (std::size_t k = 0; k < terminals_.size(); ++k)
      if (!terminals_[k].is_in_sources() || wants_impedances())
        driven_.push_back(k);
    field_.driven = driven_;
  }

  std::vector<Phasor> voltages_of_regions() const {
    std::vector<Phasor> voltages(regions_.size());
    for (std::size_t k = 0; k < n_conductors_; ++k)
      for (const std::size_t region : members_[k])
        voltages[region] = {state_.voltage[k].real(), state_.voltage[k].imag()};
    return voltages;
  }

  /// What the field gives for all terminals: for the sources, and for 1 of each driven terminal; with iron for 1 and j
  /// of each.
  void find_responses(double omega, const std::vector<Column>& x) {
    const std::size_t m = driven_.size();
    const std::size_t n_parts = iron_->any() ? 2 : 1;
    field_.of_sources.assign(terminals_.size(), 0.);
    field_.response.assign(terminals_.size() * m, 0.);
    field_.of_conjugate.assign(iron_->any() ? field_.response.size() : 0, 0.);
    for (std::size_t l = 0; l < x.size() && !terminals_.empty(); ++l) {
      const Column nodal = nodal_of(x[l], l == 0 ? problem_->binding.fixed_values : zero_values(), zero_values());
      const std::size_t j = l == 0 ? 0 : (l - 1) / n_parts;
      const Complex unit = l == 0 || (l - 1) % n_parts == 0 ? Complex(1., 0.) : Complex(0., 1.);
      const std::vector<Complex> linkages = linkages_of(nodal);
      for (std::size_t k = 0; k < terminals_.size(); ++k) {
        const Complex drive = l == 0 ? given_drive(k) : driven_[j] == k ? unit : 0.;
        const Complex response = k < n_conductors_ && !is_on_surface(k)
                                     ? response_inside(k, drive, Complex(0., omega) * linkages[k])
                                     : response_of(k, omega, nodal, drive);
        if (l == 0)
          field_.of_sources[k] = response;
        else // v = (v + v*)/2 + (v - v*)/2
          field_.response[k * m + j] += response / (static_cast<double>(n_parts) * unit);
        if (l > 0 && n_parts == 2)
          field_.of_conjugate[k * m + j] += 0.5 * response * unit;
      }
    }
  }

  /// Of a meshed conductor with the current that is induced in it.
  Complex response_inside(std::size_t k, Complex drive, Complex induced) const {
    return takes_voltage(k) ? conductance_[k] * drive - induced : (drive + induced) / conductance_[k];
  }

  /// Of a coil, or a conductor with impedance boundaries.
  Complex response_of(std::size_t k, double omega, const Column& nodal, Complex drive) const {
    if (k >= n_conductors_)
      return Complex(0., omega) * linkage_of(nodal, k - n_conductors_);
    Complex current;
    for (const io::GroupName& boundary : options_.conductors[k].boundaries)
      current += surfaces_->current(exec_, surfaces_->position(boundary.name), omega, nodal, drive);
    return current;
  }

  Complex voltage_of_surface(std::size_t s) const {
    for (std::size_t k = 0; k < n_conductors_; ++k)
      for (const io::GroupName& boundary : options_.conductors[k].boundaries)
        if (boundary.name == surfaces_->name(s))
          return state_.voltage[k];
    return 0.;
  }

  /// The integrals of sigma e A over the conductors.
  std::vector<Complex> linkages_of(const Column& nodal) const {
    std::vector<Complex> linkages(n_conductors_);
    if (n_conductors_ == 0)
      return linkages;
    const std::vector<double> re = conduction_->linkages(exec_, nodal.re);
    const std::vector<double> im = conduction_->linkages(exec_, nodal.im);
    for (std::size_t k = 0; k < n_conductors_; ++k)
      for (const std::size_t region : members_[k])
        linkages[k] += Complex(re[region], im[region]);
    return linkages;
  }

  Complex linkage_of(const Column& nodal, std::size_t coil) const {
    return {problem_->flux_linkage(exec_, nodal.re, coil), problem_->flux_linkage(exec_, nodal.im, coil)};
  }

  void add_impedances() {
    const std::size_t n = terminals_.size();
    std::vector<std::vector<Complex>> columns; // voltages for 1 A in one of the terminals
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<Terminal> unit = terminals_;
      FieldResponse field = field_;
      for (std::size_t i = 0; i < n; ++i) {
        unit[i].given = Terminal::Given::current;
        unit[i].value = i == j ? 1. : 0.;
        field.of_sources[i] = unit[j].is_in_sources() ? field_.response[i * n + j] : 0.;
      }
      columns.push_back(solve_circuit(unit, field, {}, now_.omega)[0].voltage);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const Complex entry = columns[j][i];
        const std::string end = terminals_[i].name + "." + terminals_[j].name;
        quantities_.add("resistance." + end, entry.real(), "Ohm");
        quantities_.add("inductance." + end, entry.imag() / now_.omega, "H");
      }
  }

  /// Elements of the circuit that are no terminals. The impedance of a source is that of what it supplies.
  void add_circuit() {
    using Kind = io::CircuitElement::Kind;
    for (std::size_t e = 0; e < options_.circuit.size(); ++e) {
      const io::CircuitElement& element = options_.circuit[e];
      const bool is_source = element.kind == Kind::voltage_source || element.kind == Kind::current_source;
      if (element.kind == Kind::terminal)
        continue;
      quantities_.add_parts("voltage", element.name.name, circuit_.voltage[e], "V");
      quantities_.add_parts("current", element.name.name, circuit_.current[e], "A");
      if (is_source && element.value != 0. && circuit_.current[e] != 0.)
        add_impedance(element.name.name, -circuit_.voltage[e] / circuit_.current[e]);
    }
  }

  /// The impedances of conductors, coils and sources as networks.
  void add_netlist(Results& results) const {
    io::TextRows rows{{"* Impedances by Tessera: series of parallel resistances and inductances"}};
    double error = 0.;
    for (const auto& [name, points] : impedances_) {
      std::vector<double> omegas;
      std::vector<Complex> impedances;
      for (const auto& [omega, impedance] : points) {
        omegas.push_back(omega);
        impedances.push_back(impedance);
      }
      const FosterNetwork network = foster_network(omegas, impedances);
      for (const std::string& line : subcircuit(name, network))
        rows.push_back({line});
      for (std::size_t i = 0; i < omegas.size(); ++i)
        error = std::max(error, std::abs(network.impedance(omegas[i]) - impedances[i]) / std::abs(impedances[i]));
    }
    results.findings.add({"quantities", "", {}, {}, "", "", {}, "netlist.cir", rows});
    std::ostringstream text;
    text << std::setprecision(2) << "The networks in netlist.cir differ from the impedances by up to " << error
         << " of these.";
    results.notes.push_back(text.str());
  }

  /// Voltage, current and impedance of a conductor, or of a coil without the resistance of its wire.
  void add_terminal(const std::string& name, Complex voltage, Complex current) {
    quantities_.add_parts("voltage", name, voltage, "V");
    quantities_.add_parts("current", name, current, "A");
    if (current == 0.)
      return;
    add_impedance(name, voltage / current);
  }

  void add_impedance(const std::string& name, Complex impedance) {
    impedances_[name][now_.omega] = impedance;
    quantities_.add("resistance." + name, impedance.real(), "Ohm");
    quantities_.add("inductance." + name, impedance.imag() / now_.omega, "H");
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

  void add_skin_depths(double frequency, const typename Conduction<ExecutionSpace>::Squares& squares) {
    const std::vector<double> densities =
        conduction_->largest_densities(exec_, now_.nodal.re, now_.nodal.im, now_.omega, voltages_of_regions());
    const std::vector<double> of_iron = iron_->permeabilities(exec_);
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (conductivity_[r] == 0.)
        continue;
      const double permeability = of_iron[r] > 0. ? of_iron[r] : permeability_[r];
      const double depth =
          std::sqrt(2. / (now_.omega * physics::vacuum_permeability * permeability * conductivity_[r]));
      quantities_.add("skin_depth." + regions_[r], depth, "m");
      quantities_.add("largest_current_density." + regions_[r], densities[r], "A/m^2");
      const double size = squares.total[r] > 0. ? squares.by_size[r] / squares.total[r] : 0.; // where the losses are
      if (size <= 0.5 * depth)
        continue;
      std::ostringstream text;
      text << std::setprecision(2) << "At " << io::number_text(frequency) << " Hz the skin depth of '" << regions_[r]
           << "' is " << depth << " m, but where its losses are, nodes are " << size
           << " m apart: currents near surfaces are resolved with at most half the skin depth between nodes there, "
           << 0.5 * depth << " m (mesh.skin_elements, mesh.sizes).";
      note(text.str());
    }
    for (std::size_t s = 0; s < surfaces_->size(); ++s) {
      constexpr double large = 0.1; // of the radius: errors are of the order of half the ratio
      const double depth = surfaces_->skin_depth(s, now_.omega);
      quantities_.add("skin_depth." + surfaces_->name(s), depth, "m");
      if (depth <= large * surfaces_->mean_radius(s))
        continue;
      std::ostringstream text;
      text << std::setprecision(2) << "At " << io::number_text(frequency) << " Hz the skin depth behind '"
           << surfaces_->name(s) << "' is " << depth << " m, and the boundary is as long as a circle with the radius "
           << surfaces_->mean_radius(s)
           << " m: its impedance is that of a plane, which holds for skin depths below a tenth of the radius. Mesh the "
              "conductor instead.";
      note(text.str());
    }
  }

  std::size_t n_conductors_;
  std::vector<double> conductivity_;              // of each region, S/m
  std::vector<double> permeability_;              // relative
  std::vector<std::vector<std::size_t>> members_; // regions of each conductor
  std::unique_ptr<Conduction<ExecutionSpace>> conduction_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_; // of magnetostatics
  std::optional<ComplexCores<ExecutionSpace>> cores_;
  std::optional<SurfaceConductors<ExecutionSpace>> surfaces_;
  std::optional<SaturatedCores<ExecutionSpace>> iron_;
  Column last_; // with iron: the last solution
  Vector zero_;
  Column load_;                       // of the sources of magnetostatics
  Vector fixed_load_;                 // of conduction without voltages: minus M times the fixed values
  std::vector<Vector> drives_;        // of 1 V at each conductor: c
  std::vector<double> conductance_;   // of each conductor to direct current, S
  std::vector<Vector> coil_loads_;    // of 1 A in each coil that is driven
  std::vector<double> fixed_linkage_; // the integral of sigma e A over each conductor for the fixed values of A
  std::vector<Terminal> terminals_;   // conductors, then coils
  std::vector<std::size_t> driven_;   // terminals with a right-hand side
  std::map<std::string, std::map<double, Complex>> impedances_; // of V/I, by name and angular frequency
  FieldResponse field_;
  CircuitState state_;                 // of the terminals
  CircuitState circuit_;               // of the elements
  std::vector<Phasor> first_voltages_; // of the regions at the first frequency
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<HarmonicRun<ExecutionSpace>> make_eddy_currents(const ExecutionSpace& exec,
                                                                std::unique_ptr<Problem<ExecutionSpace>> problem,
                                                                const Plan& plan, Context& context, Results& results) {
  return std::make_unique<EddyCurrents<ExecutionSpace>>(exec, std::move(problem), plan, context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<HarmonicRun<SPACE>> make_eddy_currents<SPACE>(                                              \
      const SPACE&, std::unique_ptr<Problem<SPACE>>, const Plan&, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
