// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_EVENT_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_EVENT_HPP

/// \file
/// Lets the host read results while a device continues: an event in the device's queue, and host memory that the device
/// can write.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

/// Event in the queue of an execution-space instance. After wait() all work queued before it is complete, but not
/// necessarily later work (falls back to a fence where Kokkos has no events). Not copyable.
template <class ExecutionSpace> class DeviceEvent {
public:
  DeviceEvent();
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  /// Records the event at the end of the queue; replaces an earlier one.
  void set(const ExecutionSpace& exec);
  /// Returns at once if no event was recorded.
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

/// Host array that device kernels can write, too (slowly: for a few numbers), and that copies need not stage:
/// Kokkos::deep_copy(exec, ...) does not wait.
template <class DataType, class ExecutionSpace>
using PinnedArray = Array<DataType, typename detail::PinnedSpace<ExecutionSpace>::type>;

} // namespace tessera

#endif
