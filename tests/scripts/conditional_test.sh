# Conditional nodes of graphs: their bodies run as kernels say, and each of the bodies' launches is counted. With clang alone,
# and with nvcc where it is.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/conditional.cu"
expect_conditionals() { # COMPILER OPTIONS OF-WARPLENS
  run "$warplens" run $3 --compiler "$1" --compile-options "$2" --json report.json "$program"
  [ "$(cat stdout)" = "0 wrong" ] || fail "$1 $3: $(cat stdout)"
  expect_code 0
  expect_json report.json 'sorted((k["name"].split("(")[0], k["launches"]) for k in r["kernels"])' \
    "[('add', 9), ('choose', 4), ('count_down', 6)]"
  expect_json report.json '[m["kind"] for m in r["messages"] if m["kind"] != "machine-code-not-translated"]' "['graph-never-ends']"
}
expect_conditionals clang '' ''
expect_conditionals clang '' --proofs=always
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ ! -x "$nvcc" ] || expect_conditionals nvcc '-rdc=true -lcudadevrt' ''
