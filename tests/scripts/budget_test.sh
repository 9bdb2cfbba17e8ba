# --budget: what a sample says holds for the whole, what the program sees is right, and what was not reached is named.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/budget.cu" .
run "$warplens" run --compiler clang --json full.json budget.cu
expect_code 7
printed() { sort stdout; } # blocks run side by side, and print in any order
printed >full.out

# With enough for all of it nothing differs, but for the grounds.
counted() { json "$1" '[(l["name"], [{k: s[k] for k in s if k != "label"} for s in l["sites"]]) for l in r["launches"]]'; }
run "$warplens" run --compiler clang --budget-work 1000000000 --strict --json r.json budget.cu
expect_code 7
printed | diff full.out - || fail "the program printed something else"
expect_json r.json '[l["status"] for l in r["launches"]]' "$(json full.json '["exact"] * len(r["launches"])')"
counted full.json >full
counted r.json >whole
diff full whole || fail "counts differ"

# A program that takes half of it is counted in full, be it one kernel or a heavy one among many light ones. With less than that the
# heavy one is sampled, and the light ones are not: before it and after it.
for arguments in '4 32' '4 32 20'; do
  "$warplens" run --compiler clang --json full.json budget.cu $arguments >/dev/null 2>&1 || [ $? = 7 ] || fail "a plain run failed"
  work=$(json full.json 'sum(l["warp_instructions"] * l["count"] for l in r["launches"])')
  run "$warplens" run --compiler clang --budget-work $((2 * work + 1)) --json r.json budget.cu $arguments
  expect_json r.json '{l["status"] for l in r["launches"]}' "{'exact'}"
  run "$warplens" run --compiler clang --budget-work $((work * 6 / 5)) --json r.json budget.cu $arguments
  expect_json r.json '{l["name"].split("(")[0] for l in r["launches"] if l["status"] != "exact"}' "{'walk'}"
done

# With less, later launches of a kernel are counted by a sample. The program sees what it always sees.
run "$warplens" run --compiler clang --budget-work 30000000 --lines --json r.json --html r.html --markdown r.md --findings f.json budget.cu 8
expect_code 7
expect_in stdout '^done$'
expect_json r.json 'sorted({l["status"] for l in r["launches"]})' "['exact', 'sampled']"
expect_json r.json 'r["complete"]' False
expect_json r.json '[k["status"] for k in r["kernels"] if k["name"].startswith("walk")]' "['sampled']"
expect_in stderr '^~ walk: sampled [0-9]+ of [0-9]+ blocks, ±'
expect_in stderr 'the other blocks ran without being counted'
expect_in stderr '^walk .* ~[0-9.]+ [kMG]B '
expect_in r.html '"status":"sampled","extent":"[0-9]+ of [0-9]+ blocks, ±'
expect_in r.md '^~[0-9.]+ [kMG]B of the ~[0-9.]+ [kMG]B that the accesses move'
expect_json f.json 'r["all"]["sampled"]' True
python3 "$source_dir/tests/scripts/schema.py" "$source_dir/docs/schema/findings-1.schema.json" f.json || fail "findings do not follow the schema"
"$warplens" run --compiler clang --json all.json budget.cu 8 >/dev/null 2>&1 || [ $? = 7 ] || fail "a plain run failed"
python3 - all.json r.json <<'PY' || fail "a sample is not what it stands for"
import json, sys
full, sampled = (json.load(open(f)) for f in sys.argv[1:])
def launches(r):
    return {l["index"]: l for l in r["launches"] for _ in [0]}
whole = {}
for l in full["launches"]:
    for o in l.get("occurrences", [{"first": l["index"], "count": 1, "step": 1}]):
        for i in range(o["count"]): whole[o["first"] + i * o["step"]] = l
