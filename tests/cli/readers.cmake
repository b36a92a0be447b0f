# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The programs that read meshes, as users run them.
set(_readers ${CMAKE_CURRENT_LIST_DIR}/readers.sh)

# tessera_add_reader_test("<claim>" <function of readers.sh>)
function(tessera_add_reader_test name step)
  add_test(NAME "cli: ${name}" COMMAND bash ${_readers} ${step} $<TARGET_FILE:tessera> ${plates})
  set_tests_properties("cli: ${name}" PROPERTIES LABELS cli TIMEOUT 240 ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
endfunction()

tessera_add_reader_test("the solver links neither Gmsh nor graphics libraries" links)
tessera_add_reader_test("a reader that is not there is reported" missing)
tessera_add_reader_test("a reader that crashes, hangs or takes all memory is reported" endings)
tessera_add_reader_test("whoever waits for a reader is reported for what and how long" waiting)
tessera_add_cli_test("limits of the reader must be positive" CODE 1 SAYS
                     "mesh.time_limit: .*mesh.memory_limit: " ARGS run ${plates} --dry-run --set mesh.box= --set
                     mesh.file=${CMAKE_CURRENT_SOURCE_DIR}/broken.vtkhdf --set mesh.time_limit=0 --set mesh.memory_limit=-1)
tessera_add_cli_test("a box has no reader to limit" CODE 1 SAYS "mesh.time_limit: applies to the readers" ARGS run ${plates} --dry-run
                     --set mesh.time_limit=10)
tessera_add_cli_test("only a geometry can be allowed commands" CODE 1 SAYS "mesh.allow_commands: applies to mesh.geometry only" ARGS
                     run ${plates} --dry-run --set mesh.allow_commands=true)
if(Tessera_HAVE_GMSH)
  tessera_add_cli_test("info reports the version of Gmsh" CODE 0 SAYS "Gmsh +yes \\([0-9]+\\.[0-9]+" ARGS info)
  tessera_add_reader_test("a problem of FEMM is imported once and run, or refused with all reasons" femm)
  tessera_add_reader_test("a Gmsh that lacks libraries is reported with their names" lame)
  tessera_add_reader_test("a mesh file that is a script is not run" script)
  tessera_add_reader_test("a geometry runs commands only when the input allows it" commands)
  tessera_add_reader_test("a geometry that ends Gmsh ends with code 1 and a word" exit)
  tessera_add_reader_test("Ctrl-C while Gmsh works leaves no reader and no file" interrupt)
endif()
