# Accesses counted as machine code has them: loops of atomics against what a GPU counted, neighbours made one, and programs that
# have no machine code. Skipped where there is no nvcc.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
programs="$source_dir/tests/scripts/programs"

"$nvcc" -O3 -std=c++17 -lineinfo -cudart shared -arch=sm_90 "$programs/loops.cu" -o loops
run "$warplens" run --code auto --json loops.json ./loops
expect_code 0
expect_in stderr 'machine code for 9.0'
python3 - <<'PY' || fail "loops of atomics do not take the passes that an H200 counted"
import json
# Of each shape (the program has them): loads' and atomics' passes of double, float, 64-bit add, 64-bit max. In the sixth shape
# double and 64-bit add are left out: a lane adds 0 there, and leaves the word as another lane expects it.
measured = [
    (4, 4), (2, 2), (4, 4), (4, 4), (3, 2), (2, 2), (3, 2), (3, 2), (4, 4), (3, 4), (4, 4), (4, 4), (6, 8), (5, 8), (6, 8), (6, 8),
    (10, 16), (9, 16), (10, 16), (10, 16), None, (33, 64), None, (34, 96), (18, 48), (17, 32), (18, 48), (18, 48),
    (14, 24), (9, 16), (14, 24), (14, 24), (5, 6), (3, 4), (5, 6), (5, 6), (5, 6), (4, 6), (5, 6), (5, 6)]
counted = []
for launch in json.load(open("loops.json"))["launches"]:
    assert launch["predicted_from"] == "machine-code" and launch["machine_code"] == 90, launch["predicted_from"]
    shared = [s for s in launch["sites"] if s["space"] == "shared"]
    sums = tuple(sum(s["wavefronts"] for s in shared if s["op"] in ops) for ops in (("load",), ("atomic", "reduction")))
    places = launch.get("occurrences") or [{"first": launch["index"], "count": 1, "step": 1}]
    counted += [(o["first"] + i * o["step"], sums) for o in places for i in range(o["count"])]
counted = [sums for _, sums in sorted(counted)]
wrong = [(n, a, b) for n, (a, b) in enumerate(zip(measured, counted)) if a is not None and a != b]
assert len(counted) == len(measured) and not wrong, wrong
PY

# Neighbours, a value chosen by its address, atomics of one address: the sums of each launch as the same H200 counted them, whether CTAs
# stand for each other or not.
"$nvcc" -O3 -lineinfo -cudart shared -arch=sm_90 "$programs/assembled.cu" -o assembled
sums='[[sum(s[k] or 0 for s in l["sites"] if (s["space"], s["op"].replace("reduction", "atomic")) == (space, op)) for space, op, k in (
  ("global", "load", "requests"), ("global", "store", "requests"), ("global", "atomic", "tag_passes"), ("local", "load", "requests"),
  ("local", "store", "requests"), ("shared", "load", "wavefronts"), ("shared", "store", "wavefronts"), ("shared", "atomic", "wavefronts"))]
  for l in r["launches"]]'
newer='[[32, 4, 0, 0, 0, 64, 64, 0], [8, 4, 0, 0, 0, 0, 0, 0], [0, 0, 16, 0, 0, 4, 4, 4]]'
for mode in --workers=1 --proofs=always; do
  run "$warplens" run $mode --code auto --json assembled.json ./assembled
  expect_code 0
  expect_json assembled.json "$sums" "$newer"
done
# Each capability has a cubin of its own kind; below 9.0 its relocations are others. 7.5 adds a warp's values with shuffles.
for sm in 75 80 86 87 88 89 100 103 110 120 121; do
  [ $sm = 75 ] && expected='[[32, 4, 0, 0, 0, 64, 64, 0], [8, 4, 0, 0, 0, 0, 0, 0], [0, 0, 76, 0, 0, 4, 4, 16]]' || expected=$newer
  "$nvcc" -O3 -lineinfo -cudart shared -arch=sm_$sm "$programs/assembled.cu" -o assembled_$sm
  run "$warplens" run --sm $sm --code auto --json assembled_$sm.json ./assembled_$sm
  expect_code 0
  expect_json assembled_$sm.json "$sums" "$expected"
  expect_json assembled_$sm.json '{(l["predicted_from"], l["machine_code"]) for l in r["launches"]}' "{('machine-code', $sm)}"
