# The main job: the program's own output, arguments, input and exit code pass through; the report goes to stderr, or as
# JSON to a file, with the counts that the kernel must have; a broken pipe and NO_COLOR are respected.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/scale.cu"

run "$warplens" run --compiler clang --json report.json "$program" word
expect_code 0
[ "$(cat stdout)" = "6 6138 word" ] || fail "the program's output changed"
expect_in stderr 'scale'
expect_not_in stderr "$(printf '\033')"
expect_json report.json 'r["schema"], r["target"]["sm"]' '(1, 90)'
expect_json report.json '[(l["status"], l["grid"], l["block"], l["count"]) for l in r["launches"]]' "[('exact', [4, 1, 1], [256, 1, 1], 2)]"
expect_json report.json 'sorted((s["op"], s["line"], s["bytes"], s["instructions"], s["threads"], s["requests"], s["tags"], s["sectors"], s["ideal_sectors"]) for s in r["launches"][0]["sites"])' \
  "[('load', 6, 4, 32, 1024, 32, 32, 128, 128), ('store', 6, 4, 32, 1024, 32, 32, 128, 128)]"

run "$warplens" run --compiler clang "$program" word exit
expect_code 7

# A word behind the program is the program's. The first that is an option of run is told of, once.
for words in --lines "word --budget=1s --lines" "-n 4 ./app --json r.json"; do
  # shellcheck disable=SC2086 # several words
  run "$warplens" run --compiler clang "$program" $words
  [ "$(grep -c 'stands behind the program, which gets it' stderr)" = 1 ] || fail "an option behind the program: $(cat stderr)"
done
run "$warplens" run --compiler clang --lines "$program" word -j --size --lines-of
expect_not_in stderr 'stands behind'

run "$warplens" run --compiler clang --json - "$program" word
expect_code 0
cp stdout only.json
expect_json only.json 'len(indices(r))' 2
expect_in stderr '^6 6138 word$'

code=0
{ "$warplens" run --compiler clang --json - "$program" word 2>stderr || echo $? >code_of_run; } | head -c 1 >/dev/null
[ ! -e code_of_run ] || [ "$(cat code_of_run)" = 0 ] || [ "$(cat code_of_run)" = 141 ] || fail "a broken pipe gave $(cat code_of_run)"
expect_not_in stderr '[Ee]rror'

# An executable of one's own, also after --; its input is its own; options after it are its own.
cp "$program" copy.cu
cat >upper.sh <<'SH'
#!/bin/sh
tr a-z A-Z
echo "$1" >&2
exit 3
SH
chmod +x upper.sh
for dashes in "" --; do
  code=0
  # shellcheck disable=SC2086
  echo words | "$warplens" run --sm 70 $dashes ./upper.sh --sm >stdout 2>stderr || code=$?
  expect_code 3
  [ "$(cat stdout)" = WORDS ] || fail "the program's input or output changed"
  expect_in stderr '^--sm$'
done

# Several architectures, a report file, a part of the kernels.
run "$warplens" run --compiler clang --sm 70,10 --report report.txt --json report.json copy.cu word
expect_code 0
[ "$(cat stderr)" = 'warplens: the report is in report.txt' ] || fail "a report that goes to a file is not announced"
expect_in report.txt 'scale'
expect_json report.json 'r["target"]["sm"]' 70
run "$warplens" run --compiler clang --kernel nothing_like_it --report - copy.cu word
expect_in stdout 'left out by --kernel'

# nvcc's way of writing options, a header in a folder of one's own, several sources.
mkdir include
echo '#define FACTOR 2.0f' >include/factor.h
sed -e '1i #include "factor.h"' -e 's/2.0f/FACTOR * MORE/' "$program" >options.cu
run "$warplens" run --compiler clang --compile-options '-Iinclude "-DMORE=(1 + 1)"' options.cu word
expect_code 0
expect_in stdout '^12 12276 word$'

# Several sources are one program; one without main() is told so.
cat >kernels.cu <<'CU'
__global__ void fill(float* p) { p[threadIdx.x] = 1; }
void start(float* p) { fill<<<1, 32>>>(p); }
CU
cat >main.cu <<'CU'
#include <cstdio>
void start(float* p);
int main(int argc, char** argv) {
  float* p;
  cudaMalloc(&p, 128);
  start(p);
  printf("%s %s\n", cudaGetErrorName(cudaDeviceSynchronize()), argv[argc - 1]);
}
CU
run "$warplens" run --compiler clang main.cu kernels.cu word
expect_code 0
expect_in stdout '^cudaSuccess word$'
expect_in stderr 'fill'
run "$warplens" run --compiler clang kernels.cu
expect_code 2
expect_in stderr 'has no main\(\): WarpLens runs programs'

# On a terminal there is colour, unless NO_COLOR says no.
if script -qec true /dev/null >/dev/null 2>&1; then
  run script -qec "'$warplens' run --compiler clang copy.cu word" /dev/null
  expect_in stdout "$(printf '\033')\\[[0-9;]+m"
  NO_COLOR=1 run script -qec "'$warplens' run --compiler clang copy.cu word" /dev/null
  expect_not_in stdout "$(printf '\033')\\[[0-9;]+m"
fi

# The first screen has at most 25 lines: accesses that no cause names get the lines that are left.
cat >screen.cu <<'CU'
__global__ void step(float* a, int n, int k) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i * k % n] += 1; }
__global__ void good(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += 1; }
int main() {
  float* a;
  cudaMalloc(&a, 1 << 20);
  for (int i = 0; i < 3; ++i) step<<<64, 256>>>(a, 1 << 14, 17), good<<<64, 256>>>(a, 1 << 14);
  cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --proofs always --width 80 screen.cu
expect_in stderr '^ 1\. 100% of the waste'
[ "$(wc -l <stderr)" -le 25 ] || fail "the first screen has $(wc -l <stderr) lines"
