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

  std::int64_t n_ghosts() const { return n_ghosts_; }
  std::int64_t n_sent() const { return static_cast<std::int64_t>(sent_.extent(0)); }

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
  template <class T> void begin(const ExecutionSpace& exec, const T* own, T* ghosts) const;

  Transport<ExecutionSpace>& transport_;
  std::vector<Neighbour> neighbours_;
  std::int64_t n_own_;
  std::int64_t n_ghosts_;
  Array<index_t*, ExecutionSpace> places_;                    // of the values sent, among the own unknowns
  Array<double*, ExecutionSpace> sent_;                       // or smaller items
  mutable std::vector<Array<double*, ExecutionSpace>> rooms_; // held, so that no other array takes their place
};

} // namespace tessera::comm

#endif
