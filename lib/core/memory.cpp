// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/memory.hpp"

#include "core/kokkos_ext/host_memory.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tessera {

namespace {

std::atomic<std::size_t> current{0};
std::atomic<std::size_t> peak{0};
std::atomic<std::size_t> overall_peak{0};
bool started = false;
constexpr std::uint64_t large_array = 4 << 20;

Kokkos::Tools::Experimental::EventSet previous;

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
  raise(peak, now);
  raise(overall_peak, now);
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
  if (started)
    return;
  started = true;
  previous = Kokkos::Tools::Experimental::get_callbacks();
  Kokkos::Tools::Experimental::set_allocate_data_callback(on_allocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(on_deallocate);
}

std::size_t MemoryLedger::current_bytes() { return current.load(); }
std::size_t MemoryLedger::peak_bytes() { return peak.load(); }
std::size_t MemoryLedger::overall_peak_bytes() { return overall_peak.load(); }
void MemoryLedger::reset_peak() { peak.store(current.load()); }

} // namespace tessera
