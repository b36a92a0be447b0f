// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/recorded_kernels.hpp"

#include "core/kokkos_ext/device/kernel_times.hpp"
#include "core/kokkos_ext/device/vendor_status.hpp"

namespace tessera {

namespace {

/// For spaces without graphs.
template <class ExecutionSpace> struct Graph {
  static void* record(const typename RecordedKernels<ExecutionSpace>::Work&) { return nullptr; }
  static void launch(void*, const ExecutionSpace&) {}
  static void free(void*) {}
};

#if defined(TESSERA_CUDA_FORMS)
/// Owns a stream: the default stream cannot be recorded.
struct OwnStream {
  cudaStream_t stream = nullptr;
  OwnStream() { detail::require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "Making a queue"); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream); }
};

template <> struct Graph<CudaSpace> {
  static void* record(const RecordedKernels<CudaSpace>::Work& work) {
    const OwnStream own;
    const CudaSpace queue(own.stream);
    cudaGraph_t graph = nullptr;
    detail::require_success(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal), "Recording kernels");
    work(queue);
    detail::require_success(cudaStreamEndCapture(own.stream, &graph), "Recording kernels");
    cudaGraphExec_t result = nullptr;
#if CUDART_VERSION >= 12000
    const cudaError_t status = cudaGraphInstantiate(&result, graph, 0);
#else
    const cudaError_t status = cudaGraphInstantiate(&result, graph, nullptr, nullptr, 0);
#endif
    cudaGraphDestroy(graph);
    detail::require_success(status, "Recording kernels");
    return result;
  }
  static void launch(void* graph, const CudaSpace& exec) {
    detail::require_success(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), exec.cuda_stream()),
                            "Launching recorded kernels");
  }
  static void free(void* graph) {
    if (graph != nullptr)
      cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
  }
};
#endif

} // namespace

template <class ExecutionSpace> RecordedKernels<ExecutionSpace>::~RecordedKernels() {
  Graph<ExecutionSpace>::free(graph_);
}

template <class ExecutionSpace>
void RecordedKernels<ExecutionSpace>::run(const ExecutionSpace& exec, const Work& work) {
  // A tool would wait for the recorded queue, which is an error during recording.
  const bool is_watched = detail::listens_to_kernels();
  if (graph_ == nullptr && has_run_ && !is_watched)
    graph_ = Graph<ExecutionSpace>::record(work);
  has_run_ = true; // the first run loads the kernels, which may also wait
  if (graph_ != nullptr && !is_watched)
    Graph<ExecutionSpace>::launch(graph_, exec);
  else
    work(exec);
}

#define TESSERA_INSTANTIATE(Space) template class RecordedKernels<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
