# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds the libraries that Tessera links. The user's Kokkos and Kokkos Kernels (Kokkos_ROOT, CMAKE_PREFIX_PATH, a module) come first, then
# those that cmake/bootstrap.sh built into its cache, then the system's.

set(Tessera_KOKKOS_FLOOR 4.5)

find_package(Kokkos CONFIG QUIET HINTS ${Tessera_KOKKOS_HINT})
if(NOT Kokkos_FOUND)
  string(REGEX REPLACE "^openmp" "" _flag ${Tessera_KOKKOS})
  string(REGEX REPLACE "^-?(.+)" " --\\1" _flag "${_flag}")
  message(FATAL_ERROR "Kokkos was not found. Either build it once with\n  bash cmake/bootstrap.sh${_flag}\n"
                      "or name your own (${Tessera_KOKKOS_FLOOR} or newer) with -DKokkos_ROOT=PREFIX.")
endif()
if(Kokkos_VERSION VERSION_LESS Tessera_KOKKOS_FLOOR)
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} is too old; Tessera needs ${Tessera_KOKKOS_FLOOR} or newer. "
                      "cmake/bootstrap.sh builds one.")
endif()
if((Tessera_KOKKOS STREQUAL "cuda" AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
   OR (Tessera_KOKKOS STREQUAL "hip" AND NOT "HIP" IN_LIST Kokkos_DEVICES))
  message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} has no ${Tessera_KOKKOS} backend. Build one with\n"
                      "  bash cmake/bootstrap.sh --${Tessera_KOKKOS}\nor name your own with -DKokkos_ROOT=PREFIX.")
endif()

find_package(KokkosKernels CONFIG QUIET HINTS ${Tessera_KOKKOS_HINT} ${Kokkos_DIR}/../../..)
if(NOT KokkosKernels_FOUND)
  message(FATAL_ERROR "Kokkos Kernels was not found beside Kokkos ${Kokkos_VERSION} (${Kokkos_DIR}).\n"
                      "Name it with -DKokkosKernels_ROOT=PREFIX, or let cmake/bootstrap.sh build both.")
endif()

