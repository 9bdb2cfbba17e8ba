# --check memory and race: reads of what nobody wrote, use after free, leaks and races, each with its line and the place of the
# allocation; with --strict they fail; without the option no more is said than of any run.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/mistakes.cu" .
line_of() { grep -n "$1" mistakes.cu | head -1 | cut -d: -f1; }
kinds='sorted(d["kind"] for l in r["launches"] for d in l["diagnostics"])'
said='"\n".join(" ".join([d["kind"], str(d["line"]), d["message"]] + d["notes"] + [d["help"]]) for d in
  [d for l in r["launches"] for d in l["diagnostics"]] + r["messages"])'
expect_said() { json report.json "$said" >said; expect_in said "$1"; }

compilers=clang
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then compilers="clang nvcc"; fi
for compiler in $compilers; do
  run "$warplens" run --compiler "$compiler" --check memory,race --strict --json report.json mistakes.cu
  expect_code 1
  expect_json report.json "$kinds" "['memory-uninitialized', 'memory-uninitialized', 'memory-use-after-free', 'race-shared']"
  expect_said "memory-uninitialized $(line_of 'load of what') global memory is read that nobody wrote.* allocated at .*mistakes.cu:$(line_of 'set too late')"
  expect_said "memory-uninitialized $(line_of 'shared, unset') shared memory is read"
  expect_said "race-shared $(line_of 'no barrier') warp [01] reads shared memory that warp [01] writes.*mistakes.cu:$(line_of 'everybody writes')"
  expect_said "memory-use-after-free $(line_of 'after free') load of 4 bytes.* which was freed"
  expect_said "memory-leak .* 1000 bytes in 1 allocation were never freed .*mistakes.cu:$(line_of 'never freed')"
done

# The line is the program's own, whether cudaMalloc<T> of the headers is inlined, in several places, or called.
cat >two_ways.cu <<'CU'
#include <cstdlib>
int main(int argc, char** argv) {
  int which = argc > 1 ? std::atoi(argv[1]) : 0;
  float *a, *b, h[1000];
  cudaMalloc(&a, 4000), cudaMalloc(&b, 4000); // both
  if (which == 0) cudaMemcpy(h, a, 4000, cudaMemcpyDeviceToHost);
}
CU
for compiler in $compilers; do
  for level in -O0 -O3; do
    run "$warplens" run --compiler "$compiler" --compile-options $level --check memory --json report.json two_ways.cu
    expect_said 'memory-leak .* never freed free what is allocated at .*two_ways.cu:5'
    expect_json report.json "len([m for m in r['messages'] if 'runtime_templates.h' in str(m)])" 0
  done
done

run "$warplens" run --compiler clang --strict --json report.json mistakes.cu
expect_code 0
expect_json report.json "$kinds" "['kernel-out-of-bounds']" # the freed memory, called as in any run

# Calls of the API that return an error: each place once, with how often, whatever way the program ends; asking is no failure.
cp "$source_dir/tests/scripts/programs/failed_calls.cu" .
line_in() { grep -n "$1" failed_calls.cu | head -1 | cut -d: -f1; }
failed='"\n".join(" ".join([m["message"]] + m["notes"]) for m in r["messages"] if m["kind"] == "memory-failed-call")'
expect_failed() { expect_in failed "^$1 called at .*failed_calls.cu:$(line_in "$2")$"; }
for compiler in $compilers; do
  for way in "" abort; do
    run "$warplens" run --compiler "$compiler" --check memory --json report.json failed_calls.cu $way
    json report.json "$failed" >failed
    # The first at a place is told at once, the others at the end.
    expect_failed "cudaMalloc returned cudaErrorMemoryAllocation$([ -n "$way" ] && echo '(, 9 times)?' || echo ', 9 times')" 'nine times'
    expect_failed 'cudaMemcpy returned cudaErrorInvalidValue' 'to nowhere'
    expect_failed 'cudaMallocHost returned cudaErrorMemoryAllocation' "of the host's"
    expect_failed 'cudaMemset returned cudaErrorInvalidValue' 'past its end'
    expect_failed 'cudaLaunchKernel returned cudaErrorInvalid[A-Za-z]*' 'plain<<<' # not where the compilers' stub is'
    expect_failed 'cudaSetDevice returned cudaErrorInvalidDevice' 'no such device'
    expect_failed 'cudaMemset3D returned cudaErrorInvalidValue' 'a box'
    [ -n "$way" ] || expect_failed 'cudaFree returned cudaErrorInvalidValue' 'twice'
    [ "$(wc -l <failed)" = "$([ -n "$way" ] && echo 7 || echo 8)" ] || fail "other calls failed: $(cat failed)"
  done
