# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DCOMMANDS=compile_commands.json -DSOURCE=forms.cpp -P check.cmake
#
# Checks that the correct form of forms.cpp compiles, and that the wrong ones are rejected with the text of each line
# "// told: text", as often as there are such lines.
file(STRINGS ${COMMANDS} line REGEX "\"command\": .*/tests/forms/forms\\.cpp")
string(REGEX REPLACE "^ *\"command\": \"(.*)\",?$" "\\1" command "${line}")
separate_arguments(command UNIX_COMMAND "${command}")
if(NOT command)
  message(FATAL_ERROR "${COMMANDS} has no command for forms.cpp")
endif()
list(APPEND command -fsyntax-only -fno-diagnostics-show-caret)

execute_process(
  COMMAND ${command}
  RESULT_VARIABLE status
  ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The right form does not compile:\n${output}")
endif()

execute_process(
  COMMAND ${command} -DWRONG_FORMS
  RESULT_VARIABLE status
  ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "The wrong forms compile.")
endif()
file(STRINGS ${SOURCE} told REGEX "// told: ")
list(LENGTH told n_told)
if(n_told EQUAL 0)
  message(FATAL_ERROR "${SOURCE} says nothing of what is told.")
endif()
list(TRANSFORM told REPLACE "^.*// told: " "")
foreach(text IN LISTS told)
  set(expected 0)
  foreach(other IN LISTS told)
    if(other STREQUAL text)
      math(EXPR expected "${expected} + 1")
    endif()
  endforeach()
  string(LENGTH "${text}" size)
  string(LENGTH "${output}" before)
  string(REPLACE "${text}" "" without "${output}")
  string(LENGTH "${without}" after)
  math(EXPR found "(${before} - ${after}) / ${size}")
  if(NOT found EQUAL expected)
    message(FATAL_ERROR "\"${text}\" is told ${found} times, not ${expected}:\n${output}")
  endif()
endforeach()
