// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_HOST_HOST_MEMORY_HPP
#define TESSERA_CORE_KOKKOS_EXT_HOST_HOST_MEMORY_HPP

/// \file
/// Host allocator settings (malloc, huge pages); no effect on systems without them.

#include <cstddef>

namespace tessera {

/// Keeps freed memory for the next allocation instead of returning it to the system: otherwise each new large array
/// would cost a page fault per 4 KiB, which takes longer than most kernels that fill it.
void keep_freed_host_memory();

/// Requests huge pages for a large array, which avoids most TLB misses in gathers.
void advise_huge_pages(const void* pointer, std::size_t bytes);

} // namespace tessera

#endif
