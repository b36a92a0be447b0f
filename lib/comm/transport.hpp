// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_TRANSPORT_HPP
#define TESSERA_COMM_TRANSPORT_HPP

/// \file
/// Transports: the ways in which data in device memory reach other processes.

#include "comm/communicator.hpp"
#include "core/types.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::comm {

/// Ranges of items, in the two buffers, that a process sends to a neighbour and receives from it.
struct Neighbour {
  int process;
  std::int64_t first_sent;
  std::int64_t n_sent;
  std::int64_t first_received;
  std::int64_t n_received;
};

/// Moves data between the memories of processes: items of any type, of `item_size` bytes. All functions are collective
/// and ordered on the instance: later work on it sees the results, the host does not yet. Between begin() and finish()
/// only finish() may be called, as the buffers belong to one exchange; other calls throw an error.
template <class ExecutionSpace> class Transport {
public:
  virtual ~Transport() = default;
  /// "MPI on host memory", "MPI through pinned host memory", "direct writes between GPUs", "NCCL".
  virtual std::string name() const = 0;
  /// Reserves buffers for exchanges with messages of this many bytes, the same number in all processes. May wait.
  void reserve(const ExecutionSpace& exec, std::size_t largest_message);
  /// Begins to exchange pieces with the neighbours, whose lists match on both sides. Work queued between begin() and
  /// finish() overlaps with it; it must not touch the two buffers.
  void begin(const ExecutionSpace& exec, const void* sent, void* received, const std::vector<Neighbour>& neighbours,
             std::size_t item_size);
  /// The same, where item i sent is item positions[i] of `owned`, of 4 or 8 bytes. `sent` has room for all items sent;
  /// a transport that needs no buffer does not write to it.
  void gather_and_begin(const ExecutionSpace& exec, const void* owned, const index_t* positions, void* sent,
                        void* received, const std::vector<Neighbour>& neighbours, std::size_t item_size);
  void finish(const ExecutionSpace& exec);
  /// begin() and finish() for messages of any size, whatever was reserved.
  void exchange(const ExecutionSpace& exec, const void* sent, void* received, const std::vector<Neighbour>& neighbours,
                std::size_t item_size);
  /// Whether exchanges consist of kernels only, which can be recorded (RecordedKernels).
  virtual bool is_recordable() const { return false; }
  /// Replaces each of `n` values by its sum over the processes, added in the order of ranks: all processes have the
  /// same bits.
  void sum(const ExecutionSpace& exec, double* values, int n);
  /// Communicator::all_gather_parts() for memory of the space.
  void all_gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                        std::size_t item_size);

protected:
  // Implementations of the functions above, called while no exchange is open; end() closes it.
  virtual void reserve_messages(const ExecutionSpace&, std::size_t largest_message) {
    static_cast<void>(largest_message);
  }
  virtual void start(const ExecutionSpace& exec, const void* sent, void* received,
                     const std::vector<Neighbour>& neighbours, std::size_t item_size) = 0;
  virtual void gather_and_start(const ExecutionSpace& exec, const void* owned, const index_t* positions, void* sent,
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

/// The processes of a run and the transport between their devices. Default: a single process, for which collective
/// functions do nothing.
template <class ExecutionSpace> struct ProcessGroup {
  const Communicator* world = &alone();
  Transport<ExecutionSpace>* transport = nullptr;

  /// Whether there are several processes. For algorithms that cost more with several; collective functions need no
  /// test.
  bool is_distributed() const { return transport != nullptr; }
  /// Transport::sum().
  void sum(const ExecutionSpace& exec, double* values, int n) const {
    if (transport != nullptr)
      transport->sum(exec, values, n);
  }
  /// Transport::all_gather_parts().
  void all_gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                        std::size_t item_size) const {
    if (transport != nullptr)
      transport->all_gather_parts(exec, values, offsets, item_size);
  }
  /// Transport::is_recordable().
  bool is_recordable() const { return transport == nullptr || transport->is_recordable(); }
};

/// Makes the requested transport. Throws an error of kind input if the build, the space or the machine does not have
/// it. Collective.
template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_transport(const ExecutionSpace& exec, const Communicator& world,
                                                          Messages messages = Messages::automatic);

namespace detail {
/// Transport by kernels that write into the memory of other devices of the machine. Returns null, leaving `by_host`
/// intact, if devices cannot access each other or the processes are on several machines.
template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_peer_transport(const ExecutionSpace& exec, const Communicator& world,
                                                               std::unique_ptr<Transport<ExecutionSpace>>& by_host);
/// Returns null if the build has no NCCL. `by_host` is used for sums: a few numbers take less time through host memory.
template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_nccl_transport(const ExecutionSpace& exec, const Communicator& world,
                                                               std::unique_ptr<Transport<ExecutionSpace>> by_host);
} // namespace detail

} // namespace tessera::comm

#endif
