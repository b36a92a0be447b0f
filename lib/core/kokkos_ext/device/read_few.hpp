// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_READ_FEW_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_READ_FEW_HPP

/// \file
/// Reads a few bytes from a device. A CUDA driver copies to ordinary host memory through memory of its own, which takes
/// several microseconds longer than a copy to pinned memory, and set-ups read some ten sizes.

#include "core/kokkos_ext/spaces.hpp"

#include <cstddef>

namespace tessera::detail {

/// Copies bytes from the device to the host; complete on return. Returns false, copying nothing, if there are too many,
/// or if the space has no such form.
template <class ExecutionSpace> bool read_few(const ExecutionSpace&, void*, const void*, std::size_t) { return false; }

#if defined(TESSERA_CUDA_FORMS)
bool read_few(const CudaSpace& exec, void* to, const void* from, std::size_t bytes);
#endif

} // namespace tessera::detail

#endif
