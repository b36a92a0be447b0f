#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# processes.sh PROGRAM INPUTS MPIRUN [BACKEND]: runs of 2, 3 and 4 processes give the results of one, and errors are reported once.
set -u
program=$1 inputs=$2 mpirun=$3 backend=${4:-openmp}
. "$(dirname "$0")/several_processes.sh"

# Launchers of their own kind, in a folder of their own: these tests wait for seconds, in which the others go on.
other_launchers() {
  folder=$launchers
  cd "$folder" || exit 1
  # Processes that the launcher kills leave no files, either.
  printf '#!/bin/sh\nmkdir -p killed\necho "process 1 on nowhere" >killed/.tessera-lock\n>killed/.fields.vtkhdf.0123456789abcdef.part\nexit 137\n' >mpirun
  chmod +x mpirun
  PATH=$PWD:$PATH timeout 60 "$program" run "$inputs/dg-3d/dg-3d.yaml" --processes 2 --output killed >log 2>&1
  code=$?
  [ $code = 137 ] || fail "exit code $code of a launcher that was killed"
  [ -z "$(ls -A killed)" ] || fail "killed processes left $(ls -A killed)"
  rm mpirun
  # Processes that the launcher leaves running have ended when the program ends: those that end soon, and those that would not.
  mkdir fake
  endless=$((10000 + $$)) # unique to this test
  for seconds in 3 $endless; do
    printf '#!/bin/sh\n(sleep %s; echo done >ended-%s) >/dev/null 2>&1 &\nexit 7\n' $seconds $seconds >fake/mpirun
    chmod +x fake/mpirun
    before=$SECONDS
    PATH=$PWD/fake:$PATH timeout 60 "$program" run "$inputs/dg-3d/dg-3d.yaml" --processes 2 >log 2>&1
    code=$?
    [ $code = 7 ] || fail "exit code $code of a launcher that leaves a process for $seconds s"
    [ $seconds != 3 ] || [ -e ended-3 ] || fail "the program ended before what the launcher had left"
    [ $((SECONDS - before)) -lt 20 ] || fail "a process that goes on for $seconds s was not killed"
    ! pgrep -x -f "sleep $seconds" >/dev/null || fail "a process of $seconds s is left"
  done
  # A second signal does not wait for them.
  PATH=$PWD/fake:$PATH "$program" run "$inputs/dg-3d/dg-3d.yaml" --processes 2 >log 2>&1 &
  child=$!
  sleep 2
  kill -TERM $child
  before=$SECONDS
  wait $child
  [ $((SECONDS - before)) -lt 5 ] || fail "a signal did not end the wait for what the launcher had left"
  ! pgrep -x -f "sleep $endless" >/dev/null || fail "a signal left a process"
}
launchers=$(mktemp -d)
trap 'rm -rf "$folder" "$launchers"' EXIT
other_launchers &
of_launchers=$!

compare_processes() { # compare_processes TOLERANCE NUMBERS CASE ARGUMENTS...
  local tolerance=$1 numbers=$2 case=$3 n
  shift 3
  can_read "$case" || return 0
  for n in 1 $numbers; do
    start "$n" run "$inputs/$case/$case.yaml" --quiet --backend "$backend" --output "$case-$n" "$@"
    [ $code = 0 ] || fail "$case with $n processes: exit code $code"
    [ "$n" = 1 ] || agree "$case-1" "$case-$n" "$tolerance" || fail "$case: $n processes and one differ"
    [ "$n" = 1 ] || grep -q "^  number: $n$" "$case-$n/report.yaml" || fail "$case: the report does not tell $n processes"
  done
}
# The solvers end at residuals of 1e-10 or less; for the diffusion in dg-hp a thousandth of that affects the errors.
compare_processes 1e-7 "2 3 4" dg-3d --set "mesh.box.cells=[4,4,4]" --set mesh.agglomerate.elements=96
compare_processes 1e-7 "2" dg-3d --set "mesh.box.cells=[3,3,3]" --set mesh.agglomerate= --strategy triplets
compare_processes 1e-7 "3" dg-3d --set "mesh.box.cells=[3,3,3]" --set mesh.agglomerate.elements=40 --strategy atomic
compare_processes 1e-7 "2 3" dg-advection
compare_processes 1e-7 "4" dg-poisson --set "mesh.box.cells=[12,12]" --set mesh.agglomerate.elements=36 --set discretization.order=1+2*x+y
compare_processes 1e-6 "2 3" dg-parabolic --set "mesh.box.cells=[8,8]" --set mesh.agglomerate.elements=24 \
  --set discretization.order=2 --set discretization.local_steps=1+3*x --set problem.time.steps=3 \
  --set problem.materials.domain.diffusivity=1+0.5*x*t
