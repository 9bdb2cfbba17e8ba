#!/bin/sh
# Makes a Debian source package of the last commit: scripts/source_package.sh FOLDER. Needs git and dpkg-dev. What comes out is built
# with `dpkg-source -x warplens_*.dsc`, and `dpkg-buildpackage -b` in the folder that this makes.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(sed -n 's/^project(WarpLens VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
of() { python3 -c 'import json, sys; print(json.load(open("packaging.json"))[sys.argv[1]])' "$1"; }
owner=$(of owner) address=$(of address) repository=$(of repository) summary=$(of summary) description=$(of description)
when=$(git log -1 --format=%cD)
tree="$folder/warplens-$version"
rm -rf "$tree"
mkdir "$tree"
git archive HEAD | tar -x -C "$tree"
mkdir -p "$tree/debian/source"
cd "$tree/debian"
echo '3.0 (native)' >source/format
cp ../cmake/debian/copyright copyright
cat >control <<END
Source: warplens
Section: devel
Priority: optional
Maintainer: $owner${address:+ <$address>}
Build-Depends: debhelper-compat (= 13), $(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' -e '/build-essential\|clang-format\|gtest\|gmock\|benchmark/d' ../scripts/packages.txt | paste -sd, | sed 's/,/, /g')
Standards-Version: 4.6.2
${repository:+Homepage: $repository
}Rules-Requires-Root: no

Package: warplens
Architecture: amd64
Depends: \${shlibs:Depends}, \${misc:Depends}
Recommends: clang-19 | clang-16 | clang, g++
Description: $summary
$(printf '%s\n' "$description" | fold -s -w 76 | sed 's/^/ /; s/ *$//')
END
cat >changelog <<END
warplens ($version) unstable; urgency=medium

  * Version $version.

 -- $owner <${address:-nobody}>  $when
END
cat >rules <<'END'
#!/usr/bin/make -f
export DH_VERBOSE = 1
# CMake's own preset says how a release is compiled.
export DEB_BUILD_MAINT_OPTIONS = hardening=-all optimize=-lto
%:
	dh $@ --buildsystem=cmake+ninja --builddirectory=build/debian
override_dh_auto_configure:
	cmake -S . -B build/debian -G Ninja -DCMAKE_BUILD_TYPE=Release -DWARPLENS_TESTS=OFF -DWARPLENS_BENCHMARKS=OFF
override_dh_auto_build:
	cmake --build build/debian --target product
override_dh_auto_test:
override_dh_auto_install:
	cmake --install build/debian --prefix debian/warplens/usr
override_dh_shlibdeps:
	dh_shlibdeps -l$(CURDIR)/build/debian/lib
END
chmod +x rules
cd "$folder"
dpkg-source -b "$tree" >"$folder/source.log" 2>&1 || { tail -3 "$folder/source.log" >&2; exit 1; }
rm -rf "$tree" "$folder/source.log"
