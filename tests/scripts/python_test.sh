# What `warplens run python3 script.py` does for Python's packages: caches of compiled kernels that are its own, and a kernel of a
# library that has no PTX, as PyTorch's, named as not counted and refused with the error that a driver gives.
. "$(dirname "$0")/common.sh"
cat >variables.py <<'PY'
import os
for name in ("CUPY_CACHE_DIR", "CUPY_CACHE_SAVE_CUDA_SOURCE", "CUPY_CACHE_IN_MEMORY", "NUMBA_CACHE_DIR"):
    print(name, os.environ.get(name))
PY
unset CUPY_CACHE_DIR CUPY_CACHE_SAVE_CUDA_SOURCE CUPY_CACHE_IN_MEMORY NUMBA_CACHE_DIR || true
run "$warplens" run python3 variables.py
expect_in stdout "^CUPY_CACHE_DIR $WARPLENS_CACHE_DIR/cupy$"
expect_in stdout '^CUPY_CACHE_SAVE_CUDA_SOURCE 1$'
expect_in stdout '^CUPY_CACHE_IN_MEMORY None$'
expect_in stdout "^NUMBA_CACHE_DIR $WARPLENS_CACHE_DIR/numba$"
run env CUPY_CACHE_DIR=/mine NUMBA_CACHE_DIR=/too "$warplens" run python3 variables.py
expect_in stdout '^CUPY_CACHE_DIR /mine$'
expect_in stdout '^NUMBA_CACHE_DIR /too$'
run "$warplens" run --no-cache python3 variables.py
expect_in stdout '^CUPY_CACHE_DIR None$'
expect_in stdout '^CUPY_CACHE_IN_MEMORY 1$'

clang=$(command -v clang-19 || command -v clang) || skip "no clang: the library with machine code alone was not tried"
python3 - <<'PY' # a fat binary that holds one cubin, for sm_90
import struct
payload = b"\x7fELF" + bytes(60)
entry = struct.pack("<HHIQI", 2, 0x101, 64, len(payload), 0).ljust(28, b"\0") + struct.pack("<I", 90)
open("code.fatbin", "wb").write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 64 + len(payload)) + entry.ljust(64, b"\0") + payload)
PY
cat >kernels.cu <<'CU'
__global__ void add_one(float* a) { a[threadIdx.x] += 1; }
extern "C" int launch(void) {
  add_one<<<1, 32>>>(nullptr);
  return cudaGetLastError();
}
CU
"$clang" --driver-mode=g++ -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -Wno-unknown-cuda-version --cuda-gpu-arch=sm_80 \
  -Xclang -target-sdk-version=11.5 -isystem "$source_dir/cuda" -include warplens_cuda.h --cuda-host-only \
  -Xclang -fcuda-include-gpubinary -Xclang code.fatbin -fPIC -c kernels.cu -o kernels.o
library=$(dirname "$warplens")/lib/libcudart.so.13
"$clang" --driver-mode=g++ -shared kernels.o "$library" -Wl,-rpath,"$(dirname "$library")" -o libkernels.so
cat >script.py <<'PY'
import ctypes
print("error", ctypes.CDLL("./libkernels.so").launch())
PY
run "$warplens" run --json report.json python3 script.py
expect_in stdout '^error 209$' # cudaErrorNoKernelImageForDevice
expect_in stderr '^Not counted'
expect_json report.json '[(l["name"], l["reason"]) for l in r["launches"]]' \
  "[('add_one(float*)', \"'libkernels.so' holds device code only as machine code, not as PTX\")]"