[ -e dg-parabolic-3/fields.vtkhdf ] && [ -e dg-parabolic-3/centre.csv ] || fail "fields or probes of three processes are missing"
[ "$(cut -d, -f1-3 dg-parabolic-3/convergence.csv | sort -u | wc -l)" = 4 ] ||
  fail "convergence.csv of three processes does not have the three time steps"

TERM=xterm "$program" run "$inputs/dg-advection/dg-advection.yaml" --processes 2 --backend "$backend" --output dg-advection-2 >log 2>&1 ||
  fail "dg-advection with --processes 2 fails"
! grep -q $'\x1b' log || fail "progress for a terminal goes into a file"

# Continuous elements: bodies of unknown potential, periodic sides, Newton's method, curved elements, quadrature.
compare_processes 1e-7 "2 3 4" floating-conductor --strategy ebe-stored --set "output.quantities=[capacitance]"
compare_processes 1e-5 "2 3" three-wires --set "output.quantities=[capacitance_matrix]" # errors of 1e-5 of values known to 1e-11
compare_processes 1e-3 "2" coaxial-coils                                               # errors of 2e-7
compare_processes 1e-7 "3" antiperiodic-pole --strategy colored
# Errors of 2e-7 of a value that the solver computes to 1e-12.
compare_processes 1e-5 "2" saturated-core --strategy ebe-atomic
compare_processes 1e-5 "2" saturated-core --strategy a-coo # rebuilds its pattern in each step
compare_processes 1e-5 "3" coax-axisymmetric --strategy atomic
compare_processes 1e-7 "2" mms-3d --set discretization.order=2 --strategy reference
# Positions of extremes are the same, also if many nodes have the same value.
places() { # places FOLDER: the coordinates in the table of regions; inside the tube the field is zero up to rounding
  awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) keep[i] = $i ~ /_[xyz] \[m\]$/}
    $1 == "air" {for (i = 1; i <= NF; ++i) if (keep[i]) printf "%s ", $i; print ""}' "$1/regions.csv"
}
if has Gmsh; then
  for n in 1 2 3; do
    start "$n" run "$inputs/floating-conductor/floating-conductor.yaml" --quiet --backend "$backend" --output "regions-$n" \
      --set "output.quantities=[regions]" --set verification.quantities= --set output.recovered=true
    [ $code = 0 ] || fail "regions of $n processes: exit code $code"
  done
  for n in 2 3; do
    [ "$(places regions-$n)" = "$(places regions-1)" ] || fail "$n processes tell other places of extremes"
    [ "$(stat -c %s regions-$n/fields.vtkhdf)" = "$(stat -c %s regions-1/fields.vtkhdf)" ] ||
      fail "recovered fields of $n processes have other sizes"
  done
  places regions-2 | grep -q "[0-9]" || fail "no places of extremes"
fi

# Current flow and heat, steady and in time; joints, good conductors among them, alone and with periodic sides.
compare_processes 1e-7 "2" self-heated-wire --set "mesh.box.cells=[16,2]" --set verification=
compare_processes 1e-6 "2" fuse --set verification=
compare_processes 1e-7 "3" contact-of-bars --set mesh.refine=1 --set verification=
compare_processes 1e-7 "2 3" contact-of-bars --set discretization.method=dg --set mesh.refine=1 --set output.fields=[temperature] \
  --set "output.quantities=[heat_flow]" --set verification=
compare_processes 1e-7 "2" thin-film --set solver.preconditioner=multigrid --set solver.multigrid.replicated_size=1 --set verification=

