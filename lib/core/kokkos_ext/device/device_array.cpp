// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/device_array.hpp"

#if defined(TESSERA_QUEUED_ARRAYS)

#include "core/kokkos_ext/device/vendor_status.hpp"

namespace tessera::detail {

namespace {

using Record = Kokkos::Impl::SharedAllocationRecord<void, void>;
using Header = Kokkos::Impl::SharedAllocationHeader;

/// True if the device in use has memory pools.
bool has_memory_pools() {
  static const bool result = [] {
    int device = 0;
    int supported = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) == cudaSuccess && supported == 1;
  }();
  return result;
}

/// Owns an array. The allocation header that would precede the array is omitted; nothing reads it, as the record has
/// the label.
class QueuedArray final : public Record {
public:
  QueuedArray(const CudaSpace& exec, void* memory, std::size_t bytes, const std::string& label)
      : Record(
#if defined(KOKKOS_ENABLE_DEBUG)
            &root(),
#endif
            static_cast<Header*>(memory) - 1, bytes + sizeof(Header), &free, label),
        exec_(exec) {
    if (Kokkos::Tools::profileLibraryLoaded())
      Kokkos::Tools::allocateData(space(), label.c_str(), memory, bytes);
  }
  std::string get_label() const override { return m_label; }

private:
  static Kokkos::Tools::SpaceHandle space() { return Kokkos::Tools::make_space_handle(Kokkos::CudaSpace::name()); }
#if defined(KOKKOS_ENABLE_DEBUG)
  static Record& root() {
    static Record instance;
    return instance;
  }
#endif
  static void free(Record* record) {
    auto* self = static_cast<QueuedArray*>(record);
    if (Kokkos::Tools::profileLibraryLoaded())
      Kokkos::Tools::deallocateData(space(), self->m_label.c_str(), self->data(), self->size());
    cudaFreeAsync(self->data(), self->exec_.cuda_stream()); // in a destructor: a failure is reported by the next call
    delete self;
  }

  CudaSpace exec_;
};

} // namespace

Record* make_queued_array(const CudaSpace& exec, const std::string& label, std::size_t bytes) {
  if (!has_memory_pools())
    return nullptr;
  void* memory = nullptr;
  const cudaError_t status = cudaMallocAsync(&memory, bytes, exec.cuda_stream());
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError(); // the error is reported here
    throw_error(ErrorKind::resource, "out of memory on the device: the array " + label + " needs " +
                                         format_bytes(static_cast<double>(bytes)) + ".");
  }
  require_success(status, "Allocation");
  return new QueuedArray(exec, memory, bytes, label);
}

} // namespace tessera::detail

#endif
