#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The whole GPU suite: everything that a release must pass on a machine with a GPU. Its last line is the verdict,
# "GPU suite: PASSED ..." or "GPU suite: FAILED ...", and its exit code is 0 or 1.
#
#   bash cmake/gpu_suite.sh [options]
#
#   --build DIR      build folder (default: build/cuda); configured with the preset cuda when it is not there
#   --no-build       take the programs in DIR/bin as they are
#   --stages A,B     only these of: build,tests,compare,reproducible,processes,memcheck,racecheck
#   --skip A,B       leave these out
#   --capacitor FILE mesh file of the capacitor (tessera mesh inputs/capacitor/capacitor.yaml -o FILE), for builds without Gmsh
#   --threads A,B    numbers of OpenMP threads of the stage reproducible (default: 1,2,5)
#   --limit SECONDS  time of one program under compute-sanitizer (default: 300)
#   --jobs N         programs at a time (ctest has its own number; default: a quarter of the cores)
#   --logs DIR       where the output of every step goes (default: DIR of the build/gpu-suite)
#
# Stages: tests: ctest, or without it every test program. compare: tessera compare, all strategies on all backends.
# reproducible: the same bits of matrix, right-hand side, every residual, solution and quantities by every
# deterministic strategy on every backend and number of threads. processes: the same bits of the solution by 1, 2, ...
# GPUs, whatever carries their messages; with one GPU it is left out. memcheck, racecheck: compute-sanitizer on small runs
# and on the tests of the GPU's space; without an NVIDIA GPU they are left out. A build without a GPU runs the rest.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/cuda
logs=
stages=build,tests,compare,reproducible,processes,memcheck,racecheck
skip=
capacitor=
threads=1,2,5
limit=300
jobs=$((($(nproc) + 3) / 4))

usage() {
  sed -n '5,28s/^# \{0,1\}//p' "$0"
  exit "$1"
}
while [ $# -gt 0 ]; do
  case $1 in
    --no-build) skip=$skip,build ;;
    --build | --stages | --skip | --capacitor | --threads | --limit | --jobs | --logs)
      [ $# -ge 2 ] || usage 1
      case $1 in
        --build) build=$2 ;;
        --stages) stages=$2 ;;
        --skip) skip=$skip,$2 ;;
        --capacitor) capacitor=$2 ;;
        --threads) threads=$2 ;;
        --limit) limit=$2 ;;
        --jobs) jobs=$2 ;;
        --logs) logs=$2 ;;
      esac
      shift
      ;;
    -h | --help) usage 0 ;;
    *) usage 1 ;;
  esac
  shift
done
for name in ${stages//,/ } ${skip//,/ }; do
  case $name in
    build | tests | compare | reproducible | processes | memcheck | racecheck) ;;
    *)
      echo "gpu_suite: unknown stage '$name'" >&2
      usage 1
      ;;
  esac
done
build=$(mkdir -p "$build" && cd "$build" && pwd)
logs=${logs:-$build/gpu-suite}
mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
tessera=$build/bin/tessera
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} OMP_PROC_BIND=${OMP_PROC_BIND:-false}
host_threads=$(($(nproc) < 8 ? $(nproc) : 8))

failures=()  # descriptions of failures
passed=()    # "stage n"
left_out=()  # what did not run, with reasons
n_checks=0   # of the current stage
is_asked() { [[ ,$stages, == *,$1,* && ,$skip, != *,$1,* ]]; }

# check NAME LOG COMMAND...: one step of a stage.
check() {
  local name=$1 log=$logs/$2 start=$SECONDS status=0
  shift 2
  "$@" >"$log" 2>&1 || status=$?
  judge "$name" "$log" $status $((SECONDS - start))
}
judge() { # judge NAME LOG STATUS SECONDS
  tell "$@"
  count "$1" "$3"
}
tell() { # tell NAME LOG STATUS SECONDS
  if [ "$3" = 0 ]; then
    echo "  ok      $1 ($4 s)"
  else
    printf '%s\n' "  FAILED  $1 ($4 s): $2" "$(tail -n 8 "$2" | sed 's/^/          /')"
  fi
}
count() { # count NAME STATUS
  if [ "$2" = 0 ]; then n_checks=$((n_checks + 1)); else failures+=("$1"); fi
}

