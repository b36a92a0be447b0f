// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_EVENT_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_EVENT_HPP

/// \file
/// What the host reads while a device goes on: a place in the device's queue to wait for, and memory of the host that
/// the device writes to.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

/// A place in the queue of an execution-space instance. What was queued before it is done after wait(); what was queued
/// later need not be (where Kokkos has no such wait it is, too). Not copyable.
template <class ExecutionSpace> class DeviceEvent {
public:
  DeviceEvent();
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  /// Marks the end of what is queued now; an earlier place is forgotten.
  void set(const ExecutionSpace& exec);
  /// Returns at once if nothing was marked.
  void wait() const;

private:
  void* event_ = nullptr; ///< the vendor's
  ExecutionSpace exec_;
};

namespace detail {
template <class ExecutionSpace> struct PinnedSpace {
  static_assert(is_host_space<ExecutionSpace>, "A device's way to the host's memory is missing here.");
  using type = Kokkos::HostSpace;
};
#if defined(KOKKOS_ENABLE_CUDA)
template <> struct PinnedSpace<CudaSpace> { using type = Kokkos::CudaHostPinnedSpace; };
#endif
#if defined(KOKKOS_ENABLE_HIP)
#if KOKKOS_VERSION >= 40000
template <> struct PinnedSpace<HipSpace> { using type = Kokkos::HIPHostPinnedSpace; };
#else
template <> struct PinnedSpace<HipSpace> { using type = Kokkos::Experimental::HIPHostPinnedSpace; };
#endif
#endif
} // namespace detail

/// Array of the host that kernels of the device may write, too (slowly: for a few numbers), and that copies need not
/// stage: Kokkos::deep_copy(exec, ...) does not wait.
template <class DataType, class ExecutionSpace>
using PinnedArray = Array<DataType, typename detail::PinnedSpace<ExecutionSpace>::type>;

} // namespace tessera

#endif
