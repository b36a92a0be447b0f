// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_KOKKOS_TOOLS_HPP
#define TESSERA_TESTS_SUPPORT_KOKKOS_TOOLS_HPP

/// \file
/// Records the labels of kernels and allocations through Kokkos' callbacks.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tessera::test {

/// While an object lives, records every kernel and allocation whose label starts with none of the prefixes:
///
///     const LabelWatch watch;
///     driver::run(...);
///     REQUIRE(watch.bad_labels().empty());
///     REQUIRE(watch.n_kernels() > 0);
///
/// Only one object at a time. Callbacks installed before are called, too.
class LabelWatch {
public:
  explicit LabelWatch(std::vector<std::string> prefixes = own_prefixes()) {
    const std::lock_guard<std::mutex> lock(mutex());
    log() = Log();
    log().prefixes = std::move(prefixes);
    previous() = Kokkos::Tools::Experimental::get_callbacks();
    Kokkos::Tools::Experimental::EventSet mine = previous();
    mine.begin_parallel_for = on_parallel_for;
    mine.begin_parallel_reduce = on_parallel_reduce;
    mine.begin_parallel_scan = on_parallel_scan;
    mine.allocate_data = on_allocate;
    Kokkos::Tools::Experimental::set_callbacks(mine);
  }
  LabelWatch(const LabelWatch&) = delete;
  LabelWatch& operator=(const LabelWatch&) = delete;
  ~LabelWatch() { Kokkos::Tools::Experimental::set_callbacks(previous()); }

  static std::vector<std::string> own_prefixes() {
    return {"tessera::", "Kokkos::", "KokkosKernels::", "KokkosSparse::", "KokkosGraph::"};
  }
  /// "kernel <label>" or "allocation <label>", without duplicates.
  std::set<std::string> bad_labels() const {
    const std::lock_guard<std::mutex> lock(mutex());
    return log().bad;
  }
  /// All recorded labels, good or bad.
  std::set<std::string> labels() const {
    const std::lock_guard<std::mutex> lock(mutex());
    return log().seen;
  }
  int n_kernels() const { return log().n_kernels; }
  int n_allocations() const { return log().n_allocations; }

private:
  struct Log {
    std::vector<std::string> prefixes;
    std::set<std::string> bad;
    std::set<std::string> seen;
    int n_kernels = 0;
    int n_allocations = 0;
  };
  // Kokkos' callbacks are plain functions, so their log is global.
  static Log& log() {
    static Log instance;
    return instance;
  }
  static Kokkos::Tools::Experimental::EventSet& previous() {
    static Kokkos::Tools::Experimental::EventSet instance;
    return instance;
  }
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  static void note(const char* what, const char* label) {
    const std::string text = label == nullptr ? "" : label;
    log().seen.insert(text);
    for (const std::string& prefix : log().prefixes)
      if (text.compare(0, prefix.size(), prefix) == 0)
        return;
    log().bad.insert(std::string(what) + ' ' + text);
  }
  static void note_kernel(const char* label) {
    const std::lock_guard<std::mutex> lock(mutex());
    ++log().n_kernels;
    note("kernel", label);
  }
  static void on_parallel_for(const char* label, std::uint32_t device, std::uint64_t* id) {
    if (previous().begin_parallel_for != nullptr)
      previous().begin_parallel_for(label, device, id);
    note_kernel(label);
  }
  static void on_parallel_reduce(const char* label, std::uint32_t device, std::uint64_t* id) {
    if (previous().begin_parallel_reduce != nullptr)
      previous().begin_parallel_reduce(label, device, id);
    note_kernel(label);
  }
  static void on_parallel_scan(const char* label, std::uint32_t device, std::uint64_t* id) {
    if (previous().begin_parallel_scan != nullptr)
      previous().begin_parallel_scan(label, device, id);
    note_kernel(label);
  }
  static void on_allocate(Kokkos::Tools::SpaceHandle space, const char* label, const void* pointer,
                          std::uint64_t size) {
    if (previous().allocate_data != nullptr)
      previous().allocate_data(space, label, pointer, size);
    if (size == 0) // Kokkos allocates this for teams without scratch memory, at each launch
      return;
    const std::lock_guard<std::mutex> lock(mutex());
    ++log().n_allocations;
    note("allocation", label);
  }
};

} // namespace tessera::test

#endif
