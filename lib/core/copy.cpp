// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/parallel.hpp"

namespace tessera::detail {

template <class ExecutionSpace, class ToMemory, class FromMemory>
void copy_bytes(const ExecutionSpace& exec, void* to, std::size_t to_size, const void* from, std::size_t from_size) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(exec, Kokkos::View<char*, ToMemory, Unmanaged>(static_cast<char*>(to), to_size),
                    Kokkos::View<const char*, FromMemory, Unmanaged>(static_cast<const char*>(from), from_size));
}

#define TESSERA_INSTANTIATE(Space, To, From)                                                                           \
  template void copy_bytes<Space, To, From>(const Space&, void*, std::size_t, const void*, std::size_t);
#define TESSERA_INSTANTIATE_HOST(Space) TESSERA_INSTANTIATE(Space, HostMemory, HostMemory)
#define TESSERA_INSTANTIATE_DEVICE(Space)                                                                              \
  TESSERA_INSTANTIATE(Space, Space::memory_space, Space::memory_space)                                                 \
  TESSERA_INSTANTIATE(Space, Space::memory_space, HostMemory)                                                          \
  TESSERA_INSTANTIATE(Space, HostMemory, Space::memory_space)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE_HOST)
TESSERA_FOR_EACH_DEVICE_SPACE(TESSERA_INSTANTIATE_DEVICE)
#undef TESSERA_INSTANTIATE_DEVICE
#undef TESSERA_INSTANTIATE_HOST
#undef TESSERA_INSTANTIATE

} // namespace tessera::detail
