# Machine code that runs: the examples and the tests' own programs print the same as with their PTX. Skipped where there is no nvcc.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
programs="$source_dir/tests/scripts/programs"
build() { "$nvcc" -O3 -std=c++17 -w -lineinfo -cudart shared -arch="${3:-sm_90}" -I"$source_dir/include" "$1" -o "$2" || fail "$1: not built"; }
counts() {
  json "$1" 'sorted((l["name"], str(sorted({(s["space"], s["op"].replace("reduction", "atomic"), k): sum(t[k] or 0 for t in l["sites"]
    if (t["space"], t["op"].replace("reduction", "atomic")) == (s["space"], s["op"].replace("reduction", "atomic")))
    for s in l["sites"] for k in ("instructions", "threads", "sectors", "ideal_sectors", "tags", "wavefronts") if s["instructions"]}.items()))) for l in r["launches"])'
}

for name in aos_soa gather histogram local_array matmul reduction stencil2d transpose; do
  build "$source_dir/examples/$name.cu" $name
  run "$warplens" run --code ptx --json ptx.json ./$name
  mv stdout ptx.out
  run "$warplens" run --json ran.json ./$name
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  diff ptx.out stdout || fail "$name prints something else"
  expect_json ran.json '{(l["predicted_from"], l["machine_code"]) for l in r["launches"]}' "{('machine-code', 90)}"
  follows_schema ran.json
  # Names of arrays, too, are those of PTX.
  json ptx.json 'sorted({(l["name"], s["line"], s["space"], s["array"]["name"]) for l in r["launches"] for s in l["sites"] if s.get("array")})' >ptx.names
  json ran.json 'sorted({(l["name"], s["line"], s["space"], s["array"]["name"]) for l in r["launches"] for s in l["sites"] if s.get("array")})' >ran.names
  diff ptx.names ran.names || fail "$name: arrays have other names"
done
expect_json ran.json '{s["ptx"].split(".")[0] for l in r["launches"] for s in l["sites"]} <= {"LDG", "STG", "LDS", "STS"}' True
expect_json ran.json '{s["file"].endswith("transpose.cu") and s["line"] > 0 for l in r["launches"] for s in l["sites"]}' '{True}'
# Blocks that stand for others stand for them here, too.
build "$programs/indices.cu" indices
for name in transpose indices; do
  run "$warplens" run --code machine --proofs never --json ran.json ./$name
  counts ran.json >ran
  run "$warplens" run --code machine --proofs always --json proved.json ./$name
  expect_json proved.json '{l["status"] for l in r["launches"]}' "{'proved'}"
  counts proved.json >proved
  diff ran proved || fail "$name: proofs change the counts of machine code"
done