compared = within = 0
for l in sampled["launches"]:
    if l["status"] != "sampled": continue
    assert 0 < l["blocks"]["counted"] < l["blocks"]["grid"], l["blocks"]
    assert l["warp_instructions"] == whole[l["index"]]["warp_instructions"] # the others ran, too
    for s, t in zip(l["sites"], whole[l["index"]]["sites"]):
        assert s["id"] == t["id"] and s["label"] == "sampled"
        for k in ("instructions", "sectors"):
            compared += 1
            # numbers are shown with two digits
            within += abs(s[k] - t[k]) <= max(s.get("spread", 0), 0.05) * s[k]
        assert abs(s["sectors"] / s["requests"] - t["sectors"] / t["requests"]) <= 0.02 * t["sectors"] / t["requests"], (s, t)
print(within, "of", compared)
assert compared >= 8 and within >= 0.95 * compared
PY

# What the sample missed, as a block unlike all others, shows in the work of the whole: no number claims to be known better.
cat >rare.cu <<'CU'
#include <cstdlib>
__global__ void walk(const int* next, int* where, int heavy, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = where[i];
  for (int s = blockIdx.x == heavy ? steps : 20; s > 0; --s) at = next[at];
  where[i] = at;
}
int main(int, char** argv) {
  const int blocks = 2000, threads = 128, n = blocks * threads;
  int *next, *where;
  cudaMalloc(&next, n * sizeof(int));
  cudaMalloc(&where, n * sizeof(int));
  cudaMemset(next, 0, n * sizeof(int));
  cudaMemset(where, 0, n * sizeof(int));
  walk<<<blocks, threads>>>(next, where, 1001, 20);
  walk<<<blocks, threads>>>(next, where, 1001, atoi(argv[1]));
  return cudaDeviceSynchronize();
}
CU
for steps in 6000 400000; do
  run "$warplens" run --compiler clang --json full.json rare.cu $steps
  work=$(json full.json 'r["launches"][0]["warp_instructions"]')
  run "$warplens" run --compiler clang --budget-work $((work * 11 / 5)) --json r.json rare.cu $steps
  expect_json r.json '[l["status"] for l in r["launches"]]' "['exact', 'sampled']"
  python3 - full.json r.json <<'PY' || fail "a sample that missed the heavy block claims to be right"
import json, sys
full, sampled = (json.load(open(f))["launches"][1]["sites"] for f in sys.argv[1:])
for t, s in zip(full, sampled):
    assert s["spread"] == 1 or abs(s["sectors"] - t["sectors"]) <= s["spread"] * s["sectors"], (s["spread"], s["sectors"], t["sectors"])
PY
done
expect_json r.json '{s["spread"] for l in r["launches"][1:] for s in l["sites"]}' '{1.0}'

# Work that few blocks have, wherever they lie: at the front, at the end, in the middle, every 8th, or one of them. What is judged lies
# within its range, and what the sample could grow into is judged.
cat >few.cu <<'CU'
#include <cstdlib>
__global__ void few(const int* next, int* where, int blocks, int which) {
  const int b = blockIdx.x, part = blocks / 128;
  const bool works = which == 0   ? b < part
                     : which == 1 ? b >= blocks - part
                     : which == 2 ? b / part == 77
                     : which == 3 ? b % 8 == 3
                                  : b == 20001;
  if (!works) return;
  const int i = b * blockDim.x + threadIdx.x;
  int at = where[i];
  for (int s = 0; s < (which == 5 ? 1 << 30 : which == 4 ? 1000000 : which == 3 ? 60 : 1000); ++s) at = next[at];
  where[i] = at;
}
int main(int, char** argv) {
  const int blocks = 1 << 18, threads = 32, n = blocks * threads;
  int *next, *where;
  cudaMalloc(&next, n * sizeof(int));
  cudaMalloc(&where, n * sizeof(int));
  cudaMemset(next, 0, n * sizeof(int));
  cudaMemset(where, 0, n * sizeof(int));
  few<<<blocks, threads>>>(next, where, blocks, atoi(argv[1]));
  return cudaDeviceSynchronize();
}
CU
for which in 0 1 2 3 4; do
  run "$warplens" run --compiler clang --json full.json few.cu $which
  work=$(json full.json 'r["launches"][0]["warp_instructions"]')
  run "$warplens" run --compiler clang --budget-work $((work / 2)) --json r.json few.cu $which
  expect_json r.json '[l["status"] for l in r["launches"]]' "['sampled']"
  python3 - full.json r.json $which <<'PY' || fail "work of few blocks ($which): a range without the truth, or none"
