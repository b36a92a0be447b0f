// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// The next coarser level of a matrix-free system, compared with the Galerkin product of the matrix, the matrix of the
// coarser mesh, and eigenvalues.

#include "driver/solution/coarser_rows.hpp"
#include "levels_of_problems.hpp"
#include "linalg/products/crs_product.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;
using test::rows_of;
using test::Sample;
using test::samples;
template <class ExecutionSpace> using Model = test::ProblemModel<ExecutionSpace>;

namespace {

double entry(const std::map<index_t, double>& row, index_t column) {
  const auto found = row.find(column);
  return found == row.end() ? 0. : found->second;
}

/// Largest difference between two matrices relative to the diagonal entry of the first one's row.
double difference(const test::Rows& a, const test::Rows& b) {
  if (a.size() != b.size())
    return INFINITY;
  double largest = 0.;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double diagonal = entry(a[i], static_cast<index_t>(i));
    for (const auto& value : a[i])
      largest = std::max(largest, std::abs(value.second - entry(b[i], value.first)) / diagonal);
    for (const auto& value : b[i])
      largest = std::max(largest, std::abs(value.second - entry(a[i], value.first)) / diagonal);
  }
  return largest;
}

/// A lower bound of the largest eigenvalue of D^-1 A.
double largest_eigenvalue(const test::Rows& a) {
  std::vector<double> x = test::random_vector(static_cast<index_t>(a.size()), 9);
  double value = 0.;
  for (int step = 0; step < 300; ++step) {
    std::vector<double> y = test::multiply(a, x);
    double xx = 0., xy = 0.;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double diagonal = a[i].at(static_cast<index_t>(i));
      xy += x[i] * y[i];
      xx += x[i] * diagonal * x[i];
      y[i] /= diagonal;
    }
    value = xy / xx;
    double largest = 0.;
    for (const double v : y)
      largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < y.size(); ++i)
      x[i] = y[i] / largest;
  }
  return value;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The matrix of a coarser level from elements is the Galerkin product",
                        "[driver][multigrid][device]", test::ExecutionSpaces) {
  for (const Sample& sample : samples())
    for (const char* order : {"1", "2"}) {
      INFO(sample.name << ", order " << order);
      Model<TestType> model(sample.text + "discretization: {order: " + order + "}\n");
      const auto coarser = model.problem->coarser_unknowns(model.exec);
      const auto given = model.problem->prolongations(model.exec);
      REQUIRE(coarser.interpolation);
      const auto unknowns = model.problem->coarser_unknowns(model.exec, {}, false);
      CHECK(unknowns.interpolation == nullptr);
      CHECK(unknowns.any());
      CHECK(unknowns.offsets == coarser.offsets);
      const auto below = model.problem->prolongations(model.exec, &coarser);
      REQUIRE(given.size() == below.size() + 1);
      for (std::size_t l = 0; l < below.size(); ++l)
        CHECK(rows_of(model.exec, below[l].matrix) == rows_of(model.exec, given[l + 1].matrix));
      CHECK(coarser.dofs.n_free == given[0].n_coarse);
      const auto& p = given[0].matrix;
      const auto restriction = linalg::transposed(model.exec, p, given[0].n_coarse);
      const auto galerkin =
          linalg::product(model.exec, restriction, linalg::product(model.exec, *model.assembler->matrix(), p));
      const auto owned = rows_of(model.exec, model.from_elements(coarser));
      CHECK(difference(owned, rows_of(model.exec, galerkin)) < 1e-12); // sums in a different order
      CHECK(rows_of(model.exec, model.from_elements(unknowns)) == owned);

      // Interpolation and its transpose.
      const auto x = test::random_vector(given[0].n_coarse, 1);
      const auto y =
          test::vector_on(model.exec, std::vector<double>(p.n_rows(), 1e30)); // the initial values do not matter
      coarser.interpolation->apply(model.exec, test::vector_on(model.exec, x), y);
      const auto expected = test::multiply(rows_of(model.exec, p), x);
      CHECK(test::values_of(model.exec, y) == expected); // halves of two numbers
      coarser.interpolation->add(model.exec, test::vector_on(model.exec, x), y);
      std::vector<double> twice = expected;
      for (double& value : twice)
        value *= 2.;
      CHECK(test::values_of(model.exec, y) == twice);
      const auto r = test::random_vector(p.n_rows(), 2);
      const auto rc = test::vector_on(model.exec, std::vector<double>(x.size(), 1e30));
      coarser.interpolation->apply_transpose(model.exec, test::vector_on(model.exec, r), rc);
      const auto sums = test::values_of(model.exec, rc);
      const auto expected_sums = test::multiply(rows_of(model.exec, restriction), r);
      double largest = 0.;
      for (std::size_t i = 0; i < sums.size(); ++i)
        largest = std::max(largest, std::abs(sums[i] - expected_sums[i]));
      CHECK(largest < 1e-11);

      const auto matrix = rows_of(model.exec, *model.assembler->matrix());
      const double bound = model.problem->bound_eigenvalues(model.exec);
      const double eigenvalue = largest_eigenvalue(matrix);
      CAPTURE(bound, eigenvalue);
      CHECK(eigenvalue <= bound);
      CHECK(bound < 1.6 * eigenvalue);
    }
}

