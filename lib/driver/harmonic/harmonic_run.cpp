// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_run.hpp"

#include "core/algorithms/reduce.hpp"
#include "driver/evaluation/forces.hpp"
#include "driver/evaluation/paths/lines.hpp"
#include "driver/evaluation/paths/surfaces.hpp"
#include "driver/evaluation/system_files.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/solution/run_plan.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>

namespace tessera::driver {

namespace {

template <class Space> struct SumOfParts {
  Array<const double*, Space> re, im;
  Array<double*, Space> sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sum(i) = re(i) + im(i); }
};

/// Terms of u^T v.
template <class Space> struct ProductOfColumns {
  Array<const double*, Space> u_re, u_im, v_re, v_im;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    term[0] = u_re(i) * v_re(i) - u_im(i) * v_im(i);
    term[1] = u_re(i) * v_im(i) + u_im(i) * v_re(i);
  }
};

solvers::SolverStatus status_of(solvers::CocgStatus status) {
  switch (status) {
  case solvers::CocgStatus::converged:
    return solvers::SolverStatus::converged;
  case solvers::CocgStatus::inaccurate:
    return solvers::SolverStatus::inaccurate;
  case solvers::CocgStatus::max_iterations:
    return solvers::SolverStatus::max_iterations;
  case solvers::CocgStatus::stagnated:
  case solvers::CocgStatus::non_finite:
    break;
  }
  return solvers::SolverStatus::breakdown;
}

} // namespace

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

template <class ExecutionSpace>
HarmonicRun<ExecutionSpace>::HarmonicRun(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>> problem,
                                         const Plan& plan, Context& context, Results& results)
    : exec_(exec), context_(context), input_(context.input), options_(input_.problem), problem_(std::move(problem)),
      regions_(problem_->summary.region_names), quantities_(options_) {
  results.problem = problem_->summary;
  results.processes = distribute(exec, context.world, input_.execution.messages, *problem_, plan.reproducible,
                                 context.log, transport_, distribution_);
  results.findings.add_facts("", {{"phasors", convention_of(options_.phasors)}});
  check_bodies(exec, *problem_, input_);
  check_lines(exec, *problem_, input_);
  check_surfaces(exec, *problem_, input_);
}

template <class ExecutionSpace> bool HarmonicRun<ExecutionSpace>::solve(Results& results) {
  const std::size_t n = options_.frequencies.size();
  const bool by_model = options_.sweep.reduced;
  const std::size_t n_packs = by_model ? n : (n + n_at_once() - 1) / n_at_once();
  if (by_model)
    make_model(results);
  // The frequencies of a pack are far apart, so that those of the next ones lie between solutions.
  for (std::size_t first = 0; first < n_packs; ++first) {
    std::vector<std::size_t> pack;
    for (std::size_t f = first; f < n; f += n_packs)
      pack.push_back(f);
    std::vector<std::vector<Column>> x;
    if (by_model)
      x.push_back(of_model(first));
    else
      x = solve_pack(pack, first + 1 == n_packs, results);
    for (std::size_t i = 0; i < pack.size(); ++i) {
      const double frequency = options_.frequencies[pack[i]];
      context_.log.run("solution", exec_, [&] {
        now_.omega = 2. * pi * frequency;
        now_.nodal = solution_of(now_.omega, x[i]);
      });
      x[i].clear();
      if (found)
        found(pack[i], now_.nodal);
      if (pack[i] == 0) {
        first_ = now_;
        keep_state();
      }
      quantities_.begin(pack[i]);
      keep_failure(context_.world, results,
                   [&] { context_.log.run("quantities", exec_, [&] { add_quantities_at(frequency); }); });
    }
  }
  results.iterations -= results.solve.solver.iterations(); // which a step adds
  const solvers::PcgResult& linear = results.solve.solver.linear;
  results.histories.push_back({"solution", 1, 1, io::relative_residuals(linear.history, linear.rhs_norm)});
  return true;
}

template <class ExecutionSpace>
std::vector<ComplexVector<ExecutionSpace>> HarmonicRun<ExecutionSpace>::of_model(std::size_t frequency) {
  std::vector<Column> x = std::move(compared_[frequency]);
  if (x.empty())
    context_.log.run("solver: reduced model", exec_, [&] {
      const double omega = 2. * pi * options_.frequencies[frequency];
      for (const Column& b : right_hand_sides(omega))
        x.push_back(system_->from_model(exec_, omega, b));
    });
  return x;
}

