// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_SPACES_HPP
#define TESSERA_CORE_KOKKOS_EXT_SPACES_HPP

/// \file
/// The execution spaces of this build, their names, and what depends on the Kokkos version or on a vendor's compiler.

#include "core/config.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "core/types.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace tessera {

#if defined(KOKKOS_ENABLE_SERIAL) && TESSERA_ENABLE_SERIAL
#define TESSERA_HAS_SERIAL_SPACE
using SerialSpace = Kokkos::Serial;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
using OpenMPSpace = Kokkos::OpenMP;
#endif
#if defined(KOKKOS_ENABLE_CUDA)
using CudaSpace = Kokkos::Cuda;
#endif
#if defined(KOKKOS_ENABLE_HIP)
using HipSpace = Kokkos::HIP;
#endif

// Devices for which this folder has the generic form only.
#if defined(KOKKOS_ENABLE_SYCL)
using OtherSpace = Kokkos::SYCL;
#define TESSERA_OTHER_SPACE "sycl"
#elif defined(KOKKOS_ENABLE_OPENMPTARGET)
using OtherSpace = Kokkos::Experimental::OpenMPTarget;
#define TESSERA_OTHER_SPACE "openmptarget"
#elif defined(KOKKOS_ENABLE_OPENACC)
using OtherSpace = Kokkos::Experimental::OpenACC;
#define TESSERA_OTHER_SPACE "openacc"
#endif

// Vendor-specific forms, where they are faster than the generic form in public Kokkos: TESSERA_CUDA_FORMS and
// TESSERA_HIP_FORMS guard host code, TESSERA_IN_CUDA_KERNEL and TESSERA_IN_HIP_KERNEL device code.
#if !TESSERA_GENERIC_DEVICE && defined(KOKKOS_ENABLE_CUDA)
#define TESSERA_CUDA_FORMS
#if defined(__CUDA_ARCH__)
#define TESSERA_IN_CUDA_KERNEL
#endif
#endif
#if !TESSERA_GENERIC_DEVICE && defined(KOKKOS_ENABLE_HIP)
#define TESSERA_HIP_FORMS
#if defined(__HIP_DEVICE_COMPILE__)
#define TESSERA_IN_HIP_KERNEL
#endif
#endif

namespace detail {
#if defined(TESSERA_HAS_SERIAL_SPACE)
using SerialTuple = std::tuple<SerialSpace>;
#else
using SerialTuple = std::tuple<>;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
using OpenMPTuple = std::tuple<OpenMPSpace>;
#else
using OpenMPTuple = std::tuple<>;
#endif
#if defined(KOKKOS_ENABLE_CUDA)
using CudaTuple = std::tuple<CudaSpace>;
#else
using CudaTuple = std::tuple<>;
#endif
#if defined(KOKKOS_ENABLE_HIP)
using HipTuple = std::tuple<HipSpace>;
#else
using HipTuple = std::tuple<>;
#endif
#if defined(TESSERA_OTHER_SPACE)
using OtherTuple = std::tuple<OtherSpace>;
#else
using OtherTuple = std::tuple<>;
#endif
} // namespace detail

/// Every execution space of this build, hosts first.
using ExecutionSpaces = decltype(std::tuple_cat(detail::SerialTuple{}, detail::OpenMPTuple{}, detail::CudaTuple{},
                                                detail::HipTuple{}, detail::OtherTuple{}));

