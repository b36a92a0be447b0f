#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# readers.sh STEP PROGRAM CASE: runs one of the steps below in a temporary folder.
set -u
step=$1 program=$(realpath "$2") case=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tmp"
cd "$folder" || exit 1
export TMPDIR=$folder/tmp

fail() {
  echo "$1"
  exit 1
}

# expect CODE PART ARGUMENT...: runs the program; checks its exit code and that its output contains PART.
expect() {
  local wanted=$1 part=$2 code
  shift 2
  timeout 100 "$program" "$@" >said 2>&1
  code=$?
  cat said
  [ $code = "$wanted" ] || fail "exit code $code instead of $wanted"
  grep -qF -- "$part" said || fail "the text above does not hold: $part"
}

# of_file FILE ARGUMENT...: the arguments that run the case on a mesh file; of_geometry the same with a geometry.
of_file() { printf '%s\n' run "$case" --output out --set mesh.box= --set "mesh.file=$1"; }
of_geometry() { printf '%s\n' run "$case" --output out --set mesh.box= --set "mesh.geometry=$1" --set mesh.dimension=2; }

square() { # square SIZE
  cat <<END
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1};
Physical Surface("domain") = {1};
Physical Curve("left") = {4};
Physical Curve("right") = {2};
Physical Curve("bottom") = {1};
Physical Curve("top") = {3};
Mesh.MeshSizeMax = $1;
END
}

fake_reader() { # fake_reader SCRIPT: a script started instead of both readers
  for name in tessera-import tessera-import-gmsh; do
    printf '#!/bin/sh\n%s\n' "$1" >"$folder/$name"
    chmod +x "$folder/$name"
  done
  export TESSERA_IMPORT=$folder/tessera-import
}

links() {
  local found
  for name in tessera tessera-import; do
    found=$(ldd "$(dirname "$program")/$name" | grep -iE 'gmsh|libX11|libGL|libTK') && fail "$name links $found"
  done
  return 0
}

missing() {
  touch mesh.vtkhdf
  export TESSERA_IMPORT=/nowhere/tessera-import
  mapfile -t arguments < <(of_file mesh.vtkhdf)
  expect 1 "mesh.file: Cannot read mesh.vtkhdf: TESSERA_IMPORT names '/nowhere/tessera-import'" "${arguments[@]}"
}

endings() {
  touch mesh.vtkhdf
  mapfile -t arguments < <(of_file mesh.vtkhdf)
  fake_reader 'echo "reading nodes"; kill -SEGV $$'
  expect 1 'crashed (signal 11, Segmentation fault) while it read mesh.vtkhdf' "${arguments[@]}"
  expect 1 'Its last output: "reading nodes".' "${arguments[@]}" --dry-run
  fake_reader 'kill -KILL $$'
  expect 3 'because the machine'"'"'s memory ran out' "${arguments[@]}"
  mkfifo pipe.vtkhdf
  mapfile -t arguments < <(of_file pipe.vtkhdf)
  expect 1 "mesh.file: 'pipe.vtkhdf' is no regular file" "${arguments[@]}"
  mapfile -t arguments < <(of_file mesh.vtkhdf)
  fake_reader 'exec sleep 1000'
  expect 1 'took longer than 1.00 s and was ended (mesh.time_limit)' "${arguments[@]}" --set mesh.time_limit=1
}

waiting() {
  touch mesh.vtkhdf
  mapfile -t arguments < <(of_file mesh.vtkhdf)
  fake_reader 'exec sleep 1000'
  expect 1 'Reading mesh.vtkhdf goes on; it may take 11.00 s (mesh.time_limit).' "${arguments[@]}" --set mesh.time_limit=11
}

