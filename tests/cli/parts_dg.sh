#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# parts_dg.sh PROGRAM INPUTS MPIRUN [BACKEND]: processes with partitions of the mesh give the results of one process for discontinuous
# Galerkin, steady and in time, need less memory, and refuse what they do not support.
set -u
program=$1 inputs=$2 mpirun=$3 backend=${4:-openmp}
. "$(dirname "$0")/several_processes.sh"
. "$here/parts_alike.sh"

# L2 errors are 1e-2 to 1e-5 of the solution: from sums of squares that agree to 1e-16 they get at least 1e-11. The other quantities
# are compared as for continuous elements.
tolerance=1e-11
jacobi=(--set solver.preconditioner=block-jacobi)
simplices=(--set mesh.agglomerate= "${jacobi[@]}")
space=$inputs/dg-3d/dg-3d.yaml square=$inputs/dg-poisson/dg-poisson.yaml slabs=$inputs/dg-parabolic/dg-parabolic.yaml
same_residuals "2 3 4" "$space" "${simplices[@]}" --set "mesh.box.cells=[4,3,5]" --set "output.quantities=[mean, total_flux]"
same_residuals "2 3 4" "$square" "${simplices[@]}" --set "mesh.box.cells=[9,8]"
same_residuals "3" "$square" "${simplices[@]}" --set "mesh.box.cells=[9,8]" --set assembly.precision=single --set solver.relative_tolerance=1e-6
# Degrees by an expression, whose extremes no single process has; and degrees of regions.
same_residuals "2 4" "$square" "${simplices[@]}" --set "mesh.box.cells=[8,8]" --set "discretization.order=1+2*x+y"
# If degrees differ, the curve is cut by work: half of the nodes have a seventh of the unknowns.
even() { # even NUMBER RATIO ARGUMENTS...: the largest partition has less than RATIO times the unknowns of the smallest
  local number=$1 ratio=$2
  shift 2
  same_residuals "$number" "$square" "${simplices[@]}" "$@"
  awk -v ratio="$ratio" '/smallest_part:/ {s = $2} /largest_part:/ {l = $2} END {exit !(s > 0 && l < ratio * s)}' "of-$number/report.yaml" ||
    fail "parts of $number processes are uneven: $(grep -E "st_part:" "of-$number/report.yaml")"
}
even 2 1.5 --set "mesh.box.cells=[24,24]" --set "discretization.order=y<0.5?1:5"
even 3 1.6 --set "mesh.box.cells=[6,6]" --set mesh.refine=2 --set "discretization.order=y<0.5?1:5"
# Refined meshes, and meshes of a geometry, which are partitioned from a mesh that all processes have.
same_residuals "2 3" "$square" "${simplices[@]}" --set "mesh.box.cells=[4,5]" --set mesh.refine=1
same_residuals "3" "$space" "${simplices[@]}" --set "mesh.box.cells=[2,2,2]" --set mesh.refine=1 --set discretization.order=1
# Time slabs, also with a matrix that changes from step to step, and with elements with different time steps.
same_residuals "2 3 4" "$slabs" "${simplices[@]}" --set "mesh.box.cells=[7,6]" --set problem.time.steps=3 --set "output.quantities=[mean]"
same_residuals "3" "$slabs" "${simplices[@]}" --set "mesh.box.cells=[6,6]" --set problem.time.steps=3 --set discretization.order=2 \
  --set "discretization.local_steps=x<0.3?4:1" --set "problem.materials.domain.diffusivity=1+t*x" --set verification= --set "output.quantities=[mean]"
if has Gmsh; then
  same_residuals "3" "$inputs/dg-hp/dg-hp.yaml" "${simplices[@]}" --set mesh.parameters.n_rings=4 --set "discretization.order=max(1, 4 + log(hypot(x, y))/log(5))" \
    --set mesh.refine=1 --set "verification.probes="
fi

