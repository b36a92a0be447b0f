# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds Cairo (Cairo_ROOT may name a prefix) with PNG, SVG and PDF surfaces and defines Cairo::Cairo.
find_path(Cairo_INCLUDE_DIR cairo.h PATH_SUFFIXES cairo)
find_library(Cairo_LIBRARY NAMES cairo)
set(Cairo_SURFACES OFF)
if(Cairo_INCLUDE_DIR)
  file(STRINGS ${Cairo_INCLUDE_DIR}/cairo-version.h _numbers REGEX "#define CAIRO_VERSION_[A-Z]+ ")
  string(REGEX REPLACE "[^0-9;]" "" _numbers "${_numbers}")
  list(JOIN _numbers . Cairo_VERSION)
  file(STRINGS ${Cairo_INCLUDE_DIR}/cairo-features.h _surfaces REGEX "#define CAIRO_HAS_(PNG_FUNCTIONS|SVG_SURFACE|PDF_SURFACE) 1")
  list(LENGTH _surfaces _n)
  if(_n EQUAL 3)
    set(Cairo_SURFACES ON)
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Cairo
  REQUIRED_VARS Cairo_LIBRARY Cairo_INCLUDE_DIR Cairo_SURFACES
  VERSION_VAR Cairo_VERSION)
if(Cairo_FOUND AND NOT TARGET Cairo::Cairo)
  add_library(Cairo::Cairo UNKNOWN IMPORTED)
  set_target_properties(Cairo::Cairo PROPERTIES IMPORTED_LOCATION "${Cairo_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                     "${Cairo_INCLUDE_DIR}")
endif()
mark_as_advanced(Cairo_INCLUDE_DIR Cairo_LIBRARY)