template <class ExecutionSpace> void HarmonicRun<ExecutionSpace>::make_model(Results& results) {
  constexpr double allowed = 1e-4;
  const io::FrequencySweep& sweep = options_.sweep;
  const auto add_solutions = [&](const std::vector<double>& parts) { // of the range's logarithm
    std::vector<double> omegas;
    std::vector<Column> b, x;
    for (const double part : parts) {
      const double omega = 2. * pi * sweep.from * std::pow(sweep.to / sweep.from, part);
      for (const Column& column : right_hand_sides(omega)) {
        b.push_back(column);
        omegas.push_back(omega);
      }
    }
    for (const solvers::CocgResult& outcome : system_->solve(exec_, omegas, b, true, x))
      add_outcome(results, omegas.front() / (2. * pi), outcome);
  };
  const std::size_t n = options_.frequencies.size();
  const auto frequency_at = [&](double part) {
    return static_cast<std::size_t>(part * static_cast<double>(n - 1) + 0.5);
  };
  double error = 0.;
  context_.log.run("solver: reduced model", exec_, [&] {
    // 12 frequencies and 8 comparisons, which lie between them.
    system_->start_model(static_cast<int>(20 * right_hand_sides(2. * pi * sweep.from).size()));
    add_solutions({0., 2. / 7., 5. / 7., 1.});
    add_solutions({1. / 7., 3. / 7., 4. / 7., 6. / 7.});
    error = compare_model({0, frequency_at(1. / 14.), frequency_at(0.5), frequency_at(13. / 14.)}, results);
    if (error > 0.1 * allowed) {
      add_solutions({1. / 14., 5. / 14., 9. / 14., 13. / 14.});
      error = compare_model({frequency_at(0.1), frequency_at(0.4), frequency_at(0.6), frequency_at(0.9)}, results);
    }
  });
  results.findings.add_facts("solver.reduced_model", {{"error", error}});
  std::ostringstream text;
  text << std::setprecision(2) << "The reduced model of the frequencies differs from solutions at some of them by "
       << error << " of resistances and reactances.";
  TESSERA_REQUIRE_KIND(error <= allowed, ErrorKind::numerical,
                       text.str() << " Solve at each frequency instead: problem.sweep: {method: direct}.");
  note(text.str());
}

template <class ExecutionSpace>
double HarmonicRun<ExecutionSpace>::compare_model(const std::vector<std::size_t>& frequencies, Results& results) {
  constexpr double negligible = 1e-6; // part of a complex number
  std::vector<std::size_t> taken;     // those that are new
  std::vector<Column> b, modelled, x;
  std::vector<double> omegas;
  for (const std::size_t f : frequencies) {
    if (compared_.count(f) != 0)
      continue;
    compared_[f].clear();
    taken.push_back(f);
    const double omega = 2. * pi * options_.frequencies[f];
    for (const Column& column : right_hand_sides(omega)) {
      b.push_back(column);
      modelled.push_back(system_->from_model(exec_, omega, column));
      omegas.push_back(omega);
    }
  }
  if (b.empty())
    return 0.;
  for (const solvers::CocgResult& outcome : system_->solve(exec_, omegas, b, true, x))
    add_outcome(results, omegas.front() / (2. * pi), outcome);
  const auto n_unknowns = static_cast<std::int64_t>(b[0].re.extent(0));
  const ReduceWorkspace<ExecutionSpace> workspace(exec_, n_unknowns, 2);
  const auto sums = make_array<Vector>(exec_, "driver::products", 4 * b.size());
  const auto product = [&](const Column& u, const Column& v, std::size_t at) {
    ordered_sums<2>("tessera::driver::product_of_columns", exec_, n_unknowns,
                    ProductOfColumns<Space>{u.re, u.im, v.re, v.im}, workspace, sums.data() + 2 * at);
  };
  for (std::size_t c = 0; c < b.size(); ++c) {
    product(b[c], x[c], 2 * c);
    product(b[c], modelled[c], 2 * c + 1);
  }
  const auto products = to_host(exec_, sums);
  double error = 0.;
  for (std::size_t c = 0; c < b.size(); ++c) {
    const Complex exact(products(4 * c), products(4 * c + 1));
    const Complex difference = Complex(products(4 * c + 2), products(4 * c + 3)) - exact;
    const double least = negligible * std::abs(exact);
    if (least > 0.)
      error = std::max({error, std::fabs(difference.real()) / std::max(std::fabs(exact.real()), least),
                        std::fabs(difference.imag()) / std::max(std::fabs(exact.imag()), least)});
  }
  const std::size_t n = x.size() / taken.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    compared_[taken[i / n]].push_back(x[i]);
  return error;
}

