# Kernels without a host program: a .ptx file from any compiler, a fat binary, a cubin. The kernel is Triton's, of
#   z[i] = x[i] + y[i]  where i < n
# with 128 threads a block, and two more pointers that it does not use.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/triton_add.ptx" add.ptx

launch() { # OPTIONS… before the file, in $options
  # shellcheck disable=SC2086
  run "$warplens" run $options add.ptx --grid 8 --arg 'f32[1024]=iota' --arg 'f32[1024]=0.5' --arg 'f32[1024]' --arg 1000 --arg 0 \
    --arg 0 "$@"
}
sums_are_right() {
  python3 -c 'import struct
z = struct.unpack("<1024f", open("sum.bin", "rb").read())
assert z == tuple(i + 0.5 if i < 1000 else 0.0 for i in range(1024)), z' || fail "the kernel computed something else"
}
options="--json report.json" launch --save 3=sum.bin
expect_code 0
sums_are_right
expect_empty stdout
# 31 warps of 32 lanes and one of 8: 31 · 4 + 1 sectors.
expect_json report.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 125, 125]'
expect_json report.json '[(l["status"], l["kernel"], l["grid"], l["block"]) for l in r["launches"]]' \
  "[('exact', 'add', [8, 1, 1], [128, 1, 1])]"
expect_json report.json '{s["file"] + ":" + str(s["line"]) for s in r["launches"][0]["sites"]}' "{'tri.py:5'}"
expect_in stderr 'tri\.py:5'

# The source beside the file is quoted.
mkdir beside
cp add.ptx beside/
printf 'import triton\n@triton.jit\ndef add():\n  i = 0\n  tl.store(z + i, tl.load(x + i) + tl.load(y + i))\n' >beside/tri.py
touch -d '2000-01-01' beside/tri.py
run "$warplens" run --lines beside/add.ptx --grid 8 --arg 'f32[1024]' --arg 'f32[1024]' --arg 'f32[1024]' --arg 1024 --arg 0 --arg 0
expect_code 0
expect_in stderr 'tl\.store\(z \+ i'

rm sum.bin
options="--proofs=always --json counted.json" launch --save 3=sum.bin
expect_code 0
sums_are_right
expect_json counted.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 125, 125]'

# What goes wrong in the kernel is the launch's, as in any program.
run "$warplens" run add.ptx --grid 8 --arg 'f32[8]' --arg 0 --arg 'f32[1024]' --arg 1024 --arg 0 --arg 0
expect_code 1
expect_in stderr 'tri\.py:5'
expect_in stderr 'error: add: an illegal memory access'

refused() { # MESSAGE WORDS…
  message=$1
  shift
  run "$warplens" run "$@"
  expect_code 2
  expect_empty stdout
  expect_in stderr "$message"
}
refused "'none.ptx' does not exist" none.ptx --grid 8
refused '--grid is missing' add.ptx
expect_in stderr 'help: e\.g\. warplens run add\.ptx --grid 8 --arg'
refused 'parameter 4 \(add_param_3, \.u32\) is missing: there are 3 of 6' add.ptx --grid 8 --arg 0 --arg 0 --arg 0
refused "'--details' is not known to the launch" add.ptx --grid 8 --details
refused "option '--grid' is not known to run" --grid 8 add.ptx
expect_in stderr 'follows its file: warplens run FILE\.ptx --grid'
refused 'would write over .sum.bin., which belongs to' --report sum.bin add.ptx --grid 8 --arg 'f32[1024]=sum.bin' --arg 0 --arg 0 --arg 0 \
  --arg 0 --arg 0
refused "would write over './add.ptx', which holds the kernel" add.ptx --grid 8 --arg 'f32[1024]' --arg 0 --arg 0 --arg 0 --arg 0 --arg 0 \
  --save 1=./add.ptx
sed 's/add\.f32/add.f32 ,/' add.ptx >damaged.ptx
refused '^warplens: damaged\.ptx:[0-9]+:[0-9]+: error' damaged.ptx --grid 8
expect_in stderr 'add\.f32 ,'
expect_in stderr '\^'
: >empty.ptx
refused "'empty.ptx' is empty" empty.ptx --grid 8
mkdir folder.ptx
refused "'folder.ptx' is not a file" folder.ptx --grid 8
head -c 300 /dev/urandom >noise.fatbin
refused "'noise.fatbin': " noise.fatbin --grid 8

