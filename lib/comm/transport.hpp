// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_TRANSPORT_HPP
#define TESSERA_COMM_TRANSPORT_HPP

/// \file
/// The ways by which numbers in the memory of a device reach other processes.

#include "comm/communicator.hpp"
#include "core/types.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::comm {

/// What a process sends to another one and receives from it, as places of items in its two buffers.
struct Neighbour {
  int process;
  std::int64_t first_sent;
  std::int64_t n_sent;
  std::int64_t first_received;
  std::int64_t n_received;
};

/// Moves numbers between the memories of processes: items of any type, of `item_size` bytes. All functions are
/// collective and ordered on the instance: the results are there for later work on it, not yet for the host. Between
/// begin() and finish() of an exchange none but finish() may be called: it throws an error, as buffers are those of one
/// exchange.
template <class ExecutionSpace> class Transport {
public:
  virtual ~Transport() = default;
  /// "MPI on host memory", "MPI through pinned host memory", "direct writes between GPUs", "NCCL".
  virtual std::string name() const = 0;
  /// Makes room for exchanges with messages of so many bytes, the same number in all processes. May wait.
  void reserve(const ExecutionSpace& exec, std::size_t largest_message);
  /// Begins to exchange pieces with the neighbours, whose lists match on both sides. Work that is queued between
  /// begin() and finish() runs meanwhile; it may not touch the two buffers.
  void begin(const ExecutionSpace& exec, const void* sent, void* received, const std::vector<Neighbour>& neighbours,
             std::size_t item_size);
  /// The same with item i of what is sent taken from `own`, item places[i], of 4 or 8 bytes. `sent` has room for all
  /// that goes out; where the way needs no buffer, nothing is written there.
  void gather_and_begin(const ExecutionSpace& exec, const void* own, const index_t* places, void* sent, void* received,
                        const std::vector<Neighbour>& neighbours, std::size_t item_size);
  void finish(const ExecutionSpace& exec);
  /// begin() and finish() for messages of any size, whatever was reserved.
  void exchange(const ExecutionSpace& exec, const void* sent, void* received, const std::vector<Neighbour>& neighbours,
                std::size_t item_size);
  /// Whether exchanges are kernels alone, which may be recorded (RecordedKernels).
  virtual bool is_recordable() const { return false; }
  /// Replaces each of `n` values by its sum over the processes, added in the order of ranks: all processes have the
  /// same bits.
  void sum(const ExecutionSpace& exec, double* values, int n);
  /// Communicator::all_gather_parts() on this memory.
  void all_gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                        std::size_t item_size);

protected:
  // What the functions above do, once no exchange is open; end() closes it.
  virtual void make_room(const ExecutionSpace&, std::size_t largest_message) { static_cast<void>(largest_message); }
  virtual void start(const ExecutionSpace& exec, const void* sent, void* received,
                     const std::vector<Neighbour>& neighbours, std::size_t item_size) = 0;
  virtual void gather_and_start(const ExecutionSpace& exec, const void* own, const index_t* places, void* sent,
                                void* received, const std::vector<Neighbour>& neighbours, std::size_t item_size);
  virtual void end(const ExecutionSpace& exec) = 0;
  virtual void start_and_end(const ExecutionSpace& exec, const void* sent, void* received,
                             const std::vector<Neighbour>& neighbours, std::size_t item_size) {
    start(exec, sent, received, neighbours, item_size);
    end(exec);
  }
  virtual void add(const ExecutionSpace& exec, double* values, int n) = 0;
  virtual void gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                            std::size_t item_size) = 0;

private:
  void require_idle() const;

  bool is_open_ = false; ///< an exchange has begun
};

/// The processes of a run and the way between the memories of their devices. Without one: a process alone, for which
/// nothing is exchanged.
template <class ExecutionSpace> struct Group {
  const Communicator* world = &alone();
  Transport<ExecutionSpace>* transport = nullptr;
  bool is_alone() const { return transport == nullptr; }
};

/// An error of kind input where a way is asked for that this build, the space or the machine does not have. Collective.
template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_transport(const ExecutionSpace& exec, const Communicator& world,
                                                          Messages messages = Messages::automatic);

namespace detail {
/// By kernels that write into the memory of other devices of the machine. Null, and `by_host` remains, where devices
/// have no such way to each other, or the processes are on several machines.
template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_peer_transport(const ExecutionSpace& exec, const Communicator& world,
                                                               std::unique_ptr<Transport<ExecutionSpace>>& by_host);
/// Null where the build has no NCCL. `by_host` is for sums: a few numbers take less time through the host's memory.
template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_nccl_transport(const ExecutionSpace& exec, const Communicator& world,
                                                               std::unique_ptr<Transport<ExecutionSpace>> by_host);
} // namespace detail

} // namespace tessera::comm

#endif