/// `MACRO(Space)` for every execution space of this build: explicit instantiation in .cpp files.
#if defined(TESSERA_HAS_SERIAL_SPACE)
#define TESSERA_IF_SERIAL(MACRO) MACRO(::tessera::SerialSpace)
#else
#define TESSERA_IF_SERIAL(MACRO)
#endif
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(TESSERA_DEVICES_ALONE) // by .ci/run, which compiles without linking
#define TESSERA_IF_OPENMP(MACRO) MACRO(::tessera::OpenMPSpace)
#else
#define TESSERA_IF_OPENMP(MACRO)
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#define TESSERA_IF_CUDA(MACRO) MACRO(::tessera::CudaSpace)
#else
#define TESSERA_IF_CUDA(MACRO)
#endif
#if defined(KOKKOS_ENABLE_HIP)
#define TESSERA_IF_HIP(MACRO) MACRO(::tessera::HipSpace)
#else
#define TESSERA_IF_HIP(MACRO)
#endif
#if defined(TESSERA_OTHER_SPACE)
#define TESSERA_IF_OTHER(MACRO) MACRO(::tessera::OtherSpace)
#else
#define TESSERA_IF_OTHER(MACRO)
#endif
#define TESSERA_FOR_EACH_SPACE(MACRO)                                                                                  \
  TESSERA_IF_SERIAL(MACRO)                                                                                             \
  TESSERA_IF_OPENMP(MACRO) TESSERA_IF_CUDA(MACRO) TESSERA_IF_HIP(MACRO) TESSERA_IF_OTHER(MACRO)

/// As above for spaces whose memory is separate from the host's; TESSERA_HAS_DEVICE_SPACE is defined if there is one.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(TESSERA_OTHER_SPACE)
#define TESSERA_HAS_DEVICE_SPACE
#endif
#define TESSERA_FOR_EACH_DEVICE_SPACE(MACRO) TESSERA_IF_CUDA(MACRO) TESSERA_IF_HIP(MACRO) TESSERA_IF_OTHER(MACRO)

#if defined(TESSERA_HAS_SERIAL_SPACE)
template <> struct BackendName<SerialSpace> { static constexpr const char* value = "serial"; };
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template <> struct BackendName<OpenMPSpace> { static constexpr const char* value = "openmp"; };
#endif
#if defined(KOKKOS_ENABLE_CUDA)
template <> struct BackendName<CudaSpace> { static constexpr const char* value = "cuda"; };
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <> struct BackendName<HipSpace> { static constexpr const char* value = "hip"; };
#endif
#if defined(TESSERA_OTHER_SPACE)
template <> struct BackendName<OtherSpace> { static constexpr const char* value = TESSERA_OTHER_SPACE; };
#endif

/// True for memory that host threads can access.
template <class MemorySpace>
constexpr bool is_host_memory = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;

/// True for spaces whose kernels run on the host's threads.
template <class ExecutionSpace> constexpr bool is_host_space = is_host_memory<typename ExecutionSpace::memory_space>;

/// True if kernels use the form for few host threads with large caches instead of the form for devices. A build with
/// TESSERA_DEVICE_FORMS uses the device forms everywhere, so that they can be tested without a GPU.
#if defined(TESSERA_DEVICE_FORMS)
template <class MemorySpace> constexpr bool uses_host_forms = false;
#else
template <class MemorySpace> constexpr bool uses_host_forms = is_host_memory<MemorySpace>;
#endif

/// True if at most one thread runs at a time, so that nothing needs to be atomic.
#if defined(TESSERA_HAS_SERIAL_SPACE)
template <class ExecutionSpace> constexpr bool is_serial_space = std::is_same<ExecutionSpace, Kokkos::Serial>::value;
#else
template <class ExecutionSpace> constexpr bool is_serial_space = false;
#endif

/// True if neighbouring threads of a loop can exchange values (lanes.hpp), and parts of a team can wait for each other
/// (thread_group.hpp). The generic form has one thread for each item, and whole teams.
template <class ExecutionSpace> constexpr bool has_lanes = false;
#if defined(TESSERA_CUDA_FORMS)
template <> inline constexpr bool has_lanes<CudaSpace> = true;
#endif
#if defined(TESSERA_HIP_FORMS)
template <> inline constexpr bool has_lanes<HipSpace> = true;
#endif

/// Name of the device, or of the processor with the number of threads.
template <class ExecutionSpace> std::string device_name(const ExecutionSpace& exec);

} // namespace tessera

#endif
