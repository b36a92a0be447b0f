# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds PETSc with real numbers in double precision by pkg-config (PETSc_ROOT may name a prefix) and defines PETSc::PETSc. Debian's
# pkg-config file contains -L and -l of one library; other installations have their headers in two folders.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  if(PETSc_ROOT)
    set(_path "$ENV{PKG_CONFIG_PATH}")
    set(ENV{PKG_CONFIG_PATH} "${PETSc_ROOT}/lib/pkgconfig:${_path}")
  endif()
  pkg_search_module(_PETSC QUIET IMPORTED_TARGET PETSc petsc)
  if(PETSc_ROOT)
    set(ENV{PKG_CONFIG_PATH} "${_path}")
  endif()
endif()
set(PETSc_VERSION ${_PETSC_VERSION})
set(PETSc_LIBRARY ${_PETSC_LINK_LIBRARIES})
set(PETSc_IS_REAL_DOUBLE OFF)
foreach(_folder IN LISTS _PETSC_INCLUDE_DIRS)
  if(EXISTS ${_folder}/petscconf.h)
    file(STRINGS ${_folder}/petscconf.h _real REGEX "define PETSC_USE_REAL_DOUBLE 1")
    file(STRINGS ${_folder}/petscconf.h _complex REGEX "define PETSC_USE_COMPLEX 1")
    if(_real AND NOT _complex)
      set(PETSc_IS_REAL_DOUBLE ON)
    endif()
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  PETSc
  REQUIRED_VARS PETSc_LIBRARY PETSc_IS_REAL_DOUBLE
  VERSION_VAR PETSc_VERSION)
if(PETSc_FOUND AND NOT TARGET PETSc::PETSc)
  add_library(PETSc::PETSc INTERFACE IMPORTED)
  target_link_libraries(PETSc::PETSc INTERFACE PkgConfig::_PETSC)
endif()
