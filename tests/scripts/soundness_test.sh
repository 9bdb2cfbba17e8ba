# What `check` says of the examples, of the programs of these tests, of those that are measured on hardware, and of PTX from
# Triton is held to what `run` counts of them, warp by warp (scripts/soundness.py). A contradiction is a bug of either.
. "$(dirname "$0")/common.sh"
build=${WARPLENS_BUILD_DIR:?set it to the build folder}
compare="$source_dir/scripts/soundness.py --build $build"

compared=0
programs="$source_dir/tests/scripts/programs"
for program in "$source_dir"/examples/*.cu "$programs"/*.cu "$source_dir"/tests/sim/data/programs.cu "$source_dir"/tests/hardware/*.cu; do
  case $program in
    */conditional.cu | */parts_main.cu | */parts_other.cu) continue ;; # of several files, or for nvcc alone
    */bulk_copies.cu | */matrices.cu | */wgmma*.cu | */variants*.cu) continue ;; # the same, or minutes of running
  esac
  grep -q 'main(' "$program" || continue
  run $compare --rows rows "$program"
  [ "$code" != 0 ] || compared=$((compared + 1))
  grep -q '^soundness:' stderr || [ "$code" = 0 ] || fail "$program: $(cat stdout)"
done
with_arguments() { # PTX, and the words of its launch
  run $compare --rows rows "$@"
  [ "$code" = 0 ] || fail "$1: $(cat stdout)"
  compared=$((compared + 1))
}
with_arguments "$programs/triton_add.ptx" --grid 8 --arg 'f32[1024]=iota' --arg 'f32[1024]=0.5' --arg 'f32[1024]' --arg 1000 --arg 0 --arg 0
with_arguments "$source_dir/tests/check/data/triton_transpose.ptx" --grid 2,2 --shared 16384 --arg 'f32[16384]=iota' --arg 'f32[16384]' --arg 128 --arg 0 --arg 0
[ "$compared" -ge 30 ] || fail "only $compared programs were compared"

# Most of what does not depend on loaded data is decided.
run $compare --sum rows
expect_code 0
expect_in stdout '^contradictions: 0;'
expect_in stdout 'does not depend on loaded data: (8[0-9]|9[0-9]|100)\.[0-9] % of the sites'

# A contradiction is told: of a program that is not the one that ran, with the same instructions at the same lines.
cat >one.cu <<'CU'
#include <cstdio>
__global__ void copy(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x * STEP]; }
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  copy<<<1, 32>>>(in, out);
  return cudaDeviceSynchronize();
}
CU
sed s/STEP/2/ one.cu >two.cu
sed s/STEP/32/ one.cu >far.cu
run "$warplens" run --compiler clang --json two.json two.cu
expect_code 0
run $compare --report two.json two.cu
expect_code 0
run $compare --report two.json far.cu
expect_code 1
expect_in stdout '^wrong.*a warp: 8 sectors, said 32 to 32'
expect_in stdout '^wrong.*a warp: 1 tag passes, said 8 to'
