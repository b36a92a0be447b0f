// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/memory.hpp"

#include "core/kokkos_ext/host/host_memory.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

namespace tessera {

namespace {

std::atomic<std::size_t> current{0};
std::atomic<std::size_t> overall_peak{0};
constexpr std::uint64_t large_array = 4 << 20;

Kokkos::Tools::Experimental::EventSet previous;

std::mutex peaks_mutex;
std::vector<std::atomic<std::size_t>*> peaks; // of every MemoryPeak object

void raise(std::atomic<std::size_t>& mark, std::size_t value) {
  std::size_t seen = mark.load();
  while (seen < value && !mark.compare_exchange_weak(seen, value)) {
  }
}

void on_allocate(Kokkos::Tools::SpaceHandle space, const char* label, const void* pointer, std::uint64_t size) {
  if (previous.allocate_data != nullptr)
    previous.allocate_data(space, label, pointer, size);
  if (size >= large_array && std::strcmp(space.name, "Host") == 0)
    advise_huge_pages(pointer, size);
  const std::size_t now = current.fetch_add(size) + size;
  raise(overall_peak, now);
  const std::lock_guard<std::mutex> lock(peaks_mutex);
  for (std::atomic<std::size_t>* peak : peaks)
    raise(*peak, now);
}

void on_deallocate(Kokkos::Tools::SpaceHandle space, const char* label, const void* pointer, std::uint64_t size) {
  if (previous.deallocate_data != nullptr)
    previous.deallocate_data(space, label, pointer, size);
  // Views made before start() are freed without having been counted.
  std::size_t seen = current.load();
  while (!current.compare_exchange_weak(seen, seen - std::min<std::size_t>(seen, size))) {
  }
}

} // namespace

void MemoryLedger::start() {
  const Kokkos::Tools::Experimental::EventSet callbacks = Kokkos::Tools::Experimental::get_callbacks();
  if (callbacks.allocate_data == on_allocate)
    return;
  previous = callbacks;
  Kokkos::Tools::Experimental::set_allocate_data_callback(on_allocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(on_deallocate);
}

std::size_t MemoryLedger::current_bytes() { return current.load(); }
std::size_t MemoryLedger::overall_peak_bytes() { return overall_peak.load(); }

MemoryPeak::MemoryPeak() {
  const std::lock_guard<std::mutex> lock(peaks_mutex);
  bytes_ = current.load();
  peaks.push_back(&bytes_);
}

MemoryPeak::~MemoryPeak() {
  const std::lock_guard<std::mutex> lock(peaks_mutex);
  peaks.erase(std::find(peaks.begin(), peaks.end(), &bytes_));
}

} // namespace tessera
