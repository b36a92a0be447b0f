// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_DEVICE_EVENT_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_DEVICE_EVENT_HPP

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
  void* event_ = nullptr; ///< the vendor's event
  ExecutionSpace exec_;
};

namespace detail {
#if defined(TESSERA_HAS_DEVICE_SPACE)
#if !defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE) // OpenMPTarget and OpenACC of Kokkos 4.5
#error                                                                                                                 \
    "Tessera needs a Kokkos::SharedHostPinnedSpace, memory of the host that the device can write; this Kokkos has none."
#endif
template <class ExecutionSpace>
using PinnedSpace = std::conditional_t<is_host_space<ExecutionSpace>, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
#else
template <class> using PinnedSpace = Kokkos::HostSpace;
#endif
} // namespace detail

/// Host array that device kernels can also write (slowly: for a few numbers), and that needs no staging:
/// Kokkos::deep_copy(exec, ...) does not wait.
template <class DataType, class ExecutionSpace>
using PinnedArray = Array<DataType, detail::PinnedSpace<ExecutionSpace>>;

} // namespace tessera

#endif
