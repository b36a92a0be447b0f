# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Output files: complete or absent, from one run, and never overwriting inputs.
function(tessera_add_output_test name check)
  add_test(NAME "cli: ${name}" COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/output_files.sh $<TARGET_FILE:tessera> ${plates}
                                       ${check})
  set_tests_properties("cli: ${name}" PROPERTIES LABELS cli TIMEOUT 300 ENVIRONMENT "OMP_NUM_THREADS=1;OMP_WAIT_POLICY=passive")
endfunction()

tessera_add_output_test("two runs do not write into one directory" two_runs)
tessera_add_output_test("a killed run leaves whole files and the next removes the others" killed)
tessera_add_output_test("the report reports which files belong to its run" run_id)
tessera_add_output_test("empty options are wrong usage" empty_options)
tessera_add_output_test("inputs and what is no file are not written over" inputs)
tessera_add_output_test("a disk, folder or name that takes no file is reported" limits)
tessera_add_output_test("signals end a run with their code and leave no temporary file" signals)
tessera_add_output_test("a standard output that takes no text is reported" streams)