# Frequencies: the same bits, an axis, a conductor of given current, losses of insulators; distributed and replicated.
few=(--set solver.multigrid.replicated_size=1)
compare_processes 0 "2 4" cylinder-in-axial-field --set "mesh.box.cells=[40,20]" "${few[@]}" --set execution.reproducible=true
# Replicated; the mean of B_r is zero up to rounding.
compare_processes 1e-7 "2" cylinder-in-axial-field --set "output.quantities=[losses, energy]" --set verification=
compare_processes 1e-7 "3" round-wire "${few[@]}" --set verification= --set output.fields=[]
compare_processes 1e-7 "2" lossy-coax --set mesh.refine=1 "${few[@]}" --set verification=
compare_processes 1e-6 "2" saturated-plate "${few[@]}" --set verification= --set problem.conductors="{domain: {}}" \
  --set problem.circuit="{source: {nodes: [a, b], voltage: 1, phase: 20}, r: {nodes: [a, c], resistance: 0.01}, domain: {nodes: [c, b]}}" \
  --set problem.boundaries.left.vector_potential=0

# Element by element: elements at partition boundaries are on several processes. 1e-6: (r, r) summed by elements loses digits.
by_elements=(--strategy ebe-stored --set solver.method=ebe-j-pcg --set solver.preconditioner=jacobi)
compare_processes 1e-6 "2 3 4" floating-conductor "${by_elements[@]}" --set "output.quantities=[capacitance]"
compare_processes 1e-6 "2 3" mms-3d --set discretization.order=2 --set "mesh.box.cells=[5,5,5]" "${by_elements[@]}"
compare_processes 1e-6 "3" antiperiodic-pole "${by_elements[@]}"
[ -e coax-axisymmetric-3/fields.vtkhdf ] || ! has Gmsh || fail "fields of three processes are missing"

# Partitions by METIS, if the build has it.
if has METIS; then
  metis=(--set execution.partition=metis)
  compare_processes 1e-7 "2 3 4" floating-conductor "${metis[@]}" --set "output.quantities=[capacitance]"
  compare_processes 1e-7 "2 3" mms-3d --set discretization.order=2 "${metis[@]}"
  grep -q "execution.partition: metis cuts [0-9]* of [0-9]* pairs" mms-3d-3/report.yaml || fail "the cut is not told"
  compare_processes 1e-7 "3" antiperiodic-pole "${metis[@]}" --set discretization.order=2
  compare_processes 1e-5 "2" saturated-core "${metis[@]}"
  compare_processes 1e-7 "3" mms-2d --set "mesh.box.cells=[60,60]" "${metis[@]}" --set solver.preconditioner=multigrid \
    --set solver.multigrid.replicated_size=1
  compare_processes 1e-6 "3" floating-conductor "${metis[@]}" "${by_elements[@]}" --set "output.quantities=[capacitance]"
  compare_processes 1e-7 "2 3 4" dg-3d --set "mesh.box.cells=[4,4,4]" --set mesh.agglomerate.elements=96 "${metis[@]}"
  compare_processes 1e-7 "3" dg-poisson --set "mesh.box.cells=[12,12]" --set mesh.agglomerate= --set discretization.order=1+2*x+y "${metis[@]}"
  compare_processes 1e-6 "2" dg-parabolic --set "mesh.box.cells=[8,8]" --set mesh.agglomerate.elements=24 --set problem.time.steps=3 "${metis[@]}"
  start 2 run "$inputs/mms-2d/mms-2d.yaml" "${metis[@]}" --set execution.reproducible=true --backend "$backend"
  [ $code = 1 ] && [ "$(grep -c "execution.partition: metis numbers the unknowns part by part" log)" = 1 ] || fail "reproducible parts by METIS are not refused"
  start 4 run "$inputs/mms-2d/mms-2d.yaml" --set "mesh.box.cells=[2,2]" "${metis[@]}" --backend "$backend"
  [ $code = 1 ] && grep -q "execution.partition: METIS left process\|more than the problem" log || fail "exit code $code: parts without unknowns"
fi