find_package(yaml-cpp CONFIG REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp) # before 0.8 the target had no namespace
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
  set_target_properties(yaml-cpp::yaml-cpp PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${YAML_CPP_INCLUDE_DIR}")
endif()
find_package(HDF5 REQUIRED COMPONENTS C)
if(Tessera_ENABLE_PROGRAM)
  find_package(CLI11 CONFIG REQUIRED)
endif()

# AUTO uses Gmsh if it is found; ON requires it.
set(Tessera_HAVE_GMSH OFF)
if(Tessera_ENABLE_GMSH)
  find_package(Gmsh)
  if(Gmsh_FOUND)
    set(Tessera_HAVE_GMSH ON)
  elseif(NOT Tessera_ENABLE_GMSH STREQUAL "AUTO")
    message(FATAL_ERROR "Gmsh was not found, but Tessera_ENABLE_GMSH is ${Tessera_ENABLE_GMSH}. "
                        "Install libgmsh-dev, or name an SDK with -Dgmsh_ROOT=PREFIX.")
  endif()
endif()

set(Tessera_HAVE_METIS OFF)
if(Tessera_ENABLE_METIS)
  find_package(METIS 5)
  if(METIS_FOUND)
    set(Tessera_HAVE_METIS ON)
  elseif(NOT Tessera_ENABLE_METIS STREQUAL "AUTO")
    message(FATAL_ERROR "METIS was not found, but Tessera_ENABLE_METIS is ${Tessera_ENABLE_METIS}. "
                        "Install libmetis-dev, or name a prefix with -DMETIS_ROOT=PREFIX.")
  endif()
endif()

set(Tessera_HAVE_CAIRO OFF)
if(Tessera_ENABLE_CAIRO)
  find_package(Cairo 1.14)
  if(Cairo_FOUND)
    set(Tessera_HAVE_CAIRO ON)
  elseif(NOT Tessera_ENABLE_CAIRO STREQUAL "AUTO")
    message(FATAL_ERROR "Cairo 1.14 or newer was not found, but Tessera_ENABLE_CAIRO is ${Tessera_ENABLE_CAIRO}. "
                        "Install libcairo2-dev, or name a prefix with -DCairo_ROOT=PREFIX.")
  endif()
endif()

set(Tessera_HAVE_MPI OFF)
if(Tessera_ENABLE_MPI)
  enable_language(C)
  find_package(MPI COMPONENTS C)
  if(MPI_C_FOUND)
    set(Tessera_HAVE_MPI ON)
  elseif(NOT Tessera_ENABLE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "MPI was not found, but Tessera_ENABLE_MPI is ${Tessera_ENABLE_MPI}. "
                        "Install libopenmpi-dev, or name the compiler of another one with -DMPI_C_COMPILER=mpicc.")
  endif()
endif()

# Only useful with GPUs and MPI; AMD's RCCL has the same interface.
set(Tessera_HAVE_NCCL OFF)
set(Tessera_NCCL NCCL)
if("HIP" IN_LIST Kokkos_DEVICES)
  set(Tessera_NCCL RCCL)
endif()
if(Tessera_ENABLE_NCCL AND Tessera_HAVE_MPI AND ("CUDA" IN_LIST Kokkos_DEVICES OR "HIP" IN_LIST Kokkos_DEVICES))
  find_package(${Tessera_NCCL})
  if(${Tessera_NCCL}_FOUND)
    set(Tessera_HAVE_NCCL ON)
  elseif(NOT Tessera_ENABLE_NCCL STREQUAL "AUTO")
    message(FATAL_ERROR "${Tessera_NCCL} was not found, but Tessera_ENABLE_NCCL is ${Tessera_ENABLE_NCCL}. "
                        "Name its prefix with -D${Tessera_NCCL}_ROOT=PREFIX.")
  endif()
endif()

# The Python of Tessera_PYTHON, of an active environment or of cmake/bootstrap.sh --python, if it has nanobind.
set(Tessera_HAVE_PYTHON OFF)
if(Tessera_ENABLE_PYTHON)
  if(Tessera_PYTHON)
    set(Python_EXECUTABLE ${Tessera_PYTHON})
  elseif(NOT Python_EXECUTABLE AND NOT DEFINED ENV{VIRTUAL_ENV} AND EXISTS ${Tessera_CACHE}/python/bin/python3)
    set(Python_EXECUTABLE ${Tessera_CACHE}/python/bin/python3)
  endif()
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
  if(Python_FOUND)
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE _nanobind OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_package(nanobind CONFIG QUIET HINTS ${_nanobind})
  endif()
  if(Python_FOUND AND nanobind_FOUND)
    set(Tessera_HAVE_PYTHON ON)
  elseif(NOT Tessera_ENABLE_PYTHON STREQUAL "AUTO")
    message(FATAL_ERROR "Python 3.10 or newer with its headers and nanobind were not both found, but Tessera_ENABLE_PYTHON is "
                        "${Tessera_ENABLE_PYTHON}. Name a Python that has nanobind with -DTessera_PYTHON=PATH.")
  endif()
endif()

# PETSc runs in the MPI processes.
set(Tessera_HAVE_PETSC OFF)
if(Tessera_ENABLE_PETSC)
  if(Tessera_HAVE_MPI)
    find_package(PETSc 3.16)
  endif()
  if(Tessera_HAVE_MPI AND PETSc_FOUND)
    set(Tessera_HAVE_PETSC ON)
  elseif(NOT Tessera_ENABLE_PETSC STREQUAL "AUTO")
    message(FATAL_ERROR "PETSc 3.16 or newer (real, double precision) and MPI were not both found, but Tessera_ENABLE_PETSC is "
                        "${Tessera_ENABLE_PETSC}. Install petsc-dev, or name a prefix with -DPETSc_ROOT=PREFIX.")
  endif()
endif()
