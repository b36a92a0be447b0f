// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/conduction.hpp"
#include "driver/harmonic/conductors.hpp"
#include "driver/harmonic/harmonic_run.hpp"
#include "driver/plan/quantity_list.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
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
      : Run(exec, std::move(problem), context, results), n_conductors_(options_.conductors.size()) {
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
    assembler_ = problem_->make_assembler(assembly_options(plan));
    problem_->excite(exec, {});
    system_.emplace(exec, *problem_, *assembler_, conduction_->assembler(), plan, HarmonicTraits{}, context.log);
    results.solve.n_matrix_entries = system_->n_matrix_entries();
    context.log.run("solver: right-hand sides", exec, [&] { make_loads(); });
    const double largest = *std::max_element(conductivity_.begin(), conductivity_.end());
    if (largest == 0.)
      context.notes.push_back("No region has a conductivity: there are no eddy currents, and the field is that of "
                              "magnetostatics at every instant.");
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
    re.insert(re.end(), im.begin(), im.end());
    return re;
  }

private:
  /// As many frequencies as fill a pack of columns.
  std::size_t n_at_once() const override {
    return std::max<std::size_t>(1, 4 / (1 + driven_.size() + coil_loads_.size()));
  }

  bool wants_impedances() const { return wants(input_, io::Quantity::inductance_matrix); }

  /// The sources with the given currents; 1 A in each conductor of given voltage; for a matrix of impedances 1 A in
  /// each conductor and coil. In all of them conductors have a current and no voltage. The fixed values are real.
  std::vector<Column> right_hand_sides(double omega) override {
    std::vector<Column> b{zero_column()};
    add_multiple(exec_, load_, 1., b[0]);
    add_multiple(exec_, {fixed_load_, zero_}, {0., omega}, b[0]);
    for (std::size_t k = 0; k < n_conductors_; ++k) // the voltage without the field of the unknowns, times c
      add_multiple(exec_, {drives_[k], zero_},
                   (given_current(k) + Complex(0., omega) * fixed_linkage_[k]) / conductance_[k], b[0]);
    for (const std::size_t k : driven_) {
      b.push_back(zero_column());
      add_multiple(exec_, {drives_[k], zero_}, 1. / conductance_[k], b.back());
    }
    for (const Vector& load : coil_loads_)
      b.push_back({load, zero_});
    return b;
  }

  /// The solution with the currents of all conductors, of which it computes those that are not given.
  Column solution_of(double omega, std::vector<Column>& x) override {
    add_conductors(omega, x);
    for (std::size_t j = 0; j < driven_.size(); ++j)
      if (options_.conductors[driven_[j]].has_voltage)
        add_multiple(exec_, x[1 + j], state_.current[driven_[j]], x[0]);
    return nodal_of(x[0], problem_->binding.fixed_values, zero_values());
  }

  Complex given_current(std::size_t k) const {
    const io::SolidConductor& conductor = options_.conductors[k];
    return conductor.has_voltage ? Complex() : phasor(conductor.value, conductor.phase);
  }

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
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      const std::string& name = options_.conductors[k].name.name;
      add_terminal(name, state_.voltage[k], state_.current[k]);
      by_terminals += factor * (state_.voltage[k] * std::conj(state_.current[k])).real();
    }
    for (std::size_t c = 0; c < options_.coils.size(); ++c) {
      const io::CoilInput& coil = options_.coils[c];
      const Complex induced = Complex(0., now_.omega) * linkage_of(now_.nodal, c);
      const Complex current = phasor(coil.current, coil.phase);
      add_terminal(coil.name.name, induced, current);
      by_terminals += factor * (induced * std::conj(current)).real();
    }
    const std::vector<double> squares =
        conduction_->squares(exec_, now_.nodal.re, now_.nodal.im, now_.omega, voltages_of_regions());
    if (wants(input_, io::Quantity::losses)) {
      double total = 0.;
      for (std::size_t r = 0; r < regions_.size(); ++r)
        if (conductivity_[r] != 0.) {
          quantities_.add("losses." + regions_[r], factor * squares[r], "W");
          total += factor * squares[r];
        }
      quantities_.add("losses", total, "W");
      if (only_terminals_feed())
        note(quantities_.add_balance(total, by_terminals));
    }
    if (wants(input_, io::Quantity::energy)) // the time average: half of that at the instant of the amplitude
      quantities_.add("energy",
                      factor * (problem_->energy(exec_, now_.nodal.re) + problem_->energy(exec_, now_.nodal.im)), "J");
    if (wants_impedances())
      add_impedances();
    add_forces_at();
    add_paths({{problem_.get(), 1.}});
    add_skin_depths(frequency, squares);
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
    for (std::size_t c = 0; c < options_.coils.size() && wants_impedances(); ++c) {
      std::vector<double> currents(options_.coils.size(), 0.);
      const Vector without = load_of(currents);
      currents[c] = 1.;
      coil_loads_.push_back(load_of(currents));
      add_multiple(exec_, {without, zero_}, -1., {coil_loads_.back(), zero_});
      exec_.fence();
    }
    problem_->excite(exec_, {});
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      conduction_->set_voltages(exec_, unit_voltage(k));
      conduction_->assembler().load(exec_);
      drives_.push_back(copy_of_load(exec_, conduction_->assembler()));
      add_multiple(exec_, {fixed_load_, zero_}, -1., {drives_.back(), zero_});
      conductance_.push_back(conduction_->conductance(exec_));
    }
    exec_.fence();
    const Column fixed = nodal_of(zero_column(), problem_->binding.fixed_values, zero_values());
    for (std::size_t k = 0; k < n_conductors_; ++k)
      fixed_linkage_.push_back(linkage_in(fixed, k).real());
    std::vector<solvers::Conductor> rows;
    for (std::size_t k = 0; k < n_conductors_; ++k) {
      const auto c = to_host(exec_, drives_[k]);
      rows.push_back({{}, {}, conductance_[k]});
      for (std::size_t i = 0; i < c.extent(0); ++i)
        if (c(i) != 0.) {
          rows.back().unknowns.push_back(static_cast<index_t>(i));
          rows.back().c.push_back(c(i));
        }
      if (options_.conductors[k].has_voltage || wants_impedances())
        driven_.push_back(k);
    }
    if (n_conductors_ > 0)
      system_->set_conductors(
          std::make_shared<solvers::ConductorRows<ExecutionSpace>>(exec_, rows, problem_->dofs.n_free));
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

  /// Voltages of all conductors, and linkages of the coils if there is a matrix, for all right-hand sides; then the
  /// state of the conductors.
  void add_conductors(double omega, const std::vector<Column>& x) {
    const std::size_t n = n_conductors_;
    const std::size_t m = driven_.size();
    std::vector<Complex> induced(n);
    std::vector<Complex> impedance(n * m);
    impedances_.assign(wants_impedances() ? (n + coil_loads_.size()) * (x.size() - 1) : 0, 0.);
    for (std::size_t l = 0; l < x.size() && n + coil_loads_.size() > 0; ++l) {
      const Column nodal = nodal_of(x[l], l == 0 ? problem_->binding.fixed_values : zero_values(), zero_values());
      for (std::size_t k = 0; k < n; ++k) {
        const Complex current = l == 0 ? given_current(k) : l <= m && driven_[l - 1] == k ? 1. : 0.;
        const Complex voltage = (current + Complex(0., omega) * linkage_in(nodal, k)) / conductance_[k];
        if (l == 0)
          induced[k] = voltage;
        else if (l <= m)
          impedance[k * m + l - 1] = voltage;
        if (l > 0 && wants_impedances())
          impedances_[k * (x.size() - 1) + l - 1] = voltage;
      }
      for (std::size_t c = 0; c < coil_loads_.size() && l > 0; ++c)
        impedances_[(n + c) * (x.size() - 1) + l - 1] = Complex(0., omega) * linkage_of(nodal, c);
    }
    state_ = solve_conductors(options_.conductors, driven_, impedance, induced);
  }

  /// The integral of sigma e A over a conductor.
  Complex linkage_in(const Column& nodal, std::size_t conductor) const {
    conduction_->set_voltages(exec_, unit_voltage(conductor));
    return {conduction_->linkage(exec_, nodal.re), conduction_->linkage(exec_, nodal.im)};
  }

  Complex linkage_of(const Column& nodal, std::size_t coil) const {
    return {problem_->flux_linkage(exec_, nodal.re, coil), problem_->flux_linkage(exec_, nodal.im, coil)};
  }

  void add_impedances() {
    std::vector<std::string> names;
    for (const io::SolidConductor& conductor : options_.conductors)
      names.push_back(conductor.name.name);
    for (const io::CoilInput& coil : options_.coils)
      names.push_back(coil.name.name);
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = 0; j < names.size(); ++j) {
        const Complex entry = impedances_[i * names.size() + j];
        quantities_.add("resistance." + names[i] + "." + names[j], entry.real(), "Ohm");
        quantities_.add("inductance." + names[i] + "." + names[j], entry.imag() / now_.omega, "H");
      }
  }

  /// Voltage, current and impedance of a conductor, or of a coil without the resistance of its wire.
  void add_terminal(const std::string& name, Complex voltage, Complex current) {
    quantities_.add_parts("voltage", name, voltage, "V");
    quantities_.add_parts("current", name, current, "A");
    if (current == 0.)
      return;
    const Complex impedance = voltage / current;
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

  void add_skin_depths(double frequency, const std::vector<double>& squares) {
    const std::vector<double> by_size =
        conduction_->squares_by_size(exec_, now_.nodal.re, now_.nodal.im, now_.omega, voltages_of_regions());
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (conductivity_[r] == 0.)
        continue;
      const double depth =
          std::sqrt(2. / (now_.omega * physics::vacuum_permeability * permeability_[r] * conductivity_[r]));
      quantities_.add("skin_depth." + regions_[r], depth, "m");
      const double size = squares[r] > 0. ? by_size[r] / squares[r] : 0.; // where the losses are
      if (size <= 0.5 * depth)
        continue;
      std::ostringstream text;
      text << std::setprecision(2) << "At " << io::number_text(frequency) << " Hz the skin depth of '" << regions_[r]
           << "' is " << depth << " m, but where its losses are, nodes are " << size
           << " m apart: currents near surfaces are resolved with at most half the skin depth between nodes there, "
           << 0.5 * depth << " m (mesh.sizes).";
      note(text.str());
    }
  }

  std::size_t n_conductors_;
  std::vector<double> conductivity_;              // of each region, S/m
  std::vector<double> permeability_;              // relative
  std::vector<std::vector<std::size_t>> members_; // regions of each conductor
  std::unique_ptr<Conduction<ExecutionSpace>> conduction_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_; // of magnetostatics
  Vector zero_;
  Column load_;                       // of the sources of magnetostatics
  Vector fixed_load_;                 // of conduction without voltages: minus M times the fixed values
  std::vector<Vector> drives_;        // of 1 V at each conductor: c
  std::vector<double> conductance_;   // of each conductor to direct current, S
  std::vector<Vector> coil_loads_;    // of 1 A in each coil, for a matrix of impedances
  std::vector<double> fixed_linkage_; // the integral of sigma e A over each conductor for the fixed values of A
  std::vector<std::size_t> driven_;   // conductors with a right-hand side of 1 A
  std::vector<Complex> impedances_;   // of all conductors, then coils, row by row; empty without a matrix
  ConductorState state_;
  std::vector<Phasor> first_voltages_; // of the regions at the first frequency
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_eddy_currents(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                   KeptRun* kept, Context& context, Results& results) {
  return make_harmonic_run<EddyCurrents<ExecutionSpace>>(exec, imported, binding, kept, context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Discretization<SPACE>> make_eddy_currents<SPACE>(                                           \
      const SPACE&, const io::ImportedMesh&, const ProblemBinding&, KeptRun*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
