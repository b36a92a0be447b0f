// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "driver/problem/carried_values.hpp"
#include "fe/lagrange.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace tessera;

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

/// A strip of three triangles, each with its own coefficient.
struct Strip {
  using memory_space = Space;
  using element = fe::Lagrange<2, 1>;
  static constexpr int dimension = 2;
  static constexpr int n_nodes = 3;
  Array<const index_t*, Space> element_nodes;
  Array<const double* [2], Space> coordinates;
  Array<const double*, Space> coefficient;

  KOKKOS_FUNCTION index_t n_elements() const { return 3; }
  KOKKOS_FUNCTION void nodes(index_t e, index_t (&n)[3]) const {
    for (int a = 0; a < 3; ++a)
      n[a] = element_nodes(3 * e + a);
  }
  KOKKOS_FUNCTION void to_flux(index_t e, const double (&)[2], double (&v)[2]) const {
    for (double& entry : v)
      entry *= coefficient(e);
  }
};

/// The boundary that each of the five nodes has, or gets from a conductor; node 0 has boundary 0, the others none.
std::vector<int> carried(const std::vector<double>& coefficients) {
  const Exec exec;
  const std::vector<index_t> nodes{0, 1, 2, 1, 3, 2, 2, 3, 4};
  const auto table = uploaded(exec, "test::nodes", nodes);
  const auto coordinates = make_array<Array<double* [2], Space>>(exec, "test::coordinates", 5);
  upload(exec, coordinates, std::vector<double>{0., 0., 1., 0., 0., 1., 1., 1., 0., 2.});
  const Strip form{table, coordinates, uploaded(exec, "test::coefficients", coefficients)};
  fe::DofMap<Space> dofs;
  dofs.node_dof = make_array<Array<index_t*, Space>>(exec, "test::dofs", 5);
  constexpr int none = 7;
  const auto own = uploaded(exec, "test::boundaries", std::vector<group_t>{0, none, none, none, none});
  const auto values = driver::find_carried_values<Exec>(exec, form, fe::ElementTable<Space>{table, 3}, dofs,
                                                        Array<const group_t*, Exec>(own), 1, comm::alone());
  std::vector<int> boundaries;
  if (values.any()) {
    const auto host = to_host(exec, values.node_boundary);
    boundaries.assign(host.data(), host.data() + host.extent(0));
  }
  return boundaries;
}

} // namespace

TEST_CASE("A good conductor carries the value of its boundary", "[driver][device]") {
  CHECK(carried({1e6, 1., 1.}) == std::vector<int>{0, 0, 0, 7, 7});
  CHECK(carried({1e6, 1e6, 1.}) == std::vector<int>{0, 0, 0, 0, 7});
  CHECK(carried({1., 1., 1.}).empty());
}

TEST_CASE("Beside a coefficient of zero any other is that of a conductor", "[driver][device]") {
  CHECK(carried({1., 0., 0.}) == std::vector<int>{0, 0, 0, 7, 7});
  CHECK(carried({1., 3., 0.}) == std::vector<int>{0, 0, 0, 0, 7});
  CHECK(carried({0., 0., 0.}).empty());
}
