// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/host/host_memory.hpp"

#include <cstdint>

#if defined(__linux__)
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace tessera {

void keep_freed_host_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

void advise_huge_pages(const void* pointer, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t huge = std::uintptr_t(2) << 20;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(pointer) + huge - 1) / huge * huge;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(pointer) + bytes) / huge * huge;
  if (end > begin)
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE); // only advice: a refusal is harmless
#else
  (void)pointer;
  (void)bytes;
#endif
}

} // namespace tessera
