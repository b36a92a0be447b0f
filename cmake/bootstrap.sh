#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs what Tessera needs on Debian and builds Kokkos and Kokkos Kernels once, into a cache outside the build tree.
#
#   bash cmake/bootstrap.sh [--cuda | --hip] [--arch NAME] [--debug] [--develop] [--petsc] [--no-tests] [--no-mpi] [--no-packages]
#
#   --cuda         build Kokkos for CUDA as well (nvcc from PATH or /usr/local/cuda); the architecture is detected
#   --hip          build Kokkos for HIP as well (hipcc from PATH)
#   --arch NAME    architecture of the GPU in Kokkos' spelling: AMPERE80, HOPPER90, VEGA908, ...
#   --debug        build Kokkos with bounds checks and debug symbols
#   --develop      install what only developers need, too: clang-format, doxygen
#   --petsc        install PETSc, too (79 packages, 230 MB), for solver.method: petsc
#   --no-tests     leave out the packages that only the tests need
#   --no-mpi       leave out MPI, which runs of several processes need
#   --no-packages  install nothing; only build Kokkos
#
# Repeating it does nothing and takes a moment. The last line of its standard output is the prefix of Kokkos, for
# CMAKE_PREFIX_PATH; everything else goes to standard error. A Kokkos that CMake already finds (Kokkos_ROOT or
# CMAKE_PREFIX_PATH in the environment) comes first: then its prefix is left to CMake and the last line is empty.
#
# Environment: TESSERA_CACHE  folder of the cache (default: ${XDG_CACHE_HOME:-$HOME/.cache}/tessera)
#              CXX            host compiler (default: g++)
#              JOBS           parallel jobs of the build (default: number of processors)
set -euo pipefail

backend=openmp
arch=
debug=no
develop=no
petsc=no
tests=yes
mpi=yes
packages=yes

say() { echo "bootstrap: $*" >&2; }
fail() {
  echo "bootstrap: error: $1" >&2
  shift
  for line in "$@"; do echo "  $line" >&2; done
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --cuda) backend=cuda ;;
    --hip) backend=hip ;;
    --arch)
      [ $# -ge 2 ] || fail "--arch needs a name, for example --arch HOPPER90."
      arch=$2
      shift
      ;;
    --debug) debug=yes ;;
    --develop) develop=yes ;;
    --petsc) petsc=yes ;;
    --no-tests) tests=no ;;
    --no-mpi) mpi=no ;;
    --no-packages) packages=no ;;
    -h | --help)
      sed -n '5,28s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "unknown option '$1'." "Known options: --cuda --hip --arch NAME --debug --develop --petsc --no-tests --no-mpi --no-packages" ;;
  esac
  shift
done

cache=${TESSERA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera}
cxx=${CXX:-g++}
jobs=${JOBS:-$(nproc)}
sources_file=/etc/apt/sources.list.d/tessera.sources