# Sweeps: the values of one process, with a reused mesh; a second start has nothing to do.
if has Gmsh; then
  sweep=(--set "sweep={vary: [{problem.depth: [1, 2]}, {problem.boundaries.tube.floating.charge: [0, 1e-12, 3e-12]}]}" --set verification=)
  for n in 1 2 3; do
    start "$n" run "$inputs/floating-conductor/floating-conductor.yaml" "${sweep[@]}" --backend "$backend" --output "sweep-$n"
    [ $code = 0 ] || fail "the sweep of $n processes: exit code $code"
    [ "$(grep -c "6 of 6 points done" log)" = 1 ] || fail "the end of the sweep of $n processes is not told once"
    paste -d, sweep-1/sweep.csv "sweep-$n/sweep.csv" | awk -F, '
      NR == 1 {n = NF / 2; next}
      {for (i = 1; i <= n - 5; i++) {d = $i - $(n + i); if (d < 0) d = -d; m = $i < 0 ? -$i : $i; if (d > 1e-7 * m + 1e-18) bad = 1}}
      END {exit bad || NR != 7}' || fail "the table of $n processes: $(cat "sweep-1/sweep.csv" "sweep-$n/sweep.csv")"
  done
  grep -q ",mesh," sweep-2/sweep.csv || fail "the sweep of two processes keeps no mesh"
  start 2 run "$inputs/floating-conductor/floating-conductor.yaml" "${sweep[@]}" --backend "$backend" --output sweep-2
  grep -q "6 points are in the table of an earlier run" log || fail "the sweep of two processes does not continue"
  start 2 run "$inputs/floating-conductor/floating-conductor.yaml" --backend "$backend" --output sweep-ends --quiet --set verification= --set "output.quantities=[charge]" \
    --set "sweep={vary: [{problem.boundaries.inner.potential: [10, 1/(x-x), 20]}]}"
  [ $code = 1 ] || fail "the sweep with a point that is wrong: exit code $code"
  [ "$(grep -c "The sweep of several processes ends here" log)" = 1 ] || fail "the end of a sweep by an error is not told once"
  [ "$(grep -c ",done," sweep-ends/sweep.csv)$(grep -c "1/(x-x),.*not finite" sweep-ends/sweep.csv)$(grep -c "^3,20,.*not run," sweep-ends/sweep.csv)" = 111 ] ||
    fail "the table does not tell one point of each state: $(cat sweep-ends/sweep.csv)"
fi

start 2 run "$inputs/mms-2d/mms-2d.yaml" --backend "$backend" --output bits-colored --strategy colored --set execution.reproducible=true
[ "$(grep -c "each of the 2 processes colours its own elements" log)" = 1 ] || fail "bits that depend on the number of processes are not told"
start 2 run "$inputs/mms-2d/mms-2d.yaml" --backend "$backend" --output bits-rows --strategy row-gather --set execution.reproducible=true
grep -q "colours its own elements" log && fail "colours are told where there are none"

# Reproducible runs have the same bits, also if partitions differ in their largest degree.
same_bits() { # same_bits CASE ARGUMENTS...
  local case=$1 n
  shift
  can_read "$case" || return 0
  for n in 1 2 3 5; do
    start "$n" run "$inputs/$case/$case.yaml" --quiet --backend "$backend" --output "bits-$n" --set execution.reproducible=true "$@"
    [ $code = 0 ] || fail "$case with $n processes: exit code $code"
    grep -q "^  solution: " "bits-$n/report.yaml" || fail "$case: no checksum of the solution"
    cmp -s <(grep "^  solution: " bits-1/report.yaml) <(grep "^  solution: " "bits-$n/report.yaml") || fail "$case: $n processes give other bits"
  done
}
same_bits dg-3d --set "mesh.box.cells=[6,6,6]" --set mesh.agglomerate=
same_bits dg-poisson --set "mesh.box.cells=[30,30]" --set mesh.agglomerate.elements=300 --set discretization.order=1+2*x+y
same_bits dg-parabolic --set "mesh.box.cells=[12,12]" --set mesh.agglomerate.elements=36 --set problem.time.steps=3 \
  --set solver.preconditioner=block-jacobi

same_bits mms-3d --set discretization.order=2
same_bits floating-conductor --strategy sorted-coo
same_bits antiperiodic-pole
same_bits saturated-core

