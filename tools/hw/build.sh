#!/bin/sh
# Builds the programs of public.txt for measure.sh, with machine code of sm_90 and lines of the source.
#
#   tools/hw/build.sh SUITES OUT [NAME…]      SUITES: a folder with a checkout of each suite; OUT: gets the programs and list.txt
#
# What cannot be built is left out of the list, with a line that says so. JOBS programs at once (default: the processors).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
one() { # NAME FOLDER WORDS
  [ -x "$out/$1" ] && return
  cd "$suites/$2"
  # shellcheck disable=SC2086,SC2046 # words of nvcc; patterns among them are of files in the folder
  nvcc -O3 -std=c++17 -w -arch=sm_90 -lineinfo -cudart shared -o "$out/$1" $(printf '%s' "$3" | sed "s,@HERE@,$here,") > "$out/$1.log" 2>&1 &&
    rm "$out/$1.log" || echo "$1: not built, $out/$1.log says why" >&2
}
if [ "${1:-}" = --one ]; then
  suites=$2 out=$3 IFS='|' && set -- $4 && unset IFS
  one "$1" "$2" "$3"
  exit 0
fi
suites=$(cd "${1:?a folder with the suites}" && pwd) out=$2 && shift 2
mkdir -p "$out" && out=$(cd "$out" && pwd)
chosen() {
  sed '/^#/d; /^$/d' "$here/public.txt" |
    if [ $# -gt 0 ]; then grep -E "^($(echo "$*" | tr ' ' '|'))\|"; else cat; fi
}
chosen "$@" | xargs -P "${JOBS:-$(nproc)}" -d '\n' -n 1 sh "$0" --one "$suites" "$out"
chosen "$@" | while IFS='|' read -r name _ _ arguments; do
  [ ! -x "$out/$name" ] || echo "$name $out/$name $arguments"
done > "$out/list.txt"
