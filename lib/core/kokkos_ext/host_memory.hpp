// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_HOST_MEMORY_HPP
#define TESSERA_CORE_KOKKOS_EXT_HOST_MEMORY_HPP

/// \file
/// How the host's memory is had from the operating system; nothing where the system offers no such choice.

#include <cstddef>

namespace tessera {

/// Keeps freed memory for the next allocation instead of handing it back: each large array would otherwise cost a page
/// fault per 4 KiB every time it is made, more than most kernels that fill it.
void keep_freed_host_memory();

/// Asks for huge pages under a large array, which spares most misses of the translation buffer in gathers.
void advise_huge_pages(const void* pointer, std::size_t bytes);

} // namespace tessera

#endif
