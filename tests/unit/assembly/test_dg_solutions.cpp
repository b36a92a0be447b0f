// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/coverable.hpp"
#include "assembly/dg/form/fluxes.hpp"
#include "dg_problem.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace tessera::test {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Rounding: condition numbers up to 1e4 times the errors of coefficients and their sums.
constexpr double rounding = 1e-11;

template <int Dim> void check_consistency(int cells_per_side, index_t width, int p, dg::Covering covering) {
  CAPTURE(Dim, cells_per_side, width, p);
  const Host exec;
  std::array<index_t, Dim> cells;
  cells.fill(cells_per_side);
  const auto mesh = polytopic_box<Dim>(exec, cells, width);
  const ExactProblem p_problem = variable_problem<Dim>(p);
  dg::FormOptions options;
  options.covering = covering;
  const auto form = make_form<Host, Dim>(exec, mesh, p, p_problem.problem, options);
  const dg::ErrorNorms errors = solve_errors<Host, Dim>(exec, form, p_problem.exact);
  CHECK(errors.exact_l2 > 0.1);
  CHECK(errors.l2 <= rounding * errors.exact_l2);
  CHECK(errors.dg() <= 100. * rounding * errors.exact_l2); // derivatives
}

/// Checks the errors of u = sin(pi x) sin(pi y) ... with A = I, b and c of section 4.2 of the paper, on two meshes.
template <int Dim>
void check_orders(const std::array<index_t, 2>& cells_per_side, index_t width, int p, double least_l2,
                  double least_dg) {
  CAPTURE(Dim, width, p);
  const Host exec;
  ExactProblem smooth;
  const std::string pi = "3.14159265358979323846";
  const std::vector<std::string> names{"x", "y", "z"};
  std::string u = "1";
  for (int d = 0; d < Dim; ++d)
    u += " * sin(" + pi + " * " + names[d] + " + 0.5)";
  physics::AdvectionRegion region;
  region.diffusion = {physics::Expression(1.)};
  const std::string c = Dim == 2 ? "(3 + x * y)" : "(3 + x * y * z)";
  std::string f = "(" + std::to_string(Dim) + " * " + pi + " * " + pi + " + " + c + ") * " + u;
  for (int d = 0; d < Dim; ++d) {
    std::string derivative = pi;
    for (int other = 0; other < Dim; ++other)
      derivative += std::string(other == d ? " * cos(" : " * sin(") + pi + " * " + names[other] + " + 0.5)";
    smooth.exact.gradient.push_back(physics::Expression::parse(derivative));
    region.advection.push_back(physics::Expression::parse("1 + " + names[d]));
    f += " + (1 + " + names[d] + ") * " + derivative;
  }
  smooth.exact.value = physics::Expression::parse(u);
  region.reaction = physics::Expression::parse(c);
  region.source = physics::Expression::parse(f);
  smooth.problem.regions = {region};
  for (group_t group = 0; group < 2 * Dim; ++group)
    smooth.problem.boundaries.push_back(
        {group, "side", physics::AdvectionCondition::dirichlet, smooth.exact.value, ""});

  dg::ErrorNorms errors[2];
  for (int level = 0; level < 2; ++level) {
    std::array<index_t, Dim> cells;
    cells.fill(cells_per_side[level]);
    const auto mesh = polytopic_box<Dim>(exec, cells, width);
    dg::FormOptions options;
    options.extra_degree = 1;
    errors[level] =
        solve_errors<Host, Dim>(exec, make_form<Host, Dim>(exec, mesh, p, smooth.problem, options), smooth.exact);
  }
  const double ratio = std::log(static_cast<double>(cells_per_side[1]) / cells_per_side[0]);
  CHECK(std::log(errors[0].l2 / errors[1].l2) / ratio >= least_l2);
  CHECK(std::log(errors[0].dg() / errors[1].dg()) / ratio >= least_dg);
}

/// The unit box of equal cells, joined to the elements that `element(cell)` gives.
template <int Dim, class Element>
mesh::PolytopicMesh<Dim, HostMemory> joined_cells(const Host& exec, const std::array<index_t, Dim>& cells,
                                                  const Element& element) {
  const auto box = unit_box<Dim>(exec, cells);
  const auto original = to_host(exec, box.original_element);
  std::vector<index_t> parts;
  for (index_t s = 0; s < box.n_elements(); ++s) {
    index_t number = (original.extent(0) > 0 ? original(s) : s) / (Dim == 2 ? 2 : 6);
    std::array<index_t, Dim> cell;
    for (std::size_t d = 0; d < Dim; ++d) {
      cell[d] = number % cells[d];
      number /= cells[d];
    }
    parts.push_back(element(cell));
  }
  const Array<const index_t*, Host> element_of = array_of(exec, parts);
  return mesh::make_polytopic_mesh<Host, Dim>(exec, box, element_of);
}

} // namespace

