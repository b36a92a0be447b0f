// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/peer_memory.hpp"

#include "core/kokkos_ext/device/vendor_status.hpp"

#include <cstring>

namespace tessera {

#if defined(TESSERA_CUDA_FORMS)
// Not allocated by Kokkos: memory of the vendor's pools cannot be shared.
template <> PeerMemory<CudaSpace>::PeerMemory(std::size_t size) {
  void* data = nullptr;
  detail::require_success(cudaMalloc(&data, size), "Taking memory for messages");
  data_ = static_cast<char*>(data);
  detail::require_success(cudaMemset(data_, 0, size), "Clearing memory for messages");
  detail::require_success(cudaDeviceSynchronize(), "Clearing memory for messages");
}
template <> PeerMemory<CudaSpace>::~PeerMemory() { cudaFree(data_); }
template <> PeerHandle PeerMemory<CudaSpace>::handle() const {
  cudaIpcMemHandle_t handle;
  static_assert(sizeof(handle) <= sizeof(PeerHandle), "A vendor's handle has another size.");
  PeerHandle bytes{};
  if (cudaIpcGetMemHandle(&handle, data_) == cudaSuccess)
    std::memcpy(bytes.data(), &handle, sizeof(handle));
  else
    static_cast<void>(cudaGetLastError()); // the process that opens it handles the failure
  return bytes;
}
template <> OpenedPeerMemory<CudaSpace>::OpenedPeerMemory(const PeerHandle& bytes) {
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, bytes.data(), sizeof(handle));
  void* data = nullptr;
  if (cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess)
    data_ = static_cast<char*>(data);
  else
    static_cast<void>(cudaGetLastError());
}
template <> OpenedPeerMemory<CudaSpace>::~OpenedPeerMemory() {
  if (data_ != nullptr)
    cudaIpcCloseMemHandle(data_);
}
#endif

#if defined(TESSERA_HIP_FORMS)
template <> PeerMemory<HipSpace>::PeerMemory(std::size_t size) {
  void* data = nullptr;
  // Fine-grained: other memory need not show remote writes before a kernel ends.
  detail::require_success(hipExtMallocWithFlags(&data, size, hipDeviceMallocFinegrained), "Taking memory for messages");
  data_ = static_cast<char*>(data);
  detail::require_success(hipMemset(data_, 0, size), "Clearing memory for messages");
  detail::require_success(hipDeviceSynchronize(), "Clearing memory for messages");
}
template <> PeerMemory<HipSpace>::~PeerMemory() { static_cast<void>(hipFree(data_)); }
template <> PeerHandle PeerMemory<HipSpace>::handle() const {
  hipIpcMemHandle_t handle;
  static_assert(sizeof(handle) <= sizeof(PeerHandle), "A vendor's handle has another size.");
  PeerHandle bytes{};
  if (hipIpcGetMemHandle(&handle, data_) == hipSuccess)
    std::memcpy(bytes.data(), &handle, sizeof(handle));
  else
    static_cast<void>(hipGetLastError());
  return bytes;
}
template <> OpenedPeerMemory<HipSpace>::OpenedPeerMemory(const PeerHandle& bytes) {
  hipIpcMemHandle_t handle;
  std::memcpy(&handle, bytes.data(), sizeof(handle));
  void* data = nullptr;
  if (hipIpcOpenMemHandle(&data, handle, hipIpcMemLazyEnablePeerAccess) == hipSuccess)
    data_ = static_cast<char*>(data);
  else
    static_cast<void>(hipGetLastError());
}
template <> OpenedPeerMemory<HipSpace>::~OpenedPeerMemory() {
  if (data_ != nullptr)
    static_cast<void>(hipIpcCloseMemHandle(data_));
}
#endif

} // namespace tessera
