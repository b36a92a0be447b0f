// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/blocks/steady_blocks.hpp"
#include "assembly/dg/blocks/steady_items.hpp"
#include "dg_problem.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

enum class Coefficients { numbers, of_place, of_time };

/// A, b and c as requested; source and boundary values depend on time.
template <int Dim> physics::AdvectionDiffusionReaction problem_with(Coefficients coefficients) {
  std::array<Polynomial, Dim> b;
  for (int d = 0; d < Dim; ++d)
    b[d] = Polynomial(d == 0 ? -1. : 2. + d);
  auto problem =
      coefficients == Coefficients::numbers
          ? polynomial_problem<Dim>([](int row, int column) { return Polynomial(row == column ? 2. + row : 0.25); }, b,
                                    Polynomial(3.), Polynomial::random(Dim, 2, 11, false))
                .problem
          : variable_problem<Dim>(2, coefficients == Coefficients::of_time).problem;
  problem.regions.at(0).source = physics::Expression::parse("1 + x*y - 3*x*t");
  problem.boundaries.front().value = physics::Expression::parse("2 - y + t*t");
  problem.boundaries.back().value = physics::Expression::parse("x*x*(1 - t)");
  return problem;
}

template <class ExecutionSpace, int Dim>
dg::Form<Dim, typename ExecutionSpace::memory_space> uniform_form(const ExecutionSpace& exec, index_t n_cells,
                                                                  index_t width, int degree, fe::TimePolynomials time,
                                                                  Coefficients coefficients) {
  std::array<index_t, Dim> cells;
  cells.fill(n_cells);
  const auto mesh = polytopic_box<Dim>(exec, cells, width);
  auto space = fe::make_modal_space<Dim>(exec, mesh.boxes, degree, time);
  space.from = 0.2;
  space.to = time == fe::TimePolynomials::none ? 0.2 : 0.5;
  return dg::make_form(exec, mesh, space, problem_with<Dim>(coefficients));
}

/// Numbers of elements and interfaces of each kind.
template <class ExecutionSpace, int Dim>
std::array<std::array<index_t, 3>, 2> count_kinds(const ExecutionSpace& exec,
                                                  const dg::Form<Dim, typename ExecutionSpace::memory_space>& form) {
  using Space = typename ExecutionSpace::memory_space;
  using Terms = dg::RegionTerms<physics::AdvectionCoefficients<Dim, Space>>;
  const auto regions = make_array<Array<Terms*, Space>>(exec, "regions", 1);
  for_each("test::list_region_terms", exec, 1,
           dg::ListRegionTerms<Dim, Space>{form.coefficients, form.is_slab(), regions});
  dg::ListItems<ExecutionSpace> items(exec);
  items.count(form.n_elements(), dg::KindOfElement<Dim, Space>{form, regions});
  items.count(form.faces.n_interfaces(), dg::KindOfInterface<Dim, Space>{form, regions});
  const auto [elements, interfaces] = items.lists();
  std::array<std::array<index_t, 3>, 2> counts;
  for (std::size_t k = 0; k < 3; ++k) {
    counts[0][k] = elements.counts[k];
    counts[1][k] = interfaces.counts[k];
  }
  return counts;
}

template <class ExecutionSpace, int Dim>
DenseSystem assembled(const ExecutionSpace& exec, const dg::Form<Dim, typename ExecutionSpace::memory_space>& form,
                      dg::Strategy strategy, Precision precision, bool has_previous) {
  const auto assembler = dg::make_assembler<ExecutionSpace>(form, strategy, precision);
  assembler->symbolic(exec);
  dg::TimeSlab<typename ExecutionSpace::memory_space> slab{form.space.from, form.space.to, {}};
  if (has_previous) {
    std::vector<double> previous;
    for (index_t i = 0; i < form.space.n_dofs; ++i)
      previous.push_back(1. + (i % 7) / 7.);
    slab.previous = array_of(exec, previous);
  }
  assembler->numeric(exec, slab);
  DenseSystem system = dense_system(exec, *assembler);
  if (strategy == dg::Strategy::block_rows) {
    assembler->load(exec, slab);
    const auto rhs = to_host(exec, assembler->rhs());
    CHECK(std::equal(system.rhs.begin(), system.rhs.end(), rhs.data())); // computing only the load gives the same bits
  }
  return system;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double difference = 0.;
  double scale = 0.;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::fabs(a[i] - b[i]));
    scale = std::max(scale, std::fabs(b[i]));
  }
  return difference / scale;
}