# Multigrid: levels of more than 1000 unknowns are distributed; aggregates, coarser meshes, order 2, new values, single and double precision.
multigrid=(--set solver.preconditioner=multigrid --set solver.multigrid.replicated_size=1)
same_bits dg-poisson --set "mesh.box.cells=[50,50]" --set mesh.agglomerate.elements=1500 "${multigrid[@]}"
same_bits dg-poisson --set "mesh.box.cells=[50,50]" --set mesh.agglomerate.elements=1200 "${multigrid[@]}" --set discretization.order=1+2*x+y
same_bits dg-poisson --set "mesh.box.cells=[6,6]" --set mesh.agglomerate= --set discretization.order=1 --set solver.preconditioner=multigrid # one level
same_bits dg-poisson --set "mesh.box.cells=[4,4]" --set mesh.agglomerate= --set discretization.order=1 --set solver.preconditioner=multigrid --set assembly.precision=single
same_bits dg-poisson --set "mesh.box.cells=[40,40]" --set mesh.agglomerate.elements=900 # replicated from the second level on
same_bits dg-3d --set "mesh.box.cells=[5,5,5]" --set mesh.agglomerate= "${multigrid[@]}" --set solver.multigrid.cycle=W
same_bits dg-parabolic --set "mesh.box.cells=[16,16]" --set mesh.agglomerate.elements=200 --set problem.time.steps=2 "${multigrid[@]}"
same_bits mms-2d --set "mesh.box.cells=[101,97]" "${multigrid[@]}"
same_bits mms-2d --set "mesh.box.cells=[128,96]" "${multigrid[@]}" --set solver.multigrid.cycle=W
same_bits mms-2d --set "mesh.box.cells=[60,60]" "${multigrid[@]}" --set solver.method=multigrid
same_bits mms-3d --set "mesh.box.cells=[10,10,10]" --set discretization.order=2 "${multigrid[@]}" --set solver.multigrid.precision=double
same_bits mms-3d --set "mesh.box.cells=[16,16,16]" "${multigrid[@]}" --set solver.multigrid.type=algebraic
same_bits mms-2d --set "mesh.box.cells=[40,40]" --set discretization.order=2 "${multigrid[@]}" --set solver.multigrid.type=algebraic
same_bits saturated-core "${multigrid[@]}"
same_bits floating-conductor "${multigrid[@]}"
same_bits mms-2d --set "mesh.box.cells=[24,24]" --set solver.preconditioner=multigrid # replicated
compare_processes 1e-7 "3" antiperiodic-pole "${multigrid[@]}"

# Matrix-free finest level, by colours and atomic additions: as many iterations as one process. Replicated levels, both
# dimensions and orders, floating and antiperiodic unknowns, new values of Newton's method, and levels with fewer unknowns than processes.
without_matrix() { # without_matrix TOLERANCE NUMBERS CASE ARGUMENTS...
  local numbers=$2 case=$3 n
  can_read "$case" || return 0
  compare_processes "$@" --set solver.preconditioner=multigrid
  grep -q "unknowns: [0-9]*, matrix: none" "$case-1/report.yaml" || fail "$case: no level without a matrix"
  for n in $numbers; do
    cmp -s <(grep "iterations: " "$case-1/report.yaml") <(grep "iterations: " "$case-$n/report.yaml") || fail "$case: $n processes take other iterations"
    cmp -s <(grep "unknowns: .* coarsening: " "$case-1/report.yaml" | sed 's/bytes: [0-9]*//') \
      <(grep "unknowns: .* coarsening: " "$case-$n/report.yaml" | sed 's/bytes: [0-9]*//') || fail "$case: $n processes have other levels"
  done
}
without_matrix 1e-7 "2 3" mms-2d --set "mesh.box.cells=[128,96]" --strategy ebe-stored "${few[@]}"
without_matrix 1e-7 "3" mms-2d --set "mesh.box.cells=[64,64]" --strategy ebe-recomputed --set discretization.order=2 "${few[@]}" --set solver.multigrid.cycle=W
without_matrix 1e-7 "2" mms-2d --set "mesh.box.cells=[64,64]" --strategy ebe-atomic --set solver.method=multigrid --set solver.multigrid.precision=double
without_matrix 1e-7 "2 3" mms-3d --set "mesh.box.cells=[24,24,24]" --strategy ebe-atomic "${few[@]}"
without_matrix 1e-7 "3" mms-3d --set "mesh.box.cells=[10,10,10]" --set discretization.order=2 --strategy ebe-atomic "${few[@]}"
without_matrix 1e-7 "3" floating-conductor --set mesh.refine=2 --strategy ebe-stored "${few[@]}" --set "output.quantities=[capacitance]"
without_matrix 1e-7 "2" antiperiodic-pole --set mesh.refine=2 --strategy ebe-atomic "${few[@]}"
without_matrix 1e-5 "3" saturated-core --set mesh.refine=1 --strategy ebe-stored "${few[@]}" # errors of 2e-7, as above
without_matrix 1e-7 "5" mms-2d --set "mesh.box.cells=[4,4]" --strategy ebe-atomic
start 3 run "$inputs/mms-2d/mms-2d.yaml" --set "mesh.box.cells=[128,128]" --strategy ebe-atomic --set solver.preconditioner=auto --backend "$backend" --output large
say 0 "^  preconditioner  *multigrid: 16 641 nodes"

