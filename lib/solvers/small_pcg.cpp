// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/small_pcg.hpp"

#include "solvers/small_pcg_kernel.hpp"

#if defined(TESSERA_HAS_DEVICE_SPACE)

namespace tessera::solvers {

namespace {

using namespace detail;

constexpr int team_size = 1024;
constexpr int iterations_per_launch = 80;

template <class Iterations, class ExecutionSpace> struct TeamKernel {
  Iterations iterations;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<team_size, 1>>;
  using Team = typename Policy::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const { iterations.run(team); }
};

template <Inverse kind, int NSums, class ExecutionSpace>
void launch(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
            const TeamPcgData& data, int begin, int end) {
  using Iterations = TeamIterations<kind, NSums>;
  using Kernel = TeamKernel<Iterations, ExecutionSpace>;
  launch_teams("tessera::solvers::pcg_by_team",
               typename Kernel::Policy(exec, 1, team_size).set_scratch_size(0, Kokkos::PerTeam(TeamPcgScratch::bytes)),
               Kernel{Iterations{{{linalg::product_of(matrix, data.p, data.q)}}, data, matrix.n_rows(), begin, end}});
}

template <Inverse kind, class ExecutionSpace>
void launch(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
            const TeamPcgData& data, int begin, int end) {
  switch (linalg::accumulators_per_row(matrix.n_rows(), matrix.n_entries())) {
  case 1:
    return launch<kind, 1>(exec, matrix, data, begin, end);
  case 4:
    return launch<kind, 4>(exec, matrix, data, begin, end);
  default:
    return launch<kind, 8>(exec, matrix, data, begin, end);
  }
}

} // namespace

template <class ExecutionSpace>
PcgResult SmallPcg<ExecutionSpace>::solve(const ExecutionSpace& exec, const operator_type& a,
                                          const preconditioner_type& m, const const_vector_type& b,
                                          const vector_type& x) {
  TESSERA_ASSERT(suits(a, m));
  return this->solve_by(exec, a, m, b, x, iterations_per_launch, [&](int interval, PcgResult& result) {
    const auto scale = m.pointwise().scale;
    const TeamPcgData data{this->state_.data(), scale.data(), this->r_.data(),       this->p_.data(),
                           this->q_.data(),     x.data(),     this->records_.data(), this->n_records()};
    const matrix_type& matrix = *linalg::matrix_of<matrix_type>(a);
    const auto steps = [&](int begin, int end) {
      if (scale.extent(0) == 0)
        launch<Inverse::identity>(exec, matrix, data, begin, end);
      else
        launch<Inverse::pointwise>(exec, matrix, data, begin, end);
    };
    this->iterate(exec, interval, steps, result);
  });
}

#define TESSERA_INSTANTIATE(Space) template class SmallPcg<Space>;
TESSERA_FOR_EACH_DEVICE_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers

#endif
