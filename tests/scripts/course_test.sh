# The course's exercises have what their pages say, and the solutions have not: both compute the same. What the pages show is compared
# by documents_test.sh.
. "$(dirname "$0")/common.sh"
course="$source_dir/docs/course"
count=0
for exercise in "$course"/exercises/*.cu; do
  name=$(basename "$exercise" .cu)
  options=
  [ "$name" != half_warps ] || options="--sm 10"
  run "$warplens" run --compiler clang $options --fail-on warning --json before.json "$exercise"
  expect_code 1
  expect_in stdout '^PASS$'
  run "$warplens" run --compiler clang $options --json after.json "$course/solutions/$name.cu"
  expect_code 0
  expect_in stdout '^PASS$'
  python3 - before.json after.json "$name" <<'PY' || fail "$name: the solution solves nothing"
import json, sys
def waste(file): # bytes of global memory and passes of shared and constant memory that nobody asked for
    out = [0, 0]
    for launch in json.load(open(file))["launches"]:
        for site in launch["sites"]:
            shared, constant = site["space"] == "shared", site["space"] == "constant"
            if shared: out[1] += site["wavefronts"] - site["ideal_wavefronts"]
            elif constant: out[1] += site["requests"] - site["instructions"]
            else: out[0] += site["transaction_bytes"] - 32 * min(site["ideal_sectors"], site["sectors"])
    return out
before, after = waste(sys.argv[1]), waste(sys.argv[2])
print(sys.argv[3], before, after)
assert sum(before) > 0 and after[0] == 0, (before, after)
assert after[1] == 0 or sys.argv[3] == "gathers", after # whose data say where
PY
  grep -q "exercises/$name.cu" "$course"/[0-9]*.md || fail "no page has $name"
  count=$((count + 1))
done
[ "$count" = 10 ] || fail "$count exercises"
