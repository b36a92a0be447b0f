# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds the C++ API of Gmsh 4 (gmsh_ROOT or Gmsh_ROOT may name a prefix, or the SDK of PyPI's wheel: the prefix of its Python
# environment) and defines Gmsh::Gmsh.
set(_roots ${gmsh_ROOT} $ENV{gmsh_ROOT} ${Gmsh_ROOT} $ENV{Gmsh_ROOT})
if(SKBUILD) # names site-packages of the environment, in lib/python3.x of its prefix
  foreach(_packages IN LISTS CMAKE_PREFIX_PATH)
    if(_packages MATCHES "^(.*)/lib/python[^/]*/site-packages")
      list(APPEND _roots ${CMAKE_MATCH_1})
    endif()
  endforeach()
endif()
find_path(Gmsh_INCLUDE_DIR gmsh.h HINTS ${_roots} PATH_SUFFIXES include)
set(_names gmsh)
foreach(_root IN LISTS _roots) # the wheel contains only the versioned file name
  file(GLOB _versioned RELATIVE ${_root}/lib ${_root}/lib/libgmsh.so.4*)
  list(PREPEND _names ${_versioned})
endforeach()
find_library(Gmsh_LIBRARY NAMES ${_names} NAMES_PER_DIR HINTS ${_roots} PATH_SUFFIXES lib)
if(Gmsh_INCLUDE_DIR)
  file(STRINGS ${Gmsh_INCLUDE_DIR}/gmsh.h _version REGEX "#define GMSH_API_VERSION +\"")
  string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" Gmsh_VERSION "${_version}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Gmsh
  REQUIRED_VARS Gmsh_LIBRARY Gmsh_INCLUDE_DIR
  VERSION_VAR Gmsh_VERSION)
if(Gmsh_FOUND AND NOT TARGET Gmsh::Gmsh)
  add_library(Gmsh::Gmsh UNKNOWN IMPORTED)
  set_target_properties(Gmsh::Gmsh PROPERTIES IMPORTED_LOCATION "${Gmsh_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                   "${Gmsh_INCLUDE_DIR}")
endif()
mark_as_advanced(Gmsh_INCLUDE_DIR Gmsh_LIBRARY)
