# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# compare, bench, the plan of a run and the help of the command line.
set(exact_plates ${PROJECT_SOURCE_DIR}/tests/regression/plates.yaml)

tessera_add_cli_test("compare with auto alone on one backend has nothing to compare" CODE 1 SAYS "nothing to compare with one run" ARGS compare
                     ${plates} --output compare-auto --backends serial --strategies auto)
tessera_add_cli_test("compare with one strategy on one backend has nothing to compare" CODE 1 SAYS "nothing to compare with one run" ARGS
                     compare ${plates} --output compare-one --backends serial --strategies row-gather)
tessera_add_cli_test("compare with auto and the strategy that it takes has nothing to compare" CODE 1 SAYS "nothing to compare with one run"
                     ARGS compare ${plates} --output compare-twice --backends serial --strategies auto,row-gather --set execution.reproducible=true)
tessera_add_cli_test("compare runs what auto takes" CODE 0 SAYS "auto on serial: [a-z].*serial +reference .* first.*serial +[a-z-]+ .* agrees.*All agree"
                     ARGS compare ${plates} --output compare-with-auto --backends serial --strategies reference,auto)
tessera_add_cli_test("compare holds all strategies against the first" CODE 0 SAYS "symbolic.*Differences from serial reference.*ebe-atomic .*agrees.*All agree"
                     ARGS compare ${plates} --output compare-all --full)
tessera_add_cli_test("compare shows the quantities of each run and the worst pair" CODE 0
                     SAYS "energy .J. .*reference .*first.*a-coo .*agrees.*Worst pair, with tolerances: serial reference and .*quantities .*agrees"
                     ARGS compare ${exact_plates} --output compare-short --strategies reference,a-coo,row-gather)
tessera_add_cli_test("compare of runs that do not converge ends with code 2" CODE 2 SAYS "NOT CONVERGED.*did not converge" ARGS compare ${plates}
                     --output compare-unconverged --backends serial --strategies reference,row-gather --set solver.max_iterations=1)
tessera_add_cli_test("compare of runs whose solutions differ ends with code 2" CODE 2
                     SAYS "reference .* first.*ebe-stored .* DIFFERS.*Worst pair.*ebe-stored.*solution .*e-0[0-9] .*DIFFERS.*Some DIFFER" ARGS compare
                     ${CMAKE_CURRENT_SOURCE_DIR}/nearly-singular.yaml --output compare-differ --backends serial --strategies
                     reference,ebe-stored)
tessera_add_cli_test("compare takes the preconditioner of the case where a strategy can" CODE 0
                     SAYS "reference .*pcg, multigrid.*ebe-stored .*pcg, jacobi.*note: the case asks for pcg with multigrid"
                     ARGS compare ${plates} --output compare-multigrid --backends serial --strategies reference,ebe-stored --set
                     solver.preconditioner=multigrid --set solver.multigrid.type=algebraic --full)
tessera_add_cli_test("compare takes the method of the case where a strategy can" CODE 0
                     SAYS "reference .*pcg, jacobi.*ebe-stored .*ebe-j-pcg, jacobi.*note: the case asks for ebe-j-pcg" ARGS compare ${plates}
                     --output compare-ebe --backends serial --strategies reference,ebe-stored --full --set solver.method=ebe-j-pcg)
tessera_add_cli_test("compare begins at the initial guess of the case" CODE 0 SAYS "reference .*pcg, jacobi +0 *\n.*row-gather .*pcg, jacobi +0 *\n"
                     ARGS compare ${exact_plates} --output compare-guess --full --backends serial --strategies reference,row-gather --set
                     "solver.initial_guess=10 - 3*x")

set(cylinder ${PROJECT_SOURCE_DIR}/inputs/cylinder-in-axial-field/cylinder-in-axial-field.yaml --set verification=)
tessera_add_cli_test("compare holds all strategies with a matrix against the first at frequencies" CODE 0
                     SAYS "cocg, multigrid.*Differences from serial reference.*row-gather .*agrees.*more quantities.*All agree" ARGS compare ${cylinder}
                     --output compare-frequencies --full --set "problem.frequency=[50, 400]")
tessera_add_cli_test("compare holds the bits of all backends against each other at frequencies" CODE 0
                     SAYS "serial +reference .*openmp +row-gather [^\n]* same +agrees.*All agree" ARGS compare ${cylinder} --output
                     compare-frequencies-bits --full --backends serial,openmp --strategies reference,row-gather --set execution.reproducible=true)