# Integers of 64 and 128 bits: what the host computes, by PTX and by the machine code of each generation, optimised and not.
for one in 75: 90: 120: '120:-Xptxas -O0'; do
  sm=${one%%:*}
  # shellcheck disable=SC2086 # words of nvcc
  "$nvcc" -O3 -std=c++17 -w -cudart shared -gencode "arch=compute_$sm,code=[compute_$sm,sm_$sm]" ${one#*:} "$programs/values.cu" -o values || fail 'values: not built'
  for code in ptx machine; do
    run "$warplens" run --sm $sm --code $code ./values
    expect_code 0
    expect_not_in stderr 'runs as PTX'
    expect_in stdout '^0 of [0-9]* differ$'
  done
done

# Atomics by addresses of each space, some of which the machine code does with loops: what the host expects.
for sm in 75 86 90 120; do
  "$nvcc" -O3 -std=c++17 -w -cudart shared -gencode "arch=compute_$sm,code=[compute_$sm,sm_$sm]" "$programs/spaces.cu" -o spaces || fail 'spaces: not built'
  for code in ptx machine; do
    run "$warplens" run --sm $sm --code $code ./spaces
    expect_code 0
    expect_not_in stderr 'runs as PTX'
    expect_in stdout '^0 of [0-9]* differ$'
  done
done

# Copies whose kind does not fit where their pointers point: the errors of an H200, and what arrives.
build "$programs/copy_kinds.cu" copy_kinds
run "$warplens" run ./copy_kinds
expect_code 0
diff "$source_dir/tests/hardware/data/h200_copy_kinds.txt" stdout >&2 || fail 'copy_kinds: not as on the GPU'

# In the shared memory of another block some of them lose updates, as they do on an H200.
"$nvcc" -O3 -std=c++17 -w -cudart shared -arch=sm_90 "$programs/cluster_atomics.cu" -o cluster_atomics || fail 'cluster_atomics: not built'
run "$warplens" run --code machine ./cluster_atomics
expect_code 0
grep -v -e '^#' -e '^operation' "$source_dir/tests/hardware/data/h200_cluster_atomics.tsv" | diff - stdout >&2 || fail 'cluster_atomics: not as on the GPU'

# Lanes that wait in loops come apart (YIELD), and are together again where they shuffle: by each architecture in its own way (BRA.DIV, BRA.CONV).
for sm in 75 86 90 120; do
  build "$programs/together.cu" together sm_$sm
  run "$warplens" run --sm $sm --code ptx ./together
  mv stdout ptx.out
  run "$warplens" run --sm $sm ./together
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  [ "$(grep -c '^1000 of 1000 keys, 5000 of 5000$' stdout)" = 2 ] || fail "together for $sm: $(head -2 stdout)"
  diff ptx.out stdout || fail "together for $sm prints something else"
done

# Halves with signs, and, not optimised, the bank of constants by its generic address.
for one in 75: 90: 120: 86:-G 90:-G 120:-G; do
  sm=${one%%:*}
  # shellcheck disable=SC2086 # words of nvcc
  "$nvcc" -std=c++17 -w -cudart shared -arch=sm_$sm ${one#*:} "$programs/halves.cu" -o halves || fail "halves for $one: not built"
  run "$warplens" run --sm $sm --code ptx ./halves
  mv stdout ptx.out
  run "$warplens" run --sm $sm ./halves
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  diff ptx.out stdout || fail "halves for $one prints something else"
done

# Barrier objects (8.x has its own), copies in bulk, clusters and products of warp groups: the same as with PTX.
for one in asynchronous:90a asynchronous:120 barriers:80 barriers:100 pipelines:80 pipelines:100 bulk:90a bulk:120 clusters:90 cluster_addresses:90a \
  cluster_addresses:100 products:90a; do
  name=${one%:*} sm=${one#*:}
  "$nvcc" -O3 -std=c++17 -w -lineinfo -cudart shared -gencode "arch=compute_$sm,code=[compute_$sm,sm_$sm]" -I"$source_dir/include" \
    "$programs/$name.cu" -o $name || fail "$name: not built"
  run "$warplens" run --sm ${sm%a} --code ptx ./$name
  mv stdout ptx.out
  run "$warplens" run --sm ${sm%a} --json ran.json ./$name
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  diff ptx.out stdout || fail "$name for $sm prints something else"
  expect_json ran.json '{l["predicted_from"] for l in r["launches"]}' "{'machine-code'}"
done

# Tiles of tensors as an H200 has them: stores end at 16 bytes, places that it refuses are refused, short rows lie apart by what they are
# swizzled in.
for one in tensor_edges:h200_tensor_edges tensor_swizzles:h200_tensor_swizzles; do
  "$nvcc" -O3 -std=c++17 -w -cudart shared -gencode 'arch=compute_90a,code=[compute_90a,sm_90a]' \
    "$source_dir/tests/hardware/${one%:*}.cu" -o "${one%:*}" || fail "${one%:*}: not built"
  sed 's/ *$//' "$source_dir/tests/hardware/data/${one#*:}.txt" >"${one%:*}.gpu"
done
as_on_the_gpu() {
  run "$warplens" run "./$@"
  expect_code 0
  sed 's/ *$//' stdout >line
  grep -qxFf line "$1.gpu" || fail "$*: not what an H200 says: $(cat line)"
}
for words in "0 65 64 3 0 0 0" "1 70 60 3 0 0 0" "2 67 64 3 0 0 0" "3 67 64 3 0 0 0" "0 70 -3 3 0 0 1" "0 70 -4 3 0 0 1" "0 70 -4 3 0 0 0" \
  "1 70 -8 3 0 0 1" "2 70 -8 3 0 0 1" "0 70 2 3 0 0 0" "0 69 64 3 -2 0 0" "0 69 64 3 1 0 0" "0 69 64 3 -2 0 1" "2 69 64 3 0 3 0 32"; do
  # shellcheck disable=SC2086 # several words
  as_on_the_gpu tensor_edges $words
done
for words in "32 3 384" "16 3 192" "8 3 96" "16 2 192" "8 2 96" "8 1 96" "64 3 768" "32 1 384" "24 3 288" "24 2 288" "8 1 192"; do
  # shellcheck disable=SC2086
  as_on_the_gpu tensor_swizzles $words
done

# Numbers of 64 bits, the greater and the lesser (12.0), and floats as numbers of 16 bits. An immediate has a sign.
cat >extremes.cu <<'CU'
#include <cstdio>
template <class T> __device__ T limits(T a, T b) {
  T m = a < b ? b : a, n = (T)(b < (T)-5 ? b : (T)-5), o = (T)(a < (T)0xfffffffff0000000 ? (T)0xfffffffff0000000 : a);
  return m * 3 + n * 5 + o;
}
__global__ void wide(const unsigned long long* a, unsigned long long* out, unsigned long long same, long long other) {
  const int i = threadIdx.x;
  out[4 * i] = limits(a[i], a[31 - i]), out[4 * i + 1] = limits<long long>(a[i], a[31 - i]);
  out[4 * i + 2] = max(same, 77ull << 40), out[4 * i + 3] = min(other, (long long)same);
}
__global__ void narrow(const float* x, int* out) {
  const int i = threadIdx.x;
  short s;
  unsigned short u;
  asm("cvt.rni.s16.f32 %0, %1;" : "=h"(s) : "f"(x[i]));
  asm("cvt.rzi.u16.f32 %0, %1;" : "=h"(u) : "f"(x[i]));
  out[2 * i] = s, out[2 * i + 1] = u;
  asm("cvt.rni.s16.f64 %0, %1;" : "=h"(s) : "d"((double)x[i] * 3));
  out[64 + i] = s;
}
int main() {
  unsigned long long *a, *out;
  float* x;
  int* n;
  cudaMallocManaged(&a, 256), cudaMallocManaged(&out, 1024), cudaMallocManaged(&x, 128), cudaMallocManaged(&n, 384);
  for (int i = 0; i < 32; ++i) a[i] = i * 0x9e3779b97f4a7c15ull, x[i] = (i - 16) * 4321.5f;
  x[0] = 0.0f / 0.0f, x[1] = 1e30f, x[2] = -1e30f;
  wide<<<1, 32>>>(a, out, a[7], -3);
  narrow<<<1, 32>>>(x, n);
  std::printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 128; ++i) std::printf(" %llx", out[i]);
  for (int i = 0; i < 96; ++i) std::printf(" %d", n[i]);
}
CU
for sm in 75 90 100 120; do
  build extremes.cu extremes sm_$sm
  run "$warplens" run --sm $sm --code ptx ./extremes
  mv stdout ptx.out
  run "$warplens" run --sm $sm ./extremes
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  diff ptx.out stdout || fail "extremes for $sm prints something else"
done

# Blocks that wait for each other: the driver says where in bank 0 (envreg), as it says how much shared memory there is. Each
# architecture has it elsewhere, and gathers a warp in its own way before a barrier (BRA.CONV, BRA.DIV).
cat >grid.cu <<'CU'
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
extern __shared__ int some[];
__global__ void sums(int* a, int n, unsigned* sizes) {
  auto grid = cg::this_grid();
  const int i = grid.thread_rank();
  for (int step = 1; step < n; step *= 2) {
    const int before = i >= step && i < n ? a[i - step] : 0;
    grid.sync();
    if (i < n) a[i] += before;
    grid.sync();
  }
  if (i != 0) return;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(sizes[0]));
  asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(sizes[1]));
  some[0] = 1;
}
// In front of the parameters bank 0 says other things: an index that begins below is no question for them.
struct Numbers { int v[64]; };
__global__ void below(Numbers numbers, int* to) { to[threadIdx.x] = numbers.v[to[threadIdx.x] - 1]; }
int main() {
  int n = 1000, *a;
  unsigned* sizes;
  cudaMallocManaged(&a, n * sizeof(int)), cudaMallocManaged(&sizes, 8);
  for (int i = 0; i < n; ++i) a[i] = i % 7;
  void* arguments[] = {&a, &n, &sizes};
  cudaLaunchCooperativeKernel((void*)sums, dim3(8), dim3(128), arguments, 512, 0);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%d %d %d, %u and %u bytes\n", a[10], a[500], a[n - 1], sizes[0], sizes[1]);
  Numbers squares;
  for (int i = 0; i < 64; ++i) squares.v[i] = i * i, a[i] = 64 - i;
  below<<<1, 64>>>(squares, a);
  cudaDeviceSynchronize();
  std::printf("%d and %d\n", a[0], a[63]);
}
CU
for sm in 75 86 90 100 120; do
  build grid.cu grid_$sm sm_$sm
  run "$warplens" run --sm $sm --json grid.json ./grid_$sm
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  expect_in stdout 'no error'
  expect_in stdout '27 1497 2997, 512 and 512 bytes'
  expect_in stdout '3969 and 0'
  expect_json grid.json '{l["machine_code"] for l in r["launches"]}' "{$sm}"
