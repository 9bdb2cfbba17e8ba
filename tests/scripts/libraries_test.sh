# Programs that call CUDA's libraries: the stand-ins compute the right numbers, and the report names each function as not
# counted. The machine needs a BLAS (libblas3 or libopenblas0).
. "$(dirname "$0")/common.sh"
lib=${WARPLENS_BUILD_DIR:?}/lib
ldconfig -p | grep -qE 'lib(openblas\.so\.0|blas\.so\.3)' || skip "no BLAS on this machine"
c++ -O1 -std=c++17 "$source_dir/tests/scripts/programs/blas.cpp" -o blas "$lib/libraries/libcublas.so.13" "$lib/libraries/libcusparse.so.12" "$lib/libcudart.so.13" \
  -Wl,-rpath-link,"$lib"
run "$warplens" run --json report.json ./blas
[ "$(cat stdout)" = "0 wrong" ] || fail "blas: $(cat stdout)"
expect_json report.json 'sum(m["kind"] == "library-kernel" and m["message"].startswith("cublasSgemm:") for m in r["messages"])' 1
slow=1
if ldconfig -p | grep -q 'libopenblas\.so\.0'; then slow=0; fi
expect_json report.json 'sum(m["kind"] == "slow-blas" for m in r["messages"])' $slow
expect_json report.json 'sum(m["message"].startswith("cublasXtSgemm:") for m in r["messages"])' 1
expect_json report.json '[u["function"] for u in r["unsupported"]]' "['cublasSgeqrfBatched']"
expect_json report.json '[m["message"].split(" at ")[0] for m in r["messages"] if m["kind"] == "library-bad-memory"]' \
  "['cublasSgemm is given 16384 bytes']"

# All kernels of this one are a library's: nobody has to be told that none of its own was seen.
cat >one.cpp <<'END'
struct Handle;
extern "C" int cublasCreate_v2(Handle**), cudaMallocManaged(float**, unsigned long, unsigned),
    cublasSnrm2_v2(Handle*, int, const float*, int, float*);
int main() {
  Handle* handle = nullptr;
  float *x = nullptr, length = 0;
  if (cublasCreate_v2(&handle) != 0 || cudaMallocManaged(&x, 8, 1) != 0) return 1;
  x[0] = 3, x[1] = 4;
  return cublasSnrm2_v2(handle, 2, x, 1, &length) != 0 || length != 5;
}
END
c++ one.cpp -o one "$lib/libraries/libcublas.so.13" "$lib/libcudart.so.13" -Wl,-rpath-link,"$lib"
run "$warplens" run ./one
expect_code 0
expect_in stderr 'cublasSnrm2: a library.s kernel, not counted'
expect_not_in stderr 'launched no CUDA kernel'

# What libraries compute here is part of a budget: kernels would compute it.
sed 's/return cublasSnrm2_v2/for (int i = 0; i < 1000000000; ++i) cublasSnrm2_v2(handle, 2, x, 1, \&length);\n  return cublasSnrm2_v2/' one.cpp >many.cpp
c++ many.cpp -o many "$lib/libraries/libcublas.so.13" "$lib/libcudart.so.13" -Wl,-rpath-link,"$lib"
run "$warplens" run --budget 0.05s ./many
expect_code 0
expect_in stderr 'ended to stay within its budget'

# NVIDIA's library by a path of its own, as PyTorch has it: the stand-in's functions are put in its place.
mkdir -p theirs
cat >theirs.cpp <<'END'
extern "C" {
int cublasCreate_v2(void**) { __builtin_printf("NVIDIA's own\n"); __builtin_trap(); }
int own() { __builtin_printf("NVIDIA's own\n"); __builtin_trap(); }
// A function that is shorter than what is written over it.
asm(".globl cublasSnrm2_v2\n.type cublasSnrm2_v2, @function\n.balign 16\ncublasSnrm2_v2: jmp own@PLT\n.size cublasSnrm2_v2, . - cublasSnrm2_v2\n.balign 16");
int cublasGetVersion_v2(void*, int* version) { return *version = 77, version[0] - 77; }
}
END
c++ -shared -fPIC theirs.cpp -o theirs/libcublas.so.13 -Wl,-soname,libcublas.so.13
sed 's/libcublas/libcudnn/; s/cublasCreate_v2(void\*\*)/cudnnCreate(void**)/' theirs.cpp >dnn.cpp
c++ -shared -fPIC dnn.cpp -o theirs/libcudnn.so.9 -Wl,-soname,libcudnn.so.9
sed 's/^int main/extern "C" int cudnnCreate(void**), cublasGetVersion_v2(void*, int*);\nextern "C" int plugin/
  s/return cublas/int version = 0;\n  &/; s/length != 5/& || cudnnCreate(0) == 0 || cublasGetVersion_v2(handle, \&version) != 0 || version != 77/' \
  one.cpp >plugin.cpp
c++ -shared -fPIC plugin.cpp -o plugin.so theirs/libcublas.so.13 theirs/libcudnn.so.9 "$lib/libcudart.so.13" -Wl,-rpath-link,"$lib" \
  -Wl,--disable-new-dtags -Wl,-rpath,"$PWD/theirs"
echo 'import ctypes, sys; sys.exit(ctypes.CDLL("./plugin.so").plugin())' >path.py
run "$warplens" run python3 path.py
expect_code 0
expect_in stderr 'cublasSnrm2: a library.s kernel, not counted'
expect_in stderr 'cuDNN is not run'

