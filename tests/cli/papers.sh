#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# papers.sh PROGRAM SOURCE GMSH: `bench paper --quick` runs its experiments, and finds our value for each of the paper's.
set -u
program=$1 source=$2 gmsh=$3
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMP_NUM_THREADS=1
. "$here/expect.sh"

paper() { # paper NAME LIMIT
  local name=$1 file=$source/inputs/papers/$1/paper.yaml page=out/$1/paper.html n figures
  figures=$(grep -c '^figures:' "$file")
  n=$(($(grep -c '^  - name:' "$file") - $(grep -c '^    quick: false' "$file")))
  timeout "$2" "$program" bench paper "$file" --quick --backend serial --output "out/$name" >log 2>&1 || fail "$name: exit code $?"
  grep -q "^$page" log || fail "$name: the page is not named"
  ! grep -q 'not measured' $page || fail "$name: $(grep -o '[^>]*</td><td[^>]*>[^<]*</td><td>not measured' $page | head -40)"
  [ "$(grep -c '<h2>' $page)" = $((n + 1 + figures)) ] || fail "$name: not a heading for each experiment"
  [ "$(grep -o 'tessera bench [a-z]* --backend' $page | wc -l)" = "$n" ] || fail "$name: not a command for each experiment"
  [ "$(find "out/$name" -name bench.yaml | wc -l)" = $((n + figures)) ] || fail "$name: not the tables of each experiment"
}
paper polytopic-dg 200
grep -q '>67 ns<' out/polytopic-dg/paper.html || fail "a value of the paper is not on its page"
sed -e "s#\.\./\.\./#$source/inputs/#" -e 's/"mesh.agglomerate.elements=24"/&, "execution.memory_limit=0.00001"/' \
  "$source/inputs/papers/polytopic-dg/paper.yaml" >small.yaml
timeout 100 "$program" bench paper small.yaml --quick --backend serial --output out/small >log 2>&1 || fail "does not fit: exit code $?"
grep -q 'Does not fit here: The matrix of dg' log || fail "does not fit: not reported"
grep -q 'Does not fit here: The matrix of dg' out/small/paper.html || fail "does not fit: not on the page"
sed -n '/^experiments:/q;p' "$source/inputs/papers/polytopic-dg/paper.yaml" | sed -e '/^  - {name: osc/s/name: [^,]*/name: other.vtkhdf/' \
  -e "s#\.\./\.\./#$source/inputs/#" >wrong.yaml
sed -n '/name: table-5-8k-p1/,/columns:/p' "$source/inputs/papers/polytopic-dg/paper.yaml" | sed "s#\.\./\.\./#$source/inputs/#" >table-5
cat <(echo experiments:) table-5 >>wrong.yaml
expect 1 "the mesh 'oscillating.vtkhdf' of the experiment 'table-5-8k-p1' is none of .meshes" bench paper wrong.yaml --output out
if [ "$gmsh" = ON ]; then
  sed -e 's/other.vtkhdf/oscillating.vtkhdf/' -e 's/size=0.00261/size=0.05/' -e 's/elements=8337/elements=30/' wrong.yaml >oscillating.yaml
  timeout 100 "$program" bench paper oscillating.yaml --backend serial --repetitions 1 --output out/table-5 >log 2>&1 ||
    fail "a shared mesh: exit code $?"
  grep -q '30 elements' log && [ -s out/table-5/oscillating.vtkhdf ] || fail "a shared mesh: not used"
  head -c 0 >log
  paper a-fem 200
  grep -q '>192 B<' out/a-fem/paper.html || fail "a value of the paper is not on its page"
  paper ebe 200
fi

expect 1 'bench paper: there is no inputs/papers/b-fem/paper.yaml in this folder' bench paper b-fem --output out
expect 1 'bench paper: name a directory for the tables' bench paper "$source/inputs/papers/ebe/paper.yaml"
expect 1 'bench assembly: a name and --quick are for bench paper' bench assembly a-fem
touch file
expect 1 "cannot create the directory 'file/out'" bench paper "$source/inputs/papers/polytopic-dg/paper.yaml" --output file/out
sed 's/^    bench:/    benhc:/' "$source/inputs/papers/polytopic-dg/paper.yaml" >wrong.yaml
expect 1 "wrong.yaml:[0-9]*: experiments\[0\].benhc: unknown key 'benhc'; did you mean 'bench'" bench paper wrong.yaml --output out
printf 'title: t\nexperiments:\n  - {name: a, bench: assembly, published: [{what: w, value: many}]}\n' >wrong.yaml
expect 1 'wrong.yaml:[0-9]*: experiments\[0\].published\[0\].value: expected a number' bench paper wrong.yaml --output out