done

# The index of a constant load may name any array of its bank: of __constant__ ones, and of parameters, which lie where their types
# say. What is outside of an allocation is a fault with its line.
cat >constants.cu <<'CU'
#include <cstdio>
__constant__ int first[3] = {1, 2, 3}, second[100], third[7] = {4, 5, 6, 7, 8, 9, 10};
__global__ void sums(const int* index, int* out) {
  out[threadIdx.x] = first[index[threadIdx.x] % 3] + second[index[threadIdx.x]] + third[index[threadIdx.x] % 7];
}
struct Numbers { int v[101]; };
__global__ void parameters(char start, Numbers even, int2 both, Numbers odd, const int* index, int* out) {
  const int* chosen = index[threadIdx.x] % 2 ? odd.v : even.v;
  out[threadIdx.x] = chosen[index[threadIdx.x]] + both.y + start;
}
__global__ void outside(int* out) { out[threadIdx.x + (1 << 28)] = 1; }
int main(int count, char**) {
  int *index, *out, values[100];
  cudaMallocManaged(&index, 128), cudaMallocManaged(&out, 128);
  for (int i = 0; i < 100; ++i) values[i] = i * i;
  for (int i = 0; i < 32; ++i) index[i] = i * 37 % 100;
  cudaMemcpyToSymbol(second, values, sizeof values);
  sums<<<1, 32>>>(index, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i) std::printf("%d ", out[i]);
  Numbers even, odd;
  for (int i = 0; i < 101; ++i) even.v[i] = i, odd.v[i] = 1000 * i;
  parameters<<<1, 32>>>(1, even, {2, 3}, odd, index, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i) std::printf("%d ", out[i]);
  if (count > 1) outside<<<1, 32>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
CU
build constants.cu constants
for name in assembled loops parameters tensor waiting_lanes copies fragments results scale headers; do build "$programs/$name.cu" $name; done
for name in constants assembled loops parameters tensor waiting_lanes copies fragments results scale headers; do
  run "$warplens" run --code ptx --report /dev/null ./$name
  before=$code
  mv stdout ptx.out
  run "$warplens" run --code machine --report /dev/null ./$name
  [ "$code" = "$before" ] || fail "$name ends with $code, and with $before where its PTX runs"
  diff ptx.out stdout || fail "$name prints something else"
done
run "$warplens" run --code machine ./constants outside
expect_code 3
expect_in stderr 'constants.cu:11'
expect_not_in stderr 'runs as PTX'

# Loops of atomics take the turns that an H200 counted (machine_code_test.sh has the figures).
run "$warplens" run --code machine --json loops.json ./loops
expect_json loops.json '{(o["first"] + i * o["step"]): tuple(sum(s["wavefronts"] for s in l["sites"] if s["space"] == "shared" and s["op"] in ops)
  for ops in (("load",), ("atomic",))) for l in r["launches"] for o in (l.get("occurrences") or [{"first": l["index"], "count": 1, "step": 1}])
  for i in range(o["count"]) if o["first"] + i * o["step"] in (0, 9, 17, 21, 23, 31, 37)}' \
  '{0: (4, 4), 9: (3, 4), 17: (9, 16), 21: (33, 64), 23: (34, 96), 31: (14, 24), 37: (4, 6)}'