# Like check, but runs several steps at a time and reports each when it ends; collect waits for them and counts them.
queued=()
queue() { # queue NAME LOG COMMAND...
  local name=$1 log=$logs/$2
  shift 2
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  queued+=("$name" "$log")
  (
    start=$SECONDS status=0
    "$@" >"$log" 2>&1 || status=$?
    echo "$status" >"$log.status"
    tell "$name" "$log" $status $((SECONDS - start))
  ) &
}
collect() {
  local i
  wait
  for ((i = 0; i < ${#queued[@]}; i += 2)); do
    count "${queued[i]}" "$(cat "${queued[i + 1]}.status")"
    rm -f "${queued[i + 1]}.status"
  done
  queued=()
}
begin() {
  echo "==== $1"
  n_checks=0
}
end() { passed+=("$1 $n_checks"); }

verdict() {
  local text
  text="on $(joined "${backends[@]}")"
  [ ${#left_out[@]} -eq 0 ] || text="$text; not run: $(joined "${left_out[@]}")"
  if [ ${#failures[@]} -eq 0 ] && [ ${#passed[@]} -gt 0 ]; then
    echo "GPU suite: PASSED ($(joined "${passed[@]}")) $text"
    exit 0
  fi
  [ ${#passed[@]} -gt 0 ] || failures+=("nothing was run")
  echo "GPU suite: FAILED: $(joined "${failures[@]}") (passed: $(joined "${passed[@]}")) $text"
  exit 1
}
joined() {
  local text=
  for word in "$@"; do text=${text:+$text, }$word; done
  echo "${text:-none}"
}

backends=()
if is_asked build; then
  begin build
  [ -e "$build/CMakeCache.txt" ] || check "configure" configure.log cmake --preset cuda -S "$root" -B "$build"
  check "build" build.log cmake --build "$build" -j "$(nproc)"
  end build
fi
if [ ! -x "$tessera" ]; then
  failures+=("there is no program $tessera")
  verdict
fi
read -r -a backends <<<"$("$tessera" info | sed -n 's/^  backends//; s/^ *\(serial\|openmp\|cuda\|hip\):.*/\1/p' | tr '\n' ' ')"
if [ ${#backends[@]} = 0 ]; then
  failures+=("$tessera info lists no backend")
  verdict
fi
gpu=none
for backend in "${backends[@]}"; do
  case $backend in cuda | hip) gpu=$backend ;; esac
done
"$tessera" info

# The cases of the stages: a name, then the arguments of run or compare.
case_arguments() {
  case $1 in
    mms-2d) echo "$root/inputs/mms-2d/mms-2d.yaml" ;;
    mms-2d-p2) echo "$root/inputs/mms-2d/mms-2d.yaml --set discretization.order=2 --set mesh.box.cells=[24,24]" ;;
    mms-3d) echo "$root/inputs/mms-3d/mms-3d.yaml --set mesh.box.cells=[10,10,10]" ;;
    mms-3d-p2) echo "$root/inputs/mms-3d/mms-3d.yaml --set discretization.order=2 --set mesh.box.cells=[5,5,5]" ;;
    dg-3d) echo "$root/inputs/dg-3d/dg-3d.yaml --set mesh.box.cells=[4,4,4] --set mesh.agglomerate.elements=96" ;;
    dg-parabolic) echo "$root/inputs/dg-parabolic/dg-parabolic.yaml --set mesh.box.cells=[12,12] --set mesh.agglomerate.elements=36" ;;
    dg-local-steps) echo "$root/inputs/dg-parabolic/dg-parabolic.yaml --set mesh.box.cells=[8,8] --set mesh.agglomerate.elements=24 \
      --set discretization.order=2 --set discretization.local_steps=1+3*x --set problem.materials.domain.diffusivity=1+0.5*x*t" ;;
    dg-degrees) echo "$root/inputs/dg-poisson/dg-poisson.yaml --set mesh.box.cells=[12,12] --set mesh.agglomerate.elements=36 \
      --set discretization.order=1+2*x+y" ;;
    # With the same bits on all backends; `run` has no checksums at frequencies.
    eddy-currents) echo "$root/inputs/cylinder-in-axial-field/cylinder-in-axial-field.yaml --set mesh.box.cells=[40,20] \
      --set verification= --set execution.reproducible=true" ;;
    saturated-plate) echo "$root/inputs/saturated-plate/saturated-plate.yaml --set verification= --set execution.reproducible=true" ;;
    capacitor)
      echo "$root/inputs/capacitor/capacitor.yaml"
      [ -z "$capacitor" ] || echo "--set mesh.geometry= --set mesh.parameters= --set mesh.file=$capacitor"
      ;;
  esac
}
cases=(mms-2d mms-2d-p2 mms-3d mms-3d-p2)
dg_cases=(dg-3d dg-parabolic dg-local-steps dg-degrees)
harmonic_cases=(eddy-currents saturated-plate)
if [ -n "$capacitor" ] || "$tessera" info | grep -q "Gmsh *yes"; then
  cases+=(capacitor)
