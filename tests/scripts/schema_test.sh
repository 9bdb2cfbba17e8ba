# The published schema: the golden document follows it, spoilt ones do not, so what common.sh says about the reports of the
# other tests is worth something; and a report with advice of every kind of count follows it.
. "$(dirname "$0")/common.sh"
good="$source_dir/tests/report/data/run.json"
follows_schema "$good"

cat >spoil.py <<'PY'
import copy, json, sys
sys.path.insert(0, sys.argv[1])
from schema import errors_of
schema, good = json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
for statement in [
    'r["schema"] = 2',
    'del r["schema"]',
    'r["more"] = 1',
    'r["launches"][0]["status"] = "fine"',
    'r["launches"][0]["grid"] = [1, 2]',
    'r["launches"][0]["sites"][0]["sectors"] = "many"',
    'r["launches"][0]["sites"][0]["sectors"] = True',
    'r["launches"][0]["sites"][0]["by_sm"]["20"]["tags"] = -1',
    'r["kernels"][0]["accesses"][0]["advice"] = 3',
    'next(a for k in r["kernels"] for x in k["accesses"] for a in x["advice"])["metric"] = ""',
]:
    r = copy.deepcopy(good)
    exec(statement)
    if not errors_of(r, schema):
        sys.exit("not noticed: " + statement)
PY
PYTHONDONTWRITEBYTECODE=1 python3 spoil.py "$source_dir/tests/scripts" "$schema" "$good" || fail "the schema lets through what it should not"

cat >advice.cu <<'CU'
__global__ void one_address(int* p) { atomicAdd(p, 3); }
__global__ void one_bank(int* p) {
  __shared__ int tile[32][32];
  tile[threadIdx.x][0] = p[32 * threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[31 - threadIdx.x][0];
}
int main() {
  int* p;
  cudaMalloc(&p, 4096 * 4);
  cudaMemset(p, 0, 4096 * 4);
  one_address<<<4, 64>>>(p);
  one_bank<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  cudaFree(p);
}
CU
run "$warplens" run --compiler clang --json report.json advice.cu
expect_code 0
expect_json report.json 'sorted({a["metric"] for k in r["kernels"] for x in k["accesses"] for a in x["advice"]})' \
  "['sectors', 'threads', 'wavefronts']"
