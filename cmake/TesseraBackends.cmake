# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tessera_BACKENDS: Kokkos' execution spaces for which everything is compiled, in its spelling (SERIAL, OPENMP, CUDA, HIP). The
# processor needs one; with OpenMP it is two unless Tessera_ENABLE_SERIAL is off.
set(Tessera_BACKENDS ${Kokkos_DEVICES})
list(FILTER Tessera_BACKENDS INCLUDE REGEX "^(SERIAL|OPENMP|CUDA|HIP)$")
if(NOT Tessera_ENABLE_SERIAL)
  list(REMOVE_ITEM Tessera_BACKENDS SERIAL)
  if(NOT "OPENMP" IN_LIST Tessera_BACKENDS)
    message(FATAL_ERROR "Tessera_ENABLE_SERIAL=OFF needs a Kokkos with OpenMP; this one has ${Kokkos_DEVICES} (${Kokkos_DIR}).")
  endif()
endif()
