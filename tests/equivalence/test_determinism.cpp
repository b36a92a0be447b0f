// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "meshes.hpp"
#include "strategies.hpp"
#include "support/one_thread.hpp"
#include "support/spaces.hpp"
#include "system.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

/// Deterministic strategies; coloured ones with every deterministic colouring.
std::vector<assembly::AssemblyOptions> deterministic_options() {
  std::vector<assembly::AssemblyOptions> all;
  for (const assembly::Strategy strategy : all_strategies()) {
    if (!assembly::is_deterministic(strategy))
      continue;
    assembly::AssemblyOptions options;
    options.strategy = strategy;
    options.reproducible = true;
    all.push_back(options);
    if (assembly::uses_coloring(strategy)) {
      options.coloring = graph::ColoringMethod::ofcm;
      all.push_back(options);
    }
  }
  return all;
}

/// The systems of all strategies on one execution space.
template <int Dim, int Order, class ExecutionSpace, class AnySetup>
std::vector<System> make_systems(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells,
                                 const AnySetup& setup) {
  // The box is distorted on the host, so that it is the same on every execution space.
  const auto mesh = box_with_bodies<Dim>(exec, cells, 21);
  const auto problem = make_problem<ExecutionSpace, Dim, Order>(exec, mesh, setup);
  const auto probes = make_probes(problem.n_regular, problem.n_free);
  std::vector<System> systems;
  for (const assembly::AssemblyOptions& options : deterministic_options())
    systems.push_back(make_system(exec, problem, options, probes, 1e-6, 1));
  return systems;
}

template <int Dim, int Order, class ExecutionSpace, class AnySetup>
void check(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const AnySetup& setup) {
  INFO(setup.name << ", " << Dim << "D, order " << Order);
  const auto options = deterministic_options();
  const auto first = make_systems<Dim, Order>(exec, cells, setup);
  const auto serial =
      on_one_thread([&](const auto& one_thread) { return make_systems<Dim, Order>(one_thread, cells, setup); });
  const auto again = make_systems<Dim, Order>(exec, cells, setup);
  for (std::size_t i = 0; i < options.size(); ++i) {
    INFO(text_of(options[i]));
    CHECK(first[i].converged);
    CHECK(different_parts(first[i], again[i]) == "");
    CHECK(different_parts(first[i], serial[i]) == "");
  }
}

} // namespace

// Run with one, two and three threads (CMakeLists.txt): each run must give the bits of the run with one thread.
TEMPLATE_LIST_TEST_CASE("Deterministic strategies give the same bits in every run, for any number of threads",
                        "[equivalence][device][determinism]", ExecutionSpaces) {
  const TestType exec;
  // Two floating bodies and a floating side, and natural conditions. The data contain no functions, since exp differs
  // between backends.
  check<2, 1>(exec, {23, 29}, make_setups(2, false).at(5));
  check<2, 2>(exec, {13, 11}, make_setups(2, true).at(6));
  check<3, 1>(exec, {7, 5, 11}, make_setups(3, false).at(6));
  check<3, 2>(exec, {7, 3, 5}, make_setups(3, false).at(5));
  check<2, 1>(exec, {23, 29}, make_magnetic_setups(false).at(1));
  check<2, 2>(exec, {13, 11}, make_magnetic_setups(true).at(1));
}

} // namespace tessera::test
