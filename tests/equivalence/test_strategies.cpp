// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/elements/siblings.hpp"
#include "mesh/refine/refinement.hpp"
#include "meshes.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "strategies.hpp"
#include "support/bulged_box.hpp"
#include "support/spaces.hpp"
#include "system.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <numeric>
#include <sstream>

namespace tessera::test {

namespace {

// Sums of the same terms in another order differ by at most (number of terms) eps of the terms' absolute sum: 450
// terms.
constexpr double assembly_tolerance = 1e-13;
// The solver reduces the residual to 1e-12; the condition numbers of these problems, scaled by Jacobi, are below 1e3.
constexpr double solver_tolerance = 1e-12;
constexpr double solution_tolerance = 1e-9;
// Ten iterations amplify rounding by two orders of magnitude, measured with differences of element contributions.
constexpr double history_tolerance = 1e-9;

struct Worst {
  Differences all;
  int n = 0;
  void add(const Differences& one) {
    all.matrix = std::max(all.matrix, one.matrix);
    all.rhs = std::max(all.rhs, one.rhs);
    all.diagonal = std::max(all.diagonal, one.diagonal);
    all.product = std::max(all.product, one.product);
    all.solution = std::max(all.solution, one.solution);
    ++n;
  }
  std::string text() const {
    std::ostringstream out;
    out << n << " systems, worst: matrix " << all.matrix << ", right-hand side " << all.rhs << ", diagonal "
        << all.diagonal << ", product " << all.product << ", solution " << all.solution;
    return out.str();
  }
};

template <class ExecutionSpace>
void check_strategy(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                    const assembly::AssemblyOptions& options, Worst& worst) {
  INFO(text_of(options));
  const auto probes = make_probes(problem.n_regular, problem.n_free);
  // The numeric phase is repeatable: the second one does not depend on the values of the first.
  const System system = make_system(exec, problem, options, probes, solver_tolerance, 2);
  CHECK(system.offsets.empty() != assembly::stores_matrix(options.strategy));
  const Differences differences = compare(system, problem.oracle, probes);
  CHECK(differences.matrix <= assembly_tolerance);
  CHECK(differences.rhs <= assembly_tolerance);
  CHECK(differences.diagonal <= assembly_tolerance);
  CHECK(differences.product <= assembly_tolerance);
  INFO(system.message);
  CHECK(system.converged);
  CHECK(differences.solution <= solution_tolerance);
  const bool by_elements = options.strategy == assembly::Strategy::ebe_stored && problem.n_free > 0;
  CHECK(system.element_solution.empty() == !by_elements);
  CHECK(system.residual_difference <= history_tolerance);
  CHECK(wrong_with_load(exec, problem, options) == "");
  worst.add(differences);
}

template <class ExecutionSpace>
void check_strategies(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, Worst& worst) {
  for (const assembly::Strategy strategy : all_strategies()) {
    assembly::AssemblyOptions options;
    options.strategy = strategy;
    check_strategy(exec, problem, options, worst);
  }
}

template <int Dim, int Order, class ExecutionSpace, class AnySetup>
void check_setups(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const std::vector<AnySetup>& setups, Worst& worst) {
  for (const AnySetup& setup : setups) {
    INFO(setup.name << ", order " << Order << ", " << mesh.n_elements() << " elements");
    check_strategies(exec, make_problem<ExecutionSpace, Dim, Order>(exec, mesh, setup), worst);
  }
}

/// Problems for a box; thin ones have no inner cells for the bodies.
template <std::size_t Dim> std::vector<Setup> periodic_setups_on(const std::array<index_t, Dim>& cells) {
  std::vector<Setup> setups;
  const bool is_thin = cells[1] < 3;
  for (const Setup& setup : make_periodic_setups(static_cast<int>(Dim))) {
    bool needs_bodies = false;
    for (const fe::Constraint& constraint : setup.constraints)
      needs_bodies = needs_bodies || constraint.is_region;
    if (!is_thin || !needs_bodies)
      setups.push_back(setup);
  }
  return setups;
}

// Prime numbers of cells, and enough for the bodies.
constexpr std::array<index_t, 2> cells_2d{13, 11};
constexpr std::array<index_t, 3> cells_3d{7, 3, 5};

} // namespace

TEMPLATE_LIST_TEST_CASE("Every strategy gives the system of the reference in the plane", "[equivalence][device]",
                        ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto mesh = box_with_bodies<2>(exec, cells_2d, 11);
  check_setups<2, 1>(exec, mesh, make_setups(2, false), worst);
  check_setups<2, 2>(exec, mesh, make_setups(2, false), worst);
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Every strategy gives the system of the reference in axisymmetric problems",
                        "[equivalence][device]", ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto mesh = box_with_bodies<2>(exec, cells_2d, 12);
  check_setups<2, 1>(exec, mesh, make_setups(2, true), worst);
  check_setups<2, 2>(exec, mesh, make_setups(2, true), worst);
  SUCCEED(worst.text());
}

// Every four consecutive triangles are the children of one, whose product `ebe-atomic` computes with one matrix.
TEMPLATE_LIST_TEST_CASE("Every strategy gives the system of the reference on refined triangles",
                        "[equivalence][device]", ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto mesh = mesh::refine_uniform(exec, box_with_bodies<2>(exec, {7, 5}, 13));
  check_setups<2, 1>(exec, mesh, make_setups(2, false), worst);
  check_setups<2, 1>(exec, mesh, make_setups(2, true), worst);
  check_setups<2, 1>(exec, mesh, periodic_setups_on(std::array<index_t, 2>{14, 10}), worst);
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Triangles are siblings if every four of them are, in one region and straight",
                        "[equivalence][device]", ExecutionSpaces) {
  const TestType exec;
  using Space = typename TestType::memory_space;
  using Form = physics::UniformDiffusion<2, 1, Space>;
  const auto are_siblings = [&](const mesh::Mesh<2, Space>& mesh) {
    Form form;
    form.element_nodes = mesh.elements;
    form.coordinates = mesh.coordinates;
    form.regions = mesh.regions;
    return assembly::are_siblings(exec, assembly::ElementLoop<Form>(form, fe::DofMap<Space>()));
  };
  const auto refined = mesh::refine_uniform(exec, random_box<2>(exec, {40, 40}, 14));
  const index_t n = refined.n_elements();
  const auto with_order = [&](index_t one, index_t other) {
    std::vector<index_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[one], order[other]);
    std::vector<index_t> nodes(refined.n_nodes());
    std::iota(nodes.begin(), nodes.end(), 0);
    return mesh::permute_mesh(exec, refined, array_of(exec, nodes), array_of(exec, order));
  };
  CHECK(are_siblings(refined));
  CHECK_FALSE(are_siblings(with_order(1, 2)));
  CHECK_FALSE(are_siblings(with_order(n - 2, n - 1))); // not among the first ones, which are looked at alone
  CHECK_FALSE(are_siblings(random_box<2>(exec, {4, 4}, 15)));
  CHECK_FALSE(are_siblings(random_box<2>(exec, {1, 1}, 16))); // two triangles

