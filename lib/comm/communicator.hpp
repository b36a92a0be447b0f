// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_COMM_COMMUNICATOR_HPP
#define TESSERA_COMM_COMMUNICATOR_HPP

/// \file
/// The processes of a run and their communication on the host; by MPI if the build has it.

#include "core/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::comm {

/// Bytes to or from another process, within a buffer.
struct Message {
  int process;
  std::size_t first;
  std::size_t size;
};

/// An error that only some processes have. The others may be anywhere in the collective work, so no message can follow:
/// the error ends the run.
class UnsharedError : public Error {
public:
  using Error::Error;
};

/// The processes of a run. Every member function but rank(), size() and the like is collective: all processes call it
/// in the same order. A communicator of one process needs no MPI, and its functions return what the process gives them,
/// so that callers need not ask whether there are others.
class Communicator {
public:
  /// A single process.
  Communicator() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  bool is_alone() const { return size_ == 1; }
  int local_rank() const { return local_rank_; } ///< among the processes of this machine
  int local_size() const { return local_size_; }

  /// Messages to MPI, whose counts have 32 bits, are sent in pieces of at most this size; settable for tests.
  void set_largest_piece(std::size_t bytes) { largest_piece_ = bytes; }

  /// Gathers `size` bytes of every process in the order of ranks.
  void all_gather(const void* local, std::size_t size, void* all) const;
  template <class T> std::vector<T> all_gather(const T& local) const {
    std::vector<T> all(static_cast<std::size_t>(size_));
    all_gather(&local, sizeof(T), all.data());
    return all;
  }
  /// Gathers counts: process r has the items [result[r], result[r + 1]) of all.
  std::vector<std::int64_t> offsets_of(std::int64_t n_owned) const {
    std::vector<std::int64_t> offsets{0};
    for (const std::int64_t n : all_gather(n_owned))
      offsets.push_back(offsets.back() + n);
    return offsets;
  }
  template <class T> T largest(T local) const {
    for (const T& other : all_gather(local))
      local = local < other ? other : local;
    return local;
  }
  /// Sum of a value of each process, in the order of ranks.
  double added(double local) const {
    double sum = 0.;
    for (const double value : all_gather(local))
      sum += value;
    return sum;
  }
  /// Completes an array in every process; process r holds the items [offsets[r], offsets[r + 1]). `offsets` is [size()
  /// + 1].
  void all_gather_parts(void* values, const std::vector<std::int64_t>& offsets, std::size_t item_size) const;
  /// The items of all processes, in the order of ranks.
  template <class T> std::vector<T> gather_lists(const std::vector<T>& local) const {
    const std::vector<std::int64_t> offsets = offsets_of(static_cast<std::int64_t>(local.size()));
    std::vector<T> all(static_cast<std::size_t>(offsets.back()));
    std::copy(local.begin(), local.end(), all.begin() + offsets[static_cast<std::size_t>(rank_)]);
    all_gather_parts(all.data(), offsets, sizeof(T));
    return all;
  }
  /// Sends and receives messages; complete on return.
  void exchange(const char* sent, const std::vector<Message>& to, char* received,
                const std::vector<Message>& from) const;
  /// Sends lists[r] to process r; returns the lists received, by sender.
  std::vector<std::vector<std::int64_t>> exchange_lists(const std::vector<std::vector<std::int64_t>>& lists) const;

  /// Ends collective work whose errors were caught: returns if all processes have the same error or none; otherwise
  /// throws an UnsharedError with the error of the lowest rank. A process with an error waits some seconds for the
  /// others, which may be waiting for it in the middle of the work; if they do not arrive it throws its error.
  void require_shared(const std::optional<Error>& error) const;

private:
  friend class Environment;

  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  std::size_t largest_piece_ = std::size_t(1) << 30;
  double active_wait_ = 0.; ///< seconds of active polling before a wait sleeps
};

/// The communicator of a single process.
inline const Communicator& alone() {
  static const Communicator communicator;
  return communicator;
}

/// MPI for the lifetime of the object, if a launcher (mpirun, srun) has started the program with several processes.
/// There is one object per program.
class Environment {
public:
  /// Throws an error of kind input if a launcher has started several processes but the build has no MPI, or an MPI
  /// without support for threads. `threads`: number of threads of this process. If the threads of all processes
  /// outnumber the machine's processors, a waiting process yields its processor at once.
  explicit Environment(int threads = 1);
  /// Finalises MPI unless an exception is propagating: other processes may then be waiting, and end_all() must follow.
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  const Communicator& world() const { return world_; }

private:
  Communicator world_;
  bool has_mpi_ = false;
};

/// Number of processes that a launcher has started, from its environment variables; 1 without a launcher.
int launched_processes();
/// Rank of this process, from the launcher's environment variables.
int launched_rank();

/// Ends all processes with an exit code if an Environment exists; for errors that other processes may not have.
void end_all(int exit_code);

/// Registers `work` to be called by ~Environment before MPI is finalised, in reverse order of registration, unless an
/// exception is propagating; for libraries that must be finalised before MPI.
void before_leaving(void (*work)());

/// "Open MPI 4.1.4", "" without MPI.
std::string mpi_version();

/// Transport of data between devices.
enum class Messages {
  automatic, ///< peer if possible, else mpi: NCCL takes seconds to connect, which few runs recover
  peer,      ///< kernels write to the memory of other GPUs of the machine
  mpi,       ///< through host memory, pinned if a device has its own memory
  nccl       ///< between the devices' memories, by NCCL or RCCL
};

/// Whether this build can use NCCL, or RCCL with HIP.
bool has_nccl();

} // namespace tessera::comm

#endif