# What machine code was once run wrongly.
for sm in 75 86 90 120; do
  build "$programs/corners.cu" corners_$sm sm_$sm
  run "$warplens" run --sm $sm --code machine ./corners_$sm
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  printf '%s\n' 'bytes 4c5945469532b45a 222b39fd17fc2bda e5b20b7690db5a68' 'large right' 'left right' 'generic 16 32, 8 8 16 16' 'roots 3183.25089986' 'steps right' 'chosen right' 'address right' | diff - stdout || fail "corners on $sm: wrong"
done

# Warps that come to the end of a region where others wait. What 7.5 gathers a warp with is not translated here.
for sm in 75 86 90 120; do
  build "$programs/warp_turns.cu" warp_turns_$sm sm_$sm
  run "$warplens" run --sm $sm --code machine ./warp_turns_$sm
  expect_code 0
  echo 'warps right' | diff - stdout || fail "warp_turns on $sm: wrong"
  [ $sm = 75 ] || expect_not_in stderr 'runs as PTX'
done

# Files that were compiled apart: functions with sections of their own (division's slow way, too), what they print and allocate, their stack,
# a literal of each file. A kernel without parameters knows its block, too.
cat >apart.cu <<'CU'
#include <cstdio>
__device__ int table[4] = {1, 2, 3, 4};
static __device__ int own[2] = {5, 6};
__device__ int order[256];
__device__ void second(int);
__device__ float mean(const float*, int);
__device__ __noinline__ float ratio(float a, float b) { return a / b + sqrtf(a); }
__global__ void numbers() { order[blockIdx.x * blockDim.x + threadIdx.x] = 1000 * blockIdx.x + threadIdx.x; }
__global__ void says() {
  int* p = new int[4];
  p[threadIdx.x] = table[threadIdx.x];
  printf("first %d %d\n", p[threadIdx.x], own[threadIdx.x]);
  second(threadIdx.x);
  delete[] p;
}
__global__ void means(const float* a, float* b, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) b[i] = ratio(a[i], a[i + n]) / a[i + 2 * n] + mean(a, i);
}
int main() {
  numbers<<<4, 64>>>();
  int last;
  cudaMemcpyFromSymbol(&last, order, 4, 4 * 200);
  std::printf("order %d\n", last);
  says<<<1, 2>>>();
  float *a, *b;
  cudaMallocManaged(&a, 40000), cudaMallocManaged(&b, 4000);
  for (int i = 0; i < 10000; ++i) a[i] = 1 + (i * 7919 % 1000) * 1e-3f;
  means<<<4, 256>>>(a, b, 1000);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += b[i];
  std::printf("means %.7g\n", sum);
}
CU
cat >apart2.cu <<'CU'
#include <cstdio>
extern __device__ int table[4];
static __device__ int own[2] = {7, 8};
__device__ void second(int i) { printf("second %d %d\n", table[i + 1], own[i]); }
__device__ float mean(const float* a, int i) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += a[i * 4 + k] / (k + 1.5f);
  return sum;
}
CU
# A file that needs no other: no second machine code is made of its PTX.
echo '__global__ void alone(int* out) { out[threadIdx.x] = 1; }' >alone.cu
for sm in 75 90 120; do
  "$nvcc" -rdc=true -O3 -std=c++17 -w -lineinfo -cudart shared -arch=sm_$sm apart.cu apart2.cu alone.cu -o apart_$sm || fail "apart.cu: not built"
  run "$warplens" run --sm $sm --json apart.json ./apart_$sm
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  printf '%s\n' 'order 3008' 'first 1 5' 'first 2 6' 'second 2 7' 'second 3 8' 'means 3882.72' | diff - stdout || fail "apart on $sm: wrong"
  expect_json apart.json '{(l["name"].split("(")[0], s["file"].rsplit("/")[-1], s["line"]) for l in r["launches"] for s in l["sites"]} >= {("means", "apart2.cu", 7), ("says", "apart2.cu", 4)}' True
