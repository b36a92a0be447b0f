// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "meshes.hpp"
#include "strategies.hpp"
#include "support/kokkos_tools.hpp"
#include "support/spaces.hpp"
#include "system.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

constexpr int n_bodies = 49;

/// A plane with a square pattern of 7 x 7 bodies; all cells between them have nodes of two bodies or more, so that
/// there are entries between tied unknowns.
template <class ExecutionSpace>
mesh::Mesh<2, typename ExecutionSpace::memory_space> pattern_of_bodies(const ExecutionSpace& exec) {
  constexpr index_t n = 7 * 3 + 1;
  auto mesh = random_box<2>(exec, {n, n}, 4);
  const auto number_in_box = to_host(exec, mesh.original_element);
  std::vector<group_t> regions(mesh.n_elements());
  mesh.region_names = {"domain"};
  for (int body = 0; body < n_bodies; ++body)
    mesh.region_names.push_back("body" + std::to_string(body));
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    const index_t cell = number_in_box(e) / 2;
    const index_t x = cell % n;
    const index_t y = cell / n;
    const bool inside = x % 3 != 0 && y % 3 != 0; // two cells of three
    regions[e] = static_cast<group_t>(inside ? 1 + x / 3 + 7 * (y / 3) : 0);
  }
  mesh.regions = array_of(exec, regions);
  return mesh;
}

/// The first `n_floating` bodies float; the others are insulators like the rest of the domain.
Setup setup_of(int n_floating) {
  Setup setup;
  setup.name = std::to_string(n_floating) + " floating bodies";
  for (int r = 0; r <= n_bodies; ++r) {
    physics::RegionData data;
    data.coefficient.assign(2, physics::Expression(1. + 0.1 * r));
    data.source = physics::Expression(0.5);
    setup.problem.regions.push_back(data);
  }
  fe::Constraint side;
  side.group = left;
  setup.constraints.push_back(side);
  setup.fixed_values.push_back(physics::Expression::parse("1 + y"));
  for (int body = 0; body < n_floating; ++body) {
    fe::Constraint floating;
    floating.is_region = true;
    floating.is_tied = true;
    floating.group = static_cast<group_t>(1 + body);
    floating.total = 0.1 * (body % 5);
    setup.constraints.push_back(floating);
    setup.fixed_values.push_back(physics::Expression(0.));
  }
  return setup;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Many floating bodies give the right system in every strategy", "[equivalence][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto mesh = pattern_of_bodies(exec);
  const auto problem = make_problem<TestType, 2, 1>(exec, mesh, setup_of(n_bodies));
  REQUIRE(problem.n_free - problem.n_regular == n_bodies);
  const auto probes = make_probes(problem.n_regular, problem.n_free);
  for (const assembly::Strategy strategy : all_strategies()) {
    assembly::AssemblyOptions options;
    options.strategy = strategy;
    INFO(text_of(options));
    const System system = make_system(exec, problem, options, probes, 1e-12, 2);
    const Differences differences = compare(system, problem.oracle, probes);
    CHECK(differences.matrix <= 1e-13);
    CHECK(differences.rhs <= 1e-13);
    CHECK(differences.diagonal <= 1e-13);
    CHECK(differences.product <= 1e-13);
    CHECK(differences.solution <= 1e-9);
  }
}

// With one pass over the elements, or one synchronization with the host, per body, the cost would grow with the number
// of bodies.
TEMPLATE_LIST_TEST_CASE("The number of kernels does not grow with the floating bodies", "[equivalence]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto mesh = pattern_of_bodies(exec);
  for (const assembly::Strategy strategy : {assembly::Strategy::row_gather, assembly::Strategy::a_coo_compact,
                                            assembly::Strategy::ebe_stored, assembly::Strategy::ebe_atomic}) {
    assembly::AssemblyOptions options;
    options.strategy = strategy;
    options.coloring = graph::ColoringMethod::ofcm; // on the host: the same number of kernels in every run
    INFO(text_of(options));
    std::vector<int> n_kernels;
    std::vector<int> n_allocations;
    for (const int n_floating : {2, n_bodies}) {
      const auto problem = make_problem<TestType, 2, 1>(exec, mesh, setup_of(n_floating));
      const auto assembler = problem.make_assembler(options);
      const auto x = make_filled<Array<double*, TestType>>(exec, "test::x", problem.n_free, 1.);
      const auto y = make_filled<Array<double*, TestType>>(exec, "test::y", problem.n_free, 0.);
      const LabelWatch watch;
      assembler->symbolic(exec);
      assembler->numeric(exec);
      assembler->system().apply(exec, x, y);
      assembler->system().diagonal(exec, y);
      n_kernels.push_back(watch.n_kernels());
      n_allocations.push_back(watch.n_allocations());
    }
    INFO(n_kernels[0] << " and " << n_kernels[1] << " kernels, " << n_allocations[0] << " and " << n_allocations[1]
                      << " allocations");
    // Sorting with more bodies may need another pass.
    CHECK(n_kernels[1] <= n_kernels[0] + 6);
    CHECK(n_allocations[1] <= n_allocations[0] + 6);
  }
}

} // namespace tessera::test
