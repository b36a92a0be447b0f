// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "setups.hpp"

namespace tessera::test {

namespace {

using physics::Expression;

Expression expression(const std::string& text) { return Expression::parse(text); }

struct SetupBuilder {
  Setup setup;
  int dimension;

  SetupBuilder(const std::string& name, int dimension_in, bool axisymmetric) : dimension(dimension_in) {
    setup.name = name + (axisymmetric ? ", axisymmetric" : "");
    setup.problem.axisymmetric = axisymmetric;
    setup.problem.depth = dimension == 2 && !axisymmetric ? 0.7 : 1.;
    for (int r = 0; r < n_regions; ++r) {
      physics::RegionData data;
      data.coefficient.assign(dimension, Expression(1.));
      data.source = Expression(0.5);
      setup.problem.regions.push_back(data);
    }
  }
  SetupBuilder& fix(group_t group, const std::string& value, bool is_region = false) {
    fe::Constraint constraint;
    constraint.group = group;
    constraint.is_region = is_region;
    setup.constraints.push_back(constraint);
    setup.fixed_values.push_back(expression(value));
    return *this;
  }
  SetupBuilder& share(group_t group, double total, bool is_region = true) {
    fe::Constraint constraint;
    constraint.group = group;
    constraint.is_region = is_region;
    constraint.is_tied = true;
    constraint.total = total;
    setup.constraints.push_back(constraint);
    setup.fixed_values.push_back(Expression(0.));
    return *this;
  }
  SetupBuilder& periodic(group_t group, group_t partner, bool antiperiodic = false) {
    fe::PeriodicPair pair;
    pair.group = group;
    pair.partner = partner;
    pair.is_antiperiodic = antiperiodic;
    setup.periodic.push_back(pair);
    return *this;
  }
  SetupBuilder& flux(group_t group, const std::string& value) {
    physics::NaturalData data;
    data.group = group;
    data.flux = expression(value);
    setup.problem.natural.push_back(data);
    return *this;
  }
  SetupBuilder& robin(group_t group, const std::string& alpha, const std::string& reference) {
    physics::NaturalData data;
    data.group = group;
    data.alpha = expression(alpha);
    data.reference = expression(reference);
    setup.problem.natural.push_back(data);
    return *this;
  }
  SetupBuilder& material(group_t region, const std::vector<std::string>& diagonal, const std::string& source,
                         double factor = 1.) {
    physics::RegionData& data = setup.problem.regions[region];
    for (int d = 0; d < dimension; ++d)
      data.coefficient[d] = expression(diagonal.size() == 1 ? diagonal[0] : diagonal.at(d));
    data.source = expression(source);
    data.coefficient_factor = factor;
    return *this;
  }
  /// Off-diagonal entries: xy, xz, yz.
  SetupBuilder& tensor(group_t region, const std::vector<std::string>& off_diagonal) {
    physics::RegionData& data = setup.problem.regions[region];
    for (int i = 0; i < dimension * (dimension - 1) / 2; ++i)
      data.off_diagonal.push_back(expression(off_diagonal.at(i)));
    return *this;
  }
};

} // namespace

std::vector<Setup> make_setups(int dimension, bool axisymmetric) {
  std::vector<Setup> setups;
  const auto start = [&](const std::string& name) { return SetupBuilder(name, dimension, axisymmetric); };

  SetupBuilder dirichlet = start("fixed on all sides");
  for (group_t side = left; side < 2 * dimension; ++side)
    dirichlet.fix(side, "1 + x - 2*y");
  setups.push_back(dirichlet.setup);

  setups.push_back(start("fixed, flux and Robin")
                       .fix(left, "cos(3*y)")
                       .flux(bottom, "sin(5*x)")
                       .robin(right, "2 + y", "3*x - y")
                       .setup);

  setups.push_back(start("piecewise data")
                       .fix(left, "0")
                       .fix(right, "4")
                       .material(domain, {"2", "0.5", "3"}, "1", 8.8541878128e-2)
                       .material(first_body, {"800"}, "-3")
                       .material(second_body, {"1e-3", "2e-3", "3e-3"}, "2")
                       .setup);

  setups.push_back(start("expressions as data")
                       .fix(left, "y*y")
                       .material(domain, {"1 + x*x", "2 + sin(y)", "exp(-x*y)"}, "exp(x)*y")
                       .material(first_body, {"10 + y"}, "x - y")
                       .setup);

  setups.push_back(start("full tensors")
                       .fix(left, "x - y*y")
                       .robin(right, "1", "y")
                       .material(domain, {"2", "1.5", "3"}, "1", 8.8541878128e-2)
                       .tensor(domain, {"0.5", "-0.3", "0.8"})
                       .material(first_body, {"800"}, "-3")
                       .setup);

  setups.push_back(start("tensors that vary")
                       .fix(left, "y*y")
                       .material(domain, {"2 + x*x", "2 + sin(y)", "3"}, "exp(x)*y")
                       .tensor(domain, {"cos(3*x)", "0.5*y", "sin(x*y)"})
                       .share(first_body, 0.7)
                       .setup);

  setups.push_back(start("floating body").fix(left, "1").fix(right, "0").share(first_body, 0.7).setup);

  // The bodies touch the same elements, and one of the sides is a floating conductor, too.
  setups.push_back(start("two floating bodies and a side")
                       .fix(left, "1")
                       .share(second_body, -0.3)
                       .share(top, 0.1, false)
                       .share(first_body, 0.)
                       .setup);

  setups.push_back(start("fixed body beside a floating one, flux and Robin")
                       .robin(left, "1", "2")
                       .flux(right, "-y")
                       .fix(first_body, "2", true)
                       .share(second_body, 1.)
                       .setup);
  return setups;
}

std::vector<MagneticSetup> make_magnetic_setups(bool axisymmetric) {
  MagneticSetup base;
  physics::MagneticProblem& problem = base.problem;
  problem.medium.axisymmetric = axisymmetric;
  problem.medium.depth = axisymmetric ? 1. : 0.7;
  problem.regions.resize(n_regions);
  for (int r = 0; r < n_regions; ++r) {
    physics::RegionData data;
    data.coefficient.assign(2, Expression(1.));
    data.coefficient_factor = physics::vacuum_permeability;
    data.source = expression(r == domain ? "1e6*(x - y)" : "0");
    problem.medium.regions.push_back(data);
  }
  problem.coils.push_back({"coil", 20., 1.5e3, {0., 1., -1.}, ""});
  for (const group_t side : {left, right}) {
    fe::Constraint constraint;
    constraint.group = side;
    base.constraints.push_back(constraint);
    base.fixed_values.push_back(expression(side == left ? "0" : "0.1 + 0.2*y"));
  }
  // Up to 6 T: from the first piece of the curve to far beyond its end.
  base.iterate = expression("x*(2*x - 3*y + 1)");

  MagneticSetup linear = base;
  linear.name = "linear";
  linear.problem.medium.regions[first_body].coefficient.assign(2, Expression(40.));

  MagneticSetup saturated = base;
  saturated.name = "saturated";
  saturated.problem.curves = {{{0., 0.}, {4e3, 0.5}, {1e4, 1.}, {5e4, 1.6}, {2e5, 2.}},
                              {{0., 0.}, {5e4, 1.}, {3e5, 2.}}};
  saturated.problem.regions[first_body].curve = 0;
  saturated.problem.regions[domain].curve = 1;
  saturated.problem.regions[second_body].remanence = {0.6, -0.9};
  physics::NaturalData tangential;
  tangential.group = bottom;
  tangential.flux = expression("1e5*x");
  physics::NaturalData asymptotic;
  asymptotic.group = top;
  asymptotic.alpha = Expression(4e5);
  saturated.problem.medium.natural = {tangential, asymptotic};

  MagneticSetup shell = base;
  shell.name = "shell";
  shell.problem.coils[0].direction = {0., 1., 0.};
  shell.problem.regions[second_body].is_shell = true;
  shell.problem.regions[second_body].center = {0., -3.};
  shell.problem.regions[second_body].inner_radius = 3.;
  shell.problem.regions[second_body].outer_radius = 4.5;

  MagneticSetup antiperiodic = saturated;
  antiperiodic.name = "saturated, antiperiodic";
  fe::PeriodicPair pair;
  pair.group = top;
  pair.partner = bottom;
  pair.is_antiperiodic = true;
  antiperiodic.periodic = {pair};

  std::vector<MagneticSetup> setups{linear, saturated, shell, antiperiodic};
  for (MagneticSetup& setup : setups)
    setup.name += axisymmetric ? ", axisymmetric" : ", planar";
  return setups;
}

std::vector<Setup> make_periodic_setups(int dimension) {
  std::vector<Setup> setups;
  const auto start = [&](const std::string& name) {
    return SetupBuilder(name, dimension, false)
        .material(domain, {"2", "0.5", "3"}, "1")
        .material(first_body, {"8"}, "-3");
  };
  setups.push_back(start("periodic").periodic(top, bottom).fix(left, "y*(1 - y)").setup);
  setups.push_back(start("periodic, expressions and flux")
                       .material(domain, {"1 + x*x"}, "sin(6*y) + x")
                       .periodic(bottom, top)
                       .robin(left, "1 + y", "2")
                       .flux(top, "x")
                       .setup);
  setups.push_back(start("antiperiodic").periodic(left, right, true).setup);
  setups.push_back(start("antiperiodic, fixed and floating")
                       .periodic(bottom, top, true)
                       .fix(right, "sin(3*y)")
                       .share(second_body, 0.3)
                       .setup);
  setups.push_back(start("doubly periodic with a fixed body")
                       .periodic(left, right)
                       .periodic(bottom, top)
                       .fix(second_body, "1 + x", true)
                       .share(first_body, 0.7)
                       .setup);
  // A source that differs between the two sides of one layer of elements; otherwise the signs would cancel it up to
  // rounding.
  const auto uneven = [&](const std::string& name) { return start(name).material(domain, {"2"}, "1 + 4*y - 2*z"); };
  setups.push_back(uneven("periodic and antiperiodic").periodic(right, left).periodic(bottom, top, true).setup);
  setups.push_back(uneven("doubly antiperiodic").periodic(right, left, true).periodic(bottom, top, true).setup);
  return setups;
}

} // namespace tessera::test