done

# Named barriers whose number and threads are registers: groups of two warps wait for each other, and count votes.
cat >named.cu <<'CU'
#include <cstdio>
__global__ void named(int* out, const int* threads, int groups) {
  __shared__ int part[256];
  const int group = threadIdx.x / 32 % groups + 1, mate = (threadIdx.x + 128) % 256;
  part[threadIdx.x] = threadIdx.x * 3;
  asm volatile("barrier.sync %0, %1;" ::"r"(group), "r"(*threads) : "memory");
  const int read = part[mate];
  int votes;
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, %2; barrier.red.popc.u32 %0, %2, %3, p; }"
               : "=r"(votes) : "r"(int(threadIdx.x % 32)), "r"(group), "r"(*threads) : "memory");
  part[threadIdx.x] = votes;
  if (threadIdx.x < 128)
    asm volatile("barrier.arrive %0, %1;" ::"r"(group + 4), "r"(*threads) : "memory");
  else
    asm volatile("barrier.sync %0, %1;" ::"r"(group + 4), "r"(*threads) : "memory");
  out[threadIdx.x] = threadIdx.x < 128 ? read : read + part[mate] * 1000;
}
int main() {
  int *out, *threads, wrong = 0;
  cudaMallocManaged(&out, 1024), cudaMallocManaged(&threads, 4);
  *threads = 64;
  named<<<1, 256>>>(out, threads, 4);
  const cudaError_t error = cudaDeviceSynchronize();
  for (int t = 0; t < 256; ++t)
    wrong += out[t] != (t + 128) % 256 * 3 + (t < 128 ? 0 : 2 * (30 - t / 32 % 4)) * 1000;
  std::printf("%s, %d wrong\n", cudaGetErrorName(error), wrong);
}
CU
for sm in 75 90 120; do
  build named.cu named_$sm sm_$sm
  run "$warplens" run --sm $sm ./named_$sm
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  echo 'cudaSuccess, 0 wrong' | diff - stdout || fail "named barriers on $sm: wrong"
done

