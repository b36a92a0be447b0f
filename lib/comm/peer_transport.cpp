// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/transport.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/device/peer_memory.hpp"
#include "core/parallel.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace tessera::comm::detail {

namespace {

constexpr int most_peers =
    8; // processes of a run; keeps functors below 512 bytes, above which a launch waits for the previous one
constexpr int most_sums = 64;
constexpr int team_size = 256;
constexpr std::size_t smallest_capacity = std::size_t(1) << 20;
constexpr std::size_t largest_capacity = std::size_t(16) << 20; // larger messages go in pieces instead
constexpr std::size_t most_pieces = 8; // per part of an array; more room would cost as much time as some hundred pieces

/// Memory that each process offers to the others: the numbers of exchanges and sums that each of them has sent here,
/// and the latest two contributions of each to sums.
struct Mailbox {
  std::int64_t n_exchanges[most_peers];
  std::int64_t n_sums[most_peers];
  double sums[2][most_peers][most_sums];
};

/// Counters in this process's device memory, so that recorded kernels can run again: exchanges with each other process,
/// sent and received, and sums.
struct Counts {
  std::int64_t n_sent[most_peers];
  std::int64_t n_taken[most_peers];
  std::int64_t n_sums;
  int teams_done[2][most_peers]; // of the running put or take kernel; 0 before and after
};

/// Buffers of the messages to and from a process; two alternate. Kernels read the addresses from their device's memory,
/// so that recorded kernels find buffers that were reallocated after the recording.
struct Buffers {
  char* to[2];   // in the receiver's memory
  char* from[2]; // in this process's memory
};

/// A message: the copied bytes, to or from a buffer, and the flag that signals it.
struct Piece {
  char* here; // in this process's arrays
  std::int64_t* flag;
  std::size_t size;
  int process; // the other process
};

struct Pieces {
  Piece piece[most_peers];
  int n = 0;
  int n_teams = 1; // per piece
};

template <class Word>
KOKKOS_FUNCTION void copy_words(const char* from, char* to, std::size_t size, int thread, int n_threads) {
  const Word* const in = reinterpret_cast<const Word*>(from);
  Word* const out = reinterpret_cast<Word*>(to);
  for (std::size_t i = static_cast<std::size_t>(thread); i < size / sizeof(Word);
       i += static_cast<std::size_t>(n_threads))
    out[i] = in[i];
}
/// Copies by the threads of all teams of a piece. Items have 4 bytes or more.
KOKKOS_INLINE_FUNCTION void copy_message(const char* from, char* to, std::size_t size, int thread, int n_threads) {
  const std::uintptr_t all = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to) | size;
  if (all % sizeof(std::uint64_t) == 0)
    copy_words<std::uint64_t>(from, to, size, thread, n_threads);
  else
    copy_words<std::uint32_t>(from, to, size, thread, n_threads);
}

/// Copies the items listed in `positions`.
template <class Word>
KOKKOS_FUNCTION void gather_words(const char* from, const index_t* positions, char* to, std::size_t size, int thread,
                                  int n_threads) {
  const Word* const in = reinterpret_cast<const Word*>(from);
  Word* const out = reinterpret_cast<Word*>(to);
  for (std::size_t i = static_cast<std::size_t>(thread); i < size / sizeof(Word);
       i += static_cast<std::size_t>(n_threads))
    out[i] = in[positions[i]];
}

/// Counts the finished teams of a piece; true for the last one.
KOKKOS_INLINE_FUNCTION bool is_last_team(int& n_done, int n_teams) {
  if (Kokkos::atomic_fetch_add(&n_done, 1) < n_teams - 1)
    return false;
  n_done = 0;
  return true;
}

/// Writes messages into the memories of other devices; the last team of each message then sets its flag there. Pieces
/// are contiguous or, with an `item_size`, gathered from `owned`; `here` then points to the indices of their items.
template <class ExecutionSpace> struct Put {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  Pieces pieces;
  const Buffers* buffers; // [processes]
  Counts* counts;
  const char* owned;
  std::size_t item_size;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int number = team.league_rank() / pieces.n_teams;
    const Piece& piece = pieces.piece[number];
    const std::int64_t count = counts->n_sent[piece.process] + 1;
    char* const to = buffers[piece.process].to[count % 2];
    const int thread = team.league_rank() % pieces.n_teams * team.team_size() + team.team_rank();
    const int n_threads = pieces.n_teams * team.team_size();
    const auto* const items = reinterpret_cast<const index_t*>(piece.here);
    if (item_size == 0)
      copy_message(piece.here, to, piece.size, thread, n_threads);
    else if (item_size == sizeof(std::uint64_t))
      gather_words<std::uint64_t>(owned, items, to, piece.size, thread, n_threads);
    else
      gather_words<std::uint32_t>(owned, items, to, piece.size, thread, n_threads);
    // After the barrier, one thread's fence covers what the whole team has written.
    team.team_barrier();
    if (team.team_rank() != 0)
      return;
    fence_for_peers();
    if (is_last_team(counts->teams_done[0][number], pieces.n_teams)) {
      counts->n_sent[piece.process] = count;
      fence_for_peers();
      set_flag(piece.flag, count);
    }
  }
};

