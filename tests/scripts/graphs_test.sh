# Graphs: what a program builds or captures runs when it is launched, in order, with its kernels counted like any others. With
# clang alone, and with nvcc where it is.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/graphs.cu"
expect_graphs() { # COMPILER
  run "$warplens" run --compiler "$1" --json report.json "$program"
  [ "$(cat stdout)" = "0 wrong, 21 launches" ] || fail "$1: $(cat stdout)"
  expect_code 0
  expect_json report.json 'sum(l["count"] for l in r["launches"])' 21
  expect_json report.json 'sorted({(l["name"].split("(")[0], l["status"]) for l in r["launches"]})' \
    "[('add', 'exact'), ('scale', 'exact'), ('shift', 'exact')]"
  expect_json report.json '[u["function"] for u in r["unsupported"]]' "['cudaGraphAddNode of an external semaphore']"
}
expect_graphs clang
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ ! -x "$nvcc" ] || expect_graphs nvcc
