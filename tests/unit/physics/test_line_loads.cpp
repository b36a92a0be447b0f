// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "physics/forms/diffusion_problem.hpp"
#include "physics/loads/line_loads.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

namespace {

template <class ExecutionSpace> using CubeMesh = mesh::Mesh<3, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace> CubeMesh<ExecutionSpace> cube(const ExecutionSpace& exec) {
  return mesh::make_box<3>(exec, {4, 4, 4}, {0., 0., 0.}, {1., 1., 1.});
}

/// The loads of a line with density 2 on a mesh.
template <class ExecutionSpace>
physics::LineLoads loads_on(const ExecutionSpace& exec, const CubeMesh<ExecutionSpace>& mesh,
                            const std::array<double, 3>& from, const std::array<double, 3>& to,
                            const physics::LineMesh<ExecutionSpace>& numbers) {
  const auto space = fe::make_space<1, ExecutionSpace, 3>(exec, mesh);
  physics::DiffusionProblem problem;
  physics::RegionData data;
  data.coefficient.assign(3, physics::Expression(1.));
  data.source = physics::Expression(0.);
  problem.regions.push_back(data);
  const auto form = physics::make_uniform_form<ExecutionSpace, 3, 1>(exec, mesh, space, problem);
  return physics::line_loads(exec, form, physics::LineSource{"wire", from, to, 2., ""}, numbers);
}

double sum_of(const physics::LineLoads& loads) {
  double sum = 0.;
  for (const physics::PointLoad& piece : loads.pieces)
    for (const double value : piece.values)
      sum += value;
  return sum;
}

std::vector<index_t> elements_of(const physics::LineLoads& loads) {
  std::vector<index_t> elements;
  for (const physics::PointLoad& piece : loads.pieces)
    elements.push_back(piece.element);
  return elements;
}

struct Line {
  const char* name;
  std::array<double, 3> from;
  std::array<double, 3> to;
};
/// Edges belong to six or more elements of the box, facets to two.
std::vector<Line> lines() {
  return {{"along edges", {0., 0.5, 0.5}, {1., 0.5, 0.5}},
          {"along diagonals", {0., 0., 0.}, {1., 1., 1.}},
          {"in facets", {0., 0.25, 0.}, {1., 0.25, 0.7}},
          {"askew", {0.07, 0.11, 0.9}, {0.93, 0.72, 0.06}}};
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Elements have the same pieces of a line in whatever order they are", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const CubeMesh<TestType> mesh = cube(exec);
  std::vector<index_t> same(static_cast<std::size_t>(mesh.n_nodes()));
  for (std::size_t i = 0; i < same.size(); ++i)
    same[i] = static_cast<index_t>(i);
  std::vector<index_t> reversed;
  for (index_t e = mesh.n_elements(); e-- > 0;)
    reversed.push_back(e);
  const auto turned = mesh::permute_mesh<TestType, 3>(exec, mesh, uploaded(exec, "test::nodes", same),
                                                      uploaded(exec, "test::elements", reversed));
  physics::LineMesh<TestType> numbers;
  numbers.original_element = turned.original_element;
  bool other_without_numbers = false;
  for (const Line& line : lines()) {
    INFO(line.name);
    const auto loads = loads_on(exec, mesh, line.from, line.to, {});
    const auto of_turned = loads_on(exec, turned, line.from, line.to, numbers);
    REQUIRE(loads.pieces.size() == of_turned.pieces.size());
    for (std::size_t i = 0; i < loads.pieces.size(); ++i) {
      CHECK(reversed[static_cast<std::size_t>(of_turned.pieces[i].element)] == loads.pieces[i].element);
      CHECK(of_turned.pieces[i].nodes == loads.pieces[i].nodes);
      CHECK(of_turned.pieces[i].values == loads.pieces[i].values); // the same bits
    }
    CHECK(std::fabs(sum_of(loads) - 2. * loads.length) < 1e-14 * loads.length); // the shape functions add up to 1
    const auto unnumbered = elements_of(loads_on(exec, turned, line.from, line.to, {}));
    other_without_numbers = other_without_numbers || unnumbered != elements_of(of_turned);
  }
  CHECK(other_without_numbers);
}

TEMPLATE_LIST_TEST_CASE("A part without numbers of elements names them by their vertices", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const CubeMesh<TestType> mesh = cube(exec);
  std::vector<index_t> numbers; // in a different order than the nodes
  for (index_t n = 0; n < mesh.n_nodes(); ++n)
    numbers.push_back(mesh.n_nodes() - n);
  std::vector<index_t> all;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    all.push_back(e);
  const std::vector<index_t> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 4));
  physics::LineMesh<TestType> part;
  part.is_part = true;
  part.original_node = uploaded(exec, "test::numbers", numbers);
  for (const Line& line : lines()) {
    INFO(line.name);
    part.owned_elements = uploaded(exec, "test::elements", all);
    const auto loads = loads_on(exec, mesh, line.from, line.to, part);
    CHECK(loads.outside == 0.);
    CHECK(std::fabs(sum_of(loads) - 2. * loads.length) < 1e-14 * loads.length);
    // The segments in elements that are not owned belong to other processes, of which there are none here.
    part.owned_elements = uploaded(exec, "test::elements", some);
    const auto of_some = loads_on(exec, mesh, line.from, line.to, part);
    CHECK(of_some.outside > 0.1);
    // ends are located up to 1e-10
    CHECK(std::fabs(sum_of(of_some) + 2. * of_some.outside - 2. * loads.length) < 1e-9 * loads.length);
    for (const index_t element : elements_of(of_some))
      CHECK(std::binary_search(some.begin(), some.end(), element));
  }
}

} // namespace tessera::test
