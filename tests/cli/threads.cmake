# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Threads: what the user or the environment requests, what the system has, and what pays off for the size of the problem.

# tessera_add_thread_test("<claim>" CODE <exit code> SAYS <regex> ENVIRONMENT <VARIABLE=value>... ARGS <argument>...)
# Sets only these variables of OpenMP and Kokkos, whatever the shell has set.
function(tessera_add_thread_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CODE;SAYS" "ENVIRONMENT;ARGS")
  tessera_add_cli_test("${name}" CODE ${arg_CODE} SAYS "${arg_SAYS}" ARGS ${arg_ARGS})
  set(modifications "")
  foreach(variable OMP_NUM_THREADS OMP_WAIT_POLICY OMP_THREAD_LIMIT OMP_STACKSIZE KOKKOS_NUM_THREADS)
    list(APPEND modifications "${variable}=unset:")
  endforeach()
  foreach(setting ${arg_ENVIRONMENT})
    string(REPLACE "=" "=set:" modification "${setting}")
    list(APPEND modifications "${modification}")
  endforeach()
  set_tests_properties("cli: ${name}" PROPERTIES ENVIRONMENT "OMP_PROC_BIND=false" ENVIRONMENT_MODIFICATION "${modifications}")
endfunction()

foreach(backend serial openmp)
  if(backend STREQUAL "openmp" AND NOT "OPENMP" IN_LIST Kokkos_DEVICES)
    continue()
  endif()
  tessera_add_thread_test("more --threads than Kokkos has room for are refused: ${backend}" CODE 1 SAYS "--threads.* 512"
                          ENVIRONMENT OMP_WAIT_POLICY=passive ARGS run ${plates} --backend ${backend} --threads 600)
  tessera_add_thread_test("more execution.threads than Kokkos has room for are refused: ${backend}" CODE 1
                          SAYS "execution.threads.* 512" ENVIRONMENT OMP_WAIT_POLICY=passive
                          ARGS run ${plates} --backend ${backend} --set execution.threads=600)
endforeach()
tessera_add_thread_test("a benchmark refuses more threads than Kokkos has room for" CODE 1 SAYS "--threads.* 512"
                        ENVIRONMENT OMP_WAIT_POLICY=passive ARGS bench assembly --threads 600)
tessera_add_thread_test("the backend serial runs in an environment of too many threads" CODE 0 SAYS "phase .*total"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_NUM_THREADS=600
                        ARGS run ${plates} --output threads-serial --backend serial)
tessera_add_thread_test("a benchmark refines the mesh of a case, and runs on one thread on the backend serial" CODE 0
                        SAYS ", serial: [^\n]*, 1 thread\n.*assembly, plates: 512 elements, 289 nodes"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
                        ARGS bench assembly --case ${plates} --set "mesh.box.cells=[8, 8]" --refine 1 --strategies atomic --repetitions 1 --backend serial)
tessera_add_thread_test("a number of threads without effect is reported" CODE 0 SAYS "note: execution.threads: 3 has no effect"
                        ENVIRONMENT OMP_WAIT_POLICY=passive ARGS run ${plates} --output threads-effect --backend serial --threads 3)
if(NOT "OPENMP" IN_LIST Kokkos_DEVICES)
  return()
endif()

tessera_add_thread_test("the backend serial is one thread next to openmp with several" CODE 0
                        SAYS "serial: [^\n]*, 1 thread\n +openmp: [^\n]*, 2 threads\n" ENVIRONMENT OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2 ARGS info)
tessera_add_thread_test("compare runs serial on one thread and openmp on several" CODE 0
                        SAYS "threads +3 .*serial +reference .* first.*serial +row-gather .*agrees.*openmp +row-gather .*agrees.*All agree"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_NUM_THREADS=3
                        ARGS compare ${plates} --output threads-compare --backends serial,openmp --strategies reference,row-gather)
tessera_add_thread_test("an environment of too many threads gives as many as Kokkos has room for" CODE 0 SAYS " 512 threads"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_NUM_THREADS=600 ARGS info)
tessera_add_thread_test("threads that the system does not make end with code 3" CODE 3 SAYS "system does not make 2 threads .*OMP_STACKSIZE"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_STACKSIZE=1000000G
                        ARGS run ${plates} --output threads-stack --backend openmp --threads 2)
tessera_add_thread_test("more threads than OMP_THREAD_LIMIT are refused" CODE 1 SAYS "execution.threads: 3 threads, but OMP_THREAD_LIMIT allows 2"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_THREAD_LIMIT=2
                        ARGS run ${plates} --output threads-limit --backend openmp --threads 3)
tessera_add_thread_test("variables that let OpenMP make fewer threads do not break a run" CODE 0 SAYS "threads +3 \\(execution.threads\\)"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_DYNAMIC=true OMP_MAX_ACTIVE_LEVELS=0
                        ARGS run ${plates} --output threads-dynamic --backend openmp --threads 3)
tessera_add_thread_test("a list of threads by level means its first number" CODE 0 SAYS "threads +3 \\(OMP_NUM_THREADS\\)"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_NUM_THREADS=3,2
                        ARGS run ${plates} --output threads-list --backend openmp)
tessera_add_thread_test("a number of threads that is none is reported" CODE 0 SAYS "note: OMP_NUM_THREADS: 'many' is not a number of threads"
                        ENVIRONMENT OMP_WAIT_POLICY=passive OMP_NUM_THREADS=many
                        ARGS run ${plates} --output threads-many --backend openmp)
tessera_add_thread_test("more threads than processors are noted" CODE 0
                        SAYS "note: 512 threads \\(execution.threads\\), but [0-9]+ processors?: threads wait"
                        ENVIRONMENT OMP_WAIT_POLICY=passive
                        ARGS mesh ${plates} -o threads-many.vtkhdf --set execution.backend=openmp --set execution.threads=512)
tessera_add_thread_test("the option goes before Kokkos' variable" CODE 0 SAYS "threads +2 \\(execution.threads\\)"
                        ENVIRONMENT OMP_WAIT_POLICY=passive KOKKOS_NUM_THREADS=3
                        ARGS run ${plates} --output threads-kokkos --backend openmp --threads 2)
tessera_add_thread_test("a small problem takes one thread" CODE 0 SAYS "threads +1 \\(of [0-9]+"
                        ENVIRONMENT OMP_WAIT_POLICY=passive ARGS run ${plates} --output threads-small --backend openmp)
tessera_add_thread_test("a comparison of a small problem takes one thread" CODE 0 SAYS "threads +1 \\(of [0-9]+.*All agree"
                        ENVIRONMENT OMP_WAIT_POLICY=passive
                        ARGS compare ${plates} --output threads-compare --strategies row-gather,atomic)
tessera_add_thread_test("a small mesh takes one thread" CODE 0 SAYS "threads +1 \\(of [0-9]+"
                        ENVIRONMENT OMP_WAIT_POLICY=passive ARGS mesh ${plates} -o threads-small.vtkhdf --set execution.backend=openmp)
