// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_WATCHED_TRANSPORT_HPP
#define TESSERA_DRIVER_BENCH_WATCHED_TRANSPORT_HPP

#include "comm/transport.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::driver {

/// A transport whose times can be recorded: how long a process waits for the others before each exchange or sum, and
/// how long the exchange itself takes. While it records, the host waits around each of them, so that they do not
/// overlap with other work.
template <class ExecutionSpace> class WatchedTransport final : public comm::Transport<ExecutionSpace> {
public:
  WatchedTransport(std::unique_ptr<comm::Transport<ExecutionSpace>> inner, const comm::Communicator& world)
      : inner_(std::move(inner)), world_(world) {}

  /// Starts recording from zero, or stops.
  void watch(bool is_watched) {
    is_watched_ = is_watched;
    if (is_watched)
      waiting_ = exchanging_ = 0.;
  }
  double waiting() const { return waiting_; }       ///< s
  double exchanging() const { return exchanging_; } ///< s

  std::string name() const override { return inner_->name(); }
  bool is_recordable() const override { return !is_watched_ && inner_->is_recordable(); }

protected:
  void reserve_messages(const ExecutionSpace& exec, std::size_t largest_message) override {
    inner_->reserve(exec, largest_message);
  }
  void start(const ExecutionSpace& exec, const void* sent, void* received,
             const std::vector<comm::Neighbour>& neighbours, std::size_t item_size) override {
    wait(exec);
    timed(exec, [&] { inner_->begin(exec, sent, received, neighbours, item_size); });
  }
  void gather_and_start(const ExecutionSpace& exec, const void* owned, const index_t* positions, void* sent,
                        void* received, const std::vector<comm::Neighbour>& neighbours,
                        std::size_t item_size) override {
    wait(exec);
    timed(exec, [&] { inner_->gather_and_begin(exec, owned, positions, sent, received, neighbours, item_size); });
  }
  void end(const ExecutionSpace& exec) override {
    timed(exec, [&] { inner_->finish(exec); });
  }
  void start_and_end(const ExecutionSpace& exec, const void* sent, void* received,
                     const std::vector<comm::Neighbour>& neighbours, std::size_t item_size) override {
    wait(exec);
    timed(exec, [&] { inner_->exchange(exec, sent, received, neighbours, item_size); });
  }
  void add(const ExecutionSpace& exec, double* values, int n) override {
    wait(exec);
    timed(exec, [&] { inner_->sum(exec, values, n); });
  }
  void gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                    std::size_t item_size) override {
    wait(exec);
    timed(exec, [&] { inner_->all_gather_parts(exec, values, offsets, item_size); });
  }

private:
  template <class Work> static double seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  void wait(const ExecutionSpace& exec) {
    if (!is_watched_)
      return;
    exec.fence();
    waiting_ += seconds_of([&] { world_.all_gather(0); });
  }
  template <class Work> void timed(const ExecutionSpace& exec, const Work& work) {
    if (!is_watched_)
      return work();
    exec.fence();
    exchanging_ += seconds_of([&] {
      work();
      exec.fence();
    });
  }

  std::unique_ptr<comm::Transport<ExecutionSpace>> inner_;
  const comm::Communicator& world_;
  bool is_watched_ = false;
  double waiting_ = 0.;
  double exchanging_ = 0.;
};

} // namespace tessera::driver

#endif
