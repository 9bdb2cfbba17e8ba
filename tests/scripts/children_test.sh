# Kernels that launch kernels: they run after their parent, and are counted. clang has no dynamic parallelism.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
run "$warplens" run --compiler nvcc --compile-options '-rdc=true -lcudadevrt' --json report.json \
  "$source_dir/tests/scripts/programs/children.cu"
expect_code 0
[ "$(cat stdout)" = "0 320" ] || fail "children: '$(cat stdout)'"
expect_json report.json '[(k["name"].split("(")[0], k["launches"], k["status"]) for k in sorted(r["kernels"], key=lambda k: k["name"])]' \
  "[('fill', 4, 'exact'), ('parent', 1, 'exact'), ('sum', 1, 'exact')]"
run "$warplens" run --count-only --compiler nvcc --compile-options '-rdc=true -lcudadevrt' --json report.json \
  "$source_dir/tests/scripts/programs/children.cu"
expect_code 0
[ "$(cat stdout)" = "0 320" ] || fail "children, counting only: '$(cat stdout)'"
