# Two runs held against each other: from saved reports, from programs, from baselines; what fails, what is said, every form.
. "$(dirname "$0")/common.sh"
cat >old.cu <<'CU'
#include <cstdlib>
__global__ void transpose(float* out, const float* in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
__global__ void scale(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 64;
  float *a, *b;
  cudaMalloc(&a, n * n * 4);
  cudaMalloc(&b, n * n * 4);
  cudaMemset(a, 0, n * n * 4);
  transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(b, a, n);
  scale<<<n * n / 256, 256>>>(b, n * n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
# The hand-made improvement: lines above move everything, and the store goes along the rows.
sed -e 's/^__global__ void transpose/\/\/ along the rows\n\n&/' -e 's/out\[x \* n + y\] = in\[y \* n + x\]/out[y * n + x] = in[y * n + x]/' old.cu >new.cu
for side in old new; do
  run "$warplens" run --compiler clang --json $side.json $side.cu
  expect_code 0
done

run "$warplens" diff old.json new.json --json d.json --markdown d.md
expect_code 0
expect_empty stderr
expect_in stdout '^Better: the accesses cost .* cycles of the busiest SM \(-[0-9]+%\)$'
expect_in stdout '^ +cost of each +cycles of all SMs +change$'
expect_in stdout '^better +transpose'
expect_in stdout 'new.cu:6 \(was old.cu:4\) \(edited\)'
expect_in stdout '32.00 → 4.00 sectors'
expect_in stdout '^As before: scale'
follows() {
  python3 "$source_dir/tests/scripts/schema.py" "$source_dir/docs/schema/diff-1.schema.json" "$1" || fail "$1 does not follow its schema"
}
follows d.json
expect_json d.json 'r["change"], [(k["change"], k["after"]["short"]) for k in r["kernels"]]' \
  "('better', [('better', 'transpose'), ('same', 'scale')])"
expect_json d.json '[(a["before"]["each"], a["after"]["each"]) for a in r["kernels"][0]["lines"][0]["accesses"] if a["change"] == "better"]' \
  '[(32.0, 4.0)]'
expect_in d.md '^\| 🟢 better \| transpose \|.*32\.00 → 4\.00 sectors'

# A gate: what became worse fails, what became better does not.
run "$warplens" diff old.json new.json --fail-on worse
expect_code 0
run "$warplens" diff new.json old.json --fail-on worse --report text.txt
expect_code 1
expect_empty stdout
expect_in stderr 'fails: transpose costs'
expect_in text.txt '^worse +transpose'
run "$warplens" diff new.json old.json
expect_code 0
run "$warplens" diff new.json old.json --fail-on 'worse>1000%'
expect_code 0
run "$warplens" diff new.json old.json --fail-on graver
expect_code 2
expect_in stderr "'graver' is no condition of diff"

# Programs are run; what they print does not mix with the comparison.
run "$warplens" diff --compiler clang old.cu new.cu --json - --top 0
expect_code 0
cp stdout programs.json
follows programs.json
expect_json programs.json '[(k["change"], k["after"]["short"]) for k in r["kernels"]]' "[('better', 'transpose'), ('same', 'scale')]"
run "$warplens" diff --compiler clang 'old.cu 64' 'old.cu 128' --strict
expect_code 0
expect_in stdout "other arguments: '64' and '128'"
expect_in stdout 'grid 2x8 → 4x16'
run "$warplens" diff old.json "./no-such-program 3"
expect_code 2
expect_in stderr "'./no-such-program' does not exist"
expect_in stderr 'a saved report is a file that ends in .json'

# Costs of shared memory are no traffic: "for nothing" is what a report has. Which stage decides is told, and that neither matters.
cat >tiles.cu <<'CU'
__global__ void tiles(float* out) {
  __shared__ float t[32][32 + PAD];
  t[threadIdx.x][threadIdx.y] = 1;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
int main() {
  float* out;
  cudaMalloc(&out, 4096);
  tiles<<<1, dim3(32, 32)>>>(out);
  cudaDeviceSynchronize();
}
CU
for pad in 0 1; do
  run "$warplens" run --compiler clang --compile-options -DPAD=$pad --json tiles$pad.json tiles.cu
done
run "$warplens" diff tiles0.json tiles1.json --markdown d.md
expect_in stdout 'for nothing 0%'
expect_in stdout 'too short to matter:'
expect_in stdout '32.00 → 1.00 wavefronts .* -97%$' # one change in both forms
expect_in d.md '32.00 → 1.00 wavefronts.*\| -97%'

# Baselines know averages; a report beside one is taken as its findings.
for side in old new; do
  run "$warplens" report $side.json --write-baseline $side.baseline.json
  expect_code 0
done
run "$warplens" diff old.baseline.json new.baseline.json --json b.json
expect_code 0
follows b.json
expect_in stdout '1 finding: 0 worse, 0 better, 0 new, 1 gone'
run "$warplens" diff new.baseline.json old.json --fail-on worse
expect_code 1
expect_in stderr 'uncoalesced-store is new'

# What check says of the code is such a list, too; suppressed findings are none.
for side in old new; do
  run "$warplens" check --compiler clang --json $side.cu
  cp stdout $side.findings.json
done
run "$warplens" diff old.findings.json new.findings.json
expect_code 0
expect_in stdout '2 findings: 0 worse, 0 better, 0 new, 1 gone, 1 as before'
run "$warplens" diff new.findings.json old.findings.json --fail-on worse
expect_code 1
expect_in stderr 'uncoalesced-store is new'

run "$warplens" diff old.json new.findings.json
expect_code 2
expect_in stderr "'new.findings.json' is of warplens check, and 'old.json' of a run"

# .warplens.toml says what fails; the command line wins, and what it cannot mean is told with its place.
printf '[diff]\nfail-on = "worse"\n' >.warplens.toml
run "$warplens" diff new.json old.json
expect_code 1
expect_in stderr 'fails: transpose costs'
run "$warplens" diff new.json old.json --fail-on never
expect_code 0
run "$warplens" diff --compiler clang new.cu old.cu
expect_code 1
printf '[diff]\nfail-on = "graver"\n' >.warplens.toml
run "$warplens" diff new.json old.json
expect_code 2
expect_in stderr '\.warplens\.toml:2:11: error: .graver. is no condition of diff'
rm .warplens.toml

# Launches that differ, a run that was not counted, an architecture that is not in both.
run "$warplens" run --compiler clang --sm 70 --json volta.json old.cu
run "$warplens" diff old.json volta.json
expect_code 2
expect_in stderr 'one side was counted for compute capability 9.0, the other for 7.0'
run "$warplens" run --compiler clang --sm 70,90 --json both.json old.cu
run "$warplens" diff old.json both.json
expect_code 0
expect_in stdout 'the devices differ, 9.0 and 7.0'
run "$warplens" run --compiler clang --launches 1 --json one.json old.cu
run "$warplens" diff old.json one.json --strict
expect_in stdout 'only the old run launches scale'
expect_in stdout 'the new run left out 1 launch on request'

# Half of the shared memory's work goes, while global memory, which limits the kernel, has as much to do: that is no faster.
cat >held.cu <<'CU'
#include <cstdlib>
template <int W> __global__ void copy(float* out, const float* in, int n) {
  __shared__ float tile[8 * W * 32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += in[(i + k * 4096) * 8 % n];
  tile[threadIdx.x * W] = sum;
  __syncthreads();
  out[i] = tile[threadIdx.x * W];
}
__global__ void mine(float* out, const float* in, int n) { out[threadIdx.x * 8] = in[threadIdx.x]; }
__global__ void yours(float* out, const float* in, int n) { int i = threadIdx.x; out[i] = in[i]; }
int main(int argc, char** argv) {
  int n = 1 << 20;
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMemset(a, 0, n * 4);
  if (argc > 1) copy<1><<<64, 256>>>(b, a, n), yours<<<1, 256>>>(b, a, n);
  else copy<2><<<64, 256>>>(b, a, n), mine<<<1, 256>>>(b, a, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
run "$warplens" run --compiler clang --json held.json held.cu
run "$warplens" run --compiler clang --json padded.json held.cu 1
run "$warplens" diff --match mine=yours --json d.json held.json padded.json
expect_code 0
expect_in stdout '^same +copy'
expect_in stdout 'no faster: its busiest stage, sectors from L2'
expect_in stdout '2.00 → 1.00 wavefronts'
expect_json d.json '[k["change"] for k in r["kernels"]]' "['better', 'same']"
# Kernels with other names, because the user says so.
expect_in stdout '^better +mine → yours +-78%'
expect_in stdout 'as --match says'
follows d.json
for wrong in "mine" "=yours" "no=yours" "mine=no"; do
  run "$warplens" diff --match "$wrong" held.json padded.json
  expect_code 2
  expect_in stderr 'OLD=NEW'
done

# Nothing in common.
run "$warplens" run --compiler clang --json other.json "$source_dir/examples/reduction.cu"
run "$warplens" diff old.json other.json
expect_code 2
expect_in stdout 'Not comparable'

# Bad input.
for words in "old.json" "absent.json new.json" "old.cu.json new.json" "- -" "old.json new.json --json old.json"; do
  run "$warplens" diff $words
  expect_code 2
done
echo '{' >half.json
run "$warplens" diff old.json half.json
expect_code 2
expect_in stderr 'the file ends inside the report'

# --html: the page holds the document of --json.
run "$warplens" diff --html diff.html --json diff.json "$source_dir/tests/report/data/run.json" "$source_dir/tests/report/data/run.json"
expect_code 0
python3 - <<'EOF' || fail "the page does not hold the comparison"
import json
page = open('diff.html', encoding='utf-8').read()
begin = page.index('id="data">') + len('id="data">')
assert json.loads(page[begin:page.index('</script>', begin)]) == json.load(open('diff.json'))
EOF
