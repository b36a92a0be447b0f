# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds RCCL, AMD's library with the interface of NCCL (RCCL_ROOT may name a prefix), and defines RCCL::RCCL.
find_path(RCCL_INCLUDE_DIR rccl/rccl.h HINTS ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES include)
find_library(RCCL_LIBRARY NAMES rccl librccl.so.1 HINTS ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES lib)
if(RCCL_INCLUDE_DIR)
  file(STRINGS ${RCCL_INCLUDE_DIR}/rccl/rccl.h _numbers REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" _numbers "${_numbers}")
  list(JOIN _numbers . RCCL_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  RCCL
  REQUIRED_VARS RCCL_LIBRARY RCCL_INCLUDE_DIR
  VERSION_VAR RCCL_VERSION)
if(RCCL_FOUND AND NOT TARGET RCCL::RCCL)
  add_library(RCCL::RCCL UNKNOWN IMPORTED)
  set_target_properties(RCCL::RCCL PROPERTIES IMPORTED_LOCATION "${RCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${RCCL_INCLUDE_DIR}")
endif()
mark_as_advanced(RCCL_INCLUDE_DIR RCCL_LIBRARY)