  auto bent = refined;
  bent.coordinates = make_array<decltype(bent.coordinates)>(exec, "test::coordinates", refined.n_nodes());
  Kokkos::deep_copy(exec, bent.coordinates, refined.coordinates);
  auto last = Kokkos::subview(bent.coordinates, std::make_pair(refined.n_nodes() - 1, refined.n_nodes()), Kokkos::ALL);
  Kokkos::deep_copy(exec, last, 0.3);
  CHECK_FALSE(are_siblings(bent));

  auto mixed = refined;
  mixed.regions = make_array<decltype(mixed.regions)>(exec, "test::regions", n);
  Kokkos::deep_copy(exec, mixed.regions, refined.regions);
  Kokkos::deep_copy(exec, Kokkos::subview(mixed.regions, std::make_pair(n - 2, n - 1)), group_t(1));
  CHECK_FALSE(are_siblings(mixed));
}

TEMPLATE_LIST_TEST_CASE("Every strategy gives the Newton system of the reference in magnetostatics",
                        "[equivalence][device]", ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto mesh = box_with_bodies<2>(exec, cells_2d, 20);
  for (const bool axisymmetric : {false, true}) {
    check_setups<2, 1>(exec, mesh, make_magnetic_setups(axisymmetric), worst);
    check_setups<2, 2>(exec, mesh, make_magnetic_setups(axisymmetric), worst);
  }
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Every strategy gives the system of the reference with periodic boundaries",
                        "[equivalence][device]", ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  // The thin meshes have elements whose nodes share an unknown, and elements that meet only through the boundary.
  for (const std::array<index_t, 2>& cells : {std::array<index_t, 2>{13, 11}, {7, 1}, {7, 2}}) {
    const auto mesh = box_with_bodies<2>(exec, cells, 30);
    check_setups<2, 1>(exec, mesh, periodic_setups_on(cells), worst);
    check_setups<2, 2>(exec, mesh, periodic_setups_on(cells), worst);
  }
  for (const std::array<index_t, 3>& cells : {std::array<index_t, 3>{7, 3, 3}, {7, 1, 2}}) {
    const auto mesh = box_with_bodies<3>(exec, cells, 31);
    check_setups<3, 1>(exec, mesh, periodic_setups_on(cells), worst);
    check_setups<3, 2>(exec, mesh, periodic_setups_on(cells), worst);
  }
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Every strategy gives the system of the reference in space", "[equivalence][device]",
                        ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto mesh = box_with_bodies<3>(exec, cells_3d, 13);
  check_setups<3, 1>(exec, mesh, make_setups(3, false), worst);
  check_setups<3, 2>(exec, mesh, make_setups(3, false), worst);
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Every strategy gives the system of the reference on curved elements", "[equivalence][device]",
                        ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto plane = bulged<2>(exec, box_with_bodies<2>(exec, cells_2d, 31), 0.4);
  for (const bool axisymmetric : {false, true})
    check_setups<2, 2>(exec, plane, make_setups(2, axisymmetric), worst);
  check_setups<2, 2>(exec, plane, make_magnetic_setups(true), worst);
  const auto space = bulged<3>(exec, box_with_bodies<3>(exec, cells_3d, 32), 0.4);
  const auto setups = make_setups(3, false);
  check_setups<3, 2>(exec, space, std::vector<Setup>{setups.at(1), setups.at(3), setups.at(6)}, worst);
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Rows longer than any buffer are assembled whole", "[equivalence][device]", ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  // 200 elements at a node: a window of 12 columns is filled 17 times. The other elements have windows of 32 and 96
  // columns, which rows of 60 (order 1) and 300 (order 2) exceed.
  const auto setups = [](int dimension, bool axisymmetric) {
    const auto list = make_setups(dimension, axisymmetric);
    return std::vector<Setup>{list.at(1), list.at(2), list.at(4)};
  };
  check_setups<2, 1>(exec, fan<2>(exec, 200, 14), setups(2, false), worst);
  check_setups<2, 2>(exec, fan<2>(exec, 60, 15), setups(2, true), worst);
  const auto space = fan<3>(exec, 60, 16);
  check_setups<3, 1>(exec, space, setups(3, false), worst);
  check_setups<3, 2>(exec, space, setups(3, false), worst);
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Meshes of a few elements are assembled", "[equivalence][device]", ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  // One cell: no body is inside, so only the problems without any.
  const auto without_bodies = [](std::vector<Setup> setups) {
    return std::vector<Setup>(setups.begin() + 1, setups.begin() + 4);
  };
  auto plane = unit_box<2>(exec, {1, 2});
  plane.region_names = {"domain", "first", "second"};
  check_setups<2, 1>(exec, plane, without_bodies(make_setups(2, false)), worst);
  check_setups<2, 2>(exec, plane, without_bodies(make_setups(2, true)), worst);
  auto space = unit_box<3>(exec, {2, 1, 1});
  space.region_names = {"domain", "first", "second"};
  check_setups<3, 1>(exec, space, without_bodies(make_setups(3, false)), worst);
  check_setups<3, 2>(exec, space, without_bodies(make_setups(3, false)), worst);
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Every colouring serves every strategy that uses one", "[equivalence][device]",
                        ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto setup = make_setups(2, false).at(5);
  const auto problem = make_problem<TestType, 2, 1>(exec, box_with_bodies<2>(exec, cells_2d, 16), setup);
  const auto problem_3d =
      make_problem<TestType, 3, 1>(exec, box_with_bodies<3>(exec, cells_3d, 17), make_setups(3, false).at(5));
  // Elements conflict through both pairs of sides, and in one direction through every node.
  const auto periodic =
      make_problem<TestType, 2, 1>(exec, box_with_bodies<2>(exec, {7, 2}, 18), make_periodic_setups(2).at(5));
  const auto periodic_3d =
      make_problem<TestType, 3, 2>(exec, box_with_bodies<3>(exec, {7, 1, 2}, 19), make_periodic_setups(3).at(5));
  for (const assembly::Strategy strategy : all_strategies()) {
    if (!assembly::uses_coloring(strategy))
      continue;
    for (const graph::ColoringMethod coloring :
         {graph::ColoringMethod::ccm, graph::ColoringMethod::fcm, graph::ColoringMethod::ofcm,
          graph::ColoringMethod::kokkos_kernels, graph::ColoringMethod::node_claims}) {
      assembly::AssemblyOptions options;
      options.strategy = strategy;
      options.coloring = coloring;
      options.reproducible = true;
      check_strategy(exec, problem, options, worst);
      check_strategy(exec, problem_3d, options, worst);
      check_strategy(exec, periodic, options, worst);
      check_strategy(exec, periodic_3d, options, worst);
    }
  }
  SUCCEED(worst.text());
}