femm() {
  local inputs
  inputs=$(dirname "$case")/../../inputs/femm
  expect 0 'note: Conductivities (Sigma) have no effect at frequency 0.' import "$inputs/coax.fem" -o made
  grep -qF 'made/coax.yaml' said || fail "the case is not named"
  grep -qF '# Not in this case: Conductivities' made/coax.yaml || fail "the case does not repeat the note"
  expect 0 'flux_linkage.line' run made/coax.yaml --output out
  expect 1 "-o: 'made/coax.yaml' exists already" import "$inputs/coax.fem" -o made
  sed 's/<BdryType> = 0/<BdryType> = 7/; s/<Mu_y> = 1/<Mu_y> = 3/; s/<H_c> = 0/<H_c> = 1/' "$inputs/coax.fem" >bad.fem
  expect 1 'bad.fem:33: ' import bad.fem -o none # a magnet with two permeabilities
  grep -qF "bad.fem:16: the boundary property 'A=0' is an air gap element" said || fail "not all reasons are given"
  [ ! -e none ] || fail "a refused problem was written"
  expect 1 'is not named like a problem file of FEMM' import made/coax.yaml -o none
}

lame() {
  fake_reader 'echo "$0: error while loading shared libraries: libGLU.so.1: cannot open shared object file" >&2; exit 127'
  expect 0 'libGLU.so.1: cannot open' info
  square 0.2 >square.geo
  mapfile -t arguments < <(of_geometry square.geo)
  expect 1 'Gmsh does not start on this machine' "${arguments[@]}"
}

script() {
  echo "SystemCall \"touch $folder/made\";" >mesh.msh
  mapfile -t arguments < <(of_file mesh.msh)
  expect 1 'mesh.msh is no mesh of Gmsh' "${arguments[@]}" --dry-run
  expect 1 'mesh.msh is no mesh of Gmsh' "${arguments[@]}"
  [ ! -e made ] || fail "the command in mesh.msh was run"
}

commands() {
  { square 0.2 && echo "SystemCall \"touch $folder/made\";"; } >square.geo
  mapfile -t arguments < <(of_geometry square.geo)
  expect 1 'square.geo:9: "SystemCall" runs a shell command' "${arguments[@]}"
  expect 0 'allow_commands: true' "${arguments[@]}" --set mesh.allow_commands=true --dry-run
  expect 0 'memory_limit: 0.5' "${arguments[@]}" --set mesh.memory_limit=0.5 --set mesh.time_limit=7 --dry-run
  grep -q 'time_limit: 7' said || fail "the time limit is not told"
  [ ! -e made ] || fail "the command was run without being allowed"
  expect 0 'Results lie in' "${arguments[@]}" --set mesh.allow_commands=true
  [ -e made ] || fail "the command was not run"
}

exit_() {
  { square 0.2 && echo 'Exit;'; } >square.geo
  mapfile -t arguments < <(of_geometry square.geo)
  expect 1 'ended Gmsh before there was a mesh' "${arguments[@]}"
}

interrupt() {
  square 0.0005 >square.geo # minutes of work
  mapfile -t arguments < <(of_geometry square.geo)
  export TESSERA_TEST_MARK=$$-$RANDOM
  for signal in INT TERM KILL; do
    # In the background bash lets a program ignore Ctrl-C; timeout sends it to a program in the foreground.
    timeout --preserve-status --signal=$signal 2 "$program" "${arguments[@]}" --quiet
    code=$?
    wanted=$((128 + $(kill -l $signal)))
    [ $code = $wanted ] || fail "SIG$signal: exit code $code instead of $wanted"
    for _ in $(seq 50); do
      left=$(grep -lsz "TESSERA_TEST_MARK=$TESSERA_TEST_MARK" /proc/[0-9]*/environ | grep -v "/$$/" |
        xargs -r -n 1 dirname | while read -r process; do readlink "$process/exe"; done | grep tessera)
      [ -n "$left" ] || break
      sleep 0.1
    done
    [ -z "$left" ] || fail "after SIG$signal there is left: $left"
    [ -z "$(ls -A tmp)" ] || fail "after SIG$signal there is left: $(ls tmp)"
    [ $signal = KILL ] || [ -z "$(find . -name '*.part')" ] || fail "there is left: $(find . -name '*.part')"
  done
}

case $step in
  exit) exit_ ;;
  links | missing | endings | waiting | femm | lame | script | commands | interrupt) "$step" ;;
  *) fail "unknown step $step" ;;
esac
