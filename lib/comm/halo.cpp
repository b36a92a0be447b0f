// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/halo.hpp"

#include "core/assert.hpp"
#include "core/upload.hpp"

#include <algorithm>
#include <utility>

namespace tessera::comm {

template <class ExecutionSpace>
Halo<ExecutionSpace>::Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
                           const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& ghosts)
    : transport_(transport),
      n_own_(offsets[static_cast<std::size_t>(world.rank()) + 1] - offsets[static_cast<std::size_t>(world.rank())]),
      n_ghosts_(static_cast<std::int64_t>(ghosts.size())) {
  TESSERA_ASSERT(std::is_sorted(ghosts.begin(), ghosts.end()));
  const auto n = static_cast<std::size_t>(world.size());
  std::vector<std::vector<std::int64_t>> wanted(n);
  for (const std::int64_t ghost : ghosts) {
    const auto owner = std::upper_bound(offsets.begin(), offsets.end(), ghost) - offsets.begin() - 1;
    wanted[static_cast<std::size_t>(owner)].push_back(ghost);
  }
  const std::vector<std::vector<std::int64_t>> asked = world.exchange_lists(wanted);
  std::vector<index_t> places;
  std::int64_t n_received = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const auto sent = static_cast<std::int64_t>(asked[r].size());
    const auto received = static_cast<std::int64_t>(wanted[r].size());
    if (sent + received > 0)
      neighbours_.push_back(
          {static_cast<int>(r), static_cast<std::int64_t>(places.size()), sent, n_received, received});
    for (const std::int64_t unknown : asked[r])
      places.push_back(static_cast<index_t>(unknown - offsets[static_cast<std::size_t>(world.rank())]));
    n_received += received;
  }
  places_ = uploaded(exec, "comm::places_of_sent", places);
  sent_ = make_array<decltype(sent_)>(exec, "comm::sent", places.size());
  std::int64_t largest = 0;
  for (const Neighbour& neighbour : neighbours_)
    largest = std::max({largest, neighbour.n_sent, neighbour.n_received});
  transport.reserve(exec, static_cast<std::size_t>(largest) * sizeof(double));
}

template <class ExecutionSpace>
template <class T>
void Halo<ExecutionSpace>::begin(const ExecutionSpace& exec, const T* own, T* ghosts) const {
  static_assert(sizeof(T) <= sizeof(double), "The buffer is one of doubles.");
  transport_.gather_and_begin(exec, own, places_.data(), sent_.data(), ghosts, neighbours_, sizeof(T));
}

template <class ExecutionSpace>
void Halo<ExecutionSpace>::complete(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& own,
                                    const Array<double*, ExecutionSpace>& own_and_ghosts) const {
  begin(exec, own.data(), own_and_ghosts.data() + n_own_);
  if (n_own_ > 0)
    Kokkos::deep_copy(exec, Kokkos::subview(own_and_ghosts, std::make_pair(std::int64_t(0), n_own_)), own);
  transport_.finish(exec);
}

template <class ExecutionSpace>
void Halo<ExecutionSpace>::receive(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& own,
                                   const Array<double*, ExecutionSpace>& ghosts) const {
  begin(exec, own.data(), ghosts.data());
  transport_.finish(exec);
}

template <class ExecutionSpace>
Array<double*, ExecutionSpace> Halo<ExecutionSpace>::make_with_room(const ExecutionSpace& exec,
                                                                    const std::string& label) const {
  rooms_.erase(std::remove_if(rooms_.begin(), rooms_.end(), [](const auto& room) { return room.use_count() == 1; }),
               rooms_.end());
  rooms_.push_back(make_array<Array<double*, ExecutionSpace>>(exec, label, n_own_ + n_ghosts_));
  return Kokkos::subview(rooms_.back(), std::make_pair(std::int64_t(0), n_own_));
}

template <class ExecutionSpace>
Array<const double*, ExecutionSpace> Halo<ExecutionSpace>::with_ghosts(const ExecutionSpace& exec,
                                                                       const Array<const double*, ExecutionSpace>& own,
                                                                       Array<double*, ExecutionSpace>& copy) const {
  for (const auto& room : rooms_)
    if (room.data() == own.data() && n_own_ > 0) {
      update(exec, room);
      return room;
    }
  if (static_cast<std::int64_t>(copy.extent(0)) != n_own_ + n_ghosts_)
    copy = make_array<Array<double*, ExecutionSpace>>(exec, "comm::own_and_ghosts", n_own_ + n_ghosts_);
  complete(exec, own, copy);
  return copy;
}

template <class ExecutionSpace>
template <class T>
void Halo<ExecutionSpace>::update(const ExecutionSpace& exec, const Array<T*, ExecutionSpace>& values) const {
  begin(exec, static_cast<const T*>(values.data()), values.data() + n_own_);
  transport_.finish(exec);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Halo<Space>;                                                                                          \
  template void Halo<Space>::update(const Space&, const Array<double*, Space>&) const;                                 \
  template void Halo<Space>::update(const Space&, const Array<float*, Space>&) const;                                  \
  template void Halo<Space>::update(const Space&, const Array<index_t*, Space>&) const;                                \
  template void Halo<Space>::update(const Space&, const Array<std::uint64_t*, Space>&) const;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::comm
