// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_SORT_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_SORT_HPP

/// \file
/// Device-wide vendor sorts behind one function. NVIDIA: cub, which accepts a range of key bits, unlike Thrust; its
/// temporary memory comes from Kokkos, so that the memory ledger counts it.

#include "core/kokkos_ext/device/vendor_status.hpp"
#include "core/parallel.hpp"

#if defined(TESSERA_CUDA_FORMS)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace tessera::detail {

/// Stable sort of keys and payload (null: keys only); false if the space has no vendor sort.
template <class ExecutionSpace, class Key, class Payload>
bool vendor_sort(const ExecutionSpace&, Key*, Payload*, std::int64_t, int) {
  return false;
}

#if defined(TESSERA_CUDA_FORMS)

/// Sorts `keys` and `payload` (which may be null); afterwards the sorted arrays are the buffers' Current().
template <class Key, class Payload>
void cub_sort(const Kokkos::Cuda& exec, cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Payload>* payload,
              std::int64_t n, int key_bits) {
  std::size_t bytes = 0;
  Array<char*, Kokkos::Cuda> scratch;
  for (int pass = 0; pass < 2; ++pass) {
    void* memory = pass == 0 ? nullptr : scratch.data();
    const cudaError_t status =
        payload != nullptr
            ? cub::DeviceRadixSort::SortPairs(memory, bytes, keys, *payload, n, 0, key_bits, exec.cuda_stream())
            : cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, key_bits, exec.cuda_stream());
    require_success(status, "Sorting");
    if (pass == 0)
      scratch = make_array<Array<char*, Kokkos::Cuda>>(exec, "core::sort_scratch", bytes > 0 ? bytes : 1);
  }
  // The scratch memory is freed on return.
  exec.fence();
}

template <class Key, class Payload>
bool vendor_sort(const Kokkos::Cuda& exec, Key* keys, Payload* payload, std::int64_t n, int key_bits) {
  auto other_keys = make_array<Array<Key*, Kokkos::Cuda>>(exec, "core::sort_keys", n);
  auto other_payload =
      make_array<Array<Payload*, Kokkos::Cuda>>(exec, "core::sort_payload", payload != nullptr ? n : 0);
  cub::DoubleBuffer<Key> key_buffer(keys, other_keys.data());
  cub::DoubleBuffer<Payload> payload_buffer(payload, other_payload.data());
  cub_sort(exec, key_buffer, payload != nullptr ? &payload_buffer : nullptr, n, key_bits);
  if (key_buffer.Current() != keys) {
    Kokkos::deep_copy(exec, Array<Key*, Kokkos::Cuda>(keys, n), other_keys);
    if (payload != nullptr)
      Kokkos::deep_copy(exec, Array<Payload*, Kokkos::Cuda>(payload, n), other_payload);
  }
  exec.fence(); // the second copies are freed on return
  return true;
}
#endif

} // namespace tessera::detail

#endif