# Levels of agglomerates, distributed down to the coarsest one.
levels=(--set mesh.agglomerate= --set solver.preconditioner=multigrid --set solver.multigrid.replicated_size=1)
same_residuals "2 3 4" "$square" "${levels[@]}" --set "mesh.box.cells=[25,23]"
same_residuals "3" "$square" "${levels[@]}" --set "mesh.box.cells=[20,20]" --set "discretization.order=1+2*x+y"
same_residuals "3" "$space" "${levels[@]}" --set "mesh.box.cells=[5,4,5]"
same_residuals "2" "$slabs" "${levels[@]}" --set "mesh.box.cells=[12,12]" --set problem.time.steps=2

# Fields, with a number for each element and a degree, and values at points: on sides of elements, at corners, and outside.
points=(--set "output.probes={points: {points: [[0.5, 0.5], [0.53125, 0.46], [0, 1], [0.25, 0.75], [2, 2]]}}")
same_output "2 3" "$square" "${simplices[@]}" --set "mesh.box.cells=[8,8]" "${points[@]}" --set "output.fields=[value, gradient, material]" \
  --set "discretization.order=1+2*x+y" --set output.subdivisions=2
# Elements are numbered differently from the whole mesh, but are the same.
for n in 1 3; do
  [ $n = 1 ] && divided=() || divided=(--set execution.mesh=parts)
  start $n run "$square" --quiet --backend "$backend" --output "divided-$n" "${simplices[@]}" --set "mesh.box.cells=[9,8]" --set output.probes= "${divided[@]}"
  [ $code = 0 ] || fail "dg on a mesh that is divided into $n: exit code $code"
done
"$program" compare divided-1 divided-3 >log 2>&1 || fail "compare: the whole mesh and three parts have other results"
same_output "3" "$slabs" "${simplices[@]}" --set "mesh.box.cells=[6,6]" --set problem.time.steps=4 "${points[@]}" --set "discretization.local_steps=x<0.3?2:1"
cmp of-1/quantities.csv of-3/quantities.csv >log 2>&1 || [ ! -e of-1/quantities.csv ] || fail "tables of quantities differ"
if has Cairo; then
  for n in 1 3; do
    start 1 plot "of-$n" --lines 0 --output "picture-$n.png"
    [ $code = 0 ] && [ -s "picture-$n.png" ] || fail "a picture in time of $n processes: exit code $code"
  done
  cmp picture-1.png picture-3.png >log 2>&1 || fail "the picture of three pieces in time is not that of one"
fi

# Each strategy, and a preconditioner that sweeps within the partitions.
for arguments in "--strategy triplets" "--strategy atomic" "--set solver.preconditioner=block-gauss-seidel"; do
  for n in 1 3; do
    # shellcheck disable=SC2086
    start "$n" run "$space" --quiet "${parts[@]}" "${simplices[@]}" --set "mesh.box.cells=[4,3,5]" --output "with-$n" $arguments
    [ $code = 0 ] || fail "$arguments with $n processes: exit code $code"
  done
  agree with-1 with-3 1e-7 >log || fail "$arguments: other results" # the solver's tolerance is 1e-10, errors are 1e-3
done
# With the whole mesh on each process, elements have a different order.
for kind in parts whole; do
  start 3 run "$space" --quiet "${parts[@]}" "${simplices[@]}" --set "mesh.box.cells=[4,3,5]" --set execution.mesh=$kind --output $kind
  [ $code = 0 ] || fail "execution.mesh: $kind: exit code $code"
done
agree parts whole 1e-7 >log || fail "parts and the whole have other results"

# No process has the whole mesh: the maximum memory of three is less, and close to the estimate.
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

# Agglomerated elements depend on the number of processes, the properties of the method do not. A linear solution is reproduced up to the
# solver's tolerance if both sides of a partition boundary use the same bounding boxes, and inflow balances a source of 1 if they use the
# same penalty. (If all simplices and degrees were alike, measures of partial elements would give the same penalty on both sides.)
cat >joined.yaml <<'EOF2'
tessera: 1
mesh: {box: {cells: [14, 13]}, agglomerate: {elements: 40}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 2}}
  boundaries: {left: {value: 2*y}, right: {value: 3 + 2*y}, bottom: {value: 3*x}, top: {value: 2 + 3*x}}