TEST_CASE("Polynomials of the elements' degree are reproduced on polygons and polyhedra, with variable coefficients",
          "[dg]") {
  for (int p = 1; p <= 3; ++p) {
    check_consistency<2>(3, 0, p, dg::Covering::simplices);
    check_consistency<2>(6, 2, p, dg::Covering::simplices);
    check_consistency<2>(6, 3, p, dg::Covering::p_coverable);
  }
  check_consistency<2>(4, 2, 8, dg::Covering::simplices);
  check_consistency<3>(1, 0, 2, dg::Covering::simplices);
  check_consistency<3>(4, 2, 1, dg::Covering::simplices);
  check_consistency<3>(4, 2, 3, dg::Covering::simplices);
  check_consistency<3>(2, 1, 4, dg::Covering::simplices);
}

TEST_CASE("Solutions converge with order p + 1 in L2 and p in the dG norm", "[dg]") {
  check_orders<2>({8, 16}, 0, 1, 1.9, 0.95);
  check_orders<2>({8, 14}, 0, 2, 2.9, 1.9);
  check_orders<2>({5, 8}, 0, 3, 3.9, 2.9);
  check_orders<3>({3, 5}, 0, 1, 1.5, 0.95);
  check_orders<3>({2, 3}, 0, 2, 2.7, 1.8);
  // Jagged polygons and polyhedra, at most 14 in a row: the gradient is not yet in the asymptotic range.
  check_orders<2>({16, 28}, 2, 1, 1.6, 0.9);
  check_orders<2>({16, 28}, 2, 2, 2.9, 1.75);
  check_orders<2>({12, 20}, 2, 3, 3.9, 2.7);
  check_orders<3>({3, 5}, 1, 2, 2.4, 1.5);
}

TEST_CASE("The penalty keeps the form definite on elements of many faces, where that of p-coverable ones does not",
          "[dg]") {
  const Host exec;
  ExactProblem problem = variable_problem<2>(1);
  problem.problem.regions[0].advection.clear();
  problem.problem.regions[0].reaction = physics::Expression(1e-6);
  const auto is_definite = [&](const auto& form) {
    const auto assembler = dg::make_assembler<Host>(form);
    assembler->symbolic(exec);
    assembler->numeric(exec);
    return is_positive_definite(dense_system(exec, *assembler));
  };
  dg::FormOptions paper;
  paper.covering = dg::Covering::p_coverable;
  const auto jagged = polytopic_box<2>(exec, {16, 16}, 8); // 128 triangles and about 40 faces each
  for (int p = 1; p <= 3; ++p)
    CHECK(is_definite(make_form<Host, 2>(exec, jagged, p, problem.problem)));
  const auto of_jagged = make_form<Host, 2>(exec, jagged, 1, problem.problem, paper);
  CHECK(dg::count_coverable<Host, 2>(exec, of_jagged) == 0);
  CHECK(is_definite(of_jagged));
  const auto squares =
      joined_cells<2>(exec, {16, 16}, [](const auto& cell) { return cell[0] / 8 + 2 * (cell[1] / 8); });
  CHECK(is_definite(make_form<Host, 2>(exec, squares, 1, problem.problem)));
  const auto of_squares = make_form<Host, 2>(exec, squares, 1, problem.problem, paper);
  CHECK(dg::count_coverable<Host, 2>(exec, of_squares) == 4);
  CHECK_FALSE(is_definite(of_squares));
}