import json, sys
full, sampled = (json.load(open(f))["launches"][0]["sites"] for f in sys.argv[1:3])
for t, s in zip(full, sampled):
    spread = s.get("spread", 0)
    assert t["sectors"] is None or spread == 1 or abs(s["sectors"] - t["sectors"]) <= spread * s["sectors"], (s, t)
    assert t["instructions"] == 0 or spread < 1 or sys.argv[3] in "04", s
PY
done

# With less than a launch takes, the program ends with a sample of it, and what was not reached is named.
run "$warplens" run --compiler clang --budget-work 2000000 --json r.json budget.cu 4 3000
expect_code 0
expect_empty stdout
expect_json r.json '[l["status"] for l in r["launches"]]' "['sampled']"
expect_in stderr 'The program was ended to stay within its budget'
expect_in stderr 'the rest of this launch would take'
expect_in stderr '2 kernels were not launched so far: (last, talk|talk, last)'
cp r.json first.json
run "$warplens" run --compiler clang --budget-work 2000000 --strict --json r.json budget.cu 4 3000
expect_code 1
cmp r.json first.json || fail "two runs with the same work differ"

# Of what a budget cut short no gate is decided, and a baseline stays as it was.
echo kept >known.json
run "$warplens" run --compiler clang --budget-work 2000000 --write-baseline known.json --sarif out.sarif budget.cu 4 3000
expect_code 2
expect_in stderr 'ended to stay within its budget, so findings after that are missing'
[ "$(cat known.json)" = kept ] || fail "a baseline of a part of the program was written"
expect_json out.sarif '[i["executionSuccessful"] for i in r["runs"][0]["invocations"]]' '[False]'
for gate in error 'excess>99%' 'sectors>32'; do
  run "$warplens" report r.json --fail-on "$gate"
  expect_code 2
done
run "$warplens" run --compiler clang --budget-work 2000000 --fail-on 'excess>99%' budget.cu 4 3000
expect_code 2
run "$warplens" report r.json --fail-on never
expect_code 0

# In seconds: the launch would take minutes.
begin=$(date +%s)
run timeout 60 "$warplens" run --compiler clang --budget 2s --json r.json budget.cu 100 200000
expect_code 0
[ $(($(date +%s) - begin)) -lt 40 ] || fail "it took $(($(date +%s) - begin)) seconds"
expect_json r.json '[l["status"] in ("sampled", "partial") for l in r["launches"]]' '[True]'

# A launch that is stopped after its sample says so, though its blocks were to run uncounted.
run "$warplens" run --compiler clang --budget-work 1200000000 --timeout 10s --json r.json budget.cu 1 20000
expect_json r.json '[(l["status"], l["reason"]) for l in r["launches"]][:1]' "[('sampled', 'it ran longer than the time limit')]"

# After more work than its sample said of all it is partial: what was counted is known.
run "$warplens" run --compiler clang --budget-work 100000000000 --timeout 10s --json r.json few.cu 5
expect_json r.json '[(l["status"], l["reason"]) for l in r["launches"]]' "[('partial', 'it ran longer than the time limit')]"

# Blocks that print run in their order, and are counted as ever.
run "$warplens" run --compiler clang --budget-work 100000000 --kernel talk --json r.json budget.cu 1
expect_code 7
grep '^block' stdout >blocks || true
sort -s -k 2n blocks | cmp - blocks || fail "blocks printed in another order"

run "$warplens" run --budget 2days budget.cu
expect_code 2
expect_in stderr "'2days' is not a time above 0"