TEST_CASE("With order 1 and constant coefficients a coarser level has the matrix of the coarser mesh",
          "[driver][multigrid]") {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const std::string problem = "problem:\n  physics: electrostatics\n  materials: {domain: {relative_permittivity: 2}}\n"
                              "  boundaries: {left: {potential: 0}, right: {floating: {charge: 1}}}\n";
  const auto mesh = [](const std::string& box, int refine) {
    return "tessera: 1\nmesh: {box: {cells: " + box + "}, ordering: none, refine: " + std::to_string(refine) + "}\n";
  };
  for (const char* box : {"[6, 4]", "[4, 4, 2]"}) {
    Model<Space> fine(mesh(box, 2) + problem);
    const Model<Space> coarse(mesh(box, 1) + problem);
    const auto owned = rows_of(fine.exec, fine.from_elements(fine.problem->coarser_unknowns(fine.exec)));
    CHECK(difference(owned, rows_of(coarse.exec, *coarse.assembler->matrix())) < 1e-13);
    Model<Space> second_order(mesh(box, 1) + problem + "discretization: {order: 2}\n");
    const auto below = rows_of(second_order.exec,
                               second_order.from_elements(second_order.problem->coarser_unknowns(second_order.exec)));
    CHECK(difference(below, rows_of(coarse.exec, *coarse.assembler->matrix())) < 1e-13);
  }
}

TEMPLATE_LIST_TEST_CASE("A level from its own elements takes the place of products, also for new values",
                        "[driver][multigrid][device]", test::ExecutionSpaces) {
  using Space = typename TestType::memory_space;
  const std::string problem = "problem:\n  physics: electrostatics\n  materials: {domain: {relative_permittivity: 2}}\n"
                              "  boundaries: {left: {potential: 0}, right: {floating: {charge: 1}}}\n";
  for (const char* order : {"1", "2"}) {
    INFO("order " << order);
    Model<TestType> model(test::plane + problem + "discretization: {order: " + order + "}\n");
    const TestType& exec = model.exec;
    const auto scaled = [&](const linalg::CrsMatrix<Space>& a, double factor) {
      auto rows = rows_of(exec, a);
      for (auto& row : rows)
        for (auto& entry : row)
          entry.second *= factor;
      return test::crs_on(exec, rows);
    };
    const auto second = driver::second_level(exec, *model.problem, model.problem->coarser_unknowns(exec, {}, false));
    REQUIRE(second);
    double factor = 1.;
    int n_calls = 0;
    const solvers::SecondLevel<TestType> counted = [&](const TestType& queue) {
      auto rows = second(queue);
      rows.a = scaled(rows.a, factor);
      ++n_calls;
      return rows;
    };
    const auto given = model.problem->prolongations(exec);
    const auto r = test::vector_on(exec, test::random_vector(static_cast<index_t>(model.problem->dofs.n_free), 3));
    const auto applied = [&](const solvers::Multigrid<TestType>& m) {
      const auto z = make_array<linalg::Vector<TestType>>(exec, "test::applied", r.extent(0));
      m.apply(exec, r, z);
      return test::values_of(exec, z);
    };
    solvers::MultigridOptions options;
    options.precision = Precision::double_precision;
    solvers::Multigrid<TestType> kept(exec, *model.assembler->matrix(), given, options, counted);
    CHECK(n_calls == 1);
    const auto expected = applied(solvers::Multigrid<TestType>(exec, *model.assembler->matrix(), given, options));
    const auto owned = applied(kept);
    double largest = 0.;
    double distance = 0.;
    for (std::size_t i = 0; i < owned.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      distance = std::max(distance, std::abs(owned[i] - expected[i]));
    }
    CHECK(distance < 1e-10 * largest); // rounding, times the condition of small levels

    factor = 3.;
    const auto renewed = scaled(*model.assembler->matrix(), factor);
    kept.renew(exec, renewed);
    CHECK(n_calls == 2);
    CHECK(applied(kept) == applied(solvers::Multigrid<TestType>(exec, renewed, given, options, counted)));
  }
  // The coefficient varies within an element, so the coarse matrix differs from that of the finer coefficients.
  const Model<TestType> varying(test::plane + "problem:\n  physics: electrostatics\n"
                                              "  materials: {domain: {relative_permittivity: 1 + x}}\n"
                                              "  boundaries: {left: {potential: 0}}\n");
  CHECK_FALSE(
      driver::second_level(varying.exec, *varying.problem, varying.problem->coarser_unknowns(varying.exec, {}, false)));
}

TEMPLATE_LIST_TEST_CASE("Coarser levels have the same bits on every space", "[driver][multigrid][device]",
                        test::ExecutionSpaces) {
  for (const Sample& sample : samples()) {
    INFO(sample.name);
    Model<TestType> model(sample.text);
    Model<Kokkos::DefaultHostExecutionSpace> host(sample.text);
    CHECK(rows_of(model.exec, model.from_elements(model.problem->coarser_unknowns(model.exec))) ==
          rows_of(host.exec, host.from_elements(host.problem->coarser_unknowns(host.exec))));
    CHECK(model.problem->bound_eigenvalues(model.exec) == host.problem->bound_eigenvalues(host.exec));
  }
}
