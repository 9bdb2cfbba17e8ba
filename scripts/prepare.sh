# Sourced by quickstart and test: installs the packages that are missing, then configures the release build.
# Needs apt only for what is missing, and sudo only when not root. Expects to be in the repository's root.

build=build/release
package_lists="scripts/packages.txt ${WARPLENS_MORE_PACKAGES:-}"

say() { printf '== %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$1" >&2
  [ -z "${2:-}" ] || printf '  help: %s\n' "$2" >&2
  exit 1
}

missing_packages() {
  # shellcheck disable=SC2086
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' $package_lists | while read -r package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    command -v sudo >/dev/null || die "installing packages needs root" "run as root, or install sudo, or install: $missing"
    sudo "$@"
  fi
}

install_packages() {
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || die "this is not Debian: apt-get not found" "install what $package_lists lists"
  say "Installing: $missing"
  log=$(mktemp)
  # shellcheck disable=SC2086
  if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -20 "$log" >&2
    die "the packages could not be installed" "the whole output is in $log"
  fi
  rm -f "$log"
}

# One compiler job per core and per 1.5 GB of memory.
jobs() {
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  if [ "$cores" -lt "$memory" ]; then echo "$cores"; else echo "$memory"; fi
}

# A build folder that came here with a clone that was moved or copied names its files by their old paths.
drop_foreign_build() {
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt" 2>/dev/null) || return 0
  [ -n "$home" ] || return 0
  [ "$(cd "$home" 2>/dev/null && pwd -P)" != "$(pwd -P)" ] || return 0
  say "Building afresh: $build was made for $home"
  rm -rf "$build"
}

configure() {
  drop_foreign_build
  set -- --preset "${preset:-release}" "$@"
  if command -v ccache >/dev/null; then
    set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  cmake "$@" >"$build.log" 2>&1 || { cat "$build.log" >&2; die "CMake could not configure the build"; }
}

prepare() {
  install_packages
  mkdir -p build
  configure
}
