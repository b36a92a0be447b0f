# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The target docs-api: the reference of the public headers and of the Python package, if Doxygen is installed. Errors in comments fail the
# target.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()
set(_folder ${PROJECT_BINARY_DIR}/docs/api)
set(_inputs "\"${PROJECT_SOURCE_DIR}/docs/library.md\"")
foreach(_header IN LISTS Tessera_PUBLIC_HEADERS)
  if(EXISTS ${PROJECT_SOURCE_DIR}/lib/${_header})
    string(APPEND _inputs " \"${PROJECT_SOURCE_DIR}/lib/${_header}\"")
  else()
    string(APPEND _inputs " \"${PROJECT_BINARY_DIR}/lib/generated/${_header}\"")
  endif()
endforeach()
file(GLOB _modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tessera_fem/*.py)
foreach(_module IN LISTS _modules)
  string(APPEND _inputs " \"${_module}\"")
endforeach()
file(MAKE_DIRECTORY ${_folder})
configure_file(${PROJECT_SOURCE_DIR}/cmake/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
add_custom_target(
  docs-api
  COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/docs/Doxyfile
  COMMENT "Reference of the public headers and of the Python package: ${_folder}/index.html"
  VERBATIM)
if(Tessera_ENABLE_TESTS)
  add_test(NAME "docs: comments of the public headers are right" COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/docs/Doxyfile)
  set_tests_properties("docs: comments of the public headers are right" PROPERTIES LABELS docs)
endif()
