#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs what Tessera needs on Debian and builds Kokkos and Kokkos Kernels once, into a cache outside the build tree.
#
#   bash cmake/bootstrap.sh [--cuda | --hip] [--arch NAME] [--kokkos-source PATH] [--debug] [--develop] [--petsc] [--python]
#                           [--no-tests] [--no-mpi] [--no-packages]
#
#   --cuda         build Kokkos for CUDA as well (nvcc from PATH or /usr/local/cuda); the architecture is detected
#   --hip          build Kokkos for HIP as well (hipcc from PATH)
#   --arch NAME    architecture of the GPU in Kokkos' spelling: AMPERE80, HOPPER90, AMD_GFX908, ...
#   --kokkos-source PATH
#                  build this Kokkos (4.5 or newer): a folder, or a tar archive, with the folders `kokkos` and `kokkos-kernels`
#   --debug        build Kokkos with bounds checks and debug symbols
#   --develop      install what only developers need, too: clang-format, doxygen
#   --petsc        install PETSc, too (79 packages, 230 MB), for solver.method: petsc
#   --python       install what the Python module and its tests need into an environment in the cache, which CMake finds; without a
#                  Python that can have one this is a warning
#   --no-tests     leave out the packages that only the tests need
#   --no-mpi       leave out MPI, which runs of several processes need
#   --no-packages  install nothing; only build Kokkos
#
# Repeating it does nothing and takes a moment. The last line of its standard output is the prefix of Kokkos, for
# CMAKE_PREFIX_PATH; everything else goes to standard error. A Kokkos that CMake already finds (Kokkos_ROOT or
# CMAKE_PREFIX_PATH in the environment) comes first: then its prefix is left to CMake and the last line is empty.
# Without --kokkos-source the sources are those in the source package pycompadre of PyPI (6 MB), which holds Kokkos and
# Kokkos Kernels 4.5.1 as they were released; Debian has 3.4.1 only. The package is checked by its SHA-256.
#
# Environment: TESSERA_CACHE  folder of the cache (default: ${XDG_CACHE_HOME:-$HOME/.cache}/tessera)
#              CXX            host compiler (default: g++)
#              JOBS           parallel jobs of the build (default: number of processors)
set -euo pipefail

backend=openmp
arch=
kokkos_source=
debug=no
develop=no
petsc=no
python=no
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
    --kokkos-source)
      [ $# -ge 2 ] || fail "--kokkos-source needs a folder or an archive."
      [ -e "$2" ] || fail "there is no '$2' (--kokkos-source)."
      kokkos_source=$(realpath "$2")
      shift
      ;;
    --debug) debug=yes ;;
    --develop) develop=yes ;;
    --petsc) petsc=yes ;;
    --python) python=yes ;;
    --no-tests) tests=no ;;
    --no-mpi) mpi=no ;;
    --no-packages) packages=no ;;
    -h | --help)
      sed -n '5,36s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "unknown option '$1'." "Known options: --cuda --hip --arch NAME --kokkos-source PATH --debug --develop --petsc --python --no-tests --no-mpi --no-packages" ;;
  esac
  shift
done

cache=${TESSERA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera}
cxx=${CXX:-g++}
jobs=${JOBS:-$(nproc)}
sources_file=/etc/apt/sources.list.d/tessera.sources
here=$(cd "$(dirname "$0")" && pwd)

kokkos_floor=4.5
package_name=pycompadre # on PyPI; contains Kokkos and Kokkos Kernels 4.5.1
package_version=1.7.6
package_sha256=c766ec4d445ce076069be4b8c51a23ffac4ee79ea949ca86446bfd8c299b154c

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

# Prints "URI suite keyring" of Debian's main archive as this system is configured to use it (its mirror, its keyring).
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

# quietly COMMAND...: hides the command's output unless it fails.
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