TEST_CASE("Elements are p-coverable if simplices of their own size cover them, and only then the penalty is bounded",
          "[dg]") {
  const Host exec;
  dg::FormOptions paper;
  paper.covering = dg::Covering::p_coverable;
  const auto n_coverable = [&](const auto& mesh) {
    constexpr int dim = std::decay_t<decltype(mesh)>::dimension;
    return dg::count_coverable<Host, dim>(exec,
                                          make_form<Host, dim>(exec, mesh, 2, variable_problem<dim>(2).problem, paper));
  };
  const auto all = [](const auto&) { return 0; };
  CHECK(n_coverable(joined_cells<2>(exec, {5, 4}, all)) == 1);
  CHECK(n_coverable(joined_cells<3>(exec, {3, 3, 3}, all)) == 1);
  // Narrow slots, and the comb between them.
  const auto comb = [](const auto& cell) { return cell[0] % 2 == 1 && cell[1] > 2 ? 1 + cell[0] : 0; };
  CHECK(n_coverable(joined_cells<2>(exec, {13, 13}, comb)) == 0);
  // An L sees the square in its corner, whose half width has to be an eighth of the diagonal: more than 4.24 of 12
  // cells. The other square is p-coverable in any case.
  const auto corner = [](index_t width) {
    return [width](const auto& cell) { return cell[0] >= width && cell[1] >= width ? 1 : 0; };
  };
  CHECK(n_coverable(joined_cells<2>(exec, {12, 12}, corner(5))) == 2);
  CHECK(n_coverable(joined_cells<2>(exec, {12, 12}, corner(4))) == 1);
  // The same in space: an eighth of the diagonal of 6 cells is 1.3.
  const auto notch = [](index_t width) {
    return [width](const auto& cell) { return cell[0] >= width && cell[1] >= width && cell[2] >= width ? 1 : 0; };
  };
  CHECK(n_coverable(joined_cells<3>(exec, {6, 6, 6}, notch(3))) == 2);
  CHECK(n_coverable(joined_cells<3>(exec, {6, 6, 6}, notch(2))) == 1);
  const auto squares = joined_cells<2>(exec, {8, 8}, [](const auto& cell) { return cell[0] / 4; });
  const auto penalty = [&](dg::Covering covering) {
    dg::FormOptions options;
    options.covering = covering;
    return make_form<Host, 2>(exec, squares, 1, variable_problem<2>(1).problem, options).penalty;
  };
  const auto bounded = penalty(dg::Covering::p_coverable), by_simplices = penalty(dg::Covering::simplices);
  for (index_t f = 0; f < squares.faces.n_faces(); ++f) // |K| is 64 times |K^F|, and C_cov = 1
    CHECK(std::fabs(bounded(f) - by_simplices(f) / 64.) <= 1e-12 * bounded(f));
}

TEST_CASE("The penalty sees a tensor at the points of each face", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {6, 6}, 2);
  const auto penalty = [&](const physics::Expression& diffusion) {
    ExactProblem problem = variable_problem<2>(2);
    problem.problem.regions[0].diffusion = {diffusion};
    return make_form<Host, 2>(exec, mesh, 2, problem.problem).penalty;
  };
  const auto of_one = penalty(physics::Expression(1.));
  const auto of_expression = penalty(physics::Expression::parse("1 + 0 * x"));
  const auto of_x = penalty(physics::Expression::parse("1 + x"));
  for (index_t f = 0; f < mesh.faces.n_faces(); ++f) {
    CHECK(of_expression(f) == of_one(f));
    double middle = 0.;
    double largest = 0.;
    for (int k = 0; k < 2; ++k) {
      const double x = mesh.simplices.coordinates(mesh.faces.nodes(f, k), 0);
      middle += 0.5 * x;
      largest = std::max(largest, x);
    }
    CHECK(of_x(f) >= (1. + middle) * of_one(f) * (1. - 1e-11)); // points lie within elements
    CHECK(of_x(f) <= (1. + largest) * of_one(f) * (1. + 1e-11));
  }
}

TEST_CASE("Elements of different degree work together", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {6, 6}, 2);
  std::vector<int> degrees;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    degrees.push_back(2 + e % 4);
  const auto space = fe::make_modal_space<2>(exec, mesh.boxes, array_of(exec, degrees));
  const ExactProblem problem = variable_problem<2>(2);
  const auto form = dg::make_form(exec, mesh, space, problem.problem);
  const dg::ErrorNorms errors = solve_errors<Host, 2>(exec, form, problem.exact);
  CHECK(errors.l2 <= rounding * errors.exact_l2);
}

