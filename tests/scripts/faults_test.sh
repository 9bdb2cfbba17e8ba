# Kernels that go wrong: the launch is named with place, thread and address, the program gets the CUDA error that a GPU
# gives and goes on, its exit code stays its own, and the launches before the fault keep their counts.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/faults.cu"
case_of() { run "$warplens" run --compiler clang --json report.json "$@"; }

case_of "$program" bounds
expect_code 3
expect_in stdout '^sync: cudaErrorIllegalAddress$'
expect_in stderr 'out_of_bounds'
expect_in stderr 'faults.cu:12'
expect_in stderr '17'
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact', 'failed']"

case_of "$program" misaligned
expect_code 3
expect_in stdout '^sync: cudaErrorMisalignedAddress$'
expect_in stderr 'misaligned'
expect_in stderr "note: kernel 'misaligned\\("
expect_in stderr 'computed from parameter 1, which points to allocation'
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact', 'failed']"

case_of "$program" memory
expect_code 3
expect_in stdout '^malloc: cudaErrorMemoryAllocation$'
expect_in stdout '^sync: cudaSuccess$'

case_of "$program" abort
expect_code 134
expect_json report.json 'r["launches"][0]["status"]' exact

case_of --compile-options=-DUNKNOWN_OPCODE "$program" opcode
expect_code 3
expect_in stderr 'frobnicate'
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact', 'failed']"
expect_in stdout '^sync: cudaErrorNotSupported$' # what memory holds now is no result
case_of --keep-going --compile-options=-DUNKNOWN_OPCODE "$program" opcode
expect_in stdout '^sync: cudaSuccess$'

# --keep-going ends the kernel that faults, and it alone: the program is told that all is well, what was stored before is there,
# and later launches run, are counted, and are marked.
cat >several.cu <<'CU'
#include <cassert>
#include <cstdio>
__device__ int word;
__global__ void misaligned(int* p) { p[1] = 11; *(int*)((char*)&word + 1) = 42; p[2] = 12; }
__global__ void outside(int* p) { p[3] = 13; *(int*)0x87654320 = 42; p[4] = 14; }
__global__ void trapped(int* p) { p[5] = 15; __trap(); }
__global__ void asserted(int* p) { p[6] = 16; assert(p[6] == 0); }
__global__ void endless(volatile int* p) { while (p[0] == 0) p[7] = 17; }
__global__ void count(int* p) { p[8] += 1; }
int main() {
  int *p, h[9];
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  auto all_is_well = [&] {
    cudaError_t launch = cudaGetLastError();
    if (launch != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return 0;
    count<<<1, 1>>>(p);
    return int(cudaDeviceSynchronize() == cudaSuccess);
  };
  int well = 0;
  misaligned<<<1, 1>>>(p), well += all_is_well();
  outside<<<1, 1>>>(p), well += all_is_well();
  trapped<<<1, 1>>>(p), well += all_is_well();
  asserted<<<1, 1>>>(p), well += all_is_well();
  endless<<<1, 1>>>(p), well += all_is_well();
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d:", well);
  for (int v : h) printf(" %d", v);
  printf("\n");
}
CU
case_of --keep-going --timeout 1 several.cu
expect_code 0
expect_in stdout '^5: 0 11 0 13 0 15 16 17 5$'
in_order='[l for _, l in sorted(((i, l) for l in r["launches"] for i in indices({"launches": [l]})), key=lambda e: e[0])]'
expect_json report.json "[l['status'] for l in $in_order]" "['failed', 'exact', 'failed', 'exact', 'failed', 'exact', 'failed', 'exact', 'partial', 'exact']"
expect_json report.json "[l['diagnostics'][0]['kind'] for l in $in_order[::2]]" "['kernel-misaligned-address', 'kernel-illegal-address', 'kernel-trap', 'kernel-assertion', 'launch-timeout']"
expect_json report.json "all('input may be wrong' in l['reason'] for l in $in_order[1::2])" True
expect_json report.json 'r["complete"]' False
case_of --keep-going --strict --timeout 1 several.cu
expect_code 1
case_of --timeout 1 several.cu
expect_json report.json '[l["status"] for l in r["launches"]][:2]' "['failed', 'unknown']"

# Launches after one that could not be emulated come to their end: counted, and marked.
cat >after.cu <<'CU'
#include <cstdio>
__global__ void strange(int* p) { asm volatile("frobnicate.u32 %0, 1;" : "=r"(p[0])); }
__global__ void plain(int* p) { p[threadIdx.x] = 1; }
int main() {
  int* p;
  cudaMalloc(&p, 4096);
  strange<<<1, 32>>>(p);
  plain<<<1, 32>>>(p);
  printf("%s, then ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
case_of after.cu
expect_in stdout '^cudaErrorNotSupported, then cudaSuccess$'
expect_json report.json '[(l["status"], l["sites"][-1]["sectors"]) for l in r["launches"]][1]' "('exact', 4)"
expect_json report.json 'r["complete"]' False
expect_in stderr 'after launch 0, which did not finish: its input may be wrong'

case_of "$program" segfault
expect_code 139
expect_json report.json 'r["launches"][0]["status"]' exact

case_of --timeout 1 "$program" endless
expect_code 3
expect_in stdout '^sync: cudaErrorLaunchTimeout$'
expect_in stderr 'endless'
expect_in stderr 'time'
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact', 'partial']"

case_of --timeout 1 "$program" recursive # without a loop
expect_code 3
expect_in stdout '^sync: cudaErrorLaunchTimeout$'
expect_in stderr 'fibonacci'

# The access ends at the end of the address space.
case_of "$program" null
expect_code 3
expect_in stdout '^sync: cudaErrorIllegalAddress$'
expect_in stderr '0xfffffffffffffffc'

# Registered memory that the program may no longer touch itself.
case_of "$program" protected
expect_code 3
expect_in stdout '^register: cudaSuccess$'
expect_in stdout '^sync: cudaErrorIllegalAddress$'

case_of "$program" deadlock
expect_code 3
expect_in stdout '^sync: cudaErrorLaunchTimeout$'
expect_in stderr 'never ends'
expect_in stderr 'spinning'
expect_in stderr 'faults.cu'

# --strict: a launch that was not counted exactly is a failure even where the program ends well.
case_of --strict "$program" bounds 0
expect_code 1
case_of --strict "$program" bounds 9
expect_code 9
case_of --strict "$program" none 0
expect_code 0

# Past the allocation, inside a mapped page: a GPU goes on, and says nothing; --memory=strict stops.
case_of "$program" past 0
expect_code 0
expect_in stdout '^sync: cudaSuccess$'
expect_in stderr 'store of 4 bytes at 0x[0-9a-f]+ is outside its allocation'
case_of --memory=strict "$program" past 0
expect_code 0
expect_in stdout '^sync: cudaErrorIllegalAddress$'

# cudaLimitStackSize widens the stack: 600 frames of 256 bytes are more than a thread has by itself.
run "$warplens" run --compiler clang "$source_dir/tests/scripts/programs/recursion.cu" 600
expect_in stdout cudaErrorHardwareStackError
expect_in stderr '65536 bytes a thread has'
run "$warplens" run --compiler clang --strict "$source_dir/tests/scripts/programs/recursion.cu" 600 300000
expect_code 0
expect_in stdout cudaSuccess
