#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# parts.sh PROGRAM INPUTS MPIRUN [BACKEND]: processes with partitions of the mesh give the results of one process, need less
# memory, and refuse what they do not support.
set -u
program=$1 inputs=$2 mpirun=$3 backend=${4:-openmp}
. "$(dirname "$0")/several_processes.sh"
. "$here/parts_alike.sh"

cat >all.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [7, 6, 5], lower: [0, 0, 0], upper: [1, 0.8, 1.3]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 1 + x*y}}
  sources: {domain: {source: 3*x}}
  boundaries:
    left: {value: 1 + y}
    right: {robin: {coefficient: 2, reference: 0.5}}
    top: {flux: 0.3*z}
    back: {value: 0}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [energy, total_flux, regions]}
EOF
aggregates=(--set solver.preconditioner=multigrid --set solver.multigrid.type=algebraic --set solver.multigrid.replicated_size=1)
same_residuals "2 3 4" all.yaml
same_residuals "2 5" all.yaml --set discretization.order=2
# Fixed sides that meet share the inflow at their common edges, also if the facets of a node lie in several partitions.
same_residuals "2 3" all.yaml --set "problem.boundaries={left: {value: 0}, bottom: {value: 0}, back: {value: 0}, right: {value: y*z}}"
same_residuals "3" all.yaml --set "mesh.box.cells=[12,10,9]" "${aggregates[@]}"
same_residuals "3" all.yaml --set discretization.order=2 "${aggregates[@]}"
# Levels from coarser meshes: of boxes, of refined meshes, and of both, of order 1 below order 2, replicated and distributed, in both precisions.
nested=(--set solver.preconditioner=multigrid --set solver.multigrid.type=geometric --set solver.multigrid.replicated_size=1)
coarsened() { # coarsened N NUMBER CASE: N levels come from coarser meshes, with one process and with NUMBER
  [ "$(cat of-1/report.yaml "of-$2/report.yaml" | grep -c "coarsening: geometric")" = $((2 * $1)) ] || fail "not $1 levels from coarser meshes: $3"
}
same_residuals "2 3 5" all.yaml --set "mesh.box.cells=[16,12,8]" "${nested[@]}"
coarsened 2 5 "box"
same_residuals "3" all.yaml --set "mesh.box.cells=[16,12,8]" --set discretization.order=2 "${nested[@]}" --set solver.multigrid.precision=double
coarsened 3 3 "box of order 2"
same_residuals "3" all.yaml --set discretization.order=2 "${nested[@]}"
coarsened 1 3 "order 2 alone"
same_residuals "2" all.yaml --set "mesh.box.cells=[16,12,8]" --set solver.preconditioner=multigrid
coarsened 2 2 "whole in each process"
same_residuals "2 5" all.yaml --set "mesh.box.cells=[4,4,4]" --set mesh.refine=1 --set discretization.order=2 "${nested[@]}"
coarsened 3 5 "refined box"
cat >uniform.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [32, 24], lower: [0, 0], upper: [1.3, 1.7]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 2.3}}
  sources: {domain: {source: 3}}
  boundaries: {left: {value: 1 + y}, bottom: {value: 0}}
output: {fields: [], quantities: [energy]}
EOF
for order in 1 2; do # levels assembled from their elements, as with the whole mesh
  same_residuals "2 3 5" uniform.yaml "${nested[@]}" --set solver.multigrid.precision=double --set discretization.order=$order
  start 1 run uniform.yaml --quiet "${parts[@]}" --set execution.mesh=whole --output whole --set execution.reproducible=true "${nested[@]}" \
    --set solver.multigrid.precision=double --set discretization.order=$order
  cmp whole/convergence.csv of-5/convergence.csv >log || fail "five processes in parts have other residuals than the whole mesh, order $order"
