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
    constraint.is_shared = true;
    constraint.total = total;
    setup.constraints.push_back(constraint);
    setup.fixed_values.push_back(Expression(0.));
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
    data.is_robin = true;
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

  setups.push_back(start("floating body").fix(left, "1").fix(right, "0").share(first_body, 0.7).setup);

  // The bodies touch the same elements, and one of the sides floats as well.
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

} // namespace tessera::test
