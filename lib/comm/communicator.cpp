// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/communicator.hpp"

#include "core/error.hpp"
#include "core/kokkos_ext/host/host_threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <thread>

#if TESSERA_HAVE_MPI
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace tessera::comm {

namespace {

/// First of these environment variables that is a number, or `otherwise`.
int number_of(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* text = std::getenv(name); text != nullptr && *text != '\0')
      return std::atoi(text);
  return otherwise;
}

#if TESSERA_HAVE_MPI
constexpr int tag = 7;

/// Waits for messages. MPI itself polls without sleeping, which may occupy the processor that another process or
/// program needs to proceed: on shared processors a wait would then last as long as the system's time slices. So this
/// function polls for `active` seconds and then sleeps between polls; during large messages, which only polling moves
/// on, it yields instead.
void wait_for(std::vector<MPI_Request>& requests, std::size_t largest_message, double active) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds nap(20);
  constexpr std::size_t large = std::size_t(64) << 10;
  const auto begin = Clock::now();
  for (;;) {
    int is_complete = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_complete, MPI_STATUSES_IGNORE);
    if (is_complete != 0)
      return;
    if (std::chrono::duration<double>(Clock::now() - begin).count() < active)
      continue;
    if (largest_message > large)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(nap);
  }
}

/// A communicator used by require_shared() alone, so that its messages cannot match others.
MPI_Comm errors_world = MPI_COMM_NULL;

/// How a process ended its part of collective work.
struct Ending {
  int error_kind = 0;
  char text[1020] = {};
  bool operator==(const Ending& other) const {
    return error_kind == other.error_kind && std::strcmp(text, other.text) == 0;
  }
};
#endif

/// See before_leaving().
std::vector<void (*)()>& last_works() {
  static std::vector<void (*)()> works;
  return works;
}

} // namespace

void before_leaving(void (*work)()) { last_works().push_back(work); }

// srun sets SLURM_NTASKS in the shell of an allocation, too, where a program that srun has not started is alone.
int launched_processes() {
  return std::max(1, number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"},
                               std::getenv("SLURM_STEP_ID") != nullptr && std::getenv("SLURM_PROCID") != nullptr
                                   ? number_of({"SLURM_STEP_NUM_TASKS"}, 1)
                                   : 1));
}

int launched_rank() { return number_of({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0); }

#if TESSERA_HAVE_MPI

Environment::Environment(int threads) {
  constexpr double active_wait = 2e-4; // s: long against a message, short against a time slice
  if (launched_processes() == 1)
    return;
  // Where processes share processors, Open MPI yields at each poll: to a busy program, for a whole time slice.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  has_mpi_ = true;
  TESSERA_REQUIRE(provided >= MPI_THREAD_FUNNELED,
                  "This MPI (" << mpi_version() << ") is not for programs with threads: several processes need one "
                               << "that provides MPI_THREAD_FUNNELED.");
  MPI_Comm_rank(MPI_COMM_WORLD, &world_.rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &world_.size_);
  MPI_Comm local;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_.rank_, MPI_INFO_NULL, &local);
  MPI_Comm_rank(local, &world_.local_rank_);
  MPI_Comm_size(local, &world_.local_size_);
  MPI_Comm_free(&local);
  MPI_Comm_dup(MPI_COMM_WORLD, &errors_world);
  world_.active_wait_ = world_.local_size_ * threads > processors_of_machine() ? 0. : active_wait;
}

Environment::~Environment() {
  if (std::uncaught_exceptions() > 0)
    return;
  for (; !last_works().empty(); last_works().pop_back())
    last_works().back()();
  if (has_mpi_) {
    MPI_Comm_free(&errors_world);
    MPI_Finalize();
  }
}

void end_all(int exit_code) {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized != 0 && is_finalized == 0 && launched_processes() > 1)
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

void Communicator::all_gather(const void* own, std::size_t size, void* all) const {
  if (!is_alone() && size <= largest_piece_) {
    std::vector<MPI_Request> request(1);
    MPI_Iallgather(own, static_cast<int>(size), MPI_BYTE, all, static_cast<int>(size), MPI_BYTE, MPI_COMM_WORLD,
                   request.data());
    wait_for(request, size, active_wait_);
    return;
  }
  if (size > 0) // an empty array may have a null address
    std::memcpy(static_cast<char*>(all) + static_cast<std::size_t>(rank_) * size, own, size);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(size_) + 1);
  std::iota(offsets.begin(), offsets.end(), std::int64_t(0));
  all_gather_parts(all, offsets, size);
}

void Communicator::all_gather_parts(void* values, const std::vector<std::int64_t>& offsets,
                                    std::size_t item_size) const {
  if (is_alone())
    return;
  if (static_cast<std::size_t>(offsets.back()) * item_size <= largest_piece_) {
    std::vector<int> counts;
    std::vector<int> first;
    for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
      first.push_back(static_cast<int>(static_cast<std::size_t>(offsets[r]) * item_size));
      counts.push_back(static_cast<int>(static_cast<std::size_t>(offsets[r + 1] - offsets[r]) * item_size));
    }
    std::vector<MPI_Request> request(1);
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, counts.data(), first.data(), MPI_BYTE, MPI_COMM_WORLD,
                    request.data());
    wait_for(request, static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end())), active_wait_);
    return;
  }
  for (int r = 0; r < size_; ++r) { // more bytes than MPI's counts can express
    const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(r)]) * item_size;
    const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(r) + 1]) * item_size;
    for (std::size_t at = begin; at < end; at += largest_piece_)
      MPI_Bcast(static_cast<char*>(values) + at, static_cast<int>(std::min(largest_piece_, end - at)), MPI_BYTE, r,
                MPI_COMM_WORLD); // long enough that latency does not matter
  }
}