done
same_residuals "3" uniform.yaml --set "mesh.box.cells=[8,6]" --set mesh.refine=2 "${nested[@]}" --set solver.method=multigrid
coarsened 2 3 "mesh that is refined twice"
square=$inputs/mms-2d/mms-2d.yaml
same_residuals "2 3 4" "$square" --set "output.quantities=[energy, regions]"
same_residuals "4" "$square" --set discretization.order=2 "${aggregates[@]}"
same_residuals "2" "$square" --set "mesh.groups={cold: [left, right]}" --set "problem.boundaries={cold: {value: 0}}"
# `compare` reports differences between fields in pieces and those of another run, in pieces or not, and different meshes.
in_parts() { # in_parts DIR NUMBER ARGUMENTS...
  local out=$1 number=$2
  shift 2
  start "$number" run "$square" --quiet "${parts[@]}" --output "$out" --set "output.fields=[value, gradient]" --set verification= "$@"
  [ $code = 0 ] || fail "$out: exit code $code"
}
compared() { # compared CODE TEXT DIR1 DIR2
  "$program" compare "$3" "$4" >log 2>&1
  [ $? = "$1" ] || fail "compare $3 $4: not the exit code $1"
  grep -q -- "$2" log || fail "compare $3 $4 does not tell: $2"
}
in_parts of-one 1 --set execution.mesh=whole
in_parts of-two 2
in_parts of-three 3
in_parts other 3 --set problem.boundaries.left.value=0.01
in_parts shifted 2 --set "mesh.box.upper=[1.5, 1]"
in_parts refined 2 --set mesh.refine=1
compared 0 "gradient, elements .* at\|They agree: .*field" of-one of-three
compared 0 "They agree" of-two of-three
compared 2 "value, nodes  *2.7[0-9]*  *0.0037  *(0, [0-9.]*, 0)" of-one other
compared 2 "They DIFFER: the field" of-two other
compared 1 "their meshes differ: the first has no element like that of the second at (" of-one shifted
compared 1 "their meshes differ: [0-9]* elements in the first, [0-9]* in the second" of-two refined

# Nodes, sides of elements, corners and edges of the box, and points outside all processes.
body=(--set "output.fields=[value, gradient, flux, material]" --set "output.quantities=[energy]"
  --set "output.probes={points: {points: [[0.5, 0.4, 0.6], [0.42857142857142855, 0.4, 0.52], [0, 0, 0], [1, 0.8, 1.3], [0.5, 0, 0.65], [2, 2, 2]]}}"
  --set "output.lines={along: {points: [[0, 0, 0], [0.7, 0.8, 1.3], [1, 0.1, 0]], samples: 50}}"
  --set "output.surfaces={hot: {groups: [left, top]}, cold: {groups: [back]}}")
plane=(--set "output.fields=[value, gradient, flux, material]" --set "output.quantities=[energy]"
  --set "output.probes={points: {points: [[0.5, 0.5], [0.53125, 0.46], [0, 1], [0.2, 0.7], [2, 2]]}}"
  --set "output.lines={across: {points: [[0, 0.3], [1, 0.7]], samples: 50}}" --set "output.surfaces={through: {groups: [top, bottom]}}")
same_output "2 3" all.yaml "${body[@]}"
same_output "3" all.yaml "${body[@]}" --set output.recovered=true
same_output "2" all.yaml "${body[@]}" --set discretization.order=2
same_output "3" all.yaml "${body[@]}" --set discretization.order=2 --set output.recovered=true --set output.probes.points.recovered=true
same_output "2 3" "$square" "${plane[@]}"
same_output "3" "$square" "${plane[@]}" --set discretization.order=2 --set output.recovered=true
"$pieces" of-1/fields.vtkhdf of-1/fields.vtkhdf 3 >log && fail "a file in one piece passes as one in three"
if has Cairo; then
  start 3 run "$square" --quiet --backend "$backend" --set execution.mesh=parts --output of-2 --set output.report=true
  [ $code = 0 ] && [ -s of-2/report.html ] || fail "a report of three pieces: exit code $code"
  start 1 plot of-2 --output picture.png
  [ $code = 0 ] && [ -s picture.png ] || fail "a picture of three pieces: exit code $code"
fi
start 2 run "$square" --quiet --backend "$backend" --set execution.mesh=parts --output line --set "output.lines={out: {points: [[0.5, 0.5], [0.5, 3]]}}"
say 1 "output.lines.out: .*m lie outside of the mesh"