# Functions that are called through pointers, and that call themselves, print the same as with PTX.
for sm in 75 80 86 90 100 120; do
  for one in '' -DONE_KERNEL; do
    "$nvcc" -O3 -std=c++17 -w -lineinfo -cudart shared -arch=sm_$sm $one "$programs/calls.cu" -o calls || fail "calls.cu: not built"
    run "$warplens" run --sm $sm --code ptx ./calls
    mv stdout ptx.out
    expect_in ptx.out '^apply cudaSuccess'
    run "$warplens" run --sm $sm --json calls.json ./calls
    expect_code 0
    expect_not_in stderr 'runs as PTX'
    diff ptx.out stdout || fail "calls $one on $sm: something else"
    expect_json calls.json '{(l["predicted_from"], l["status"]) for l in r["launches"]}' "{('machine-code', 'exact')}"
  done
done

# Registers that ptxas spills are accesses of their own, apart from the program's arrays; a gate finds them, and nothing else does.
for sm in 75 90 120; do
  "$nvcc" -O3 -std=c++17 -lineinfo -maxrregcount 32 -cudart shared -arch=sm_$sm "$programs/spills.cu" -o spills_$sm || fail "spills.cu: not built"
  run "$warplens" run --sm $sm --fail-on 'spills>0' --json spills.json ./spills_$sm
  expect_code 1
  expect_in stderr 'fails: spills>0'
  expect_in stderr 'of spilled registers'
  json spills.json 'sorted({(k["short"], a["array"]["kind"], a["excess_bytes"] > 0) for k in r["kernels"] for a in k["accesses"] if a["space"] == "local"})' >spills
  printf '%s\n' "[('many<false>', 'spill', True), ('many<true>', 'local', False), ('many<true>', 'spill', True)]" | diff - spills || fail "spills on $sm: other arrays"
  expect_json spills.json '{(k["occupancy"]["registers"] <= 32, k["occupancy"]["blocks"] > 0) for k in r["kernels"]}' '{(True, True)}'
  expect_json spills.json "r['totals']['spaces']['local']['$sm']['excess_bytes'] == sum(a['excess_bytes'] for k in r['kernels'] for a in k['accesses'] if a['space'] == 'local') > 0" True
  follows_schema spills.json