done
run "$warplens" run --code ptx --json assembled.json ./assembled
expect_json assembled.json "$sums" '[[32, 4, 0, 0, 0, 256, 256, 0], [8, 4, 0, 4, 8, 0, 0, 0], [0, 0, 324, 0, 0, 4, 4, 16]]'

"$nvcc" -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 "$programs/scale.cu" -o ptx_alone

# Warps whose guard holds for no lane count as instructions, as an H200 counted them (580.159.04, 29 November 2026), whether CTAs stand for
# each other or not.
"$nvcc" -O3 -lineinfo -cudart shared -arch=sm_90 "$programs/predicated.cu" -o predicated
for mode in --proofs=never --proofs=always; do
  run "$warplens" run $mode --json predicated.json ./predicated
  expect_code 0
  expect_json predicated.json '[sorted(s["instructions"] + s.get("predicated_off", 0) for s in l["sites"]) for l in r["launches"] if l["grid"][0] == 3]' \
    '[[6], [6, 24], [24, 24, 24, 24, 24, 24, 24, 24, 24], [24, 24, 24], [12], [0, 0, 24, 24]]'
  expect_json predicated.json '{s["instructions"] + s.get("predicated_off", 0) for s in r["launches"][6]["sites"]}' '{16000}'
  expect_json predicated.json 'sorted(s["instructions"] for s in r["launches"][6]["sites"])' '[0, 0, 2000, 16000, 16000, 16000, 16000, 16000, 16000]'
  # Loads of shared memory: 8, and those in front of the copies, 30 November 2026.
  expect_json predicated.json 'tuple(sum(s.get(k, 0) for s in r["launches"][7]["sites"] if s["space"] == "shared" and s["op"] == "load") for k in ("instructions", "predicated_off"))' '(8, 168)'
done

# The compiler copies an indexed parameter to local memory, and the assembler reads it where it is: a request for each different
# word of a warp, as an H200 counted (idc__requests, less three a warp for the other parameters; 26 November 2026).
"$nvcc" -O3 -lineinfo -cudart shared -arch=sm_90 "$programs/parameters.cu" -o parameters
run "$warplens" run --json parameters.json ./parameters
expect_code 0
expect_json parameters.json '[sum(s["requests"] for s in l["sites"] if s["space"] == "constant") for l in r["launches"]]' '[32, 64, 128, 256, 512, 1024]'
expect_json parameters.json 'sorted({s["space"] for l in r["launches"] for s in l["sites"] if s["instructions"]})' "['constant', 'global']"

# A register holds the pointer to one array after the other. What PTX says of the line is clear.
cat >back.cu <<'CU'
__global__ void back(const unsigned* __restrict__ decisions, unsigned* __restrict__ bits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  unsigned w = 0;
  for (int t = 255; t >= 0; --t) {
    unsigned d = decisions[(t * 2 + (s >> 5)) * n + i];
    w = (w << 1) | (s >> 5);
    s = ((s << 1) & 63) | ((d >> (s & 31)) & 1);
    if ((t & 31) == 0) bits[i * 8 + t / 32] = w;
  }
}
int main() {
  unsigned *decisions, *bits;
  cudaMalloc(&decisions, 64 * 512 * 4), cudaMalloc(&bits, 64 * 8 * 4), cudaMemset(decisions, 5, 64 * 512 * 4);
  back<<<1, 64>>>(decisions, bits, 64);
  return cudaDeviceSynchronize();
}
CU
"$nvcc" -O3 -lineinfo -cudart shared -arch=sm_90 back.cu -o back
run "$warplens" run --json back.json ./back
expect_code 0
expect_json back.json '{(s["line"], s["array"]["name"]) for s in r["launches"][0]["sites"] if s["op"] == "store"}' "{(8, 'bits')}"
expect_json back.json '{s["array"]["name"] for s in r["launches"][0]["sites"] if s["line"] == 5}' "{'decisions'}"

