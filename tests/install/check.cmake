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
foreach(file input-reference.md guide.md LICENSE) # the first is what `tessera --help` names
  if(NOT EXISTS ${WORK}/prefix/share/doc/tessera/${file})
    message(FATAL_ERROR "share/doc/tessera/${file} is not installed")
  endif()
endforeach()
step(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
     -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${flags}" -DEXPECTED_VERSION=${VERSION})
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${WORK}/build/consumer)
# The installed program finds its reader beside it, another program by the environment.
step(${WORK}/prefix/bin/tessera mesh ${CASE} -o ${WORK}/plates.vtkhdf)
step(${WORK}/prefix/bin/tessera run ${CASE} --set mesh.box= --set mesh.file=${WORK}/plates.vtkhdf --output ${WORK}/out)
step(${CMAKE_COMMAND} -E env TESSERA_IMPORT=${WORK}/prefix/bin/tessera-import ${WORK}/build/reader ${WORK}/plates.vtkhdf)