done
build "$programs/spills.cu" unspilled
run "$warplens" run --fail-on 'spills>0' ./unspilled
expect_code 0
run "$warplens" run --fail-on 'spills>0' --code ptx ./unspilled
expect_code 2
expect_in stderr 'cannot be told: kernels ran as PTX'

# What the system takes of shared memory is not the program's: all that CUDA allows can be had, and sizes are those of CUDA. A block may
# have the threads that the kernel was compiled for.
cat >largest.cu <<'CU'
#include <cstdio>
__global__ void fixed(float* a) {
  __shared__ float t[12288];
  t[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = t[threadIdx.x * 7 % 256];
}
extern __shared__ float dynamic[];
__global__ void both(float* a) {
  __shared__ float t[256];
  t[threadIdx.x] = a[threadIdx.x], dynamic[threadIdx.x + 57000] = 1;
  __syncthreads();
  a[threadIdx.x] = t[threadIdx.x * 7 % 256] + dynamic[57000];
}
__global__ void __launch_bounds__(128) bounded(float* a) { a[threadIdx.x] = 1; }
int main() {
  float* a;
  cudaFuncAttributes attributes;
  int blocks = 0;
  cudaMalloc(&a, 1024), cudaMemset(a, 0, 1024);
  cudaFuncGetAttributes(&attributes, both);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, both, 32, 7000);
  std::printf("%zu %d\n", attributes.sharedSizeBytes, blocks);
  fixed<<<1, 256>>>(a);
  cudaFuncSetAttribute(both, cudaFuncAttributeMaxDynamicSharedMemorySize, 231424);
  both<<<1, 256, 231424>>>(a);
  std::printf("%d %d\n", cudaGetLastError(), cudaDeviceSynchronize());
  bounded<<<1, 256>>>(a);
  cudaFuncGetAttributes(&attributes, bounded);
  std::printf("%d %d\n", cudaGetLastError(), attributes.maxThreadsPerBlock);
}
CU
build largest.cu largest
run "$warplens" run --code machine --json largest.json ./largest
printf '%s\n' '1024 25' '0 0' '1 128' | diff - stdout || fail 'largest: an H200 has 1024 bytes, 25 blocks and no error'
expect_not_in stderr 'runs as PTX'
expect_json largest.json '[l["shared_bytes"] for l in r["launches"]]' '[49152, 232448, 0]'

# How many blocks an SM holds is what an H200 says, for kernels that this compiler gives as many registers.
"$nvcc" -O2 -cudart shared -arch=sm_90 "$programs/occupancy.cu" -o occupancy || fail 'occupancy.cu: not built'
run "$warplens" run --report /dev/null ./occupancy
awk 'NR == FNR { known[$1 " " $2] = $0; next } ($1 " " $2) in known { ++seen; if (known[$1 " " $2] != $0) print }
  END { if (seen < 3) print "no kernel has the registers that it had" }' "$source_dir/tests/hardware/data/h200_occupancy.txt" stdout >occupancies
