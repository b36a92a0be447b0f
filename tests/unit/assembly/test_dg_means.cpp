// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/mean_couplings.hpp"
#include "dg_problem.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

/// The matrix of means as a dense array, of pure diffusion by the tensor without conditions at the boundary.
template <class ExecutionSpace, int Dim>
std::vector<double> mean_matrix(const ExecutionSpace& exec,
                                const dg::Form<Dim, typename ExecutionSpace::memory_space>& form) {
  const auto assembler = dg::make_assembler<ExecutionSpace, Dim>(form, dg::Strategy::block_rows);
  assembler->symbolic(exec);
  assembler->numeric(exec);
  const auto means = dg::mean_couplings<ExecutionSpace, Dim>(exec, assembler->matrix(), form.space);
  const auto offsets = to_host(exec, means.offsets);
  const auto columns = to_host(exec, means.columns);
  const auto values = to_host(exec, means.values);
  const auto n = static_cast<std::size_t>(form.n_elements());
  std::vector<double> dense(n * n, 0.);
  for (std::size_t i = 0; i < n; ++i)
    for (offset_t k = offsets(i); k < offsets(i + 1); ++k)
      dense[i * n + static_cast<std::size_t>(columns(k))] = values(k);
  return dense;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Means of elements are coupled by the flux between their centres", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const double tensor[2][2] = {{2., 0.5}, {0.5, 1.}};
  physics::AdvectionDiffusionReaction problem;
  problem.regions.resize(1);
  problem.regions[0].diffusion = {physics::Expression(tensor[0][0]), physics::Expression(tensor[0][1]),
                                  physics::Expression(tensor[1][1])};
  for (const index_t width : {1, 2})
    for (const int degree : {1, 3}) {
      CAPTURE(width, degree);
      const auto mesh = polytopic_box<2>(exec, {6, 6}, width);
      const auto form = make_form<TestType, 2>(exec, mesh, degree, problem);
      const std::vector<double> means = mean_matrix<TestType, 2>(exec, form);
      const auto n = static_cast<std::size_t>(form.n_elements());
      const auto host = dg::to_host<TestType, 2>(exec, form);
      int n_compared = 0;
      for (index_t i = 0; i < host.faces.n_interfaces(); ++i) {
        const auto first = static_cast<std::size_t>(host.faces.interface_elements(i, 0));
        const auto second = static_cast<std::size_t>(host.faces.interface_elements(i, 1));
        double along = 0.;
        double square = 0.;
        double distance[2];
        for (int d = 0; d < 2; ++d) {
          distance[d] = 0.5 * (host.space.boxes(second, 0, d) + host.space.boxes(second, 1, d)) -
                        0.5 * (host.space.boxes(first, 0, d) + host.space.boxes(first, 1, d));
          square += distance[d] * distance[d];
        }
        for (index_t face = host.faces.interface_faces(i); face < host.faces.interface_faces(i + 1); ++face) {
          double normal[2];
          const double area = host.face_normal(face, normal);
          for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 2; ++c)
              along += area * distance[r] * tensor[r][c] * normal[c];
        }
        const double coupling = -means[first * n + second];
        CHECK(coupling > 0.);
        CHECK(std::fabs(coupling + means[second * n + first]) <= 1e-12 * coupling);
        if (along > 0.01 * square) { // else at the least that the penalty leaves
          CHECK(std::fabs(coupling - along / square) <= 1e-10 * coupling);
          ++n_compared;
        }
      }
      CHECK(n_compared > host.faces.n_interfaces() / 2);
      for (std::size_t e = 0; e < n; ++e) {
        double sum = 0.;
        for (std::size_t other = 0; other < n; ++other)
          sum += means[e * n + other];
        CHECK(std::fabs(sum) <= 1e-12 * means[e * n + e]);
      }
    }
}

TEMPLATE_LIST_TEST_CASE("Conditions and reaction are in the rows of means as they are", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto mesh = polytopic_box<3>(exec, {3, 3, 3}, 1);
  physics::AdvectionDiffusionReaction problem;
  problem.regions.resize(1);
  problem.regions[0].diffusion = {physics::Expression(1.), physics::Expression(1.), physics::Expression(1.)};
  problem.regions[0].reaction = physics::Expression(3.);
  const auto form = make_form<TestType, 3>(exec, mesh, 1, problem);
  const std::vector<double> means = mean_matrix<TestType, 3>(exec, form);
  double sum = 0.;
  for (const double value : means)
    sum += value;
  CHECK(std::fabs(sum - 3.) <= 1e-12 * 3.); // of the unit box
}

} // namespace tessera::test
