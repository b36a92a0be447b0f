# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# tessera_compile_options: the flags of all targets of this project; not exported to consumers.

# As a subproject, Tessera leaves the build type to the enclosing project.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 17)
  if(Kokkos_CXX_STANDARD GREATER 17)
    set(CMAKE_CXX_STANDARD ${Kokkos_CXX_STANDARD})
  endif()
endif()

set(Tessera_HOST_ONLY ON)
if(Tessera_BACKENDS MATCHES "CUDA|HIP|SYCL|OPENMPTARGET|OPENACC")
  set(Tessera_HOST_ONLY OFF)
endif()

set(Tessera_NVCC_WRAPPER OFF)
if("CUDA" IN_LIST Kokkos_DEVICES AND CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper$")
  set(Tessera_NVCC_WRAPPER ON)
endif()

# Parsing Kokkos' headers takes about a second per file. Not tried with nvcc_wrapper and hipcc.
set(Tessera_PRECOMPILE OFF)
if(Tessera_ENABLE_PRECOMPILED_HEADERS AND Tessera_HOST_ONLY)
  set(Tessera_PRECOMPILE ON)
endif()

find_program(Tessera_CCACHE ccache)
if(Tessera_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this ccache does not cache files that are compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${Tessera_CCACHE})
endif()

add_library(tessera_compile_options INTERFACE)
target_compile_options(
  tessera_compile_options
  INTERFACE
    -Wall
    -Wextra
    $<$<BOOL:${Tessera_WARNINGS_AS_ERRORS}>:-Werror>
    # For equal results on all backends: no contraction to fused multiply-add unless the source requests it.
    -ffp-contract=off
    -fno-math-errno
    # GCC takes what a unity build includes for headers, in which an unnamed namespace would be an error.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
    # Clang tells of every loop that it does not vectorize though it was asked to.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
if("CUDA" IN_LIST Kokkos_DEVICES)
  target_compile_options(tessera_compile_options INTERFACE --fmad=false --expt-relaxed-constexpr)
endif()
if(Tessera_ENABLE_NATIVE AND NOT CMAKE_CROSSCOMPILING AND ("CUDA" IN_LIST Kokkos_DEVICES OR Tessera_HOST_ONLY))
  target_compile_options(tessera_compile_options INTERFACE -march=native)
endif()
# For targets that include no header of Kokkos: nvcc would only lose time.
add_library(tessera_host_code INTERFACE)
if(Tessera_NVCC_WRAPPER)
  target_compile_options(tessera_host_code INTERFACE --host-only)
endif()
if(Tessera_ENABLE_SANITIZERS)
  set(_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_compile_options(tessera_compile_options INTERFACE ${_sanitizers})
  target_link_options(tessera_compile_options INTERFACE ${_sanitizers})
endif()
