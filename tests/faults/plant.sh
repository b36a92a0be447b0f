#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the tests: plants the faults of faults.txt one by one into a copy of the sources, builds and runs the tests until
# one fails, and lists the faults that no test has detected.
#
#   bash tests/faults/plant.sh --check                 each fault still fits its file (seconds; a test does this)
#   bash tests/faults/plant.sh [--jobs N] [--folder DIR] [--all] [FAULT...]
#
#   --jobs N      parallel jobs of build and tests (default: number of processors)
#   --folder DIR  where the copy and its build go (default: build/faults); not removed, so that a second run builds less
#   --all         run every test for a fault that the test of its entry does not detect
#   FAULT         numbers as printed, instead of all; options for CMake through CMAKE_OPTIONS
#
# An entry of faults.txt: "file: PATH", "old: TEXT" (once in the file), "new: TEXT", "test: PROGRAM [arguments]" (of Catch2) or
# "test: ctest ARGUMENTS". Exit code 1 when a fault survived or an entry does not fit.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
jobs=$(nproc)
folder=$root/build/faults
check=no
all=no
wanted=()
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes ;;
    --all) all=yes ;;
    --jobs) jobs=$2 && shift ;;
    --folder) folder=$2 && shift ;;
    -h | --help) sed -n '5,19s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) wanted+=("$1") ;;
  esac
  shift
done

files=() olds=() news=() tests=()
while IFS= read -r line; do
  case $line in
    "file: "*) files+=("${line#file: }") ;;
    "old: "*) olds+=("${line#old: }") ;;
    "new: "*) news+=("${line#new: }") ;;
    "new:") news+=("") ;;
    "test: "*) tests+=("${line#test: }") ;;
  esac
done <"$here/faults.txt"
n=${#files[@]}
[ "$n" -gt 0 ] && [ ${#olds[@]} = "$n" ] && [ ${#news[@]} = "$n" ] && [ ${#tests[@]} = "$n" ] || {
  echo "faults.txt: entries are not complete: $n files, ${#olds[@]} old, ${#news[@]} new, ${#tests[@]} tests"
  exit 1
}

unfit=0
for ((i = 0; i < n; ++i)); do
  count=$(grep -cF -- "${olds[i]}" "$root/${files[i]}" 2>/dev/null)
  [ "$count" = 1 ] || {
    echo "fault $i: ${files[i]} holds ${count:-no such file} times: ${olds[i]}"
    unfit=$((unfit + 1))
  }
done
if [ $check = yes ] || [ $unfit -gt 0 ]; then
  echo "$n faults, $unfit do not fit their files"
  exit $((unfit > 0))
fi

build=$folder/build
mkdir -p "$folder/src"
(cd "$root" && tar c .clang-format CMakeLists.txt CMakePresets.json README.md CHANGELOG.md LICENSE apps cmake docs inputs lib tests) |
  tar x -C "$folder/src"
# shellcheck disable=SC2086
cmake -S "$folder/src" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release ${CMAKE_OPTIONS:-} >"$folder/configure.log" 2>&1 || {
  tail -n 20 "$folder/configure.log"
  exit 1
}
export OMP_NUM_THREADS=2 OMP_PROC_BIND=false OMP_WAIT_POLICY=passive

# Runs one "test:" line; returns 0 if it passes.
run_test() {
  local words
  read -ra words <<<"$1"
  if [ "${words[0]}" = ctest ]; then
    cmake --build "$build" -j "$jobs" >"$folder/build.log" 2>&1 || return 2
    ctest --test-dir "$build" -j $((jobs > 2 ? jobs / 2 : 1)) --stop-on-failure "${words[@]:1}" >"$folder/test.log" 2>&1
  else
    cmake --build "$build" -j "$jobs" --target "${words[0]}" >"$folder/build.log" 2>&1 || return 2
    (cd "$build" && timeout 900 "bin/${words[0]}" --abort "${words[@]:1}") >"$folder/test.log" 2>&1 && return 0
    ! grep -q "No test cases matched" "$folder/test.log" || return 3
    return 1 # whatever number of failures the program returns
  fi
}

[ ${#wanted[@]} -gt 0 ] || mapfile -t wanted < <(seq 0 $((n - 1)))
survivors=()
for i in "${wanted[@]}"; do
  file=$folder/src/${files[i]}
  cp -p "$file" "$folder/original"
  OLD=${olds[i]} NEW=${news[i]} perl -0pi -e 's/\Q$ENV{OLD}\E/$ENV{NEW}/' "$file"
  start=$SECONDS
  run_test "${tests[i]}"
  status=$?
  by=${tests[i]}
  if [ $status = 0 ] && [ $all = yes ]; then
    by="all tests"
    run_test "ctest"
    status=$?
  fi
  case $status in
    0) verdict="SURVIVED" && survivors+=("$i") ;;
    2) verdict="does not compile: $(grep -m 1 error "$folder/build.log")" && survivors+=("$i") ;;
    3) verdict="no such test: ${tests[i]}" && survivors+=("$i") ;;
    *) verdict="seen by $by" ;;
  esac
  echo "fault $i, ${files[i]}: ${news[i]:-(left out)}: $verdict ($((SECONDS - start)) s)"
  cp "$folder/original" "$file" # a new time stamp, so that it is rebuilt
done
echo "${#wanted[@]} faults planted, ${#survivors[@]} survived: ${survivors[*]:-none}"
[ ${#survivors[@]} = 0 ]
