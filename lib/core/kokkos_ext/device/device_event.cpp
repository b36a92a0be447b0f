// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/device_event.hpp"

#include "core/kokkos_ext/device/vendor_status.hpp"

namespace tessera {

namespace {

/// For spaces without events: waits for the whole queue.
template <class ExecutionSpace> struct Event {
  static void* make() { return nullptr; }
  static void free(void*) {}
  static void set(void*, const ExecutionSpace&) {}
  static void wait(void*, const ExecutionSpace& exec) { exec.fence(); }
};

#if defined(TESSERA_CUDA_FORMS)
template <> struct Event<CudaSpace> {
  static void* make() {
    cudaEvent_t event = nullptr;
    detail::require_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "Making an event");
    return event;
  }
  static void free(void* event) { cudaEventDestroy(static_cast<cudaEvent_t>(event)); }
  static void set(void* event, const CudaSpace& exec) {
    detail::require_success(cudaEventRecord(static_cast<cudaEvent_t>(event), exec.cuda_stream()), "Marking the queue");
  }
  static void wait(void* event, const CudaSpace&) {
    detail::require_success(cudaEventSynchronize(static_cast<cudaEvent_t>(event)), "Waiting for the queue");
  }
};
#endif

#if defined(TESSERA_HIP_FORMS)
template <> struct Event<HipSpace> {
  static void* make() {
    hipEvent_t event = nullptr;
    detail::require_success(hipEventCreateWithFlags(&event, hipEventDisableTiming), "Making an event");
    return event;
  }
  static void free(void* event) { static_cast<void>(hipEventDestroy(static_cast<hipEvent_t>(event))); }
  static void set(void* event, const HipSpace& exec) {
    detail::require_success(hipEventRecord(static_cast<hipEvent_t>(event), exec.hip_stream()), "Marking the queue");
  }
  static void wait(void* event, const HipSpace&) {
    detail::require_success(hipEventSynchronize(static_cast<hipEvent_t>(event)), "Waiting for the queue");
  }
};
#endif

} // namespace

template <class ExecutionSpace> DeviceEvent<ExecutionSpace>::DeviceEvent() : event_(Event<ExecutionSpace>::make()) {}
template <class ExecutionSpace> DeviceEvent<ExecutionSpace>::~DeviceEvent() { Event<ExecutionSpace>::free(event_); }
template <class ExecutionSpace> void DeviceEvent<ExecutionSpace>::set(const ExecutionSpace& exec) {
  exec_ = exec;
  Event<ExecutionSpace>::set(event_, exec);
}
template <class ExecutionSpace> void DeviceEvent<ExecutionSpace>::wait() const {
  Event<ExecutionSpace>::wait(event_, exec_);
}

#define TESSERA_INSTANTIATE(Space) template class DeviceEvent<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