TEMPLATE_LIST_TEST_CASE("Closed formulas and quadrature give the same element matrices", "[equivalence][device]",
                        ExecutionSpaces) {
  const TestType exec;
  Worst worst;
  const auto check = [&](Problem<TestType> closed, const Problem<TestType>& integrated) {
    // Some integrals vanish exactly in closed form only (loads of order 2 at vertices).
    const double largest_load = *std::max_element(closed.oracle.load_sum.begin(), closed.oracle.load_sum.end());
    closed.oracle.load_sum.assign(closed.oracle.load_sum.size(), largest_load);
    const auto probes = make_probes(closed.n_regular, closed.n_free);
    assembly::AssemblyOptions options;
    options.strategy = assembly::Strategy::reference;
    const Differences differences =
        compare(make_system(exec, integrated, options, probes, solver_tolerance, 1), closed.oracle, probes);
    CHECK(differences.matrix <= assembly_tolerance);
    CHECK(differences.rhs <= assembly_tolerance);
    CHECK(differences.solution <= solution_tolerance);
    worst.add(differences);
  };
  const auto plane = box_with_bodies<2>(exec, cells_2d, 18);
  const auto space = box_with_bodies<3>(exec, cells_3d, 19);
  for (const Setup& setup : make_setups(2, false))
    if (setup.problem.is_uniform()) {
      INFO(setup.name);
      check(make_problem<TestType, 2, 1>(exec, plane, setup, FormKind::uniform),
            make_problem<TestType, 2, 1>(exec, plane, setup, FormKind::general));
      check(make_problem<TestType, 2, 2>(exec, plane, setup, FormKind::uniform),
            make_problem<TestType, 2, 2>(exec, plane, setup, FormKind::general));
    }
  for (const Setup& setup : make_setups(3, false))
    if (setup.problem.is_uniform()) {
      INFO(setup.name);
      check(make_problem<TestType, 3, 1>(exec, space, setup, FormKind::uniform),
            make_problem<TestType, 3, 1>(exec, space, setup, FormKind::general));
      check(make_problem<TestType, 3, 2>(exec, space, setup, FormKind::uniform),
            make_problem<TestType, 3, 2>(exec, space, setup, FormKind::general));
    }
  SUCCEED(worst.text());
}

} // namespace tessera::test