# The command line that is proposed works as it is: a size that the index is compared with, scratch memory that nobody reads, and
# dynamic shared memory. What is said is in the words of Triton.
proposed_works() { # FILE WORDS…
  run "$warplens" run "$@"
  expect_code 2
  example=$(sed -n 's/^.*e\.g\. warplens //p' stderr)
  eval "run \"\$warplens\" $example"
  expect_code 0
  expect_in stderr 'exact \(every warp\)'
}
for kernel in softmax transpose; do
  cp "$source_dir/tests/check/data/triton_$kernel.ptx" .
  proposed_works "triton_$kernel.ptx"
  expect_not_in stderr 'Idle lanes'
  expect_in stderr 'note: 49152 bytes of dynamic shared memory for each block are assumed'
  eval "run \"\$warplens\" $(echo "$example" | sed 's/--arg/--shared 16640 --arg/')"
  expect_code 0
  expect_not_in stderr 'are assumed'
done
for file in "$source_dir"/tests/check/data/*.ptx "$source_dir"/tests/ptx/data/*.ptx; do proposed_works "$file"; done
# A GPU refuses PTX that is newer than it is.
run "$warplens" run --sm 70 add.ptx --grid 8 --arg 'f32[1024]' --arg 'f32[1024]' --arg 'f32[1024]' --arg 1000 --arg 0 --arg 0
expect_in stderr "warning: a GPU of compute capability 7\.0 refuses 'add\.ptx': its PTX is for 9\.0"
options="" launch
expect_not_in stderr 'refuses'
run "$warplens" check triton_softmax.ptx
expect_in stdout 'parameter 1'
expect_in stdout 'help: let rows begin at multiples of 16 bytes.*pass sizes and strides divisible by 16'
expect_not_in stdout '__align__'
run "$warplens" run triton_softmax.ptx --grid 8 --arg 'f32[1048576]' --arg 'f32[1048576]' --arg 1024 --arg 1024 --arg 0 --arg 0
expect_in stderr '\(soft_param_0\)'
echo 'print(1)' >script.py
run "$warplens" run script.py
expect_in stderr 'help: warplens run python3 script\.py'
run "$warplens" run python3 script.py
expect_in stderr 'Triton, CuPy or numba'

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found: fat binaries, cubins and sources without main() were not tried"
cat >scale.cu <<'CU'
__global__ void scale(float* a, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= by;
}
CU
"$nvcc" -lineinfo -fatbin -gencode arch=compute_80,code=compute_80 scale.cu -o scale.fatbin
"$nvcc" -lineinfo -cubin -arch=sm_90 scale.cu -o kept.cubin
"$nvcc" -cubin -arch=sm_90 scale.cu -o bare.cubin
for file in scale.fatbin kept.cubin; do
  run "$warplens" run --json report.json $file --grid 4 --block 256 --arg 'f32[1000]=2' --arg 1000 --arg -1.5 --save 1=out.bin
  expect_code 0
  python3 -c 'import struct
assert set(struct.unpack("<1000f", open("out.bin", "rb").read())) == {-3.0}' || fail "$file: wrong results"
  expect_json report.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 125]'
  # The text that a cubin keeps has lost its line numbers.
  if [ $file = scale.fatbin ]; then expect_in stderr 'scale\.cu:3'; fi
done
# Machine code alone runs, too; one that takes shared memory without an array of its own gets some.
run "$warplens" run --json report.json bare.cubin --grid 4 --block 256 --arg 'f32[1000]=2' --arg 1000 --arg -1.5 --save 1=out.bin
expect_code 0
expect_in stderr 'machine code for 9\.0'
python3 -c 'import struct
assert set(struct.unpack("<1000f", open("out.bin", "rb").read())) == {-3.0}' || fail "machine code alone: wrong results"
expect_json report.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 125]'
expect_in stderr 'the file has none\. nvcc -lineinfo'
proposed_works bare.cubin
refused 'has machine code for 9\.0 and no PTX, and the device is of 8\.0' --sm 80 bare.cubin --grid 4
for bytes in 100 1000 2000; do
  head -c $bytes bare.cubin >cut.cubin
  refused "'cut.cubin': .* is cut off" cut.cubin --grid 4
done
# A GPU does not read the text that a cubin keeps, and ptxas makes nothing of a cubin.
"$nvcc" -lineinfo -cubin -arch=sm_80 scale.cu -o old.cubin
run "$warplens" run old.cubin --grid 4 --block 256 --arg 'f32[1000]=2' --arg 1000 --arg -1.5
expect_code 0
expect_in stderr "a GPU of compute capability 9\.0 refuses 'old\.cubin'"
expect_in stderr '\-\-sm 80 counts its machine code'
run "$warplens" run --sm 80 old.cubin --grid 4 --block 256 --arg 'f32[1000]=2' --arg 1000 --arg -1.5
expect_not_in stderr 'refuses'
run "$warplens" run --sm 80 --code machine kept.cubin --grid 4 --block 256 --arg 'f32[1000]=2' --arg 1000 --arg -1.5
expect_in stderr "'kept\.cubin' has no machine code for 8"
expect_not_in stderr 'ptxas -lineinfo'

# A kernel whose blocks wait for each other is launched as one, and has one dimension; parameters that it reads are no arrays.
cat >together.cu <<'CU'
#include <cooperative_groups.h>
__global__ void turns(float* a, float* b, int n) {
  cooperative_groups::grid_group all = cooperative_groups::this_grid();
  for (int i = all.thread_rank(); i < n; i += all.size()) b[i] = a[n - 1 - i] + 1;
  all.sync();
  for (int i = all.thread_rank(); i < n; i += all.size()) a[i] = b[n - 1 - i];
}
CU
"$nvcc" -ptx -lineinfo -arch=sm_90 together.cu -o together.ptx
"$nvcc" -cubin -lineinfo -arch=sm_90 together.cu -o together.cubin
for file in together.ptx together.cubin; do
  run "$warplens" run $file
  expect_in stderr "e\.g\. warplens run $file --grid 8 --block 128 --arg"
  run "$warplens" run $file --grid 8 --block 32 --arg 'f32[1000]=iota' --arg 'f32[1000]' --arg 1000 --save 1=out.bin
  expect_code 0
  python3 -c 'import struct
assert struct.unpack("<1000f", open("out.bin", "rb").read()) == tuple(i + 1.0 for i in range(1000))' || fail "$file: wrong results"
done
cat >turn.cu <<'CU'
extern __shared__ float kept[];
__global__ void turn(float* a) {
  kept[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}
CU
"$nvcc" -cubin -arch=sm_90 turn.cu -o turn.cubin
proposed_works turn.cubin
expect_in stderr '49152 bytes of dynamic shared memory for each block are assumed'

# A structure by value, as Julia passes its arrays, and a view that begins an element behind its buffer.
cat >view.cu <<'CU'
struct Matrix { float* at; long long bytes; int sizes[2]; };
__global__ void view(Matrix in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < in.sizes[0]) out[i] = in.at[i];
}
CU
"$nvcc" -ptx -arch=sm_90 view.cu -o view.ptx
proposed_works view.ptx
expect_not_in stderr 'Idle lanes'
run "$warplens" run --json report.json view.ptx --grid 1 --block 1024 --arg '{f32[1025]+4=iota,4100,s32=1000,s32=1}' --arg '@1' --save 1=in.bin
expect_code 0
expect_json report.json 'sorted(s["sectors"] for s in r["launches"][0]["sites"])' '[125, 157]'
python3 -c 'import struct
values = struct.unpack("<1025f", open("in.bin", "rb").read())
assert values[:1000] == tuple(i + 1 for i in range(1000)) and values[1001:] == tuple(range(1001, 1025)), values' || fail "a view begins elsewhere"
run "$warplens" run --compiler nvcc scale.cu
expect_code 2
expect_in stderr 'warplens run FILE\.ptx --grid'

# So do those of nvcc's kernels: indices that are loaded, f16, several sizes, tiles with more rows than threads, strides of 64 bits.
cat >kernels.cu <<'CU'
#include <cuda_fp16.h>
__global__ void gather(const int* ids, const float* table, float* out, int dim) {
  for (int d = threadIdx.x; d < dim; d += blockDim.x) out[blockIdx.x * dim + d] = table[(long long)ids[blockIdx.x] * dim + d];
}
__global__ void rope(__half* x, const float* c, int tokens, int heads, int dim) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  for (int h = 0; h < heads; h++)
    for (int d = 0; d < dim; d++) {
      __half* p = x + ((long long)t * heads + h) * dim;
      p[d] = __float2half(__half2float(p[d]) * c[t * dim + d]);
    }
}
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void columns(const char* a, long long rows, long long row, long long column, double* sums) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  double sum = 0;
  for (long long j = 0; j < rows; j++) sum += *(const float*)(a + i * column + j * row);
  sums[i] = sum;
}
__global__ void histogram(const unsigned char* values, int n, unsigned* counts) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(counts + values[i], 1);
}
CU
"$nvcc" -ptx -arch=sm_90 kernels.cu -o kernels.ptx
for kernel in gather rope transpose columns histogram; do proposed_works kernels.ptx --kernel $kernel; done

# Sizes that Triton did not compile the kernel for.
for file in softmax transpose; do cp "$source_dir/tests/check/data/triton_$file.ptx" .; done
run "$warplens" run --width 400 triton_softmax.ptx --grid 64 --arg 'f32[65536]=random:1' --arg 'f32[65536]' --arg 1001 --arg 1001 --arg 0 --arg 0
expect_code 0
expect_in stderr 'pad them to a multiple of 4 elements.*compiled again'
expect_not_in stderr 'tl\.trans'
run "$warplens" run --width 400 triton_transpose.ptx --grid 8,8 --arg 'f32[1048576]' --arg 'f32[1048576]' --arg 1001 --arg 0 --arg 0
expect_code 1
expect_in stderr 'for others Triton compiles another variant'
