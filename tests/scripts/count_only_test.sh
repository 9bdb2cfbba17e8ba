# --proofs=always: every example prints what it prints otherwise, and every counter, pattern and total is the same; kernels
# of index arithmetic are proved, with the ground, and those that follow data say what kept them from it.
. "$(dirname "$0")/common.sh"

# All of a report's launches but the label, the ground for it, and what is an estimate there: passes of the L1's stages, and whether
# the updates of one word are known, or could be those of several in the blocks that one stands for.
counted() {
  json "$1" '(lambda apart: [{k: [{i: {sm: {n: c[n] for n in c if n not in apart(s)} for sm, c in s[i].items()}
    if i == "by_sm" else {n: d for n, d in s[i].items() if n != "busiest_is_bound"} if i == "distribution" else s[i]
    for i in s if i not in apart(s)} for s in v] if k == "sites" else v for k, v in l.items()
    if k not in ("status", "reason")} for l in r["launches"]])(lambda s: ("label", "tag_passes", "excess_cycles",
    "estimates") + (("data_wavefronts",) if s["space"] == "global" else ()))'
}
for example in "$source_dir"/examples/*.cu; do
  echo "$example"
  run "$warplens" run --sm 90,10,13,20,35,60 --json full.json "$example"
  expect_code 0
  mv stdout full.out
  run "$warplens" run --proofs=always --sm 90,10,13,20,35,60 --json folded.json "$example"
  expect_code 0
  diff full.out stdout || fail "the program printed something else"
  expect_json folded.json 'all(l["status"] in ("exact", "proved") and l["reason"] for l in r["launches"])' True
  counted full.json >full
  counted folded.json >folded
  diff full folded || fail "counts differ"
done

run "$warplens" run --proofs=always --lines --json r.json "$source_dir/examples/transpose.cu"
expect_in stderr 'proved'
expect_in stderr 'classes? of blocks stands? for'
expect_json r.json 'all(l["status"] == s["label"] == "proved" for l in r["launches"] for s in l["sites"])' True
run "$warplens" run --proofs=always --strict --lines --json r.json "$source_dir/examples/gather.cu"
expect_code 0
expect_in stderr 'emulated in full'
expect_json r.json 'r["launches"][0]["reason"]' \
  'emulated in full: the address at gather.cu:27 depends on data loaded at gather.cu:26'

# Results that nobody reads are not computed: 2^26 threads with a loop of 512 steps would take minutes.
run timeout 60 "$warplens" run --proofs=always --json r.json "$source_dir/bench/folding/matmul.cu" 262144
expect_code 0
expect_json r.json '[(l["status"], l["reason"]) for l in r["launches"]]' \
  "[('proved', '8 classes of blocks stand for 262144')]"
expect_json r.json '[s["threads"] for l in r["launches"] for s in l["sites"] if s["op"] == "store"]' '[67106304]'

# --no-results: the program ends where it waits for results; all that it launched until then is counted.
cat >results.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void scale(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * 2 % n] = i;
}
__global__ void later(float* a) { a[threadIdx.x] = 1; }
int main() {
  const int n = 1 << 20;
  float *a, *b = (float*)malloc(n * 4);
  cudaMalloc(&a, n * 4);
  atexit([] { printf("at the end\n"); });
  for (int i = 0; i < 3; ++i) scale<<<n / 256, 256>>>(a, n);
  cudaDeviceSynchronize();
  printf("launched\n");
  cudaMemcpy(b, a, n * 4, cudaMemcpyDeviceToHost);
  printf("copied\n");
  later<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  return 5;
}
CU
run "$warplens" run --no-results --compiler clang --json r.json results.cu
expect_code 0
[ "$(cat stdout)" = launched ] || fail "the program went on: $(cat stdout)"
expect_in stderr 'The program was ended where it waited for results \(--no-results\)'
expect_in stderr '1 kernel was not launched so far: later'
expect_json r.json '[(l["status"], l["count"]) for l in r["launches"]], r["complete"]' "([('proved', 3)], False)"
run "$warplens" run --no-results --strict --compiler clang results.cu
expect_code 1
# What needs no result that was put off goes on.
run "$warplens" run --proofs=always --compiler clang results.cu
expect_code 5
expect_in stdout '^copied$'
run "$warplens" run --no-results --verify-fix results.cu
expect_code 2