/// Solves at some of the frequencies; returns the columns of each.
template <class ExecutionSpace>
std::vector<std::vector<ComplexVector<ExecutionSpace>>>
HarmonicRun<ExecutionSpace>::solve_pack(const std::vector<std::size_t>& pack, bool is_last, Results& results) {
  std::vector<Column> b;
  std::vector<double> omegas;
  set_frequency(2. * pi * options_.frequencies[pack.front()]);
  context_.log.run("solver: right-hand sides", exec_, [&] {
    for (const std::size_t f : pack) {
      const double omega = 2. * pi * options_.frequencies[f];
      for (const Column& column : right_hand_sides(omega))
        b.push_back(column);
      omegas.resize(b.size(), omega);
    }
  });
  std::vector<Column> x;
  const std::vector<solvers::CocgResult> outcomes = solve_columns(omegas, b, !is_last, x, results);
  std::vector<std::vector<Column>> columns;
  const std::size_t n = x.size() / pack.size();
  const std::size_t n_outcomes = outcomes.size() / pack.size();
  for (std::size_t i = 0; i < pack.size(); ++i) {
    columns.emplace_back();
    for (std::size_t c = i * n; c < (i + 1) * n; ++c)
      columns.back().push_back(x[c]);
    for (std::size_t c = i * n_outcomes; c < (i + 1) * n_outcomes; ++c)
      add_outcome(results, options_.frequencies[pack[i]], outcomes[c]);
  }
  return columns;
}

template <class ExecutionSpace>
std::vector<solvers::CocgResult> HarmonicRun<ExecutionSpace>::solve_columns(const std::vector<double>& omegas,
                                                                            const std::vector<Column>& b, bool keeps,
                                                                            std::vector<Column>& x, Results&) {
  std::vector<solvers::CocgResult> outcomes;
  context_.log.run("solver: cocg", exec_, [&] { outcomes = system_->solve(exec_, omegas, b, keeps, x); });
  return outcomes;
}

/// Keeps the outcome that is worst.
template <class ExecutionSpace>
void HarmonicRun<ExecutionSpace>::add_outcome(Results& results, double frequency, const solvers::CocgResult& outcome) {
  solvers::PcgResult& kept = results.solve.solver.linear;
  results.iterations += outcome.iterations;
  const bool has_converged = outcome.status == solvers::CocgStatus::converged;
  const bool is_worse =
      is_first_ || (results.solve.solver.converged() && (!has_converged || outcome.iterations > kept.iterations));
  if (!is_worse)
    return;
  is_first_ = false;
  kept.status = status_of(outcome.status);
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

template <class ExecutionSpace> void HarmonicRun<ExecutionSpace>::write_fields(const io::OutputDirectory* output) {
  write_harmonic_fields<ExecutionSpace>(
      exec_, *problem_, {first_.nodal.re, first_.nodal.im}, [&] { return written_flux(); }, input_, output);
}

template <class ExecutionSpace> void HarmonicRun<ExecutionSpace>::write_matrix(const io::OutputDirectory& output) {
  const double omega = 2. * pi * options_.frequencies.front();
  set_frequency(omega);
  const Column b = right_hand_sides(omega).front(); // those after it are responses to unit currents and voltages
  const solvers::ShiftedMatrix<Space>& matrix = system_->matrix();
  write_system<ExecutionSpace>(exec_, matrix.k, matrix.m, omega, b.re, b.im, input_, output);
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace>
HarmonicRun<ExecutionSpace>::nodal_of(const Column& unknowns, const std::vector<physics::Expression>& fixed_re,
                                      const std::vector<physics::Expression>& fixed_im) const {
  const auto n = static_cast<std::size_t>(problem_->n_space_nodes);
  const auto are_zero = [](const std::vector<physics::Expression>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](const auto& value) { return value.is_constant() && value.value() == 0.; });
  };
  const bool stay = are_zero(problem_->binding.fixed_values) && are_zero(fixed_re) && are_zero(fixed_im);
  const auto expanded = [&](const Vector& part, const std::vector<physics::Expression>& fixed) {
    const auto nodal = make_array<Vector>(exec_, "driver::nodal_part", n);
    Excitation excitation;
    excitation.fixed_values = fixed;
    if (!stay)
      problem_->excite(exec_, excitation);
    fe::expand(exec_, problem_->dofs, linalg::ConstVector<ExecutionSpace>(part), nodal);
    return nodal;
  };
  const Column nodal{expanded(unknowns.re, fixed_re), expanded(unknowns.im, fixed_im)};
  if (!stay)
    problem_->excite(exec_, {});
  exec_.fence();
  return nodal;
}

