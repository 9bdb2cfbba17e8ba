# Device code of several files that use each other's functions and variables (-rdc), and managed variables, which host and device
# name alike: with clang alone, and with nvcc where it is.
. "$(dirname "$0")/common.sh"
programs="$source_dir/tests/scripts/programs"
expect_parts() { # COMPILER
  run "$warplens" run --compiler "$1" --compile-options "-rdc=true $programs/parts_other.cu" --json report.json "$programs/parts_main.cu"
  expect_code 0
  [ "$(cat stdout)" = "1162 3162 42 50 1.5 1 50 cudaSuccess" ] || fail "$1: $(cat stdout)"
  expect_json report.json '[(l["name"].split("(")[0], l["status"]) for l in r["launches"]]' "[('fill', 'exact'), ('other', 'exact')]"
}
expect_parts clang
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ ! -x "$nvcc" ] || expect_parts nvcc
