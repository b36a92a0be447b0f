#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# output_files.sh PROGRAM CASE CHECK: one of the functions check_* below.
set -u
program=$1 case=$2
folder=$(mktemp -d)
out=$folder/out
child=
trap '[ -n "$child" ] && kill -9 "$child" 2>/dev/null; rm -rf "$folder"' EXIT
# Much output after little work.
large=(--set "mesh.box.cells=[250, 250]" --set solver.relative_tolerance=1.0e-3)
mkfifo "$folder/never" # reading from it waits without an extra process

fail() {
  echo "FAILED: $*"
  cat "$folder"/log "$folder"/first 2>/dev/null
  exit 1
}

# expect CODE COMMAND...: runs the command with its output in $folder/log.
expect() {
  local expected=$1 code
  shift
  "$@" >"$folder/log" 2>&1
  code=$?
  [ $code = "$expected" ] || fail "exit code $code instead of $expected: $*"
}

says() { grep -qE -- "$1" "$folder/log" || fail "the text does not hold: $1"; }

# Starts a large run in the background. Bash lets it ignore Ctrl-C.
start() {
  "$program" run "$case" --output "$out" "${large[@]}" "$@" >"$folder/first" 2>&1 &
  child=$!
}

await() {
  until compgen -G "$1" >/dev/null; do
    kill -0 "$child" 2>/dev/null || return 1
    read -rt 0.002 <>"$folder/never"
  done
  return 0
}

# The lock names its holder once signals remove it, too.
await_lock() {
  await "$out/.tessera-lock" || return 1
  until [ -s "$out/.tessera-lock" ]; do
    kill -0 "$child" 2>/dev/null || return 1
  done
}

# ended CODE|CODE: checks the exit code of the run in the background.
ended() {
  local code
  wait "$child"
  code=$?
  child=
  [[ "|$1|" == *"|$code|"* ]] || {
    cat "$folder/first"
    fail "exit code $code instead of $1"
  }
}

no_temporaries() {
  local left
  left=$(find "$folder" -name '*.part' -o -name .tessera-lock)
  [ -z "$left" ] || fail "left: $left"
}

# Each file listed in the report has the size and the checksum given there.
check_report() {
  local name bytes sum
  grep -qE '^run_id: "?[0-9a-f-]{36}"?$' "$out/report.yaml" || fail "no run_id in the report"
  sed -nE '/^files:/,/^[^ f]/s/^  ([^:]+): \{bytes: ([0-9]+)(, cksum: ([0-9]+))?\}$/\1 \2 \4/p' "$out/report.yaml" >"$folder/files"
  [ -s "$folder/files" ] || fail "the report lists no files"
  while read -r name bytes sum; do
    [ "$(stat -c %s "$out/$name")" = "$bytes" ] || fail "$name has not the $bytes bytes of the report"
    [ -z "$sum" ] || [ "$(cksum <"$out/$name" | cut -d ' ' -f 1)" = "$sum" ] || fail "$name has not the checksum of the report"
  done <"$folder/files"
}

check_two_runs() {
  start
  await_lock || fail "the first run took no lock"
  expect 1 "$program" run "$case" --output "$out"
  says "Another run writes into the output directory '$out'"
  expect 1 "$program" compare "$case" --output "$out" --strategies atomic,row-gather
  says "Another run writes"
  ended 0
  check_report
  # A killed run holds no lock.
  start
  await_lock || fail "the second run took no lock"
  kill -9 "$child"
  ended 137
  expect 0 "$program" run "$case" --output "$out"
  check_report
  no_temporaries
}

