// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/constants.hpp"
#include "core/transfer/read_entries.hpp"
#include "core/transfer/upload.hpp"
#include "driver/harmonic/harmonic_run.hpp"
#include "driver/plan/quantity_list.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace {

/// Losses of the regions of a mesh.
struct RegionLosses {
  std::vector<double> conductivity; ///< S/m
  std::vector<double> loss_tangent;

  RegionLosses(const std::vector<io::Material>& materials, const std::vector<std::string>& regions)
      : conductivity(regions.size(), 0.), loss_tangent(regions.size(), 0.) {
    for (const io::Material& material : materials) {
      const std::size_t region = positions_of({material.region}, regions).front();
      conductivity[region] = material.conductivity;
      loss_tangent[region] = material.loss_tangent;
    }
  }
  static bool any(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return value != 0.; });
  }
};

/// The binding of a term whose coefficients are isotropic constants of the regions.
ProblemBinding with_constants(ProblemBinding binding, const std::vector<double>& constants) {
  binding.problem.natural.clear();
  for (std::size_t r = 0; r < constants.size(); ++r) {
    physics::RegionData& region = binding.problem.regions[r];
    std::fill(region.coefficient.begin(), region.coefficient.end(), physics::Expression(1.));
    region.off_diagonal.clear();
    region.coefficient_factor = constants[r];
  }
  return binding;
}

/// The binding of a term whose coefficients are those of the regions times factors.
ProblemBinding with_factors(ProblemBinding binding, const std::vector<double>& factors) {
  binding.problem.natural.clear();
  for (std::size_t r = 0; r < factors.size(); ++r)
    binding.problem.regions[r].coefficient_factor *= factors[r];
  return binding;
}

/// div((sigma + omega eps tan delta + j omega eps) grad u) = 0: the sum of three terms, each of which is a problem on
/// the same unknowns with real coefficients. K is that of conduction and dielectric losses, M that of the permittivity.
template <class ExecutionSpace> class ElectroQuasistatics final : public HarmonicRun<ExecutionSpace> {
  using Run = HarmonicRun<ExecutionSpace>;
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
  using typename Run::Column;
  using typename Run::Complex;
  using typename Run::Vector;

  /// One of the terms.
  struct Term {
    const Problem<ExecutionSpace>* problem;
    Complex (*factor)(double omega);
    std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
    Column load; ///< minus the matrix times the fixed values; in that of conduction with the given currents
    std::vector<Vector> units; ///< the same for 1 V at one of the members of a matrix, without currents
  };

public:
  ElectroQuasistatics(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>> problem, const Plan& plan,
                      Context& context, Results& results)
      : Run(exec, std::move(problem), plan, context, results), losses_(options_.materials, regions_) {
    const ProblemBinding& binding = problem_->binding;
    conduction_ = problem_->with_coefficients(exec, with_constants(binding, losses_.conductivity));
    terms_.push_back({conduction_.get(), [](double) { return Complex(1.); }, {}, {}, {}});
    terms_.push_back({problem_.get(), [](double omega) { return Complex(0., omega); }, {}, {}, {}});
    if (RegionLosses::any(losses_.loss_tangent)) {
      dielectric_losses_ = problem_->with_coefficients(exec, with_factors(binding, losses_.loss_tangent));
      terms_.push_back({dielectric_losses_.get(), [](double omega) { return Complex(omega); }, {}, {}, {}});
    }
    set_values();
    set_members();
    zero_ = zero_column().re;
    for (Term& term : terms_)
      term.assembler = term.problem->make_assembler(assembly_options(plan));
    const double lowest = *std::min_element(options_.frequencies.begin(), options_.frequencies.end());
    const HarmonicTraits traits{solvers::ResidualNorm::diagonal, 2. * pi * lowest, has_dielectric_losses()};
    system_.emplace(exec, *problem_, distribution_->unknowns(), *terms_[0].assembler, *terms_[1].assembler, plan,
                    traits, context.log);
    results.solve.n_matrix_entries = system_->n_matrix_entries();
    if (has_dielectric_losses())
      context.log.run("assembly: numeric", exec, [&] {
        terms_[2].assembler->symbolic(exec);
        terms_[2].assembler->numeric(exec);
      });
    context.log.run("solver: right-hand sides", exec, [&] { make_loads(); });
  }

  std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points,
                                             bool recovered) const override {
    std::vector<physics::PointValue> re, im;
    for (const Term& term : terms_) {
      const std::vector<physics::PointValue> of_re = term.problem->values_at(exec_, first_.nodal.re, points, recovered);
      const std::vector<physics::PointValue> of_im = term.problem->values_at(exec_, first_.nodal.im, points, recovered);
      const Complex factor = term.factor(first_.omega);
      if (re.empty()) {
        re = of_re;
        im = of_im;
      }
      for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t d = 0; d < 3; ++d) {
          const Complex flux = factor * Complex(of_re[i].flux[d], of_im[i].flux[d]);
          re[i].flux[d] = flux.real() + (&term == terms_.data() ? 0. : re[i].flux[d]);
          im[i].flux[d] = flux.imag() + (&term == terms_.data() ? 0. : im[i].flux[d]);
        }
    }
    re.insert(re.end(), im.begin(), im.end());
    return re;
  }

