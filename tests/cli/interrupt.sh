#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# interrupt.sh PROGRAM CASE: sends Ctrl-C at several moments of a run; all files that are left must be complete.
set -u
program=$1 case=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
interrupted=0
for seconds in 0.1 0.2 0.4 0.6 0.8 1 1.5 2; do
  # In the background bash lets a program ignore Ctrl-C; timeout sends it to a program in the foreground.
  timeout --preserve-status --signal=INT "$seconds" "$program" run "$case" --output "$folder/out" \
    --set "mesh.box.cells=[500, 500]" --quiet
  code=$?
  [ $code = 130 ] && interrupted=$((interrupted + 1))
  if [ $code != 130 ] && [ $code != 0 ]; then
    echo "exit code $code after $seconds s, expected 130 (or 0 when it was done)"
    exit 1
  fi
  left=$(find "$folder" -name '*.part')
  if [ -n "$left" ]; then
    echo "interrupted after $seconds s it left $left"
    exit 1
  fi
done
[ $interrupted -gt 0 ] || {
  echo "no run was interrupted"
  exit 1
}
