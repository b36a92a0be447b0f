#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the commands that the documents tell a user to type: run_commands.sh PROGRAM SOURCE_FOLDER
#
# - every block of commands in README.md, docs/first-steps.md, docs/modelling.md, docs/running.md and docs/tutorial.md, in the order of
#   each, which has to end with exit code 0 within a minute;
# - every variant in the comments of the cases ("--set KEY=VALUE"), as a dry run: the key and the value must be accepted.
set -uo pipefail
program=$1
root=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/inputs" "$work/inputs"
PATH=$(cd "$(dirname "$program")" && pwd):$PATH
cd "$work" || exit 1
failed=0
count=0

fail() {
  echo "FAILED: $1"
  sed 's/^/  /' log | tail -n 20
  failed=$((failed + 1))
}

for document in README.md docs/{first-steps,modelling,running,tutorial}.md; do
  perl "$root/tests/docs/commands.pl" "$root/$document" "$work" || exit 1
done
# Blocks that need a package which this build lacks.
lacking='^$'
tessera info >log
grep -q '^  Cairo *no' log && lacking+='|tessera (plot|report) |output\.report'
grep -q '^  MPI *no' log && lacking+='|--processes|--gpus'
for script in ./*.sh; do
  if grep -qE -e "$lacking" <(grep . "$script"); then
    echo "$script: left out: $(grep -m1 -E -e "$lacking" "$script")"
    continue
  fi
  count=$((count + 1))
  start=$SECONDS
  timeout 60 bash -e "$script" >log 2>&1 </dev/null || fail "$script (exit code $?): $(cat "$script")"
  echo "$script: $((SECONDS - start)) s"
done

# A variant ends at a blank outside quotes; shell variables ("$r") and the sentence's full stop do not belong to it.
while IFS=: read -r case variant; do
  count=$((count + 1))
  eval "set -- $variant"
  "$program" run "$case" --dry-run "$@" >log 2>&1 </dev/null || fail "$case: $variant"
done < <(perl -ne 'while (/(?:^#.*?|\G.*?)((?:--set (?:"[^"]*"|[^\s"(),;:\$]+)\s*)+)/g) { print "$ARGV:", $1 =~ s/[.\s]+$//r, "\n" if /^#/ }' \
  inputs/*/*.yaml)

echo "$count documented commands, $failed failed"
[ $failed = 0 ]
