# Pointers to functions in machine code: in tables, in virtual functions and from the host, of one file and of several that were compiled apart, with PTX
# and without. Skipped where there is no nvcc.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"

cat >shapes.cuh <<'CU'
struct Shape {
  __device__ virtual float area(float) const = 0;
  __device__ virtual float scale(float x) const { return x * 2; }
};
struct Square : Shape {
  float a;
  __device__ Square(float a) : a(a) {}
  __device__ float area(float) const override;
};
struct Disc : Shape {
  float r;
  __device__ Disc(float r) : r(r) {}
  __device__ float area(float) const override;
  __device__ float scale(float) const override;
};
typedef float (*Function)(float);
extern __device__ Function table[3];
extern __constant__ Function constants[2];
extern __device__ float* const places[2];
__device__ float half(float);
__device__ float root(float);
CU
cat >one.cu <<'CU'
#include "shapes.cuh"
#include <cstdio>
__device__ Function chosen;
__global__ void make(Shape** out) { out[0] = new Square(3), out[1] = new Disc(2); }
__global__ void use(Shape** in, float* out) { out[threadIdx.x] = in[threadIdx.x & 1]->area(threadIdx.x) + in[threadIdx.x & 1]->scale(1); }
__global__ void pick(float* out, int i) { out[threadIdx.x] = table[(threadIdx.x + i) % 3](threadIdx.x) + constants[threadIdx.x & 1](16); }
__global__ void given(float* out, Function f) { out[threadIdx.x] = f(threadIdx.x + 9); }
__global__ void choose(int which) { chosen = which ? half : root; }
__global__ void call(float* out) { out[0] = chosen(64), out[1] = places[1][1] + places[0][0]; }
int main() {
  float* out;
  Shape** shapes;
  cudaMallocManaged(&out, 4096), cudaMalloc(&shapes, 16);
  auto show = [&](const char* what, int n) {
    std::printf("%s %s", what, cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < n; ++i) std::printf(" %g", out[i]);
    std::printf("\n");
  };
  make<<<1, 1>>>(shapes);
  use<<<1, 4>>>(shapes, out);
  show("virtual", 4);
  pick<<<1, 6>>>(out, 1);
  show("table", 6);
  Function host[3];
  cudaMemcpyFromSymbol(host, table, sizeof host);
  for (Function f : host) given<<<1, 2>>>(out, f), show("given", 2);
  for (int which = 0; which < 2; ++which) choose<<<1, 1>>>(which), call<<<1, 1>>>(out), show("chosen", 2);
}
CU
cat >two.cu <<'CU'
#include "shapes.cuh"
__device__ float half(float x) { return x / 2; }
__device__ float root(float x) { return sqrtf(x); }
static __device__ float cube(float x) { return x * x * x; }
__device__ Function table[3] = {half, root, cube};
__constant__ Function constants[2] = {root, half};
static __device__ float numbers[4] = {1, 20, 300, 4000};
extern __device__ float* const places[2] = {numbers, numbers + 2};
CU
cat >three.cu <<'CU'
#include "shapes.cuh"
__device__ float Square::area(float x) const { return a * a + x; }
__device__ float Disc::area(float x) const { return 3 * r * r - root(x); }
__device__ float Disc::scale(float x) const { return half(x) + table[2](r); }
CU
printf '%s\n' 'virtual cudaSuccess 11 19.5 13 18.7679' 'table cudaSuccess 4 9 5 9.73205 68 10.5' 'given cudaSuccess 4.5 5' \
  'given cudaSuccess 3 3.16228' 'given cudaSuccess 729 1000' 'chosen cudaSuccess 8 4001' 'chosen cudaSuccess 32 4001' >right

expect_right() { # PROGRAM OPTIONS…
  program=$1
  shift
  run "$warplens" run "$@" --json "$program.json" "./$program"
  expect_code 0
  diff right stdout || fail "$program: wrong"
  expect_not_in stderr 'runs as PTX'
  expect_json "$program.json" '{(l["predicted_from"], l["status"]) for l in r["launches"]}' "{('machine-code', 'exact')}"
}
make() { name=$1; shift; "$nvcc" -O3 -std=c++17 -w -cudart shared "$@" -o "$name" || fail "$name: not built"; }
for sm in 75 90 120; do
  alone="-gencode arch=compute_$sm,code=sm_$sm"
  # shellcheck disable=SC2086 # words of nvcc
  make alone_$sm $alone -rdc=true one.cu two.cu three.cu
  expect_right alone_$sm --sm $sm
done
make with_ptx -arch=sm_90 -rdc=true one.cu two.cu three.cu
expect_right with_ptx
# One of the files has no PTX.
make two.o -dc -gencode arch=compute_90,code=sm_90 two.cu
make some_ptx -arch=sm_90 -rdc=true one.cu two.o three.cu
expect_right some_ptx

# One kernel makes a pointer, another calls through it.
cat >pointers.cu <<'CU'
#include <cstdio>
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ float (*chosen)(float);
__global__ void choose(int which) { chosen = which ? twice : square; }
__global__ void use(float* out) { *out = chosen(3); }
int main() {
  float* out;
  cudaMallocManaged(&out, 4);
  for (int which = 0; which < 2; ++which) {
    choose<<<1, 1>>>(which);
    use<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    std::printf("%g\n", *out);
  }
}
CU
printf '%s\n' 9 6 >right
for apart in false true; do
  make pointers -arch=sm_90 -rdc=$apart pointers.cu
  expect_right pointers
done
