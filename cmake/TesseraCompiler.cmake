# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# To be included before project(): sets the folder of the bootstrap's cache and the compiler that its Kokkos needs (nvcc_wrapper, hipcc).

set(Tessera_KOKKOS openmp CACHE STRING "Which Kokkos of the bootstrap's cache: openmp, openmp-debug, cuda or hip")
set_property(CACHE Tessera_KOKKOS PROPERTY STRINGS openmp openmp-debug cuda hip)

if(DEFINED ENV{TESSERA_CACHE})
  set(Tessera_CACHE $ENV{TESSERA_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(Tessera_CACHE $ENV{XDG_CACHE_HOME}/tessera)
else()
  set(Tessera_CACHE $ENV{HOME}/.cache/tessera)
endif()
file(REAL_PATH kokkos-${Tessera_KOKKOS} Tessera_KOKKOS_HINT BASE_DIRECTORY ${Tessera_CACHE})

if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  if(Tessera_KOKKOS STREQUAL "cuda" AND EXISTS ${Tessera_KOKKOS_HINT}/bin/nvcc_wrapper)
    set(CMAKE_CXX_COMPILER ${Tessera_KOKKOS_HINT}/bin/nvcc_wrapper)
  elseif(Tessera_KOKKOS STREQUAL "hip")
    set(CMAKE_CXX_COMPILER hipcc)
  endif()
endif()
