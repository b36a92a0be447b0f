#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# gpu_suite.sh SOURCE: the GPU suite fails without a program, and with one that names no backend, instead of passing empty checks.
set -u
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() { # expect TEXT
  bash "$source/cmake/gpu_suite.sh" --build "$folder" --no-build --stages compare,reproducible --logs "$folder/logs" >"$folder/log" 2>&1
  local got=$?
  [ $got = 1 ] && tail -n 1 "$folder/log" | grep -q "^GPU suite: FAILED: $1" && return
  cat "$folder/log"
  echo "exit code $got, expected 1 and: $1"
  exit 1
}
expect "there is no program $folder/bin/tessera"
mkdir "$folder/bin"
printf '#!/bin/sh\nexit 3\n' >"$folder/bin/tessera"
chmod +x "$folder/bin/tessera"
expect "$folder/bin/tessera info lists no backend"
