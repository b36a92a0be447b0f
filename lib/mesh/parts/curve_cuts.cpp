// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/curve_cuts.hpp"

#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"

namespace tessera::mesh {

namespace {

template <class Space> struct WorkBefore {
  Array<const std::uint64_t*, Space> keys;
  Array<const std::int64_t*, Space> before; // empty: 1 each
  Array<const std::uint64_t*, Space> positions;
  Array<std::int64_t*, Space> work;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    std::int64_t first = 0;
    auto end = static_cast<std::int64_t>(keys.extent(0));
    while (first < end) {
      const std::int64_t middle = (first + end) / 2;
      if (keys(middle) < positions(i))
        first = middle + 1;
      else
        end = middle;
    }
    work(i) = before.extent(0) > 0 ? before(first) : first;
  }
};

} // namespace

template <class ExecutionSpace>
std::vector<std::int64_t> work_before(const ExecutionSpace& exec, const comm::Communicator& world,
                                      const ItemsOnCurve<ExecutionSpace>& items,
                                      const std::vector<std::uint64_t>& positions) {
  using Space = typename ExecutionSpace::memory_space;
  const std::size_t n = positions.size();
  const auto requested = uploaded(exec, "mesh::asked_positions", positions);
  const auto work = make_array<Array<std::int64_t*, Space>>(exec, "mesh::work_before", n);
  for_each("tessera::mesh::work_before", exec, static_cast<std::int64_t>(n),
           WorkBefore<Space>{items.positions, items.work_before, requested, work});
  const auto local = tessera::to_host(exec, work); // waits
  std::vector<std::int64_t> all(n * static_cast<std::size_t>(world.size()));
  world.all_gather(local.data(), n * sizeof(std::int64_t), all.data());
  std::vector<std::int64_t> sums(n, 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    sums[i % n] += all[i];
  return sums;
}

template <class ExecutionSpace>
std::vector<std::uint64_t> cut_curve(const ExecutionSpace& exec, const comm::Communicator& world,
                                     const ItemsOnCurve<ExecutionSpace>& items, int n_bits) {
  const std::uint64_t end = std::uint64_t(1) << n_bits;
  const auto of_all = static_cast<double>(work_before(exec, world, items, {end}).front());
  std::vector<std::uint64_t> cuts(static_cast<std::size_t>(world.size() - 1), 0);
  for (int bit = n_bits - 1; bit >= 0 && !cuts.empty(); --bit) {
    std::vector<std::uint64_t> tried = cuts;
    for (std::uint64_t& position : tried)
      position |= std::uint64_t(1) << bit;
    const std::vector<std::int64_t> before = work_before(exec, world, items, tried);
    for (std::size_t c = 0; c < cuts.size(); ++c)
      if (before[c] <= static_cast<std::int64_t>(of_all / world.size() * static_cast<double>(c + 1)))
        cuts[c] = tried[c];
  }
  cuts.insert(cuts.begin(), 0);
  cuts.push_back(end);
  return cuts;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<std::int64_t> work_before(const SPACE&, const comm::Communicator&, const ItemsOnCurve<SPACE>&,  \
                                                 const std::vector<std::uint64_t>&);                                   \
  template std::vector<std::uint64_t> cut_curve(const SPACE&, const comm::Communicator&, const ItemsOnCurve<SPACE>&,   \
                                                int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
