#!/bin/sh
# Makes the packages from the sources: a tarball for Linux on x86-64, a Debian package, a Python wheel and two archives for npm. They
# come to build/release/package.
#   scripts/package.sh
# The tarball needs a glibc and a libstdc++ as new as those here: unpack it anywhere and run bin/warplens. What compiles .cu files
# (clang or nvcc) is the user's. scripts/test_package.sh tries the packages in a bare Debian.
set -eu
cd "$(dirname "$0")/.."
export WARPLENS_MORE_PACKAGES=scripts/test-packages.txt # among them those that the playground is built with
. scripts/prepare.sh
prepare
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
ls -l "$build/package"