# Multigrid that cannot be set up is reported once, or replaced by Jacobi on all processes.
free=(--set "problem.boundaries={top: {robin: {coefficient: 0*x, reference: 0}}}" --set "problem.sources={}" --set verification=
  --set "mesh.box.cells=[120,120]" --set solver.multigrid.replicated_size=1 --backend "$backend" --output free)
start 3 run "$inputs/mms-2d/mms-2d.yaml" "${free[@]}" --set solver.preconditioner=multigrid
[ $code = 2 ] && [ "$(grep -c "maps constants to zero" log)" = 1 ] || fail "exit code $code: a singular matrix is not told once"
start 3 run "$inputs/mms-2d/mms-2d.yaml" "${free[@]}" --set solver.preconditioner=multigrid --strategy ebe-atomic
[ $code = 2 ] && [ "$(grep -c "maps constants to zero" log)" = 1 ] || fail "exit code $code: a singular operator is not told once"
start 3 run "$inputs/mms-2d/mms-2d.yaml" "${free[@]}" --set solver.preconditioner=auto
[ $code = 0 ] && grep -q "auto took jacobi, because multigrid could not be made" log || fail "exit code $code: jacobi did not take over"

# The maximum memory of a process is close to the estimate if partitions are large compared to their ghosts: at most a twentieth
# above it (with Jacobi 3 %, for what the formula omits), and not far below. It does not depend on the number of iterations.
within_estimate() { # within_estimate CASE ARGUMENTS...
  local case=$1 n
  shift
  for n in 2 3; do
    start "$n" run "$inputs/$case/$case.yaml" --quiet --backend "$backend" --output memory --set solver.relative_tolerance=1e-3 "$@"
    [ $code = 0 ] || fail "$case with $n processes: exit code $code"
    awk -v most="${most:-1.05}" '{for (i = 1; i < NF; i++) {v = $(i + 1) + 0; if ($i == "estimated_peak_bytes:") e = v; if ($i == "largest_peak_bytes:" && v > peak) peak = v}}
      END {print "peak", peak, "estimate", e; exit peak == 0 || peak > most * e || peak < 0.4 * e}' memory/report.yaml >log ||
      fail "$case with $n processes: the estimate of memory is wrong"
  done
}
within_estimate mms-2d --set "mesh.box.cells=[200,200]" --set solver.preconditioner=jacobi
within_estimate mms-2d --set "mesh.box.cells=[200,200]" --strategy ebe-stored --set solver.preconditioner=jacobi
within_estimate mms-2d --set "mesh.box.cells=[200,200]" --set solver.preconditioner=multigrid
within_estimate mms-2d --set "mesh.box.cells=[200,200]" "${multigrid[@]}"
within_estimate mms-3d --set "mesh.box.cells=[16,16,16]" --set discretization.order=2 "${multigrid[@]}"
bare=(--set output.fields=[] --set output.probes=) # the solver needs most memory
# Estimates of dg are lower bounds.
most=1.2 within_estimate dg-poisson --set "mesh.box.cells=[80,80]" --set mesh.agglomerate= "${bare[@]}" "${multigrid[@]}"
within_estimate mms-2d --set "mesh.box.cells=[200,200]" "${bare[@]}" --strategy ebe-atomic --set solver.preconditioner=multigrid
within_estimate mms-2d --set "mesh.box.cells=[200,200]" "${bare[@]}" --strategy ebe-stored "${multigrid[@]}"
within_estimate mms-3d --set "mesh.box.cells=[16,16,16]" "${bare[@]}" --set discretization.order=2 --strategy ebe-atomic "${multigrid[@]}"