# Which of several variables of a line it is, the width of the access tells; where it does not, both are named.
cat >names.cu <<'CU'
#include <cstdio>
__constant__ float weight[64];
__constant__ unsigned char order[64];
__global__ void constants(const float* in, float* out) {
  int i = threadIdx.x;
  out[order[i]] = in[i] * weight[i ^ 1];
}
__global__ void tables(const unsigned char* in, const unsigned char* a, const unsigned char* b, unsigned char* out) {
  __shared__ unsigned char log[256], power[512];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) log[i] = a[i];
  for (int i = threadIdx.x; i < 512; i += blockDim.x) power[i] = b[i];
  __syncthreads();
  out[threadIdx.x] = power[log[in[threadIdx.x]] + 3];
}
int main() {
  float *in, *out;
  unsigned char* bytes;
  cudaMalloc(&in, 256), cudaMalloc(&out, 256), cudaMalloc(&bytes, 4096);
  cudaMemset(in, 0, 256), cudaMemset(bytes, 0, 4096);
  constants<<<1, 64>>>(in, out);
  tables<<<1, 64>>>(bytes, bytes + 1024, bytes + 2048, bytes + 3072);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
"$nvcc" -O3 -lineinfo -cudart shared -arch=sm_90 names.cu -o names
run "$warplens" run --json names.json ./names
expect_json names.json 'sorted((s["bytes"], s["array"]["name"]) for l in r["launches"] for s in l["sites"] if s["space"] == "constant")' \
  "[(1, 'order'), (4, 'weight')]"
expect_json names.json '{" ".join(sorted(s["array"]["name"].split())) for l in r["launches"] for s in l["sites"] if s["space"] == "shared" and s["op"] == "load"}' \
  "{'log or power'}"

# Instances of a template have a variable each, of one name.
cat >instances.cu <<'CU'
template <int N> __global__ void sketch(const int* in, int* out) {
  __shared__ int local_sketch[256 * N];
  local_sketch[(in[threadIdx.x] * 7) & 255] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = local_sketch[threadIdx.x ^ 5];
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 4096), cudaMalloc(&out, 4096), cudaMemset(in, 0, 4096);
  sketch<1><<<1, 64>>>(in, out);
  sketch<2><<<1, 64>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
"$nvcc" -O1 -lineinfo -cudart shared -arch=sm_90 instances.cu -o instances
run "$warplens" run --json instances.json ./instances
expect_json instances.json '{s["array"]["name"] for l in r["launches"] for s in l["sites"] if s["space"] == "shared"}' "{'local_sketch'}"

# A library's kernel: the program's own line that called the library.
cat >sum.cu <<'CU'
#include <cub/cub.cuh>
int main() {
  int *x, *sum, n = 1 << 12;
  size_t bytes = 0;
  void* room = nullptr;
  cudaMalloc(&x, n * 4), cudaMalloc(&sum, 4), cudaMemset(x, 0, n * 4);
  cub::DeviceReduce::Sum(room, bytes, x, sum, n);
  cudaMalloc(&room, bytes);
  cub::DeviceReduce::Sum(room, bytes, x, sum, n);
  return cudaDeviceSynchronize();
}
CU
"$nvcc" -O1 -g -std=c++17 -lineinfo -cudart shared -arch=sm_90 sum.cu -o sum
run "$warplens" run --lines --json sum.json ./sum
expect_code 0
if command -v addr2line >/dev/null; then
  expect_in stderr 'called from sum\.cu:9'
  follows_schema sum.json
fi

# Unless one is asked for: machine code where there is some, else PTX, which needs no warning.
run "$warplens" run --json best.json ./loops
expect_json best.json '{l["predicted_from"] for l in r["launches"]}' "{'machine-code'}"
run "$warplens" run --json best.json ./ptx_alone word
expect_json best.json '{l["predicted_from"] for l in r["launches"]}' "{'ptx'}"
expect_not_in stderr 'no machine code'

# Of one program, a prediction of each kind.
run "$warplens" run --code ptx --json as_ptx.json ./loops
run "$warplens" compare as_ptx.json loops.json
expect_code 1
expect_in stdout 'as_ptx.json: predicted from PTX'
expect_in stdout 'loops.json: predicted from machine code'
expect_in stdout 'depends on timing'
