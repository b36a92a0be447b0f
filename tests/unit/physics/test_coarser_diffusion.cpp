// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "physics/forms/coarser_diffusion.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::test {

namespace {

template <class T, int N, class ExecutionSpace>
Array<T* [N], typename ExecutionSpace::memory_space> rows_on(const ExecutionSpace& exec, const std::vector<T>& values) {
  const auto array = make_array<Array<T* [N], typename ExecutionSpace::memory_space>>(exec, "rows", values.size() / N);
  upload(exec, array, values);
  return array;
}

/// A triangle with nodes 0 to 2, refined into four with the midpoints 3 to 5; for order 2 these are nodes of the
/// triangle.
struct Triangle {
  std::vector<double> coordinates{0, 0, 2, 0, 0, 1, 1, 0, 1, 0.5, 0, 0.5};
  std::vector<group_t> regions{1, 1, 1, 1}; ///< of the four
  std::vector<index_t> fine_dof{0, 1, 2, 3, 4, 5};
  fe::DofKinds fine_kinds{6, 6};
  std::vector<index_t> coarse_dof{0, 1, 2};
  fe::DofKinds coarse_kinds{3, 3};
  bool with_children = true;

  template <int Order, class ExecutionSpace> auto coarser(const ExecutionSpace& exec) const {
    using Space = typename ExecutionSpace::memory_space;
    const auto dofs = [&](const fe::DofKinds& kinds, const std::vector<index_t>& of_nodes) {
      fe::DofMap<Space> map;
      static_cast<fe::DofKinds&>(map) = kinds;
      map.node_dof = uploaded(exec, "dofs", of_nodes);
      return map;
    };
    physics::UniformDiffusion<2, Order, Space> form;
    std::vector<index_t> elements{0, 1, 2, 3, 4, 5};
    if (Order == 1) {
      elements.clear();
      for (int child = 0; child < 4; ++child)
        for (int a = 0; a < 3; ++a)
          elements.push_back(mesh::Children<2>::node(child, a));
    }
    form.element_nodes = rows_on<index_t, fe::Lagrange<2, Order>::n_nodes>(exec, elements);
    form.element_vertices =
        Order == 1 ? rows_on<index_t, 3>(exec, elements) : rows_on<index_t, 3>(exec, std::vector<index_t>{0, 1, 2});
    form.coordinates = rows_on<double, 2>(exec, coordinates);
    form.regions = uploaded(exec, "regions", regions);
    form.coefficient = rows_on<double, 2>(exec, std::vector<double>{100., 100., 3., 5.});
    form.source = uploaded(exec, "source", std::vector<double>{0., 0.});
    return physics::coarser_diffusion<ExecutionSpace, 2, Order>(
        exec, form, dofs(fine_kinds, fine_dof), dofs(coarse_kinds, coarse_dof),
        rows_on<index_t, 3>(exec, std::vector<index_t>{0, 1, 2}),
        with_children ? rows_on<index_t, 4>(exec, std::vector<index_t>{0, 1, 2, 3}) : Array<index_t* [4], Space>(),
        rows_on<index_t, 2>(exec, std::vector<index_t>{0, 0, 1, 1, 2, 2, 0, 1, 1, 2, 0, 2}));
  }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Diffusion on a coarser level has the coarser elements and their material", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto check = [&](const auto& form) {
    REQUIRE(form);
    const auto host = form->to_host(exec);
    REQUIRE(host.n_elements() == 1);
    index_t n[3];
    host.nodes(0, n);
    double K[3][3];
    double f[3];
    host.system(0, n, K, f);
    // The sides of the triangle are 2 along x and 1 along y: grad of the shape function of node 1 is (1/2, 0), of node
    // 2 (0, 1); its area is 1.
    const double expected[3][3] = {{0.75 + 5., -0.75, -5.}, {-0.75, 0.75, 0.}, {-5., 0., 5.}};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        CHECK(std::fabs(K[a][b] - expected[a][b]) < 1e-14); // exact up to the rounding of a product
  };
  Triangle triangle;
  check(triangle.coarser<1>(exec));
  check(triangle.coarser<2>(exec));
  triangle.coordinates[9] += 1e-14; // rounding
  check(triangle.coarser<1>(exec));
  triangle.with_children = false;
  check(triangle.coarser<1>(exec));
}

TEMPLATE_LIST_TEST_CASE("A mesh is seen to lie in one region", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  const auto is_one = [&](const std::vector<group_t>& regions) {
    return physics::has_one_region(exec, uploaded(exec, "test", regions));
  };
  CHECK(is_one({3, 3, 3}));
  CHECK_FALSE(is_one({3, 0, 3}));
  CHECK_FALSE(is_one({3, 3, 4}));
}

TEMPLATE_LIST_TEST_CASE(
    "Where coarser elements have another matrix than the Galerkin product, there is no form of them",
    "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  Triangle regions;
  regions.regions[3] = 0;
  CHECK_FALSE(regions.coarser<1>(exec));
  Triangle curved;
  curved.coordinates[9] += 1e-6;
  CHECK_FALSE(curved.coarser<1>(exec));

  Triangle fixed; // a midpoint, but not both of its parents
  fixed.fine_kinds = {4, 4};
  fixed.fine_dof = {5, 0, 1, 4, 2, 3};
  fixed.coarse_kinds = {2, 2};
  fixed.coarse_dof = {2, 0, 1};
  CHECK_FALSE(fixed.coarser<1>(exec));
  CHECK_FALSE(fixed.coarser<2>(exec));
  fixed.fine_kinds = {3, 3};
  fixed.fine_dof = {4, 5, 0, 3, 1, 2};
  fixed.coarse_kinds = {1, 1};
  fixed.coarse_dof = {1, 2, 0};
  CHECK(fixed.coarser<1>(exec));
  CHECK(fixed.coarser<2>(exec));

  Triangle tied; // a midpoint on a floating body, to which neither or both of its parents belong
  tied.fine_kinds = {5, 6};
  tied.fine_dof = {0, 1, 2, 5, 3, 4};
  CHECK_FALSE(tied.coarser<1>(exec));
  CHECK_FALSE(tied.coarser<2>(exec));
  tied.fine_kinds = {3, 4};
  tied.fine_dof = {3, 3, 0, 3, 1, 2};
  tied.coarse_kinds = {1, 2};
  tied.coarse_dof = {1, 1, 0};
  CHECK(tied.coarser<1>(exec));
  CHECK(tied.coarser<2>(exec));
}

} // namespace tessera::test
