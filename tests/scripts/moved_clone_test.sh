# A clone that was moved or copied together with its build folder builds afresh instead of failing at CMake's cache.
. "$(dirname "$0")/common.sh"
mkdir -p bin clone/scripts clone/build/release
cp "$source_dir/scripts/prepare.sh" clone/scripts
cat >bin/cmake <<'SH'
#!/bin/sh
[ ! -e build/release/CMakeCache.txt ] || cat build/release/CMakeCache.txt
SH
chmod +x bin/cmake
cd clone
configure_as_the_scripts_do() {
  run env PATH="$scratch/bin:$PATH" sh -euc '. scripts/prepare.sh; configure'
  expect_code 0
}
: >build/release/object.o
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt
configure_as_the_scripts_do
[ -e build/release/object.o ] || fail "a build of this clone was thrown away"
for home in "$scratch/gone" "$scratch/bin"; do # moved; copied
  mkdir -p build/release
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$home" >build/release/CMakeCache.txt
  configure_as_the_scripts_do
  [ ! -e build/release ] || fail "a build of $home was kept"
  expect_in stdout "was made for $home"
done
