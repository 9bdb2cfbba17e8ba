#!/bin/sh
# Runs clang-tidy with the repository's .clang-tidy over src/. Minutes, so not part of ./test: cmake --build … --target tidy.
# Usage: scripts/check_tidy.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "clang-tidy not found: apt-get install clang-tidy" >&2; exit 2; }
find src -name '*.cpp' -print0 |
  xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p "$1" --warnings-as-errors='*'
