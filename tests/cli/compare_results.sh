#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# compare_results.sh PROGRAM CASE: compares the results of two runs and checks the reported differences. CASE is a
# capacitor with the boundaries left and right.
set -u
program=$(realpath "$1") case=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$here/expect.sh"
run() { # run DIR ARGUMENTS...
  local out=$1
  shift
  timeout 60 "$program" run "$case" --quiet --output "$out" "$@" >log 2>&1 || fail "run into $out"
}

run a --set "output.quantities=[energy, charge]"
run b --set "output.quantities=[energy, charge]" --set title=other
expect 0 "inputs *the same but for title, output and verification" compare a b
expect 0 "They agree: .*, tolerance 1e-06" compare a b
expect 0 "^They agree: no number by anything, tolerance 0" compare a a --tolerance 0
[ "$("$program" compare a b --quiet)" = "" ] || fail "--quiet prints something"

# A quantity, and a field if no quantity differs.
run c --set "output.quantities=[energy, charge]" --set problem.boundaries.left.potential=10.001
expect 2 "They DIFFER: energy by 0.00033, tolerance 1e-06" compare a c
grep -q "problem.boundaries.left.potential (10; 10.001)" log || fail "the changed key is not told"
expect 0 "They agree" compare a c --tolerance 1e-3
run d --set output.quantities=[] --set output.fields=[potential]
run e --set output.quantities=[] --set output.fields=[potential] --set problem.boundaries.left.potential=10.001
expect 2 "They DIFFER: the field potential by 0.0001, tolerance 1e-06" compare d e
grep -q "potential \[V\], nodes *10.001 *0.0001 *(0, 0, 0)" log || fail "the node of the largest difference is not told"
expect 0 "They agree" compare d e --tolerance 1.1e-4

# Results that only one run has, different meshes, and nothing to compare.
run l --set "output.quantities=[energy]"
expect 2 "They DIFFER: charge.left is only in one of them" compare a l
run f --set "output.quantities=[energy, charge]" --set mesh.refine=1
expect 0 "Fields are not compared: their meshes differ: [0-9]* nodes in the first, [0-9]* in the second" compare a f --tolerance 0.5
run g --set output.quantities=[] --set mesh.refine=1
expect 1 "there is nothing to compare" compare d g
run h --set output.quantities=[] --set "mesh.box.upper=[2.5, 1]"
expect 1 "nodes lie at different positions, up to 0.5 m apart" compare d h
cp -r d nowhere-node
perl -0777 -pi -e '$n = pack("d<3", 2, 1, 0); $at = index($_, $n); die if $at < 0; substr($_, $at, 8) = pack("d<", "nan")' nowhere-node/fields.vtkhdf
for pair in "d nowhere-node" "nowhere-node d"; do
  # shellcheck disable=SC2086
  expect 1 "nowhere-node/fields.vtkhdf is damaged: the coordinates of a node are not finite" compare $pair
done
# Cells that are agglomerated to different polygons.
for n in 6 8; do
  run dg$n --set "discretization={method: dg, order: 1}" --set mesh.agglomerate.elements=$n --set output.quantities=[] --set "output.fields=[potential]" \
    --set output.probes=
done
expect 2 "They DIFFER: cells are joined to other elements in each" compare dg6 dg8 --tolerance 10
expect 0 "They agree" compare dg6 dg6
run i --set "output.quantities=[energy, charge]" --set output.fields=[]
expect 2 "They DIFFER: fields.vtkhdf is only in the first" compare a i
run j --set output.quantities=[] --set "output.fields=[potential, electric_field]"
expect 2 "Only one: the field electric_field is only in the second" compare d j

# Values that are zero up to rounding do not count relative to the largest of the same unit; others do, however small.
hand_made() { # hand_made DIR VALUE_OF_B
  mkdir "$1"
  printf 'run_id: "r1"\nquantities:\n  force.a: {value: 5, unit: N}\n  force.b: {value: %s, unit: N}\n' "$2" >"$1/report.yaml"
  printf '# run r1\nproblem: {physics: electrostatics}\n' >"$1/resolved.yaml"
}
hand_made n1 1.0e-12
hand_made n2 -3.0e-12
expect 0 "force.b \[N\] *1e-12 *-3e-12 *8e-10" compare n1 n2
hand_made n3 1.0e-2
hand_made n4 1.001e-2
expect 2 "They DIFFER: force.b by 0.001, tolerance 1e-06" compare n3 n4
hand_made n5 .nan
expect 2 "They DIFFER: force.b is only in one of them, or is not a number" compare n3 n5

# A list instead of a map, as if two lines of the report had been swapped.
cp -r a listed
sed -i 's/^quantities:.*/quantities: [1]\nq:/' listed/report.yaml
commands=("compare a listed" "compare listed a")
! "$program" info | grep -q "Cairo *yes" || commands+=("report listed")
for command in "${commands[@]}"; do
  # shellcheck disable=SC2086
  expect 1 "listed/report.yaml:[0-9]*: quantities: expected a map of keys and values, found a list: the file is damaged" $command
done

# Runs that did not converge, and sweeps, point by point.
"$program" run "$case" --quiet --output k --set solver.max_iterations=1 --set "output.quantities=[energy, charge]" >log 2>&1
expect 2 "note: the second did not converge" compare a k
vary='sweep.vary=[{problem.boundaries.left.potential: [1, 2]}]'
run s --set "output.quantities=[energy]" --set "$vary"
run t --set "output.quantities=[energy]" --set "$vary" --set problem.materials.domain.relative_permittivity=1.001
expect 0 "point 2: energy" compare s s
expect 2 "They DIFFER: point [12]: energy by 0.67, tol" compare s t
run u --set "output.quantities=[energy]" --set 'sweep.vary=[{problem.boundaries.left.potential: [1, 3]}]'
expect 2 "Only one: point 2 has different values in each" compare s u
expect 1 "s is the output of a sweep, a that of a run" compare a s
run v --set "output.quantities=[energy]" --set 'sweep.vary=[{problem.boundaries.left.potential: [1]}]'
expect 2 "They DIFFER: point 2 is only in the first" compare s v
expect 2 "They DIFFER: point 2 is only in the second" compare v s
"$program" run "$case" --quiet --output w --set "output.quantities=[energy]" --set "$vary" --set solver.max_iterations=1 >log 2>&1
expect 0 "note: point 2 is done in neither (the first: .*not converged in 1 iterations.*; the second: " compare w w
cp -r s damaged
sed -i '3s/,\([0-9.]*e-[0-9]*\),/,\1x,/' damaged/sweep.csv
expect 2 "They DIFFER: point 2: energy is only in one of them, or is not a number" compare s damaged
for tolerance in -1 none inf; do
  expect 1 "--tolerance: expected a number of 0 or more, found '$tolerance'" compare a b --tolerance $tolerance
done

expect 1 "nowhere/report.yaml does not exist; pictures, reports and comparisons are made of the output directory" compare a nowhere
expect 1 "a is a directory; give a case (YAML), or the output directories of two runs" compare a
expect 1 "are for the runs of one case" compare a b --strategies all
expect 1 "--tolerance is for the results in two directories" compare "$case" --tolerance 0.1
