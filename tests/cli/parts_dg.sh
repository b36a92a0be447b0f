#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# parts_dg.sh PROGRAM INPUTS MPIRUN [BACKEND]: processes that have their part of the mesh alone have the results of one by discontinuous
# elements, steady and in time, take less memory, and refuse what they cannot do.
set -u
program=$1 inputs=$2 mpirun=$3 backend=${4:-openmp}
. "$(dirname "$0")/several_processes.sh"
. "$here/parts_alike.sh"

# The errors in L2 are 1e-2 to 1e-5 of the solution: of sums of squares that agree to 1e-16 they have 1e-11 at least. The other quantities
# are compared as of continuous elements.
tolerance=1e-11
jacobi=(--set solver.preconditioner=block-jacobi)
simplices=(--set mesh.agglomerate= "${jacobi[@]}")
space=$inputs/dg-3d/dg-3d.yaml square=$inputs/dg-poisson/dg-poisson.yaml slabs=$inputs/dg-parabolic/dg-parabolic.yaml
same_residuals "2 3 4" "$space" "${simplices[@]}" --set "mesh.box.cells=[4,3,5]" --set "output.quantities=[mean, total_flux]"
same_residuals "2 3 4" "$square" "${simplices[@]}" --set "mesh.box.cells=[9,8]"
same_residuals "3" "$square" "${simplices[@]}" --set "mesh.box.cells=[9,8]" --set assembly.precision=single --set solver.relative_tolerance=1e-6
# Degrees by an expression, whose extremes no process has alone; and of regions.
same_residuals "2 4" "$square" "${simplices[@]}" --set "mesh.box.cells=[8,8]" --set "discretization.order=1+2*x+y"
# Refined, and of a geometry, whose parts are cut from a mesh that all have.
same_residuals "2 3" "$square" "${simplices[@]}" --set "mesh.box.cells=[4,5]" --set mesh.refine=1
same_residuals "3" "$space" "${simplices[@]}" --set "mesh.box.cells=[2,2,2]" --set mesh.refine=1 --set discretization.order=1
# Time slabs, also of a matrix that changes from step to step, with elements that take steps of their own.
same_residuals "2 3 4" "$slabs" "${simplices[@]}" --set "mesh.box.cells=[7,6]" --set problem.time.steps=3 --set "output.quantities=[mean]"
same_residuals "3" "$slabs" "${simplices[@]}" --set "mesh.box.cells=[6,6]" --set problem.time.steps=3 --set discretization.order=2 \
  --set "discretization.local_steps=x<0.3?4:1" --set "problem.materials.domain.diffusivity=1+t*x" --set verification= --set "output.quantities=[mean]"
if "$program" info | grep -q "Gmsh  *yes"; then
  same_residuals "3" "$inputs/dg-hp/dg-hp.yaml" "${simplices[@]}" --set mesh.parameters.n_rings=4 --set "discretization.order=max(1, 4 + log(hypot(x, y))/log(5))" \
    --set mesh.refine=1 --set "verification.probes="
fi

# Fields, with a number for each element and a degree, and values at points: those on sides of elements, at corners, and beyond.
points=(--set "output.probes={points: {points: [[0.5, 0.5], [0.53125, 0.46], [0, 1], [0.25, 0.75], [2, 2]]}}")
same_output "2 3" "$square" "${simplices[@]}" --set "mesh.box.cells=[8,8]" "${points[@]}" --set "output.fields=[value, gradient, material]" \
  --set "discretization.order=1+2*x+y" --set output.subdivisions=2
same_output "3" "$slabs" "${simplices[@]}" --set "mesh.box.cells=[6,6]" --set problem.time.steps=4 "${points[@]}" --set "discretization.local_steps=x<0.3?2:1"
cmp of-1/quantities.csv of-3/quantities.csv >log 2>&1 || [ ! -e of-1/quantities.csv ] || fail "tables of quantities differ"
start 1 plot of-3 --output picture.png
[ $code = 0 ] && [ -s picture.png ] || fail "a picture of three pieces in time: exit code $code"

# Each strategy, and a preconditioner that sweeps within the parts.
for arguments in "--strategy triplets" "--strategy atomic" "--set solver.preconditioner=block-gauss-seidel"; do
  for n in 1 3; do
    # shellcheck disable=SC2086
    start "$n" run "$space" --quiet "${parts[@]}" "${simplices[@]}" --set "mesh.box.cells=[4,3,5]" --output "with-$n" $arguments
    [ $code = 0 ] || fail "$arguments with $n processes: exit code $code"
  done
  agree with-1 with-3 1e-7 >log || fail "$arguments: other results" # the solver's tolerance is 1e-10, errors are 1e-3
done
# The whole mesh in each process has its elements in another order.
for kind in parts whole; do
  start 3 run "$space" --quiet "${parts[@]}" "${simplices[@]}" --set "mesh.box.cells=[4,3,5]" --set execution.mesh=$kind --output $kind
  [ $code = 0 ] || fail "execution.mesh: $kind: exit code $code"
done
agree parts whole 1e-7 >log || fail "parts and the whole have other results"

# No process has the whole: the most that one of three takes is less, and about the estimate.
peak() { # peak DIRECTORY: largest of the phases, then the estimate
  awk '{for (i = 1; i < NF; i++) {v = $(i + 1) + 0; if ($i == "estimated_peak_bytes:") e = v; if ($i == "largest_peak_bytes:" && v > peak) peak = v}}
    END {print peak, e}' "$1/report.yaml"
}
for arguments in "$square --set mesh.box.cells=[150,150] --set discretization.order=1" \
  "$space --set mesh.box.cells=[20,20,20] --set discretization.order=1 --set solver.method=bicgstab"; do
  for kind in parts whole; do
    # shellcheck disable=SC2086
    start 3 run --quiet "${parts[@]}" $arguments "${simplices[@]}" --set verification= --set solver.relative_tolerance=1e-3 --set execution.mesh=$kind --output $kind
    [ $code = 0 ] || fail "$arguments, $kind: exit code $code"
  done
  echo "$(peak parts) $(peak whole)" >log
  awk '$1 == 0 || $1 > 1.05 * $2 || $1 < 0.4 * $2 || $1 > 0.85 * $3 {exit 1}' log || fail "$arguments: memory of parts, its estimate, and of the whole"
done

refused "elements of mesh.agglomerate" "$square"
start 3 run "$square" "${parts[@]}" --set mesh.agglomerate= --set "mesh.box.cells=[1,1]" --output refused
say 1 "execution.mesh: parts leaves process . without elements (of 2)"
start 2 run "$space" "${parts[@]}" --set mesh.agglomerate= --set execution.memory_limit=1e-6 --output refused
say 3 "The matrix of dg, with its solver, of each of 2 processes"
start 2 bench scaling --cases dg-tri-p1-6 --backend "$backend" --repetitions 1 --set execution.mesh=parts
say 0 "^dg-tri-p1-6, dg: 72 elements"
echo "parts_dg: all passed"