tessera_add_cli_test("compare at frequencies of runs that do not converge ends with code 2" CODE 2 SAYS "NOT CONVERGED.*did not converge" ARGS compare
                     ${cylinder} --output compare-frequencies-unconverged --backends serial --set solver.max_iterations=1)
tessera_add_cli_test("compare at frequencies refuses strategies without a matrix" CODE 1 SAYS "'ebe-stored' makes no matrix, which eddy-currents needs" ARGS
                     compare ${cylinder} --output compare-frequencies-ebe --strategies reference,ebe-stored)
tessera_add_cli_test("compare at frequencies with auto and what it stands for has nothing to compare" CODE 1 SAYS "nothing to compare with one run" ARGS
                     compare ${cylinder} --output compare-frequencies-twice --backends serial --strategies auto,row-gather)

set(dg_poisson ${PROJECT_SOURCE_DIR}/inputs/dg-poisson/dg-poisson.yaml --set "mesh.box.cells=[4, 4]" --set mesh.agglomerate.elements=8)
tessera_add_cli_test("compare holds all strategies of dg against the reference" CODE 0
                     SAYS "Differences from serial reference.*block-rows .*agrees.*triplets .*agrees.*atomic .*agrees.*All agree" ARGS compare
                     ${dg_poisson} --output compare-dg --full)
tessera_add_cli_test("compare of runs of dg whose solutions differ ends with code 2" CODE 2 # only a weak reaction fixes the solution
                     SAYS "reference .* first.*triplets .* DIFFERS.*Worst pair.*triplets.*DIFFERS.*Some DIFFER" ARGS compare ${dg_poisson} --output compare-dg-differ
                     --backends serial --strategies reference,triplets --set solver.relative_tolerance=1e-12 --set
                     problem.physics=advection-diffusion-reaction --set "problem.boundaries={left: {flux: 0}}" --set
                     "problem.materials={domain: {diffusivity: 1, reaction: 1e-8}}")
tessera_add_cli_test("compare of runs of dg that do not converge ends with code 2" CODE 2 SAYS "NOT CONVERGED.*did not converge" ARGS compare
                     ${dg_poisson} --output compare-dg-unconverged --backends serial --set solver.preconditioner=block-jacobi --set solver.max_iterations=1)
tessera_add_cli_test("compare of dg with auto and what it stands for has nothing to compare" CODE 1 SAYS "nothing to compare with one run" ARGS
                     compare ${dg_poisson} --output compare-dg-twice --backends serial --strategies auto,block-rows)
tessera_add_cli_test("compare of dg knows its strategies" CODE 1 SAYS "row-gather.; allowed: auto, reference, block-rows" ARGS compare ${dg_poisson}
                     --output compare-dg-unknown --strategies row-gather)
tessera_add_cli_test("a limit of memory refuses a comparison of dg" CODE 3 SAYS "Comparing by .* needs about .*execution.memory_limit" ARGS compare
                     ${dg_poisson} --output compare-dg-limit --set execution.memory_limit=0.0001)

add_test(NAME "cli: results of two runs are held against each other" COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/compare_results.sh $<TARGET_FILE:tessera>
                                                                             ${exact_plates})
set_tests_properties("cli: results of two runs are held against each other" PROPERTIES LABELS cli TIMEOUT 240 ENVIRONMENT
                                                                                       "OMP_NUM_THREADS=1;OMP_WAIT_POLICY=passive")

tessera_add_cli_test("a benchmark of an unknown preconditioner is refused" CODE 1 SAYS "these are jacobi and multigrid" ARGS bench
                     solve --cases tri-p1-4 --preconditioners jacobbi)
tessera_add_cli_test("a benchmark of multigrid shows levels of both kinds" CODE 0
                     SAYS "multigrid geometric: set-up.*levels kept.*geometric: to 1e-08.*algebraic: set-up.*algebraic: iteration.*iterations" ARGS bench
                     solve --cases tri-p1-40 --preconditioners multigrid --strategies row-gather --repetitions 1)
tessera_add_cli_test("a benchmark of auto is refused" CODE 1 SAYS "'auto' is not itself a strategy" ARGS bench assembly --cases tri-p1-4
                     --strategies auto --backend serial)
tessera_add_cli_test("a benchmark that reproducible leaves nothing of is refused" CODE 1 SAYS "excludes all of the requested strategies" ARGS bench assembly
                     --cases tri-p1-4 --strategies atomic --reproducible --backend serial)

