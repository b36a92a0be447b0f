# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(flags "")
if(SANITIZERS)
  set(flags "-fsanitize=address,undefined")
endif()
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(file input-reference.md guide.md LICENSE CHANGELOG.md CITATION.cff inputs/capacitor/capacitor.yaml inputs/capacitor/capacitor.geo
             inputs/antiperiodic-pole/steel.csv) # the first is what `tessera --help` names
  if(NOT EXISTS ${WORK}/prefix/share/doc/tessera/${file})
    message(FATAL_ERROR "share/doc/tessera/${file} is not installed")
  endif()
endforeach()
file(GLOB_RECURSE results ${WORK}/prefix/share/doc/tessera/inputs/*.vtkhdf ${WORK}/prefix/share/doc/tessera/inputs/*/results/*)
if(results)
  message(FATAL_ERROR "results of runs are installed: ${results}")
endif()
file(GLOB includes RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*)
if(NOT includes STREQUAL "tessera")
  message(FATAL_ERROR "the include folder holds more than tessera: ${includes}")
endif()
file(GLOB_RECURSE private ${WORK}/prefix/include/tessera/*_impl.hpp ${WORK}/prefix/include/tessera/*_kernels.hpp)
list(FILTER private EXCLUDE REGEX "/include/tessera/detail/")
if(private)
  message(FATAL_ERROR "installed as public: ${private}")
endif()

# Kokkos may have moved since Tessera was built: a copy of it comes before where it was.
get_filename_component(kokkos_prefix ${KOKKOS_DIR}/../../.. ABSOLUTE)
if(EXISTS ${kokkos_prefix}/lib/cmake/KokkosKernels)
  file(COPY ${kokkos_prefix}/include ${kokkos_prefix}/lib DESTINATION ${WORK}/kokkos)
  if(EXISTS ${kokkos_prefix}/bin)
    file(COPY ${kokkos_prefix}/bin DESTINATION ${WORK}/kokkos)
  endif()
  set(kokkos_prefix ${WORK}/kokkos)
endif()
step(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DKokkos_ROOT=${kokkos_prefix}
     -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${flags}" -DEXPECTED_VERSION=${VERSION}
     -DEXPECTED_KOKKOS=${kokkos_prefix} -DINCLUDE_FOLDER=${WORK}/prefix/include)
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${CMAKE_COMMAND} -E env OMP_NUM_THREADS=2 OMP_PROC_BIND=false ${WORK}/build/consumer)
step(${CMAKE_COMMAND} -E env OMP_NUM_THREADS=2 OMP_PROC_BIND=false ${WORK}/build/field ${CASE})

# Another Kokkos than the one that Tessera was built with is refused, with both named.
function(expect_refusal folder version devices)
  file(WRITE ${folder}/lib/cmake/Kokkos/KokkosConfig.cmake "set(Kokkos_DEVICES \"${devices}\")\n")
  file(WRITE ${folder}/lib/cmake/Kokkos/KokkosConfigVersion.cmake "set(PACKAGE_VERSION ${version})\n")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${folder}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DKokkos_ROOT=${folder}
            -DCMAKE_CXX_COMPILER=${COMPILER} -DEXPECTED_VERSION=${VERSION} -DEXPECTED_KOKKOS=${folder}
            -DINCLUDE_FOLDER=${WORK}/prefix/include
    RESULT_VARIABLE status
    OUTPUT_QUIET
    ERROR_VARIABLE message)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  if(status EQUAL 0 OR NOT message MATCHES "Tessera was built with Kokkos [0-9.]+ .* is ${version} .${devices}.\\. Name that of Tessera with Kokkos_ROOT")
    message(FATAL_ERROR "Kokkos ${version} (${devices}) was not refused as it should be: ${message}")
  endif()
endfunction()
expect_refusal(${WORK}/newer 99.1.0 "${KOKKOS_DEVICES}")
expect_refusal(${WORK}/other ${KOKKOS_VERSION} "NOSUCHDEVICE")
if(NOT EXISTS ${WORK}/prefix/bin/tessera) # Tessera_ENABLE_PROGRAM is OFF
  return()
endif()
file(READ ${WORK}/prefix/share/man/man1/tessera.1 page)
if(NOT page MATCHES "\"Tessera ${VERSION}\"")
  message(FATAL_ERROR "the manual page does not name version ${VERSION}")
endif()
# The installed program finds its reader beside it, another program by the environment.
step(${WORK}/prefix/bin/tessera mesh ${CASE} -o ${WORK}/plates.vtkhdf)
step(${WORK}/prefix/bin/tessera run ${CASE} --set mesh.box= --set mesh.file=${WORK}/plates.vtkhdf --output ${WORK}/out)
step(${CMAKE_COMMAND} -E env TESSERA_IMPORT=${WORK}/prefix/bin/tessera-import ${WORK}/build/reader ${WORK}/plates.vtkhdf)
