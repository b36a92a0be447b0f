#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What a release must pass on a host beyond .ci/run: in a build with Kokkos::Serial for the backend serial, which is one
# thread of OpenMP otherwise, all tests pass, all strategies agree, and reproducible runs have the same bits by Serial
# and by OpenMP. The last line is the verdict of cmake/gpu_suite.sh, whose stages these are.
#
#   bash cmake/release_check.sh [options of cmake/gpu_suite.sh]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/serial
case ${1:-} in
  -h | --help)
    sed -n '5,9s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
bash "$root/cmake/bootstrap.sh" >/dev/null
(cd "$root" && cmake --preset openmp -B "$build" -DTessera_ENABLE_SERIAL=ON -DTessera_WARNINGS_AS_ERRORS=ON)
exec bash "$root/cmake/gpu_suite.sh" --build "$build" "$@"