# Writes a sources file of Tessera's next to the system's: the same archive's backports (Catch2 3; apt installs a package from
# backports only on request). The system's files are not changed.
add_backports() {
  [ ! -e "$sources_file" ] || return 0
  local uri suite keyring
  [ -n "$(apt-get indextargets 'Created-By: Packages')" ] || update_lists
  read -r uri suite keyring < <(debian_archive)
  [ -n "$uri" ] || exit 1
  say "adding $sources_file (backports of $uri)"
  {
    echo "# Written by Tessera's cmake/bootstrap.sh; may be removed at any time."
    printf 'Types: deb\nURIs: %s\nSuites: %s-backports\nComponents: main\n' "$uri" "$suite"
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
  [ $python = no ] || wanted+=(python3-dev python3-venv)
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
  [ $catch2 = no ] || add_backports
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
if(Kokkos_VERSION VERSION_LESS $kokkos_floor OR NOT "$device" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR "unsuitable")
endif()
PROBE
  cmake -S "$probe" -B "$probe/build" >/dev/null 2>&1 && found=0
  rm -rf "$probe"
  return $found
}

# True if the environment names a Kokkos, such as one of a user's Spack, module or prefix.
user_names_kokkos() { [ -n "${Kokkos_ROOT:-}${Kokkos_DIR:-}${CMAKE_PREFIX_PATH:-}" ]; }

# Downloads the package that contains the sources of Kokkos. pip runs part of it to read its name, for which Debian's
# python3-packaging suffices; elsewhere pip downloads the build requirements of that part.
download_source() {
  local pip=(python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "$package_name")
  if [ $packages = yes ] && command -v apt-get >/dev/null; then
    local missing=() package
    for package in python3-pip python3-packaging; do installed "$package" || missing+=("$package"); done
    if [ ${#missing[@]} -gt 0 ] && ! python3 -c 'import pip' 2>/dev/null; then apt_install "${missing[@]}"; fi
  fi
  python3 -c 'import pip' 2>/dev/null ||
    fail "python3 with pip is needed to fetch the sources of Kokkos." "Install it (Debian: python3-pip python3-packaging)," \
      "or name sources with --kokkos-source, or a Kokkos of your own with Kokkos_ROOT."
  say "downloading the sources of Kokkos (PyPI's source package $package_name $package_version, 6 MB)"
  quietly "${pip[@]}" --no-build-isolation -d "$1" "$package_name==$package_version" 2>/dev/null ||
    quietly "${pip[@]}" -d "$1" "$package_name==$package_version" ||
    fail "pip could not fetch $package_name $package_version; its messages are above." \
      "Name sources with --kokkos-source, or a Kokkos of your own with Kokkos_ROOT."
}

# unpack ARCHIVE FOLDER: extracts the folders kokkos and kokkos-kernels of an archive, at any depth.
unpack() {
  local listing top
  listing=$(tar -tf "$1") || fail "'$1' is not a tar archive."
  top=$(sed -n 's|^\(.*\)kokkos-kernels/CMakeLists.txt$|\1|p' <<<"$listing" | head -n 1)
  grep -qxF "${top}kokkos/CMakeLists.txt" <<<"$listing" ||
    fail "'$1' does not hold the folders kokkos and kokkos-kernels next to each other."
  mkdir -p "$2"
  tar -xf "$1" -C "$2" --strip-components="$(tr -cd / <<<"$top" | wc -c)" "${top}kokkos" "${top}kokkos-kernels"
}

# Puts a copy of the sources into $work/kokkos and $work/kokkos-kernels and applies the patch of their version.
get_source() {
  if [ -d "$kokkos_source" ]; then
    cp -r "$kokkos_source/kokkos" "$kokkos_source/kokkos-kernels" "$work" ||
      fail "'$kokkos_source' does not hold the folders kokkos and kokkos-kernels."
  elif [ -n "$kokkos_source" ]; then
    unpack "$kokkos_source" "$work"
  else
    local archive=$cache/$package_name-$package_version.tar.gz
    if [ ! -e "$archive" ]; then
      download_source "$work/download"
      mv "$work/download/$(basename "$archive")" "$archive.new"
      mv "$archive.new" "$archive"
    fi
    if ! sha256sum --status -c - <<<"$package_sha256  $archive"; then
      mv "$archive" "$archive.wrong"
      fail "$archive.wrong has not the SHA-256 $package_sha256; it is not used."
    fi
    unpack "$archive" "$work"
  fi
  local part version
  version=$(for part in MAJOR MINOR PATCH; do
    sed -n "s/^set(Kokkos_VERSION_$part \([0-9]*\))/\1/p" "$work/kokkos/CMakeLists.txt"
  done | paste -sd .)
  [ "$(printf '%s\n' "$kokkos_floor" "$version" | sort -V | head -n 1)" = "$kokkos_floor" ] ||
    fail "these sources are Kokkos $version; Tessera needs $kokkos_floor or newer."
  local patch_file=$here/patches/kokkos-$version.patch
  [ ! -e "$patch_file" ] || quietly patch -d "$work" -p1 --fuzz 0 -i "$patch_file" ||
    fail "$patch_file does not fit these sources; its messages are above."
  [ -z "$arch" ] || grep -qiE "(kokkos_arch_option\(|SUPPORTED_AMD_ARCHS.* )$arch[ )]" "$work/kokkos/cmake/kokkos_arch.cmake" ||
    fail "Kokkos $version does not know the architecture $arch." "Name one that it knows with --arch, or newer sources with --kokkos-source."
}

build() { # build NAME SOURCE [cmake options...]: configures, builds and installs into $prefix
  local name=$1 source=$2 log=$cache/$1-$variant.log
  shift 2
  say "building $name ($variant) into $prefix"
  {
    cmake -G Ninja -S "$source" -B "$work/build-$name" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
      -DCMAKE_CXX_EXTENSIONS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@" &&
      cmake --build "$work/build-$name" -j "$jobs" && cmake --install "$work/build-$name"
  } >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "building $name failed; the end of its log is above, all of it in $log"
  }
}

# Prints the name of the GPU's architecture in Kokkos' spelling, from its compute capability.
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

# Builds both packages for $variant unless they are in the cache; sets $prefix.
build_kokkos() {
  local options=(-DKokkos_ENABLE_SERIAL=ON) openmp=ON kernels=(-DKokkosKernels_ADD_DEFAULT_ETI=OFF)
  local compiler=$cxx
  variant=$backend
  case $backend in
    cuda)
      nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) ||
        fail "no nvcc in PATH or /usr/local/cuda/bin." "Install NVIDIA's CUDA toolkit, or put its bin folder into PATH."
      [ -n "$arch" ] || arch=$(detect_cuda_arch)
      ;;
    hip)
      command -v hipcc >/dev/null || fail "no hipcc in PATH." "Install AMD's, or Debian's: apt-get install hipcc libamdhip64-dev"
      compiler=$(command -v hipcc)
      [ -n "$arch" ] || arch=AMD_GFX908
      ;;
  esac
  [ $debug = no ] || variant+=-debug
  prefix=$cache/kokkos-$variant${arch:+-$arch}-$(basename "$cxx")-$("$cxx" -dumpversion)
  # Describes what the prefix was built from; increase the last number when options or patches change.
  local stamp="${kokkos_source:-$package_name $package_version} 1"
  is_built() { [ "$(cat "$prefix/complete" 2>/dev/null)" = "$stamp" ]; }
  if ! is_built; then
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock 9
  fi
  if ! is_built; then
    work=$(mktemp -d "$cache/work.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    get_source
    rm -rf "$prefix"
    case $backend in
      cuda)
        compiler=$work/kokkos/bin/nvcc_wrapper
        options+=(-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_CUDA_CONSTEXPR=ON "-DKokkos_ARCH_$arch=ON")
        kernels+=(-DKokkosKernels_ENABLE_TPL_{CUBLAS,CUSPARSE,CUSOLVER}=OFF)
        export NVCC_WRAPPER_DEFAULT_COMPILER=$cxx
        # The wrapper searches for nvcc only in PATH.
        command -v nvcc >/dev/null || sed -i "s|^nvcc_compiler=nvcc|nvcc_compiler=$nvcc|" "$compiler"
        ;;
      hip)
        options+=(-DKokkos_ENABLE_HIP=ON -DKokkos_ENABLE_ROCTHRUST=OFF "-DKokkos_ARCH_$arch=ON")
        kernels+=(-DKokkosKernels_ENABLE_TPL_{ROCBLAS,ROCSPARSE,ROCSOLVER}=OFF)
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
    build kokkos "$work/kokkos" -DCMAKE_CXX_COMPILER="$compiler" "${options[@]}"
    [ $backend != cuda ] || compiler=$prefix/bin/nvcc_wrapper
    build kokkos-kernels "$work/kokkos-kernels" -DCMAKE_CXX_COMPILER="$compiler" -DKokkos_ROOT="$prefix" \
      -DCMAKE_BUILD_TYPE=Release "${kernels[@]}"
    echo "$stamp" >"$prefix/complete"
  fi
  ln -sfn "$(basename "$prefix")" "$cache/kokkos-$variant" # searched by CMake
}

# ---- Python --------------------------------------------------------------------------------------------------------

# Makes an environment with nanobind for the module, and numpy for its tests.
make_python() {
  local environment=$cache/python
  [ -e "$environment/complete" ] && return
  say "making a Python environment with nanobind and numpy in $environment"
  rm -rf "$environment"
  if python3 -m venv "$environment" >&2 && quietly "$environment/bin/python3" -m pip install --quiet --disable-pip-version-check nanobind numpy; then
    touch "$environment/complete"
  else
    rm -rf "$environment"
    say "warning: that failed, as the messages above say; the Python module is left out (Debian: python3-venv python3-dev)"
  fi
}

[ $packages = no ] || install_packages
[ $python = no ] || make_python
if [ -n "$kokkos_source" ]; then
  build_kokkos
  echo "$prefix"
elif user_names_kokkos && cmake_finds_kokkos; then
  say "using the Kokkos that CMake finds by itself"
  echo
elif [ ! -e "$cache/kokkos-$backend" ] && [ $debug = no ] && cmake_finds_kokkos; then
  say "using the Kokkos of this system"
  echo
else
  build_kokkos
  echo "$prefix"
fi