void Communicator::exchange(const char* sent, const std::vector<Message>& to, char* received,
                            const std::vector<Message>& from) const {
  std::vector<MPI_Request> requests;
  std::size_t largest = 0;
  const auto pieces = [&](const Message& message, const auto& start) {
    largest = std::max(largest, message.size);
    for (std::size_t done = 0; done < message.size; done += largest_piece_) {
      requests.emplace_back();
      start(message.first + done, static_cast<int>(std::min(largest_piece_, message.size - done)), &requests.back());
    }
  };
  for (const Message& message : from)
    pieces(message, [&](std::size_t first, int size, MPI_Request* request) {
      MPI_Irecv(received + first, size, MPI_BYTE, message.process, tag, MPI_COMM_WORLD, request);
    });
  for (const Message& message : to)
    pieces(message, [&](std::size_t first, int size, MPI_Request* request) {
      MPI_Isend(sent + first, size, MPI_BYTE, message.process, tag, MPI_COMM_WORLD, request);
    });
  if (!requests.empty())
    wait_for(requests, largest, active_wait_);
}

void Communicator::require_shared(const std::optional<Error>& error) const {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience(10);
  if (is_alone())
    return;
  struct Endings {
    Ending own;
    std::vector<Ending> all;
  };
  auto endings = std::make_unique<Endings>();
  if (error) {
    endings->own.error_kind = static_cast<int>(error->kind());
    std::strncpy(endings->own.text, error->what(), sizeof(Ending::text) - 1);
  }
  endings->all.resize(static_cast<std::size_t>(size_));
  MPI_Request request;
  MPI_Iallgather(&endings->own, sizeof(Ending), MPI_BYTE, endings->all.data(), sizeof(Ending), MPI_BYTE, errors_world,
                 &request);
  int is_complete = 0;
  for (const auto start = Clock::now(); is_complete == 0;) {
    MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    if (is_complete == 0 && error && Clock::now() - start > patience) {
      static_cast<void>(endings.release()); // MPI may still write to them
      throw UnsharedError(error->kind(), error->what());
    }
    if (is_complete == 0 && error)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::size_t r = 0; r < endings->all.size(); ++r) {
    const Ending& first = endings->all[r];
    if (first.error_kind != 0 && std::count(endings->all.begin(), endings->all.end(), first) < size_)
      throw UnsharedError(static_cast<ErrorKind>(first.error_kind),
                          (r > 0 ? "process " + std::to_string(r) + ": " : "") + first.text);
  }
}

#else

Environment::Environment(int) {
  TESSERA_REQUIRE(launched_processes() == 1,
                  "A launcher has started " << launched_processes()
                                            << " processes, but this build has no MPI: each would run the whole case. "
                                               "Start one process, or build with MPI (docs/running.md, Several GPUs).");
}

Environment::~Environment() = default;

void end_all(int) {}
std::string mpi_version() { return ""; }
void Communicator::all_gather(const void* own, std::size_t size, void* all) const {
  if (size > 0) // an empty array may have a null address
    std::memcpy(all, own, size);
}
void Communicator::all_gather_parts(void*, const std::vector<std::int64_t>&, std::size_t) const {}
void Communicator::exchange(const char*, const std::vector<Message>&, char*, const std::vector<Message>&) const {}
void Communicator::require_shared(const std::optional<Error>&) const {}

#endif

std::vector<std::vector<std::int64_t>>
Communicator::exchange_lists(const std::vector<std::vector<std::int64_t>>& lists) const {
  if (is_alone())
    return lists;
  const auto n = static_cast<std::size_t>(size_);
  std::vector<std::int64_t> counts(n);
  for (std::size_t r = 0; r < n; ++r)
    counts[r] = static_cast<std::int64_t>(lists[r].size());
  std::vector<std::int64_t> all(n * n);
  all_gather(counts.data(), n * sizeof(std::int64_t), all.data());
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> received;
  std::vector<Message> to;
  std::vector<Message> from;
  std::size_t n_received = 0;
  constexpr std::size_t bytes = sizeof(std::int64_t);
  for (std::size_t r = 0; r < n; ++r) {
    if (counts[r] > 0)
      to.push_back({static_cast<int>(r), sent.size() * bytes, lists[r].size() * bytes});
    sent.insert(sent.end(), lists[r].begin(), lists[r].end());
    const auto incoming = static_cast<std::size_t>(all[r * n + static_cast<std::size_t>(rank_)]);
    if (incoming > 0)
      from.push_back({static_cast<int>(r), n_received * bytes, incoming * bytes});
    n_received += incoming;
  }
  received.resize(n_received);
  exchange(reinterpret_cast<const char*>(sent.data()), to, reinterpret_cast<char*>(received.data()), from);
  std::vector<std::vector<std::int64_t>> result(n);
  for (const Message& message : from) {
    const auto first = received.begin() + static_cast<std::ptrdiff_t>(message.first / bytes);
    result[static_cast<std::size_t>(message.process)].assign(first,
                                                             first + static_cast<std::ptrdiff_t>(message.size / bytes));
  }
  return result;
}

} // namespace tessera::comm
