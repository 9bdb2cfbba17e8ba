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

# A loop has the time that a launch has, however short its kernels are.
cat >endless.cu <<'CU'
#include <cstdio>
__global__ void nothing() {}
int main() {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0), cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 1;
  cudaGraphNode_t loop, node;
  cudaGraphAddNode(&loop, graph, nullptr, nullptr, 0, &p);
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)nothing, kernel.gridDim = 1, kernel.blockDim = 1;
  cudaGraphAddKernelNode(&node, p.conditional.phGraph_out[0], nullptr, 0, &kernel);
  cudaGraphInstantiate(&exec, graph, 0);
  const cudaError_t launched = cudaGraphLaunch(exec, nullptr);
  printf("%s %s\n", cudaGetErrorName(launched), cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
run timeout 100 "$warplens" run --compiler clang --timeout 1 --json report.json endless.cu
[ "$(cat stdout)" = 'cudaErrorLaunchTimeout cudaErrorLaunchTimeout' ] || fail "a loop without an end: $(cat stdout)"
expect_json report.json '[m["kind"] for m in r["messages"] if m["kind"] != "machine-code-not-translated"]' "['launch-timeout']"
run timeout 100 "$warplens" run --compiler clang --timeout 1 --keep-going endless.cu
[ "$(cat stdout)" = 'cudaSuccess cudaSuccess' ] || fail "a loop without an end, and the program goes on: $(cat stdout)"

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ ! -x "$nvcc" ] || expect_conditionals nvcc '-rdc=true -lcudadevrt' ''
