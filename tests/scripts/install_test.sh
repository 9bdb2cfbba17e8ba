# cmake --install into an empty prefix, moved elsewhere afterwards: the binary finds its runtime and headers by itself,
# and the runtime libraries find the one that has the code.
. "$(dirname "$0")/common.sh"
run cmake --install "$WARPLENS_BUILD_DIR" --prefix "$scratch/first"
expect_code 0
mv first moved
libraries="$scratch/moved/lib/warplens"
[ -f moved/share/warplens/neovim/warplens.lua ] || fail "the file for Neovim is not installed"
# The recorder is there where CUPTI was when it was built, the example where nvcc was.
# What other distributions have in other versions comes along.
for library in libre2 libsimdjson; do ls "$libraries" | grep -q "^$library\.so\." || fail "$library is not installed"; done
[ "$(cd "$libraries" && ls | grep -v -x -e libwarplens-recorder.so -e examples -e 'libre2\.so\..*' -e 'libsimdjson\.so\..*' | xargs)" = "libcuda.so.1 libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libraries libwarplens-changed-files.so libwarplens-runtime.so warplens-edits warplens-launch" ] ||
  fail "lib/warplens has $(ls "$libraries")"
for shim in "$libraries"/libcudart.so.*; do # the code is there once
  size=$(wc -c <"$shim")
  [ "$size" -lt 1000000 ] || fail "$shim has $size bytes"
done

run env -u LD_LIBRARY_PATH "$scratch/moved/bin/warplens" run --compiler clang "$source_dir/tests/scripts/programs/scale.cu" word
expect_code 0
expect_in stdout '^6 6138 word$'
expect_in stderr 'scale'

# Another installation in LD_LIBRARY_PATH, of another version, is not mixed with this one.
mkdir other
echo 'int warplens_of_another_version;' | cc -shared -x c - -o other/libwarplens-runtime.so
run env LD_LIBRARY_PATH="$scratch/other" "$scratch/moved/bin/warplens" run --compiler clang "$source_dir/tests/scripts/programs/scale.cu" word
expect_code 0
expect_in stdout '^6 6138 word$'