else
  left_out+=("capacitor (no Gmsh; see --capacitor)")
fi

# ---- tests -----------------------------------------------------------------------------------------------------------

run_tests() {
  begin tests
  if command -v ctest >/dev/null && [ -e "$build/CTestTestfile.cmake" ]; then
    check "ctest" ctest.log ctest --test-dir "$build" --output-on-failure -j "$host_threads"
    tail -n 30 "$logs/ctest.log" | grep "tests passed" | sed 's/^/          /'
  else
    for program in "$build"/bin/tessera_{unit,equivalence,convergence,regression}_*; do
      queue "$(basename "$program")" "$(basename "$program").log" env OMP_NUM_THREADS=2 "$program"
    done
    collect
    grep -h "test cases:\|All tests passed" "$logs"/tessera_*.log | sed 's/^/          /'
  fi
  end tests
}

# ---- compare ---------------------------------------------------------------------------------------------------------

run_compare() {
  begin compare
  for name in "${cases[@]}" "${dg_cases[@]}" "${harmonic_cases[@]}"; do
    # shellcheck disable=SC2046
    check "compare $name" "compare-$name.log" env OMP_NUM_THREADS="$host_threads" "$tessera" compare $(case_arguments "$name") \
      --output "$logs/compare-$name"
  done
  sed -n '/^ *backend/,/^Differences/p' "$logs/compare-${cases[-1]}.log" | sed '/^Differences/,$d'
  end compare
}

# ---- reproducible ----------------------------------------------------------------------------------------------------

# Must not depend on the backend: the report without the parts that name the machine and the times.
signature() {
  awk '/^[a-z_]+:/ {keep = $1 ~ /^(mesh|discretization|solver|time_steps|quantities|errors|checksums):/} keep' "$1"
}

