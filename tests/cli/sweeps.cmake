# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Sweeps: several cases in one input file.
set(sweep --set "sweep={vary: [{mesh.scale: [1, 2, 3]}]}")
tessera_add_cli_test("a sweep ends with its table" CODE 0
                     SAYS "3 points of mesh.scale.*point +scale.*3 of 3 points done" ARGS
                     run ${plates} ${sweep} --output sweep-told --set execution.backend=serial)
tessera_add_cli_test("a sweep with a failing point ends with its exit code" CODE 2
                     SAYS "2 of 3 points done.*warning: point 2 .solver.max_iterations = 1.: .*not converged" ARGS run ${plates} --output
                     sweep-failing --set "sweep={vary: [{solver.max_iterations: [100, 1, 200]}]}" --set
                     solver.preconditioner=jacobi --set solver.initial_guess=x*y --set execution.reproducible=true)
tessera_add_cli_test("a key that a sweep misspells is reported" CODE 1 SAYS "point 1 .*mesh.scal: unknown key 'scal'.*did you mean 'scale'" ARGS
                     run ${plates} --set "sweep={vary: [{mesh.scal: [1, 2, 3]}]}")
tessera_add_cli_test("compare refuses a sweep" CODE 1 SAYS "sweep: several cases in one.*--set sweep=" ARGS compare ${plates} ${sweep})
tessera_add_cli_test("a dry run of a sweep prints its first point" CODE 0 SAYS "first of 3 points of a sweep.*scale: 1" ARGS run
                     ${plates} ${sweep} --dry-run)
add_test(NAME "cli: an interrupted sweep continues" COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/sweeps.sh $<TARGET_FILE:tessera> ${plates})
set_tests_properties("cli: an interrupted sweep continues" PROPERTIES LABELS cli TIMEOUT 240 PROCESSORS 2 ENVIRONMENT
                                                                      "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
