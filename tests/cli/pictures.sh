#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# pictures.sh PROGRAM INPUTS: runs write reports with pictures, commands draw pictures of finished runs, and failures are reported.
set -u
program=$1 inputs=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMP_NUM_THREADS=1
. "$here/expect.sh"
box=("$inputs/mms-2d/mms-2d.yaml" --quiet --output out)

# A run with a report: listed with its size and checksum, and written by this run.
expect 0 '' run "${box[@]}" --set output.report=true
grep -q '^  report.html: {bytes: [0-9]*, cksum: [0-9]*}' out/report.yaml || fail "report.yaml does not list report.html"
[ "$(stat -c %s out/report.html)" -lt 1000000 ] || fail "report.html is larger than 1 MB"
grep -q "$(sed -n 's/^run_id: *//p' out/report.yaml | tr -d '"')" out/report.html || fail "report.html has another run's number"
grep -q 'Errors against exact values' out/report.html || fail "report.html has no errors"
for field in value gradient; do
  grep -q "alt=\"The field $field\"" out/report.html || fail "report.html has no picture of $field"
done

# Recovered fields are drawn unchanged, in 2D and 3D.
for case in "mms-3d 3,3,3" "mms-2d 4,4"; do
  expect 0 '' run "$inputs/${case% *}/${case% *}.yaml" --output sides --quiet --set "mesh.box.cells=[${case#* }]" \
    --set output.recovered=true --set output.fields=
  for field in value gradient flux mesh; do
    expect 0 "$field.svg" plot sides --show $field -o $field.svg
  done
done
expect 1 "unknown field 'node'" plot sides --show node

# Pictures of that run.
expect 0 'out/value.png' plot out
[ "$(head -c 4 out/value.png | tail -c 3)" = PNG ] || fail "value.png is no PNG"
expect 0 'g.svg' plot out --show gradient --lines 0 --mesh -o g.svg
grep -q '<svg' g.svg || fail "g.svg is no SVG"
expect 1 "unknown field 'gradeint'; did you mean 'gradient'?" plot out --show gradeint
expect 0 '' run "$inputs/mms-2d/mms-2d.yaml" --quiet --output probed --set "output.probes={middle: {from: [0, 0.5], to: [1, 0.5], points: 3}}"
expect 1 "unknown field 'p'; allowed: mesh, .*, convergence, middle." plot probed --show p
expect 1 "does not end in .png, .svg or .pdf" plot out -o g.jpg
expect 1 'report.yaml does not exist; pictures, reports and comparisons are made of the output directory of a run that has ended, or of a sweep' plot .
expect 1 'nowhere' plot out -o nowhere/g.png
[ -z "$(ls -a | grep -i tmp)" ] || fail "temporary files are left"

# The next run without a report removes the old one, which would belong to another run; `report` writes a new one.
expect 0 "" run "${box[@]}" --set "output.fields=[value]"
[ ! -e out/report.html ] || fail "the report of the earlier run is still there"
expect 0 'out/report.html' report out
grep -q 'alt="The field value"' out/report.html || fail "report: no picture"
! grep -q 'alt="The field gradient"' out/report.html || fail "report: a field that the run did not write"

# Fields of another run.
cp out/fields.vtkhdf theirs.vtkhdf
expect 0 "" run "${box[@]}" --set "output.fields=[value]"
cp theirs.vtkhdf out/fields.vtkhdf
expect 1 'fields.vtkhdf is from another run than the report.yaml next to it' plot out
expect 1 'fields.vtkhdf is from another run than the report.yaml next to it' report out

# If the report cannot be written, all other results are kept and the run fails.
export TESSERA_CAIRO=/nowhere/tessera-cairo.so
expect 1 'Cairo cannot be loaded: .*nowhere' run "${box[@]}" --set output.report=true
grep -q '^failures:' out/report.yaml || fail "report.yaml does not tell the failure"
grep -q 'report.html' out/report.yaml && fail "report.yaml lists a report that was not made"
[ -e out/fields.vtkhdf ] || fail "the fields are lost"
expect 1 'Cairo cannot be loaded' plot out
expect 1 'Cairo cannot be loaded' run "$inputs/mms-2d/mms-2d.yaml" --output plain --set output.report=true --set "sweep={vary: [{mesh.scale: [1, 2]}]}"
grep -q '^failures:' plain/report.yaml && grep -q ',done,' plain/sweep.csv || fail "a sweep without its report is lost, or does not tell it"
unset TESSERA_CAIRO

# A sweep: one page for all points; failed points and those not reached are reported.
sweep=("$inputs/mms-2d/mms-2d.yaml" --output sweep --quiet --set output.report=true --set verification= --set "output.quantities=[energy]" --set
  solver.preconditioner=jacobi)
expect 2 '' run "${sweep[@]}" --set "sweep={vary: [{mesh.refine: [0, 1]}, {solver.max_iterations: [1, 500]}]}"
for text in '2 of 4 points are done, 2 failed, in' '<li>point 1 (refine = 0, max_iterations = 1): .*not converged' 'alt="The quantity energy"' \
  'title="solver.max_iterations"' '<td class="bad">failed</td>' '<tr><th>mesh</th><td class="number">2</td>' 'sweep:$'; do
  grep -q "$text" sweep/report.html || fail "the sweep's report.html does not have '$text'"
done
grep -q '^  report.html: {bytes: [0-9]*, cksum: [0-9]*}' sweep/report.yaml || fail "the sweep's report.yaml does not list report.html"
[ "$(stat -c %s sweep/report.html)" -lt 1000000 ] || fail "the sweep's report.html is larger than 1 MB"
! grep -o 'http[^ "]*' sweep/report.html | grep -v '^http://www.w3.org/' || fail "the sweep's report.html names an address"
[ ! -e sweep/point-00001 ] || fail "points have directories without keep_outputs"
expect 0 'sweep/energy.png' plot sweep
rm sweep/report.* # as after a kill
sed -i 's/^\([34]\),\(.*\),\(done\|PCG[^"]*\|"[^"]*"\),.*/\1,\2,not run,,,,/' sweep/sweep.csv
expect 0 'sweep/report.html' report sweep/
grep -q '1 of 4 points are done, 1 failed, 2 did not run. The sweep was interrupted' sweep/report.html || fail "report of a sweep: what did not run"
rm sweep/resolved.yaml
expect 1 'sweep/resolved.yaml does not exist; pictures, reports and comparisons are made of the output directory of a run that has ended, or of a sweep' report sweep
echo a,b >sweep/sweep.csv
expect 1 'sweep/sweep.csv is no table of a sweep' report sweep
expect 1 './report.yaml does not exist; pictures, reports and comparisons are made of the output directory of a run that has ended, or of a sweep' report .
# The latest run in a directory is the one shown.
expect 0 '' run "$inputs/mms-2d/mms-2d.yaml" --output sweep --quiet
expect 0 'sweep/report.html' report sweep
grep -q 'Errors against exact values' sweep/report.html || fail "the report is not that of the later run"

# Three dimensions: a section, and cut open.
expect 0 '' run "$inputs/dg-3d/dg-3d.yaml" --set 'mesh.box.cells=[2,2,2]' --set mesh.agglomerate= --set verification= --output space --quiet \
  --set output.report=true
grep -q 'alt="The field value in space"' space/report.html || fail "no view in space"
expect 0 'cut.png' plot space --section x=0.3 --cut-open -o cut.png
expect 1 'The section x = 3 does not meet the mesh' plot space --section x=3
exit 0
