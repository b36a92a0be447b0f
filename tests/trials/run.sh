#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs problems of users whose results are known, and prints a verdict per line.
#
#   bash tests/trials/run.sh PROGRAM FOLDER [NAME]
#
# FOLDER holds the cases, FOLDER/NAME/CASE.yaml; trials.txt next to this script says what each has to give. NAME: only
# cases whose path holds this text. The exit code is the number of verdicts that are not "right".
set -uo pipefail
[ $# -ge 2 ] || {
  sed -n '5,10s/^# \{0,1\}//p' "$0"
  exit 1
}
program=$1
folder=$2
name=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

verdict() { # verdict RIGHT CASE TEXT
  local word=right
  [ "$1" = 1 ] || {
    word=WRONG
    wrong=$((wrong + 1))
  }
  printf '%-5s  %-34s %s\n' "$word" "$2" "$3"
}

last=
while read -r case what expected tolerance; do
  [ -n "$case" ] && [ "${case:0:1}" != "#" ] || continue
  [[ $case == *"$name"* ]] || continue
  if [ "$case" != "$last" ]; then
    timeout "${TRIAL_SECONDS:-600}" "$program" run "$folder/$case" --output "$work/out" >"$work/log" 2>&1
    code=$?
    last=$case
  fi
  case $what in
    exit) verdict $((code == expected)) "$case" "exit code $code, expected $expected" ;;
    says)
      text="$expected${tolerance:+ $tolerance}"
      verdict "$(grep -qF -- "$text" "$work/log" && echo 1 || echo 0)" "$case" "the output has \"$text\""
      ;;
    *)
      found=$(awk -v q="$what" '$1 == q {print $2; exit}' "$work/log")
      verdict "$(awk -v a="${found:-nan}" -v b="$expected" -v t="$tolerance" \
        'BEGIN {d = a - b; if (d < 0) d = -d; m = b < 0 ? -b : b; print (a == a + 0 && d <= t * m) ? 1 : 0}')" \
        "$case" "$what ${found:-missing}, expected $expected within $tolerance"
      ;;
  esac
done <"$(dirname "$0")/trials.txt"
exit $wrong
