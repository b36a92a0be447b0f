#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# bench.sh PROGRAM CASE CAIRO: the benchmark writes its tables as CSV, and with CAIRO=ON charts, which `plot` draws again.
set -u
program=$1 case=$2 cairo=$3
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMP_NUM_THREADS=1
. "$here/expect.sh"
small=(--case "$case" --set "mesh.box.cells=[6, 6]" --backend serial --repetitions 1)

expect 0 'plates+1: 288 elements.*' bench assembly "${small[@]}" --refine 0..1 --strategies a-coo,ebe-stored --colorings ofcm,node-claims --output out/new
for text in 'ebe-stored by node-claims numeric' '^mesh, numbering and form: [0-9.]* B/element' '  a_coo_insert' '  a_coo_to_crs'; do
  grep -q -- "$text" log || fail "the console lacks $text"
done
head -1 out/new/assembly.csv | grep -q '^case,problem,method,part,elements \[1\],nodes \[1\],unknowns \[1\],median \[s\],.*memory per element \[B\].*,note$' ||
  fail "the header of assembly.csv: $(head -1 out/new/assembly.csv)"
for row in 'plates+0,plates,a-coo,numeric,72,' 'plates+1,plates,"\?ebe-stored by ofcm"\?,numeric,288,' 'plates+1,plates,a-coo,a_coo_consolidate,288,'; do
  [ "$(grep -c "^$row" out/new/assembly.csv)" = 1 ] || fail "assembly.csv has not one row $row"
done
for text in "^command: .*bench assembly .*--output out/new" '^backend: serial' '^device: ' '^commit: ' '^kokkos: ' 'file: assembly.csv, over: elements'; do
  grep -q -- "$text" out/new/bench.yaml || fail "bench.yaml lacks $text"
done
if [ "$cairo" = ON ]; then
  chart=out/new/assembly-numeric-time.png
  [ "$(head -c 4 $chart | tail -c 3)" = PNG ] || fail "$chart is no PNG"
  rm out/new/*.png
  expect 0 "^$chart" plot out/new
  [ -s $chart ] || fail "plot did not draw $chart"
  expect 0 'one.svg' plot out/new --show assembly-numeric-memory -o one.svg
  grep -q '<svg' one.svg || fail "one.svg is no SVG"
  expect 1 "unknown chart 'memory'; allowed: assembly-symbolic-time," plot out/new --show memory
  sed -i 's/^case/cases/' out/new/assembly.csv
  expect 1 'assembly.csv is no table of the benchmark' plot out/new
fi

# Every kind of table.
expect 0 '' bench coloring "${small[@]}" --output colours
[ -s colours/coloring.csv ] && [ -s colours/assembly-and-solve.csv ] || fail "bench coloring wrote $(ls colours)"
for what in operator estimate; do
  expect 0 '' bench $what --cases tri-p1-4,tri-p1-8 --backend serial --repetitions 1 --output $what
  [ -s $what/$what.csv ] || fail "bench $what wrote $(ls $what)"
done
expect 0 'row-gather, jacobi: total' bench methods "${small[@]}" --strategies row-gather --output methods
grep -q ',"row-gather, jacobi",total,72,' methods/assembly-and-solve.csv || fail "no total in assembly-and-solve.csv"
expect 0 '' bench scaling --cases tri-p1-4 --processes 1 --backend serial --repetitions 1 --output scaling
grep -q '^tri-p1-4,tri-p1-4,processes,product,1 x 1,1,1,' scaling/strong-scaling.csv || fail "strong-scaling.csv: $(cat scaling/strong-scaling.csv)"

# Problems at frequencies: phases of runs, and one, two or four frequencies by themselves.
cylinder=$here/../../inputs/cylinder-in-axial-field/cylinder-in-axial-field.yaml
at_frequencies=(--case "$cylinder" --set "mesh.box.cells=[20, 4]" --set verification= --backend serial --repetitions 1)
expect 0 'frequencies, cylinder-in-axial-field: 160 elements' bench solve "${at_frequencies[@]}" --output frequencies
for row in 'run, assembly: symbolic' 'run, solver: set-up' 'run, solver: cocg' 'run, solver in all .* 1 frequencies, [0-9]* iterations in all' \
  'run, until the solution .* kernels of ' '1 frequency, change of frequency' '1 frequency, iteration .*%' '1 frequency, to 1e-10 .* [0-9]* iterations' \
  '1 frequency, with set-up'; do
  grep -q "$row" log || fail "bench solve at a frequency lacks $row"
done
grep -q '^cylinder-in-axial-field,cylinder-in-axial-field,"\?1 frequency"\?,iteration,160,' frequencies/frequencies.csv ||
  fail "frequencies.csv: $(cat frequencies/frequencies.csv)"
expect 0 '4 frequencies, iteration' bench solve "${at_frequencies[@]}" --set "problem.frequency=[50, 100, 200, 400, 800]" --iterations-only
grep -q 'run, \|4 frequencies, to' log && fail "bench solve --iterations-only makes solutions"
expect 0 'run, solver: reduced model' bench solve "${at_frequencies[@]}" --set "problem.frequency=[50, 100]" \
  --set "problem.sweep={method: reduced, from: 50, to: 100}"
grep -q '2 frequencies, to 1e-10 .* iterations$' log || fail "no solution at two frequencies"
cat >lossy.yaml <<'END'
tessera: 1
mesh: {box: {cells: [6, 6]}, dimension: 2}
problem:
  physics: electro-quasistatics
  frequency: 50
  materials: {domain: {relative_permittivity: 2, conductivity: 1.0e-9}}
  boundaries: {left: {potential: 0}, right: {potential: 1}}
END
expect 0 '1 frequency, iteration' bench solve --case lossy.yaml --backend serial --repetitions 1
expect 1 "problem.physics: 'bench' does not support eddy-currents in this version" bench assembly "${at_frequencies[@]}"
expect 1 "eddy-currents by the case's strategy, --set assembly.strategy=NAME, and multigrid" bench solve "${at_frequencies[@]}" --strategies a-coo
expect 1 'bench solve measures problems whose matrices serve all frequencies' bench solve "${at_frequencies[@]}" \
  --set problem.materials.domain.lag_angle=15

# Directories and ranges that cannot be.
touch file
expect 1 "bench --output: cannot create the directory 'file/below'" bench assembly "${small[@]}" --output file/below
mkdir run && touch run/report.yaml
expect 1 "bench --output: 'run' has the results of a run" bench assembly "${small[@]}" --output run
expect 1 "expected a number from 0 to 12, or two such as 0..5, found '5..0'" bench assembly "${small[@]}" --refine 5..0
expect 1 "expected a number from 0 to 12, or two such as 0..5, found '1.5'" bench assembly "${small[@]}" --refine 1.5
expect 1 "unknown colouring of --colorings 'offcm'; did you mean 'ofcm'" bench assembly "${small[@]}" --colorings offcm
[ -z "$(find . -name '*.part')" ] || fail "temporary files are left"
