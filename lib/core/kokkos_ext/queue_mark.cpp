// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/queue_mark.hpp"

#include "core/error.hpp"

namespace tessera {

namespace {

/// Spaces without events: the whole queue.
template <class ExecutionSpace> struct Event {
  static void* make() { return nullptr; }
  static void free(void*) {}
  static void set(void*, const ExecutionSpace&) {}
  static void wait(void*, const ExecutionSpace& exec) { exec.fence(); }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <> struct Event<CudaSpace> {
  static void require(cudaError_t code) {
    TESSERA_REQUIRE(code == cudaSuccess, "the GPU reports: " << cudaGetErrorString(code) << '.');
  }
  static void* make() {
    cudaEvent_t event = nullptr;
    require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
  }
  static void free(void* event) { cudaEventDestroy(static_cast<cudaEvent_t>(event)); }
  static void set(void* event, const CudaSpace& exec) {
    require(cudaEventRecord(static_cast<cudaEvent_t>(event), exec.cuda_stream()));
  }
  static void wait(void* event, const CudaSpace&) { require(cudaEventSynchronize(static_cast<cudaEvent_t>(event))); }
};
#endif

#if defined(KOKKOS_ENABLE_HIP)
template <> struct Event<HipSpace> {
  static void require(hipError_t code) {
    TESSERA_REQUIRE(code == hipSuccess, "the GPU reports: " << hipGetErrorString(code) << '.');
  }
  static void* make() {
    hipEvent_t event = nullptr;
    require(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    return event;
  }
  static void free(void* event) { static_cast<void>(hipEventDestroy(static_cast<hipEvent_t>(event))); }
  static void set(void* event, const HipSpace& exec) {
    require(hipEventRecord(static_cast<hipEvent_t>(event), exec.hip_stream()));
  }
  static void wait(void* event, const HipSpace&) { require(hipEventSynchronize(static_cast<hipEvent_t>(event))); }
};
#endif

} // namespace

template <class ExecutionSpace> QueueMark<ExecutionSpace>::QueueMark() : event_(Event<ExecutionSpace>::make()) {}
template <class ExecutionSpace> QueueMark<ExecutionSpace>::~QueueMark() { Event<ExecutionSpace>::free(event_); }
template <class ExecutionSpace> void QueueMark<ExecutionSpace>::set(const ExecutionSpace& exec) {
  exec_ = exec;
  Event<ExecutionSpace>::set(event_, exec);
}
template <class ExecutionSpace> void QueueMark<ExecutionSpace>::wait() const {
  Event<ExecutionSpace>::wait(event_, exec_);
}

#define TESSERA_INSTANTIATE(Space) template class QueueMark<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
