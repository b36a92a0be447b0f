// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "mesh/bisection.hpp"
#include "mesh/box.hpp"
#include "mesh/coarser_elements.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refinement.hpp"
#include "mesh/simplex.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <set>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

template <int Dim, class Elements, class Coordinates>
double measure(const Elements& elements, const Coordinates& coordinates, index_t e) {
  double p[Dim + 1][Dim];
  for (int a = 0; a <= Dim; ++a)
    for (int d = 0; d < Dim; ++d)
      p[a][d] = coordinates(elements(e, a), d);
  return std::fabs(mesh::signed_measure(p));
}

template <int Dim, class ExecutionSpace> void check_children(const ExecutionSpace& exec) {
  std::array<index_t, Dim> cells;
  cells.fill(3);
  std::array<double, Dim> lower{};
  std::array<double, Dim> upper;
  upper.fill(1.);
  const auto coarse = mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh::make_box<Dim>(exec, cells, lower, upper));
  const auto fine =
      mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh::refine_uniform<ExecutionSpace, Dim>(exec, coarse, true));
  const auto found = mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, fine);
  const auto nodes = to_host(exec, found.nodes);
  const auto children = to_host(exec, found.children);
  const auto coarse_nodes = to_host(exec, coarse.coordinates);
  const auto fine_nodes = to_host(exec, fine.coordinates);
  const auto elements = to_host(exec, fine.elements);
  REQUIRE(static_cast<index_t>(nodes.extent(0)) == coarse.n_elements());
  std::set<index_t> all;
  for (index_t e = 0; e < coarse.n_elements(); ++e) {
    double sum = 0.;
    double centre[Dim] = {};
    for (int k = 0; k < mesh::Children<Dim>::count; ++k) {
      all.insert(children(e, k));
      CHECK((k == 0 || children(e, k - 1) < children(e, k)));
      const double part = measure<Dim>(elements, fine_nodes, children(e, k));
      sum += part;
      for (int a = 0; a <= Dim; ++a)
        for (int d = 0; d < Dim; ++d)
          centre[d] += part * fine_nodes(elements(children(e, k), a), d) / (Dim + 1.);
    }
    const double whole = measure<Dim>(nodes, coarse_nodes, e);
    CHECK(std::fabs(sum - whole) < 1e-12);
    for (int d = 0; d < Dim; ++d) {
      double expected = 0.;
      for (int a = 0; a <= Dim; ++a)
        expected += coarse_nodes(nodes(e, a), d) / (Dim + 1.);
      CHECK(std::fabs(centre[d] / sum - expected) < 1e-12);
    }
  }
  CHECK(static_cast<index_t>(all.size()) == fine.n_elements());

  const auto without = mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, fine, false);
  CHECK(without.children.extent(0) == 0);
  const auto same_nodes = to_host(exec, without.nodes);
  for (std::size_t e = 0; e < nodes.extent(0); ++e)
    for (std::size_t a = 0; a <= Dim; ++a)
      CHECK(same_nodes(e, a) == nodes(e, a));

  // A mesh of which one element was bisected is none.
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(coarse.n_elements()), 0);
  marks[0] = 1;
  const auto array = test::array_of(exec, marks);
  const auto bisected =
      mesh::bisect_marked<ExecutionSpace, Dim>(exec, coarse, Array<const std::uint8_t*, ExecutionSpace>(array));
  for (const bool with_children : {false, true})
    try {
      mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, bisected, with_children);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK_THAT(error.what(), ContainsSubstring("no uniform refinement"));
    }
  CHECK_THROWS_AS((mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, coarse)), Error); // knows no coarser one
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The elements that a mesh was refined from are found with their children", "[mesh][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  check_children<2>(exec);
  check_children<3>(exec);
}