add_test(NAME "cli: the benchmark writes tables and charts" COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/bench.sh $<TARGET_FILE:tessera> ${plates}
                                                                    $<IF:$<BOOL:${Tessera_HAVE_CAIRO}>,ON,OFF>)
set_tests_properties("cli: the benchmark writes tables and charts" PROPERTIES LABELS cli TIMEOUT 240 ENVIRONMENT
                                                                              "OMP_NUM_THREADS=1;OMP_WAIT_POLICY=passive")

add_test(NAME "cli: the experiments of the papers run" COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/papers.sh $<TARGET_FILE:tessera> ${PROJECT_SOURCE_DIR}
                                                               $<IF:$<BOOL:${Tessera_HAVE_GMSH}>,ON,OFF>)
set_tests_properties("cli: the experiments of the papers run" PROPERTIES LABELS cli TIMEOUT 500 ENVIRONMENT
                                                                         "OMP_NUM_THREADS=1;OMP_WAIT_POLICY=passive")

tessera_add_cli_test("a box with more nodes than can be counted is refused in a dry run" CODE 3 SAYS "mesh.box: nodes: .*more than" ARGS run
                     ${plates} --dry-run --set "mesh.box.cells=[3000000, 3000000, 3000000]")
set(strip run ${PROJECT_SOURCE_DIR}/inputs/billion-triangles/billion-triangles.yaml --dry-run --processes 4 --set execution.mesh=parts)
tessera_add_cli_test("a dry run reports what each process needs of a mesh that none could number" CODE 0
                     SAYS "Elements of the largest part: 1[0-9]*, nodes: 2145371151, .*Memory of each of 4 processes, estimated: ebe-atomic" ARGS ${strip} --set
                     mesh.ordering=morton --set "mesh.box={cells: [2097136, 1022], upper: [2048, 1]}" --set mesh.refine=0)
tessera_add_cli_test("a dry run refuses what parts of a mesh cannot do" CODE 1 SAYS "parts cannot be combined with mesh.ordering: none" ARGS ${strip})
tessera_add_cli_test("a limit of memory refuses a run" CODE 3 SAYS "needs about .*execution.memory_limit allows 1.0 MiB" ARGS run ${plates} --output
                     limit-run --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.001 --strategy row-gather)
tessera_add_cli_test("a limit of memory refuses a comparison" CODE 3 SAYS "Comparing by .* needs about .*execution.memory_limit" ARGS compare
                     ${plates} --output limit-compare --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.01)
tessera_add_cli_test("a limit of memory refuses a mesh" CODE 3 SAYS "This mesh needs about .*execution.memory_limit" ARGS mesh ${plates} -o
                     limit.vtkhdf --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.001)
tessera_add_cli_test("a limit of memory leaves strategies out of a benchmark" CODE 0 SAYS "row-gather numeric.*sorted-coo: not measured: it needs about"
                     ARGS bench assembly --case ${plates} --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.015 --strategies
                     row-gather,sorted-coo --repetitions 1 --backend serial)
tessera_add_cli_test("a benchmark none of whose strategies fits is refused" CODE 3 SAYS "bench: the strategy that needs least needs about" ARGS bench
                     assembly --case ${plates} --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.01 --strategies
                     row-gather,sorted-coo --repetitions 1 --backend serial)
tessera_add_cli_test("a benchmark whose mesh does not fit is refused before it is made" CODE 3 SAYS "bench: the mesh needs about" ARGS bench assembly
                     --case ${plates} --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.001 --backend serial)

tessera_add_cli_test("a misspelt command is reported with the near one" CODE 1 SAYS "unknown command 'rum'; did you mean 'run'" ARGS rum ${plates})
tessera_add_cli_test("the beginning of an option is reported with the whole" CODE 1 SAYS "did you mean '--strategy'" ARGS run ${plates} --strat atomic)
tessera_add_cli_test("a misspelt option is reported with the near one" CODE 1 SAYS "did you mean '--backends'" ARGS compare ${plates} --bakcends serial)
tessera_add_cli_test("the help of run lists backends and strategies" CODE 0 SAYS "--backend.*serial.*--strategy.*row-gather" ARGS run --help)
tessera_add_cli_test("the help of compare lists strategies" CODE 0 SAYS "--strategies.*ebe-recomputed" ARGS compare --help)