TEST_CASE("Coefficients may jump between regions", "[dg]") {
  const Host exec;
  auto box = unit_box<2>(exec, {4, 4});
  const auto nodes = to_host(exec, box.elements);
  const auto x = to_host(exec, box.coordinates);
  for (index_t s = 0; s < box.n_elements(); ++s)
    box.regions(s) = x(nodes(s, 0), 0) + x(nodes(s, 1), 0) + x(nodes(s, 2), 0) > 1.5 ? 1 : 0;
  box.region_names = {"left", "right"};
  const Array<const index_t*, Host> parts = mesh::simplicial_elements(exec, box);
  const auto mesh = mesh::make_polytopic_mesh(exec, box, parts);
  // The flux A u' = 10 is continuous, the gradient is not; b and c jump, too, with balancing sources.
  using physics::Expression;
  ExactProblem problem;
  problem.problem.regions = {{{Expression(1.)}, {}, Expression(0.), Expression(0.), ""},
                             {{Expression(10.), Expression(3.)},
                              {Expression(0.), Expression(2.)},
                              Expression(1.),
                              Expression::parse("x + 4.5"),
                              ""}};
  problem.exact = {Expression::parse("x < 0.5 ? 10 * x : x + 4.5"),
                   {Expression::parse("x < 0.5 ? 10 : 1"), Expression(0.)}};
  for (group_t group = 0; group < 4; ++group)
    problem.problem.boundaries.push_back(
        {group, "side", physics::AdvectionCondition::dirichlet, problem.exact.value, ""});
  const auto form = make_form<Host, 2>(exec, mesh, 1, problem.problem);
  const dg::ErrorNorms errors = solve_errors<Host, 2>(exec, form, problem.exact);
  CHECK(errors.l2 <= rounding);
  CHECK(errors.dg() <= 100. * rounding);

  const auto assembler = dg::make_assembler<Host>(form);
  assembler->symbolic(exec);
  assembler->numeric(exec);
  const std::vector<double> u = solve(dense_system(exec, *assembler));
  const Array<const double*, Host> coefficients(u.data(), u.size());
  const auto integrals = dg::region_integrals<Host, 2>(exec, form, coefficients, 2);
  const double values[2] = {1.25, 2.625};
  const double energies[2] = {25., 2.5};
  for (int region = 0; region < 2; ++region) {
    CHECK(std::fabs(integrals[region].measure - 0.5) < 1e-14);
    CHECK(std::fabs(integrals[region].value - values[region]) < 1e-10);
    CHECK(std::fabs(integrals[region].energy - energies[region]) < 1e-9);
  }
  const std::vector<double> fluxes = dg::boundary_fluxes<Host, 2>(exec, form, coefficients, 4);
  const double expected[5] = {-10., 10., 5.25, -5.25, 0.}; // left, right, bottom, top, without a group
  for (int group = 0; group < 5; ++group)
    CHECK(std::fabs(fluxes[group] - expected[group]) < 1e-9);
}

TEST_CASE("Pure advection takes its data at the inflow alone", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {6, 6}, 2);
  // b = (2, 1): inflow at left and bottom. The data at the other sides are wrong on purpose and must not be used.
  const Polynomial u = Polynomial::random(2, 2, 5);
  ExactProblem problem =
      polynomial_problem<2>([](int, int) { return Polynomial(); }, {Polynomial(2.), Polynomial(1.)}, Polynomial(1.), u);
  problem.problem.boundaries[1].value = physics::Expression(1000.);
  problem.problem.boundaries[3].value = physics::Expression(1000.);
  const auto form = make_form<Host, 2>(exec, mesh, 2, problem.problem);
  const dg::ErrorNorms errors = solve_errors<Host, 2>(exec, form, problem.exact);
  CHECK(errors.l2 <= rounding * errors.exact_l2);
  CHECK(errors.diffusion == 0.);
  CHECK(errors.jumps == 0.);
}

TEST_CASE("Where A vanishes across a face, advection decides, though its normal is rounded", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {6, 6}, 2);
  const Polynomial u = Polynomial::random(2, 2, 5);
  // Diffusion along x only: top and bottom are inflow and outflow.
  ExactProblem problem =
      polynomial_problem<2>([](int row, int column) { return Polynomial(row == 0 && column == 0 ? 1. : 0.); },
                            {Polynomial(), Polynomial(1.)}, Polynomial(1.), u);
  problem.problem.boundaries[3] = {3, "top", physics::AdvectionCondition::neumann, physics::Expression(1000.), ""};
  const auto form = make_form<Host, 2>(exec, mesh, 2, problem.problem);
  CHECK(solve_errors<Host, 2>(exec, form, problem.exact).l2 <= rounding);
  CHECK(physics::boundary_part(physics::AdvectionCondition::neumann, 1e-33, 1., -1.) == physics::BoundaryPart::inflow);
  CHECK(physics::boundary_part(physics::AdvectionCondition::neumann, 1e-9, 1., -1.) == physics::BoundaryPart::neumann);
}

