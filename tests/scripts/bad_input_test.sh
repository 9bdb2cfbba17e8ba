# What is no CUDA program: each input has its message and exit code, and none is a crash.
. "$(dirname "$0")/common.sh"

run "$warplens" run no_such_file
expect_code 2
expect_in stderr 'no_such_file'

mkdir folder
run "$warplens" run ./folder
expect_code 2
expect_in stderr 'folder'

echo 'not a program' >text
run "$warplens" run ./text
expect_code 2
expect_in stderr 'text'

echo 'int main( {' >broken.cu
run "$warplens" run --compiler clang broken.cu
expect_code 2
expect_in stderr 'broken.cu:1:'

run "$warplens" run --compiler clang --sm 4242 "$source_dir/tests/scripts/programs/scale.cu"
expect_code 2
expect_in stderr '4242'

run "$warplens" run sh -c 'exit 5'
expect_code 5
expect_in stderr 'no CUDA|No CUDA'

cat >host.c <<'C'
#include <stdio.h>
int main(void) { puts("alive"); return 4; }
C
cc -static -s host.c -o static_stripped || skip "no static C library"
run "$warplens" run ./static_stripped
expect_in stderr 'static'
expect_no_crash
