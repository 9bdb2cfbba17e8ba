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
run "$warplens" run --proofs=always --compiler nvcc --compile-options '-rdc=true -lcudadevrt' --json report.json \
  "$source_dir/tests/scripts/programs/children.cu"
expect_code 0
[ "$(cat stdout)" = "0 320" ] || fail "children, counting only: '$(cat stdout)'"

# Deep launches are a queue, whatever the stack. An H200 says the same of a chain: 2048 launches below the host's, then error 69.
"$nvcc" -arch=sm_90 -lineinfo -rdc=true -o nested "$source_dir/tests/scripts/programs/nested.cu" -lcudadevrt
expect_nested() { # LINE LAUNCHES ARGUMENT…
  line=$1 launches=$2
  shift 2
  run "$warplens" run --json report.json ./nested "$@"
  expect_code 0
  [ "$(cat stdout)" = "$line" ] || fail "nested $*: '$(cat stdout)', expected '$line'"
  expect_json report.json 'sum(k["launches"] for k in r["kernels"])' "$launches"
}
expect_nested '101 kernels, errors 0 0' 101 chain 100 0
expect_nested '2049 kernels, errors 69 0' 2049 chain 5000 0
expect_in stderr 'cudaErrorLaunchPendingCountExceeded'
expect_nested '11 kernels, errors 69 0' 11 chain 5000 10
expect_nested '1023 kernels, errors 0 0' 512 tree 9 0
expect_nested '4096 kernels, errors 0 0' 4097 wide 4096 0
(ulimit -s 256 && "$warplens" run ./nested chain 20000 100000 >stdout 2>stderr </dev/null) || fail "a deep chain on a small stack"
[ "$(cat stdout)" = '20001 kernels, errors 0 0' ] || fail "a deep chain on a small stack: '$(cat stdout)'"
# One that does not end has the time of the host's launch; nothing is on the stack either.
run "$warplens" run --timeout 2 --strict ./nested tree 1000 0
expect_code 1
[ "$(cat stdout)" = cudaErrorLaunchTimeout ] || fail "an endless tree: '$(cat stdout)'"
expect_in stderr 'ran longer than the time limit'