template <class ExecutionSpace, int Dim>
void check_steady(index_t cells, index_t width, int degree, fe::TimePolynomials time, Coefficients coefficients) {
  CAPTURE(Dim, cells, width, degree, static_cast<int>(time), static_cast<int>(coefficients));
  const ExecutionSpace exec;
  const auto form = uniform_form<ExecutionSpace, Dim>(exec, cells, width, degree, time, coefficients);
  for (const bool has_previous : {false, true}) {
    if (has_previous && time == fe::TimePolynomials::none)
      continue;
    CAPTURE(has_previous);
    const auto reference = assembled(exec, form, dg::Strategy::reference, Precision::double_precision, has_previous);
    const auto rows = assembled(exec, form, dg::Strategy::block_rows, Precision::double_precision, has_previous);
    // Sums of up to some thousand terms in a different order, and values rounded to 6e-8.
    CHECK(farthest(rows.matrix, reference.matrix) <= 1e-13);
    CHECK(farthest(rows.rhs, reference.rhs) <= 1e-13);
    const auto single = assembled(exec, form, dg::Strategy::block_rows, Precision::single_precision, has_previous);
    CHECK(farthest(single.matrix, reference.matrix) <= 1e-5);
    CHECK(farthest(single.rhs, reference.rhs) <= 1e-5);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Blocks summed pair by pair are those of the reference", "[dg]", ExecutionSpaces) {
  using fe::TimePolynomials;
  for (const Coefficients coefficients : {Coefficients::numbers, Coefficients::of_place}) {
    for (int p = 1; p <= dg::max_steady_degree<2>; ++p) {
      check_steady<TestType, 2>(3, 0, p, TimePolynomials::none, coefficients);
      check_steady<TestType, 2>(3, 1, p, TimePolynomials::p, coefficients);
      check_steady<TestType, 2>(4, 3, p, TimePolynomials::p, coefficients);
    }
    check_steady<TestType, 2>(3, 0, 2, TimePolynomials::pq, coefficients);
    for (int p = 1; p <= dg::max_steady_degree<3>; ++p) {
      check_steady<TestType, 3>(2, 0, p, TimePolynomials::none, coefficients);
      check_steady<TestType, 3>(2, 0, p, TimePolynomials::p, coefficients);
    }
    check_steady<TestType, 3>(3, 2, 1, TimePolynomials::p, coefficients);
  }
  check_steady<TestType, 2>(3, 0, 2, TimePolynomials::p, Coefficients::of_time);
  check_steady<TestType, 2>(3, 0, 0, TimePolynomials::p, Coefficients::numbers); // degree 0
  check_steady<TestType, 2>(2, 1, dg::max_steady_degree<2> + 1, TimePolynomials::none, Coefficients::numbers);
}

TEMPLATE_LIST_TEST_CASE("Kernels are chosen by coefficients, boundary and number of simplices", "[dg]",
                        ExecutionSpaces) {
  using fe::TimePolynomials;
  const TestType exec;
  const auto counts = [&](index_t cells, index_t width, Coefficients coefficients) {
    return count_kinds(exec, uniform_form<TestType, 2>(exec, cells, width, 1, TimePolynomials::p, coefficients));
  };
  // 18 triangles of 3 x 3 squares.
  const auto numbers = counts(3, 0, Coefficients::numbers);
  CHECK(numbers[0][0] > 0);
  CHECK(numbers[0][1] > 0);
  CHECK(numbers[0][2] == 0);
  CHECK(numbers[1][0] == 21);
  CHECK(numbers[1][1] + numbers[1][2] == 0);
  const auto of_place = counts(3, 0, Coefficients::of_place);
  CHECK(of_place[0] == std::array<index_t, 3>{0, 18, 0});
  CHECK(of_place[1] == std::array<index_t, 3>{0, 21, 0});
  CHECK(counts(3, 0, Coefficients::of_time)[0] == std::array<index_t, 3>{0, 0, 18});
  CHECK(counts(3, 0, Coefficients::of_time)[1] == std::array<index_t, 3>{0, 0, 21});
  const auto with_large = uniform_form<TestType, 2>(exec, 4, 3, 1, TimePolynomials::p, Coefficients::numbers);
  const auto offsets = to_host(exec, with_large.simplex_offsets);
  std::array<index_t, 3> expected{0, 0, 0}; // every element is at the boundary
  for (index_t e = 0; e < with_large.n_elements(); ++e)
    ++expected[offsets(e + 1) - offsets(e) > 8 ? 2 : 1];
  CHECK(expected[2] > 0);
  CHECK(count_kinds(exec, with_large)[0] == expected);
  const auto form = [&](int p) {
    return uniform_form<TestType, 2>(exec, 2, 0, p, TimePolynomials::none, Coefficients::numbers);
  };
  CHECK_FALSE(dg::has_steady_kernels(form(0).space));
  CHECK(dg::has_steady_kernels(form(1).space));
  CHECK(dg::has_steady_kernels(form(dg::max_steady_degree<2>).space));
  CHECK_FALSE(dg::has_steady_kernels(form(dg::max_steady_degree<2> + 1).space));
}

} // namespace tessera::test
