// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_THREAD_TEAM_HPP
#define TESSERA_TESTS_SUPPORT_THREAD_TEAM_HPP

/// \file
/// A team of real threads with those members of Kokkos' team interface that device kernels use, to test their barriers
/// without a device.

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera::test {

class Barrier {
public:
  explicit Barrier(int n) : n_(n) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++arrived_ == n_) {
      arrived_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
  }

private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int n_;
  int arrived_ = 0;
  int round_ = 0;
};

/// The team's scratch memory as one thread sees it: every thread requests the same arrays in the same order.
class TeamScratch {
public:
  explicit TeamScratch(std::vector<double>& memory) : memory_(memory) {}
  void* get_shmem(std::size_t bytes) const {
    void* piece = memory_.data() + used_;
    used_ += (bytes + sizeof(double) - 1) / sizeof(double);
    return used_ <= memory_.size() ? piece : nullptr;
  }

private:
  std::vector<double>& memory_;
  mutable std::size_t used_ = 0;
};

struct ThreadTeam {
  int rank;
  int size;
  int block;
  Barrier* barrier;
  TeamScratch scratch;
  int team_rank() const { return rank; }
  int team_size() const { return size; }
  int league_rank() const { return block; }
  void team_barrier() const { barrier->wait(); }
  const TeamScratch& team_shmem() const { return scratch; }
};

/// Runs `body(team)` on every thread of one team, with the 48 KiB of scratch memory that the oldest supported Kokkos
/// provides.
template <class Body> void run_team(int size, int block, const Body& body) {
  Barrier barrier(size);
  std::vector<double> memory(48 * 1024 / sizeof(double));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] { body(ThreadTeam{rank, size, block, &barrier, TeamScratch(memory)}); });
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace tessera::test

#endif
