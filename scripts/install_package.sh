#!/bin/sh
# Unpacks a package of WarpLens into a folder, which then has bin/warplens: scripts/install_package.sh PACKAGE FOLDER
# PACKAGE is a tarball or a .deb of scripts/package.sh, as a path or as an address that curl takes. No root is needed.
set -eu
die() { printf 'install_package.sh: %s\n' "$*" >&2; exit 1; }
[ $# = 2 ] || die "give a package and a folder"
package=$1 folder=$2
mkdir -p "$folder"
case $package in
http://* | https://*)
  curl -fsSL --retry 3 -o "$folder/package" "$package" || die "cannot fetch $package"
  name=${package##*/} package="$folder/package"
  ;;
*) name=${package##*/} ;;
esac
[ -f "$package" ] || die "there is no $package"
case $name in
*.tar.gz) tar -xzf "$package" -C "$folder" --strip-components=1 || die "$name is no tarball" ;;
*.deb) # below usr/
  dpkg-deb -x "$package" "$folder/deb" || die "$name is no Debian package"
  cp -a "$folder"/deb/usr/. "$folder" && rm -r "$folder/deb"
  ;;
*) die "$name is no .tar.gz and no .deb" ;;
esac
rm -f "$folder/package"
"$folder/bin/warplens" --version || die "what $name has does not run here (docs/do/install.md)"
