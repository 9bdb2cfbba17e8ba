#!/bin/sh
# Checks the layout of every C++ source with clang-format 14 (the version Debian 12 has; others differ in detail).
# With --fix, formats them. Example programs and the CUDA headers for clang (cuda/) keep the layout of CUDA code.
set -eu
cd "$(dirname "$0")/.."
folders=$(ls -d src tests include bench 2>/dev/null) || true
# shellcheck disable=SC2086
files=$(find $folders \( -name '*.h' -o -name '*.inc' -o -name '*.cpp' \) -not -path '*/data/*')
if [ "${1:-}" = --fix ]; then
  # shellcheck disable=SC2086
  exec clang-format-14 -i $files
fi
# shellcheck disable=SC2086
clang-format-14 --dry-run --Werror $files || {
  echo "help: scripts/check_format.sh --fix" >&2
  exit 1
}
