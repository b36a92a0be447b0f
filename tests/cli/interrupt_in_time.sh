#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# interrupt_in_time.sh PROGRAM CASE: ends a run between its time steps; its finished steps must be there and complete.
set -u
program=$1 case=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
out=$folder/out
fail() {
  echo "$*"
  cat "$folder/log"
  exit 1
}
run() { # run SIGNAL SECONDS
  # In the background bash lets a program ignore Ctrl-C; timeout sends it to a program in the foreground. Without
  # --foreground it sends the signal twice, to the program and to its group, and a second one ends at once.
  timeout --foreground --preserve-status --signal="$1" "$2" "$program" run "$case" --output "$out" --quiet --backend serial \
    --set "mesh.box.cells=[2, 2]" --set mesh.agglomerate= --set discretization.order=1 --set problem.time.steps=1000000 \
    --set output.every=10 --set "output.quantities=[mean, total_flux]" --set "output.fields=[value]" >"$folder/log" 2>&1
  code=$?
  left=$(find "$folder" -name '*.part')
  [ -z "$left" ] || fail "SIG$1 left $left"
}
for signal in INT TERM; do
  for seconds in 0.3 0.8 2 6 15; do # the first may come before the first time step
    rm -rf "$out"
    run $signal $seconds
    [ $code = $((128 + $(kill -l $signal))) ] || fail "SIG$signal after $seconds s: exit code $code"
    [ ! -e "$out/report.yaml" ] || break
  done
  [ -e "$out/report.yaml" ] || fail "no report after SIG$signal"
  steps=$(sed -n "s/^interrupted: {signal: SIG$signal, after_step: \([0-9]*\), of: 1000000}$/\1/p" "$out/report.yaml")
  [ "$steps" -ge 1 ] || fail "the report does not tell SIG$signal: $(grep interrupted "$out/report.yaml")"
  n_steps=$(grep -c 'relative_residual: .*assembled:' "$out/report.yaml")
  [ "$n_steps" = "$steps" ] || fail "the report has $n_steps time steps instead of $steps"
  rows=$(($(wc -l <"$out/quantities.csv") - 1))
  [ $rows = $(((steps + 9) / 10)) ] || fail "quantities.csv has $rows rows after $steps steps"
  [ -e "$out/fields.vtkhdf" ] && [ -e "$out/centre.csv" ] || fail "fields or probes are missing"
  grep -q "ends after this time step" "$folder/log" || fail "nobody told that the run ends"
done
