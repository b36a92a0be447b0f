# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DSOURCE=... -P backends.cmake: Serial is compiled on request, or if there is no OpenMP; what does not fit the Kokkos is refused.
cmake_minimum_required(VERSION 3.22)
set(file ${SOURCE}/cmake/TesseraBackends.cmake)
if(DEFINED Kokkos_DEVICES) # by expect_refusal
  include(${file})
  return()
endif()

function(expect_backends devices asked backends is_serial)
  set(Kokkos_DEVICES ${devices})
  set(Tessera_ENABLE_SERIAL ${asked})
  include(${file})
  if(NOT Tessera_BACKENDS STREQUAL backends OR (Tessera_ENABLE_SERIAL AND NOT is_serial) OR (is_serial AND NOT Tessera_ENABLE_SERIAL))
    message(FATAL_ERROR "of ${devices}, with Tessera_ENABLE_SERIAL=${asked}: ${Tessera_BACKENDS}, Serial ${Tessera_ENABLE_SERIAL}")
  endif()
endfunction()
expect_backends("OPENMP;SERIAL" OFF "OPENMP" OFF)
expect_backends("OPENMP;SERIAL" ON "OPENMP;SERIAL" ON)
expect_backends("OPENMP" OFF "OPENMP" OFF)
expect_backends("SERIAL" OFF "SERIAL" ON)
expect_backends("CUDA;OPENMP;SERIAL" OFF "CUDA;OPENMP" OFF)
expect_backends("HIP;SERIAL" OFF "HIP;SERIAL" ON)

function(expect_refusal devices asked text)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${SOURCE} "-DKokkos_DEVICES=${devices}" -DTessera_ENABLE_SERIAL=${asked} ${ARGN}
            -P ${CMAKE_CURRENT_LIST_FILE}
    RESULT_VARIABLE status
    ERROR_VARIABLE message)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  if(status EQUAL 0 OR NOT message MATCHES "${text}")
    message(FATAL_ERROR "${devices} with Tessera_ENABLE_SERIAL=${asked} was not refused as it should be: ${message}")
  endif()
endfunction()
expect_refusal("OPENMP" ON "Tessera_ENABLE_SERIAL=ON needs a Kokkos with Serial; this one has OPENMP")
expect_refusal("CUDA" OFF "Tessera needs a Kokkos with OpenMP or Serial; this one has CUDA")
expect_refusal("CUDA;OPENMP" OFF "CMAKE_CXX_STANDARD is 20, but this Kokkos was built as C.*17" -DCMAKE_CXX_STANDARD=20 -DKokkos_CXX_STANDARD=17)
set(CMAKE_CXX_STANDARD 20)
set(Kokkos_CXX_STANDARD 17)
expect_backends("OPENMP" OFF "OPENMP" OFF)
set(Kokkos_CXX_STANDARD 20)
expect_backends("CUDA;OPENMP" OFF "CUDA;OPENMP" OFF)
