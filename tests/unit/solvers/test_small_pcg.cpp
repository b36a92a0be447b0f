// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/reduce.hpp"
#include "linalg/vector_kernels.hpp"
#include "solve.hpp"
#include "solvers/small_pcg_kernel.hpp"
#include "support/spaces.hpp"
#include "support/thread_team.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace {

using namespace tessera;
using Host = Kokkos::DefaultHostExecutionSpace;
using solvers::detail::Inverse;

/// Sum of a[i] * b[i] in the order of core/reduce.hpp.
double ordered_dot(const Host& exec, const linalg::Vector<Host>& a, const linalg::Vector<Host>& b) {
  return ordered_sum("tessera::test::dot", exec, static_cast<std::int64_t>(a.extent(0)),
                     linalg::Products{a.data(), b.data()});
}

/// A preconditioner that a solver has to apply.
template <class ExecutionSpace> class NotPointwise final : public solvers::Preconditioner<ExecutionSpace> {
public:
  using typename solvers::Preconditioner<ExecutionSpace>::vector_type;
  using typename solvers::Preconditioner<ExecutionSpace>::const_vector_type;
  std::string name() const override { return "test"; }
  bool is_symmetric() const override { return true; }
  void apply(const ExecutionSpace&, const const_vector_type&, const vector_type&) const override {}
};

/// `n_iterations` of the team's kernel from x = 0, run by 256 threads; returns x.
template <Inverse kind, int NSums>
std::vector<double> iterate(const Host& exec, const test::Rows& rows, const std::vector<double>& b, int n_iterations) {
  const auto matrix = test::crs_on(exec, rows);
  const auto n = static_cast<index_t>(rows.size());
  REQUIRE(linalg::accumulators_per_row(n, matrix.n_entries()) == NSums);
  std::vector<double> scale(b.size(), 1.);
  for (std::size_t i = 0; kind == Inverse::pointwise && i < b.size(); ++i)
    scale[i] = 1. / rows[i].at(static_cast<index_t>(i));
  std::vector<double> z(b.size());
  for (std::size_t i = 0; i < b.size(); ++i)
    z[i] = scale[i] * b[i];
  const auto r = test::vector_on(exec, b);
  const auto kept = test::vector_on(exec, z); // of r and z
  const auto p = test::vector_on(exec, z);
  const auto s = test::vector_on(exec, scale);
  const auto x = test::vector_on(exec, std::vector<double>(b.size(), 0.));
  const auto q = test::vector_on(exec, std::vector<double>(b.size(), 0.));
  std::vector<solvers::SolverRecord> records(static_cast<std::size_t>(n_iterations));
  solvers::PcgState state{};
  state.rz = ordered_dot(exec, r, p);
  state.rr = ordered_dot(exec, r, r);
  state.status = solvers::DeviceStatus::running;
  const solvers::detail::TeamPcgData data{&state,         kind == Inverse::pointwise ? s.data() : nullptr,
                                          kept.data(),    p.data(),
                                          q.data(),       x.data(),
                                          records.data(), n_iterations};
  test::run_team(256, 0, [&](const test::ThreadTeam& team) {
    const solvers::detail::TeamIterations<kind, NSums> iterations{
        {{linalg::product_of(matrix, p.data(), q.data())}}, data, n, 0, n_iterations};
    iterations.run(team);
  });
  REQUIRE(state.iteration == n_iterations);
  for (int k = 0; k < n_iterations; ++k) {
    REQUIRE(records[static_cast<std::size_t>(k)].iteration == k + 1);
    REQUIRE(records[static_cast<std::size_t>(k)].status == solvers::DeviceStatus::running);
  }
  REQUIRE(records.back().rr == state.rr);
  return test::values_of(exec, x);
}

std::vector<double> expected(const Host& exec, const test::Rows& rows, const std::vector<double>& b,
                             const std::string& preconditioner, int n_iterations) {
  solvers::PcgOptions options;
  options.relative_tolerance = 0.;
  options.max_iterations = n_iterations;
  return test::solve(exec, rows, b, preconditioner, options).x;
}

} // namespace

TEST_CASE("Iterations by one team have the bits of the loops over the unknowns", "[solvers]") {
  const Host exec;
  const test::Rows several_blocks = test::laplacian(75, 67); // 5025 unknowns: three blocks of a sum
  const auto b = test::random_vector(static_cast<index_t>(several_blocks.size()), 3);
  CHECK(iterate<Inverse::pointwise, 1>(exec, several_blocks, b, 3) == expected(exec, several_blocks, b, "jacobi", 3));
  CHECK(iterate<Inverse::identity, 1>(exec, several_blocks, b, 3) == expected(exec, several_blocks, b, "none", 3));

  test::Rows long_rows = test::laplacian(31, 10);
  for (index_t i = 0; i < 310; ++i)
    for (const index_t j : {i + 40, i + 77, i + 101, i + 130, i + 151, i + 171, i + 199})
      if (j < 310)
        long_rows[static_cast<std::size_t>(i)][j] = long_rows[static_cast<std::size_t>(j)][i] = 0.01;
  const auto c = test::random_vector(310, 4);
  CHECK(iterate<Inverse::pointwise, 4>(exec, long_rows, c, 4) == expected(exec, long_rows, c, "jacobi", 4));
}

TEMPLATE_LIST_TEST_CASE("Small systems are solved by one kernel on devices, with the same bits", "[solvers][device]",
                        test::ExecutionSpaces) {
  using Small = solvers::SmallPcg<TestType>;
  const TestType exec;
  for (const index_t nx : {40, 160}) { // 4000 and 16000 unknowns; up to 8192 are small
    CAPTURE(nx);
    const test::Rows rows = test::laplacian(nx, 100);
    const auto a = test::operator_on(exec, rows);
    const solvers::Jacobi<TestType> jacobi(exec, a);
    CHECK(Small::suits(a, jacobi) == (!is_host_space<TestType> && nx == 40));
    CHECK_FALSE(Small::suits(a, NotPointwise<TestType>()));
    if constexpr (!is_host_space<TestType>) {
      if (!Small::suits(a, jacobi))
        continue;
      const auto b = test::random_vector(nx * 100, 11);
      const auto x = test::vector_on(exec, std::vector<double>(rows.size(), 0.));
      const solvers::PcgResult result = Small().solve(exec, a, jacobi, test::vector_on(exec, b), x);
      const auto other = test::solve(Host(), rows, b, "jacobi", solvers::PcgOptions());
      CHECK(result.status == solvers::SolverStatus::converged);
      CHECK(result.message == other.result.message);
      CHECK(result.history == other.result.history);
      CHECK(test::values_of(exec, x) == other.x);
    }
  }
}
