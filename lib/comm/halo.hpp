// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_HALO_HPP
#define TESSERA_COMM_HALO_HPP

/// \file
/// Values of unknowns that other processes own.

#include "comm/transport.hpp"
#include "core/parallel.hpp"

#include <string>
#include <vector>

namespace tessera::comm {

/// Who sends which of its unknowns to whom. Process r owns the unknowns [offsets[r], offsets[r + 1]) of all; its ghosts
/// are unknowns of others whose values it needs.
template <class ExecutionSpace> class Halo {
public:
  /// `ghosts`: global numbers, ascending. Collective: tells the owners what is needed of them. The transport must stay.
  Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
       const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& ghosts);
  /// The same by ghosts in the device's memory, which stay there; `n_of_owner`: how many of them each process owns.
  Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
       const std::vector<std::int64_t>& offsets, const Array<const index_t*, ExecutionSpace>& ghosts,
       const std::vector<std::int64_t>& n_of_owner);
  /// By what is sent: the own unknowns at `places`, n_for[r] for process r, one process's after the other. Tells each
  /// process how many it gets, which has them as its ghosts in the order of ranks. Collective.
  Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport, std::int64_t n_own,
       const Array<index_t*, ExecutionSpace>& places, const std::vector<std::int64_t>& n_for);

  std::int64_t n_ghosts() const { return n_ghosts_; }
  std::int64_t n_sent() const { return static_cast<std::int64_t>(sent_.extent(0)); }
  /// Own unknowns whose values are sent, one neighbour's after the other.
  const Array<index_t*, ExecutionSpace>& places() const { return places_; }
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  Transport<ExecutionSpace>& transport() const { return transport_; }

  /// Puts the own values, and behind them those of the ghosts in the order of their numbers, into `own_and_ghosts`: one
  /// message per neighbour. Collective. Traffic: 16 bytes per own value and per value sent (these at random places), 8
  /// per value received.
  void complete(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& own,
                const Array<double*, ExecutionSpace>& own_and_ghosts) const;

  /// The values of the ghosts alone, in the order of their numbers. Collective.
  void receive(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& own,
               const Array<double*, ExecutionSpace>& ghosts) const;

  /// An array of own values with room for the ghosts behind them, which with_ghosts() knows again. Kept until it has no
  /// other user and another one is made.
  Array<double*, ExecutionSpace> make_with_room(const ExecutionSpace& exec, const std::string& label) const;
  /// The own values with those of the ghosts behind them: where they are, if make_with_room() made them, which then
  /// wait for the messages alone; else as by complete() in `copy`, which gets its memory at the first such call.
  /// Collective.
  Array<const double*, ExecutionSpace> with_ghosts(const ExecutionSpace& exec,
                                                   const Array<const double*, ExecutionSpace>& own,
                                                   Array<double*, ExecutionSpace>& copy) const;

  /// The same where the own values are in `values` already, which may be longer. T: double, float, index_t or
  /// std::uint64_t. Collective.
  template <class T> void update(const ExecutionSpace& exec, const Array<T*, ExecutionSpace>& values) const;

private:
  /// The neighbours by what goes to each process and comes from it; `largest`: of all messages of all processes.
  void set_neighbours(const ExecutionSpace& exec, const std::vector<std::int64_t>& n_sent,
                      const std::vector<std::int64_t>& n_received, std::int64_t largest);
  template <class T> void begin(const ExecutionSpace& exec, const T* own, T* ghosts) const;

  Transport<ExecutionSpace>& transport_;
  std::vector<Neighbour> neighbours_;
  std::int64_t n_own_ = 0;
  std::int64_t n_ghosts_ = 0;
  Array<const index_t*, ExecutionSpace> ghosts_;              // a message may still read them
  Array<index_t*, ExecutionSpace> places_;                    // of the values sent, among the own unknowns
  Array<double*, ExecutionSpace> sent_;                       // or smaller items
  mutable std::vector<Array<double*, ExecutionSpace>> rooms_; // held, so that no other array takes their place
};

} // namespace tessera::comm

#endif