/// Waits for the flag of each message and copies it.
template <class ExecutionSpace> struct Take {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  Pieces pieces;
  const Buffers* buffers; // [processes]
  Counts* counts;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int number = team.league_rank() / pieces.n_teams;
    const Piece& piece = pieces.piece[number];
    const std::int64_t count = counts->n_taken[piece.process] + 1;
    if (team.team_rank() == 0)
      wait_for_flag(piece.flag, count);
    team.team_barrier();
    copy_message(buffers[piece.process].from[count % 2], piece.here, piece.size,
                 team.league_rank() % pieces.n_teams * team.team_size() + team.team_rank(),
                 pieces.n_teams * team.team_size());
    team.team_barrier();
    if (team.team_rank() == 0 && is_last_team(counts->teams_done[1][number], pieces.n_teams))
      counts->n_taken[piece.process] = count;
  }
};

/// Sends values to all processes, waits for theirs and adds them in the order of ranks. One team.
template <class ExecutionSpace> struct AddAll {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  Mailbox* boxes[most_peers]; // including this process's
  Counts* counts;
  int rank;
  int n_processes;
  std::int64_t n_polls;
  double* values;
  int n;
  int* failed; // null, or set if others did not answer
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t count = counts->n_sums + 1;
    const int slot = static_cast<int>(count % 2);
    const int i = team.team_rank();
    if (i < n)
      for (int r = 0; r < n_processes; ++r)
        boxes[r]->sums[slot][rank][i] = values[i];
    team.team_barrier();
    if (i < n_processes) {
      fence_for_peers();
      set_flag(&boxes[i]->n_sums[rank], count);
      if (!wait_for_flag(&boxes[rank]->n_sums[i], count, n_polls) && failed != nullptr)
        *failed = 1;
    }
    team.team_barrier();
    if (i < n) {
      const double(&sums)[most_peers][most_sums] = boxes[rank]->sums[slot];
      double sum = sums[0][i];
      for (int r = 1; r < n_processes; ++r)
        sum += sums[r][i];
      values[i] = sum;
    }
    if (i == 0)
      counts->n_sums = count;
  }
};

