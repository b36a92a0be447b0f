// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/kernel_times.hpp"

#include "core/assert.hpp"
#include "core/kokkos_ext/device/kernel_group.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>

namespace tessera {

namespace {

/// State of the only KernelTimes object: the hooks cannot be passed one.
struct Record {
  bool is_active = false;
  bool is_in_group = false;
  Kokkos::Tools::Experimental::EventSet others;
  std::vector<KernelTime> kernels;
  std::size_t current = 0;
  std::chrono::steady_clock::time_point start;
};

Record& record() {
  static Record r;
  return r;
}

void start(const char* label) {
  Record& r = record();
  const auto found =
      std::find_if(r.kernels.begin(), r.kernels.end(), [&](const KernelTime& k) { return k.label == label; });
  r.current = static_cast<std::size_t>(found - r.kernels.begin());
  if (found == r.kernels.end())
    r.kernels.push_back({label});
  Kokkos::fence();
  r.start = std::chrono::steady_clock::now();
}

void stop() {
  Record& r = record();
  Kokkos::fence();
  KernelTime& kernel = r.kernels[r.current];
  kernel.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - r.start).count();
  ++kernel.calls;
}

void begin(const char* label, std::uint32_t, std::uint64_t* id) {
  *id = 0;
  if (!record().is_in_group)
    start(label);
}

void end(std::uint64_t) {
  if (!record().is_in_group)
    stop();
}

} // namespace

KernelTimes::KernelTimes() {
  namespace Tools = Kokkos::Tools::Experimental;
  Record& r = record();
  TESSERA_ASSERT(!r.is_active);
  r.is_active = true;
  r.others = Tools::get_callbacks();
  r.kernels.clear();
  Tools::set_callbacks(Tools::EventSet());
  Tools::set_begin_parallel_for_callback(begin);
  Tools::set_end_parallel_for_callback(end);
  Tools::set_begin_parallel_reduce_callback(begin);
  Tools::set_end_parallel_reduce_callback(end);
  Tools::set_begin_parallel_scan_callback(begin);
  Tools::set_end_parallel_scan_callback(end);
}

KernelTimes::~KernelTimes() {
  Record& r = record();
  Kokkos::Tools::Experimental::set_callbacks(r.others);
  r.is_active = false;
}

std::vector<KernelTime> KernelTimes::times() const { return record().kernels; }

KernelGroup::KernelGroup(const char* label) : is_outermost_(record().is_active && !record().is_in_group) {
  if (!is_outermost_)
    return;
  start(label);
  record().is_in_group = true;
}

KernelGroup::~KernelGroup() {
  if (!is_outermost_)
    return;
  record().is_in_group = false;
  stop();
}

bool detail::listens_to_kernels() {
  const Kokkos::Tools::Experimental::EventSet callbacks = Kokkos::Tools::Experimental::get_callbacks();
  return callbacks.begin_parallel_for != nullptr || callbacks.begin_parallel_reduce != nullptr ||
         callbacks.begin_parallel_scan != nullptr;
}

void detail::note_kernel_resources(int registers, double occupancy) {
  Record& r = record();
  if (!r.is_active || r.is_in_group || r.current >= r.kernels.size())
    return;
  r.kernels[r.current].registers = registers;
  r.kernels[r.current].occupancy = occupancy;
}

} // namespace tessera