small=(--set "mesh.box.cells=[3,3,3]" --set mesh.agglomerate= --backend "$backend" --output small)
start 2 run "$inputs/dg-3d/dg-3d.yaml" "${small[@]}" --set solver.max_iterations=2
say 2 "warning: GMRES: not converged in 2 iterations"
[ "$(grep -c "^  solver " log)" = 1 ] || fail "not one console"
say 2 "^  processes  *2 of [0-9 ]* to [0-9 ]* unknowns, messages by MPI"
start 2 run "$inputs/dg-3d/dg-3d.yaml" --set solver.max_iterations=none
say 1 "solver.max_iterations"
start 2 run "$inputs/mms-2d/mms-2d.yaml" "${by_elements[@]}" --set execution.reproducible=true
say 1 "solver.method: ebe-j-pcg with execution.reproducible: true runs with one process; 2 are requested"
start 3 run "$inputs/mms-2d/mms-2d.yaml" --set "mesh.box.cells=[2,2]" --output small --backend "$backend"
say 0 "^  processes  *3 of 1 to 1 unknowns"
start 4 run "$inputs/mms-2d/mms-2d.yaml" --set "mesh.box.cells=[2,2]" --output small --backend "$backend"
say 1 "4 processes are more than the problem has unknowns (3)"
start 2 run "$inputs/mms-2d/mms-2d.yaml" --set "mesh.box.cells=[128,128]" --set solver.preconditioner=auto --output small --backend "$backend"
say 0 "^  preconditioner  *multigrid: 16 641 nodes"
start 2 run "$inputs/dg-3d/dg-3d.yaml" "${small[@]}" --strategy reference
say 1 "The strategy reference runs with one process"
start 3 run "$inputs/dg-3d/dg-3d.yaml" "${small[@]}" --set "mesh.box.cells=[1,1,1]" --set mesh.agglomerate.elements=2
say 1 "3 processes are more than the mesh has elements (at most 2)"
start 2 compare "$inputs/dg-3d/dg-3d.yaml"
say 1 "compare is for one process, but a launcher has started 2"
start 2 bench dg --case "$inputs/dg-3d/dg-3d.yaml" --backend "$backend" --strategies block-rows --repetitions 1 \
  --set "mesh.box.cells=[3,3,3]" --set mesh.agglomerate=
say 0 "2 processes, messages by .* unknowns and .* ghosts"
say 0 "block product with halo"

start 2 bench scaling --cases tri-p1-20,dg-tri-p1-6 --backend "$backend" --repetitions 1
say 0 "^tri-p1-20: 800 elements"
say 0 "^dg-tri-p1-6, dg: 72 elements"
[ "$(grep -c "^ *halo exchange" log)" = 2 ] && [ "$(grep -c "2 processes, messages by" log)" = 2 ] || fail "bench scaling shows no exchange"
start 2 bench scaling --cases tri-p1-20 --backend "$backend" --repetitions 1 --set execution.reproducible=true
say 0 "solution .* iterations"
ebe_scaling=(bench scaling --cases tri-p1-20 --backend "$backend" --repetitions 1 --set solver.method=ebe-j-pcg --set solver.preconditioner=jacobi)
start 2 "${ebe_scaling[@]}" --strategies ebe-stored
say 0 "solution .* iterations"
start 2 "${ebe_scaling[@]}"
say 1 "ebe-j-pcg works on stored element matrices, but assembly.strategy is 'row-gather'"
start 2 "${ebe_scaling[@]}" --strategies ebe-stored --set execution.reproducible=true
say 1 "solver.method: ebe-j-pcg with execution.reproducible: true runs with one process"
start 2 bench scaling --cases dg-tri-p1-6 --backend "$backend" --strategies reference
say 1 "The strategy reference runs with one process"
start 2 bench solve --cases tri-p1-20 --backend "$backend"
say 1 "bench solve is for one process; bench dg and bench scaling run with several"
if [ "$backend" = openmp ]; then # the program starts its processes itself
  timeout 200 "$program" bench scaling --cases tet-p1-4 --case "$inputs/dg-poisson/dg-poisson.yaml" --backend openmp --repetitions 1 \
    --processes 2 --set solver.relative_tolerance=1e-6 >log 2>&1
  code=$?
  [ $code = 0 ] && [ "$(grep -c "^Strong scaling" log)" = 2 ] && [ "$(grep -c "^Weak scaling" log)" = 2 ] || fail "exit code $code: bench scaling"
  for what in "assembly, refill  *2 x 1" "solution  *1 x 2" "halo exchange  *2 x 1" "PCG iteration  *1 x 1"; do
    grep -q "^ *$what" log || fail "bench scaling lacks: $what"
  done
  ! grep -q "not measured: " log || fail "bench scaling could not measure all"
  timeout 100 "$program" bench scaling --cases tri-p3-4 >log 2>&1
  code=$?
  say 1 "'tri-p3-4' is no mesh of it"
