# Machine code that nvJitLink makes of PTX, as numba-cuda has it: counted, by source line where the PTX has lines; also when the
# PTX of several modules was linked.
. "$(dirname "$0")/common.sh"
toolkit=${CUDA_HOME:-/usr/local/cuda}
[ -e "$toolkit/include/nvJitLink.h" ] && [ -e "$toolkit/lib64/libnvJitLink.so" ] || skip "no nvJitLink in $toolkit"
nvcc=$(command -v nvcc || echo "$toolkit/bin/nvcc")
g++ -I"$toolkit/include" "$source_dir/tests/scripts/programs/nvjitlink.cpp" -o link -L"$toolkit/lib64" \
  -L"$toolkit/lib64/stubs" -Wl,-rpath,"$toolkit/lib64" -lnvJitLink -lcuda
cat >kernel.cu <<'CU'
__device__ float square(float* from);
extern "C" __global__ void square_all(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = square(a + i);
}
CU
cat >function.cu <<'CU'

__device__ float square(float* from) {
  return *from * *from;
}
CU
cat kernel.cu >whole.cu
sed 's/__device__ float square/__device__ __forceinline__ float square/' function.cu >>whole.cu
sites='sorted((s["file"].split("/")[-1], s["line"], s["op"], s["sectors"]) for l in r["launches"] for s in l["sites"])'

"$nvcc" -arch=sm_90 -ptx -lineinfo whole.cu -o whole.ptx
run "$warplens" run --json report.json ./link whole.ptx
expect_code 0
expect_in stdout '^every element is 9$'
expect_json report.json "$sites" "[('whole.cu', 4, 'store', 16), ('whole.cu', 8, 'load', 16)]"

"$nvcc" -arch=sm_90 -ptx whole.cu -o without_lines.ptx
run "$warplens" run --json report.json ./link without_lines.ptx
expect_code 0
expect_json report.json '[(s["op"], s["sectors"]) for l in r["launches"] for s in l["sites"]]' "[('load', 16), ('store', 16)]"

for part in kernel function; do "$nvcc" -arch=sm_90 -rdc=true -ptx -lineinfo $part.cu -o $part.ptx; done
run "$warplens" run --json report.json ./link kernel.ptx function.ptx
expect_code 0
expect_in stdout '^every element is 9$'
expect_json report.json "$sites" "[('function.cu', 3, 'load', 16), ('kernel.cu', 4, 'store', 16)]"
