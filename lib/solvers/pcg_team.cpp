// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/pcg_team.hpp"

#include "solvers/pcg_team_kernel.hpp"

#if defined(TESSERA_HAS_DEVICE_SPACE)

namespace tessera::solvers::detail {

namespace {

constexpr int team_size = 1024;

template <class Iterations, class ExecutionSpace> struct TeamKernel {
  Iterations iterations;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<team_size, 1>>;
  using Team = typename Policy::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const { iterations.run(team); }
};

template <Inverse kind, int Lanes, class ExecutionSpace>
void launch(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
            const TeamPcgData& data, int begin, int end) {
  using Iterations = TeamIterations<kind, Lanes>;
  using Kernel = TeamKernel<Iterations, ExecutionSpace>;
  Kokkos::parallel_for(
      "tessera::solvers::pcg_by_team",
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
bool suits_team(const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  return matrix.n_rows() <= max_team_unknowns && matrix.n_entries() <= max_team_entries;
}

template <class ExecutionSpace>
void iterate_by_team(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                     const TeamPcgData& data, int begin, int end) {
  if (data.scale == nullptr)
    launch<Inverse::identity>(exec, matrix, data, begin, end);
  else
    launch<Inverse::pointwise>(exec, matrix, data, begin, end);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template bool suits_team<Space>(const linalg::CrsMatrix<Space::memory_space>&);                                      \
  template void iterate_by_team<Space>(const Space&, const linalg::CrsMatrix<Space::memory_space>&,                    \
                                       const TeamPcgData&, int, int);
TESSERA_FOR_EACH_DEVICE_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers::detail

#endif