private:
  bool has_dielectric_losses() const { return terms_.size() > 2; }

  /// With dielectric losses K depends on the frequency.
  std::size_t n_at_once() const override {
    return has_dielectric_losses() ? 1 : std::max<std::size_t>(1, 4 / (1 + members_.size()));
  }

  /// The values and totals of the constraints, as real and imaginary parts.
  void set_values() {
    for (std::size_t c = 0; c < problem_->binding.constraints.size(); ++c) {
      const fe::Constraint& constraint = problem_->binding.constraints[c];
      const physics::Expression& value = problem_->binding.fixed_values[c];
      const double phase = phase_of(problem_->binding.constraint_names[c]);
      TESSERA_REQUIRE(phase == 0. || value.is_constant(),
                      constraint.where << ": a phase needs a constant potential, not an expression.");
      const Complex phased = value.is_constant() ? phasor(value.value(), phase) : Complex(1.);
      re_values_.push_back(value.is_constant() ? physics::Expression(phased.real()) : value);
      im_values_.emplace_back(value.is_constant() ? phased.imag() : 0.);
      if (constraint.is_tied) {
        re_totals_.push_back(phasor(constraint.total, phase).real());
        im_totals_.push_back(phasor(constraint.total, phase).imag());
      }
    }
  }
  double phase_of(const std::string& group) const {
    for (const io::Boundary& boundary : options_.boundaries)
      if (boundary.group.name == group)
        return boundary.phase;
    return 0.;
  }

  void make_loads() {
    for (Term& term : terms_) {
      const bool has_totals = &term == terms_.data();
      const auto load = [&](const std::vector<physics::Expression>& values, std::vector<double> totals) {
        Excitation excitation;
        excitation.fixed_values = values;
        problem_->excite(exec_, excitation);
        if (!has_totals)
          std::fill(totals.begin(), totals.end(), 0.);
        upload(exec_, problem_->dofs.tied_totals, totals);
        term.assembler->load(exec_);
        return copy_of_load(exec_, *term.assembler);
      };
      term.load = {load(re_values_, re_totals_), load(im_values_, im_totals_)};
      for (const std::size_t member : members_)
        term.units.push_back(load(unit_values(member), std::vector<double>(re_totals_.size(), 0.)));
    }
    problem_->excite(exec_, {});
    exec_.fence();
  }

  /// Finds the conductors of a matrix of admittances.
  void set_members() {
    if (!wants(input_, io::Quantity::capacitance_matrix))
      return;
    const std::vector<std::string>& names = problem_->binding.constraint_names;
    for (const std::string& name : io::matrix_conductors(options_, input_.output)) {
      const auto c = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
      if (c < names.size() && !problem_->binding.constraints[c].is_tied)
        members_.push_back(c);
    }
  }

  /// 1 V at a constraint and 0 V at the others.
  std::vector<physics::Expression> unit_values(std::size_t constraint) const {
    std::vector<physics::Expression> values = zero_values();
    values[constraint] = physics::Expression(1.);
    return values;
  }

  /// Conductances and capacitances: the currents of all members at 1 V at one of them.
  void add_admittances() {
    const std::vector<Conductor>& conductors = problem_->binding.conductors;
    std::vector<std::vector<Complex>> columns;
    for (std::size_t j = 0; j < members_.size(); ++j)
      columns.push_back(currents_of_constraints(nodal_of(units_[j], unit_values(members_[j]), zero_values())));
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (std::size_t j = 0; j < members_.size(); ++j) {
        const std::string end = conductors[members_[i]].name + "." + conductors[members_[j]].name;
        const Complex admittance = columns[j][members_[i]];
        quantities_.add("conductance." + end, admittance.real(), "S");
        quantities_.add("capacitance." + end, admittance.imag() / now_.omega, "F");
      }
  }

  void set_frequency(double omega) override {
    if (has_dielectric_losses())
      context_.log.run("solver: set-up", exec_, [&] {
        system_->set_terms(exec_, {{omega, terms_[2].assembler->matrix()->values}}, {});
      });
  }

  std::vector<Column> right_hand_sides(double omega) override {
    std::vector<Column> b(1 + members_.size());
    for (std::size_t c = 0; c < b.size(); ++c) {
      b[c] = zero_column();
      for (const Term& term : terms_)
        add_multiple(exec_, c == 0 ? term.load : Column{term.units[c - 1], zero_}, term.factor(omega), b[c]);
    }
    return b;
  }

  Column solution_of(double omega, std::vector<Column>& x) override {
    const index_t n_tied = problem_->dofs.n_tied();
    floating_.clear();
    for (index_t t = 0; t < n_tied; ++t) {
      const auto at = static_cast<std::int64_t>(problem_->dofs.n_regular + t);
      floating_.emplace_back(read_entry(exec_, x[0].re, at), read_entry(exec_, x[0].im, at));
    }
    units_.assign(x.begin() + 1, x.end());
    carry_values(omega);
    return nodal_of(x[0], re_values_, im_values_);
  }

  /// Inflows of all terms are summed over the same nodes: those of conductors that are good at this frequency.
  void carry_values(double omega) {
    std::vector<double> sizes;
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const physics::RegionData& region = problem_->binding.problem.regions[r];
      double permittivity = region.coefficient_factor; // of varying ones any value does, as conductors are 1e3 better
      if (region.coefficient.front().is_constant())
        permittivity *= region.coefficient.front().value();
      sizes.push_back(losses_.conductivity[r] + omega * permittivity * (1. + losses_.loss_tangent[r]));
    }
    const auto carried =
        problem_->with_coefficients(exec_, with_constants(problem_->binding, sizes))->carried_values(exec_);
    for (Problem<ExecutionSpace>* problem : {problem_.get(), conduction_.get(), dielectric_losses_.get()})
      if (problem != nullptr)
        problem->set_carried_values(carried);
  }

  PhasorField written_flux() const override {
    PhasorField field{problem_->summary.dimension, {}};
    const double sign = io::traits_of(options_).flux_sign;
    for (const Term& term : terms_) {
      const Complex factor = term.factor(first_.omega);
      const auto re = term.problem->vector_field(exec_, first_.nodal.re, VectorField::element_flux, sign);
      const auto im = term.problem->vector_field(exec_, first_.nodal.im, VectorField::element_flux, sign);
      for (std::vector<double>& part : field.parts)
        part.resize(re.size(), 0.);
      for (std::size_t i = 0; i < re.size(); ++i) {
        const Complex flux = factor * Complex(re.data()[i], im.data()[i]);
        field.parts[0][i] += flux.real();
        field.parts[1][i] += flux.imag();
      }
    }
    return field;
  }

  void add_quantities_at(double /*frequency*/) override {
    const double factor = average_factor(options_.phasors);
    const std::vector<Conductor>& conductors = problem_->binding.conductors;
    const std::vector<Complex> currents = currents_of_constraints(now_.nodal);
    const std::vector<Complex> voltages = voltages_of_constraints();
    double by_terminals = 0.;
    double apparent_power = 0.;
    for (std::size_t c = 0; c < conductors.size(); ++c) {
      if (has_one_value(c))
        quantities_.add_parts("voltage", conductors[c].name, voltages[c], "V");
      quantities_.add_parts("current", conductors[c].name, currents[c], "A");
      const Complex power = factor * voltages[c] * std::conj(currents[c]);
      by_terminals += power.real();
      apparent_power += std::abs(power);
    }
    if (!members_.empty())
      add_admittances();
    if (wants(input_, io::Quantity::capacitance))
      add_pair(currents, voltages);
    if (wants(input_, io::Quantity::losses))
      add_losses(by_terminals, apparent_power);
    if (wants(input_, io::Quantity::energy)) {
      const std::vector<double> in_field = squares(*problem_);
      for (std::size_t r = 0; r < regions_.size(); ++r)
        quantities_.add("energy." + regions_[r], 0.5 * factor * in_field[r], "J");
      quantities_.add("energy",
                      factor * (problem_->energy(exec_, now_.nodal.re) + problem_->energy(exec_, now_.nodal.im)), "J");
    }
    add_forces_at();
    std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>> terms;
    for (const Term& term : terms_)
      terms.emplace_back(term.problem, term.factor(now_.omega));
    Run::add_regions(terms);
    add_paths(terms);
  }

  /// The integral of coefficient |grad u|^2 over each region.
  std::vector<double> squares(const Problem<ExecutionSpace>& problem) const {
    std::vector<double> squares(regions_.size(), 0.);
    for (const Vector* part : {&now_.nodal.re, &now_.nodal.im}) {
      const std::vector<physics::RegionValues> values = problem.region_values(exec_, *part);
      for (std::size_t r = 0; r < squares.size(); ++r)
        squares[r] += 2. * values[r].energy;
    }
    return squares;
  }

  void add_losses(double by_terminals, double apparent_power) {
    const double factor = average_factor(options_.phasors);
    const std::vector<double> ohmic = squares(*conduction_);
    const std::vector<double> dielectric =
        has_dielectric_losses() ? squares(*dielectric_losses_) : std::vector<double>(regions_.size(), 0.);
    std::array<double, 2> totals{};
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const std::array<double, 2> losses{factor * ohmic[r], factor * now_.omega * dielectric[r]};
      for (std::size_t kind = 0; kind < 2; ++kind) {
        totals[kind] += losses[kind];
        const bool is_there = (kind == 0 ? losses_.conductivity[r] : losses_.loss_tangent[r]) != 0.;
        if (is_there && has_dielectric_losses())
          quantities_.add((kind == 0 ? "ohmic_losses." : "dielectric_losses.") + regions_[r], losses[kind], "W");
      }
      if (losses_.conductivity[r] != 0. || losses_.loss_tangent[r] != 0.)
        quantities_.add("losses." + regions_[r], losses[0] + losses[1], "W");
    }
    quantities_.add("losses", totals[0] + totals[1], "W");
    bool has_values = true; // of all conductors
    for (std::size_t c = 0; c < problem_->binding.conductors.size(); ++c)
      has_values = has_values && has_one_value(c);
    if (has_values && io::value_at_infinity(options_).value_or(0.) == 0.)
      note(quantities_.add_balance(totals[0] + totals[1], by_terminals, apparent_power));
  }

  bool has_one_value(std::size_t c) const {
    return problem_->binding.constraints[c].is_tied || problem_->binding.fixed_values[c].is_constant();
  }

  /// Currents into the domain.
  std::vector<Complex> currents_of_constraints(const Column& nodal) const {
    std::vector<Complex> currents(problem_->binding.constraints.size());
    for (const Term& term : terms_) {
      const std::vector<double> re = term.problem->totals(exec_, nodal.re).inflow;
      const std::vector<double> im = term.problem->totals(exec_, nodal.im).inflow;
      for (std::size_t c = 0; c < currents.size(); ++c)
        currents[c] += term.factor(now_.omega) * Complex(re[c], im[c]);
    }
    return currents;
  }

  /// Zero where a potential varies.
  std::vector<Complex> voltages_of_constraints() const {
    std::vector<Complex> voltages;
    std::size_t next = 0;
    for (std::size_t c = 0; c < problem_->binding.constraints.size(); ++c)
      if (problem_->binding.constraints[c].is_tied)
        voltages.push_back(floating_[next++]);
      else
        voltages.emplace_back(has_one_value(c) ? Complex(re_values_[c].value(), im_values_[c].value()) : Complex());
    return voltages;
  }

  /// Capacitance, conductance and loss tangent between two conductors, or one and infinity: from the current of the
  /// first.
  void add_pair(const std::vector<Complex>& currents, const std::vector<Complex>& voltages) {
    const std::vector<Conductor>& conductors = problem_->binding.conductors;
    std::vector<std::size_t> pair;
    for (const io::GroupName& group : input_.output.conductors)
      for (std::size_t c = 0; c < conductors.size(); ++c)
        if (group.name == conductors[c].name)
          pair.push_back(c);
    for (std::size_t c = 0; c < conductors.size() && input_.output.conductors.empty(); ++c)
      pair.push_back(c);
    const Complex other = pair.size() > 1 ? voltages[pair[1]] : Complex(io::value_at_infinity(options_).value_or(0.));
    const Complex admittance = currents[pair.at(0)] / (voltages[pair[0]] - other);
    quantities_.add("capacitance", admittance.imag() / now_.omega, "F");
    quantities_.add("conductance", admittance.real(), "S");
    quantities_.add("loss_tangent", admittance.real() / admittance.imag(), "");
    if (pair.size() > 1 && std::abs(currents[pair[0]] + currents[pair[1]]) > 1e-3 * std::abs(currents[pair[0]]))
      note("capacitance and conductance: the currents of '" + conductors[pair[0]].name + "' and '" +
           conductors[pair[1]].name +
           "' do not add up to zero: other boundaries or the space outside contribute. They " +
           "are those of the current of '" + conductors[pair[0]].name + "', not properties of this pair only.");
  }

  RegionLosses losses_;
  std::unique_ptr<Problem<ExecutionSpace>> conduction_;
  std::unique_ptr<Problem<ExecutionSpace>> dielectric_losses_; // per angular frequency; null: none
  std::vector<Term> terms_;          // of conduction, of the permittivity, of dielectric losses if there are any
  std::vector<std::size_t> members_; // of a matrix of admittances, as constraints
  std::vector<Column> units_;        // solutions for 1 V at each of them
  Vector zero_;
  std::vector<physics::Expression> re_values_, im_values_; // of the constraints, V
  std::vector<double> re_totals_, im_totals_;              // of the floating ones, A
  std::vector<Complex> floating_;                          // their potentials, V
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<HarmonicRun<ExecutionSpace>>
make_electro_quasistatics(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>> problem,
                          const Plan& plan, Context& context, Results& results) {
  return std::make_unique<ElectroQuasistatics<ExecutionSpace>>(exec, std::move(problem), plan, context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<HarmonicRun<SPACE>> make_electro_quasistatics<SPACE>(                                       \
      const SPACE&, std::unique_ptr<Problem<SPACE>>, const Plan&, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
