# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tessera_BACKENDS: Kokkos' execution spaces for which everything is compiled, in its spelling (SERIAL, OPENMP, CUDA, HIP). The
# processor needs one. With OpenMP the backend serial is one of its threads, and Serial is compiled only if
# Tessera_ENABLE_SERIAL asks for it; without OpenMP it is compiled always.
set(Tessera_BACKENDS ${Kokkos_DEVICES})
list(FILTER Tessera_BACKENDS INCLUDE REGEX "^(SERIAL|OPENMP|CUDA|HIP)$")
if("OPENMP" IN_LIST Tessera_BACKENDS AND NOT Tessera_ENABLE_SERIAL)
  list(REMOVE_ITEM Tessera_BACKENDS SERIAL)
elseif("SERIAL" IN_LIST Tessera_BACKENDS)
  set(Tessera_ENABLE_SERIAL ON)
elseif("OPENMP" IN_LIST Tessera_BACKENDS)
  message(FATAL_ERROR "Tessera_ENABLE_SERIAL=ON needs a Kokkos with Serial; this one has ${Kokkos_DEVICES} (${Kokkos_DIR}).")
else()
  message(FATAL_ERROR "Tessera needs a Kokkos with OpenMP or Serial; this one has ${Kokkos_DEVICES} (${Kokkos_DIR}).")
endif()
