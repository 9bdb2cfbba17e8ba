# PTX without machine code: ptxas makes it, and it is counted as if it had come with the program. Without a ptxas, PTX is. Skipped where
# there is no nvcc.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
unset WARPLENS_PTXAS
programs="$source_dir/tests/scripts/programs"
counts='sorted((l["name"], [(s["ptx"], s["file"], s["line"], s["instructions"], s["sectors"], s["wavefronts"]) for s in l["sites"]]) for l in r["launches"])'
made='{(l["predicted_from"], l.get("machine_code"), l.get("assembler", "").split(" ")[0]) for l in r["launches"]}'
is_machine_code() { expect_json "$1" "$made" "{('machine-code', ${2:-90}, 'ptxas')}"; }
is_ptx() { expect_json "$1" "$made" "{('ptx', None, '')}"; }

# A program: the same as its machine code would be. Four at once find the cache empty; the next finds what they left, and needs no ptxas.
"$nvcc" -O3 -lineinfo -cudart shared -arch=sm_90 "$programs/assembled.cu" -o with
"$nvcc" -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 "$programs/assembled.cu" -o without
run "$warplens" run --json with.json ./with
json with.json "$counts" >with.counts
expect_json with.json "$made" "{('machine-code', 90, '')}"
for n in 1 2 3 4; do "$warplens" run --json at_once$n.json ./without >/dev/null 2>&1 & done
wait
run "$warplens" run --width 200 --json without.json env TMPDIR=/none ./without
expect_code 0
expect_in stderr "machine code for 9.0, made by ptxas [0-9.]+ from the program's PTX"
for report in without.json at_once1.json at_once2.json at_once3.json at_once4.json; do
  is_machine_code $report
  follows_schema $report
  json $report "$counts" >without.counts
  diff with.counts without.counts || fail "$report: not the counts of machine code that came with the program"
done
run "$warplens" run --sm 100 --json newer.json ./without
is_machine_code newer.json 100

# clang's PTX, too.
run "$warplens" run --compiler clang --json clang.json "$programs/scale.cu" word
expect_code 0
is_machine_code clang.json

# But for functions that clang leaves out where it has no toolkit: nvcc brings them along.
cat >sine.cu <<'CU'
__global__ void sine(float* a) { a[threadIdx.x] = sinf(a[threadIdx.x]); }
int main() {
  float* a;
  cudaMalloc(&a, 128);
  sine<<<1, 32>>>(a);
  cudaDeviceSynchronize();
}
CU
run "$warplens" run --width 200 --compiler clang --json sine.json sine.cu
is_ptx sine.json
expect_in stderr "is counted as PTX: .*'__nv_sinf'"
expect_in stderr 'help: --compiler nvcc brings that function along'
run "$warplens" run --compiler nvcc --json sine.json sine.cu
expect_code 0
expect_not_in stderr 'counted as PTX'