# A file that cannot be completed is removed: here files are limited to a megabyte, as if the disk were full.
printf '#!/bin/bash\nulimit -f 1000\nexec "%s" "$@"\n' "$program" >limited
chmod +x limited
program=$folder/limited OMPI_MCA_btl=self,tcp start 3 run "$square" --quiet --backend "$backend" --set execution.mesh=parts --set "mesh.box.cells=[100,100]" --output limit
say 3 "Cannot write .*fields.vtkhdf"
[ -z "$(ls limit)" ] || fail "a file in pieces is left: $(ls limit)"

# Refined meshes, partitioned from a coarse one that all processes have: boxes, and geometries with curved boundaries and interfaces.
same_residuals "2 3" "$square" --set "mesh.box.cells=[9,7]" --set mesh.refine=2
same_residuals "4" all.yaml --set "mesh.box.cells=[3,3,2]" --set mesh.refine=1 --set discretization.order=2
same_output "3" "$square" "${plane[@]}" --set "mesh.box.cells=[10,8]" --set mesh.refine=1 --set output.recovered=true
if has Gmsh; then
  coax=$inputs/coax/coax.yaml
  same_residuals "2 3" "$coax" --set output.lines= --set output.surfaces= --set verification= --set "output.quantities=[charge, capacitance]"
  same_residuals "2" "$coax" --set output.lines= --set output.surfaces= --set verification= --set mesh.refine=2 "${aggregates[@]}"
  same_residuals "3" "$coax" --set output.lines= --set output.surfaces= --set verification= --set mesh.refine=2 "${nested[@]}"
  same_residuals "3" "$inputs/step-layers/step-layers.yaml" --set verification= --set discretization.order=2 --set "output.quantities=[energy, charge]"
  same_residuals "3" "$inputs/sphere-3d/sphere-3d.yaml" --set mesh.size_factor=3 --set mesh.refine=1 --set solver.preconditioner=jacobi --set verification= --set "output.quantities=[charge]"
fi

for strategy in atomic colored ebe-stored ebe-recomputed ebe-atomic; do
  start 3 run all.yaml --quiet "${parts[@]}" --output with --strategy $strategy
  [ $code = 0 ] || fail "$strategy: exit code $code"
  start 1 run all.yaml --quiet --backend "$backend" --output without
  agree without with 1e-9 >log || fail "$strategy has other results" # the solver's tolerance is 1e-10
done
# Matrix-free multigrid: the levels and iterations of one process with the whole mesh. (unit/driver compares bits, which
# depend on the colours of these strategies.)
without_matrix() { # without_matrix NUMBER STRATEGY CASE ARGUMENTS...
  local number=$1 strategy=$2 case=$3
  shift 3
  local multigrid=(--strategy "$strategy" --set solver.preconditioner=multigrid --set solver.multigrid.replicated_size=1 --set solver.relative_tolerance=1e-11)
  start "$number" run "$case" --quiet "${parts[@]}" --output with "${multigrid[@]}" "$@"
  [ $code = 0 ] || fail "$strategy of $number processes under multigrid: exit code $code"
  start 1 run "$case" --quiet "${parts[@]}" --set execution.mesh=whole --output without "${multigrid[@]}" "$@"
  agree without with 1e-8 >log || fail "$strategy: $case: $number processes have other results under multigrid"
  grep -q "matrix: none" with/report.yaml || fail "$strategy: $case: the finest level of $number processes has a matrix"
  cmp -s <(grep -E "coarsening:|^ *iterations:" without/report.yaml | sed 's/bytes: [0-9]*//') \
    <(grep -E "coarsening:|^ *iterations:" with/report.yaml | sed 's/bytes: [0-9]*//') || fail "$strategy: $case: $number processes have other levels or iterations"
}
without_matrix 3 ebe-atomic all.yaml --set "mesh.box.cells=[16,12,8]"
without_matrix 2 ebe-stored all.yaml --set "mesh.box.cells=[4,4,4]" --set mesh.refine=1
without_matrix 5 ebe-recomputed all.yaml --set discretization.order=2
without_matrix 3 ebe-atomic uniform.yaml
without_matrix 2 ebe-stored uniform.yaml --set "mesh.box.cells=[9,7]" --set mesh.refine=2 --set solver.method=multigrid
without_matrix 3 ebe-recomputed uniform.yaml --set discretization.order=2 --set "output.quantities=[energy, total_flux]"
without_matrix 2 ebe-atomic "$inputs/billion-triangles/billion-triangles.yaml" --set mesh.ordering=morton
start 2 run all.yaml "${parts[@]}" --output refused --strategy ebe-atomic --set solver.preconditioner=multigrid
say 1 "multigrid needs an assembled matrix, as there is no coarser mesh"
start 2 run "$square" "${parts[@]}" --output auto --set "mesh.box.cells=[128,128]" --set solver.preconditioner=auto
say 0 "^  preconditioner  *multigrid: 16 641 nodes"
grep -q "coarsened geometrically" log || fail "auto takes no levels from coarser meshes"
start 2 run "$square" --quiet "${parts[@]}" --output sweep --set verification= --set "output.quantities=[energy]" \
  --set "sweep={vary: [{problem.materials.domain.diffusivity: [1, 2]}]}"
