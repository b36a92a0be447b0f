// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_DISTRIBUTED_UNKNOWNS_HPP
#define TESSERA_DRIVER_SOLUTION_DISTRIBUTED_UNKNOWNS_HPP

#include "comm/layout.hpp"
#include "comm/transport.hpp"
#include "core/keep_alive.hpp"
#include "core/timer.hpp"
#include "driver/solve_report.hpp"
#include "linalg/distributed/distributed_sums.hpp"
#include "linalg/operator.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::driver {

/// Unknowns of a process that has only its part of the mesh. The owned ones are contiguous; the others are all those of
/// elements at owned nodes: more than the ghosts of its rows, as owned nodes may be fixed.
template <class ExecutionSpace> struct UnknownsOfPart {
  index_t first_owned;
  std::vector<std::int64_t> others;                ///< global indices, ascending
  Array<const index_t*, ExecutionSpace> positions; ///< indices among the part's unknowns
};

namespace detail {
/// Copies the values after the owned ones to their indices among a part's unknowns.
template <class ExecutionSpace> struct PlaceOthers {
  Array<const index_t*, ExecutionSpace> positions;
  Array<const double*, ExecutionSpace> owned_first;
  index_t n_owned;
  Array<double*, ExecutionSpace> all;
  KOKKOS_FUNCTION void operator()(index_t i) const { all(positions(i)) = owned_first(n_owned + i); }
};
} // namespace detail

/// Unknowns that are distributed over processes: sums over them, values of ghosts, vectors of owned ones and of all.
/// One process owns all of them. Member functions are collective.
template <class ExecutionSpace> class DistributedUnknowns {
public:
  using vector_type = linalg::Vector<ExecutionSpace>;

  /// Of a single process.
  explicit DistributedUnknowns(index_t n) : offsets_{0, n}, owned_(comm::Layout<ExecutionSpace>::local(n)) {}
  /// Process r owns the unknowns [offsets[r], offsets[r + 1]); `ghosts`: those of other processes that this one needs,
  /// ascending. `same_bits`: sums do not depend on the number of processes. World and transport must outlive this
  /// object. `part`: "all" unknowns below are those of the process's part of the mesh. `Ghosts`: a vector of
  /// std::int64_t, or an array of index_t in the device's memory.
  template <class Ghosts>
  DistributedUnknowns(const ExecutionSpace& exec, const comm::Communicator& world,
                      comm::Transport<ExecutionSpace>& transport, std::vector<std::int64_t> offsets,
                      const Ghosts& ghosts, bool same_bits,
                      const std::optional<UnknownsOfPart<ExecutionSpace>>& part = {})
      : group_{&world, &transport}, offsets_(std::move(offsets)), sums_(exec, group_, offsets_, same_bits),
        owned_(comm::make_layout(exec, group_, offsets_, ghosts)),
        largest_halo_(world.largest(static_cast<double>(ghosts.size()))), part_(part) {
    if (part_)
      all_of_part_.emplace(exec, world, transport, offsets_, part_->others);
  }

  /// See comm::ProcessGroup.
  bool is_distributed() const { return group_.is_distributed(); }
  const linalg::DistributedSums<ExecutionSpace>& sums() const { return sums_; }
  const comm::Halo<ExecutionSpace>& halo() const { return *owned_.halo; }
  const comm::ProcessGroup<ExecutionSpace>& group() const { return group_; }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  comm::Shares<ExecutionSpace> shares() const { return {group_, offsets_}; }
  const comm::Layout<ExecutionSpace>& layout() const { return owned_; }

  std::int64_t n_owned() const { return owned_.n_owned; }
  /// The owned entries of a vector of all unknowns.
  vector_type owned_of_all(const vector_type& all) const {
    const index_t first = part_ ? part_->first_owned : owned_.first;
    return Kokkos::subview(all, std::make_pair(first, first + owned_.n_owned));
  }
  /// Completes a vector of all unknowns from the owned entries of every process.
  void gather(const ExecutionSpace& exec, const vector_type& all) const {
    if (part_) {
      const auto owned_first =
          make_array<vector_type>(exec, "driver::owned_first", owned_.n_owned + all_of_part_->n_ghosts());
      all_of_part_->complete(exec, owned_of_all(all), owned_first);
      for_each("tessera::driver::place_others", exec, all_of_part_->n_ghosts(),
               detail::PlaceOthers<ExecutionSpace>{part_->positions, owned_first, owned_.n_owned, all});
      keep_alive(exec, owned_first);
      return;
    }
    group_.all_gather_parts(exec, all.data(), offsets_, sizeof(double));
  }
  /// All values from the owned ones: `owned` itself in one process, otherwise in `all`.
  linalg::ConstVector<ExecutionSpace> completed(const ExecutionSpace& exec,
                                                const linalg::ConstVector<ExecutionSpace>& owned,
                                                const vector_type& all) const {
    if (!is_distributed())
      return owned;
    Kokkos::deep_copy(exec, owned_of_all(all), owned);
    gather(exec, all);
    return all;
  }

  ProcessSummary summary() const {
    if (!is_distributed())
      return {};
    ProcessSummary summary;
    summary.number = static_cast<int>(offsets_.size()) - 1;
    summary.transport = group_.transport->name();
    summary.smallest_part = static_cast<double>(offsets_.back());
    for (std::size_t r = 1; r < offsets_.size(); ++r) {
      const auto size = static_cast<double>(offsets_[r] - offsets_[r - 1]);
      summary.smallest_part = std::min(summary.smallest_part, size);
      summary.largest_part = std::max(summary.largest_part, size);
    }
    summary.largest_halo = largest_halo_;
    return summary;
  }

private:
  comm::ProcessGroup<ExecutionSpace> group_;
  std::vector<std::int64_t> offsets_;
  linalg::DistributedSums<ExecutionSpace> sums_;
  comm::Layout<ExecutionSpace> owned_;
  double largest_halo_ = 0.;
  std::optional<UnknownsOfPart<ExecutionSpace>> part_;
  std::optional<comm::Halo<ExecutionSpace>> all_of_part_;
};

/// Connects the processes and distributes a problem over them, each unless that is done. A single process gets all of
/// the problem. Returns the summary.
template <class ExecutionSpace, class Problem, class Distribution>
ProcessSummary distribute(const ExecutionSpace& exec, const comm::Communicator& world, comm::Messages messages,
                          const Problem& problem, bool same_bits, PhaseLog& log,
                          std::unique_ptr<comm::Transport<ExecutionSpace>>& transport,
                          std::optional<Distribution>& distribution) {
  if (world.size() == 1) {
    if (!distribution)
      distribution.emplace(problem);
    return {};
  }
  if (!transport)
    log.run("processes: connect", exec, [&] { transport = comm::make_transport(exec, world, messages); });
  if (!distribution)
    log.run("processes: distribute", exec, [&] { distribution.emplace(exec, world, *transport, problem, same_bits); });
  return distribution->unknowns().summary();
}

} // namespace tessera::driver

#endif