# A kernel that prints looks how deep its stack may get.
cat >prints.cu <<'CU'
#include <cstdio>
__global__ void hello() { printf("hello %d from block %d\n", threadIdx.x, blockIdx.x); }
int main() {
  hello<<<2, 4>>>();
  cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --json prints.json prints.cu
expect_in stdout '^hello 3 from block 1$'
is_machine_code prints.json

# Shared memory is the program's own: what machine code keeps in front of it for the system is in no message.
cat >halo.cu <<'CU'
__global__ void halo(float* u) {
  __shared__ float s[128];
  s[threadIdx.x + 1] = u[threadIdx.x];
  __syncthreads();
  u[threadIdx.x] = s[127 - threadIdx.x];
}
int main() {
  float* u;
  cudaMalloc(&u, 512);
  halo<<<1, 128>>>(u);
  cudaDeviceSynchronize();
}
CU
for code in auto ptx; do
  run "$warplens" run --compiler clang --code $code --json halo.json halo.cu
  expect_json halo.json '[d["message"] for l in r["launches"] for d in l["diagnostics"]]' \
    "['store of 4 bytes at offset 0x200 is outside the 512 bytes of shared memory']"
done

# What is asked for is PTX, or what mistakes are looked for in: no ptxas is started.
printf '#!/bin/sh\ntouch "%s/started"\nkill -9 $$\n' "$scratch" >broken
chmod +x broken
for option in '--code ptx' '--check memory'; do
  # shellcheck disable=SC2086 # two words
  WARPLENS_PTXAS=./broken run "$warplens" run $option --json ptx.json ./without
  expect_code 0
  is_ptx ptx.json
  [ ! -e started ] || fail "$option starts ptxas"
done

# Without a ptxas, PTX without a word; with one that does not do, with its reason.
WARPLENS_PTXAS=/none run "$warplens" run --json ptx.json ./without
expect_code 0
is_ptx ptx.json
expect_not_in stderr 'counted as PTX'
WARPLENS_PTXAS=./broken run "$warplens" run --json ptx.json ./without
expect_code 0
is_ptx ptx.json
[ -e started ] || fail 'ptxas was not started'
expect_in stderr "'without' is counted as PTX: .* signal 9"
run "$warplens" run --sm 70 --json ptx.json ./without
expect_in stderr 'ptx-too-new|refuses'
is_ptx ptx.json

# A kernel's file, for features of one architecture alone. PTX of a version that ptxas does not know stays PTX.
add() {
  run "$warplens" run --json add.json "$@" --grid 8 --arg 'f32[1024]=iota' --arg 'f32[1024]=0.5' --arg 'f32[1024]' --arg 1000 --arg 0 --arg 0
  expect_code 0
  expect_json add.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 125, 125]'
  expect_json add.json '{s["file"] + ":" + str(s["line"]) for s in r["launches"][0]["sites"]}' "{'tri.py:5'}"
}
add "$programs/triton_add.ptx"
is_machine_code add.json
sed 's/^.version .*/.version 99.0/' "$programs/triton_add.ptx" >newer.ptx
add newer.ptx
is_ptx add.json
expect_in stderr "'newer.ptx' is counted as PTX: ptxas [0-9.]+: Unsupported .version 99.0"

# PTX that the program loads, with what it asks of the compiler.
cat >jit.cu <<'CU'
#include <cstdio>
#include <cuda.h>
const char* ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r1, %r1;
  st.global.u32 [%rd1], %r2;
  ret;
})";
int main() {
  cuInit(0);
  CUcontext context;
  cuCtxCreate(&context, nullptr, 0, 0);
  for (unsigned most : {0u, 32u}) {
    CUmodule module;
    CUfunction twice;
    CUdeviceptr p;
    CUjit_option options[] = {CU_JIT_MAX_REGISTERS};
    void* values[] = {(void*)(unsigned long)most};
    if (cuModuleLoadDataEx(&module, ptx, most != 0, options, values) != CUDA_SUCCESS) return 1;
    cuModuleGetFunction(&twice, module, "twice");
    int value = 21;
    cuMemAlloc(&p, 4), cuMemcpyHtoD(p, &value, 4);
    void* arguments[] = {&p};
    cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, 0, arguments, nullptr);
    cuMemcpyDtoH(&value, p, 4);
    std::printf("%d\n", value);
  }
}
CU
"$nvcc" -cudart shared jit.cu -o jit -lcuda -Xlinker "-L$WARPLENS_BUILD_DIR/lib" || "$nvcc" -cudart shared jit.cu -o jit \
  -Xlinker "$WARPLENS_BUILD_DIR/lib/libcuda.so.1" -Xlinker -rpath-link="$WARPLENS_BUILD_DIR/lib"
run "$warplens" run --json jit.json ./jit
expect_code 0
[ "$(cat stdout)" = "42
42" ] || fail "the kernel computed something else"
is_machine_code jit.json
