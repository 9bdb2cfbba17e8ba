# What cannot be run: each input has its message and exit code, and none is a crash. 2 means that the program was not
# started; a program that was started keeps its own exit code.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/scale.cu"

refused() { # MESSAGE, ARGUMENTS OF run…
  message=$1
  shift
  run "$warplens" run "$@"
  expect_code 2
  expect_empty stdout
  expect_in stderr "$message"
}
mkdir folder
echo 'not a program' >text
cp text text_with_x && chmod +x text_with_x
echo 'int main( {' >broken.cu
refused "PROGRAM or FILE.cu is required"
refused "'no_such_file' does not exist" no_such_file
refused "'./no_such_file' does not exist" ./no_such_file
refused "'no_such_file.cu' does not exist" no_such_file.cu
refused "'./folder' is a folder" ./folder
refused "'./text' is not executable" ./text
refused "'./text_with_x' is neither an ELF program nor a script" ./text_with_x
refused "unknown compute capability '4242'" --sm 4242 "$program"
WARPLENS_TARGET=banana refused "WARPLENS_TARGET: there is no target 'banana'" "$program"
refused "TIME|SECONDS|timeout" --timeout -1 "$program"
refused "regular expression" --kernel '(' "$program"
refused "cannot write '/nonexistent/report.json'" --json /nonexistent/report.json sh -c true
refused "not closed" --compile-options "-DX='" "$program"
refused "broken.cu:1:" --compiler clang broken.cu
refused "clang.* could not compile" --compiler clang broken.cu
WARPLENS_NVCC=/nonexistent/nvcc refused "cannot start '/nonexistent/nvcc'" --compiler nvcc "$program"

# Programs without CUDA, or without what WarpLens can replace.
run "$warplens" run sh -c 'exit 5'
expect_code 5
expect_in stderr 'neither needs libcudart.so nor contains the CUDA runtime'
run "$warplens" run sh -c 'kill -SEGV $$'
expect_code 139
expect_in stderr 'signal 11|SIGSEGV|Segmentation'

cat >host.c <<'C'
#include <stdio.h>
int main(void) { puts("alive"); return 4; }
C
if cc -static -s host.c -o static_stripped 2>/dev/null; then
  run "$warplens" run ./static_stripped
  expect_code 4
  expect_in stderr 'linked statically as a whole'
fi

cat >no_kernel.cu <<'CU'
int main() { void* p; return cudaMalloc(&p, 4) == cudaSuccess ? 6 : 1; }
CU
run "$warplens" run --compiler clang no_kernel.cu
expect_code 6
expect_in stderr 'launched no CUDA kernel'

# Damaged PTX, by a compiler that spoils what clang made of the device code: the launch fails as on a GPU, with the place.
clang=$(command -v clang-19 || command -v clang) || skip "no clang: damaged PTX not tried"
cat >spoiler <<SH
#!/bin/sh
"$clang" "\$@" || exit
for last; do :; done
case "\$*" in *--cuda-device-only*) sh "$scratch/spoil" "\$last" ;; esac
SH
chmod +x spoiler
spoiled() { # WHAT TO DO WITH \$1, EXPECTED MESSAGE
  echo "$1" >spoil
  WARPLENS_CLANG="$scratch/spoiler" run "$warplens" run --compiler clang --json report.json "$program" word
  expect_no_crash
  expect_in stderr "$2"
  expect_json report.json 'all(l["status"] in ("failed", "unknown") for l in r["launches"])' True
}
spoiled ': >"$1"' 'empty|no PTX|device code'
spoiled 'head -c 700 "$1" >"$1.cut"; mv "$1.cut" "$1"' 'program \(compute_90\):[0-9]+: error'
spoiled 'sed -i s/mul[a-z.]*f32/frobnicate.f32/ "$1"' frobnicate
spoiled 'tr -d ";" <"$1" >"$1.new"; mv "$1.new" "$1"' 'program \(compute_90\):[0-9]+: error'

# PTX of a version to come is read as far as it is understood.
echo 'sed -i "s/^.version .*/.version 99.9/" "$1"' >spoil
WARPLENS_CLANG="$scratch/spoiler" run "$warplens" run --compiler clang "$program" word
expect_code 0
expect_in stderr '99.9'
