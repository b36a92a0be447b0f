# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tessera_BACKENDS: Kokkos' execution spaces for which everything is compiled, in Kokkos' spelling (SERIAL, OPENMP, CUDA, HIP, SYCL,
# OPENMPTARGET, OPENACC; Kokkos has at most one device). One host space is required. With OpenMP the backend serial is one OpenMP
# thread, and Serial is compiled only if Tessera_ENABLE_SERIAL is ON; without OpenMP Serial is always compiled.
set(Tessera_BACKENDS ${Kokkos_DEVICES})
list(FILTER Tessera_BACKENDS INCLUDE REGEX "^(SERIAL|OPENMP|CUDA|HIP|SYCL|OPENMPTARGET|OPENACC)$")
if("OPENMP" IN_LIST Tessera_BACKENDS AND NOT Tessera_ENABLE_SERIAL)
  list(REMOVE_ITEM Tessera_BACKENDS SERIAL)
elseif("SERIAL" IN_LIST Tessera_BACKENDS)
  set(Tessera_ENABLE_SERIAL ON)
elseif("OPENMP" IN_LIST Tessera_BACKENDS)
  message(FATAL_ERROR "Tessera_ENABLE_SERIAL=ON needs a Kokkos with Serial; this one has ${Kokkos_DEVICES} (${Kokkos_DIR}).")
else()
  message(FATAL_ERROR "Tessera needs a Kokkos with OpenMP or Serial; this one has ${Kokkos_DEVICES} (${Kokkos_DIR}).")
endif()

# Covers Threads and HPX, which Kokkos offers instead of OpenMP, and execution spaces of later versions.
set(_left_out ${Kokkos_DEVICES})
list(REMOVE_ITEM _left_out ${Tessera_BACKENDS} SERIAL)
if(_left_out)
  message(WARNING "This Kokkos has ${_left_out}, for which nothing is compiled: Tessera knows SERIAL, OPENMP, CUDA, HIP, SYCL, "
                  "OPENMPTARGET and OPENACC.")
endif()

# Kernel arguments that are not copied (core/kokkos_ext/launch.hpp) need compute capability 7.0.
if("CUDA" IN_LIST Tessera_BACKENDS AND NOT Tessera_ENABLE_GENERIC_DEVICE AND Kokkos_ARCH MATCHES "KEPLER|MAXWELL|PASCAL")
  message(FATAL_ERROR "Tessera's own code for NVIDIA GPUs needs compute capability 7.0, but this Kokkos is for ${Kokkos_ARCH}. "
                      "With -DTessera_ENABLE_GENERIC_DEVICE=ON it does without.")
endif()

# The layout of Kokkos' arrays depends on the standard: loops of C++20 with a Kokkos 4.7 of C++17 wrote wrong memory on a GPU.
if("CUDA" IN_LIST Tessera_BACKENDS AND CMAKE_CXX_STANDARD AND Kokkos_CXX_STANDARD AND NOT CMAKE_CXX_STANDARD EQUAL Kokkos_CXX_STANDARD)
  message(FATAL_ERROR "CMAKE_CXX_STANDARD is ${CMAKE_CXX_STANDARD}, but this Kokkos was built as C++${Kokkos_CXX_STANDARD} (${Kokkos_DIR}). "
                      "With CUDA both must be the same.")
endif()
