#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# petsc.sh PROGRAM INPUTS [MPIRUN]: PETSc gives the results of our conjugate gradients, with 1, 2 and 3 processes; its errors are reported.
set -u
program=$1 inputs=$2 mpirun=${3:-}
. "$(dirname "$0")/several_processes.sh"
start() { # start N ARGUMENTS...: the exit code is in `code`, the output in `log`
  local n=$1
  shift
  if [ "$n" = 1 ]; then
    timeout 60 "$program" "$@" >said 2>log
  else
    timeout 60 "$mpirun" -np "$n" "$program" "$@" >said 2>log
  fi
  code=$?
  cat said >>log # separate files, because mpirun mixes them within lines
}
petsc=(--set solver.method=petsc --set solver.preconditioner=)

numbers="1"
[ -z "$mpirun" ] || numbers="1 2 3"

same_results() { # same_results TOLERANCE CASE ARGUMENTS...
  local tolerance=$1 case=$2 n
  shift 2
  rm -rf ours
  start 1 run "$inputs/$case/$case.yaml" --quiet --output ours "$@"
  [ $code = 0 ] || fail "$case by our own solver: exit code $code"
  for n in $numbers; do
    rm -rf theirs
    start "$n" run "$inputs/$case/$case.yaml" --quiet --output theirs "$@" "${petsc[@]}"
    [ $code = 0 ] || fail "$case with $n processes: exit code $code"
    grep -q "^  method: petsc$" theirs/report.yaml || fail "$case with $n processes: not by PETSc"
    grep -q "method: petsc" theirs/resolved.yaml || fail "$case: the method is missing in resolved.yaml"
    agree ours theirs "$tolerance" || fail "$case: $n processes of PETSc and our solver differ"
  done
}
capacitance=(--set "output.quantities=[energy,capacitance]")
# A tolerance of 1e-11 leaves errors of some 1e-9 in energies; verification errors are differences of these.
tight=(--set solver.relative_tolerance=1e-11)
if has Gmsh; then
  same_results 1e-6 capacitor "${tight[@]}" "${capacitance[@]}" --set verification=
  same_results 1e-6 floating-conductor "${tight[@]}" "${capacitance[@]}"
  same_results 1e-6 coax-axisymmetric "${tight[@]}" --set output.quantities=[energy] --set verification=
  same_results 1e-4 three-wires "${tight[@]}" --set "output.quantities=[capacitance_matrix]" # errors of 1e-5 of values known to 1e-9
  same_results 1e-3 saturated-core                                                       # errors of 2e-7, Newton's method
fi
same_results 1e-6 mms-2d --set discretization.order=2
same_results 1e-6 mms-3d "${tight[@]}"
petsc+=(--set solver.petsc="-ksp_type gmres -pc_type jacobi -ksp_gmres_restart 200")
same_results 1e-6 mms-2d
petsc=("${petsc[@]:0:4}")

# Input that PETSc rejects or does not use is reported once, and so is divergence.
run=(run "$inputs/mms-2d/mms-2d.yaml" --output out "${petsc[@]}")
for n in $numbers; do
  start "$n" "${run[@]}" --set solver.petsc="-ksp_tpye cg -pc_type jacobi"
  say 1 "solver.petsc: PETSc does not accept '-ksp_tpye cg -pc_type jacobi': nothing uses -ksp_tpye"
  start "$n" "${run[@]}" --set solver.petsc="-ksp_type cgg"
  say 1 "solver.petsc: PETSc does not accept '-ksp_type cgg': .*KSP type cgg"
  start "$n" "${run[@]}" --set solver.petsc="-pc_type none" --set solver.max_iterations=3
  say 2 "warning: PETSc: not converged in 3 iterations: ||r|| = .* > "
done
# Options override the keys; if PETSc reports convergence but the residual is too large, the run has not converged.
start 1 "${run[@]}" --set solver.petsc="-pc_type none -ksp_max_it 4" --set solver.max_iterations=3
say 2 "warning: PETSc: not converged in 4 iterations"
start 1 "${run[@]}" --set solver.petsc="-pc_type jacobi -ksp_rtol 1e-1"
say 2 "warning: PETSc: converged in .* above 0.001 that is not converged"
start 1 "${run[@]}" --set solver.petsc="-ksp_type minres -pc_type jacobi"
say 0 "^  solver  *PETSc: converged"
# A direct solver has a residual, too.
start 1 "${run[@]}" --set solver.petsc="-ksp_type preonly -pc_type cholesky" --set verification=
say 0 "^  solver  *PETSc: converged in 1 iterations: ||r|| = [1-9][.0-9]*e-[0-9]* <= "
start 1 "${run[@]}" --set solver.petsc="-ksp_type preonly -pc_type jacobi" --set verification=
say 2 "warning: PETSc: .*PETSc has judged another norm"
start 1 "${run[@]}" --set solver.petsc="-pc_type gamg -my_view"
say 0 "Nothing used the option -my_view"

# Constants in the null space: solved if possible, otherwise reported.
free=(--set "problem.boundaries={top: {robin: {coefficient: 0*x, reference: 0}}}" --set verification=)
for n in $numbers; do
  start "$n" "${run[@]}" "${free[@]}"
  say 2 "warning: .*it maps constants to zero"
  start "$n" "${run[@]}" "${free[@]}" --set "problem.sources={domain: {source: x-0.5}}"
  say 0 "^  solver  *PETSc: converged in"
done
echo "passed"
