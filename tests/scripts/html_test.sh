#!/bin/sh
# `--html`: one file that runs its own script and nothing else, from `run` and from saved runs; never over an input.
. "$(dirname "$0")/common.sh"

saved="$source_dir/tests/report/data/run.json"
run "$warplens" report --html page.html "$saved"
expect_code 0
expect_in stdout '^WarpLens: ' # the text comes as ever

# What the policy names are the hashes of the one script and the one style sheet; nothing is loaded.
python3 - page.html <<'EOF' || fail "the page does not keep to its policy"
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding='utf-8', newline='').read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
assert policy.startswith("default-src 'none'; script-src 'sha256-") and 'unsafe' not in policy, policy
scripts, styles = re.findall(r'<script>(.*?)</script>', page, re.S), re.findall(r'<style>(.*?)</style>', page, re.S)
assert len(scripts) == len(styles) == 1
for text in scripts + styles:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy, digest
body = page[page.index('<style>'):]
assert not re.search(r'\b(src|href)=.?https?:', body), 'it loads something'
EOF

run "$warplens" report --html - "$saved"
expect_code 0
expect_in stdout '^<!doctype html>'
expect_not_in stdout '^WarpLens: '
cmp -s stdout page.html || fail "standard output and the file differ"

cp "$saved" run.json
run "$warplens" report --html run.json run.json
expect_code 2
expect_in stderr 'would write over'
cmp -s "$saved" run.json || fail "the input was written over"
run "$warplens" report --html same --json same run.json
expect_code 2
expect_in stderr '--json and --html would both write'
run "$warplens" report --html no/such/folder/page.html run.json
expect_code 2

# From commands that run nothing: check, replay, explain.
data_of() { # PAGE EXPRESSION: of the page's data `d`, whose texts are `t`
  python3 -c 'import json,sys
page=open(sys.argv[1],encoding="utf-8").read(); at=page.index("id=\"data\">")+len("id=\"data\">")
d=json.loads(page[at:page.index("</script>",at)]); t=d["texts"]; print(eval(sys.argv[2]))' "$1" "$2"
}
expect_data() { [ "$(data_of "$1" "$2")" = "$3" ] || fail "$1: $2 is $(data_of "$1" "$2"), expected $3"; }
addresses() { python3 -c "print([$1 for i in range(32)])"; }
for id in 1 2; do echo "{\"id\":$id,\"space\":\"shared\",\"op\":\"load\",\"bytes\":4,\"mask\":\"0xffffffff\",\"addresses\":$(addresses "i*4*$id")}"; done >trace.jsonl
echo "{\"id\":3,\"space\":\"global\",\"op\":\"load\",\"bytes\":4,\"mask\":\"0xffffffff\",\"addresses\":$(addresses 'i*128')}" >>trace.jsonl
run "$warplens" replay --sm 90,70 --html replay.html trace.jsonl
expect_code 0
expect_in stdout '^ +sum +9\.0' # the table comes as ever
expect_data replay.html 'd["run"]["of"], len(d["accesses"]), d["files"][0]["text"] == open("trace.jsonl").read()' "('replay', 3, True)"
expect_data replay.html '[(a["l"], a["cost"][0][0]) for a in sorted(d["accesses"], key=lambda a: a["l"])]' '[(1, 1.0), (2, 2.0), (3, 32.0)]'
run "$warplens" replay --html - trace.jsonl
expect_in stdout '^<!doctype html>'
expect_not_in stdout '^ +sum'
run "$warplens" replay --html trace.jsonl trace.jsonl
expect_code 2
expect_in stderr 'would write over'

run "$warplens" explain --set n=1024 --block 32,8 --sm 70 --html explain.html 'A[threadIdx.x*n + threadIdx.y]'
expect_code 0
expect_data explain.html 'd["run"]["of"], d["run"]["devices"][0]["sm"], d["accesses"][0]["cost"][0][0], d["accesses"][0]["classes"][0][0]' "('explain', '7.0', 32.0, 8)"
expect_data explain.html '[f["effect"][0] for f in d["accesses"][0]["fixes"]][0]' '[256, 32]'
expect_in explain.html 'A\[threadIdx.x\*n \+ threadIdx.y\];'
run "$warplens" explain --html x.html --case
expect_code 2

# check of the code alone: bounds by architecture, conditions, and the fix at its line.
cp "$source_dir/examples/transpose.cu" .
run "$warplens" check --compiler clang --sm 90,70 --html check.html transpose.cu
expect_code 1
expect_data check.html 'd["run"]["of"], d["files"][0]["text"] == open("transpose.cu").read()' "('check', True)"
expect_data check.html 'sorted((a["l"], t[a["op"]], a["judged"]["standing"], a["judged"]["bounds"][0]) for a in d["accesses"] if a["l"] in (22, 32))' \
  "[(22, 'load', 'conditional', [4, 5]), (22, 'store', 'possible', [1, 32]), (32, 'load', 'costly', [32, 32]), (32, 'store', 'conditional', [4, 5])]"
expect_data check.html '[t[c] for a in d["accesses"] if a["l"] == 22 for c in a["judged"].get("if", [])]' "['n % 8 == 0']"
expect_not_in check.html '4096 bytes apart' # of an n that nobody knows
expect_data check.html 'all(len(a["judged"]["bounds"]) == 2 and len(a["cost"]) == 2 for a in d["accesses"])' True

# The page says the change that the findings say: the array has no rows.
cat >reduce.cu <<'EOF'
__global__ void reduce(const int* in, int* out) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    const int i = 2 * d * t;
    if (i < blockDim.x) s[i] += s[i + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
EOF
run "$warplens" check --compiler clang --html reduce.html reduce.cu
expect_in stdout 'begin with the +largest'
expect_in reduce.html 'begin with the largest'
expect_not_in reduce.html 'each row of the shared array'

# Fixes under every architecture, on the page and in JSON.
run "$warplens" run --compiler clang --sm 90,70,20 --html arch.html --json arch.json --details transpose.cu
expect_code 0
expect_in stderr '\[[a-z]+ [0-9]+ -> [0-9]+; 7\.0: [0-9]+ -> [0-9]+'
expect_json arch.json 'sorted({tuple(x["by_sm"]) for k in r["kernels"] for a in k["accesses"] for x in a["advice"]})' "[('90', '70', '20')]"
expect_data arch.html '{len(f["effect"]) for a in d["accesses"] for f in a["fixes"]}' '{3}'

# The page that is built in is the one that web/ makes: looked at where npm has installed what makes it.
if [ -d "$source_dir/web/node_modules" ]; then
  (cd "$source_dir/web" && node build.mjs --check) || fail "the pages are not what web/ makes: npm --prefix web run build"
else
  echo "not looked at: whether the pages are what web/ makes ('npm --prefix web ci' was not run)"
fi