fi

timeout 100 "$program" run "$inputs/dg-3d/dg-3d.yaml" "${small[@]}" --processes 3 >log 2>&1
code=$?
say 0 "GMRES: converged in"
grep -q "^  number: 3$" small/report.yaml || fail "--processes 3 did not start 3"
# Ctrl-C and SIGTERM end a run that has started its processes with their exit codes, and all of the processes.
# signal_after_start SIGNAL FOLDER OPTIONS...: sends a signal to what `timeout OPTIONS...` runs, while it makes the time steps in the folder.
signal_after_start() {
  local signal=$1 output=$2 child
  shift 2
  timeout --preserve-status "$@" >log 2>&1 &
  child=$!
  for _ in $(seq 100); do
    [ ! -e "$output/.tessera-lock" ] || break
    sleep 0.2
  done
  sleep 1
  kill -s "$signal" $child # timeout forwards it
  wait $child
  code=$?
}
steps=(run "$inputs/dg-parabolic/dg-parabolic.yaml" --quiet --set "mesh.box.cells=[2, 2]" --set mesh.agglomerate= --set discretization.order=1
  --set problem.time.steps=1000000 --set "output.fields=[]" --backend "$backend")
for signal in INT TERM; do
  signal_after_start $signal stopped 60 "$program" "${steps[@]}" --processes 2 --output "$folder/stopped"
  [ $code = $((128 + $(kill -l $signal))) ] || fail "SIG$signal ended --processes 2 with exit code $code"
  ! pgrep -f "$folder" >/dev/null || fail "SIG$signal left processes"
  left=$(find "$folder/stopped" -name '*.part' -o -name .tessera-lock)
  [ -z "$left" ] || fail "SIG$signal left $left"
done
# Only the error itself is printed, by the first process: neither the processes that it ends nor the launcher print anything.
timeout 100 "$program" run "$inputs/mms-2d/mms-2d.yaml" --processes 3 --quiet --set "mesh.box.cells=[1,1]" >log 2>&1
code=$?
say 1 "^tessera: error: "
[ "$(grep -c . log)" = 1 ] || fail "not one line for one error"
tr '\n' ' ' <small/report.yaml | grep -q "assembly: numeric[^}]*slowest: [^}]*mean: [^}]*largest_peak_bytes: " ||
  fail "the report does not tell the slowest process"
if [ $((64 * $(getconf _NPROCESSORS_ONLN))) -lt 4096 ]; then # otherwise they would start
  timeout 20 "$program" run "$inputs/mms-2d/mms-2d.yaml" --set "mesh.box.cells=[100, 100]" --processes 4096 >log 2>&1
  code=$?
  say 1 "^tessera: error: --processes: 4096 are more than 64 for each of this machine's"
fi
start 2 run "$inputs/dg-3d/dg-3d.yaml" "${small[@]}" --processes 3
say 1 "processes: 3 are asked for, but a launcher has started 2"
PATH=/nowhere "$program" run "$inputs/dg-3d/dg-3d.yaml" "${small[@]}" --gpus 2 >log 2>&1
code=$?
say 3 "cannot start mpirun"
start 2 run "$inputs/dg-3d/dg-3d.yaml" "${small[@]}" --set execution.memory_limit=1e-6
say 3 "of each of 2 processes"

# One signal to the launcher ends all processes between two time steps.
signal_after_start INT endless --foreground 60 "$mpirun" -np 2 "$program" "${steps[@]}" --output endless
for _ in $(seq 50); do # the launcher may end before them
  pgrep -f "$folder" >/dev/null || break
  sleep 0.2
done
! pgrep -f "$folder" >/dev/null || fail "processes are left"
left=$(find . -name '*.part')
[ -z "$left" ] || fail "SIGINT left $left"
wait $of_launchers || exit 1
all_passed processes
