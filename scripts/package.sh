#!/bin/sh
# Makes the packages from the sources: a tarball for Linux on x86-64, a Debian package, a Python wheel and two archives for npm. They
# come to build/release/package.
#   scripts/package.sh
# They are made for glibc 2.31 and later, if debootstrap can make a Debian 11 to link with (which needs root); else with a glibc as new as
# the one here. What compiles .cu files (clang or nvcc) is the user's. scripts/test_package.sh tries the packages in bare Debians.
set -eu
cd "$(dirname "$0")/.."
export WARPLENS_MORE_PACKAGES=scripts/test-packages.txt # among them those that the playground is built with
. scripts/prepare.sh
prepare
glibc=$PWD/build/glibc-2.31
if sh scripts/old_glibc.sh "$glibc"; then
  configure -DWARPLENS_GLIBC="$glibc"
  trap 'configure -DWARPLENS_GLIBC=' EXIT # what is built next is for this system
else
  say "The packages will need $(getconf GNU_LIBC_VERSION), or a newer one"
fi
cmake --build "$build" -j "$(jobs)" --target product playground >"$build.package.log" 2>&1 || die "the build failed: see $build.package.log"
rm -rf "$build/package"
version=$("$build/warplens" --version | head -1 | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
name="warplens-$version-linux-x86_64"
cmake --install "$build" --strip --prefix "$build/package/$name" >>"$build.package.log" || die "nothing to pack: see $build.package.log"
python3 scripts/archives.py "$build/package/$name" "$version" "$build/package" # which bring the licence themselves
cp LICENSE "$build/package/$name"
tar -C "$build/package" --owner=0 --group=0 --sort=name -czf "$build/package/$name.tar.gz" "$name"
rm -rf "${build:?}/package/$name"
cpack -G DEB --config "$build/CPackConfig.cmake" >>"$build.package.log" 2>&1 || die "no Debian package: see $build.package.log"
rm -rf "$build/package/_CPack_Packages"
sh scripts/source_package.sh "$build/package" || say "No Debian source package: it needs git and dpkg-dev"
ls -l "$build/package"
