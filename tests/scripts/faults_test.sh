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
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact', 'failed']"

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
expect_in stderr 'store of 4 bytes at 0x[0-9a-f]+ is past its allocation'
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