[ ! -s occupancies ] || fail "other occupancies than an H200's: $(cat occupancies)"

# Each generation has constants, addresses and uniform registers of its own.
for sm in 75 80 86 89 100 103 110 120 121; do
  build "$programs/assembled.cu" assembled_$sm sm_$sm
  run "$warplens" run --sm $sm --code machine --json assembled.json ./assembled_$sm
  expect_code 0
  expect_not_in stderr 'runs as PTX'
  expect_json assembled.json '{l["machine_code"] for l in r["launches"]}' "{$sm}"
done

# Without machine code, PTX runs.
"$nvcc" -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 "$programs/scale.cu" -o ptx_alone
run "$warplens" run --code machine --json ptx.json ./ptx_alone word
expect_code 0
expect_in stderr 'has no machine code for 9.0'
expect_json ptx.json '{l["predicted_from"] for l in r["launches"]}' "{'ptx'}"
# Without PTX, machine code runs without the option.
"$nvcc" -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=sm_90 "$source_dir/examples/transpose.cu" -o machine_alone
run "$warplens" run --json alone.json ./machine_alone
expect_code 0
expect_in stdout PASS
expect_json alone.json '{l["predicted_from"] for l in r["launches"]}' "{'machine-code'}"
# Its kernels are translated one by one, and share variables; so do those of a cubin.
"$nvcc" -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=sm_90 "$programs/kernels_apart.cu" -o apart \
  -Xlinker "$WARPLENS_BUILD_DIR/lib/libcuda.so.1" -Xlinker -rpath-link="$WARPLENS_BUILD_DIR/lib"
"$nvcc" -O3 -arch=sm_90 -cubin "$programs/kernels_apart.cu" -o apart.cubin
cat >expected <<'END'
cudaSuccess 90 90
device 0: 115 cudaSuccess
device 0: 115 cudaSuccess
device 1: 115 cudaSuccess
device 0: 129 cudaSuccess
matrices e6daa080
teams 62c55640
0 500 0 0 0 8 of 4 bytes, 5 functions
END
run "$warplens" run --devices 2 --json apart.json ./apart apart.cubin
expect_code 0
cmp -s stdout expected || fail "kernels one by one: $(cat stdout)"
expect_json apart.json '{(l["predicted_from"], l["status"]) for l in r["launches"]}' "{('machine-code', 'exact')}"
# More machine code than is translated at once: one by one, too, and what is not translated is PTX.
"$nvcc" -O3 -lineinfo -cudart shared -DLARGE -gencode 'arch=compute_90,code=[sm_90,compute_90]' "$programs/kernels_apart.cu" -o large \
  -Xlinker "$WARPLENS_BUILD_DIR/lib/libcuda.so.1" -Xlinker -rpath-link="$WARPLENS_BUILD_DIR/lib"
run "$warplens" run --json large.json ./large
expect_code 0
[ "$(tail -n2 stdout | tr '\n' ' ')" = "teams 62c55640 cudaSuccess 16 " ] || fail "a large cubin: $(cat stdout)"
expect_in stderr 'as_ptx.* runs as PTX, not as machine code: .UBLKRED'
expect_json large.json '[(l["name"].split("(")[0], l["predicted_from"]) for l in r["launches"]][-2:]' "[('teams', 'machine-code'), ('as_ptx', 'ptx')]"
# --check looks at PTX where there is some, and at machine code elsewhere.
run "$warplens" run --check memory --json checked.json ./transpose
expect_json checked.json '{l["predicted_from"] for l in r["launches"]}' "{'ptx'}"
"$nvcc" -O3 -cudart shared -gencode arch=compute_90,code=sm_90 "$source_dir/examples/transpose.cu" -o without_lines
run "$warplens" run --check memory --json checked.json ./without_lines
expect_code 0
expect_json checked.json '{l["predicted_from"] for l in r["launches"]}' "{'machine-code'}"
