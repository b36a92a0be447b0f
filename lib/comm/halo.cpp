// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/halo.hpp"

#include "core/assert.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <utility>

namespace tessera::comm {

namespace {

/// Converts global indices to indices among the owned unknowns.
struct Shift {
  index_t first;
  index_t* numbers;
  KOKKOS_FUNCTION void operator()(index_t i) const { numbers[i] -= first; }
};

/// Number of ghosts (ascending) that each process owns.
std::vector<std::int64_t> count_of_owners(const std::vector<std::int64_t>& offsets,
                                          const std::vector<std::int64_t>& ghosts) {
  TESSERA_ASSERT(std::is_sorted(ghosts.begin(), ghosts.end()));
  std::vector<std::int64_t> counts;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    counts.push_back(std::lower_bound(ghosts.begin(), ghosts.end(), offsets[r + 1]) -
                     std::lower_bound(ghosts.begin(), ghosts.end(), offsets[r]));
  return counts;
}

/// Counts of each process for each other process, known to all.
class Table {
public:
  /// Collective.
  Table(const Communicator& world, const std::vector<std::int64_t>& owned)
      : rank_(static_cast<std::size_t>(world.rank())), n_(owned.size()), counts_(n_ * n_) {
    world.all_gather(owned.data(), n_ * sizeof(std::int64_t), counts_.data());
  }
  std::int64_t largest() const { return *std::max_element(counts_.begin(), counts_.end()); }
  /// The counts of the other processes for this one.
  std::vector<std::int64_t> of_others() const {
    std::vector<std::int64_t> result;
    for (std::size_t r = 0; r < n_; ++r)
      result.push_back(counts_[r * n_ + rank_]);
    return result;
  }

private:
  std::size_t rank_;
  std::size_t n_;
  std::vector<std::int64_t> counts_;
};

} // namespace

template <class ExecutionSpace>
Halo<ExecutionSpace>::Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
                           const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& ghosts)
    : Halo(exec, world, transport, offsets,
           uploaded(exec, "comm::ghosts", std::vector<index_t>(ghosts.begin(), ghosts.end())),
           count_of_owners(offsets, ghosts)) {}

template <class ExecutionSpace>
Halo<ExecutionSpace>::Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
                           const std::vector<std::int64_t>& offsets,
                           const Array<const index_t*, ExecutionSpace>& ghosts,
                           const std::vector<std::int64_t>& n_of_owner)
    : transport_(transport),
      n_owned_(offsets[static_cast<std::size_t>(world.rank()) + 1] - offsets[static_cast<std::size_t>(world.rank())]),
      ghosts_(ghosts) {
  const Table wanted(world, n_of_owner);
  set_neighbours(exec, wanted.of_others(), n_of_owner, wanted.largest());
  positions_ = make_array<decltype(positions_)>(exec, "comm::positions_of_sent", sent_.extent(0));
  std::vector<Neighbour> back = neighbours_; // requests go in the opposite direction to the values
  for (Neighbour& neighbour : back) {
    std::swap(neighbour.first_sent, neighbour.first_received);
    std::swap(neighbour.n_sent, neighbour.n_received);
  }
  transport.exchange(exec, ghosts_.data(), positions_.data(), back, sizeof(index_t));
  for_each("tessera::comm::positions_of_sent", exec, n_sent(),
           Shift{static_cast<index_t>(offsets[static_cast<std::size_t>(world.rank())]), positions_.data()});
}

template <class ExecutionSpace>
Halo<ExecutionSpace>::Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
                           std::int64_t n_owned, const Array<index_t*, ExecutionSpace>& positions,
                           const std::vector<std::int64_t>& n_for)
    : transport_(transport), n_owned_(n_owned), positions_(positions) {
  const Table sent(world, n_for);
  set_neighbours(exec, n_for, sent.of_others(), sent.largest());
}

template <class ExecutionSpace>
void Halo<ExecutionSpace>::set_neighbours(const ExecutionSpace& exec, const std::vector<std::int64_t>& n_sent,
                                          const std::vector<std::int64_t>& n_received, std::int64_t largest) {
  std::int64_t first_sent = 0;
  for (std::size_t r = 0; r < n_sent.size(); ++r) {
    if (n_sent[r] + n_received[r] > 0)
      neighbours_.push_back({static_cast<int>(r), first_sent, n_sent[r], n_ghosts_, n_received[r]});
    first_sent += n_sent[r];
    n_ghosts_ += n_received[r];
  }
  sent_ = make_array<decltype(sent_)>(exec, "comm::sent", first_sent);
  transport_.reserve(exec, static_cast<std::size_t>(largest) * sizeof(double));
}

template <class ExecutionSpace>
template <class T>
void Halo<ExecutionSpace>::begin(const ExecutionSpace& exec, const T* owned, T* ghosts) const {
  static_assert(sizeof(T) <= sizeof(double), "The buffer is one of doubles.");
  transport_.gather_and_begin(exec, owned, positions_.data(), sent_.data(), ghosts, neighbours_, sizeof(T));
}

template <class ExecutionSpace>
void Halo<ExecutionSpace>::complete(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& owned,
                                    const Array<double*, ExecutionSpace>& owned_and_ghosts) const {
  begin(exec, owned.data(), owned_and_ghosts.data() + n_owned_);
  if (n_owned_ > 0)
    Kokkos::deep_copy(exec, Kokkos::subview(owned_and_ghosts, std::make_pair(std::int64_t(0), n_owned_)), owned);
  transport_.finish(exec);
}

template <class ExecutionSpace>
void Halo<ExecutionSpace>::receive(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& owned,
                                   const Array<double*, ExecutionSpace>& ghosts) const {
  begin(exec, owned.data(), ghosts.data());
  transport_.finish(exec);
}

template <class ExecutionSpace>
Array<double*, ExecutionSpace> Halo<ExecutionSpace>::make_with_ghosts(const ExecutionSpace& exec,
                                                                      const std::string& label) const {
  extended_.erase(std::remove_if(extended_.begin(), extended_.end(),
                                 [](const auto& extended) { return extended.use_count() == 1; }),
                  extended_.end());
  extended_.push_back(make_array<Array<double*, ExecutionSpace>>(exec, label, n_owned_ + n_ghosts_));
  return Kokkos::subview(extended_.back(), std::make_pair(std::int64_t(0), n_owned_));
}

template <class ExecutionSpace>
Array<const double*, ExecutionSpace>
Halo<ExecutionSpace>::with_ghosts(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& owned,
                                  Array<double*, ExecutionSpace>& copy) const {
  for (const auto& extended : extended_)
    if (extended.data() == owned.data() && n_owned_ > 0) {
      update(exec, extended);
      return extended;
    }
  if (static_cast<std::int64_t>(copy.extent(0)) != n_owned_ + n_ghosts_)
    copy = make_array<Array<double*, ExecutionSpace>>(exec, "comm::owned_and_ghosts", n_owned_ + n_ghosts_);
  complete(exec, owned, copy);
  return copy;
}

template <class ExecutionSpace>
template <class T>
void Halo<ExecutionSpace>::update(const ExecutionSpace& exec, const Array<T*, ExecutionSpace>& values) const {
  begin(exec, static_cast<const T*>(values.data()), values.data() + n_owned_);
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
