// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/kernel_times.hpp"

#include "core/assert.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>

namespace tessera {

namespace {

/// State of the only KernelTimes object: the hooks cannot be passed one.
struct Record {
  bool is_active = false;
  Kokkos::Tools::Experimental::EventSet others;
  std::vector<KernelTime> kernels;
  std::size_t current = 0;
  std::chrono::steady_clock::time_point start;
};

Record& record() {
  static Record r;
  return r;
}

void begin(const char* label, std::uint32_t, std::uint64_t* id) {
  Record& r = record();
  *id = 0;
  const auto found =
      std::find_if(r.kernels.begin(), r.kernels.end(), [&](const KernelTime& k) { return k.label == label; });
  r.current = static_cast<std::size_t>(found - r.kernels.begin());
  if (found == r.kernels.end())
    r.kernels.push_back({label});
  Kokkos::fence();
  r.start = std::chrono::steady_clock::now();
}

void end(std::uint64_t) {
  Record& r = record();
  Kokkos::fence();
  KernelTime& kernel = r.kernels[r.current];
  kernel.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - r.start).count();
  ++kernel.calls;
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

void detail::note_kernel_resources(int registers, double occupancy) {
  Record& r = record();
  if (!r.is_active || r.current >= r.kernels.size())
    return;
  r.kernels[r.current].registers = registers;
  r.kernels[r.current].occupancy = occupancy;
}

} // namespace tessera