# ---- packages ------------------------------------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root, and sudo is not there." "Run as root: $*" \
      "or install the packages some other way and repeat with --no-packages."
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Prints "URI suite keyring" of Debian's own main archive as this system is set up to use it (its mirror, its keyring).
debian_archive() {
  local uri suite entry file number
  IFS='|' read -r uri suite entry < <(apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(SOURCESENTRY)' \
    'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 'Component: main' | grep -vE '\|[^|]*-[^|]*\|' | head -n 1) ||
    fail "no Debian archive among this system's package sources." \
      "Install the packages yourself (CONTRIBUTING.md lists them), set Kokkos_ROOT, and repeat with --no-packages."
  file=${entry%:*}
  number=${entry##*:}
  local keyring
  case $file in
    *.sources) # the entry's number counts the paragraphs of the file
      keyring=$(awk -v n="$number" 'BEGIN {RS = ""; FS = "\n"} NR == n {for (i = 1; i <= NF; i++)
        if ($i ~ /^Signed-By: *\//) {sub(/^Signed-By: */, "", $i); print $i}}' "$file") ;;
    *) # one-line format; the number is the line
      keyring=$(sed -n "${number}s/.*signed-by=\([^] ]*\).*/\1/p" "$file") ;;
  esac
  echo "$uri $suite $keyring"
}

# quietly COMMAND...: keeps what the command prints unless it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

update_lists() {
  quietly as_root apt-get update -q ||
    fail "apt-get update failed; its messages are above." "Is the network there? Are this system's package sources right?"
}

# Writes our own sources file beside the system's: the same archive's source packages, and its backports (Catch2 3; apt
# never takes a package from backports unless it is asked to). The system's own files stay as they are.
add_sources() {
  [ ! -e "$sources_file" ] || return 0
  local uri suite keyring
  [ -n "$(apt-get indextargets 'Created-By: Packages')" ] || update_lists
  read -r uri suite keyring < <(debian_archive)
  [ -n "$uri" ] || exit 1
  say "adding $sources_file (source packages and backports of $uri)"
  {
    echo "# Written by Tessera's cmake/bootstrap.sh; may be removed at any time."
    printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$uri" "$suite"
    [ -z "$keyring" ] || echo "Signed-By: $keyring"
    printf '\nTypes: deb\nURIs: %s\nSuites: %s-backports\nComponents: main\n' "$uri" "$suite"
    [ -z "$keyring" ] || echo "Signed-By: $keyring"
  } | as_root tee "$sources_file" >/dev/null
}

# apt_install [options...] PACKAGE...
apt_install() {
  say "installing $*"
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" ||
    fail "apt-get could not install the packages named above; its messages are there, too."
}

install_packages() {
  local wanted=(build-essential cmake ninja-build ccache git ca-certificates xz-utils libgmsh-dev libmetis-dev
    libyaml-cpp-dev libhdf5-dev libcli11-dev libcairo2-dev)
  [ $mpi = no ] || wanted+=(libopenmpi-dev openmpi-bin)
  [ $petsc = no ] || wanted+=(petsc-dev pkg-config)
  [ $develop = no ] || wanted+=(clang-format doxygen)
  local missing=() package catch2=no
  for package in "${wanted[@]}"; do installed "$package" || missing+=("$package"); done
  if [ $tests = yes ]; then
    case $(dpkg-query -W -f '${db:Status-Status} ${Version}' catch2 2>/dev/null) in
      'installed 3.'*) ;;
      *) catch2=yes ;;
    esac
  fi
  [ ${#missing[@]} -gt 0 ] || [ $catch2 = yes ] || return 0
  command -v apt-get >/dev/null || fail "this is not a Debian system (no apt-get)." \
    "Install the packages that CONTRIBUTING.md lists, set Kokkos_ROOT, and repeat with --no-packages."
  add_sources
  update_lists
  [ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"
  if [ $catch2 = yes ]; then
    if apt-cache policy catch2 | grep -q 'Candidate: 3\.'; then
      apt_install catch2
    else
      apt_install -t "$(sed -n 's/^Suites: \(.*-backports\)/\1/p' "$sources_file")" catch2
    fi
  fi
}

# ---- Kokkos --------------------------------------------------------------------------------------------------------

# True when CMake finds both packages, with OpenMP and the wanted GPU backend, without the cache.
cmake_finds_kokkos() {
  local probe found=1 device=OPENMP
  [ $backend = openmp ] || device=${backend^^}
  probe=$(mktemp -d)
  cat >"$probe/CMakeLists.txt" <<PROBE
cmake_minimum_required(VERSION 3.22)
project(probe CXX)
find_package(Kokkos CONFIG REQUIRED)
find_package(KokkosKernels CONFIG REQUIRED)
if(Kokkos_VERSION VERSION_LESS 3.4 OR NOT "$device" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR "unsuitable")
endif()
PROBE
  cmake -S "$probe" -B "$probe/build" >/dev/null 2>&1 && found=0
  rm -rf "$probe"
  return $found
}

# True when the environment names a Kokkos: that of a user's Spack, module or prefix.
user_names_kokkos() { [ -n "${Kokkos_ROOT:-}${Kokkos_DIR:-}${CMAKE_PREFIX_PATH:-}" ]; }

# Downloads Debian's source package `trilinos` and unpacks its Kokkos and Kokkos Kernels. apt checks the signature of
# the archive and with it the checksum of the file.
get_source() {
  [ ! -e "$cache/source/complete" ] || return 0
  command -v apt-get >/dev/null || fail "no apt-get here to fetch the source of Kokkos with." \
    "Build Kokkos 3.4 or newer and Kokkos Kernels yourself and set Kokkos_ROOT and KokkosKernels_ROOT."
  add_sources
  [ -n "$(apt-cache showsrc trilinos 2>/dev/null)" ] || update_lists
  say "downloading the source of Kokkos (Debian's source package trilinos, 166 MB)"
  rm -rf "$cache/source"
  mkdir -p "$cache/source/download"
  (cd "$cache/source/download" && quietly apt-get source -q --download-only trilinos) ||
    fail "apt-get could not fetch the source package trilinos; its messages are above."
  tar -xf "$cache"/source/download/trilinos_*.orig.tar.* -C "$cache/source" --strip-components=2 --wildcards \
    '*/packages/kokkos/*' '*/packages/kokkos-kernels/*'
  rm -rf "$cache/source/download"
  touch "$cache/source/complete"
}

# edit FILE SED-SCRIPT: edits a file of our copy of Kokkos, and insists that something changed.
edit() {
  local before
  before=$(cksum <"$1")
  sed -i "$2" "$1"
  [ "$before" != "$(cksum <"$1")" ] ||
    fail "the edit of ${1#"$work/"} found nothing to change; this Kokkos is not the 3.4.1 that it was made for." \
      "Build a newer Kokkos with CUDA yourself and set Kokkos_ROOT and KokkosKernels_ROOT."
}

# Kokkos 3.4.1 is older than Hopper and CUDA 13. Small edits teach it both, and CUDA's memory pool.
edit_for_cuda() {
  local kokkos=$work/kokkos major
  major=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  cp -r "$cache/source/kokkos" "$kokkos"
  # 1. The wrapper's default architecture no longer exists; and it need not look for nvcc in PATH.
  edit "$kokkos/bin/nvcc_wrapper" "s|^default_arch=.*|default_arch=sm_${arch//[!0-9]/}|; s|^nvcc_compiler=nvcc|nvcc_compiler=$nvcc|"
  # 2. Newer architectures.
  local name
  for name in ADA89 HOPPER90 BLACKWELL100 BLACKWELL120; do
    edit "$kokkos/cmake/kokkos_arch.cmake" "/^KOKKOS_ARCH_OPTION(AMPERE80 /i KOKKOS_ARCH_OPTION($name GPU \"NVIDIA $name\")
      /^CHECK_CUDA_ARCH(AMPERE80 /i CHECK_CUDA_ARCH($name sm_${name//[!0-9]/})"
    edit "$kokkos/cmake/KokkosCore_config.h.in" "/^#cmakedefine KOKKOS_ARCH_AMPERE80/i #cmakedefine KOKKOS_ARCH_$name"
  done
  # 3. Memory from the driver's pool (CUDA 11.2), as Kokkos does since 4.0: a cudaFree of a large array costs as much as
  # a kernel that reads it. All of it is ordered on the default stream, which waits for the others.
  edit "$kokkos/core/src/Cuda/Kokkos_CudaSpace.cpp" \
    's|cudaMalloc(&ptr, arg_alloc_size)|cudaMallocAsync(\&ptr, arg_alloc_size, nullptr)|
     0,/cudaFree(arg_alloc_ptr)/s//cudaFreeAsync(arg_alloc_ptr, nullptr)/'
  # An array's header (its record and label) goes to the device by a kernel's argument: a copy from the host would wait
  # for all that is under way. It is read back where a Kokkos tool may want the label. Tessera's arrays have none: Kokkos
  # finds only the records of its own scratch memory by their headers.
  edit "$kokkos/core/src/Cuda/Kokkos_CudaSpace.cpp" \
    '/^SharedAllocationRecord<Kokkos::CudaSpace, void>::SharedAllocationRecord(/i \
__global__ void store_header(SharedAllocationHeader *to, SharedAllocationHeader header) { *to = header; }\

     /^SharedAllocationRecord<Kokkos::CudaSpace, void>::SharedAllocationRecord(/,/^}/{
       /DeepCopy<CudaSpace, HostSpace>/{
         N
         s/Kokkos::Impl::DeepCopy.*;/if (arg_label.compare(0, 9, "tessera::") != 0) store_header<<<1, 1>>>(RecordBase::m_alloc_ptr, header);/
       }
     }
     /^SharedAllocationRecord<Kokkos::CudaSpace, void>::~/,/^}/{
       s/label = nullptr/label = ""/
       s/if (Kokkos::Profiling::profileLibraryLoaded())/if (std::getenv("KOKKOS_PROFILE_LIBRARY") != nullptr)/
     }'
  edit "$kokkos/core/src/impl/Kokkos_SharedAlloc_timpl.hpp" \
    's/return std::string(header.m_label);/return std::string(header.m_record == this ? header.m_label : "tessera::array");/'
  # 4. The driver divides a multiprocessor's memory between L1 and scratch memory by what a kernel needs, as Kokkos does
  # since 4.0, instead of leaving L1 the least whenever a kernel has teams.
  edit "$kokkos/core/src/Cuda/Kokkos_Cuda_KernelLaunch.hpp" \
    's|? cudaFuncCachePreferShared : cudaFuncCachePreferL1|? cudaFuncCachePreferNone : cudaFuncCachePreferL1|'
  edit "$kokkos/core/src/Cuda/Kokkos_Cuda_Instance.cpp" \
    's|cudaDeviceSetCacheConfig(cudaFuncCachePreferShared)|cudaDeviceSetCacheConfig(cudaFuncCachePreferNone)|'
  [ "$major" -ge 13 ] || return 0
  # 5. CUDA 13 prefetches to a location instead of a device number.
  edit "$kokkos/core/src/Cuda/Kokkos_CudaSpace.cpp" \
    's|\(cudaMemPrefetchAsync(ptr, bytes, \)space.cuda_device(),|\1cudaMemLocation{cudaMemLocationTypeDevice, space.cuda_device()}, 0,|'
  # 6. Its half-precision type clashes with CUDA 13's; without it half is a float, and Tessera uses neither.
  edit "$kokkos/core/src/Cuda/Kokkos_Cuda_Half.hpp" \
    's|^#ifndef KOKKOS_IMPL_HALF_TYPE_DEFINED|#if !defined(KOKKOS_IMPL_HALF_TYPE_DEFINED) \&\& __CUDACC_VER_MAJOR__ < 13|'
}

build() { # build NAME SOURCE [cmake options...]: configures, builds and installs into $prefix
  local name=$1 source=$2 log=$cache/$1-$variant.log
  shift 2
  say "building $name ($variant) into $prefix"
  {
    # Kokkos 3.4 uses std::uint32_t without its header, which GCC's own headers bring up to version 12.
    cmake -G Ninja -S "$source" -B "$work/build-$name" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
      -DCMAKE_CXX_FLAGS="${CXXFLAGS:+$CXXFLAGS }-include cstdint" \
      -DCMAKE_CXX_STANDARD=17 -DCMAKE_CXX_EXTENSIONS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@" &&
      cmake --build "$work/build-$name" -j "$jobs" && cmake --install "$work/build-$name"
  } >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "building $name failed; the end of its log is above, all of it in $log"
  }
}

# The name of the GPU's architecture in Kokkos' spelling, from its compute capability.
detect_cuda_arch() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) || true
  case $capability in
    7.0) echo VOLTA70 ;;
    7.5) echo TURING75 ;;
    8.0) echo AMPERE80 ;;
    8.6) echo AMPERE86 ;;
    8.9) echo ADA89 ;;
    9.0) echo HOPPER90 ;;
    10.0) echo BLACKWELL100 ;;
    12.0) echo BLACKWELL120 ;;
    '')
      say "no GPU in this machine to detect an architecture from; taking HOPPER90 (--arch names another)"
      echo HOPPER90
      ;;
    *) fail "no name known for compute capability $capability." "Name Kokkos' architecture with --arch NAME." ;;
  esac
}