/// Transport between the devices of one machine: kernels write into the memory of other devices. The host does not
/// wait.
///
/// Each process has two buffers per sender, used alternately: a process that sends message k + 2 has received the
/// receiver's message k + 1, which was sent after the receiver had taken message k. Neighbours therefore send each
/// other a flag even if there is no data to send.
template <class ExecutionSpace> class PeerTransport final : public Transport<ExecutionSpace> {
public:
  /// works() returns whether it can be used.
  PeerTransport(const ExecutionSpace& exec, const Communicator& world,
                std::unique_ptr<Transport<ExecutionSpace>> by_host)
      : exec_(exec), world_(world), rank_(static_cast<std::size_t>(world.rank())), by_host_(std::move(by_host)),
        n_processes_(static_cast<std::size_t>(world.size())), own_counts_(sizeof(Counts)), own_box_(sizeof(Mailbox)),
        counts_(reinterpret_cast<Counts*>(own_counts_.data())),
        buffers_(make_array<decltype(buffers_)>(exec, "comm::buffers", n_processes_)) {
    bool works = world.size() <= most_peers && world.local_size() == world.size() && open(own_box_, boxes_);
    works = world.largest(works ? 0. : 1.) == 0.;
    if (works) {
      resize(exec, smallest_capacity);
      works = capacity_ > 0 && probe(exec);
    }
    works_ = world.largest(works ? 0. : 1.) == 0.;
  }
  ~PeerTransport() override {
    exec_.fence();
    boxes_.clear();
    data_.clear();
    if (std::uncaught_exceptions() == 0)
      static_cast<void>(world_.largest(0.)); // all have closed this process's memory
  }
  PeerTransport(const PeerTransport&) = delete;
  PeerTransport& operator=(const PeerTransport&) = delete;

  bool works() const { return works_; }
  std::unique_ptr<Transport<ExecutionSpace>> take_by_host() { return std::move(by_host_); }

  std::string name() const override { return "direct writes between GPUs"; }

  bool is_recordable() const override { return true; }

protected:
  void reserve_messages(const ExecutionSpace& exec, std::size_t largest_message) override {
    if (largest_message > capacity_)
      resize(exec, largest_message);
  }

  void start(const ExecutionSpace& exec, const void* sent, void* received, const std::vector<Neighbour>& neighbours,
             std::size_t item_size) override {
    put(exec, sent, item_size, received, neighbours, item_size, nullptr);
  }
  void gather_and_start(const ExecutionSpace& exec, const void* owned, const index_t* positions, void* /*sent*/,
                        void* received, const std::vector<Neighbour>& neighbours, std::size_t item_size) override {
    put(exec, positions, sizeof(index_t), received, neighbours, item_size, static_cast<const char*>(owned));
  }
  void end(const ExecutionSpace& exec) override {
    run("tessera::comm::take", exec, take_, Take<ExecutionSpace>{take_, buffers_.data(), counts_});
  }

  /// Exchanges in pieces of the available buffer size. Two neighbours need the same number of pieces, which both know.
  void start_and_end(const ExecutionSpace& exec, const void* sent, void* received,
                     const std::vector<Neighbour>& neighbours, std::size_t item_size) override {
    const auto at_most = static_cast<std::int64_t>(capacity_ / item_size);
    for (std::int64_t first = 0;; first += at_most) {
      const auto n_left = [&](std::int64_t n) { return std::max(std::min(n - first, at_most), std::int64_t(0)); };
      std::vector<Neighbour> pieces;
      for (const Neighbour& all : neighbours)
        if (first < std::max(all.n_sent, all.n_received))
          pieces.push_back({all.process, all.first_sent + std::min(first, all.n_sent), n_left(all.n_sent),
                            all.first_received + std::min(first, all.n_received), n_left(all.n_received)});
      if (pieces.empty())
        return;
      start(exec, sent, received, pieces, item_size);
      end(exec);
    }
  }

  void add(const ExecutionSpace& exec, double* values, int n) override {
    if (n > most_sums)
      return by_host_->sum(exec, values, n);
    add_all(exec, values, n, 0, nullptr);
  }

  void gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                    std::size_t item_size) override {
    const auto size = [&](std::size_t r) { return offsets[r + 1] - offsets[r]; };
    std::size_t largest = 0;
    std::vector<Neighbour> others;
    for (std::size_t r = 0; r < n_processes_; ++r) {
      largest = std::max(largest, static_cast<std::size_t>(size(r)) * item_size);
      if (r != rank_)
        others.push_back({static_cast<int>(r), offsets[rank_], size(rank_), offsets[r], size(r)});
    }
    if (largest > most_pieces * capacity_)
      reserve_messages(exec, std::min(largest, largest_capacity));
    start_and_end(exec, values, values, others, item_size);
  }