# What a function wrote is not reported as unwritten where a kernel reads it.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
  "$nvcc" -lineinfo -gencode arch=compute_80,code=compute_80 "$source_dir/tests/scripts/programs/library_memory.cu" -o memory \
    -cudart shared -Xlinker "$lib/libraries/libcublas.so.13" -Xlinker -rpath-link="$lib"
  run "$warplens" run --check memory --json report.json ./memory
  expect_code 0
  expect_json report.json '[[d["kind"] for d in l["diagnostics"]] for l in r["launches"]]' "[[], ['memory-uninitialized']]"
fi

# cuRAND and cuFFT. Without FFTW the transforms return an error, and the report says what to install.
c++ -O1 -std=c++17 "$source_dir/tests/scripts/programs/fourier.cpp" -o fourier "$lib/libraries/libcufft.so.12" \
  "$lib/libraries/libcurand.so.10" "$lib/libcudart.so.13" -Wl,-rpath-link,"$lib"
run "$warplens" run --json report.json ./fourier
expect_in stdout '^random: 0 wrong$'
if grep -q 'not supported' stdout; then
  expect_in stderr "libfftw3f?\.so\.3' is not installed"
  expect_in stderr 'apt install libfftw3-(single|double)3'
  cat >missing.cpp <<'END'
extern "C" int cufftPlan1d(int*, int, int, int), cufftExecC2C(int, void*, void*, int),
    cudaMallocManaged(void**, unsigned long, unsigned);
int main() {
  int plan = 0;
  void* x = nullptr;
  if (cudaMallocManaged(&x, 64, 1) != 0 || cufftPlan1d(&plan, 8, 0x29, 1) != 0) return 1;
  return cufftExecC2C(plan, x, x, -1) == 0;
}
END
  c++ missing.cpp -o missing "$lib/libraries/libcufft.so.12" "$lib/libcudart.so.13" -Wl,-rpath-link,"$lib"
  run "$warplens" run ./missing
  expect_in stderr 'apt install libfftw3-single3'
  expect_not_in stderr 'launched no CUDA kernel' # why is said already
else
  [ "$(tail -n1 stdout)" = "transforms: 0 wrong" ] || fail "fourier: $(cat stdout)"
  expect_json report.json 'sum(m["message"].startswith("cufftExecC2C:") for m in r["messages"])' 1
fi

# cuBLASLt, batches of small matrices, cuSOLVER, triangular systems. The machine needs a LAPACK, which OpenBLAS has.
if ldconfig -p | grep -qE 'lib(openblas\.so\.0|lapack\.so\.3)'; then
  c++ -O1 -std=c++17 "$source_dir/tests/scripts/programs/solver.cpp" -o solver "$lib/libraries/libcublas.so.13" \
    "$lib/libraries/libcublasLt.so.13" "$lib/libraries/libcusolver.so.12" "$lib/libraries/libcusparse.so.12" "$lib/libcudart.so.13" \
    -Wl,-rpath-link,"$lib"
  run "$warplens" run --check memory --json report.json ./solver
  [ "$(cat stdout)" = "0 wrong" ] || fail "solver: $(cat stdout)"
  expect_code 0
  expect_json report.json 'sum(m["message"].startswith("cublasLtMatmul:") for m in r["messages"])' 1
  expect_json report.json '[u["function"] for u in r["unsupported"]]' \
    "['cublasDgelsBatched of transposed matrices', 'cublasLtMatmul of complex or 4-bit matrices', 'cublasLtMatmul with scales by blocks', 'cusolverDnXgetrf']"
fi

# cuSPARSE: vectors, conversions, products whose result is sparse, matrices of blocks, sums, tridiagonal systems.
c++ -O1 -std=c++17 "$source_dir/tests/scripts/programs/sparse.cpp" -o sparse "$lib/libraries/libcusparse.so.12" \
  "$lib/libcudart.so.13" -Wl,-rpath-link,"$lib"
run "$warplens" run --check memory --json report.json ./sparse
[ "$(cat stdout)" = "0 wrong" ] || fail "sparse: $(cat stdout)"
expect_code 0
expect_json report.json 'sum(m["message"].startswith("cusparseSpGEMM_copy:") for m in r["messages"])' 1
expect_json report.json '[u["function"] for u in r["unsupported"]]' \
  "['cusparseCreateSlicedEll', 'cusparseDbsrmv of a transposed matrix', 'cusparseSpGEMM_compute other than of CSR matrices of one type, not transposed']"

# Sizes, strides, scalars and pivots that nobody's memory holds are refused, and the program goes on.
c++ -O1 -std=c++17 "$source_dir/tests/scripts/programs/absurd_sizes.cpp" -o absurd "$lib/libraries/libcublas.so.13" \
  "$lib/libraries/libcusolver.so.12" "$lib/libraries/libcusparse.so.12" "$lib/libraries/libcufft.so.12" "$lib/libraries/libcurand.so.10" \
  "$lib/libcudart.so.13" -Wl,-rpath-link,"$lib"
run "$warplens" run ./absurd
[ "$(cat stdout)" = "0 wrong" ] || fail "absurd sizes: $(cat stdout)"
expect_code 0
tr -s '\n ' ' ' <stderr >words # lines end where the terminal does
expect_in words 'cusolverDnSgetrs is given row 2139062143 as a pivot of a matrix of 8 rows'