done
run "$warplens" run --compiler clang --json report.json failed_calls.cu
json report.json "$failed" >failed # copies and fills alone: what is read later looks like a result
expect_failed 'cudaMemcpy returned cudaErrorInvalidValue' 'to nowhere'
expect_failed 'cudaMemset returned cudaErrorInvalidValue' 'past its end'
expect_failed 'cudaMemset3D returned cudaErrorInvalidValue' 'a box'
[ "$(wc -l <failed)" = 3 ] || fail "other calls are told of: $(cat failed)"

# An index that leaves its array: told with the index, also where it lands in another array. Leaks of one size keep their places.
cat >stencil.cu <<'CU'
__global__ void stencil(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + n];
}
int main(int, char** argv) {
  int *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(in, 0, 4096);
  stencil<<<1, 1024>>>(in, out, *argv[1] == 'f' ? 1024 : -3);
  cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --check memory --strict --json report.json stencil.cu far
expect_code 1
expect_json report.json "$kinds" "['kernel-out-of-bounds']"
expect_said 'kernel-out-of-bounds 3 .*, index 1024 of 1024 elements of 4 bytes at the start of allocation 2'
expect_said 'memory-leak .* free what is allocated at .*stencil.cu:7'
expect_said 'memory-leak .* free what is allocated at .*stencil.cu:8'
[ "$(grep -c 'in 1 allocation were never freed' stderr)" = 2 ] || fail "leaks of one size are one message: $(cat stderr)"
run "$warplens" run --compiler clang --json report.json stencil.cu before
expect_said 'kernel-out-of-bounds 3 .*, index -3 of 1024 elements of 4 bytes'
expect_not_in stderr 'Nothing (is wasted|to fix)'

# What --check finds is an error in each form; memory that is never freed is a note, with a rule of its own.
cat >leak.cu <<'CU'
__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int main() {
  int* a;
  cudaMalloc(&a, 400);
  fill<<<1, 100>>>(a);
  cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --check memory --strict --fail-on error --findings found.json leak.cu
expect_code 0
expect_in stderr 'note: 400 bytes in 1 allocation were never freed'
expect_json found.json '[(f["rule"], f["severity"]) for f in r["findings"]]' "[('memory-leak', 'note')]"
run "$warplens" run --compiler clang --check memory --rule memory-leak=off --findings found.json leak.cu
expect_json found.json 'r["findings"]' '[]'

# The same mistake of many launches is told once, with how often.
cat >often.cu <<'CU'
__global__ void step(int* t, int i) { t[i + 1] = t[i] + threadIdx.x; } // of what nobody wrote, at a new address each time
int main() {
  int* t;
  cudaMalloc(&t, 400);
  for (int i = 0; i < 80; i += 2) step<<<1, 1>>>(t, i);
  cudaFree(t);
}
CU
run "$warplens" run --compiler clang --check memory --fail-on error --findings found.json often.cu
expect_code 1
tr -s ' \n' ' ' <stderr >flat
expect_in flat 'often.cu:1: error: global memory is read that nobody wrote: 4 bytes at 0x[0-9a-f]+ \(40 times\)'
[ "$(grep -o 'is read that nobody wrote' flat | wc -l)" = 3 ] || # the first lines, the message, the finding that fails
  fail "one mistake is told again and again: $(cat stderr)"
expect_json found.json '[(f["rule"], f["severity"], f["line"]) for f in r["findings"] if f["rule"] == "program-mistake"]' \
  "[('program-mistake', 'error', 1)]"

# A pointer to memory of the host: of its stack, from malloc, or static.
cat >host.cu <<'CU'
#include <cstdlib>
__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int fixed[64];
int main(int, char** argv) {
  int local[64] = {};
  fill<<<1, 32>>>(*argv[1] == 's' ? local : *argv[1] == 'm' ? (int*)malloc(256) : fixed);
  cudaDeviceSynchronize();
}
CU
for where in stack malloc fixed; do
  run "$warplens" run --compiler clang --json report.json host.cu $where
  expect_said 'kernel-illegal-address 2 store of 4 bytes at .* memory of the host.* cudaMalloc, and copy it there with cudaMemcpy'
done

# What kernels printed and nobody waited for.
cat >printed.cu <<'CU'
#include <cstdio>
__global__ void hello() { printf("hello %d\n", threadIdx.x); }
int main(int argc, char**) {
  hello<<<1, 4>>>();
  if (argc > 1) cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --json report.json printed.cu
expect_not_in stdout hello
expect_said 'printf-not-shown .* 4 lines of printf in kernels were not shown: the program ended first'
run "$warplens" run --compiler clang --json report.json printed.cu wait
expect_in stdout '^hello 3$'
expect_json report.json 'r["messages"]' '[]'

# Memory that is written in each way that there is, and then read: nothing is said.
run "$warplens" run --compiler clang --check memory,race,sync --strict --json report.json "$source_dir/tests/scripts/programs/written.cu"
expect_in stdout '^cudaSuccess$'
expect_json report.json "$kinds" '[]'