check_killed() {
  local file id n_hit=0
  local probe="output.probes={axis: {from: [0, 0.5], to: [1, 0.5], points: 20000}}"
  local reference
  expect 0 "$program" run "$case" --output "$out" "${large[@]}" --set "$probe"
  reference=$(stat -c '%n %s' "$out/fields.vtkhdf" "$out/axis.csv" "$out/resolved.yaml")
  for file in fields.vtkhdf axis.csv resolved.yaml report.yaml; do
    rm -rf "$out"
    start --set "$probe"
    await "$out/.$file.*.part" && n_hit=$((n_hit + 1))
    kill -9 "$child"
    ended "137|0"
    # Files with their final names are complete.
    for name in fields.vtkhdf axis.csv resolved.yaml; do
      [ ! -e "$out/$name" ] || grep -qF "$(stat -c '%n %s' "$out/$name")" <<<"$reference" || fail "killed in $file: $name is not whole"
    done
    [ ! -e "$out/report.yaml" ] || check_report
    expect 0 "$program" run "$case" --output "$out" "${large[@]}" --set "$probe"
    check_report
    no_temporaries
  done
  [ $n_hit -gt 0 ] || fail "no run was killed while it wrote"
  # A run that is killed while it replaces another run's files leaves no report next to them.
  start --set "$probe"
  await "$out/.axis.csv.*.part" || await "$out/.resolved.yaml.*.part" || fail "no run was killed while it wrote"
  kill -9 "$child"
  ended 137
  [ ! -e "$out/report.yaml" ] || fail "the report of the earlier run stands beside the files of the later one"
}

check_run_id() {
  local id
  expect 0 "$program" run "$case" --output "$out" --set "output.probes={old: {points: [[0.5, 0.5]]}, axis: {points: [[0.5, 0.5]]}}"
  check_report
  expect 0 "$program" run "$case" --output "$out" --set "output.probes={axis: {points: [[0.5, 0.5]]}}"
  says "note: The output directory holds files of an earlier run that this run does not write: old.csv"
  expect 0 "$program" run "$case" --output "$out" --set "output.probes={axis: {points: [[0.5, 0.5]]}}"
  says "note: .* earlier run .*: old.csv" # also from the run before that
  check_report
  id=$(sed -nE 's/^run_id: "?([0-9a-f-]+)"?$/\1/p' "$out/report.yaml")
  for name in fields.vtkhdf resolved.yaml; do
    grep -qaF "$id" "$out/$name" || fail "$name does not hold the run's number $id"
  done
  expect 0 "$program" run "$out/resolved.yaml" --output "$folder/again"
}

check_inputs() {
  local sum
  mkdir "$out"
  cp "$case" "$out/report.yaml"
  sum=$(cksum "$out/report.yaml")
  for option in "" --dry-run; do
    expect 1 "$program" run "$out/report.yaml" --output "$out" $option
    says "output.directory: '$out/report.yaml' would be overwritten, but it is the input file itself"
  done
  ln "$out/report.yaml" "$folder/link.vtkhdf"
  expect 1 "$program" mesh "$out/report.yaml" -o "$out/../link.vtkhdf"
  says "-o: .*link.vtkhdf' would be overwritten, but it is the input file itself"
  [ "$sum" = "$(cksum "$out/report.yaml")" ] || fail "the input was overwritten"
  expect 0 "$program" mesh "$case" -o "$folder/mesh.vtkhdf"
  expect 1 "$program" mesh "$case" --set mesh.box= --set mesh.file="$folder/mesh.vtkhdf" -o "$folder/mesh.vtkhdf"
  says "would be overwritten, but it is mesh.file"
  rm -rf "$out" && mkdir "$out" && mkfifo "$out/fields.vtkhdf"
  expect 1 timeout 20 "$program" run "$case" --output "$out"
  says "fields.vtkhdf' is no regular file"
  mkfifo "$folder/pipe.vtkhdf"
  expect 1 timeout 20 "$program" mesh "$case" -o "$folder/pipe.vtkhdf"
  says "no regular file"
  no_temporaries
}