[ $code = 0 ] && [ "$(wc -l <sweep/sweep.csv)" = 3 ] || fail "a sweep: exit code $code"

# No process has the whole mesh: the maximum memory of three is less, even if surrounding elements are a third of a partition.
peak() { # peak DIRECTORY: largest of the phases, then the estimate
  awk '{for (i = 1; i < NF; i++) {v = $(i + 1) + 0; if ($i == "estimated_peak_bytes:") e = v; if ($i == "largest_peak_bytes:" && v > peak) peak = v}}
    END {print peak, e}' "$1/report.yaml"
}
cat >sides.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [200, 200], lower: [0, 0], upper: [1, 1]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 1}}
  sources: {domain: {source: 3*x}}
  boundaries: {left: {periodic: right}, bottom: {value: 0}}
output: {fields: [], quantities: [energy]}
EOF
few_iterations=(--set verification= --set solver.relative_tolerance=1e-3) # the solution does not matter
for arguments in "$square --set mesh.box.cells=[200,200] --strategy row-gather" "$square --set mesh.box.cells=[200,200] --strategy ebe-atomic" \
  "$square --set mesh.box.cells=[200,200] --strategy ebe-atomic --set output.fields=[value,gradient] --set output.recovered=true" \
  "$square --set mesh.box.cells=[50,50] --set mesh.refine=2 --strategy row-gather" \
  "sides.yaml --strategy row-gather" "$inputs/mms-3d/mms-3d.yaml --set mesh.box.cells=[12,12,12] --set mesh.refine=1 --strategy row-gather" \
  "$inputs/mms-3d/mms-3d.yaml --set mesh.box.cells=[24,24,24] --strategy row-gather" \
  "$square --set mesh.box.cells=[200,200] --strategy row-gather --set solver.preconditioner=multigrid" \
  "$square --set mesh.box.cells=[200,200] --strategy ebe-atomic --set solver.preconditioner=multigrid" \
  "$square --set mesh.box.cells=[50,50] --set mesh.refine=2 --strategy ebe-atomic --set solver.preconditioner=multigrid" \
  "$inputs/mms-3d/mms-3d.yaml --set mesh.box.cells=[16,16,16] --set discretization.order=2 --strategy ebe-atomic --set solver.preconditioner=multigrid" \
  "$square --set mesh.box.cells=[50,50] --set mesh.refine=2 --strategy row-gather --set solver.preconditioner=multigrid" \
  "$inputs/mms-3d/mms-3d.yaml --set mesh.box.cells=[16,16,16] --set discretization.order=2 --strategy row-gather --set solver.preconditioner=multigrid" \
  "$inputs/mms-3d/mms-3d.yaml --set mesh.box.cells=[16,16,16] --set discretization.order=2 --strategy row-gather"; do
  for kind in parts whole; do
    # shellcheck disable=SC2086
    start 3 run --quiet "${parts[@]}" --set solver.preconditioner=jacobi $arguments "${few_iterations[@]}" --set execution.mesh=$kind --output $kind
    [ $code = 0 ] || fail "$arguments, $kind: exit code $code"
  done
  less=0.85
  case $arguments in *=multigrid*) less=1 ;; esac # its small levels are replicated either way
  echo "$(peak parts) $(peak whole)" >log
  awk -v less=$less '$1 == 0 || $1 > 1.05 * $2 || $1 < 0.3 * $2 || $1 > less * $3 {exit 1}' log || fail "$arguments: memory of parts, its estimate, and of the whole"