compare_bits() { # compare_bits CASE STRATEGY
  local first='' name out arguments status=0
  arguments=$(case_arguments "$1")
  for run in serial:1 $(printf 'openmp:%s ' ${threads//,/ }) gpu:1; do
    name=${run%:*}
    [ "$name" != gpu ] || name=$gpu
    [[ " ${backends[*]} " == *" $name "* ]] || continue
    out=$logs/bits/$1-$2-$name-${run#*:}
    # shellcheck disable=SC2086
    OMP_NUM_THREADS=${run#*:} "$tessera" run $arguments --quiet --backend "$name" --strategy "$2" --output "$out" \
      --set execution.reproducible=true --set "output.fields=[]" --set "output.probes=" || return 1
    signature "$out/report.yaml" >"$out/signature"
    if [ -z "$first" ]; then
      first=$out/signature
      grep -q '^checksums:' "$first" || return 1
    elif ! cmp -s "$first" "$out/signature"; then
      echo "$1 by $2: $name with ${run#*:} threads differs from the first run:"
      diff "$first" "$out/signature" | head -n 6
      status=1
    fi
  done
  return $status
}

run_reproducible() {
  begin reproducible
  for name in "${cases[@]}"; do
    for strategy in reference a-coo a-coo-compact sorted-coo colored row-gather ebe-stored ebe-recomputed; do
      queue "same bits: $name by $strategy" "bits-$name-$strategy.log" compare_bits "$name" "$strategy"
    done
  done
  for name in "${dg_cases[@]}"; do
    for strategy in reference block-rows triplets; do
      queue "same bits: $name by $strategy" "bits-$name-$strategy.log" compare_bits "$name" "$strategy"
    done
  done
  collect
  end reproducible
}

# ---- processes -------------------------------------------------------------------------------------------------------

compare_gpus() { # compare_gpus NUMBER CASE ARGUMENTS...: one process on the host, then 1 to NUMBER GPUs
  local n=$1 case=$2 run out first='' status=0
  shift 2
  for run in openmp:1:auto $(seq -f "$gpu:%g:auto" "$n") $(seq -f "$gpu:%g:mpi" 2 "$n"); do
    out=$logs/processes/$(echo "$case $run $*" | cksum | cut -d' ' -f1)
    OMP_NUM_THREADS=1 "$tessera" run "$root/inputs/$case/$case.yaml" --quiet --backend "${run%%:*}" --output "$out" \
      --processes "$(echo "$run" | cut -d: -f2)" --set "execution.messages=${run##*:}" --set execution.reproducible=true \
      --set "output.fields=[]" "$@" || return 1
    grep -E '^  (solution|iterations):' "$out/report.yaml" >"$out/signature" || return 1
    first=${first:-$out/signature}
    cmp "$first" "$out/signature" || { echo "$run differs from the host" && status=1; }
  done
  return $status
}

run_processes() {
  local n multigrid=(--set solver.preconditioner=multigrid --set solver.multigrid.replicated_size=1)
  n=$(nvidia-smi -L 2>/dev/null | grep -c GPU)
  if [ "$n" -lt 2 ] || ! "$tessera" info | grep "MPI  *yes" >/dev/null; then
    left_out+=("processes (needs two GPUs and MPI)")
    return
  fi
  begin processes
  check "same bits by 1 to $n GPUs: jacobi" processes-jacobi.log compare_gpus "$n" mms-3d --set "mesh.box.cells=[16,16,16]" --set discretization.order=2
  check "same bits by 1 to $n GPUs: geometric multigrid" processes-geometric.log compare_gpus "$n" mms-2d --set "mesh.box.cells=[256,256]" "${multigrid[@]}"
  check "same bits by 1 to $n GPUs: algebraic multigrid" processes-algebraic.log compare_gpus "$n" mms-2d --set "mesh.box.cells=[301,297]" "${multigrid[@]}"
  check "same bits by 1 to $n GPUs: multigrid with order 2" processes-order-2.log compare_gpus "$n" mms-3d --set "mesh.box.cells=[14,14,14]" --set discretization.order=2 "${multigrid[@]}"
  check "same bits by 1 to $n GPUs: discontinuous elements" processes-dg.log compare_gpus "$n" dg-3d --set "mesh.box.cells=[8,8,8]" --set mesh.agglomerate=
  end processes
}

# ---- compute-sanitizer -----------------------------------------------------------------------------------------------

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)

# sanitize TOOL COMMAND...: fails if the program or the tool finds an error. Races between the lanes of a warp that the
# reductions, scans and sorts of Kokkos and cub have by design are warnings of the tool, reported by kernel; in any other
# kernel they count as errors.
sanitize() {
  local tool=$1 log status=0
  shift
  log=$(mktemp "$logs/sanitizer-$tool-XXXXXX")
  OMP_NUM_THREADS=1 timeout "$limit" "$sanitizer" --tool "$tool" --print-limit 100000 --log-file "$log" "$@" || status=$?
  [ $status != 124 ] || echo "not finished in $limit s"
  cat "$log"
  if [ "$tool" = racecheck ]; then
    warned_kernels "$log" | tee -a "$logs/racecheck-kernels.txt"
    ! grep -q "= Error: " "$log" || status=1
    if warned_kernels "$log" | grep -qv "ParallelReduce\|ParallelScan\|cub::"; then
      echo "a race in a kernel that is no reduction or scan of Kokkos"
      status=1
    fi
  else
    grep -q "ERROR SUMMARY: 0 errors" "$log" || status=1
  fi
  rm -f "$log"
  return $status
}

# Number of warnings by kernel: Kokkos' pattern (or cub's name) and the functor. For a launch with more hazards than the
# tool stores, it prints a line without a name; the other lines name that launch's kernel.
warned_kernels() {
  awk 'tolower($0) ~ /= *warn/ && !/Maximum number of hazards reached/ {
    line = $0
    gsub(/\(anonymous namespace\)::|<unnamed>::/, "", line)
    kind = match(line, /ParallelFor|ParallelReduce|ParallelScan|cub::[A-Za-z0-9_:]+/) ? substr(line, RSTART, RLENGTH) : "another kernel:"
    name = match(line, /tessera::[A-Za-z0-9_:]+/) ? substr(line, RSTART, RLENGTH) : substr(line, 1, 140)
    print kind, name
  }' "$1" | sort | uniq -c | sort -rn
}

run_sanitizer() {
  local tool=$1 strategies="atomic a-coo a-coo-compact sorted-coo colored row-gather ebe-stored ebe-recomputed ebe-atomic"
  begin "$tool"
  if [ "$gpu" != cuda ] || [ -z "$sanitizer" ]; then
    left_out+=("$tool ($([ "$gpu" = cuda ] && echo no compute-sanitizer || echo no cuda))")
    echo "  not run: $([ "$gpu" = cuda ] && echo there is no compute-sanitizer || echo the build has no cuda)"
    return
  fi
  : >"$logs/racecheck-kernels.txt"
  for strategy in $strategies; do
    for name in mms-2d-p2 mms-3d; do
      # shellcheck disable=SC2046
      queue "$tool: $name by $strategy" "$tool-$name-$strategy.log" sanitize "$tool" "$tessera" run $(case_arguments "$name") \
        --set "mesh.box.cells=$([ "$name" = mms-3d ] && echo '[4,4,4]' || echo '[8,8]')" --set mesh.refine=1 --backend "$gpu" \
        --set solver.relative_tolerance=1e-6 --strategy "$strategy" --output "$logs/sanitized/$name-$strategy" --quiet
    done
  done
  for name in dg-3d dg-parabolic dg-local-steps; do
    for strategy in block-rows triplets atomic; do
      # shellcheck disable=SC2046
      queue "$tool: $name by $strategy" "$tool-$name-$strategy.log" sanitize "$tool" "$tessera" run $(case_arguments "$name") \
        $([ "$name" = dg-3d ] || echo "--set problem.time.steps=2") --set "mesh.box.cells=$([ "$name" = dg-3d ] && echo '[3,3,3]' || echo '[8,8]')" \
        --set mesh.agglomerate.elements=20 --backend "$gpu" --strategy "$strategy" --output "$logs/sanitized/$name-$strategy" --quiet
    done
  done
  # Of the tests, runs the instances for the GPU's execution space, which is the last of the list.
  for kind in geometric algebraic; do
    # shellcheck disable=SC2046
    queue "$tool: multigrid, $kind" "$tool-multigrid-$kind.log" sanitize "$tool" "$tessera" run $(case_arguments mms-2d-p2) \
      --set "mesh.box.cells=[8,8]" --backend "$gpu" --strategy row-gather --set solver.preconditioner=multigrid \
      --set "solver.multigrid.type=$kind" --output "$logs/sanitized/multigrid-$kind" --quiet
  done
  # shellcheck disable=SC2046
  for name in "${harmonic_cases[@]}"; do
    queue "$tool: $name" "$tool-$name.log" sanitize "$tool" "$tessera" run $(case_arguments "$name") --set "mesh.box.cells=[16,4]" \
      --backend "$gpu" --output "$logs/sanitized/$name" --quiet
  done
  for program in core graph linalg mesh physics fe; do
    [ -x "$build/bin/tessera_unit_$program" ] || left_out+=("$tool of tessera_unit_$program (not built)")
    local space
    for space in 3 2 1 0; do
      "$build/bin/tessera_unit_$program" --list-tests "* - $space" 2>/dev/null | grep -q "\[" && break
    done
    if [ "$space" = 0 ]; then # all spaces are the host's
      failures+=("$tool of tessera_unit_$program: no test runs on the GPU")
    else
      queue "$tool: tessera_unit_$program" "$tool-unit-$program.log" sanitize "$tool" "$build/bin/tessera_unit_$program" "* - $space"
    fi
  done
  collect
  if [ "$tool" = racecheck ]; then
    echo "  warnings by kernel (lanes of one warp in Kokkos' own reductions and scans):"
    awk '{n = $1; $1 = ""; sum[$0] += n} END {for (k in sum) printf "  %7d %s\n", sum[k], k}' "$logs/racecheck-kernels.txt" |
      sort -rn
  fi
  end "$tool"
}

! is_asked tests || run_tests
! is_asked compare || run_compare
! is_asked reproducible || run_reproducible
! is_asked processes || run_processes
! is_asked memcheck || run_sanitizer memcheck
! is_asked racecheck || run_sanitizer racecheck
for stage in build tests compare reproducible memcheck racecheck; do
  is_asked $stage || left_out+=("$stage (not asked)")
done
verdict
