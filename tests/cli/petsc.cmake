# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The external engine PETSc, if the build has it.
set(mms ${PROJECT_SOURCE_DIR}/inputs/mms-2d/mms-2d.yaml)
set(petsc run ${mms} --dry-run --set solver.method=petsc --set solver.preconditioner=)
tessera_add_cli_test("options of PETSc go with its method only" CODE 1 SAYS "solver.petsc: applies to method petsc only" ARGS
                     run ${mms} --dry-run --set "solver.petsc=-ksp_type cg")
tessera_add_cli_test("PETSc does not solve dg" CODE 1 SAYS "solver.method: petsc applies to discretization.method cg only" ARGS
                     run ${PROJECT_SOURCE_DIR}/inputs/dg-poisson/dg-poisson.yaml --dry-run --set solver.method=petsc --set solver.preconditioner=)
if(Tessera_HAVE_PETSC)
  tessera_add_cli_test("the program names its PETSc" CODE 0 SAYS "PETSc  *yes .[0-9]+.[0-9]+" ARGS info)
  tessera_add_cli_test("PETSc has preconditioners of its own" CODE 1 SAYS
                       "mms-2d.yaml:[0-9]+: solver.preconditioner: method petsc allows only none: .*-pc_type" ARGS
                       run ${mms} --dry-run --set solver.method=petsc)
  tessera_add_cli_test("PETSc needs an assembled matrix" CODE 1 SAYS "petsc needs an assembled matrix, but strategy 'ebe-stored' has none" ARGS
                       ${petsc} --strategy ebe-stored)
  tessera_add_cli_test("what is no option of PETSc is reported" CODE 1 SAYS "solver.petsc: expected options .*found 'cg'" ARGS ${petsc} --set solver.petsc=cg)
  tessera_add_cli_test("PETSc promises no bits" CODE 1 SAYS "method petsc does not promise the same bits" ARGS ${petsc} --set execution.reproducible=true)
  tessera_add_cli_test("strategies are compared with PETSc where they have a matrix" CODE 0 SAYS "row-gather" ARGS compare ${mms} --set
                       solver.method=petsc --set solver.preconditioner= --strategies row-gather,ebe-stored)
  tessera_add_processes_test("PETSc has the results of our solvers" petsc.sh 50)
else()
  message(STATUS "PETSc was not found: its tests are left out (bash cmake/bootstrap.sh --petsc installs it)")
  tessera_add_cli_test("a build without PETSc reports it" CODE 1 SAYS "solver.method: petsc needs a build with PETSc, which this one lacks" ARGS ${petsc})
endif()
