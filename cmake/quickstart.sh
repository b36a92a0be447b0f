#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# From a fresh clone to a result, or to passed tests. Each works alone; repeated they take seconds.
#
#   bash cmake/quickstart.sh run [CASE.yaml]   installs what is missing, builds, runs the case (default: the capacitor)
#   bash cmake/quickstart.sh test [ctest options...]   does the same set-up and runs the tests
#
# TESSERA_PRESET names another preset of CMakePresets.json (default: openmp). With CI=true warnings are errors.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
usage() {
  sed -n '5,10s/^# \{0,1\}//p' "$0"
  exit "$1"
}
[ $# -ge 1 ] || usage 1
what=$1
shift
case $what in
  run | test) ;;
  -h | --help) usage 0 ;;
  *) usage 1 ;;
esac
preset=${TESSERA_PRESET:-openmp}
build=$root/build/$preset

needs=()
[ "$preset" = openmp ] || needs+=("--$preset")
[ "$what" = run ] || needs+=(--python)
bash "$root/cmake/bootstrap.sh" "${needs[@]}" >/dev/null
options=()
# Several files at a time, which shares the reading of headers: a fifth less work, with CUDA half, though fewer jobs that run side by side.
[ "$(nproc)" -gt 16 ] && [ "$preset" != cuda ] || options+=(-DCMAKE_UNITY_BUILD=ON)
[ "${CI:-}" != true ] || options+=(-DTessera_WARNINGS_AS_ERRORS=ON)
if [ ! -e "$build/build.ninja" ] || [ "${CI:-}" = true ]; then
  (cd "$root" && cmake --preset "$preset" "${options[@]}")
fi

# As many jobs as processors, but at least 2 GiB of memory for each.
memory=$(awk '/^MemAvailable:/ {print int($2 / 2097152)}' /proc/meminfo 2>/dev/null || echo 1)
jobs=$(nproc)
[ "$jobs" -le "$memory" ] || jobs=$((memory > 0 ? memory : 1))

if [ "$what" = run ]; then
  case=${1:-$root/inputs/capacitor/capacitor.yaml}
  [ -e "$case" ] || {
    echo "quickstart: there is no case file $case" >&2
    exit 1
  }
  cmake --build "$build" -j "$jobs" --target tessera
  output=$PWD/results/$(basename "$case" .yaml)
  "$build/bin/tessera" run "$case" --output "$output"
  echo
  echo "The result lies in $output:"
  ls -1 "$output" | sed 's/^/  /'
else
  cmake --build "$build" -j "$jobs"
  ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@"
fi
