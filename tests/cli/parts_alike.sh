# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# shellcheck shell=bash
#
# For tests of processes with partitions of the mesh. Include several_processes.sh before, and set what it needs and `backend`.
pieces=$(dirname "$program")/tessera_compare_pieces
parts=(--backend "$backend" --set execution.mesh=parts --set output.fields=[] --set output.probes=)

# The same residuals, bit for bit: matrix, preconditioner and sums equal those of one process. Quantities are summed process by process and
# agree to `tolerance`.
tolerance=1e-13
same_residuals() { # same_residuals NUMBERS CASE ARGUMENTS...
  local numbers=$1 case=$2 n
  shift 2
  for n in 1 $numbers; do
    start "$n" run "$case" --quiet "${parts[@]}" --output "of-$n" --set execution.reproducible=true "$@"
    [ $code = 0 ] || fail "$case with $n processes: exit code $code"
    cmp -s of-1/convergence.csv "of-$n/convergence.csv" || fail "$case: $n processes have other residuals"
    agree of-1 "of-$n" "$tolerance" >log || fail "$case: $n processes have other results"
    cmp -s <(grep -E "^  (nodes|elements|facets|unknowns|fixed_nodes):" of-1/report.yaml) \
      <(grep -E "^  (nodes|elements|facets|unknowns|fixed_nodes):" "of-$n/report.yaml") || fail "$case: $n processes have other counts"
    cmp -s <(grep -o "at: .*" of-1/report.yaml) <(grep -o "at: .*" "of-$n/report.yaml") || fail "$case: $n processes have extremes elsewhere"
  done
}

# Fields and values at points, of lines and of surfaces equal those of one process, bit for bit.
same_output() { # same_output NUMBERS CASE ARGUMENTS...
  local numbers=$1 case=$2 n
  shift 2
  for n in 1 $numbers; do
    start "$n" run "$case" --quiet --backend "$backend" --set execution.mesh=parts --set execution.reproducible=true --output "of-$n" "$@"
    [ $code = 0 ] || fail "output of $case with $n processes: exit code $code"
    agree of-1 "of-$n" 1e-13 >log || fail "$case: $n processes have other results"
    cmp -s <(grep -o "at: .*" of-1/report.yaml) <(grep -o "at: .*" "of-$n/report.yaml") || fail "$case: $n processes have extremes elsewhere"
    cmp of-1/points.csv "of-$n/points.csv" >log || fail "$case: $n processes have other values at points"
    [ "$n" = 1 ] || "$pieces" of-1/fields.vtkhdf "of-$n/fields.vtkhdf" "$n" >log || fail "$case: $n processes have other fields"
    # `compare` matches pieces by the positions of elements.
    "$program" compare of-1 "of-$n" --tolerance 1e-12 >log 2>&1 || fail "compare: $case: $n processes have other results"
    grep -q "largest difference, relative to it" log || fail "compare: $case: the fields of $n processes are not compared"
  done
}

refused() { # refused TEXT CASE ARGUMENTS...: reported once, before any work
  local text=$1 case=$2
  shift 2
  start 2 run "$case" --backend "$backend" --output refused --set execution.mesh=parts "$@"
  say 1 "execution.mesh: parts cannot be combined with $text"
}
