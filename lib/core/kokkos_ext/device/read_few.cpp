// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/read_few.hpp"

#if defined(TESSERA_CUDA_FORMS)

#include "core/kokkos_ext/device/vendor_status.hpp"

#include <cstring>

namespace tessera::detail {

bool read_few(const CudaSpace& exec, void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t most = 1024;
  if (bytes > most)
    return false;
  thread_local void* const pinned = [] { // until the process ends
    void* memory = nullptr;
    require_success(cudaHostAlloc(&memory, most, cudaHostAllocPortable), "Allocation of pinned memory");
    return memory;
  }();
  require_success(cudaMemcpyAsync(pinned, from, bytes, cudaMemcpyDeviceToHost, exec.cuda_stream()), "A copy");
  require_success(cudaStreamSynchronize(exec.cuda_stream()), "A copy");
  std::memcpy(to, pinned, bytes);
  return true;
}

} // namespace tessera::detail

#endif