done

bare=(--set "output.fields=[]" --set output.probes=)
refused "mesh.ordering: none" "$square" "${bare[@]}" --set mesh.ordering=none

# Partitions of the unrefined mesh by METIS have other numbers of unknowns, and so other rounding errors.
if has METIS; then
  refused "execution.partition: metis of a box without mesh.refine" "$square" "${bare[@]}" --set execution.partition=metis
  refused "execution.partition: metis for discretization.method: dg" "$inputs/dg-poisson/dg-poisson.yaml" "${bare[@]}" --set mesh.agglomerate= \
    --set mesh.refine=1 --set execution.partition=metis
  by_metis() { # by_metis NUMBERS CASE ARGUMENTS...
    local numbers=$1 case=$2 n
    shift 2
    can_read "$case" || return 0
    start 1 run "$inputs/$case/$case.yaml" --quiet --backend "$backend" --output metis-1 "$@"
    [ $code = 0 ] || fail "$case: exit code $code"
    for n in $numbers; do
      start "$n" run "$inputs/$case/$case.yaml" --quiet --backend "$backend" --output "metis-$n" "$@" --set execution.mesh=parts --set execution.partition=metis
      [ $code = 0 ] || fail "$case by METIS with $n processes: exit code $code"
      agree metis-1 "metis-$n" 1e-6 >log || fail "$case by METIS: $n processes and one differ"
      grep -q "execution.partition: metis cuts [0-9]* of [0-9]* edges before refinement" "metis-$n/report.yaml" || fail "the cut of edges is not told"
      # Partitions grow around nodes before refinement; each must have at least two thirds of the mean number of elements.
      awk '$1 == "smallest_part:" {least = $2} $1 == "largest_part:" {most = $2} END {exit !(least > 0.6 * most)}' "metis-$n/report.yaml" ||
        fail "$case by METIS: parts of $n processes are uneven"
    done
  }
  distributed=(--set solver.preconditioner=multigrid --set solver.multigrid.replicated_size=1)
  by_metis "2 3" mms-2d --set "mesh.box.cells=[10,10]" --set mesh.refine=2 "${distributed[@]}" --strategy row-gather
  by_metis "5" mms-2d --set "mesh.box.cells=[10,10]" --set mesh.refine=2 "${distributed[@]}" --strategy ebe-atomic --set discretization.order=2
  by_metis "3" mms-3d --set "mesh.box.cells=[3,3,3]" --set mesh.refine=2 "${distributed[@]}"
  by_metis "3" floating-conductor --set "output.quantities=[capacitance]"
  by_metis "3" antiperiodic-pole --set mesh.refine=1
  by_metis "2" saturated-core
fi
start 5 run "$square" "${parts[@]}" --set "mesh.box.cells=[1,1]" --set discretization.order=2 --output refused
say 1 "The mesh has too few nodes for 5 processes"

# Only the first process fails to write a table, while the other one goes on to the sums of the errors: the run must end with the reason.
(
  for _ in $(seq 500); do
    [ ! -e unwritable/.tessera-lock ] || break
    sleep 0.02
  done
  mkdir unwritable/regions.csv # after the run has checked that it can write its tables, and before it writes them
) &
start 2 run all.yaml --quiet --backend "$backend" --output unwritable --set execution.mesh=parts --set "mesh.box.cells=[32,32,32]" --set "verification.exact=x"
wait
say 1 "Cannot write '.*unwritable/regions.csv': it is a folder"
[ ! -e unwritable/report.yaml ] || fail "a run that ended has a report"
start 4 run "$square" "${parts[@]}" --set "mesh.box.cells=[2,2]" --output refused
say 1 "execution.mesh: parts leaves process . without unknowns (of 3)"
start 1 run "$square" --set execution.mesh=some --output refused
say 1 "execution.mesh: unknown mesh 'some'"

start 2 bench scaling --cases tri-p1-20,tet-p2-3 --backend "$backend" --repetitions 1 --set execution.mesh=parts
say 0 "^tri-p1-20: 800 elements"
[ "$(grep -c "^ *solution" log)" = 2 ] || fail "bench scaling does not solve in parts"
all_passed parts