# Builds both packages for $variant unless the cache has them; sets $prefix.
build_kokkos() {
  local options=(-DKokkos_ENABLE_SERIAL=ON) openmp=ON kernels=(-DKokkosKernels_ADD_DEFAULT_ETI=OFF)
  local compiler=$cxx stamp=complete
  variant=$backend
  case $backend in
    cuda)
      nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) ||
        fail "no nvcc in PATH or /usr/local/cuda/bin." "Install NVIDIA's CUDA toolkit, or put its bin folder into PATH."
      [ -n "$arch" ] || arch=$(detect_cuda_arch)
      stamp=complete-6 # raised when the options or edits change
      ;;
    hip)
      command -v hipcc >/dev/null || fail "no hipcc in PATH." "Install AMD's, or Debian's: apt-get install hipcc libamdhip64-dev"
      compiler=$(command -v hipcc)
      [ -n "$arch" ] || arch=VEGA908
      ;;
  esac
  [ $debug = no ] || variant+=-debug
  prefix=$cache/kokkos-$variant${arch:+-$arch}-$(basename "$cxx")-$("$cxx" -dumpversion)
  if [ ! -e "$prefix/$stamp" ]; then
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock 9
  fi
  if [ ! -e "$prefix/$stamp" ]; then
    get_source
    rm -rf "$prefix"
    work=$(mktemp -d "$cache/work.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    local kokkos=$cache/source/kokkos
    case $backend in
      cuda)
        edit_for_cuda
        kokkos=$work/kokkos
        compiler=$kokkos/bin/nvcc_wrapper
        # Without the LDG intrinsic, arrays for random access are read through the slower texture units.
        options+=(-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_CUDA_LAMBDA=ON -DKokkos_ENABLE_CUDA_CONSTEXPR=ON
          -DKokkos_ENABLE_CUDA_LDG_INTRINSIC=ON
          "-DKokkos_ARCH_$arch=ON")
        kernels+=(-DKokkosKernels_ENABLE_TPL_CUBLAS=OFF -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF)
        export NVCC_WRAPPER_DEFAULT_COMPILER=$cxx
        ;;
      hip)
        options+=(-DKokkos_ENABLE_HIP=ON "-DKokkos_ARCH_$arch=ON")
        if ! "$compiler" -fopenmp -x c++ -fsyntax-only - <<<'#include <omp.h>' 2>/dev/null; then
          say "$compiler has no OpenMP (omp.h); its Kokkos gets Serial and HIP only"
          openmp=OFF
        fi
        ;;
    esac
    options+=("-DKokkos_ENABLE_OPENMP=$openmp")
    if [ $debug = yes ]; then
      options+=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DKokkos_ENABLE_DEBUG=ON -DKokkos_ENABLE_DEBUG_BOUNDS_CHECK=ON)
    else
      options+=(-DCMAKE_BUILD_TYPE=Release)
    fi
    build kokkos "$kokkos" -DCMAKE_CXX_COMPILER="$compiler" "${options[@]}"
    [ $backend != cuda ] || compiler=$prefix/bin/nvcc_wrapper
    build kokkos-kernels "$cache/source/kokkos-kernels" -DCMAKE_CXX_COMPILER="$compiler" -DKokkos_ROOT="$prefix" \
      -DCMAKE_BUILD_TYPE=Release "${kernels[@]}"
    touch "$prefix/$stamp"
  fi
  ln -sfn "$(basename "$prefix")" "$cache/kokkos-$variant" # where CMake looks
}

[ $packages = no ] || install_packages
if user_names_kokkos && cmake_finds_kokkos; then
  say "using the Kokkos that CMake finds by itself"
  echo
elif [ ! -e "$cache/kokkos-$backend" ] && [ $debug = no ] && cmake_finds_kokkos; then
  say "using the Kokkos of this system"
  echo
else
  build_kokkos
  echo "$prefix"
fi