TEST_CASE("Each element conserves: its fluxes balance its sources", "[dg]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {8, 8}, 3);
  // Divergence-free b. The solution is no polynomial: the balance must not depend on accuracy.
  ExactProblem problem = polynomial_problem<2>([](int row, int column) { return Polynomial(row == column ? 2. : 0.5); },
                                               {Polynomial(3.), Polynomial(-1.)}, Polynomial(4.), Polynomial(1.));
  problem.problem.regions[0].advection = {physics::Expression::parse("1 + y"), physics::Expression::parse("x - 2")};
  problem.problem.regions[0].source = physics::Expression(5.);
  for (auto& boundary : problem.problem.boundaries)
    boundary.value = physics::Expression::parse("sin(7 * x) + y");
  for (const int p : {0, 1, 3}) {
    CAPTURE(p);
    const auto form = make_form<Host, 2>(exec, mesh, p, problem.problem);
    const auto assembler = dg::make_assembler<Host>(form);
    assembler->symbolic(exec);
    assembler->numeric(exec);
    const std::vector<double> u = solve(dense_system(exec, *assembler));
    const auto value = [&](index_t e, const double(&x)[3], double(&gradient)[2]) {
      return form.space.evaluate(e, Array<const double*, Host>(u.data(), u.size()), x, gradient);
    };
    const dg::Rule rule{p, 1};
    std::vector<double> balance(static_cast<std::size_t>(mesh.n_elements()), 0.); // outflow minus sources
    for (index_t s = 0; s < form.n_simplices(); ++s)
      for (int q = 0; q < form.n_volume_points(rule); ++q) {
        double x[3];
        double gradient[2];
        const double weight = form.simplex_measure(s) * form.volume_point(s, rule, q, x);
        balance[form.element_of(s)] -= weight * (5. - 4. * value(form.element_of(s), x, gradient));
      }
    double total = 0.;
    for (index_t f = 0; f < form.faces.n_faces(); ++f)
      for (int q = 0; q < form.n_face_points(rule); ++q) {
        double n[2];
        double x[3];
        double inner[2];
        double outer[2];
        const index_t one = form.element(f, 0);
        const index_t other = form.element(f, 1);
        const double area = form.face_normal(f, n);
        const double weight = area * form.face_point(f, rule, q, x);
        const double bn = (1. + x[1]) * n[0] + (x[0] - 2.) * n[1];
        const double inside = value(one, x, inner);
        const auto normal = [&](const double(&g)[2]) {
          return n[0] * (2. * g[0] + 0.5 * g[1]) + n[1] * (0.5 * g[0] + 2. * g[1]);
        };
        double flux = 0.;
        if (other >= 0) {
          const double outside = value(other, x, outer);
          flux = -0.5 * (normal(inner) + normal(outer)) + form.penalty(f) * (inside - outside) +
                 bn * (bn < 0. ? outside : inside);
        } else {
          const double g = std::sin(7. * x[0]) + x[1];
          flux = form.boundary_group(f) == 3
                     ? -g + bn * inside
                     : -normal(inner) + form.penalty(f) * (inside - g) + bn * (bn < 0. ? g : inside);
          total += weight * flux;
        }
        balance[one] += weight * flux;
        if (other >= 0)
          balance[other] -= weight * flux;
      }
    for (const double defect : balance)
      CHECK(std::fabs(defect) < 1e-10);
    // The same by the kernels that runs use.
    const Array<const double*, Host> coefficients(u.data(), u.size());
    double in = 0.;
    for (const double flux : dg::boundary_fluxes<Host, 2>(exec, form, coefficients, 4))
      in += flux;
    CHECK(std::fabs(in + total) < 1e-10);
    const auto integrals = dg::region_integrals<Host, 2>(exec, form, coefficients, 1);
    CHECK(std::fabs(integrals.at(0).measure - 1.) < 1e-13);
    CHECK(std::fabs(in + 5. - 4. * integrals.at(0).value) < 1e-10);
  }
}

} // namespace tessera::test
