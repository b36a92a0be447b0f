#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Lists the C++ files that clang-format would change (exit 1), or changes them: bash cmake/format_check.sh [--fix]
# Versions of clang-format format differently; version 14 (Debian 12) is the reference.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format) || {
  echo "format check: clang-format was not found; install it with: bash cmake/bootstrap.sh --develop" >&2
  exit 1
}
mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard -- 'lib/*.[ch]pp' 'apps/*.[ch]pp' 'tests/*.[ch]pp' 'python/*.[ch]pp')
if [ "${1:-}" = --fix ]; then
  "$tool" -i "${files[@]}"
elif ! complaints=$("$tool" --dry-run --Werror "${files[@]}" 2>&1); then
  grep -oE '^[^: ]+:[0-9]+' <<<"$complaints" | sort -u -t: -k1,1 || true
  echo "format check: the files above differ from .clang-format; bash cmake/format_check.sh --fix corrects them"
  exit 1
else
  echo "format check: ${#files[@]} files as clang-format wants them"
fi
