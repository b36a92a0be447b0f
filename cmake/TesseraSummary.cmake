# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints a summary of the configuration on one screen.
string(REPLACE ";" " " _backends "${Tessera_BACKENDS}")
string(REPLACE ";" " " _arch "${Kokkos_ARCH}")
set(_gmsh no)
if(Tessera_HAVE_GMSH)
  set(_gmsh "${Gmsh_VERSION} (${Gmsh_LIBRARY})")
endif()
set(_metis no)
if(Tessera_HAVE_METIS)
  set(_metis "${METIS_VERSION} (${METIS_LIBRARY})")
endif()
set(_cairo no)
if(Tessera_HAVE_CAIRO)
  set(_cairo "${Cairo_VERSION} (${Cairo_LIBRARY})")
endif()
set(_mpi no)
if(Tessera_HAVE_MPI)
  set(_mpi "${MPI_C_VERSION} (${MPI_mpi_LIBRARY})")
endif()
set(_nccl no)
if(Tessera_HAVE_NCCL)
  set(_nccl "${${Tessera_NCCL}_VERSION} (${${Tessera_NCCL}_LIBRARY})")
endif()
set(_petsc no)
if(Tessera_HAVE_PETSC)
  set(_petsc "${PETSc_VERSION} (${PETSc_LIBRARY})")
endif()
set(_python no)
if(Tessera_HAVE_PYTHON)
  set(_python "${Python_VERSION} (${Python_EXECUTABLE}), nanobind ${nanobind_VERSION}")
endif()
set(_offsets 32)
if(Tessera_ENABLE_64BIT_OFFSETS)
  set(_offsets 64)
endif()
message(
  STATUS
    "Tessera ${PROJECT_VERSION}
   build type      ${CMAKE_BUILD_TYPE} (warnings as errors ${Tessera_WARNINGS_AS_ERRORS}, sanitizers ${Tessera_ENABLE_SANITIZERS}, native ${Tessera_ENABLE_NATIVE})
   compiler        ${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION})
   Kokkos          ${Kokkos_VERSION} (${Kokkos_DIR})
   backends        ${_backends} ${_arch}
   Kokkos Kernels  ${KokkosKernels_VERSION} (${KokkosKernels_DIR})
   Gmsh            ${_gmsh}
   METIS           ${_metis}
   Cairo           ${_cairo}
   MPI             ${_mpi}
   NCCL            ${_nccl}
   PETSc           ${_petsc}
   Python          ${_python}
   HDF5            ${HDF5_VERSION}
   offsets         ${_offsets} bits
   tests           ${Tessera_ENABLE_TESTS}")
