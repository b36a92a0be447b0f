# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DPROGRAM=... -DARGS=a|b|c -DCODE=0 -DSAYS=regex -P check_program.cmake
string(REPLACE "|" ";" arguments "${ARGS}")
execute_process(
  COMMAND ${PROGRAM} ${arguments}
  RESULT_VARIABLE code
  OUTPUT_VARIABLE output
  ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT code STREQUAL CODE)
  message(FATAL_ERROR "exit code ${code} instead of ${CODE}")
endif()
if(NOT SAYS STREQUAL "" AND NOT "${output}${errors}" MATCHES "${SAYS}")
  message(FATAL_ERROR "the text above does not hold: ${SAYS}")
endif()
