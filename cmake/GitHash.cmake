# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DSOURCE=folder -DOUTPUT=header -P GitHash.cmake: writes the commit of the sources into a header, only when it changed.
execute_process(
  COMMAND git -C ${SOURCE} describe --always --dirty=+changes --abbrev=12 --exclude=*
  OUTPUT_VARIABLE hash
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(hash unknown) # a source archive
endif()
set(text "// Written by cmake/GitHash.cmake.\n#define TESSERA_GIT_HASH \"${hash}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