check_limits() {
  (ulimit -f 100 && exec "$program" run "$case" --output "$out" "${large[@]}") >"$folder/log" 2>&1
  [ $? = 3 ] || fail "a file beyond the limit did not end with exit code 3"
  says "Cannot write .*$out/fields.vtkhdf.*File too large"
  [ ! -e "$out/fields.vtkhdf" ] || fail "fields.vtkhdf was left in part"
  (ulimit -f 100 && exec "$program" mesh "$case" -o "$folder/mesh.vtkhdf" "${large[@]}") >"$folder/log" 2>&1
  [ $? = 3 ] || fail "a mesh file beyond the limit did not end with exit code 3"
  says "$folder/mesh.vtkhdf.*File too large"
  no_temporaries
  expect 1 "$program" mesh "$case" -o "$folder/no/such/mesh.vtkhdf"
  says "Cannot write '$folder/no/such/mesh.vtkhdf': No such file"
  expect 1 "$program" run "$case" --output "$folder/$(printf 'n%.0s' {1..256})"
  says "cannot be made: File name too long"
  expect 1 "$program" run "$case" --output /proc/tessera
  says "'/proc/tessera' cannot be made"
  if [ "$(id -u)" != 0 ]; then
    mkdir -m 555 "$folder/readonly"
    expect 1 "$program" run "$case" --output "$folder/readonly"
    says "'$folder/readonly' is not writable: Permission denied"
  fi
  # The directory is removed during the run.
  start
  await_lock || fail "the run took no lock"
  rm -rf "$out"
  ended "1|3"
  grep -q "$out/.*No such file" "$folder/first" || fail "$(cat "$folder/first")"
}

check_signals() {
  local signal code
  for signal in TERM ALRM USR1 USR2 VTALRM PROF HUP; do
    start
    await_lock || fail "the run took no lock"
    kill -$signal "$child"
    ended $((128 + $(kill -l $signal)))
    [ $signal = HUP ] || grep -q "ended by SIG$signal" "$folder/first" || fail "SIG$signal is not told"
    no_temporaries
  done
  # In the background bash lets a program ignore SIGINT and SIGQUIT: they stay ignored.
  start
  await_lock || fail "the run took no lock"
  kill -INT "$child"
  kill -QUIT "$child"
  ended 0
  timeout --preserve-status --signal=QUIT 0.5 "$program" run "$case" --output "$out" --backend serial --set "mesh.box.cells=[1000, 1000]" --set solver.relative_tolerance=1e-12 >"$folder/log" 2>&1
  code=$?
  [ $code = 131 ] || fail "SIGQUIT ended with exit code $code"
  (ulimit -S -t 1 && exec "$program" run "$case" --output "$out" --backend serial --set "mesh.box.cells=[1000, 1000]" --set solver.relative_tolerance=1e-12) >"$folder/log" 2>&1
  code=$?
  [ $code = $((128 + $(kill -l XCPU))) ] || fail "the limit on processor time ended with exit code $code"
  says "limit on processor time"
  no_temporaries
}

check_streams() {
  if [ -e /dev/full ]; then
    for arguments in info --help "run $case --dry-run" "run $case --output $out"; do
      # shellcheck disable=SC2086
      "$program" $arguments >/dev/full 2>"$folder/log"
      [ $? = 3 ] || fail "$arguments: a full standard output did not end with exit code 3"
      says "Cannot write to standard output: No space left on device"
    done
    "$program" run "$case" --output "$out" --quiet >/dev/full 2>"$folder/log" || fail "a quiet run needs no standard output"
  fi
  rm -rf "$out"
  "$program" run "$case" --output "$out" >&- 2>"$folder/log"
  [ $? = 3 ] || fail "a closed standard output did not end with exit code 3"
  says "Cannot write to standard output"
  check_report
  head -n 1 "$out/report.yaml" | grep -q '^title:' || fail "the console's text went into report.yaml"
  "$program" run "$case" --output "$out" >/dev/null 2>&- <&- || fail "closed standard input and error output"
  check_report
  "$program" run "$case" --output "$out" "${large[@]}" 2>/dev/null | true
  [ "${PIPESTATUS[0]}" = $((128 + $(kill -l PIPE))) ] || fail "a broken pipe"
  no_temporaries
}

check_empty_options() {
  for option in --output --backend --strategy; do
    expect 1 "$program" run "$case" $option ""
    says "error: ?$option: the text must not be empty|^$option: the text must not be empty"
  done
}

"check_$3"
