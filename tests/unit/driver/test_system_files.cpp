// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/system_files.hpp"
#include "support/block_matrices.hpp"
#include "support/matrix_file.hpp"
#include "support/spaces.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tessera;

namespace {

io::Case case_with_matrix() {
  io::Case input;
  input.output.matrix = "system.mtx";
  return input;
}

/// The same entries, bit for bit.
void check_equal(const test::MatrixFile& file, const test::Rows& rows) {
  REQUIRE(file.n_rows == rows.size());
  REQUIRE(file.n_columns == rows.size());
  std::size_t n = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [j, value] : rows[i]) {
      const auto found = file.entries.find({i, static_cast<std::size_t>(j)});
      REQUIRE(found != file.entries.end());
      CHECK(found->second == value);
      ++n;
    }
  CHECK(file.entries.size() == n);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Files of block matrices have the scalar entries", "[driver]", test::ExecutionSpaces) {
  using ExecutionSpace = TestType;
  const ExecutionSpace exec;
  const test::TemporaryFolder folder;
  const io::OutputDirectory output(folder.file("out"));
  const io::Case input = case_with_matrix();
  const bool is_symmetric = GENERATE(true, false);
  const bool is_mixed = GENERATE(true, false);
  const std::vector<index_t> sizes = is_mixed ? test::mixed_sizes(12, {1, 3, 6}) : std::vector<index_t>(12, 3);
  const test::Blocks blocks = test::random_blocks(sizes, 4, is_symmetric, 1., 7);
  std::vector<double> b(static_cast<std::size_t>(blocks.n()));
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = 1. / (3. + static_cast<double>(i));
  const auto rhs = test::to_space<linalg::Vector<ExecutionSpace>>(exec, b);

  driver::write_system<ExecutionSpace>(exec, test::block_crs_on(exec, blocks), is_symmetric, rhs, input, output);
  const test::MatrixFile file = test::read_matrix_file(output.file("system.mtx"));
  CHECK(file.format == (is_symmetric ? "coordinate real symmetric" : "coordinate real general"));
  CHECK(file.comments.find("system_rhs.mtx") != std::string::npos);
  check_equal(file, test::rows_of(blocks));
  const test::MatrixFile vector = test::read_matrix_file(output.file("system_rhs.mtx"));
  CHECK(vector.format == "array real general");
  REQUIRE(vector.n_rows == b.size());
  CHECK(vector.n_columns == 1);
  for (std::size_t i = 0; i < b.size(); ++i)
    CHECK(vector.entries.at({i, 0}) == b[i]);

  const test::InBothPrecisions<ExecutionSpace> both(exec, blocks);
  driver::write_system<ExecutionSpace>(exec, both.in_single, is_symmetric, rhs, input, output);
  const auto of_single = test::read_matrix_file(output.file("system.mtx")).entries;
  driver::write_system<ExecutionSpace>(exec, both.in_double, is_symmetric, rhs, input, output);
  CHECK(of_single == test::read_matrix_file(output.file("system.mtx")).entries);
}
