# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# shellcheck shell=bash
#
# For tests that run `program` in the current folder: its output is in `log`.
fail() {
  echo "$*"
  cat log
  exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...: an empty TEXT is not checked
  local code=$1 text=$2
  shift 2
  timeout 60 "$program" "$@" >log 2>&1
  local got=$?
  [ $got = "$code" ] || fail "$*: exit code $got, not $code"
  [ -z "$text" ] || grep -q -- "$text" log || fail "$*: does not say '$text'"
}