discretization: {method: dg, order: 1}
solver: {relative_tolerance: 1.0e-12}
output: {fields: [], quantities: [total_flux]}
verification: {exact: 3*x + 2*y, gradient: [3, 2]}
EOF2
body=(--set "mesh.box.cells=[5,5,4]" --set "mesh.agglomerate.elements=60" --set "problem.boundaries={left: {value: 2*y}, right: {value: 3 + 2*y}, bottom: {value: 3*x},
  top: {value: 2 + 3*x}, back: {value: 3*x + 2*y}, front: {value: 3*x + 2*y}}" --set "verification.gradient=[3,2,0]")
joined() { # joined WHAT N ARGUMENTS...
  what=$1 n=$2
  shift 2
  start "$n" run joined.yaml --quiet --backend "$backend" --set execution.mesh=parts --output joined "$@"
  [ $code = 0 ] || fail "$what of $n processes, joined: exit code $code"
}
balance() { awk '/^  total_flux/ {sub(/.*value: /, ""); sum += $1} END {print sum; exit sum > -1 + 1e-9 || sum < -1 - 1e-9}' joined/report.yaml; }
for n in 2 3 4; do
  for shape in "" body; do
    more=()
    [ -z "$shape" ] || more=("${body[@]}")
    joined "a linear solution" "$n" "${more[@]}"
    awk '/^  (l2|dg):/ {n += $2 + 0 < 1e-10} END {exit n != 2}' joined/report.yaml || fail "$n processes do not have a linear solution: $(grep -A3 ^errors joined/report.yaml)"
    grep -q "each of $n processes joins the simplices of its part" joined/report.yaml || fail "no note tells that elements depend on the number of processes"
    joined "a source" "$n" "${more[@]}" --set "problem.sources={domain: {source: 1}}" --set verification= --set "discretization.order=1.6+sin(40*x)*sin(37*y)"
    balance >log || fail "what flows into $n parts does not balance the source"
  done
done
joined "the mean size" 3 --set "mesh.agglomerate={mean_size: 0.2}"
grep -qE "^  elements: 2[3-7]" joined/report.yaml || fail "elements of mean size 0.2 are not about 25: $(grep "  elements" joined/report.yaml)"
if has METIS; then
  joined "METIS" 3 --set mesh.agglomerate.method=metis
fi
joined "degrees" 3 --set "discretization.order=1+2*x" --set "output.fields=[value]"
awk '/^  l2:/ {exit $2 + 0 > 1e-10}' joined/report.yaml || fail "elements of several degrees do not have a linear solution"
for kind in parts whole; do
  start 3 run "$slabs" --quiet "${parts[@]}" --set execution.mesh=$kind --set "mesh.box.cells=[14,14]" --set mesh.agglomerate.elements=50 --set problem.time.steps=3 --output $kind
  [ $code = 0 ] || fail "slabs over joined elements, $kind: exit code $code"
done
agree whole parts 0.5 >log || fail "slabs over joined elements have errors of another size" # the elements differ
refused "mesh.agglomerate and execution.reproducible: true, because" "$square" --set execution.reproducible=true
start 2 run joined.yaml "${parts[@]}" --output refused --set mesh.agglomerate.elements=1000
say 1 "1000 elements are requested, but the mesh has only 364 triangles"
start 3 run "$square" "${parts[@]}" --set mesh.agglomerate= --set "mesh.box.cells=[2,1]" --output refused
say 1 "execution.mesh: parts leaves process . without elements (of 4)"
start 2 run "$space" "${parts[@]}" --set mesh.agglomerate= --set execution.memory_limit=1e-6 --output refused
say 3 "The matrix of dg, with its solver, of each of 2 processes"
start 2 bench scaling --cases dg-tri-p1-6 --backend "$backend" --repetitions 1 --set execution.mesh=parts
say 0 "^dg-tri-p1-6, dg: 72 elements"
start 2 bench dg --case "$space" --backend "$backend" --repetitions 1 --set execution.mesh=parts --set "mesh.box.cells=[4,4,4]" --set mesh.agglomerate.elements=60
say 0 "^dg-3d, dg: 6[0-9] elements, 125 nodes"
all_passed parts_dg
