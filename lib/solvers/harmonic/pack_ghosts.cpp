// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/pack_ghosts.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace tessera::solvers {

namespace {

/// The numbers of each ghost, in their order.
struct NumbersOfGhosts {
  int width;
  const index_t* ghosts;
  index_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    numbers[k] = ghosts[k / width] * width + static_cast<index_t>(k % width);
  }
};

} // namespace

template <class ExecutionSpace>
const comm::Halo<ExecutionSpace>& PackGhosts<ExecutionSpace>::halo(const ExecutionSpace& exec, int width) const {
  auto& kept = (*halos_)[width];
  if (!kept) {
    std::vector<std::int64_t> offsets;
    for (const std::int64_t offset : offsets_)
      offsets.push_back(width * offset);
    checked_index(offsets.back(), "numbers of the unknowns of all processes");
    const std::int64_t n = std::int64_t(width) * columns_.n_ghosts();
    const auto numbers = make_array<Array<index_t*, ExecutionSpace>>(exec, "solvers::numbers_of_ghosts", n);
    for_each("tessera::solvers::numbers_of_ghosts", exec, n,
             NumbersOfGhosts{width, columns_.ghosts.data(), numbers.data()});
    kept = comm::make_layout(exec, group_, offsets, numbers).halo;
  }
  return *kept;
}

#define TESSERA_INSTANTIATE(Space) template class PackGhosts<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
