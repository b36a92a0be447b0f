#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# sweeps.sh PROGRAM CASE: a sweep that was killed, or ended by Ctrl-C, continues and gives the same table as an uninterrupted one.
set -u
program=$1 case=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "$*"
  cat "$folder/log"
  exit 1
}
sweep=(--set "sweep={vary: [{mesh.scale: {from: 1, to: 12, points: 12}}]}" --set "mesh.box.cells=[120, 120]" --set execution.reproducible=true
  --set "output.probes=" --set "output.fields=[]")
run() { timeout --foreground --preserve-status "$@" "$program" run "$case" "${sweep[@]}" --output "$folder/out" >"$folder/log" 2>&1; }
# Without columns that may differ: iterations, seconds and what was reused.
table() { awk -F, '{for (i = 1; i <= NF; i++) if (i <= NF - 4 || i == NF) printf "%s,", $i; print ""}' "$1/sweep.csv"; }

"$program" run "$case" "${sweep[@]}" --output "$folder/whole" >"$folder/log" 2>&1 || fail "the sweep ended with exit code $?"
grep -q "12 of 12 points done" "$folder/log" || fail "the console does not tell the end"
grep -q "point 2 of 12: scale = 2: [0-9]* iterations, " "$folder/log" || fail "the console does not tell the points"

for signal in KILL INT; do
  rm -rf "$folder/out"
  time=0.1
  for _ in $(seq 24); do # a little longer each time, until some points are in the table, but not all
    run --signal=$signal "$time"
    ! grep -qs ',done,' "$folder/out/sweep.csv" || break
    time=$(awk "BEGIN {print 1.3 * $time}")
  done
  grep -q ',done,' "$folder/out/sweep.csv" || fail "no point in the table after SIG$signal"
  [ "$(grep -c ',not run,' "$folder/out/sweep.csv")" -gt 0 ] || fail "the table does not tell what SIG$signal kept from running"
  [ ! -e "$folder/out/report.yaml" ] || fail "a report of a sweep that has not ended"
  run 100 || fail "the continued sweep ended with exit code $?"
  [ "$(table "$folder/out")" = "$(table "$folder/whole")" ] || fail "the table after SIG$signal is another one: $(table "$folder/out")"
  left=$(find "$folder" -name '*.part')
  [ -z "$left" ] || fail "SIG$signal left $left"
done

run 100 || fail "the sweep without new points ended with exit code $?"
grep -q "12 points are in the table of an earlier run" "$folder/log" || fail "points are run again"
