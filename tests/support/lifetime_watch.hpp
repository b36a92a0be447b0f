// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_LIFETIME_WATCH_HPP
#define TESSERA_TESTS_SUPPORT_LIFETIME_WATCH_HPP

/// \file
/// Watches through Kokkos' own callbacks that no array is freed while kernels may be queued.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace tessera::test {

/// While an object lives, every array of ours that is freed after a kernel and before the next fence is written down,
/// whether or not the kernel uses it: a host runs kernels at once, so that nothing else tells where a device would
/// have to wait. One at a time.
class LifetimeWatch {
public:
  /// Older versions do not report fences.
  static constexpr bool works = KOKKOS_VERSION >= 30700;

  LifetimeWatch() {
    state() = State();
    previous() = Kokkos::Tools::Experimental::get_callbacks();
    Kokkos::Tools::Experimental::EventSet mine = previous();
    mine.begin_parallel_for = on_kernel;
    mine.begin_parallel_reduce = on_kernel;
    mine.begin_parallel_scan = on_kernel;
    mine.begin_fence = on_begin_fence;
    mine.end_fence = on_end_fence;
    mine.deallocate_data = on_free;
    Kokkos::Tools::Experimental::set_callbacks(mine);
  }
  LifetimeWatch(const LifetimeWatch&) = delete;
  LifetimeWatch& operator=(const LifetimeWatch&) = delete;
  ~LifetimeWatch() { Kokkos::Tools::Experimental::set_callbacks(previous()); }

  /// "<array> after <kernel>", each once.
  static std::set<std::string> freed_early() { return state().freed_early; }
  static int n_freed() { return state().n_freed; }

private:
  struct State {
    std::string queued; // the last kernel since a fence
    std::set<std::string> freed_early;
    int n_freed = 0;
  };
  static State& state() {
    static State instance;
    return instance;
  }
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  static Kokkos::Tools::Experimental::EventSet& previous() {
    static Kokkos::Tools::Experimental::EventSet instance;
    return instance;
  }
  static void on_kernel(const char* label, std::uint32_t, std::uint64_t*) {
    const std::lock_guard<std::mutex> lock(mutex());
    state().queued = label;
  }
  /// Newer versions of Kokkos fence by themselves before they free an array of the host; that fence does not count.
  static void on_begin_fence(const char* label, std::uint32_t, std::uint64_t* is_of_free) {
    *is_of_free = std::string(label).find("before free") != std::string::npos ? 1 : 0;
  }
  static void on_end_fence(std::uint64_t is_of_free) {
    const std::lock_guard<std::mutex> lock(mutex());
    if (is_of_free == 0)
      state().queued.clear();
  }
  static void on_free(Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t) {
    const std::lock_guard<std::mutex> lock(mutex());
    const std::string text = label == nullptr ? "" : label;
    if (text.compare(0, 9, "tessera::") != 0 || text == "tessera::host_copy")
      return;
    ++state().n_freed;
    if (!state().queued.empty())
      state().freed_early.insert(text + " after " + state().queued);
  }
};

} // namespace tessera::test

#endif
