// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_COMMUNICATOR_HPP
#define TESSERA_COMM_COMMUNICATOR_HPP

/// \file
/// The processes of a run and what they tell each other on the host; by MPI where the build has it.

#include "core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::comm {

/// Bytes for or from another process, within a buffer.
struct Message {
  int process;
  std::size_t first;
  std::size_t size;
};

/// An error that not all processes have. The others may be anywhere in the same work, so that no message may follow: it
/// ends the run.
class UnsharedError : public Error {
public:
  using Error::Error;
};

/// The processes of a run. Every member function but rank(), size() and the like is collective: all processes call it
/// in the same order. A communicator of one process needs no MPI, and its functions cost nothing.
class Communicator {
public:
  /// One process alone.
  Communicator() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  bool is_alone() const { return size_ == 1; }
  int local_rank() const { return local_rank_; } ///< among the processes of this machine
  int local_size() const { return local_size_; }

  /// Messages to MPI, whose counts have 32 bits, are sent in pieces of at most so many bytes; for tests.
  void set_largest_piece(std::size_t bytes) { largest_piece_ = bytes; }

  /// Gathers `size` bytes of every process in the order of ranks.
  void all_gather(const void* own, std::size_t size, void* all) const;
  template <class T> std::vector<T> all_gather(const T& own) const {
    std::vector<T> all(static_cast<std::size_t>(size_));
    all_gather(&own, sizeof(T), all.data());
    return all;
  }
  template <class T> T largest(T own) const {
    for (const T& other : all_gather(own))
      own = own < other ? other : own;
    return own;
  }
  /// Sum of a value of each process, in the order of ranks.
  double added(double own) const {
    double sum = 0.;
    for (const double value : all_gather(own))
      sum += value;
    return sum;
  }
  /// Completes an array whose items [offsets[r], offsets[r + 1]) process r holds, [size() + 1].
  void all_gather_parts(void* values, const std::vector<std::int64_t>& offsets, std::size_t item_size) const;
  /// Sends and receives messages; complete on return.
  void exchange(const char* sent, const std::vector<Message>& to, char* received,
                const std::vector<Message>& from) const;
  /// Sends lists[r] to process r; returns what the others sent here.
  std::vector<std::vector<std::int64_t>> exchange_lists(const std::vector<std::vector<std::int64_t>>& lists) const;

  /// Ends collective work whose errors are kept: returns where all processes give the same error, or all none; else
  /// throws an UnsharedError with the one of the lowest rank. A process with an error waits some seconds for the
  /// others, which may wait for it in the midst of the work; where they do not come its own is thrown.
  void require_shared(const std::optional<Error>& error) const;

private:
  friend class Environment;

  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  std::size_t largest_piece_ = std::size_t(1) << 30;
  double active_wait_ = 0.; ///< s for which a wait keeps the processor
};

/// The communicator of one process alone.
inline const Communicator& alone() {
  static const Communicator communicator;
  return communicator;
}

/// MPI for the lifetime of the object, if a launcher (mpirun, srun) has started the program with several processes. One
/// object in a program.
class Environment {
public:
  /// Throws an error of kind input where a launcher has started several processes, but the build has no MPI, or one
  /// that programs with threads may not use. `threads`: of this process. Where all together are more than the machine's
  /// processors, a process that waits leaves its own to the others at once.
  explicit Environment(int threads = 1);
  /// Leaves MPI, unless an exception is on its way: then others may wait, and end_all() is to follow.
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  const Communicator& world() const { return world_; }

private:
  Communicator world_;
  bool has_mpi_ = false;
};

/// Number of processes that a launcher says it has started, by its environment variables; 1 without one.
int launched_processes();
/// Which of them this is, likewise.
int launched_rank();

/// Ends all processes with an exit code, if an Environment has joined them; for errors that others may not see.
void end_all(int exit_code);

/// Has `work` done by ~Environment before it leaves MPI, last one first, unless an exception is on its way; for
/// libraries that end before MPI does.
void before_leaving(void (*work)());

/// "Open MPI 4.1.4", "" without MPI.
std::string mpi_version();

/// How numbers go from device to device.
enum class Messages {
  automatic, ///< peer where that is possible, else mpi: NCCL takes seconds to connect, which few runs win back
  peer,      ///< kernels write into the memory of the machine's other GPUs
  mpi,       ///< through host memory, pinned where a device has its own
  nccl       ///< between the devices' memories, by NCCL or RCCL
};

/// Whether this build can send messages by NCCL, or with HIP by RCCL.
bool has_nccl();

} // namespace tessera::comm

#endif
