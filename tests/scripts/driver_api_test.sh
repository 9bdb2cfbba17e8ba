# Programs of the driver API: Python that opens libcuda.so.1 as its packages do, and C++ that is linked with it.
. "$(dirname "$0")/common.sh"
programs="$source_dir/tests/scripts/programs"
cp "$programs/triton_add.ptx" add.ptx

run "$warplens" run --json report.json python3 "$programs/driver.py" add.ptx
expect_code 0
expect_in stdout '^devices 1 capability 9$'
expect_in stdout '^sums are right$'
expect_json report.json '[(l["status"], l["kernel"], l["grid"]) for l in r["launches"]]' "[('exact', 'add', [8, 1, 1]), ('refused', 'add', [8, 1, 1]), ('refused', 'add', [8, 1, 1])]"
expect_json report.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 125, 125]'
expect_in stderr 'tri\.py:5'

run "$warplens" run --proofs=always --json report.json python3 "$programs/driver.py" add.ptx
expect_code 0
expect_json report.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 125, 125]'

# Modules of before CUDA 12: their textures and surfaces are bound by name.
run "$warplens" run --json report.json python3 "$programs/references.py" "$programs/references.ptx"
expect_code 0
expect_in stdout '^references are right$'
expect_json report.json 'sorted({(s["space"], s["op"]) for l in r["launches"] for s in l["sites"]})' \
  "[('global', 'store'), ('surface', 'store'), ('texture', 'load')]"

# With clang and WarpLens's own header.
cp "$programs/driver_kernel.cu" kernel.cu
run "$warplens" run --compiler clang --json report.json kernel.cu
expect_code 0
expect_in stdout '^4096 sums, linked$'
expect_json report.json '[l["kernel"] for l in r["launches"]]' "['twice_all']"

# The real header, and the library that it is linked with where there is no driver.
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
[ -f "$toolkit/include/cuda.h" ] || skip "no toolkit: programs that are linked with libcuda.so were not tried"
stubs=$(find "$toolkit/" -path '*stubs/libcuda.so' | head -1)
c++ -I"$toolkit/include" "$programs/driver.cpp" "$stubs" -o linked
run "$warplens" run --json report.json ./linked add.ptx
expect_code 0
expect_in stdout '^right, 1$'
expect_json report.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[128, 128, 128]'
expect_in stderr 'cuGraphicsMapResources'

# NVIDIA's runtime inside a library that is opened while the program runs is replaced; without symbols it cannot be, and the
# message names the way out.
printf '__global__ void f() {}\nextern "C" int go() { f<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >lib.cu
nvcc -shared -Xcompiler -fPIC lib.cu -o libgo.so
printf 'import ctypes\nprint("go", ctypes.CDLL("./libgo.so").go() != 0)\n' >go.py
run "$warplens" run --json report.json python3 go.py
expect_code 0
expect_in stdout '^go False$'
expect_json report.json '[(l["name"], l["status"], l["called_from"].split("/")[-1]) for l in r["launches"]]' "[('f()', 'exact', 'go.py:2')]"
strip libgo.so
run "$warplens" run python3 go.py
expect_code 0
expect_in stdout '^go True$'
tr -s '\n ' ' ' <stderr >words # lines end where the terminal does
expect_in words "'libgo.so' asked the driver for functions that are not documented"
expect_in words '-cudart shared'

# Both APIs in one program.
cat >mixed.cu <<'CU'
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>
__global__ void fill(float* a) { a[threadIdx.x] = 2.0f; }
int main(int, char** argv) {
  float *a, *b;
  cudaMalloc(&a, 4096), cudaMalloc(&b, 4096);
  cudaMemset(b, 0, 4096);
  fill<<<1, 1024>>>(a);
  CUcontext context = nullptr;
  CUmodule module;
  CUfunction add;
  if (cuCtxGetCurrent(&context) || !context) return 1; // the primary one
  if (cuModuleLoad(&module, argv[1]) || cuModuleGetFunction(&add, module, "add")) return 2;
  int n = 1024;
  void* none = nullptr;
  void* arguments[] = {&a, &a, &b, &n, &none, &none};
  if (cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr)) return 3;
  if (cuModuleGetFunction(&add, module, "sub") != CUDA_ERROR_NOT_FOUND || cudaGetLastError()) return 4;
  typedef CUresult Get(int*);
  void* get = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &get, 12000, cudaEnableDefault, &found)) return 5;
  int count = 0;
  if (reinterpret_cast<Get*>(get)(&count) || count != 1) return 6;
  std::vector<float> out(1024);
  cudaMemcpy(out.data(), b, 4096, cudaMemcpyDeviceToHost);
  for (float x : out)
    if (x != 4.0f) return 7;
  std::printf("both\n");
}
CU
for linkage in shared static; do
  nvcc -cudart $linkage mixed.cu -o mixed_$linkage "$stubs"
  run "$warplens" run --json report.json ./mixed_$linkage add.ptx
  expect_code 0
  expect_in stdout '^both$'
  expect_json report.json 'len(r["launches"])' 2
done

# Object files and libraries with relocatable device code are linked while the program runs.
printf 'extern "C" __device__ int thrice(int x) { return x * 3; }\n' >callee.cu
printf 'extern "C" __device__ int thrice(int);\nextern "C" __global__ void k(int* out) { *out = thrice(14); }\n' >caller.cu
nvcc -dc -gencode arch=compute_80,code=compute_80 callee.cu caller.cu
ar rc libcallee.a callee.o
cat >link.cpp <<'CPP'
#include <cstdio>
#include <cuda.h>
int main() {
  CUcontext context;
  CUlinkState state;
  CUmodule module;
  CUfunction k;
  CUdeviceptr out;
  void *image, *arguments[] = {&out};
  size_t size;
  int value = 0;
  if (cuInit(0) || cuCtxCreate(&context, nullptr, 0, 0) || cuLinkCreate(0, nullptr, nullptr, &state)) return 1;
  if (cuLinkAddFile(state, CU_JIT_INPUT_OBJECT, "caller.o", 0, nullptr, nullptr)) return 2;
  if (cuLinkAddFile(state, CU_JIT_INPUT_LIBRARY, "libcallee.a", 0, nullptr, nullptr)) return 3;
  if (cuLinkComplete(state, &image, &size) || cuModuleLoadData(&module, image)) return 4;
  if (cuModuleGetFunction(&k, module, "k") || cuMemAlloc(&out, 4)) return 5;
  if (cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) || cuMemcpyDtoH(&value, out, 4)) return 6;
  std::printf("%d\n", value);
}
CPP
c++ -I"$toolkit/include" link.cpp "$stubs" -o link
run "$warplens" run ./link
expect_code 0
[ "$(cat stdout)" = 42 ] || fail "linked: $(cat stdout)"