private:
  using Remote = std::vector<std::unique_ptr<OpenedPeerMemory<ExecutionSpace>>>;

  /// Sends the items of a neighbour starting at `here`, where each takes `size_here` bytes: the items themselves, or,
  /// with `owned`, their indices there.
  void put(const ExecutionSpace& exec, const void* here, std::size_t size_here, void* received,
           const std::vector<Neighbour>& neighbours, std::size_t item_size, const char* owned) {
    Pieces put;
    take_ = Pieces();
    for (const Neighbour& neighbour : neighbours) {
      const auto r = static_cast<std::size_t>(neighbour.process);
      const auto bytes = [&](std::int64_t n_items) { return static_cast<std::size_t>(n_items) * item_size; };
      put.piece[put.n++] = {const_cast<char*>(static_cast<const char*>(here)) +
                                static_cast<std::size_t>(neighbour.first_sent) * size_here,
                            &box_of(r)->n_exchanges[rank_], bytes(neighbour.n_sent), neighbour.process};
      take_.piece[take_.n++] = {static_cast<char*>(received) + bytes(neighbour.first_received),
                                &box_of(rank_)->n_exchanges[r], bytes(neighbour.n_received), neighbour.process};
    }
    run("tessera::comm::put", exec, put,
        Put<ExecutionSpace>{put, buffers_.data(), counts_, owned, owned == nullptr ? 0 : item_size});
  }
  /// Opens the others' memories; false if one of them cannot be accessed.
  bool open(const PeerMemory<ExecutionSpace>& owned, Remote& remote) {
    const std::vector<PeerHandle> handles = world_.all_gather(owned.handle());
    remote.clear();
    for (std::size_t r = 0; r < handles.size(); ++r) {
      remote.push_back(r == rank_ ? nullptr : std::make_unique<OpenedPeerMemory<ExecutionSpace>>(handles[r]));
      if (r != rank_ && remote[r]->data() == nullptr)
        return false;
    }
    return true;
  }
  /// Resizes the buffers for messages of this many bytes. Recorded kernels find the new buffers.
  void resize(const ExecutionSpace& exec, std::size_t largest_message) {
    exec.fence();
    close_data();
    capacity_ = (std::max(largest_message, smallest_capacity) + 255) / 256 * 256;
    own_data_.emplace(2 * capacity_ * n_processes_);
    const bool is_open = open(*own_data_, data_);
    if (world_.largest(is_open ? 0. : 1.) > 0.)
      capacity_ = 0;
    TESSERA_REQUIRE_KIND(capacity_ > 0 || !works_, ErrorKind::resource,
                         "GPUs of this machine have lost their way to each other. Use execution.messages: mpi.");
    if (capacity_ > 0)
      upload_buffers(exec);
  }
  void upload_buffers(const ExecutionSpace& exec) {
    std::vector<Buffers> buffers(n_processes_);
    for (std::size_t r = 0; r < n_processes_; ++r)
      for (std::size_t turn = 0; turn < 2; ++turn) {
        const std::size_t first = turn * n_processes_;
        buffers[r].to[turn] = r == rank_ ? nullptr : data_[r]->data() + (first + rank_) * capacity_;
        buffers[r].from[turn] = own_data_->data() + (first + r) * capacity_;
      }
    upload(exec, buffers_, buffers);
  }
  void close_data() {
    data_.clear();
    static_cast<void>(world_.largest(0.)); // all have closed it
    own_data_.reset();
  }
  Mailbox* box_of(std::size_t r) const {
    return reinterpret_cast<Mailbox*>(r == rank_ ? own_box_.data() : boxes_[r]->data());
  }
  template <class Functor>
  static void run(const char* label, const ExecutionSpace& exec, Pieces& pieces, Functor functor) {
    if (pieces.n == 0)
      return;
    std::size_t largest = 0;
    for (int i = 0; i < pieces.n; ++i)
      largest = std::max(largest, pieces.piece[i].size);
    pieces.n_teams = static_cast<int>(std::min<std::size_t>(64, 1 + largest / (4096 * 4)));
    functor.pieces = pieces;
    launch_teams(label, Kokkos::TeamPolicy<ExecutionSpace>(exec, pieces.n * pieces.n_teams, team_size), functor);
  }
  void add_all(const ExecutionSpace& exec, double* values, int n, std::int64_t n_polls, int* failed) {
    AddAll<ExecutionSpace> functor{};
    for (std::size_t r = 0; r < n_processes_; ++r)
      functor.boxes[r] = box_of(r);
    functor.rank = world_.rank();
    functor.n_processes = world_.size();
    functor.counts = counts_;
    functor.n_polls = n_polls;
    functor.values = values;
    functor.n = n;
    functor.failed = failed;
    launch_teams("tessera::comm::sum", Kokkos::TeamPolicy<ExecutionSpace>(exec, 1, most_sums), functor);
  }
  /// Tests whether a sum and an exchange give the right results.
  bool probe(const ExecutionSpace& exec) {
    const auto values = make_filled<Array<double*, ExecutionSpace>>(exec, "comm::probe", 1, world_.rank() + 1.);
    const auto failed = make_filled<Array<int*, ExecutionSpace>>(exec, "comm::probe_failed", 1, 0);
    add_all(exec, values.data(), 1, std::int64_t(1) << 24, failed.data()); // some seconds
    const int n = world_.size();
    return read_entry(exec, failed, 0) == 0 && read_entry(exec, values, 0) == 0.5 * n * (n + 1);
  }

  ExecutionSpace exec_;
  const Communicator& world_;
  std::size_t rank_;
  std::unique_ptr<Transport<ExecutionSpace>> by_host_;
  std::size_t n_processes_;
  PeerMemory<ExecutionSpace> own_counts_; ///< not shared
  PeerMemory<ExecutionSpace> own_box_;
  Counts* counts_;
  Array<Buffers*, ExecutionSpace> buffers_; ///< never moves, as recorded kernels know its address
  Remote boxes_;
  std::optional<PeerMemory<ExecutionSpace>> own_data_; ///< [2 messages][processes][capacity]
  Remote data_;
  std::size_t capacity_ = 0; ///< bytes of a message
  Pieces take_;              ///< of the open exchange
  bool works_ = false;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_peer_transport(const ExecutionSpace& exec, const Communicator& world,
                                                               std::unique_ptr<Transport<ExecutionSpace>>& by_host) {
  auto peer = std::make_unique<PeerTransport<ExecutionSpace>>(exec, world, std::move(by_host));
  if (peer->works())
    return peer;
  by_host = peer->take_by_host();
  return nullptr;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::unique_ptr<Transport<Space>> make_peer_transport(const Space&, const Communicator&,                    \
                                                                 std::unique_ptr<Transport<Space>>&);
TESSERA_FOR_EACH_PEER_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::comm::detail
