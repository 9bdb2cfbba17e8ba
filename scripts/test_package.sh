#!/bin/sh
# Makes the packages, installs that for Debian into a bare Debian 12 in a folder, where it must compile and run a program, then the wheel
# and npm's archives there, and unpacks the tarball in a bare Debian 11, where it must run a program. Needs root, debootstrap, and a
# mirror; exits with 77 where one of them is missing. Takes minutes, and is no part of ./test.
#   scripts/test_package.sh [FOLDER]     keeps the Debian 12 in FOLDER, and takes the one that is there
# WARPLENS_PACKAGES=FOLDER are tried instead of those that would be made.
set -eu
cd "$(dirname "$0")/.."
build=${WARPLENS_BUILD_DIR:-build/release}
skip() { printf 'skipped: %s\n' "$*"; exit 77; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || skip "a Debian in a folder is made by root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed: apt install debootstrap"
command -v dpkg-shlibdeps >/dev/null || skip "dpkg-dev is not installed: apt install dpkg-dev"
packages=${WARPLENS_PACKAGES:-}
if [ -z "$packages" ]; then
  scripts/package.sh || fail "no packages"
  packages=$build/package
fi
package=$(echo "$packages"/*.deb)
dpkg-deb --info "$package"

folder=${1:-} temporary=
[ -n "$folder" ] || folder=$(mktemp -d) temporary=$folder
mkdir -p "$folder"
# What is mounted goes first: else the folder would not go, or the system's /proc with it.
trap 'umount "$folder/debian/proc" build/glibc-2.31/proc 2>/dev/null || true; [ -z "$temporary" ] || rm -rf --one-file-system "$temporary"' EXIT
debian="$folder/debian"
if [ ! -d "$debian/var/lib/dpkg" ]; then
  debootstrap --variant=minbase bookworm "$debian" "${WARPLENS_MIRROR:-http://deb.debian.org/debian}" >"$folder/log" 2>&1 ||
    skip "debootstrap could not make a Debian: $(tail -1 "$folder/log")"
fi
[ -e "$debian/proc/self" ] || mount -t proc proc "$debian/proc" || skip "proc cannot be mounted"
cp "$package" "$debian/root/warplens.deb"
cp examples/matmul.cu "$debian/root/matmul.cu"

now() { date +%s.%N; }
since() { python3 -c 'import sys, time; print(f"{time.time() - float(sys.argv[1]):.1f} s")' "$1"; }
inside() { chroot "$debian" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -ec "$1"; }
begin=$(now)
inside 'apt-get update -q && apt-get install -y -q --no-install-recommends /root/warplens.deb' >"$folder/install.log" 2>&1 ||
  fail "apt-get cannot install it: $(tail -5 "$folder/install.log")"
echo "Debian 12: installed after $(since "$begin")"
inside 'warplens --version && warplens gpus >/dev/null && warplens explain "A[threadIdx.x]" >/dev/null'
inside 'ls /usr/share/man/man1/warplens-run.1* /usr/share/bash-completion/completions/warplens /usr/share/doc/warplens/copyright >/dev/null' ||
  fail "pages are missing"
if ! inside 'command -v clang-19 >/dev/null'; then # a folder that was kept has it
  inside 'warplens doctor' && fail "doctor finds a compiler where there is none"
fi
inside 'apt-get install -y -q --no-install-recommends clang-19 g++' >>"$folder/install.log" 2>&1 || fail "no clang-19: $(tail -5 "$folder/install.log")"
inside 'warplens doctor'
inside 'cd /root && warplens run matmul.cu 2>report && cat report && grep -q "sectors" report' || fail "matmul.cu does not run"
# The wheel and npm's archives, with what installs them.
cp "$packages"/*.whl "$packages"/*.tgz "$debian/root"
inside 'apt-get install -y -q --no-install-recommends python3-venv npm' >>"$folder/install.log" 2>&1 || fail "no pip or npm: $(tail -5 "$folder/install.log")"
begin=$(now)
inside 'cd /root && rm -rf venv && python3 -m venv venv && venv/bin/pip install -q --no-index warplens-*.whl &&
  test "$(venv/bin/python -c "import warplens; print(warplens.explain(\"A[threadIdx.x]\").total[\"sectors\"])")" = 32' || fail "the wheel"
echo "pip: installed, and answered after $(since "$begin")"
begin=$(now)
inside 'mkdir -p /root/npm && cd /root/npm && echo "{}" >package.json && npm install --offline --no-audit --no-fund --silent ../warplens-linux-x64-*.tgz ../warplens-[0-9]*.tgz &&
  node_modules/.bin/warplens explain "A[threadIdx.x]" >/dev/null' || fail "npm"
echo "npm: installed, and answered after $(since "$begin")"
inside 'dpkg --remove warplens >/dev/null && ! test -e /usr/lib/warplens' || fail "it does not go without a trace"

debian=build/glibc-2.31
sh scripts/old_glibc.sh "$debian" || skip "there is no Debian 11"
rm -rf "$debian/root/warplens"
mkdir "$debian/root/warplens"
begin=$(now)
tar -C "$debian/root/warplens" --strip-components=1 -xzf "$packages"/*.tar.gz
[ -e "$debian/proc/self" ] || mount -t proc proc "$debian/proc" || skip "proc cannot be mounted"
inside 'PATH=$PATH:/root/warplens/bin; cd /root; warplens explain "A[threadIdx.x]" >/dev/null
  code=0; warplens check warplens/share/warplens/examples/transpose.ptx >check 2>&1 || code=$?
  test $code = 1 && grep -q "bank conflict" check'
if [ -e "$debian/root/warplens/lib/warplens/examples/transpose" ]; then # made where nvcc is
  inside 'cd /root; warplens/bin/warplens run warplens/lib/warplens/examples/transpose 2>report; grep -q "transpose.cu:22" report'
fi
echo "Debian 11: unpacked and two reports after $(since "$begin")"
echo "the packages install, run and go"
