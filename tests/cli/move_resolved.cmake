# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DPROGRAM=... -DCASE=plates.yaml -DFOLDER=... -P move_resolved.cmake
#
# Runs a case with a mesh file, moves the folder of both, and repeats the run from its resolved.yaml.
function(run)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT code STREQUAL 0)
    message(FATAL_ERROR "exit code ${code}: ${output}${errors}")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/before/meshes)
run(mesh ${CASE} -o ${FOLDER}/before/meshes/plates.vtkhdf)
run(run ${CASE} --set mesh.box= --set mesh.file=${FOLDER}/before/meshes/plates.vtkhdf --output ${FOLDER}/before/out)
file(STRINGS ${FOLDER}/before/out/resolved.yaml path REGEX "file: ")
if(NOT path MATCHES "file: \"../meshes/plates.vtkhdf\"")
  message(FATAL_ERROR "resolved.yaml names the mesh as: ${path}")
endif()
file(RENAME ${FOLDER}/before ${FOLDER}/after)
run(run ${FOLDER}/after/out/resolved.yaml --output ${FOLDER}/after/again)
foreach(run out again)
  file(READ ${FOLDER}/after/${run}/resolved.yaml resolved)
  string(REGEX REPLACE "(directory: |#)[^\n]*" "" resolved_${run} "${resolved}") # comments contain the run's number
endforeach()
if(NOT resolved_out STREQUAL resolved_again)
  message(FATAL_ERROR "The resolved inputs differ:\n${resolved_out}\n${resolved_again}")
endif()