template <class ExecutionSpace> ComplexVector<ExecutionSpace> HarmonicRun<ExecutionSpace>::zero_column() const {
  const auto n = static_cast<std::size_t>(problem_->dofs.n_free);
  return {make_filled<Vector>(exec_, "driver::column_re", n, 0.),
          make_filled<Vector>(exec_, "driver::column_im", n, 0.)};
}

template <class ExecutionSpace> void HarmonicRun<ExecutionSpace>::add_forces_at() {
  if (!wants(input_, io::Quantity::force) && !wants(input_, io::Quantity::torque))
    return;
  const Column& nodal = now_.nodal;
  const double factor = average_factor(options_.phasors);
  const auto sum = make_array<Vector>(exec_, "driver::nodal_sum", nodal.re.extent(0));
  for_each("tessera::driver::sum_of_parts", exec_, static_cast<std::int64_t>(sum.extent(0)),
           SumOfParts<Space>{nodal.re, nodal.im, sum});
  Results forces;
  add_forces<ExecutionSpace>(
      exec_, *problem_, input_, {"", "_amplitude"},
      [&](const auto& weight, const auto& about) {
        const auto load = [&](const Vector& values) { return problem_->body_load(exec_, values, weight, about); };
        const physics::BodyLoad re = load(nodal.re);
        const physics::BodyLoad im = load(nodal.im);
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
    quantities_.add(force.name, force.value, force.unit);
  for (const std::string& text : forces.notes)
    note(text);
  TESSERA_REQUIRE(forces.failures.empty(), io::joined(forces.failures));
}

template <class ExecutionSpace>
void HarmonicRun<ExecutionSpace>::add_regions(
    const std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>>& terms) {
  if (!wants(input_, io::Quantity::regions))
    return;
  const io::PhysicsTraits& traits = io::traits_of(options_);
  const std::vector<physics::RegionPhasors> values = problem_->region_phasors(exec_, now_.nodal.re, now_.nodal.im);
  std::vector<std::array<Complex, 3>> fluxes(values.size());
  for (const auto& [problem, factor] : terms) {
    const auto of_term = problem->region_phasors(exec_, now_.nodal.re, now_.nodal.im);
    for (std::size_t r = 0; r < values.size(); ++r)
      for (std::size_t d = 0; d < 3; ++d)
        fluxes[r][d] += factor * of_term[r].flux[d];
  }
  const char* const axes = io::has_flux_function(options_) ? "rz" : "xyz";
  const auto n_components = static_cast<std::size_t>(problem_->summary.dimension);
  const std::string field = std::string("mean_") + traits.gradient.name;
  const std::string flux = std::string("mean_") + traits.flux.name + "_";
  for (std::size_t r = 0; r < values.size(); ++r) {
    const physics::RegionPhasors& of = values[r];
    const std::string& region = regions_[r];
    const double per_volume = of.measure > 0. ? 1. / of.measure : 0.;
    quantities_.add("volume." + region, of.measure, "m^3");
    if (!problem_->binding.magnetic)
      quantities_.add_parts(std::string("mean_") + traits.solution.name, region, per_volume * of.value,
                            traits.solution.unit);
    for (std::size_t d = 0; d < n_components; ++d)
      quantities_.add_parts(field + "_" + axes[d], region, traits.gradient_sign * per_volume * of.field[d],
                            traits.gradient.unit);
    quantities_.add(field + "_magnitude." + region, per_volume * of.field_magnitude, traits.gradient.unit);
    for (std::size_t d = 0; d < n_components && !terms.empty(); ++d)
      quantities_.add_parts(flux + axes[d], region, traits.flux_sign * per_volume * fluxes[r][d], traits.flux.unit);
  }
}

template <class ExecutionSpace>
void HarmonicRun<ExecutionSpace>::add_paths(
    const std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>>& terms) {
  const io::Physics physics = options_.physics;
  const std::string along = io::name_of(io::PathQuantity::along, physics) + ".";
  const std::string flux = io::name_of(io::PathQuantity::flux, physics) + ".";
  const bool is_magnetic = problem_->binding.magnetic.has_value(); // H depends on the coefficients, B does not
  std::vector<QuantityValue> integrals;                            // in order
  std::map<std::string, Complex> sums;
  for (const auto& [problem, factor] : terms)
    for (const bool is_real : {true, false}) {
      const Vector& part = is_real ? now_.nodal.re : now_.nodal.im;
      Solution<ExecutionSpace> solution;
      solution.nodal = part;
      Results results;
      if (!input_.output.lines.empty())
        add_lines(exec_, *problem, input_, solution, results);
      if (!input_.output.surfaces.empty()) {
        std::vector<double> totals(problem->binding.constraints.size(), 0.);
        if (!problem->binding.magnetic)
          totals = problem->totals(exec_, part).inflow;
        add_surfaces(exec_, *problem, input_, solution, totals, results);
      }
      const bool is_first = problem == terms.front().first;
      for (const QuantityValue& value : results.findings.numbers({"quantities"})) {
        const std::string name = value.name;
        const bool is_flux = name.rfind(flux, 0) == 0;
        const bool is_along = name.rfind(along, 0) == 0;
        if (is_first && is_real && (is_flux || is_along))
          integrals.push_back(value);
        const bool has_factor = is_magnetic ? is_along : is_flux;
        if (has_factor || (is_first && (is_along || is_flux)))
          sums[name] += (has_factor ? factor : Complex(1.)) * (is_real ? Complex(1.) : Complex(0., 1.)) * value.value;
        else if (is_first && is_real && (name.rfind("length.", 0) == 0 || name.rfind("area.", 0) == 0))
          quantities_.add(name, value.value, value.unit);
      }
      for (const std::string& text : results.notes)
        note(text);
    }
  for (const QuantityValue& integral : integrals) {
    const std::string name = integral.name;
    const std::size_t dot = name.find('.');
    quantities_.add_phasor(name.substr(0, dot), name.substr(dot + 1), sums[name], integral.unit);
  }
}

template <class ExecutionSpace> void HarmonicRun<ExecutionSpace>::note(const std::string& text) {
  if (!text.empty() && std::find(context_.notes.begin(), context_.notes.end(), text) == context_.notes.end())
    context_.notes.push_back(text);
}

template <class ExecutionSpace>
std::unique_ptr<HarmonicRun<ExecutionSpace>> make_harmonic_run(const ExecutionSpace& exec,
                                                               std::unique_ptr<Problem<ExecutionSpace>> problem,
                                                               const Plan& plan, Context& context, Results& results) {
  return context.input.problem.physics == io::Physics::eddy_currents
             ? make_eddy_currents(exec, std::move(problem), plan, context, results)
             : make_electro_quasistatics(exec, std::move(problem), plan, context, results);
}

template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_harmonic(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              KeptRun* kept, Context& context, Results& results) {
  const Plan plan = make_run_plan(exec, imported, binding, kept, context);
  results.estimated_bytes = plan.estimated_bytes;
  if (kept != nullptr)
    kept->taken = Reuse::nothing;
  return make_harmonic_run(exec, make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), context), plan,
                           context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class HarmonicRun<SPACE>;                                                                                   \
  template std::unique_ptr<HarmonicRun<SPACE>> make_harmonic_run<SPACE>(const SPACE&, std::unique_ptr<Problem<SPACE>>, \
                                                                        const Plan&, Context&, Results&);              \
  template std::unique_ptr<Discretization<SPACE>> make_harmonic<SPACE>(                                                \
      const SPACE&, const io::ImportedMesh&, const ProblemBinding&, KeptRun*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
