# What `check` finds in code line by line, and what it does not: the comments of programs/check_findings.cu, by clang, and by nvcc
# where it is installed.
. "$(dirname "$0")/common.sh"
source="$source_dir/tests/scripts/programs/check_findings.cu"
cp "$source" .

# Every mark has a finding of its severity at its line with its words; at a line without one nothing is found; whatever warns
# has a file, a line and a change.
held_to_marks() {
  python3 - "$1" <<'X' || fail "$1: not as the comments of check_findings.cu say"
import json, re, sys
found, good = json.load(open(sys.argv[1]))["findings"], True
for number, text in enumerate(open("check_findings.cu"), 1):
    here = [f for f in found if f["line"] == number]
    mark = re.search(r"// (error|warning|note|none)(?:: (.*))?$", text)
    if not mark:
        continue
    severity, words = mark.groups()
    if severity == "none":
        wrong = here
    else:
        said = [" ".join([f["message"]] + [n["text"] for n in f["notes"]] + [(f["fix"] or {}).get("text", "")]
                         + [f"{c['fixed']:g} after the fix" for c in f["costs"] if c["fixed"] is not None])
                for f in here if f["severity"] == severity]
        wrong = not any(words in one for one in said)
    if wrong:
        good = False
        print(f"line {number}: {text.strip()}", *[f"  {f['severity']}: {f['message']}" for f in here], sep="\n")
for f in found:
    if f["severity"] != "note" and not (f["file"] and f["line"] and f["fix"]):
        good = False
        print("no file, line or change:", f["message"])
sys.exit(not good)
X
}

run "$warplens" check --compiler clang --no-config --findings clang.json check_findings.cu
expect_code 1
held_to_marks clang.json
expect_in stdout '^demands.*: asks that off % 4 == 0 and x is a multiple of 16 bytes$'
expect_in stdout 'for example n = m = 46,341'
expect_in stdout 'in blocks of 16x16 threads, as the code has them'
expect_not_in stdout '__local_depot'

# What is known of a launch decides: then it warns, or is silent.
run "$warplens" check --compiler clang --no-config --kernel square --set n=46340 check_findings.cu
expect_not_in stdout 'index-overflow'
run "$warplens" check --compiler clang --no-config --kernel square --set n=46341 check_findings.cu
expect_code 0
expect_in stdout 'note: the index of .a. is too large for 32 bits in a launch of this size'

# In a block that is known, a warp may cover rows of lanes that are side by side already.
cat >narrow.cu <<'CU'
__global__ void pixels(const unsigned char* image, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[threadIdx.y * blockDim.x + threadIdx.x] = image[y * 1024 + x];
}
__global__ void short_rows(const unsigned char* image, float* out) {
  out[threadIdx.y * blockDim.x + threadIdx.x] = image[(blockIdx.x * blockDim.y + threadIdx.y) * 24 + threadIdx.x];
}
CU
for block in 8,8 4,8,2; do
  run "$warplens" check --compiler clang --no-config --kernel pixels --block $block narrow.cu
  expect_in stdout 'help: make the block at least 32 threads wide'
done
run "$warplens" check --compiler clang --no-config --kernel short_rows --block 8,8 narrow.cu
expect_in stdout 'help: let a warp take longer parts of rows'

# A tile by a loop that clang unrolls: lanes lie in one of several ways, and nothing says that it is a bad one.
cat >tile.cu <<'CU'
__global__ void __launch_bounds__(32) tile_in_a_loop(const short* a, int k, float* out) {
  __shared__ short tile[16 * 32];
  int l = threadIdx.x;
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = l; i < 64; i += 32) {
      unsigned to = __cvta_generic_to_shared(tile + i / 4 * 32 + i % 4 * 8);
      const short* from = a + size_t(blockIdx.x * 16 + i / 4) * k + k0 + i % 4 * 8;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    out[l] += tile[2 * l];
    __syncthreads();
  }
}
CU
run "$warplens" check --compiler clang --no-config tile.cu
expect_in stdout "tile.cu:8:7: note: copy of 16 bytes from 'a'"

# Code without line information has the line of the PTX, and how to get those of the source.
cat >plain.ptx <<'PTX'
.version 7.8
.target sm_80
.address_size 64
.visible .entry apart(.param .u64 a)
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 64;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r1;
ret;
}
PTX
run "$warplens" check plain.ptx
expect_code 1
expect_in stdout '^plain.ptx:12: warning: store of 4 bytes'
expect_in stdout 'compile with -lineinfo to have those of the source'

if command -v nvcc >/dev/null; then
  run "$warplens" check --compiler nvcc --no-config --findings nvcc.json check_findings.cu
  held_to_marks nvcc.json

  # How threads wait for one another in a library is no finding of its caller.
  cat >waits.cu <<'CU'
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cub/cub.cuh>
namespace cg = cooperative_groups;
__global__ void together(float* x) {
  cg::this_grid().sync();
  x[threadIdx.x] = 1;
}
__global__ void flag(int* f, float* x) {
  cuda::atomic_ref<int, cuda::thread_scope_device> one(*f);
  one.wait(0);
  x[threadIdx.x] = 1;
}
__global__ void arrive(float* x) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  b.arrive_and_wait();
  x[threadIdx.x] = 1;
}
__global__ void scan(float* x) {
  using Scan = cub::BlockScan<float, 128>;
  __shared__ typename Scan::TempStorage t;
  float v[8] = {x[threadIdx.x]};
  Scan(t).InclusiveSum(v, v);
  x[threadIdx.x] = v[7];
}
int main() { return 0; }
CU
  run "$warplens" check --compiler nvcc --no-config --findings waits.json waits.cu
  expect_code 0
  expect_json waits.json "[(f['line'], f['message']) for f in r['findings']]" '[]'
fi
