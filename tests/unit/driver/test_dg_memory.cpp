// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/blocks/block_pattern.hpp"
#include "driver/dg/dg_memory.hpp"
#include "driver/study/dry_run.hpp"
#include "mesh/polytopes/agglomerate.hpp"
#include "support/polytopes.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <numeric>

namespace tessera::test {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Compares the estimated sizes before and after agglomeration with the block pattern that the run makes.
template <int Dim> void check_sizes(const std::array<index_t, Dim>& cells, std::int64_t n_elements, int degree) {
  CAPTURE(Dim, n_elements, degree);
  const Host exec;
  const auto simplices = random_box<Dim>(exec, cells, 7);
  const auto parts = mesh::agglomerate<Host, Dim>(exec, simplices, n_elements);
  const auto mesh = mesh::make_polytopic_mesh<Host, Dim>(exec, simplices, parts.element_of);
  io::DiscretizationOptions input;
  input.order.number = degree;
  const auto space = fe::make_modal_space<Dim, Host>(exec, mesh.boxes, degree);
  const driver::DgSizes expected =
      driver::expected_sizes(input, Dim, static_cast<double>(n_elements), static_cast<double>(simplices.n_elements()));
  const driver::DgSizes exact = driver::sizes_of<Dim, Host>(exec, mesh, space);
  assembly::dg::BlockPattern<HostMemory> pattern;
  const auto matrix = assembly::dg::make_block_pattern<Host, Dim>(exec, mesh.faces, space, pattern);
  CHECK(exact.assembly.entries == static_cast<double>(matrix.value_offsets(matrix.columns.extent(0))));
  CHECK(exact.assembly.unknowns == space.n_dofs);
  CHECK(exact.diagonal_entries == static_cast<double>(n_elements) * space.largest_size * space.largest_size);
  io::Case run;
  const double before = driver::estimate_bytes(run, expected);
  const double after = driver::estimate_bytes(run, exact);
  CHECK(before <= after);
  CHECK(before >= 0.6 * after);
}

} // namespace

TEST_CASE("Memory of dg is estimated before the mesh is agglomerated, and never above what it needs", "[driver]") {
  check_sizes<2>({24, 24}, 100, 2);
  check_sizes<2>({16, 16}, 128, 5);
  check_sizes<3>({8, 8, 8}, 150, 1);
  check_sizes<3>({8, 8, 8}, 80, 3);
}

TEST_CASE("Sizes of mixed degrees are exact", "[driver]") {
  const Host exec;
  const auto mesh = polytopic_box<2>(exec, {6, 6}, 2);
  std::vector<int> degrees(static_cast<std::size_t>(mesh.n_elements()));
  std::iota(degrees.begin(), degrees.end(), 0);
  for (int& degree : degrees)
    degree %= 4;
  const auto space = fe::make_modal_space<2>(exec, mesh.boxes, array_of(exec, degrees));
  assembly::dg::BlockPattern<HostMemory> pattern;
  const auto matrix = assembly::dg::make_block_pattern<Host, 2>(exec, mesh.faces, space, pattern);
  CHECK(driver::sizes_of<2, Host>(exec, mesh, space).assembly.entries ==
        static_cast<double>(matrix.value_offsets(matrix.columns.extent(0))));
}

TEST_CASE("A dry run of dg reports elements, unknowns and memory, and finds wrong groups", "[driver]") {
  using Catch::Matchers::ContainsSubstring;
  const auto text = [](const std::vector<std::string>& settings) {
    return driver::dry_run_text(read_case(input_file("dg-poisson"), "out", settings));
  };
  CHECK_THAT(text({}), ContainsSubstring("# Elements: 128 of 2048 triangles, unknowns: at least 768.") &&
                           ContainsSubstring("# Memory, estimated: at least "));
  const std::string by_size = text({"mesh.agglomerate={mean_size: 0.1}"});
  CHECK_THAT(by_size,
             ContainsSubstring("# Elements: 100 of 2048 triangles") && ContainsSubstring("estimated: at least "));
  CHECK(text({"mesh.scale=0.1", "mesh.agglomerate={mean_size: 0.01}"}).find("# Elements: 100 of 2048 triangles") !=
        std::string::npos);
  const TemporaryFolder folder;
  const std::string file = folder.file("mesh.vtkhdf");
  driver::make_mesh_file(read_case(input_file("dg-3d"), "out", {"mesh.box={cells: [2, 2, 2], upper: [1, 2, 1]}"}),
                         file);
  CHECK_THAT(driver::dry_run_text(read_case(input_file("dg-3d"), "out",
                                            {"mesh.box=", "mesh.file=" + file, "mesh.agglomerate={mean_size: 0.5}"})),
             ContainsSubstring("# Elements: 16 of 48 tetrahedra"));
  CHECK_THROWS_WITH(text({"mesh.agglomerate={mean_size: 0.001}"}),
                    ContainsSubstring("mesh.agglomerate") && ContainsSubstring("2048 triangles"));
  CHECK_THROWS_WITH(text({"mesh.agglomerate={elements: 2049}"}), ContainsSubstring("2048 triangles"));
  CHECK_THROWS_AS(text({"problem.boundaries.lid={value: 1}"}), Error);
}

} // namespace tessera::test
