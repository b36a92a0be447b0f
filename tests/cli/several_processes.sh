# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# shellcheck shell=bash
#
# For tests that start processes: needs `program` and `mpirun`. Changes to a temporary folder, `folder`, which is removed at the end; `here` is
# the script's folder.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
cd "$folder" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1
# Start faster: without a search for networks, and without active waits, with which processes slow each other down. Two processes
# would be bound to a processor each, the same ones as those of another test, and take twice as long.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
fail() {
  echo "$*"
  cat "$folder/log"
  exit 1
}
start() { # start N ARGUMENTS...: the exit code is in `code`, the output in `log`; one process needs no launcher, which takes longer
  local n=$1 launcher=()
  shift
  [ "$n" = 1 ] || launcher=("$mpirun" -np "$n")
  timeout 100 "${launcher[@]}" "$program" "$@" >log 2>errors # separate files: the launcher forwards parts of lines
  code=$?
  cat errors >>log
}

info=$("$program" info)
lacks= # packages that the build lacks
has() { # has PACKAGE: whether the build has it
  grep -q "^ *$1  *yes" <<<"$info" && return
  [[ ", $lacks," == *", $1,"* ]] || lacks=${lacks:+$lacks, }$1
  return 1
}
can_read() { # can_read CASE: whether the build can read the case's mesh
  ! grep -q "^ *geometry:\|{geometry:" "$inputs/$1/$1.yaml" || has Gmsh
}
all_passed() { # all_passed TEST
  echo "$1: all passed${lacks:+; left out, for lack of $lacks: what needs it}"
}

# Prints names and values of errors and quantities, one per line.
results() {
  awk '/^(errors|quantities):/ {keep = 1; next} /^[a-z]/ {keep = 0} keep && /^  [^ ]/' "$1/report.yaml" |
    sed 's/{value: \([^,}]*\).*/\1/' | tr -d ' ' | tr ':' ' '
}
agree() { # agree A B TOLERANCE: the same names, values relative to the first's
  paste -d' ' <(results "$1") <(results "$2") | awk -v tolerance="$3" '
    NF < 4 || $1 != $3 {bad = 1}
    {d = $2 - $4; if (d < 0) d = -d; m = $2 < 0 ? -$2 : $2; if (d > tolerance * m) {print $1, $2, $4; bad = 1}; n++}
    END {exit bad || n == 0}'
}

say() { # say CODE TEXT: exactly once, whatever else the launcher prints
  [ $code = "$1" ] || fail "exit code $code instead of $1"
  [ "$(grep -c -e "$2" log)" = 1 ] || fail "not said once: $2"
}
