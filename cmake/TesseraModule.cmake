# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause

# tessera_add_module(<name> [LIGHT] [HOST] [SOURCES a.cpp ...] [LONG a.cpp ...] [DEPENDS <name> ...] [LINK <target> ...]
#                    [PUBLIC_LINK <target> ...])
#
# Makes tessera_<name> (alias tessera::<name>) from the folder of lib/ that it is called in, or a part of it: a static library, or an
# interface without sources. DEPENDS names the modules of lower layers that it includes; LINK names third-party targets that only its
# .cpp files use, PUBLIC_LINK (core only) those that its headers use. LIGHT: it has no long-running loops, so that host compilers
# optimize it lightly, which halves the time. HOST: it includes no header of Kokkos, so that nvcc is not needed. LONG names sources
# whose kernels take long to optimize for a GPU: an optimized unity build for GPUs compiles each alone.
function(tessera_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LIGHT;HOST" "" "SOURCES;LONG;DEPENDS;LINK;PUBLIC_LINK")
  set(target tessera_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tessera_compile_options> ${arg_LINK})
    if("CUDA" IN_LIST Kokkos_DEVICES) # nvcc only warns about a host function called in a kernel, which gives wrong results on the device
      target_compile_options(${target} PRIVATE -Xcudafe --diag_error=20011,--diag_error=20014)
    endif()
    if(arg_LIGHT AND (Tessera_HOST_ONLY OR Tessera_RELEASE_LEVEL))
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    elseif(Tessera_RELEASE_LEVEL)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${Tessera_RELEASE_LEVEL}>)
    endif()
    if(arg_HOST)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tessera_host_code>)
    endif()
    if(NOT Tessera_HOST_ONLY AND CMAKE_BUILD_TYPE MATCHES "^Rel")
      foreach(source IN LISTS arg_LONG)
        get_filename_component(stem ${source} NAME_WE)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${stem}_alone)
      endforeach()
    endif()
    tessera_precompile(${target} tessera_core <Kokkos_Core.hpp>)
    tessera_group_sources(${target} ${arg_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(tessera::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_17)
  target_include_directories(
    ${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/lib/generated>
                       $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM arg_DEPENDS PREPEND tessera_)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS} ${arg_PUBLIC_LINK})
  install(TARGETS ${target} EXPORT TesseraTargets)
  set_property(GLOBAL APPEND PROPERTY TESSERA_MODULES ${target})
endfunction()

# tessera_group_sources(<target> <source>...)
#
# With CMAKE_UNITY_BUILD, compiles up to eight files of a folder as one; those with a UNITY_GROUP (tessera_form_instances) with their group.
function(tessera_group_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(forget)
  foreach(macro INSTANTIATE INSTANTIATE_CASE INSTANTIATE_DIM INSTANTIATE_FORM) # those that each file defines for itself
    string(APPEND forget "#undef TESSERA_${macro}\n")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_CODE_AFTER_INCLUDE "${forget}")
  foreach(source IN LISTS ARGN)
    get_source_file_property(group ${source} UNITY_GROUP)
    if(NOT group)
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER "folder_${folder}" folder)
      math(EXPR group "(${n_${folder}} + 0) / 8")
      math(EXPR n_${folder} "${n_${folder}} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
    endif()
  endforeach()
endfunction()

# tessera_precompile(<target> <first> <header>...)
#
# Compiles the target's files with these headers precompiled; the precompiled header of the target <first> is reused.
function(tessera_precompile target first)
  if(Tessera_PRECOMPILE AND target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  elseif(Tessera_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# tessera_add_loaded_module(<name> SOURCES a.cpp ... LINK <target> ...)
#
# Makes <name>.so next to the program: a module that lib/core/module.hpp loads, so that only runs that need its libraries load them.
function(tessera_add_loaded_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(${name} MODULE ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_BINARY_DIR}/lib/generated)
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_link_libraries(${name} PRIVATE tessera_compile_options tessera_host_code ${arg_LINK})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_property(GLOBAL APPEND PROPERTY TESSERA_LOADED_MODULES ${name})
endfunction()

# tessera_depend_on_loaded_modules(<target>)
#
# Builds the modules before a program that may load them.
function(tessera_depend_on_loaded_modules target)
  get_property(modules GLOBAL PROPERTY TESSERA_LOADED_MODULES)
  if(modules)
    add_dependencies(${target} ${modules})
  endif()
endfunction()

# tessera_add_test(<folder> SOURCES test_x.cpp ... [DEPENDS <folder> ...] [LINK <target> ...] [LABELS <label> ...] [KIND <kind>])
#
# Makes tessera_<kind>_<folder> (default of kind: unit), a Catch2 program. ctest runs it once for each file test_x.cpp, so that Kokkos,
# and a GPU with it, starts only once for all test cases of the file. A failing test case does not end the others.
function(tessera_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND" "SOURCES;DEPENDS;LINK;LABELS")
  if(NOT arg_KIND)
    set(arg_KIND unit)
  endif()
  set(target tessera_${arg_KIND}_${name})
  add_executable(${target} ${arg_SOURCES})
  set(options tessera_test_options)
  set(reads_meshes OFF)
  if("io" IN_LIST arg_DEPENDS OR "driver" IN_LIST arg_DEPENDS)
    set(options tessera_light_test_options)
    set(reads_meshes ON)
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND tessera::)
  target_link_libraries(${target} PRIVATE tessera_compile_options ${options} tessera_test_support ${arg_DEPENDS} ${arg_LINK})
  tessera_precompile(${target} tessera_test_headers)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF) # files of tests have helpers of the same names
  tessera_depend_on_loaded_modules(${target})
  if(TARGET tessera_importers AND reads_meshes)
    add_dependencies(${target} tessera_importers)
  endif()
  # Two threads everywhere, so that races can show on any machine. The tests reserve one processor: two threads leave much of two
  # processors idle in small loops, and as threads sleep while they wait, two take about as long on one processor as one thread.
  foreach(source IN LISTS arg_SOURCES)
    if(NOT source MATCHES "^(test_(.*))\\.cpp$")
      file(STRINGS ${source} cases REGEX "TEST_CASE" LIMIT_COUNT 1)
      if(cases)
        message(FATAL_ERROR "${source} has test cases, but ctest runs those in files whose names begin with test_.")
      endif()
      continue()
    endif()
    set(test "${arg_KIND}/${name}: ${CMAKE_MATCH_2}")
    add_test(NAME ${test} COMMAND ${target} --filenames-as-tags --min-duration 1 --allow-running-no-tests "[#${CMAKE_MATCH_1}]~[.]")
    # All test cases of a file may need something that the build lacks, such as Gmsh.
    set_tests_properties(
      ${test} PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive" TIMEOUT 1800 SKIP_RETURN_CODE 4
                         SKIP_REGULAR_EXPRESSION "No tests ran" LABELS "${arg_KIND};${name};${arg_LABELS}")
  endforeach()
endfunction()
