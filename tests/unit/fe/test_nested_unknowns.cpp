// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/transfer/nested_unknowns.hpp"
#include "fe/transfer/prolongation.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/box_part.hpp"
#include "mesh/parts/refined_part.hpp"
#include "mesh/refine/refinement.hpp"
#include "periodic_pairs.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace fe = tessera::fe;
namespace mesh = tessera::mesh;
namespace comm = tessera::comm;
namespace linalg = tessera::linalg;
using tessera::group_t;
using tessera::index_t;
using tessera::test::pair_of;

namespace {

/// Rows of an interpolation on the host.
struct Level {
  std::vector<tessera::offset_t> offsets;
  std::vector<index_t> columns;
  std::vector<double> values;
  std::int64_t n_coarse;
  bool operator==(const Level& other) const {
    return offsets == other.offsets && columns == other.columns && values == other.values && n_coarse == other.n_coarse;
  }
};

template <class ExecutionSpace, class Space>
Level level_of(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& rows, std::int64_t n_coarse) {
  const auto list = [&](const auto& array) {
    const auto host = tessera::to_host(exec, array);
    return std::vector<typename decltype(host)::non_const_value_type>(host.data(), host.data() + host.size());
  };
  return {list(rows.offsets), list(rows.columns), list(rows.values), n_coarse};
}

struct Setting {
  const char* name;
  std::vector<fe::Constraint> constraints;
  std::vector<fe::PeriodicPair> pairs;
};

std::vector<Setting> settings() {
  const auto constraint_of = [](group_t group, bool is_tied) {
    fe::Constraint constraint;
    constraint.group = group;
    constraint.is_tied = is_tied;
    return constraint;
  };
  return {{"free", {}, {}},
          {"fixed", {constraint_of(0, false)}, {}},
          {"fixed and tied", {constraint_of(0, false), constraint_of(1, true)}, {}},
          {"periodic", {constraint_of(2, false)}, {pair_of(0, 1, false)}},
          {"antiperiodic", {}, {pair_of(0, 1, true)}}};
}

/// The rows of a part that is the whole, level by level, and those of the mesh with its parents.
template <int Order, class ExecutionSpace, int Dim>
void check_rows(const ExecutionSpace& exec, const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                const std::vector<tessera::Array<index_t* [2], typename ExecutionSpace::memory_space>>& node_parents) {
  const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& finest = part.mesh;
  for (const Setting& setting : settings()) {
    CAPTURE(setting.name, Dim, Order);
    const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, finest);
    const auto classes = fe::identify_nodes<ExecutionSpace, Dim, Order>(exec, finest, space, setting.pairs);
    const auto dofs = fe::number_dofs<ExecutionSpace, Dim, Order>(exec, finest, space, setting.constraints, classes,
                                                                  fe::Numbering::edges_after_vertices);
    auto with_parents = finest;
    with_parents.node_parents = node_parents;
    const auto whole = fe::make_prolongations<ExecutionSpace, Dim, Order>(exec, with_parents, space, dofs);
    auto nested = fe::nest_unknowns<ExecutionSpace, Dim, Order>(
        exec, tessera::comm::alone(), space, dofs, part.nested,
        {finest.original_node, part.owner, part.first_owned, part.n_owned, {}, true}, {0, dofs.n_free},
        {0, dofs.n_free});
    REQUIRE(nested.n_levels == static_cast<int>(whole.size()));
    REQUIRE(nested.n_levels >= 1);
    index_t n = dofs.n_free;
    for (const auto& expected : whole) {
      const auto rows = linalg::coarsen<ExecutionSpace>(exec, {}, comm::Layout<ExecutionSpace>::local(n), nested);
      CHECK(rows.coarse_offsets == std::vector<std::int64_t>{0, expected.n_coarse});
      CHECK(level_of(exec, rows.matrix, rows.coarse_offsets.back()) ==
            level_of(exec, expected.matrix, expected.n_coarse));
      n = expected.n_coarse;
      CHECK(nested.n_unknowns() == n);
    }
    CHECK(nested.n_levels == 0);
  }
}

template <class Space> struct Permute {
  tessera::Array<const index_t* [2], Space> from;
  tessera::Array<const index_t*, Space> original;
  tessera::Array<index_t* [2], Space> to;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    for (int k = 0; k < 2; ++k)
      to(n, k) = from(original(n), k);
  }
};

template <int Dim, class ExecutionSpace>
void check_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  using Space = typename ExecutionSpace::memory_space;
  std::array<double, Dim> upper;
  upper.fill(1.3);
  upper[0] = 0.9;
  const auto part =
      mesh::make_box_part<Dim>(exec, cells, std::array<double, Dim>{}, upper, 0, 1, 0, {}, mesh::CoarserMeshes::nodes);
  auto parents = mesh::box_node_parents<Dim>(exec, cells);
  REQUIRE(!parents.empty());
  const tessera::Array<index_t* [2], Space> ordered("parents", parents.front().extent(0));
  tessera::for_each("permute", exec, part.mesh.n_nodes(),
                    Permute<Space>{parents.front(), part.mesh.original_node, ordered});
  exec.fence();
  parents.front() = ordered;
  check_rows<1>(exec, part, parents);
  check_rows<2>(exec, part, parents);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Nested unknowns make the rows of the whole prolongations, under all constraints",
                        "[fe][device]", tessera::test::ExecutionSpaces) {
  const TestType exec;
  SECTION("boxes") {
    check_box<2>(exec, {16, 8});
    check_box<3>(exec, {8, 4, 4});
  }
  SECTION("refined boxes that know coarser ones") {
    auto coarse = mesh::make_box<2>(exec, {8, 4}, {0., 0.}, {1., 1.});
    coarse.node_parents = mesh::box_node_parents<2>(exec, {8, 4});
    const auto part = mesh::make_refined_part<TestType, 2>(exec, coarse, 2, tessera::comm::alone(), 0, {},
                                                           mesh::CoarserMeshes::nodes);
    CHECK(part.nested.n_levels == 3);
    const auto curve = mesh::curve_through(mesh::bounds_of<TestType, 2>(exec, coarse));
    const auto fine = mesh::order_mesh<TestType, 2>(
        exec, mesh::refine_uniform(exec, mesh::refine_uniform(exec, coarse, true), true), curve);
    check_rows<1>(exec, part, fine.node_parents);
    check_rows<2>(exec, part, fine.node_parents);
  }
  SECTION("a mesh that knows none has order 1 below order 2") {
    const auto part = mesh::make_box_part<2>(exec, {7, 5}, {0., 0.}, {1., 1.}, 0, 1, 0, {}, mesh::CoarserMeshes::nodes);
    CHECK(part.nested.n_levels == 0);
    check_rows<2>(exec, part, {});
  }
}
