// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_HALO_HPP
#define TESSERA_COMM_HALO_HPP

/// \file
/// Exchange of ghost values: values of unknowns that other processes own.

#include "comm/transport.hpp"
#include "core/parallel.hpp"

#include <string>
#include <vector>

namespace tessera::comm {

/// The communication pattern of ghost values. Process r owns the unknowns [offsets[r], offsets[r + 1]); its ghosts are
/// the unknowns of other processes whose values it needs.
template <class ExecutionSpace> class Halo {
public:
  /// `ghosts`: global indices, ascending. Collective: sends the owners the indices that are needed of them. The
  /// transport must outlive the halo.
  Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
       const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& ghosts);
  /// The same with the ghosts in the device's memory, where they stay; `n_of_owner`: number of ghosts that each process
  /// owns.
  Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
       const std::vector<std::int64_t>& offsets, const Array<const index_t*, ExecutionSpace>& ghosts,
       const std::vector<std::int64_t>& n_of_owner);
  /// Defined by the sender: process r gets the n_for[r] owned unknowns at its section of `positions`, ordered by
  /// process. The receivers are sent the counts; they have these unknowns as ghosts, in the order of ranks. Collective.
  Halo(const ExecutionSpace& exec, const Communicator& world, Transport<ExecutionSpace>& transport,
       std::int64_t n_owned, const Array<index_t*, ExecutionSpace>& positions, const std::vector<std::int64_t>& n_for);

  std::int64_t n_ghosts() const { return n_ghosts_; }
  std::int64_t n_sent() const { return static_cast<std::int64_t>(sent_.extent(0)); }
  /// Indices of the owned unknowns that are sent, neighbour by neighbour.
  const Array<index_t*, ExecutionSpace>& positions() const { return positions_; }
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  Transport<ExecutionSpace>& transport() const { return transport_; }

  /// Copies the owned values to `owned_and_ghosts`, followed by the ghost values in the order of their indices: one
  /// message per neighbour. Collective. Traffic: 16 bytes per owned value and per value sent (the latter at random
  /// addresses), 8 per value received.
  void complete(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& owned,
                const Array<double*, ExecutionSpace>& owned_and_ghosts) const;

  /// Receives the ghost values alone, in the order of their indices. Collective.
  void receive(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& owned,
               const Array<double*, ExecutionSpace>& ghosts) const;

  /// An array of owned values with room for the ghosts after them, which with_ghosts() recognises. It is kept until it
  /// has no other user and a new one is made.
  Array<double*, ExecutionSpace> make_with_ghosts(const ExecutionSpace& exec, const std::string& label) const;
  /// Owned values followed by ghosts: in place if the vector came from make_with_ghosts(), which then only waits for
  /// the messages; otherwise as by complete() in `copy`, which is allocated at the first such call. Collective.
  Array<const double*, ExecutionSpace> with_ghosts(const ExecutionSpace& exec,
                                                   const Array<const double*, ExecutionSpace>& owned,
                                                   Array<double*, ExecutionSpace>& copy) const;

  /// Receives the ghosts after the owned values that are already in `values`, which may be longer. T: double, float,
  /// index_t or std::uint64_t. Collective.
  template <class T> void update(const ExecutionSpace& exec, const Array<T*, ExecutionSpace>& values) const;

private:
  /// Sets the neighbours from the numbers of values sent to and received from each process; `largest`: the largest
  /// message of all processes.
  void set_neighbours(const ExecutionSpace& exec, const std::vector<std::int64_t>& n_sent,
                      const std::vector<std::int64_t>& n_received, std::int64_t largest);
  template <class T> void begin(const ExecutionSpace& exec, const T* owned, T* ghosts) const;

  Transport<ExecutionSpace>& transport_;
  std::vector<Neighbour> neighbours_;
  std::int64_t n_owned_ = 0;
  std::int64_t n_ghosts_ = 0;
  Array<const index_t*, ExecutionSpace> ghosts_;                 // a message may still read them
  Array<index_t*, ExecutionSpace> positions_;                    // indices of the sent values among the owned unknowns
  Array<double*, ExecutionSpace> sent_;                          // or smaller items
  mutable std::vector<Array<double*, ExecutionSpace>> extended_; // held, so that no other array is allocated at their
                                                                 // addresses
};

} // namespace tessera::comm

#endif
