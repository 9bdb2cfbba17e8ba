# cmake --install into an empty prefix, moved elsewhere afterwards: the binary finds its runtime and headers by itself.
. "$(dirname "$0")/common.sh"
run cmake --install "$WARPLENS_BUILD_DIR" --prefix "$scratch/first"
expect_code 0
mv first moved
run env -u LD_LIBRARY_PATH "$scratch/moved/bin/warplens" run --compiler clang "$source_dir/tests/scripts/programs/scale.cu" word
expect_code 0
expect_in stdout '^6 6138 word$'
expect_in stderr 'scale'
