#!/bin/sh
# Makes a folder with glibc 2.31, that of Debian 11, to link the packages with: scripts/old_glibc.sh FOLDER
# Needs root, debootstrap and a mirror. What is there already is taken. FOLDER is a whole Debian 11, in which a package can be tried.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
libraries=$folder/usr/lib/x86_64-linux-gnu
if [ ! -e "$libraries/old_glibc.o" ]; then
  command -v debootstrap >/dev/null || { echo "old_glibc.sh: debootstrap is not installed: apt install debootstrap" >&2; exit 1; }
  rm -rf --one-file-system "${folder:?}"/* # not what is mounted there
  debootstrap --variant=minbase --include=libc6-dev bullseye "$folder" "${WARPLENS_MIRROR:-http://deb.debian.org/debian}" >"$folder.log" 2>&1 ||
    { echo "old_glibc.sh: debootstrap could not make a Debian 11: $(tail -1 "$folder.log")" >&2; exit 1; }
  # Links to /lib would lead to this system's libraries.
  find "$libraries" "$folder/usr/lib64" -type l -lname '/*' -name '*.so*' | while read -r link; do
    ln -sfn "$(realpath -s --relative-to="$(dirname "$link")" "$folder$(readlink "$link")")" "$link"
  done
fi
cc -O2 -fPIC -c "$here/cmake/old_glibc.c" -o "$libraries/old_glibc.o" # last: who finds it, finds the rest
