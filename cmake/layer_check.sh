#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the layers of lib/ by its include lines: bash cmake/layer_check.sh [SOURCE-FOLDER]. Prints each violation as file:line and exits 1.
#
#  - a folder includes only itself and lower layers; solvers sees core, comm, graph and linalg only
#  - third-party headers: yaml-cpp and hdf5 in the .cpp files of io, METIS in graph/partition/metis.cpp, dlfcn.h in core/module.cpp, MPI and NCCL in the .cpp files of comm; Kokkos anywhere but in io and in what io includes
#  - names of vendors and of versions of Kokkos appear only in core/kokkos_ext
#  - no fence of all execution spaces
#  - no strategy includes another, and reference includes none of the code that the other strategies share
set -euo pipefail
cd "${1:-$(dirname "$0")/..}/lib"

declare -A lower=(
  [core]="core"
  [comm]="core comm"
  [graph]="core comm graph"
  [linalg]="core comm graph linalg"
  [mesh]="core comm graph linalg mesh"
  [fe]="core comm graph linalg mesh fe"
  [physics]="core comm graph linalg mesh fe physics"
  [assembly]="core comm graph linalg mesh fe physics assembly"
  [solvers]="core comm graph linalg solvers"
  [io]="core comm graph linalg mesh fe physics assembly solvers io"
  [driver]="core comm graph linalg mesh fe physics assembly solvers io driver"
)
breaches=0
breach() {
  echo "lib/$1: $2"
  breaches=$((breaches + 1))
}

include='^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]*)[>"]'
declare -A includes # file -> files that it includes
for folder in */; do
  folder=${folder%/}
  [ -n "${lower[$folder]:-}" ] || { breach "$folder" "unknown folder; cmake/layer_check.sh knows: ${!lower[*]}" && continue; }
  while IFS=: read -r file line text; do
    [[ $text =~ $include ]] || { breach "$file:$line" "an include line of another form: $text" && continue; }
    name=${BASH_REMATCH[1]}
    includes[$file]+=" $name"
    at=$file:$line
    if [[ $text == *\"* ]]; then
      [[ $name == */* ]] || breach "$at" "include \"$name\" must name its folder, as in \"mesh/mesh.hpp\""
      [[ " ${lower[$folder]} " == *" ${name%%/*} "* ]] || breach "$at" "$folder may not include \"$name\" (it sees: ${lower[$folder]})"
      continue
    fi
    case $name in
      yaml-cpp/* | hdf5.h | hdf5_hl.h)
        [[ $file == io/*.cpp ]] || breach "$at" "<$name> belongs into .cpp files of lib/io" ;;
      thrust/* | cub/* | cuda* | hip/* | rocthrust/* | rocprim/*)
        [[ $file == core/kokkos_ext/* ]] || breach "$at" "<$name> belongs into lib/core/kokkos_ext" ;;
      Kokkos*.hpp | impl/Kokkos*.hpp) ;;
      *.h | *.hpp | */*)
        case $name in
          omp.h | pthread.h | unistd.h | fcntl.h | malloc.h | spawn.h | sys/*.h | cxxabi.h) [[ $file == *.cpp ]] || breach "$at" "<$name> belongs into a .cpp file" ;;
          mpi.h | nccl.h | rccl/rccl.h) [[ $file == comm/*.cpp ]] || breach "$at" "<$name> belongs into a .cpp file of lib/comm" ;;
          dlfcn.h) [[ $file == core/module.cpp ]] || breach "$at" "<$name> belongs into core/module.cpp" ;;
          metis.h) [[ $file == graph/partition/metis.cpp ]] || breach "$at" "<$name> belongs into graph/partition/metis.cpp" ;;
          *) breach "$at" "third-party header <$name> is not allowed in lib/$folder" ;;
        esac
        ;;
    esac
  done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' "$folder" --include='*.hpp' --include='*.cpp' --include='*.in')
done

while IFS=: read -r file line text; do
  breach "$file:$line" "names of vendors and of Kokkos versions belong into lib/core/kokkos_ext: $text"
done < <(grep -rnE 'cuda_runtime|__CUDA|__NVCC__|__HIP|thrust::|\bcudaStream|KOKKOS_ENABLE_(CUDA|HIP|SYCL)\b|KOKKOS_VERSION\b' . \
  --include='*.hpp' --include='*.cpp' | sed 's|^\./||' | grep -v '^core/kokkos_ext/' || true)
while IFS=: read -r file line text; do
  breach "$file:$line" "fence the instance, not everything: $text"
# The hooks of Kokkos Tools do not get the execution space instance.
done < <(grep -rnE 'Kokkos::fence *\(' . --include='*.hpp' --include='*.cpp' | sed 's|^\./||' | grep -v '^core/kokkos_ext/device/kernel_times.cpp' || true)

# Code that works only on counts and texts compiles without Kokkos: no chain of include lines leads from it to a header of Kokkos.
declare -A from # file -> the file that first included it
queue=(io/*.hpp io/*.cpp io/*/*.hpp io/*/*.cpp driver/driver.hpp driver/results.hpp driver/plan/*.hpp driver/plan/{form_choice,plan,strategy_choice,threads}.cpp
  driver/evaluation/quantity_notes.cpp driver/problem/binding/input_values.cpp driver/study/*.hpp driver/study/report.cpp)
for file in "${queue[@]}"; do from[$file]=; done
for ((i = 0; i < ${#queue[@]}; ++i)); do
  for name in ${includes[${queue[i]}]:-}; do
    if [[ $name == Kokkos* || $name == impl/Kokkos* ]]; then
      file=${queue[i]} way=
      while [ -n "${from[$file]}" ]; do
        way=" > $file$way"
        file=${from[$file]}
      done
      breach "$file" "this file does without Kokkos, but leads to <$name>:$way"
    elif [ -f "$name" ] && [ -z "${from[$name]+seen}" ]; then
      from[$name]=${queue[i]}
      queue+=("$name")
    fi
  done
done

while IFS=: read -r file line text; do
  breach "$file:$line" "strategies are independent of one another; what they share belongs into assembly/rows or assembly/elements"
done < <(grep -rnE '#include "assembly/strategies/' . --include='*.hpp' --include='*.cpp' --include='*.in' | sed 's|^\./||' |
  grep -v '^assembly/factory.hpp:' || true)
while IFS=: read -r line text; do
  breach "assembly/strategies/reference.hpp:$line" "the reference does without what devices need: $text"
done < <(grep -nE '#include "assembly/(rows|elements)/' assembly/strategies/reference.hpp || true)

# Kokkos 4.5 has the vendor's atomics of 64 bits for std::int64_t and std::uint64_t; for these types it makes loops.
while IFS=: read -r file line text; do
  breach "$file:$line" "std::int64_t or std::uint64_t instead of long long: $text"
done < <(grep -rnE '\blong long\b' . --include='*.hpp' --include='*.cpp' --include='*.in' | sed 's|^\./||' |
  grep -v 'static_cast<\(unsigned \)\?long long>' || true)

if [ $breaches -gt 0 ]; then
  echo "layer check: $breaches breaches"
  exit 1
fi
echo "layer check: every folder depends on lower layers only"
